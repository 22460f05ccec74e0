// SPDX-License-Identifier: Apache-2.0
// Locks of files: who has said that nobody else shall change a file now. A lock is one object of a
// store, made where there is none and removed where it is still the same, so that two callers of
// any server never both have one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "lfs/repository.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::lfs {

struct Lock {
  std::string id;       // hexadecimal; another one each time that a file is locked
  std::string path;     // of the file in its repository, as the client named it
  std::string account;  // whose it is: "user:ann"
  std::string owner;    // a name for people
  std::int64_t locked_ms = 0;
};
/// As the protocol shows it: {id, path, locked_at, owner: {name}}.
Json lock_json(const Lock& lock);

/// Safe from any thread; calls may block on the store. What was answered is durable.
class Locks {
 public:
  Locks(store::Store& store, const os::Clock& clock, os::Random& random)
      : store_(store), clock_(clock), random_(random) {}

  struct Taken {
    Lock lock;
    bool made = false;  // false: it was there already, whosever it is
  };
  /// Errors: invalid_argument (422) for a path that is none; those of the store.
  Result<Taken> take(const Repository& repository, std::string_view path, std::string_view account,
                     std::string_view owner, const os::Deadline& deadline);

  /// Nothing where there is none.
  Result<std::optional<Lock>> by_id(const Repository& repository, std::string_view id,
                                    const os::Deadline& deadline);
  Result<std::optional<Lock>> by_path(const Repository& repository, std::string_view path,
                                      const os::Deadline& deadline);

  struct Page {
    std::vector<Lock> locks;
    std::string next_cursor;  // empty at the end
  };
  /// In an order that does not change. `cursor`: of the page before; empty: from the first.
  /// Errors: invalid_argument (422) for a cursor that is none.
  Result<Page> page(const Repository& repository, std::string_view cursor, std::size_t limit,
                    const os::Deadline& deadline);

  /// False where it is not there any more.
  Result<bool> release(const Repository& repository, const Lock& lock,
                       const os::Deadline& deadline);

 private:
  Result<std::optional<Lock>> read(const std::string& key, const os::Deadline& deadline,
                                   std::string* etag = nullptr);
  store::Store& store_;
  const os::Clock& clock_;
  os::Random& random_;
};

}  // namespace cairn::lfs
