// SPDX-License-Identifier: Apache-2.0
// The last uses of keys of both kinds and their requests by the hour, in one record, so that a
// restart does not forget them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "auth/keys/keys.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::auth {

/// Requests note uses in memory (LastUse); this writes them, whenever it is asked to: a crash loses
/// what came since. Keys that have ended are in it no more. For one thread at a time.
class KeyUses {
 public:
  /// Tells `keys` and `object_keys` what the record says. All outlive it. A record that does not
  /// read back is left alone until the next write, with a line in the log. Errors: those of the
  /// store.
  static Result<std::unique_ptr<KeyUses>> open(store::Store& store, const Keys& keys,
                                               const ObjectKeys& object_keys,
                                               const os::Clock& clock,
                                               const os::Deadline& deadline);
  /// Writes the record ("key-uses") where a key was used since the last write.
  /// Errors: those of the store.
  Status write(const os::Deadline& deadline);

  /// Of each kind of key; those that were used last are kept.
  static constexpr std::size_t uses_max = 100'000;
  /// Of those, whose requests by the hour are kept.
  static constexpr std::size_t requests_max = 10'000;

 private:
  KeyUses(store::Store& store, const Keys& keys, const ObjectKeys& object_keys,
          const os::Clock& clock)
      : store_(store), keys_(keys), object_keys_(object_keys), clock_(clock) {}
  Status load(const os::Deadline& deadline);
  std::string record() const;

  store::Store& store_;
  const Keys& keys_;
  const ObjectKeys& object_keys_;
  const os::Clock& clock_;
  std::string written_ = {};
};

}  // namespace cairn::auth
