// SPDX-License-Identifier: Apache-2.0
// Closing and opening indices. The record of names says which are closed; what is in memory follows.
//
// Where the process ends before the record is put, the index is as it was. An index is flushed before
// the record says that it is closed, so a start reads no log of it; a write that was under way then is
// in the log, and is found when the index is opened.
#include <algorithm>

#include "base/ids.h"
#include "index/errors.h"
#include "index/indices_impl.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

/// What names an index goes on under another uuid. Aliases that a snapshot brings replace all.
void rename_uuid(NameTables& tables, const Index& index, const NewAliases& wanted) {
  const std::string& name = index.name();
  const auto kept = tables.aliases.of_index(name);
  tables.aliases.remove_index(name);
  if (wanted.empty())
    for (const auto& [alias, member] : kept)
      tables.aliases.add(alias, name, {index.uuid(), member.properties});
  for (const auto& [alias, properties] : wanted)
    tables.aliases.add(alias, name,
                       {index.uuid(), std::make_shared<const AliasProperties>(properties)});
  const std::string* of = tables.streams.stream_of(name);
  if (of == nullptr) return;
  const std::string stream_name = *of;
  DataStream stream = *tables.streams.find(stream_name);
  for (BackingIndex& one : stream.indices)
    if (one.name == name) one.uuid = index.uuid();
  tables.streams.put(stream_name, std::move(stream));
}

}  // namespace

bool Indices::Impl::is_closed(std::string_view name, std::string_view uuid) const {
  const MutexLock lock(mutex);
  const auto found = closed.find(name);
  return found != closed.end() && found->second == uuid;
}

Status Indices::Impl::settle_closed(const os::Deadline& deadline) {
  if (!opened) return ok_status();  // each is opened as it is to be
  Status done = ok_status();
  for (const auto& index : all()) {
    const Status one = follow_closed(index, deadline);
    if (!one.ok()) done = one;
  }
  return done;
}

Status Indices::Impl::follow_closed(const std::shared_ptr<Index>& index,
                                    const os::Deadline& deadline) {
  const bool wanted = is_closed(index->name(), index->uuid());
  bool loaded = false;  // of a closed one: documents are in memory still
  {
    const MutexLock lock(index->impl_->state_mutex);
    loaded = index->impl_->loaded;
    if (index->impl_->closed == wanted && loaded != wanted) return ok_status();
  }
  if (!wanted && loaded) {
    index->impl_->set_closed(false);  // a close that did not come to be
    return ok_status();
  }
  if (wanted && loaded) {
    index->impl_->set_closed(true);
    CAIRN_CHECK(index->impl_->close_down(deadline));
  }
  CAIRN_TRY(const auto next, read_again(*index, !wanted, deadline));
  const MutexLock lock(mutex);
  const auto place = indices.find(index->name());
  if (place != indices.end() && place->second == index) place->second = next;
  return ok_status();
}

Result<std::shared_ptr<Index>> Indices::Impl::read_again(const Index& index, bool open,
                                                         const os::Deadline& deadline) {
  auto inside = std::make_unique<Index::Impl>(shared_owner, index.name(), index.uuid());
  inside->pins = index.impl_->pins;
  CAIRN_CHECK(open ? inside->open(deadline) : inside->open_closed(deadline));
  return std::make_shared<Index>(std::move(inside));
}

Result<std::vector<std::shared_ptr<Index>>> Indices::Impl::indices_to_close(
    const std::vector<std::string>& names) const {
  std::vector<std::shared_ptr<Index>> out;
  for (const std::string& name : names) {
    CAIRN_CHECK(check_not_written(name, "closed"));
    const MutexLock lock(mutex);
    if (attached.contains(name)) return read_only_index(name);
    const auto found = indices.find(name);
    if (found == indices.end()) {
      const auto damaged = broken.find(name);
      return damaged != broken.end() ? damaged->second : no_such_index(name);
    }
    const auto shut = closed.find(name);
    if (shut == closed.end() || shut->second != found->second->uuid())
      out.push_back(found->second);
  }
  return out;
}

