// SPDX-License-Identifier: Apache-2.0
#include "backup/repository.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/ids.h"
#include "base/strings.h"

namespace cairn::backup {
namespace {

constexpr int repository_format = 1;
constexpr std::size_t piece_bytes_max = 64 << 20;
constexpr std::size_t manifest_bytes_max = 1 << 30;
constexpr std::string_view check_text = "this is the key";

std::string piece_context(std::string_view name) { return "piece " + std::string(name); }
std::string manifest_context(std::string_view id) { return "backup " + std::string(id); }
std::string check_context(std::string_view id) { return "repository " + std::string(id); }

Error corrupt(std::string_view key, const std::string& why) {
  return {.kind = ErrorKind::corrupt, .message = "[" + std::string(key) + "] " + why};
}

}  // namespace

std::string layout::manifest_key(std::string_view id) {
  return std::string(manifests) + std::string(id);
}

std::string layout::piece_key(std::string_view name) {
  return std::string(pieces) + std::string(name.substr(0, 2)) + "/" + std::string(name);
}

Status Repository::create(store::Store& store, const Key& key, const os::Clock& clock,
                          os::Random& random, const os::Deadline& deadline) {
  CAIRN_TRY(const auto there, store.head(layout::description, deadline));
  if (there)
    return Error{.kind = ErrorKind::already_exists,
                 .message = "a backup repository lies there already"};
  CAIRN_TRY(const auto page, store.list({.limit = 1}, deadline));
  if (!page.objects.empty())
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + page.objects[0].key +
                            "] lies there, which is no part of a backup repository; name an empty "
                            "place"};
  const std::string id = url_safe_id(random.bytes(15));
  const Json description =
      Json::object({{"format", repository_format},
                    {"id", id},
                    {"created_ms", clock.unix_ms()},
                    {"check", to_base64(key.seal(check_text, check_context(id)))}});
  CAIRN_CHECK(store.put(layout::description, description.dump(true) + "\n", deadline,
                        {.if_none_match = true}));
  return ok_status();
}

Result<Repository> Repository::open(store::Store& store, const Key& key,
                                    const os::Deadline& deadline) {
  const auto object = store.get(layout::description, deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found)
    return Error{.kind = ErrorKind::not_found,
                 .message = "no backup repository lies there; begin one with `cairn backup init`"};
  CAIRN_CHECK(object);
  const auto json = parse_json(object->bytes);
  if (!json.ok() || !json->is_object())
    return corrupt(layout::description, "is no description of a backup repository");
  if (json->int_or("format") > repository_format)
    return Error{.kind = ErrorKind::unsupported,
                 .message = "the repository has format " + std::to_string(json->int_or("format")) +
                            " and this program reads up to " + std::to_string(repository_format)};
  const auto check = from_base64(json->string_or("check"));
  if (!check) return corrupt(layout::description, "has no check of the key");
  if (!key.open(*check, check_context(json->string_or("id")), check_text.size()).ok())
    return Error{.kind = ErrorKind::permission_denied,
                 .message = "the key is not the one that the repository was begun with"};
  return Repository(store, key);
}

Result<Repository::Put> Repository::put_piece(std::string_view plain,
                                              const os::Deadline& deadline) {
  Put out{.name = key_.name_of(plain)};
  const std::string key = layout::piece_key(out.name);
  CAIRN_TRY(const auto there, store_->head(key, deadline));
  if (there) return out;
  const std::string sealed = key_.seal(plain, piece_context(out.name));
  const auto put = store_->put(key, sealed, deadline, {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed) return out;  // just now
  CAIRN_CHECK(put);
  out.added_bytes = sealed.size();
  return out;
}

Result<std::string> Repository::get_piece(std::string_view name, const os::Deadline& deadline) {
  const std::string key = layout::piece_key(name);
  const auto object = store_->get(key, deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found)
    return corrupt(key, "is missing");
  CAIRN_CHECK(object);
  auto plain = key_.open(object->bytes, piece_context(name), piece_bytes_max);
  if (!plain.ok() || key_.name_of(*plain) != name) return corrupt(key, "is damaged");
  return plain;
}

Result<std::vector<std::string>> Repository::list(const os::Deadline& deadline) {
  std::vector<std::string> ids;
  CAIRN_CHECK(store::for_each_object(*store_, layout::manifests, deadline,
                                     [&](const store::ObjectInfo& info) {
                                       ids.push_back(info.key.substr(layout::manifests.size()));
                                       return ok_status();
                                     }));
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<Manifest> Repository::read(std::string_view id, const os::Deadline& deadline) {
  const std::string key = layout::manifest_key(id);
  const auto object = store_->get(key, deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found)
    return Error{.kind = ErrorKind::not_found,
                 .message = "there is no backup [" + std::string(id) + "]"};
  CAIRN_CHECK(object);
  const auto plain = key_.open(object->bytes, manifest_context(id), manifest_bytes_max);
  if (!plain.ok()) return corrupt(key, "is damaged");
  const auto json = parse_json(*plain);
  if (!json.ok()) return corrupt(key, "is damaged");
  return manifest_of(*json);
}

Status Repository::write(const Manifest& manifest, const os::Deadline& deadline) {
  const std::string sealed = key_.seal(to_json(manifest).dump(), manifest_context(manifest.id));
  CAIRN_CHECK(
      store_->put(layout::manifest_key(manifest.id), sealed, deadline, {.if_none_match = true}));
  return ok_status();
}

Result<std::string> Repository::resolve(std::string_view id, const os::Deadline& deadline) {
  CAIRN_TRY(const auto ids, list(deadline));
  if (id.empty() || id == "latest") {
    if (!ids.empty()) return ids.back();
    return Error{.kind = ErrorKind::not_found, .message = "the repository holds no backup yet"};
  }
  if (std::find(ids.begin(), ids.end(), id) != ids.end()) return std::string(id);
  return Error{.kind = ErrorKind::not_found,
               .message = "there is no backup [" + std::string(id) + "]; there are " +
                          (ids.empty() ? "none" : join(ids, ", "))};
}

}  // namespace cairn::backup
