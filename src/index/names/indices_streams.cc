// SPDX-License-Identifier: Apache-2.0
// Data streams of the catalogue, and rollovers: a new index and what names it come at one moment.
//
// Where the process ends before the record of names is put, there is neither: the data of the new
// index is deleted at the next start. Behind it there are both.
#include <algorithm>

#include "base/ids.h"
#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/settings/settings.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

Error stream_exists(std::string_view name) {
  return {.kind = ErrorKind::already_exists,
          .code = "resource_already_exists_exception",
          .message = "data_stream [" + std::string(name) + "] already exists"};
}

Error stream_missing(std::string_view name) {
  return illegal_argument("data stream [" + std::string(name) + "] not found");
}

Error lost_rollover(const RolloverPlan& plan) {
  return {.kind = ErrorKind::conflict,
          .code = "illegal_state_exception",
          .message = "[" + plan.name + "] does not write to [" + plan.old_index +
                     "] any more: another rollover came first; look at it again"};
}

/// The write index of an alias, and whether the alias says so.
struct AliasWriteIndex {
  std::string index;
  bool is_explicit = false;
};

std::optional<AliasWriteIndex> write_index_of(const AliasTable::Members& members) {
  for (const auto& [index, member] : members)
    if (member.properties->is_write_index.value_or(false)) return AliasWriteIndex{index, true};
  if (members.size() == 1 && !members.begin()->second.properties->is_write_index.has_value())
    return AliasWriteIndex{members.begin()->first, false};
  return std::nullopt;
}

/// The alias as it is behind a rollover: over both where it names the index that is written to,
/// else moved to the new one.
void roll_alias(AliasTable& table, const RolloverPlan& plan, const std::string& uuid) {
  const AliasTable::Members members = *table.find(plan.name);
  const AliasMember& old = members.find(plan.old_index)->second;
  AliasProperties fresh = *old.properties;
  if (write_index_of(members)->is_explicit) {
    AliasProperties rest = fresh;
    rest.is_write_index = false;
    table.add(plan.name, plan.old_index,
              {old.uuid, std::make_shared<const AliasProperties>(std::move(rest))});
    fresh.is_write_index = true;
  } else {
    table.remove(plan.name, plan.old_index);
  }
  table.add(plan.name, plan.new_index,
            {uuid, std::make_shared<const AliasProperties>(std::move(fresh))});
}

/// Makes an index one of a stream: its documents need a time, and patterns pass over it.
Status dress(Index& index, const os::Deadline& deadline) {
  CAIRN_CHECK(index.put_mapping(
      Json::object({{"_data_stream_timestamp", Json::object({{"enabled", true}})}}), deadline));
  return index.put_settings(Json::object({{"index.hidden", true}}), deadline);
}

Status check_timestamp(const Index& index, std::string_view stream) {
  const Field* field = index.mapping()->find(timestamp_field_name);
  if (field != nullptr && field->type == FieldType::date) return ok_status();
  return illegal_argument("data stream timestamp field [@timestamp] of index [" + index.name() +
                          "] is no date, so it cannot be of data stream [" + std::string(stream) +
                          "]");
}

}  // namespace

Result<std::shared_ptr<Index>> Indices::Impl::add_with_names(
    const std::string& name, const IndexDefinition& definition, const CheckIndex& check,
    const os::Deadline& deadline,
    const std::function<Result<NameTables>(const Index& fresh, NameTables now)>& change) {
  const os::Blocking blocking;
  CAIRN_CHECK(check_name_free(name, definition.aliases));
  const std::string uuid = url_safe_id(shared.random.bytes(15));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, uuid);
  Status made = inside->start_new(definition.mappings, definition.settings, deadline);
  const std::int64_t created_ms = inside->created_ms;
  const auto index = std::make_shared<Index>(std::move(inside));
  if (made.ok() && check) made = check(*index);
  bool may_be_there = false;
  if (made.ok()) {
    const MutexLock lock(naming);
    made = [&]() CAIRN_REQUIRES(naming) -> Status {
      CAIRN_CHECK(settle(deadline));
      CAIRN_CHECK(check_name_free(name, definition.aliases));  // somebody may have come first
      CAIRN_TRY(NameTables next, change(*index, live_names()));
      for (const auto& [alias, properties] : definition.aliases)
        next.aliases.add(alias, name,
                         {uuid, std::make_shared<const AliasProperties>(properties)});
      NamesRecord record{.tables = std::move(next), .removed = {}, .added = {}};
      record.added.emplace(name, NewName{.uuid = uuid, .created_ms = created_ms});
      return change_names(std::move(record), {index}, deadline);
    }();
    may_be_there = names_record.must_load();
  }
  if (made.ok()) return index;
  // What cannot be deleted now is deleted at the next start.
  if (!may_be_there) (void)drop_data(uuid, os::Deadline::in_ms(5000)).ok();
  return made.error();
}

