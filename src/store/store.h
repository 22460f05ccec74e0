// SPDX-License-Identifier: Apache-2.0
// The one way Cairn keeps bytes: objects under keys in one namespace, changed by conditional put.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::store {

struct ObjectInfo {
  std::string key;
  std::uint64_t size_bytes = 0;
  std::string etag;  // opaque; changes with each put
  std::int64_t modified_ms = 0;
};

struct Object {
  ObjectInfo info;
  std::string bytes;
};

/// Conditions of a change. At most one is set.
struct Condition {
  std::optional<std::string> if_match = {};  // the etag that must be there
  bool if_none_match = false;                // nothing may be there
};

struct Range {
  std::uint64_t offset = 0;
  std::uint64_t count = UINT64_MAX;  // cut at the end of the object
};

struct ListParams {
  std::string prefix = {};
  std::string start_after = {};  // a key or a folded prefix; what is folded with it is passed over
  std::string delimiter = {};    // keys that go on after it are folded into prefixes
  std::size_t limit = 1000;      // of objects and prefixes together; at least 1
};

struct ListPage {
  std::vector<ObjectInfo> objects;    // ascending by bytes of the key
  std::vector<std::string> prefixes;  // folded, each with its delimiter
  std::string next_start_after;       // to go on; empty at the end
};

/// A large object on its way in. Dropping it unfinished leaves nothing behind.
class Upload {
 public:
  virtual ~Upload() = default;
  virtual Status write(std::string_view bytes) = 0;
  virtual Result<ObjectInfo> finish(const Condition& condition = {}) = 0;
};

/// One namespace of objects. Safe from any thread; every call may block up to its deadline.
/// A put that was answered is durable. A put whose answer was lost (timeout, unavailable) may have
/// happened: read back before deciding. Keys are 1 to 1,024 bytes of any value.
/// Errors of all calls: timeout, cancelled, unavailable, storage_full, corrupt.
class Store {
 public:
  virtual ~Store() = default;
  /// Errors: not_found; invalid_argument for an offset past the end.
  virtual Result<Object> get(std::string_view key, const os::Deadline& deadline,
                             Range range = {}) = 0;
  /// Nothing where the key holds nothing.
  virtual Result<std::optional<ObjectInfo>> head(std::string_view key,
                                                 const os::Deadline& deadline) = 0;
  /// Errors: precondition_failed.
  virtual Result<ObjectInfo> put(std::string_view key, std::string_view bytes,
                                 const os::Deadline& deadline, const Condition& condition = {}) = 0;
  virtual Result<std::unique_ptr<Upload>> begin_upload(std::string_view key,
                                                       const os::Deadline& deadline) = 0;
  virtual Result<ListPage> list(const ListParams& params, const os::Deadline& deadline) = 0;
  /// True where something was there. Errors: precondition_failed (with if_match only).
  virtual Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                              const Condition& condition = {}) = 0;
  /// Deletes all; the number that were there. On an error some may be gone.
  virtual Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                           const os::Deadline& deadline) = 0;
  /// Copies within the namespace without moving bytes where the store can. Errors: not_found,
  /// precondition_failed (of the target).
  virtual Result<ObjectInfo> copy(std::string_view from, std::string_view to,
                                  const os::Deadline& deadline,
                                  const Condition& condition = {}) = 0;
};

/// Calls `each` for every object under a prefix, in order, page by page, until it returns an error.
Status for_each_object(Store& store, std::string_view prefix, const os::Deadline& deadline,
                       const std::function<Status(const ObjectInfo&)>& each);

}  // namespace cairn::store
