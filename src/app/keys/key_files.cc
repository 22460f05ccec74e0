// SPDX-License-Identifier: Apache-2.0
#include "app/keys/key_files.h"

#include <optional>
#include <utility>

#include "auth/secrets/seal.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/json.h"
#include "objectstore/engine.h"
#include "objectstore/engine_store.h"
#include "objectstore/read_only_files.h"
#include "os/clock.h"
#include "os/files/secret_file.h"
#include "os/random.h"
#include "store/memory_store.h"

namespace cairn::app {
namespace {

constexpr std::string_view admin_key_advice =
    "; move it away, and make a new key: `cairn key create --admin --data DIR`";
constexpr std::string_view admin_s3_advice =
    "; move it away, and make a new pair: POST /_security/object_account with an administrator's "
    "key";

/// What was written down of the first key; nothing before it was made.
Result<std::optional<std::string>> marked(store::Store& store, std::string_view mark,
                                          const os::Deadline& deadline) {
  auto object = store.get(mark, deadline);
  if (object.ok()) return std::optional(std::move(object->bytes));
  if (object.error().kind == ErrorKind::not_found) return std::optional<std::string>();
  return std::move(object).error();
}

std::optional<std::string> fault_of_admin_key(const std::string& text, std::string_view first_id,
                                              const auth::Keys& keys) {
  const auto parts = text.ends_with('\n') ? auth::decode_key(trim(text)) : std::nullopt;
  if (!parts) return "it holds no API key";
  if (keys.get(parts->id) == nullptr)
    return parts->id == first_id ? std::nullopt
                                 : std::optional<std::string>("its key is not known");
  // A key that is disabled, or has ended, has its secret all the same.
  if (!keys.takes_secret(*keys.get(parts->id), sha256(parts->secret)))
    return "its secret is not that of its key";
  return std::nullopt;
}

std::optional<std::string> fault_of_admin_s3(const std::string& text, std::string_view first_id,
                                             const auth::ObjectKeys& keys) {
  const auto file = parse_json(text);
  if (!file.ok() || !file->is_object() || !text.ends_with('\n')) return "it holds no pair of keys";
  const std::string id = file->string_or("access_key_id");
  const auto known = keys.find(id);
  if (known == nullptr)
    return id == first_id ? std::nullopt : std::optional<std::string>("its key is not known");
  if (known->secret != file->string_or("secret_access_key"))
    return "its secret is not that of its key";
  return std::nullopt;
}

}  // namespace

Status check_master_key(const std::string& keys_folder, store::Store& auth_store,
                        const os::Deadline& deadline) {
  const std::string file = keys_folder + "/master.key";
  CAIRN_TRY(const auto text, os::read_secret_file(file));
  if (text) return ok_status();
  CAIRN_TRY(const auto sealed, marked(auth_store, "first/admin-s3", deadline));
  if (!sealed) return ok_status();
  return Error{
      .kind = ErrorKind::corrupt,
      .message = "[" + file +
                 "] is missing, and secrets are kept that only it opens; restore it from a "
                 "copy. Nothing was changed"};
}

Result<std::vector<KeyFileFault>> check_first_key_files(const std::string& keys_folder,
                                                        store::Store& auth_store,
                                                        const auth::Keys& keys,
                                                        const auth::ObjectKeys& object_keys,
                                                        const os::Deadline& deadline) {
  std::vector<KeyFileFault> faults;
  const std::string key_file = keys_folder + "/admin.key";
  const std::string pair_file = keys_folder + "/admin-s3.json";
  CAIRN_TRY(const auto key_text, os::read_secret_file(key_file));
  CAIRN_TRY(const auto pair_text, os::read_secret_file(pair_file));
  CAIRN_TRY(const auto first_key, marked(auth_store, "first/admin-key", deadline));
  CAIRN_TRY(const auto first_pair, marked(auth_store, "first/admin-s3", deadline));
  if (key_text)
    if (auto fault = fault_of_admin_key(*key_text, first_key.value_or(""), keys))
      faults.push_back({key_file, *std::move(fault) + std::string(admin_key_advice)});
  if (pair_text)
    if (auto fault = fault_of_admin_s3(*pair_text, first_pair.value_or(""), object_keys))
      faults.push_back({pair_file, *std::move(fault) + std::string(admin_s3_advice)});
  return faults;
}

Result<std::vector<KeyFileFault>> verify_key_files(const std::string& data_folder,
                                                   const os::Deadline& deadline,
                                                   const auth::KeyFileSeal& master_key) {
  objectstore::ReadOnlyFiles files(os::system_files());
  CAIRN_TRY(const auto engine, objectstore::Engine::open_to_look(
                                   {.data_dir = data_folder, .reserve_bytes = 0, .files = &files}));
  CAIRN_TRY(const auto there, objectstore::reserved_store(*engine, ".cairn-auth"));
  // What opens the keys may write: into a copy.
  const auto copy = store::memory_store();
  CAIRN_CHECK(
      store::for_each_object(*there, "", deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, there->get(info.key, deadline));
        CAIRN_CHECK(copy->put(info.key, object.bytes, deadline));
        return ok_status();
      }));
  const std::string folder = data_folder + "/keys";
  const std::string master = folder + "/master.key";
  const auto broken = [&](const Error& error) {
    return std::vector<KeyFileFault>{{master, error.message}};
  };
  if (const Status kept = check_master_key(folder, *copy, deadline); !kept.ok())
    return broken(kept.error());
  CAIRN_TRY(const auto text, os::read_secret_file(master));
  if (!text) return std::vector<KeyFileFault>();  // no first start has got that far
  // Opened and never sealed: nothing is written.
  const auto plain = auth::Seal::open(master, os::system_random());
  auto seal = plain.ok() ? plain : auth::Seal::open(master, os::system_random(), master_key);
  if (!seal.ok()) return broken(seal.error());
  auto object_keys = auth::ObjectKeys::open(*copy, std::move(*seal), os::system_clock(),
                                            os::system_random(), deadline);
  if (!object_keys.ok()) return broken(object_keys.error());
  CAIRN_TRY(const auto keys,
            auth::Keys::open(*copy, os::system_clock(), os::system_random(), {}, deadline));
  return check_first_key_files(folder, *copy, *keys, **object_keys, deadline);
}

}  // namespace cairn::app
