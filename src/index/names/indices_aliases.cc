// SPDX-License-Identifier: Apache-2.0
// Aliases of the catalogue: one record in the store, which a batch of changes replaces.
//
// The record says which aliases there are, by name and uuid of the index, and which indices are
// removed. Where the process ends
// - before the put: nothing has happened;
// - behind it: all has. The records of removed indices that are still there are taken for gone and
//   deleted at the next start; those that had a uuid which is no more have no aliases.
// A new index has its aliases in this record before it has its name, so both come at one moment.
#include <algorithm>

#include "base/strings.h"
#include "index/errors.h"
#include "index/indices_impl.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

constexpr std::string_view aliases_key = "index/aliases";

std::string record_of(const AliasTable& table, const Removals& removals) {
  Json removed = Json::object();
  for (const auto& [name, uuid] : removals) removed.set(name, uuid);
  return Json::object({{"aliases", table.to_json()}, {"removed", std::move(removed)}}).dump();
}

struct AliasRecord {
  AliasTable table;
  Removals removed;
};

Result<AliasRecord> read_record(std::string_view bytes) {
  const auto record = parse_json(bytes);
  if (!record.ok() || !record->is_object()) return corrupt_object(aliases_key, "it is no object");
  const Json* given = record->find("aliases");
  auto table = AliasTable::from_json(given == nullptr ? Json() : *given);
  if (!table.ok()) return corrupt_object(aliases_key, table.error().message);
  AliasRecord out{.table = std::move(*table), .removed = {}};
  if (const Json* removed = record->find("removed"); removed != nullptr && removed->is_object())
    for (const auto& [name, uuid] : removed->as_object())
      if (uuid.is_string()) out.removed[name] = uuid.as_string();
  return out;
}

Error name_is_alias(std::string_view name) {
  return invalid_index_name(name, "already exists as alias");
}

}  // namespace

Status Indices::Impl::load_aliases(const os::Deadline& deadline) {
  aliases_unknown = false;
  auto found = shared.store.get(aliases_key, deadline);
  if (!found.ok() && found.error().kind == ErrorKind::not_found) return ok_status();
  if (!found.ok() && found.error().kind != ErrorKind::corrupt) return found.error();
  auto read = found.ok() ? read_record(found->bytes) : Result<AliasRecord>(found.error());
  if (!read.ok()) {
    // Indices are there under their own names.
    os::log(os::LogLevel::error, "index", "aliases_damaged", {{"error", read.error().message}});
    damaged_aliases = read.error();
    return ok_status();
  }
  publish(std::move(read->table));
  read->removed.merge(removals);
  removals = std::move(read->removed);
  alias_etag = found->info.etag;
  return ok_status();
}

Status Indices::Impl::settle(const os::Deadline& deadline) {
  if (aliases_unknown) {
    const Status read = load_aliases(deadline);
    aliases_unknown = !read.ok();
    CAIRN_CHECK(read);
    publish(live_aliases());
  }
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
  return ok_status();
}

std::shared_ptr<Index> Indices::Impl::take_removed(const std::string& name,
                                                   const std::string& uuid) {
  const MutexLock lock(mutex);
  const auto found = indices.find(name);
  if (found == indices.end() || found->second->uuid() != uuid) return nullptr;
  auto out = std::move(found->second);
  indices.erase(found);
  return out;
}

Status Indices::Impl::put_aliases(const AliasTable& table, const Removals& gone,
                                  const os::Deadline& deadline) {
  if (damaged_aliases) return *damaged_aliases;
  const std::string record = record_of(table, gone);
  store::Condition condition;
  if (alias_etag.empty())
    condition.if_none_match = true;
  else
    condition.if_match = alias_etag;
  auto put = shared.store.put(aliases_key, record, deadline, condition);
  if (put.ok()) {
    alias_etag = put->etag;
    return ok_status();
  }
  // Lost answer: what is there decides.
  const auto found = shared.store.get(aliases_key, os::Deadline::in_ms(5000));
  if (found.ok() && found->bytes == record) {
    alias_etag = found->info.etag;
    return ok_status();
  }
  aliases_unknown = true;  // read again before the next change
  if (put.error().kind == ErrorKind::precondition_failed)
    return Error{.kind = ErrorKind::unavailable,
                 .message =
                     "the aliases in the store were changed by another process; only one "
                     "may use a store at a time"};
  return std::move(put).error();
}

