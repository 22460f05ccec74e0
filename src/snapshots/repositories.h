// SPDX-License-Identifier: Apache-2.0
// The registered repositories: names, settings, and opened stores.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::snapshots {

struct RepositorySettings {
  std::string name;
  std::string type;  // fs, s3
  Json settings = Json::object();
};

/// Whether a place is made where it is missing.
enum class PlaceIs {
  registered_now,  // it may be made
  registered,      // it was made; a place that is gone is an error when it is used
};

/// Opens the place that settings name. Errors: repository_exception for a type or settings that
/// cannot work.
using OpenRepository =
    std::function<Result<std::unique_ptr<store::Store>>(const RepositorySettings&, PlaceIs)>;

/// A registered repository. Immutable; copies of the pointer keep it usable after it was removed.
struct Repository {
  RepositorySettings record;
  std::string uuid;
  std::unique_ptr<store::Store> store;
  bool readonly = false;
  std::uint64_t snapshot_bytes_per_second = 0;  // 0: unlimited
  std::uint64_t restore_bytes_per_second = 0;
  std::size_t snapshots_max = 500;
};

/// Safe from any thread. Records lie under "repository/" of the store; a change is durable when the
/// call returns.
class Repositories {
 public:
  Repositories(store::Store& records, OpenRepository open, os::Random& random);

  /// Opens every registered repository. One that cannot be opened stays registered; using it gives
  /// its error.
  Status load(const os::Deadline& deadline);
  /// Registers or replaces. With `verify` the place is written to, read and cleaned.
  Status put(const RepositorySettings& settings, bool verify, const os::Deadline& deadline);
  Status remove(const std::string& name, const os::Deadline& deadline);
  /// Errors: repository_missing_exception; those of opening.
  Result<std::shared_ptr<const Repository>> find(const std::string& name) const;
  /// Names that fit an expression "a,b*,_all". Errors: repository_missing_exception for a plain
  /// name that is not registered.
  Result<std::vector<std::string>> resolve(const std::string& expression) const;
  Result<Json> describe(const std::string& name) const;
  /// Writes, reads back and deletes a blob. Errors: repository_verification_exception.
  Status verify(const Repository& repository, const os::Deadline& deadline) const;

 private:
  struct Entry {
    std::shared_ptr<const Repository> repository;  // null where opening failed
    RepositorySettings record;
    std::string uuid;
    std::optional<Error> fault;
  };
  Result<std::shared_ptr<const Repository>> open(const RepositorySettings& settings,
                                                 const std::string& uuid, PlaceIs place) const;

  store::Store& records_;
  OpenRepository open_;
  os::Random& random_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
};

}  // namespace cairn::snapshots