Status Indices::create_data_stream(std::string_view name, const os::Deadline& deadline) {
  CAIRN_CHECK(check_data_stream_name(name));
  if (data_streams()->find(name) != nullptr) return stream_exists(name);
  CAIRN_TRY(const TemplatedIndex found, templated(name, {}));
  if (found.template_name.empty())
    return illegal_argument("no matching index template found for data stream [" +
                            std::string(name) + "]");
  if (!found.data_stream)
    return illegal_argument("matching index template [" + found.template_name +
                            "] for data stream [" + std::string(name) +
                            "] has no data stream template");
  if (is_alias(name))
    return illegal_argument("data stream [" + std::string(name) + "] conflicts with alias");
  if (find(name).ok())
    return illegal_argument("data stream [" + std::string(name) + "] conflicts with index");
  // An index of that name may be left of a stream before.
  std::int64_t generation = 0;
  std::string index_name;
  do
    index_name = backing_index_name(name, ++generation, impl_->shared.clock.unix_ms());
  while (knows(index_name));
  const auto check = [&](const Index& index) { return check_timestamp(index, name); };
  auto made = impl_->add_with_names(
      index_name, found.definition, check, deadline,
      [&](const Index& fresh, NameTables now) -> Result<NameTables> {
        if (now.streams.find(name) != nullptr) return stream_exists(name);
        if (now.aliases.find(name) != nullptr || impl_->is_taken(name))
          return illegal_argument("data stream [" + std::string(name) + "] conflicts with index");
        now.streams.put(std::string(name),
                        {.indices = {{.name = fresh.name(), .uuid = fresh.uuid()}},
                         .generation = generation,
                         .hidden = found.data_stream->hidden,
                         .allow_custom_routing = found.data_stream->allow_custom_routing});
        return now;
      });
  return made.ok() ? ok_status() : Status(made.error());
}

Status Indices::remove_data_streams(const std::vector<std::string>& names,
                                    const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  for (const std::string& name : names) {
    const DataStream* stream = record.tables.streams.find(name);
    if (stream == nullptr) continue;
    for (const BackingIndex& one : stream->indices) {
      CAIRN_TRY(const auto index, find(one.name));
      CAIRN_CHECK(index->check_open_to(Change::removal));
      record.removed.emplace(one.name, one.uuid);
    }
    record.tables.streams.remove(name);
  }
  if (record.removed.empty()) return ok_status();
  return impl_->change_names(std::move(record), {}, deadline);
}

Status Indices::restore_data_stream(const std::string& name, DataStream stream,
                                    const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  if (record.tables.streams.find(name) != nullptr ||
      record.tables.aliases.find(name) != nullptr || impl_->is_taken(name))
    return stream_exists(name);
  for (BackingIndex& one : stream.indices) {
    CAIRN_TRY(const auto index, find(one.name));
    one.uuid = index->uuid();
  }
  record.tables.streams.put(name, std::move(stream));
  return impl_->change_names(std::move(record), {}, deadline);
}