Status Indices::Impl::check_name_free(std::string_view name, const NewAliases& wanted) const {
  const MutexLock lock(mutex);
  for (const auto* known : {&indices, &attached})
    if (const auto found = known->find(name); found != known->end())
      return index_exists(name, found->second->uuid());
  if (broken.contains(name)) return index_exists(name, "_na_");
  if (aliases->find(name) != nullptr) return name_is_alias(name);
  for (const auto& [alias, properties] : wanted) {
    CAIRN_CHECK(check_alias(alias));
    if (alias == name || indices.contains(alias) || attached.contains(alias) ||
        broken.contains(alias))
      return invalid_alias_name(alias,
                                "an index or data stream exists with the same name as the alias");
  }
  return ok_status();
}

AliasTable Indices::Impl::live_aliases() const {
  const MutexLock lock(mutex);
  AliasTable out = *aliases;
  for (const auto& [alias, members] : aliases->all())
    for (const auto& [index, member] : members) {
      const auto found = indices.find(index);
      const bool there = found != indices.end() && found->second->uuid() == member.uuid;
      // Of a damaged index nobody knows the uuid: it may be repaired.
      if (!there && !broken.contains(index)) out.remove(alias, index);
    }
  return out;
}

void Indices::Impl::publish(AliasTable table) {
  auto next = std::make_shared<const AliasTable>(std::move(table));
  const MutexLock lock(mutex);
  aliases.swap(next);
}

std::shared_ptr<const AliasTable> Indices::aliases() const {
  const MutexLock lock(impl_->mutex);
  return impl_->aliases;
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

Status Indices::change_aliases(std::span<const AliasChange> changes, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  AliasTable table = impl_->live_aliases();
  Removals removals;
  for (const AliasChange& change : changes) {
    if (change.kind != AliasChange::Kind::remove_index) continue;
    CAIRN_TRY(const auto index, find(change.index));
    CAIRN_CHECK(index->check_open_to(Change::removal));
    table.remove_index(change.index);
    removals.emplace(change.index, index->uuid());
  }
  for (const AliasChange& change : changes) {
    if (change.kind == AliasChange::Kind::remove_index) continue;
    if (removals.contains(change.index)) return no_such_index(change.index);
    CAIRN_TRY(const auto index, find(change.index));
    if (change.kind == AliasChange::Kind::remove) {
      table.remove(change.alias, change.index);
      continue;
    }
    CAIRN_CHECK(impl_->check_alias(change.alias));
    if (index->read_only_)
      return illegal_argument("index [" + change.index +
                              "] is written by the program and cannot have aliases");
    if (!removals.contains(change.alias) && impl_->is_taken(change.alias))
      return invalid_alias_name(change.alias,
                                "an index or data stream exists with the same name as the alias");
    table.add(change.alias, change.index,
              {index->uuid(), std::make_shared<const AliasProperties>(change.properties)});
  }
  CAIRN_CHECK(table.check({}));
  if (removals.empty() && table.to_json() == impl_->live_aliases().to_json()) return ok_status();
  CAIRN_CHECK(impl_->put_aliases(table, removals, deadline));
  impl_->removals = std::move(removals);
  impl_->publish(std::move(table));
  std::vector<std::shared_ptr<Index>> gone;
  for (const auto& [name, uuid] : impl_->removals)
    if (auto index = impl_->take_removed(name, uuid)) gone.push_back(std::move(index));
  // It has happened; what is left is done before the next change, or at the next start.
  if (const auto done = impl_->settle(deadline); !done.ok())
    os::log(os::LogLevel::warn, "index", "names_not_deleted", {{"error", done.error().message}});
  for (const auto& index : gone) impl_->let_go(index, deadline);
  return ok_status();
}

}  // namespace cairn::index
