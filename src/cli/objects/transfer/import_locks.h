// SPDX-License-Identifier: Apache-2.0
// Retention and legal hold of objects that come from another store.
#pragma once

#include <string>

#include "cli/objects/service.h"
#include "os/clock.h"

namespace cairn::cli {

/// What is asked of two buckets once, and then of each object. Safe from several threads; the
/// services outlive it.
class ImportLocks {
 public:
  /// Asks both buckets whether they lock objects. Who may not know that is told with each object.
  ImportLocks(const Service& from, const Service& to, const std::string& source_bucket,
              const std::string& target_bucket, const os::Clock& clock = os::system_clock());

  /// Adds to `put` what is in force of an object: `asked` are the parameters that name it, `got` is
  /// the result of get_object. A retention that is over locks nothing, and is left. What cannot
  /// come along is the answer, in words; empty: all of it does.
  std::string add(const Params& asked, const Value& got, Params& put) const;

 private:
  struct Lock {
    std::string mode = {};  // empty: no retention
    Value until = {};
    bool hold = false;
    std::string unread = {};  // why not all is known
  };
  Lock lock_of(const Params& asked, const Value& got) const;

  const Service& from_;
  const os::Clock& clock_;
  const bool source_locks_;  // or it is not known
  const bool target_locks_;
};

}  // namespace cairn::cli