Status Indices::change_data_streams(std::span<const StreamChange> changes,
                                    const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  StreamTable& streams = record.tables.streams;
  for (const StreamChange& change : changes) {
    const DataStream* found = streams.find(change.data_stream);
    if (found == nullptr) return stream_missing(change.data_stream);
    DataStream stream = *found;
    CAIRN_TRY(const auto index, find(change.index));
    const std::string* of = streams.stream_of(change.index);
    if (change.adds) {
      if (of != nullptr && *of == change.data_stream) continue;
      if (of != nullptr)
        return illegal_argument("cannot add index [" + change.index + "] to data stream [" +
                                change.data_stream + "]: it is of data stream [" + *of + "]");
      if (!record.tables.aliases.of_index(change.index).empty())
        return illegal_argument("cannot add index [" + change.index + "] to data stream [" +
                                change.data_stream + "] until its aliases are removed");
      if (index->read_only_) return read_only_index(change.index);
      CAIRN_CHECK(check_timestamp(*index, change.data_stream));
      stream.indices.insert(stream.indices.begin(), {.name = index->name(), .uuid = index->uuid()});
    } else {
      if (of == nullptr || *of != change.data_stream)
        return illegal_argument("index [" + change.index + "] not found in data stream [" +
                                change.data_stream + "]");
      if (stream.write_index() == change.index)
        return illegal_argument("cannot remove backing index [" + change.index +
                                "] of data stream [" + change.data_stream +
                                "] because it is the write index of the data stream");
      std::erase_if(stream.indices, [&](const auto& one) { return one.name == change.index; });
    }
    streams.put(change.data_stream, std::move(stream));
  }
  for (const StreamChange& change : changes) {
    CAIRN_TRY(const auto index, find(change.index));
    CAIRN_CHECK(change.adds
                    ? dress(*index, deadline)
                    : index->put_settings(Json::object({{"index.hidden", nullptr}}), deadline));
  }
  return impl_->change_names(std::move(record), {}, deadline);
}

Status Indices::migrate_to_data_stream(std::string_view alias, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const TemplatedIndex found, templated(alias, {}));
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  const AliasTable::Members* members = record.tables.aliases.find(alias);
  if (members == nullptr)
    return illegal_argument("alias [" + std::string(alias) + "] does not exist");
  if (!found.data_stream)
    return illegal_argument("no matching index template with a data_stream found for [" +
                            std::string(alias) + "]");
  const auto writes = write_index_of(*members);
  if (!writes)
    return illegal_argument("alias [" + std::string(alias) + "] must specify a write index");
  DataStream stream{.indices = {},
                    .generation = static_cast<std::int64_t>(members->size()),
                    .hidden = found.data_stream->hidden,
                    .allow_custom_routing = found.data_stream->allow_custom_routing};
  for (const auto& [name, member] : *members) {
    if (!member.properties->filter.is_null() || !member.properties->index_routing.empty() ||
        !member.properties->search_routing.empty())
      return illegal_argument("alias [" + std::string(alias) +
                              "] may not have custom filtering or routing");
    if (record.tables.aliases.of_index(name).size() > 1)
      return illegal_argument("other aliases referencing index [" + name +
                              "] must be removed before migrating to a data stream");
    CAIRN_TRY(const auto index, find(name));
    CAIRN_CHECK(check_timestamp(*index, alias));
    stream.indices.push_back({.name = name, .uuid = member.uuid});
  }
  for (const BackingIndex& one : stream.indices) {
    CAIRN_TRY(const auto index, find(one.name));
    CAIRN_CHECK(dress(*index, deadline));
  }
  std::stable_partition(stream.indices.begin(), stream.indices.end(),
                        [&](const auto& one) { return one.name != writes->index; });
  for (const BackingIndex& one : stream.indices) record.tables.aliases.remove(alias, one.name);
  record.tables.streams.put(std::string(alias), std::move(stream));
  return impl_->change_names(std::move(record), {}, deadline);
}

