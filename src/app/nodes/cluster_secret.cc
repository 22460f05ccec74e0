// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/cluster_secret.h"

#include "auth/secrets/object_keys.h"
#include "os/clock.h"
#include "os/files/secret_file.h"

namespace cairn::app {
namespace {

constexpr std::string_view secret_key = "secret";
constexpr std::string_view context = "cluster secret";
constexpr std::size_t secret_bytes = 32;

Error foreign_keys(const MasterKeyFile& master_key) {
  return {.kind = ErrorKind::corrupt,
          .message =
              "the store at store.url was begun with another data folder, whose keys/ must be "
              "copied to " +
              master_key.keys_folder};
}

Result<auth::Seal> open_master_key(const MasterKeyFile& master_key, os::Random& random) {
  return auth::Seal::open(master_key.keys_folder + "/master.key", random, master_key.file_seal);
}

Result<std::string> open_secret(const std::string& sealed, const MasterKeyFile& master_key,
                                os::Random& random) {
  // A key that is drawn opens nothing.
  CAIRN_TRY(const auto key, os::read_secret_file(master_key.keys_folder + "/master.key"));
  if (!key) return foreign_keys(master_key);
  CAIRN_TRY(const auto seal, open_master_key(master_key, random));
  auto secret = seal.unseal(sealed, context);
  if (!secret.ok() && secret.error().kind == ErrorKind::corrupt) return foreign_keys(master_key);
  return secret;
}

}  // namespace

Result<std::string> cluster_secret(store::Store& nodes, store::Store& auth_store,
                                   const MasterKeyFile& master_key, os::Random& random,
                                   const os::Deadline& deadline) {
  auto found = nodes.get(secret_key, deadline);
  if (found.ok()) return open_secret(found->bytes, master_key, random);
  if (found.error().kind != ErrorKind::not_found) return std::move(found).error();
  CAIRN_TRY(const auto seal, open_master_key(master_key, random));
  // A store that was there before must open by this key, or nobody else's would be taken any more.
  const auto keys = auth::ObjectKeys::open(auth_store, seal, os::system_clock(), random, deadline);
  if (!keys.ok() && keys.error().kind == ErrorKind::corrupt) return foreign_keys(master_key);
  CAIRN_CHECK(keys);
  const std::string secret = random.bytes(secret_bytes);
  const auto put =
      nodes.put(secret_key, seal.seal(secret, context, random), deadline, {.if_none_match = true});
  if (put.ok()) return secret;
  if (put.error().kind != ErrorKind::precondition_failed) return put.error();
  CAIRN_TRY(const auto others, nodes.get(secret_key, deadline));
  return open_secret(others.bytes, master_key, random);
}

Status reseal_cluster_secret(store::Store& nodes, const auth::Seal& seal, os::Random& random,
                             const os::Deadline& deadline) {
  CAIRN_TRY(const auto found, nodes.get(secret_key, deadline));
  CAIRN_TRY(const std::string secret, seal.unseal(found.bytes, context));
  const auto put = nodes.put(secret_key, seal.seal(secret, context, random), deadline,
                             {.if_match = found.info.etag});
  return put.ok() ? ok_status() : Status(put.error());
}

}  // namespace cairn::app
