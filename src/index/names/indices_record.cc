// SPDX-License-Identifier: Apache-2.0
// Aliases and data streams of the catalogue: one record in the store, which a change replaces.
//
// The record says what names there are, by name and uuid of the index, and which indices came and
// went with them. Where the process ends
// - before the put: nothing has happened;
// - behind it: all has. The records of removed indices that are still there are taken for gone and
//   deleted at the next start; those of new indices that are not there yet are written. Names of a
//   uuid that is no more are gone.
// A new index with aliases of its own has them in this record before it has its name, so both come
// at one moment.
#include <algorithm>

#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/names/write_index.h"
#include "os/log.h"

namespace cairn::index {
namespace {

Error name_is_taken(std::string_view name, std::string_view by) {
  return invalid_index_name(name, "already exists as " + std::string(by));
}

}  // namespace

Status Indices::Impl::load_names(const os::Deadline& deadline) {
  auto found = names_record.load(deadline);
  if (!found.ok() && found.error().kind != ErrorKind::corrupt) return found.error();
  if (found.ok() && !*found) return ok_status();
  auto read = found.ok() ? decode_names(**found) : Result<NamesRecord>(found.error());
  if (!read.ok()) {
    // Indices are there under their own names.
    os::log(os::LogLevel::error, "index", "aliases_damaged", {{"error", read.error().message}});
    damaged_names = read.error();
    return ok_status();
  }
  publish(std::move(read->tables));
  read->removed.merge(removals);
  removals = std::move(read->removed);
  additions = std::move(read->added);
  additions_done = additions.empty();
  return ok_status();
}

Status Indices::Impl::settle(const os::Deadline& deadline) {
  if (names_record.must_load()) CAIRN_CHECK(load_names(deadline));
  while (!removals.empty()) {
    const auto& [name, uuid] = *removals.begin();
    const auto found = shared.store.get(name_key(name), deadline);
    if (!found.ok() && found.error().kind != ErrorKind::not_found) return found.error();
    if (found.ok()) {
      const auto record = parse_json(found->bytes);
      const bool same = record.ok() && record->is_object() && record->string_or("uuid") == uuid;
      if (same) CAIRN_CHECK(shared.store.remove(name_key(name), deadline));
    }
    if (const auto gone = take_removed(name, uuid)) let_go(gone, deadline);
    removals.erase(removals.begin());
  }
  CAIRN_CHECK(settle_additions(deadline));
  if (!unsettled) return ok_status();
  publish(live_names());
  for (const auto& index : all()) index->impl_->set_in_doubt(false);
  unsettled = false;
  // One that cannot be read keeps no other from its names.
  if (const auto done = settle_closed(deadline); !done.ok())
    os::log(os::LogLevel::error, "index", "not_opened", {{"error", done.error().message}});
  return ok_status();
}

void Indices::Impl::doubt(const NamesRecord& record) {
  for (const auto& [name, uuid] : record.removed) {
    const MutexLock lock(mutex);
    const auto found = indices.find(name);
    if (found != indices.end() && found->second->uuid() == uuid)
      found->second->impl_->set_in_doubt(true);
  }
  unsettled = true;
  shared.wake();
}

void Indices::Impl::settle_in_background(const os::Deadline& deadline) {
  if (!unsettled) return;
  const MutexLock lock(naming);
  if (const auto done = settle(deadline); !done.ok() && !deadline.stopped())
    os::log(os::LogLevel::warn, "index", "names_not_settled", {{"error", done.error().message}});
}

Status Indices::Impl::settle_additions(const os::Deadline& deadline) {
  if (additions_done) return ok_status();
  for (const auto& [name, index] : additions) {
    auto put = shared.store.put(name_key(name), index_record(index), deadline,
                                {.if_none_match = true});
    if (!put.ok() && put.error().kind != ErrorKind::precondition_failed)
      return std::move(put).error();
    // Of a put whose answer was lost; at the start all are opened together.
    if (opened && !is_taken(name)) CAIRN_CHECK(open_one(name, deadline));
  }
  additions_done = true;
  if (opened) publish(live_names());
  return ok_status();
}

std::shared_ptr<Index> Indices::Impl::take_removed(const std::string& name,
                                                   const std::string& uuid) {
  const MutexLock lock(mutex);
  const auto found = indices.find(name);
  if (found == indices.end() || found->second->uuid() != uuid) return nullptr;
  auto out = std::move(found->second);
  indices.erase(found);
  count_names_change();
  return out;
}

Status Indices::Impl::put_names(const NamesRecord& record, const os::Deadline& deadline) {
  if (damaged_names) return *damaged_names;
  if (const auto put = names_record.put(encode_names(record), deadline); !put.ok()) {
    if (names_record.must_load()) doubt(record);
    return put;
  }
  additions = record.added;
  additions_done = additions.empty();
  return ok_status();
}

Status Indices::Impl::change_names(NamesRecord record, const FreshIndices& fresh,
                                   const os::Deadline& deadline) {
  CAIRN_CHECK(record.tables.aliases.check({}));
  CAIRN_CHECK(record.tables.streams.check());
  CAIRN_CHECK(put_names(record, deadline));
  removals = record.removed;
  std::vector<std::shared_ptr<Index>> gone;
  {
    auto next = std::make_shared<const AliasTable>(std::move(record.tables.aliases));
    auto streams_next = std::make_shared<const StreamTable>(std::move(record.tables.streams));
    const MutexLock lock(mutex);
    aliases.swap(next);
    streams.swap(streams_next);
    closed = std::move(record.tables.closed);
    for (const auto& index : fresh) indices.insert_or_assign(index->name(), index);
    count_names_change();
  }
  for (const auto& [name, uuid] : removals)
    if (auto index = take_removed(name, uuid)) gone.push_back(std::move(index));
  // It has happened; what is left is done before the next change, or at the next start.
  if (const auto done = settle(deadline); !done.ok())
    os::log(os::LogLevel::warn, "index", "names_not_settled", {{"error", done.error().message}});
  for (const auto& index : gone) let_go(index, deadline);
  return ok_status();
}

Status Indices::Impl::check_name_free(std::string_view name, const NewAliases& wanted) const {
  const MutexLock lock(mutex);
  for (const auto* known : {&indices, &attached})
    if (const auto found = known->find(name); found != known->end())
      return index_exists(name, found->second->uuid());
  if (broken.contains(name)) return index_exists(name, "_na_");
  if (aliases->find(name) != nullptr) return name_is_taken(name, "alias");
  if (streams->find(name) != nullptr) return name_is_taken(name, "data stream");
  return check_aliases_free(name, wanted);
}

Status Indices::Impl::check_aliases_free(std::string_view name, const NewAliases& wanted) const {
  for (const auto& [alias, properties] : wanted) {
    CAIRN_CHECK(check_alias(alias));
    if (alias == name || indices.contains(alias) || attached.contains(alias) ||
        broken.contains(alias) || streams->find(alias) != nullptr)
      return invalid_alias_name(alias,
                                "an index or data stream exists with the same name as the alias");
  }
  return ok_status();
}

NameTables Indices::Impl::live_names() const {
  const MutexLock lock(mutex);
  const auto gone = [&](const std::string& index, const std::string& uuid)
                        CAIRN_REQUIRES(mutex, naming) {
    const auto found = indices.find(index);
    if (found != indices.end()) return found->second->uuid() != uuid;
    // It is there, and has not been read yet.
    const auto coming = additions.find(index);
    if (!additions_done && coming != additions.end() && coming->second.uuid == uuid) return false;
    // Of a damaged index nobody knows the uuid: it may be repaired.
    return !broken.contains(index);
  };
  NameTables out{.aliases = *aliases, .streams = *streams, .closed = closed};
  std::erase_if(out.closed, [&](const auto& one) CAIRN_REQUIRES(mutex, naming) {
    return gone(one.first, one.second);
  });
  for (const auto& [alias, members] : aliases->all())
    for (const auto& [index, member] : members)
      if (gone(index, member.uuid)) out.aliases.remove(alias, index);
  for (const auto& [name, stream] : streams->all())
    for (const BackingIndex& one : stream.indices)
      if (gone(one.name, one.uuid)) out.streams.remove_index(one.name);
  return out;
}

void Indices::Impl::publish(NameTables tables) {
  auto next_aliases = std::make_shared<const AliasTable>(std::move(tables.aliases));
  auto next_streams = std::make_shared<const StreamTable>(std::move(tables.streams));
  const MutexLock lock(mutex);
  aliases.swap(next_aliases);
  streams.swap(next_streams);
  closed = std::move(tables.closed);
  count_names_change();
}

bool Indices::Impl::is_taken(std::string_view name) const {
  const MutexLock lock(mutex);
  return indices.contains(name) || attached.contains(name) || broken.contains(name);
}

Status Indices::Impl::check_alias(std::string_view name) const {
  CAIRN_CHECK(check_alias_name(name));
  const std::string& kept = shared.options.reserved_prefix;
  if (kept.empty() || !name.starts_with(kept)) return ok_status();
  return invalid_alias_name(
      name, "names that begin with '" + kept + "' are those of indices that the program makes");
}

Status Indices::Impl::check_not_written(std::string_view index, std::string_view what) const {
  const MutexLock lock(mutex);
  return check_no_write_index(*streams, index, what);
}

std::shared_ptr<const AliasTable> Indices::aliases() const {
  const MutexLock lock(impl_->mutex);
  return impl_->aliases;
}

std::shared_ptr<const StreamTable> Indices::data_streams() const {
  const MutexLock lock(impl_->mutex);
  return impl_->streams;
}

}  // namespace cairn::index
