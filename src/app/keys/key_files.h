// SPDX-License-Identifier: Apache-2.0
// The files in <data>/keys: whether they are still what was written into them.
#pragma once

#include <string>
#include <vector>

#include "auth/keys/keys.h"
#include "auth/secrets/object_keys.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::app {

struct KeyFileFault {
  std::string file;
  std::string reason;  // and how to make a new one
};

/// The master key must be there wherever a secret was sealed with it: a new one opens none of them.
/// Errors: corrupt, with the file and what to do; those of store and files.
Status check_master_key(const std::string& keys_folder, store::Store& auth_store,
                        const os::Deadline& deadline);

/// admin.key and admin-s3.json, where they are there: text that is no key, and a key that is not
/// the one in the store under its name. A key that somebody deleted is no fault of its file.
Result<std::vector<KeyFileFault>> check_first_key_files(const std::string& keys_folder,
                                                        store::Store& auth_store,
                                                        const auth::Keys& keys,
                                                        const auth::ObjectKeys& object_keys,
                                                        const os::Deadline& deadline);

/// The same for a folder that nobody uses, which it does not change: all files of keys against the
/// store in that folder. `master_key`: who seals the file of the master key.
Result<std::vector<KeyFileFault>> verify_key_files(const std::string& data_folder,
                                                   const os::Deadline& deadline,
                                                   const auth::KeyFileSeal& master_key = {});

}  // namespace cairn::app