Result<RolloverPlan> Indices::plan_rollover(std::string_view name,
                                            std::string_view new_index) const {
  RolloverPlan out{.name = std::string(name),
                   .is_stream = false,
                   .old_index = {},
                   .new_index = std::string(new_index)};
  const auto streams = data_streams();
  if (const DataStream* stream = streams->find(name)) {
    if (!new_index.empty())
      return illegal_argument("new index name may not be specified when rolling over a data stream");
    out.is_stream = true;
    out.old_index = stream->write_index();
    // An index of that name may be there, restored or of a stream before.
    out.generation = stream->generation;
    do
      out.new_index = backing_index_name(name, ++out.generation, impl_->shared.clock.unix_ms());
    while (knows(out.new_index));
    return out;
  }
  const auto table = aliases();
  const AliasTable::Members* members = table->find(name);
  if (members == nullptr)
    return illegal_argument(find(name).ok()
                                ? "rollover target is a [concrete index] but one of "
                                  "[alias,data_stream] was expected"
                                : "rollover target [" + out.name + "] does not exist");
  const auto writes = write_index_of(*members);
  if (!writes)
    return illegal_argument("rollover target [" + out.name + "] does not point to a write index");
  out.old_index = writes->index;
  if (new_index.empty()) {
    CAIRN_TRY(out.new_index, next_index_name(out.old_index));
  }
  CAIRN_CHECK(check_new_name(out.new_index));
  return out;
}

Status Indices::roll_over(const RolloverPlan& plan, const IndexDefinition& definition,
                          const os::Deadline& deadline, const CheckIndex& check) {
  for (const auto& [alias, properties] : definition.aliases)
    if (alias == plan.name)
      return illegal_argument("Rollover alias [" + plan.name +
                              "] can point to multiple indices, found duplicated alias [" + alias +
                              "] in index template [" + plan.new_index + "]");
  const auto checked = [&](const Index& index) -> Status {
    if (plan.is_stream) CAIRN_CHECK(check_timestamp(index, plan.name));
    return check ? check(index) : ok_status();
  };
  auto made = impl_->add_with_names(
      plan.new_index, definition, checked, deadline,
      [&](const Index& fresh, NameTables now) -> Result<NameTables> {
        if (plan.is_stream) {
          const DataStream* found = now.streams.find(plan.name);
          if (found == nullptr || found->write_index() != plan.old_index)
            return lost_rollover(plan);
          DataStream stream = *found;
          stream.indices.push_back({.name = fresh.name(), .uuid = fresh.uuid()});
          stream.generation = plan.generation;
          stream.rollover_on_write = false;
          now.streams.put(plan.name, std::move(stream));
          return now;
        }
        const AliasTable::Members* members = now.aliases.find(plan.name);
        const auto writes = members == nullptr ? std::nullopt : write_index_of(*members);
        if (!writes || writes->index != plan.old_index) return lost_rollover(plan);
        roll_alias(now.aliases, plan, fresh.uuid());
        return now;
      });
  return made.ok() ? ok_status() : Status(made.error());
}

Status Indices::mark_rollover(const std::string& name, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_CHECK(impl_->settle(deadline));
  NamesRecord record{.tables = impl_->live_names(), .removed = {}, .added = {}};
  const DataStream* found = record.tables.streams.find(name);
  if (found == nullptr) return stream_missing(name);
  if (found->rollover_on_write) return ok_status();
  DataStream stream = *found;
  stream.rollover_on_write = true;
  record.tables.streams.put(name, std::move(stream));
  return impl_->change_names(std::move(record), {}, deadline);
}

Status Indices::roll_over_if_marked(std::string_view name, const os::Deadline& deadline) {
  const auto marked = [&] {
    const auto streams = data_streams();
    const DataStream* stream = streams->find(name);
    return stream != nullptr && stream->rollover_on_write;
  };
  if (!marked()) return ok_status();
  CAIRN_TRY(const RolloverPlan plan, plan_rollover(name, {}));
  CAIRN_TRY(const TemplatedIndex found, templated(name, {}));
  const Status rolled = roll_over(plan, found.definition, deadline);
  // Another document may have come first.
  return rolled.ok() || !marked() ? ok_status() : rolled;
}

}  // namespace cairn::index