Result<std::shared_ptr<Index>> Indices::Impl::restore_over(const std::shared_ptr<Index>& old,
                                                           const Manifest& from,
                                                           const FetchObject& fetch,
                                                           const NewAliases& wanted,
                                                           const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::string& name = old->name();
  const std::string uuid = url_safe_id(shared.random.bytes(15));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, uuid);
  Status made = inside->start_restored(from, fetch, deadline);
  const std::int64_t created_ms = inside->created_ms;
  const auto index = std::make_shared<Index>(std::move(inside));
  bool may_be_there = false;
  if (made.ok()) {
    const MutexLock lock(naming);
    made = [&]() CAIRN_REQUIRES(naming) -> Status {
      CAIRN_CHECK(settle(deadline));
      if (!is_closed(name, old->uuid())) return index_exists(name, old->uuid());
      CAIRN_CHECK(check_restored_aliases(name, wanted));
      NamesRecord record{.tables = live_names(), .removed = {}, .added = {}};
      record.tables.closed.erase(name);
      rename_uuid(record.tables, *index, wanted);
      record.removed.emplace(name, old->uuid());
      record.added.emplace(name, NewName{.uuid = uuid, .created_ms = created_ms});
      return change_names(std::move(record), {index}, deadline);
    }();
    may_be_there = names_record.must_load();
  }
  if (!made.ok()) {
    if (!may_be_there) (void)drop_data(uuid, os::Deadline::in_ms(5000)).ok();
    return made.error();
  }
  let_go(old, deadline);
  return index;
}

Status Indices::Impl::check_restored_aliases(const std::string& name,
                                             const NewAliases& wanted) const {
  const MutexLock lock(mutex);
  if (const std::string* stream = streams->stream_of(name); stream != nullptr && !wanted.empty())
    return illegal_argument("index [" + name + "] is of data stream [" + *stream +
                            "], and the snapshot has aliases of it; restore it with "
                            "[include_aliases] false, or under another name");
  return check_aliases_free(name, wanted);
}

Status Indices::close(const std::vector<std::string>& names, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const auto found, impl_->indices_to_close(names));
  if (found.empty()) return ok_status();
  const auto open_again = [&] {
    for (const auto& index : found) index->impl_->set_closed(false);
  };
  // What takes long, a merge that ends, keeps no other name from changing.
  for (const auto& index : found) {
    index->impl_->set_closed(true);
    const Status flushed = index->impl_->close_down(deadline);
    if (flushed.ok()) continue;
    open_again();
    return flushed;
  }
  const MutexLock lock(impl_->naming);
  const Status done = [&]() CAIRN_REQUIRES(impl_->naming) -> Status {
    CAIRN_CHECK(impl_->settle(deadline));
    NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
    for (const auto& index : found) {
      CAIRN_CHECK(impl_->check_not_written(index->name(), "closed"));
      if (index->removed()) return no_such_index(index->name());
      record.tables.closed.insert_or_assign(index->name(), index->uuid());
    }
    return impl_->change_names(std::move(record), {}, deadline);
  }();
  if (!done.ok()) {
    // Where nobody knows what is kept, they stay closed until the background has found out.
    if (!impl_->names_record.must_load()) open_again();
    return done;
  }
  if (const auto shut = impl_->settle_closed(deadline); !shut.ok())
    os::log(os::LogLevel::warn, "index", "closed_and_in_memory", {{"error", shut.error().message}});
  return ok_status();
}

Status Indices::reopen(const std::vector<std::string>& names, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  Impl::FreshIndices fresh;
  Status done = ok_status();
  for (const std::string& name : names) {
    CAIRN_TRY(const auto index, find(name));
    if (record.tables.closed.erase(name) == 0) continue;
    auto opened = impl_->read_again(*index, true, deadline);
    if (!opened.ok()) {
      done = opened.error();
      break;
    }
    fresh.push_back(std::move(*opened));
  }
  if (done.ok() && fresh.empty()) return ok_status();
  if (done.ok()) done = impl_->change_names(std::move(record), fresh, deadline);
  // They have taken the index over: what is shown of a closed one is read anew.
  if (!done.ok())
    for (const std::string& name : names)
      if (const auto index = find(name); index.ok() && (*index)->closed())
        if (auto shown = impl_->read_again(**index, false, deadline); shown.ok()) {
          const MutexLock inner(impl_->mutex);
          impl_->indices.insert_or_assign(name, std::move(*shown));
        }
  return done;
}

}  // namespace cairn::index
