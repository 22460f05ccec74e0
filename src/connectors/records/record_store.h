// SPDX-License-Identifier: Apache-2.0
// JSON records in a store, changed by compare-and-swap.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

/// What a change does to a record: true where it changed something. May be called again when
/// another writer was faster, so it must depend on its argument only.
using Change = std::function<Result<bool>(Json&)>;

/// One kind of record under one prefix. Safe from any thread; each call blocks up to its deadline.
class RecordStore {
 public:
  using Entries = std::vector<std::pair<std::string, Json>>;  // with ids, ordered by them
  using Wanted = bool (*)(const Json& record);

  /// `wanted`: what known() tells of.
  RecordStore(
      store::Store& store, std::string prefix, const os::Clock& clock = os::system_clock(),
      Wanted wanted = [](const Json&) { return true; })
      : store_(store), prefix_(std::move(prefix)), clock_(clock), wanted_(wanted) {}

  Result<std::optional<Json>> get(const std::string& id, const os::Deadline& deadline) const;
  /// Errors: precondition_failed where one is there.
  Status create(const std::string& id, const Json& record, const os::Deadline& deadline);
  /// True where it replaced one.
  Result<bool> replace(const std::string& id, const Json& record, const os::Deadline& deadline);
  /// The record after the change, and whether it changed; nothing where there is no record.
  Result<std::optional<std::pair<Json, bool>>> update(const std::string& id, const Change& change,
                                                      const os::Deadline& deadline);
  Result<bool> remove(const std::string& id, const os::Deadline& deadline);
  Result<Entries> all(const os::Deadline& deadline) const;
  /// Those that are wanted, for whoever asks again and again. What was changed through this object
  /// is as it is in the store. What came about in another way, such as a change whose answer was
  /// lost and that happens late, is seen within a minute; changes judge by the store anyway.
  /// Without changes one listing a minute is all that the store is asked.
  Result<std::shared_ptr<const Entries>> known(const os::Deadline& deadline);

 private:
  /// A change that is under way: what is read meanwhile may be without it.
  class Changing;
  struct Memory {
    std::uint64_t changes = 0;                      // that had begun or ended before it was read
    std::int64_t read_ns = 0;                       // when that began
    std::map<std::string, std::string> etags = {};  // of all, by id
    std::shared_ptr<const Entries> wanted;
  };
  std::shared_ptr<const Entries> known_now() CAIRN_REQUIRES(mutex_);
  Result<Memory> read(const std::shared_ptr<const Memory>& before, const os::Deadline& deadline);

  store::Store& store_;
  std::string prefix_;
  const os::Clock& clock_;
  const Wanted wanted_;
  Mutex mutex_;
  std::uint64_t changes_ CAIRN_GUARDED_BY(mutex_) = 0;  // begun, and ended
  bool reading_ CAIRN_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const Memory> memory_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::connectors
