// SPDX-License-Identifier: Apache-2.0
// What the nodes of one store prove to each other that they belong to it.
#pragma once

#include <string>

#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/deadline.h"
#include "os/random.h"
#include "remotestore/cluster.h"
#include "store/store.h"

namespace cairn::app {

/// How the master key of a data folder is reached.
struct MasterKeyFile {
  std::string keys_folder;
  auth::KeyFileSeal file_seal = {};
};

/// 32 bytes from the object `secret`, which the master key opens; drawn by the first node, with a
/// master key where the folder has none. Whoever has another master key learns it here.
/// Errors: corrupt: the folder's keys are not those of the store; those of the store and the file.
Result<std::string> cluster_secret(store::Store& nodes, store::Store& auth_store,
                                   const MasterKeyFile& master_key, os::Random& random,
                                   const os::Deadline& deadline);

/// Seals the secret by the master key that seals now. Errors: those of the store.
Status reseal_cluster_secret(store::Store& nodes, const auth::Seal& seal, os::Random& random,
                             const os::Deadline& deadline);

}  // namespace cairn::app
