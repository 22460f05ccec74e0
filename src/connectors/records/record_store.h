// SPDX-License-Identifier: Apache-2.0
// JSON records in a store, changed by compare-and-swap.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

/// What a change does to a record: true where it changed something. May be called again when
/// another writer was faster, so it must depend on its argument only.
using Change = std::function<Result<bool>(Json&)>;

/// One kind of record under one prefix. Safe from any thread; each call blocks up to its deadline.
class RecordStore {
 public:
  RecordStore(store::Store& store, std::string prefix)
      : store_(store), prefix_(std::move(prefix)) {}

  Result<std::optional<Json>> get(const std::string& id, const os::Deadline& deadline) const;
  /// Errors: precondition_failed where one is there.
  Status create(const std::string& id, const Json& record, const os::Deadline& deadline);
  /// True where it replaced one.
  Result<bool> replace(const std::string& id, const Json& record, const os::Deadline& deadline);
  /// The record after the change, and whether it changed; nothing where there is no record.
  Result<std::optional<std::pair<Json, bool>>> update(const std::string& id, const Change& change,
                                                      const os::Deadline& deadline);
  Result<bool> remove(const std::string& id, const os::Deadline& deadline);
  /// All records with their ids, ordered by id.
  Result<std::vector<std::pair<std::string, Json>>> all(const os::Deadline& deadline) const;

 private:
  store::Store& store_;
  std::string prefix_;
};

}  // namespace cairn::connectors
