// SPDX-License-Identifier: Apache-2.0
// File first, record second, and a mark in the store that it was done: a key that an administrator
// deletes does not come back.
#include "auth/first_keys.h"

#include <optional>

#include "base/encode.h"
#include "base/ids.h"
#include "base/strings.h"
#include "os/files/secret_file.h"
#include "os/log.h"

namespace cairn::auth {
namespace {

constexpr std::string_view admin_mark = "first/admin-key";
constexpr std::string_view admin_s3_mark = "first/admin-s3";
constexpr std::string_view admin_name = "admin";

Result<bool> marked(store::Store& store, std::string_view mark, const os::Deadline& deadline) {
  CAIRN_TRY(const auto there, store.head(mark, deadline));
  return there.has_value();
}

Key administrator(std::string id, std::int64_t now_ms) {
  Key key;
  key.id = std::move(id);
  key.name = admin_name;
  key.username = admin_name;
  key.creation_ms = now_ms;
  key.role_descriptors = Json::object(
      {{"admin", Json::object({{"cluster", Json::array({"all"})},
                               {"indices", Json::array({Json::object(
                                               {{"names", Json::array({"*"})},
                                                {"privileges", Json::array({"all"})},
                                                {"allow_restricted_indices", true}})})}})}});
  return key;
}

KeyText draw_key(os::Random& random) {
  return {url_safe_id(random.bytes(15)), to_base64url(random.bytes(16))};
}

/// From the file of a start that did not get to its end, or drawn and written.
Result<KeyText> admin_key_text(const std::string& path, os::Random& random) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (text) {
    auto parts = decode_key(trim(*text));
    if (!parts)
      return Error{
          ErrorKind::corrupt, {}, path + " holds no API key; move it away, and a new key is made"};
    return std::move(*parts);
  }
  KeyText fresh = draw_key(random);
  CAIRN_CHECK(os::write_secret_file(path, encoded_key(fresh.id, fresh.secret) + "\n"));
  return fresh;
}

Result<bool> make_admin_key(const std::string& path, store::Store& store, Keys& keys,
                            const os::Clock& clock, os::Random& random,
                            const os::Deadline& deadline) {
  CAIRN_TRY(const bool done, marked(store, admin_mark, deadline));
  if (done) return false;
  CAIRN_TRY(const auto text, admin_key_text(path, random));
  if (keys.get(text.id) == nullptr)
    CAIRN_CHECK(keys.install(administrator(text.id, clock.unix_ms()), text.secret, deadline));
  CAIRN_CHECK(store.put(admin_mark, text.id, deadline));
  return true;
}

/// Tells the keys which one the first start made, and ends that one where its time is over.
Status settle_first_key(store::Store& store, Keys& keys, const os::Deadline& deadline) {
  CAIRN_TRY(const auto mark, store.get(admin_mark, deadline));
  keys.set_first(mark.bytes);
  const auto key = keys.get(mark.bytes);
  if (key == nullptr || key->invalidation_ms || !keys.first_has_ended()) return ok_status();
  CAIRN_TRY(const auto ended, keys.invalidate({.ids = {key->id}}, deadline));
  if (!ended.errors.empty()) return ended.errors.front();
  os::log(os::LogLevel::info, "auth",
          "the administrator's key of the first start has ended, since there is another one",
          {{"key", key->id}});
  return ok_status();
}

Result<ObjectKey> admin_s3_pair(const std::string& path, const ObjectKeys& keys) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  ObjectKey key = keys.draw(admin_name);
  if (!text) {
    const Json file =
        Json::object({{"access_key_id", key.access_key_id}, {"secret_access_key", key.secret}});
    CAIRN_CHECK(os::write_secret_file(path, file.dump(true) + "\n"));
    return key;
  }
  const auto file = parse_json(*text);
  if (file.ok() && file->is_object()) {
    key.access_key_id = file->string_or("access_key_id");
    key.secret = file->string_or("secret_access_key");
    if (!key.access_key_id.empty() && !key.secret.empty()) return key;
  }
  return Error{ErrorKind::corrupt,
               {},
               path + " holds no pair of keys; move it away, and a new pair is made"};
}

Result<bool> make_admin_s3(const std::string& path, store::Store& store, ObjectKeys& keys,
                           const os::Deadline& deadline) {
  CAIRN_TRY(const bool done, marked(store, admin_s3_mark, deadline));
  if (done) return false;
  CAIRN_TRY(auto key, admin_s3_pair(path, keys));
  const std::string id = key.access_key_id;
  if (keys.find(id) == nullptr) CAIRN_CHECK(keys.install(std::move(key), deadline));
  CAIRN_CHECK(store.put(admin_s3_mark, id, deadline));
  return true;
}

}  // namespace

Result<FirstKeys> make_first_keys(const std::string& keys_folder, store::Store& store, Keys& keys,
                                  ObjectKeys& object_keys, const os::Clock& clock,
                                  os::Random& random, const os::Deadline& deadline) {
  FirstKeys out;
  out.admin_key_file = keys_folder + "/admin.key";
  out.admin_s3_file = keys_folder + "/admin-s3.json";
  CAIRN_TRY(out.admin_key_made,
            make_admin_key(out.admin_key_file, store, keys, clock, random, deadline));
  CAIRN_CHECK(settle_first_key(store, keys, deadline));
  if (out.admin_key_made) {
    CAIRN_TRY(const auto mark, store.get(admin_mark, deadline));
    out.admin_key_id = mark.bytes;
  }
  CAIRN_TRY(out.admin_s3_made, make_admin_s3(out.admin_s3_file, store, object_keys, deadline));
  if (out.admin_key_made)
    os::log(os::LogLevel::info, "auth", "first start: the administrator's API key was written",
            {{"file", out.admin_key_file}});
  if (out.admin_s3_made)
    os::log(os::LogLevel::info, "auth", "first start: the object-storage key pair was written",
            {{"file", out.admin_s3_file}});
  return out;
}

Result<std::string> first_key_id(store::Store& store, const os::Deadline& deadline) {
  CAIRN_TRY(auto mark, store.get(admin_mark, deadline));
  return std::move(mark.bytes);
}

Result<std::string> make_administrator(const std::string& path, Keys& keys, const os::Clock& clock,
                                       os::Random& random, const os::Deadline& deadline) {
  CAIRN_TRY(const auto there, os::read_secret_file(path));
  if (there)
    return Error{ErrorKind::already_exists,
                 {},
                 path + " exists; move it away, or name another file with --key-out"};
  const KeyText text = draw_key(random);
  // The file first: a key that nobody can read would be an administrator that nobody knows.
  CAIRN_CHECK(os::write_secret_file(path, encoded_key(text.id, text.secret) + "\n"));
  CAIRN_CHECK(keys.install(administrator(text.id, clock.unix_ms()), text.secret, deadline));
  return text.id;
}

}  // namespace cairn::auth
