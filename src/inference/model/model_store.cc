// SPDX-License-Identifier: Apache-2.0
// Models as objects of a store and as folders, with their digests checked.
#include "inference/model/model_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"

namespace cairn::inference {
namespace {

constexpr std::string_view sums_name = "SHA256SUMS";
constexpr std::string_view incoming = ".incoming/";         // pieces, by model
constexpr std::string_view config_name = "config.json";     // where it is, there is a model
constexpr std::size_t piece_bytes = std::size_t{8} << 20U;  // that are in memory at a time
constexpr std::size_t largest_file = std::size_t{16} << 30U;

using Sums = std::map<std::string, std::string, std::less<>>;  // digest by file name

/// Lines of `sha256sum`: 64 hexadecimal digits, two characters, a name.
Sums parse_sums(std::string_view text) {
  Sums out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.size() < 67) continue;
    out.emplace(std::string(line.substr(66)), lower_ascii(line.substr(0, 64)));
  }
  return out;
}

/// `sum` is the SHA-256 of the file's bytes.
Status check_sum(const Sums& sums, std::string_view name, std::string_view sum) {
  const auto found = sums.find(name);
  if (found == sums.end() || to_hex(sum) == found->second) return ok_status();
  return Error{.kind = ErrorKind::corrupt,
               .message = "file [" + std::string(name) + "] does not match SHA256SUMS"};
}

/// Where there are sums, they name all files.
Status check_named(const Sums& sums, std::string_view name) {
  if (sums.empty() || sums.contains(name)) return ok_status();
  return Error{.kind = ErrorKind::not_found,
               .message = "file [" + std::string(name) + "] is not in SHA256SUMS"};
}

Status check_id(const std::string& model_id) {
  if (!model_id.empty() && model_id.size() <= 255 && model_id != ".incoming" &&
      model_id.find('/') == std::string::npos) {
    return ok_status();
  }
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "[" + model_id + "] is not a model id: 1 to 255 bytes without /"};
}

using Read = std::function<Result<std::string>(std::string_view name)>;

/// None where there is no such file.
Result<Sums> read_sums(const Read& read) {
  const Result<std::string> text = read(sums_name);
  if (text.ok()) return parse_sums(*text);
  if (text.error().kind == ErrorKind::not_found) return Sums();
  return text.error();
}

/// Adds the check against SHA256SUMS, which is read once, at the first file.
Read checked(Read read) {
  auto sums = std::make_shared<std::optional<Sums>>();
  return [read = std::move(read), sums](std::string_view name) -> Result<std::string> {
    if (!*sums) {
      CAIRN_TRY(*sums, read_sums(read));
    }
    CAIRN_CHECK(check_named(**sums, name));
    CAIRN_TRY(std::string bytes, read(name));
    if (!(*sums)->empty()) CAIRN_CHECK(check_sum(**sums, name, sha256(bytes)));
    return bytes;
  };
}

/// The files of one model as they are.
Read unchecked(store::Store& store, const std::string& model_id, const os::Deadline& deadline) {
  return [&store, model_id, deadline](std::string_view name) -> Result<std::string> {
    CAIRN_TRY(store::Object object, store.get(model_id + "/" + std::string(name), deadline));
    return std::move(object.bytes);
  };
}

}  // namespace

Status remove_other_files(store::Store& store, const std::string& model_id,
                          const std::set<std::string, std::less<>>& kept,
                          const os::Deadline& deadline) {
  const std::string prefix = model_id + "/";
  std::vector<std::string> keys;
  const auto gather = [&](const store::ObjectInfo& info) -> Status {
    if (!kept.contains(std::string_view(info.key).substr(prefix.size()))) keys.push_back(info.key);
    return ok_status();
  };
  CAIRN_CHECK(store::for_each_object(store, prefix, deadline, gather));
  if (!keys.empty()) CAIRN_CHECK(store.remove_batch(keys, deadline));
  return ok_status();
}

ModelFiles files_of_folder(os::Files& files, std::string model_id, std::string folder) {
  return {.model_id = std::move(model_id),
          .read = checked([&files, folder = std::move(folder)](std::string_view name) {
            return os::read_file(files, folder + "/" + std::string(name), largest_file);
          })};
}

Result<ModelFiles> ModelStore::open(const std::string& model_id,
                                    const os::Deadline& deadline) const {
  CAIRN_CHECK(check_id(model_id));
  CAIRN_TRY(const auto config, store_.head(model_id + "/config.json", deadline));
  if (!config) {
    return Error{.kind = ErrorKind::not_found,
                 .code = "resource_not_found_exception",
                 .message = "No known trained model with model_id [" + model_id + "]"};
  }
  return ModelFiles{.model_id = model_id, .read = checked(unchecked(store_, model_id, deadline))};
}

