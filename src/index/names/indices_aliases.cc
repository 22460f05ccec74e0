// SPDX-License-Identifier: Apache-2.0
// Batches of changes to aliases, and indices that go with them.
#include "index/errors.h"
#include "index/indices_impl.h"
#include "os/threads/blocking.h"

namespace cairn::index {

Status Indices::change_aliases(std::span<const AliasChange> changes, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  const NameTables before = impl_->live_names();
  NamesRecord record{.tables = before, .removed = {}, .added = {}};
  AliasTable& table = record.tables.aliases;
  for (const AliasChange& change : changes) {
    if (change.kind != AliasChange::Kind::remove_index) continue;
    CAIRN_TRY(const auto index, find(change.index));
    CAIRN_CHECK(index->check_open_to(Change::removal));
    CAIRN_CHECK(impl_->check_not_written(change.index));
    record.tables.forget(change.index);
    record.removed.emplace(change.index, index->uuid());
  }
  for (const AliasChange& change : changes) {
    if (change.kind == AliasChange::Kind::remove_index) continue;
    if (record.removed.contains(change.index)) return no_such_index(change.index);
    CAIRN_TRY(const auto index, find(change.index));
    if (change.kind == AliasChange::Kind::remove) {
      table.remove(change.alias, change.index);
      continue;
    }
    CAIRN_CHECK(impl_->check_alias(change.alias));
    if (index->read_only_)
      return illegal_argument("index [" + change.index +
                              "] is written by the program and cannot have aliases");
    if (const auto* stream = before.streams.stream_of(change.index))
      return illegal_argument("The provided index [" + change.index +
                              "] is a backing index belonging to data stream [" + *stream +
                              "]. Data streams and their backing indices don't support aliases.");
    if (before.streams.find(change.alias) != nullptr ||
        (!record.removed.contains(change.alias) && impl_->is_taken(change.alias)))
      return invalid_alias_name(change.alias,
                                "an index or data stream exists with the same name as the alias");
    table.add(change.alias, change.index,
              {index->uuid(), std::make_shared<const AliasProperties>(change.properties)});
  }
  if (record.removed.empty() && table.to_json() == before.aliases.to_json())
    return table.check({});
  return impl_->change_names(std::move(record), {}, deadline);
}

}  // namespace cairn::index
