// SPDX-License-Identifier: Apache-2.0
#include "store/update.h"

namespace cairn::store {
namespace {

// Each failed one is a change of somebody else that was kept, so only a crowd comes near it.
constexpr int update_attempts_max = 64;

Result<std::optional<Object>> get_if_there(Store& store, std::string_view key,
                                           const os::Deadline& deadline) {
  auto object = store.get(key, deadline);
  if (object.ok()) return std::optional<Object>(std::move(*object));
  if (object.error().kind == ErrorKind::not_found) return std::optional<Object>();
  return std::move(object).error();
}

}  // namespace

Result<std::optional<ObjectInfo>> update(Store& store, std::string_view key, const Change& change,
                                         const os::Deadline& deadline) {
  for (int attempt = 0; attempt < update_attempts_max; ++attempt) {
    CAIRN_TRY(const auto current, get_if_there(store, key, deadline));
    CAIRN_TRY(const auto bytes, change(current ? &*current : nullptr));
    if (!bytes) return std::optional<ObjectInfo>();
    Condition unchanged{.if_none_match = !current.has_value()};
    if (current) unchanged.if_match = current->info.etag;
    auto put = store.put(key, *bytes, deadline, unchanged);
    if (put.ok()) return std::optional<ObjectInfo>(std::move(*put));
    if (put.error().kind != ErrorKind::precondition_failed) return std::move(put).error();
  }
  return Error{ErrorKind::conflict, "version_conflict_engine_exception",
               "[" + std::string(key) + "] kept changing while it was updated; try again"};
}

}  // namespace cairn::store