Status ModelStore::read_pieces(const std::string& model_id, std::string_view name,
                               const os::Deadline& deadline, const TakePiece& take) const {
  CAIRN_CHECK(check_id(model_id));
  CAIRN_TRY(const Sums sums, read_sums(unchecked(store_, model_id, deadline)));
  CAIRN_CHECK(check_named(sums, name));
  const std::string key = model_id + "/" + std::string(name);
  CAIRN_TRY(const auto info, store_.head(key, deadline));
  if (!info) {
    return Error{.kind = ErrorKind::not_found,
                 .message = "file [" + std::string(name) + "] of the model is not there"};
  }
  Digest sum(DigestKind::sha256);
  for (std::uint64_t at = 0; at < info->size_bytes;) {
    CAIRN_TRY(const store::Object piece, store_.get(key, deadline, {at, piece_bytes}));
    if (piece.bytes.empty()) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = "file [" + std::string(name) + "] ends early"};
    }
    sum.update(piece.bytes);
    CAIRN_CHECK(take(piece.bytes));
    at += piece.bytes.size();
  }
  return check_sum(sums, name, sum.finish());
}

Result<std::vector<std::string>> ModelStore::list(const os::Deadline& deadline) const {
  std::vector<std::string> ids;
  store::ListParams params{.delimiter = "/"};
  while (true) {
    CAIRN_TRY(const store::ListPage page, store_.list(params, deadline));
    for (const std::string& prefix : page.prefixes) {
      std::string id = prefix.substr(0, prefix.size() - 1);
      CAIRN_TRY(const auto config, store_.head(prefix + "config.json", deadline));
      if (config) ids.push_back(std::move(id));
    }
    if (page.next_start_after.empty()) return ids;
    params.start_after = page.next_start_after;
  }
}

Result<bool> ModelStore::remove(const std::string& model_id, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_id(model_id));
  std::vector<std::string> keys;
  const auto gather = [&keys](const store::ObjectInfo& info) -> Status {
    keys.push_back(info.key);
    return ok_status();
  };
  CAIRN_TRY(const bool visible, store_.remove(model_id + "/" + std::string(config_name), deadline));
  CAIRN_CHECK(store::for_each_object(store_, model_id + "/", deadline, gather));
  CAIRN_CHECK(
      store::for_each_object(store_, std::string(incoming) + model_id + "/", deadline, gather));
  if (!keys.empty()) CAIRN_CHECK(store_.remove_batch(keys, deadline));
  return visible || !keys.empty();
}

Status ModelStore::remove_leftovers(std::int64_t before_unix_ms,
                                    const os::Deadline& deadline) const {
  struct Pieces {
    std::int64_t newest_ms = 0;
    std::vector<std::string> keys;
  };
  std::map<std::string, Pieces> all;
  const auto gather = [&](const store::ObjectInfo& info) -> Status {
    const std::string_view rest = std::string_view(info.key).substr(incoming.size());
    Pieces& pieces = all[std::string(rest.substr(0, rest.find('/')))];
    pieces.newest_ms = std::max(pieces.newest_ms, info.modified_ms);
    pieces.keys.push_back(info.key);
    return ok_status();
  };
  CAIRN_CHECK(store::for_each_object(store_, std::string(incoming), deadline, gather));
  for (const auto& [model_id, pieces] : all) {
    CAIRN_TRY(const auto config, store_.head(model_id + "/config.json", deadline));
    if (!config && pieces.newest_ms >= before_unix_ms) continue;
    CAIRN_CHECK(store_.remove_batch(pieces.keys, deadline));
  }
  return ok_status();
}

Result<bool> ModelStore::import_folder(const std::string& model_id, os::Files& files,
                                       const std::string& folder,
                                       const os::Deadline& deadline) const {
  CAIRN_CHECK(check_id(model_id));
  const std::string prefix = model_id + "/";
  CAIRN_TRY(const std::string sums,
            os::read_file(files, folder + "/" + std::string(sums_name), largest_file));
  CAIRN_TRY(const auto there, store_.head(prefix + std::string(sums_name), deadline));
  if (there && there->size_bytes == sums.size()) {
    CAIRN_TRY(const store::Object old, store_.get(prefix + std::string(sums_name), deadline));
    if (old.bytes == sums) return false;
  }
  const ModelFiles source = files_of_folder(files, model_id, folder);
  const Sums named = parse_sums(sums);
  const auto read_checked = [&](const std::string& name) -> Result<std::string> {
    CAIRN_CHECK(deadline.check("importing model [" + model_id + "]"));
    return source.read(name);  // compares the digest
  };
  const auto copy = [&](const std::string& name) -> Status {
    CAIRN_TRY(const std::string bytes, read_checked(name));
    CAIRN_CHECK(store_.put(prefix + name, bytes, deadline));
    return ok_status();
  };
  // Not one byte of a folder that does not match is put; and the file that makes the name visible
  // follows all that it needs.
  for (const auto& [name, digest] : named) CAIRN_CHECK(read_checked(name));
  for (const auto& [name, digest] : named)
    if (name != config_name) CAIRN_CHECK(copy(name));
  if (named.contains(config_name)) CAIRN_CHECK(copy(std::string(config_name)));
  std::set<std::string, std::less<>> kept = {std::string(sums_name)};
  for (const auto& [name, digest] : named) kept.insert(name);
  CAIRN_CHECK(remove_other_files(store_, model_id, kept, deadline));
  CAIRN_CHECK(store_.put(prefix + std::string(sums_name), sums, deadline));
  return true;
}

}  // namespace cairn::inference
