// SPDX-License-Identifier: Apache-2.0
// The keys that the first start makes: there is no default password and no open mode.
#pragma once

#include <string>

#include "auth/keys/keys.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::auth {

struct FirstKeys {
  std::string admin_key_file;  // the `encoded` form on one line
  bool admin_key_made = false;
  std::string admin_key_id;   // where it was made
  std::string admin_s3_file;  // {"access_key_id", "secret_access_key"}
  bool admin_s3_made = false;
};

/// Makes each of the two once in the life of a data folder, in <keys_folder>/admin.key and
/// <keys_folder>/admin-s3.json (mode 0600). The file is durable before the record is, and a record
/// lost to a crash is made from the file at the next start. Says what it did in the log. The
/// administrator's key ends once another one has stood for Options::first_key_overlap_ms.
/// Errors: those of the store and of the files; corrupt for a file that is no key.
Result<FirstKeys> make_first_keys(const std::string& keys_folder, store::Store& store, Keys& keys,
                                  ObjectKeys& object_keys, const os::Clock& clock,
                                  os::Random& random, const os::Deadline& deadline);

/// The id of the administrator's key that the first start made, for Keys::set_first. Errors:
/// not_found, where none has ended yet; those of the store.
Result<std::string> first_key_id(store::Store& store, const os::Deadline& deadline);

/// A new administrator's key without end, in a new file with mode 0600; its id. For an installation
/// whose keys are lost: whoever may open its data folder may have one.
/// Errors: already_exists (the file); those of the store and of the files.
Result<std::string> make_administrator(const std::string& path, Keys& keys, const os::Clock& clock,
                                       os::Random& random, const os::Deadline& deadline);

}  // namespace cairn::auth
