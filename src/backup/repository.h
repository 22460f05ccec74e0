// SPDX-License-Identifier: Apache-2.0
// A backup repository: pieces under names made from their content, and manifests that name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backup/key.h"
#include "backup/manifest.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::backup {

/// Keys of the objects of a repository.
namespace layout {
inline constexpr std::string_view description = "cairn-backup.json";
inline constexpr std::string_view manifests = "backups/";
inline constexpr std::string_view pieces = "pieces/";
inline constexpr std::string_view creators = "leases/create-";
inline constexpr std::string_view sweepers = "leases/sweep-";
std::string manifest_key(std::string_view id);
std::string piece_key(std::string_view name);
}  // namespace layout

/// Safe from any thread. The store outlives it. Errors of all calls: those of the store.
class Repository {
 public:
  /// Begins one where the store holds nothing. Errors: already_exists, where there is one;
  /// conflict, where something else lies there.
  static Status create(store::Store& store, const Key& key, const os::Clock& clock,
                       os::Random& random, const os::Deadline& deadline);
  /// Errors: not_found, where none lies there; permission_denied, where it has another key;
  /// unsupported, for a newer format.
  static Result<Repository> open(store::Store& store, const Key& key, const os::Deadline& deadline);

  struct Put {
    std::string name;
    std::uint64_t added_bytes = 0;  // 0 where the piece was there
  };
  /// Durable when it returns.
  Result<Put> put_piece(std::string_view plain, const os::Deadline& deadline);
  /// Errors: corrupt, where it is missing, was changed, or has another content than its name says.
  Result<std::string> get_piece(std::string_view name, const os::Deadline& deadline);

  /// Ids of the backups, the oldest first.
  Result<std::vector<std::string>> list(const os::Deadline& deadline);
  /// Errors: not_found; corrupt; unsupported.
  Result<Manifest> read(std::string_view id, const os::Deadline& deadline);
  /// With this the backup is there. Errors: precondition_failed, where one has the id.
  Status write(const Manifest& manifest, const os::Deadline& deadline);
  /// "latest" or nothing is the newest. Errors: not_found.
  Result<std::string> resolve(std::string_view id, const os::Deadline& deadline);

  store::Store& store() { return *store_; }

 private:
  Repository(store::Store& store, Key key) : store_(&store), key_(std::move(key)) {}
  store::Store* store_;
  Key key_;
};

}  // namespace cairn::backup
