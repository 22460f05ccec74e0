// SPDX-License-Identifier: Apache-2.0
// The face of one index.
#include <algorithm>

#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "index/settings/settings.h"
#include "os/threads/blocking.h"

namespace cairn::index {

struct Checkpoint::State {
  std::string name, uuid, prefix;
  Json manifest;
  std::vector<CheckpointObject> objects;
  store::Store* store = nullptr;  // outlives every checkpoint
  std::shared_ptr<ObjectPins> pins;

  ~State() {
    if (pins == nullptr) return;
    const MutexLock lock(pins->mutex);
    for (const CheckpointObject& object : objects) {
      const auto at = pins->keys.find(object.name);
      if (at != pins->keys.end()) pins->keys.erase(at);
    }
  }
};

Checkpoint::Checkpoint(std::shared_ptr<const State> state) : state_(std::move(state)) {}
const std::string& Checkpoint::index_name() const { return state_->name; }
const std::string& Checkpoint::index_uuid() const { return state_->uuid; }
const Json& Checkpoint::manifest() const { return state_->manifest; }
const std::vector<CheckpointObject>& Checkpoint::objects() const { return state_->objects; }

Result<std::string> Checkpoint::read(std::string_view object, std::uint64_t offset,
                                     std::uint64_t count, const os::Deadline& deadline) const {
  const bool known = std::any_of(state_->objects.begin(), state_->objects.end(),
                                 [&](const CheckpointObject& o) { return o.name == object; });
  if (!known)
    return Error{.kind = ErrorKind::not_found,
                 .message = "object [" + std::string(object) + "] is not of this checkpoint"};
  const os::Blocking blocking;
  CAIRN_TRY(auto found, state_->store->get(state_->prefix + std::string(object), deadline,
                                           {.offset = offset, .count = count}));
  return std::move(found.bytes);
}

Result<Checkpoint> Index::Impl::checkpoint(const os::Deadline& deadline) {
  const os::Blocking blocking;
  const Haste haste(in_haste);
  const MutexLock one_at_a_time(publish_mutex);
  bool whole = true;
  {
    const MutexLock lock(state_mutex);
    whole = loaded;
  }
  auto state = std::make_shared<Checkpoint::State>();
  Manifest manifest;
  if (whole) {
    CAIRN_CHECK(flush_locked(deadline));
    LogPosition keep;
    {
      const MutexLock lock(state_mutex);
      keep = floor;
    }
    CAIRN_TRY(manifest, manifest_now(keep, {}));
  } else {
    CAIRN_TRY(manifest, stored_manifest(deadline));
    manifest.note.clear();
  }
  // What counts is the content: two checkpoints of an unchanged index are equal.
  manifest.version = current.version;
  state->name = name;
  state->uuid = uuid;
  state->prefix = prefix;
  state->manifest = manifest.to_json();
  state->store = &shared.store;
  const auto add = [&](const ObjectEntry& entry) {
    state->objects.push_back(
        {.name = entry.name, .size_bytes = entry.size_bytes, .crc32c = entry.crc32c});
  };
  for (const SegmentEntry& entry : manifest.segments) {
    add(entry.object);
    if (!entry.deletes.name.empty()) add(entry.deletes);
  }
  {
    const MutexLock lock(pins->mutex);
    for (const CheckpointObject& object : state->objects) pins->keys.insert(object.name);
  }
  state->pins = pins;
  return Checkpoint(std::shared_ptr<const Checkpoint::State>(std::move(state)));
}

std::string_view name_of(WriteResult::Outcome outcome) {
  switch (outcome) {
    case WriteResult::Outcome::created:
      return "created";
    case WriteResult::Outcome::updated:
      return "updated";
    case WriteResult::Outcome::deleted:
      return "deleted";
    case WriteResult::Outcome::not_found:
      return "not_found";
    case WriteResult::Outcome::noop:
      return "noop";
  }
  return "noop";
}

Index::Index(std::shared_ptr<Impl> impl, bool read_only)
    : impl_(std::move(impl)), read_only_(read_only) {}
Index::~Index() = default;

std::shared_ptr<Index> Index::read_only_face() const {
  return std::make_shared<Index>(impl_, true);
}

std::optional<Error> Index::read_only_block() const {
  if (!read_only_) return std::nullopt;
  return read_only_index(impl_->name);
}

const std::string& Index::name() const { return impl_->name; }
const std::string& Index::uuid() const { return impl_->uuid; }
std::int64_t Index::created_ms() const { return impl_->created_ms; }
bool Index::removed() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->removed;
}

bool Index::closed() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->closed;
}

std::shared_ptr<const Mapping> Index::mapping() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->mapping;
}

Json Index::settings() const {
  const MutexLock lock(impl_->state_mutex);
  return shown_settings(impl_->settings, impl_->name, impl_->uuid, impl_->created_ms);
}

std::optional<std::string> Index::setting_text(std::string_view name) const {
  const MutexLock lock(impl_->state_mutex);
  return index::setting(impl_->settings, name);
}

std::vector<std::string> Index::setting_texts(std::string_view name) const {
  const MutexLock lock(impl_->state_mutex);
  return index::setting_list(impl_->settings, name);
}

std::uint64_t Index::setting_number(std::string_view name) const {
  const MutexLock lock(impl_->state_mutex);
  return index::setting_number(impl_->settings, name);
}

Status Index::check_open_to(Change change) const {
  if (auto block = read_only_block()) return *std::move(block);
  const MutexLock lock(impl_->state_mutex);
  auto block = blocked(impl_->settings, impl_->name, change);
  if (block) return *std::move(block);
  return ok_status();
}

Status Index::check_routing(std::string_view id, std::string_view routing) const {
  if (!routing.empty() || !mapping()->routing_required()) return ok_status();
  return routing_missing(impl_->name, id);
}

Status Index::put_mapping(const Json& change, const os::Deadline& deadline) {
  if (!change.is_object()) return illegal_argument("a mapping must be an object");
  CAIRN_CHECK(check_open_to(Change::mapping));
  auto batch = std::make_shared<Batch>();
  batch->deadline = deadline;
  batch->mapping_change = change;
  return impl_->submit(batch);
}

Status Index::put_settings(const Json& change, const os::Deadline& deadline) {
  if (auto block = read_only_block()) return *std::move(block);
  CAIRN_TRY(Json normal, normalise_settings(change));
  if (closed()) return impl_->change_closed_settings(normal, deadline);
  auto batch = std::make_shared<Batch>();
  batch->deadline = deadline;
  batch->settings_change = std::move(normal);
  return impl_->submit(batch);
}

Result<std::vector<WriteResult>> Index::write(std::span<const WriteOperation> operations,
                                              const os::Deadline& deadline) {
  if (const auto block = read_only_block()) {
    std::vector<WriteResult> refused;
    refused.reserve(operations.size());
    for (const WriteOperation& operation : operations)
      refused.push_back({.id = operation.id, .error = block});
    return refused;
  }
  return impl_->write(operations, deadline);
}

Status Index::follow(std::vector<ParsedOperation>& operations, std::string note,
                     const os::Deadline& deadline) {
  if (auto block = read_only_block()) return *std::move(block);
  return impl_->follow(operations, std::move(note), deadline);
}

std::string Index::note() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->note;
}

std::string Index::kept_note() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->flushed_note;
}

Result<std::optional<StoredDocument>> Index::get(std::string_view id,
                                                 const os::Deadline& deadline) {
  return impl_->get(id, deadline);
}

std::shared_ptr<const View> Index::view() { return impl_->view(); }
Status Index::refresh(const os::Deadline& deadline) { return impl_->refresh(deadline); }

Status Index::refresh_for_searches(const os::Deadline& deadline) {
  return impl_->refresh_for_searches(deadline);
}

Status Index::wait_for_refresh(const os::Deadline& deadline) {
  Impl& impl = *impl_;
  std::uint64_t wanted = 0;
  bool waits = false;
  {
    const MutexLock lock(impl.state_mutex);
    if (impl.is_gone()) return impl.gone();
    wanted = impl.writes;
    // Where nothing refreshes by itself, waiting would be for ever.
    waits = impl.shared.options.background && refresh_interval_ms(impl.settings).value_or(1) >= 0;
  }
  if (!waits) return impl.refresh(deadline);
  bool reached = false;
  {
    const os::Blocking blocking;
    MutexLock lock(impl.state_mutex);
    if (impl.refreshed >= wanted) return ok_status();
    ++impl.refresh_waiters;
    impl.shared.wake();
    reached = os::wait(impl.state_changed, lock, deadline, [&]() CAIRN_REQUIRES(impl.state_mutex) {
      return impl.refreshed >= wanted || impl.is_gone();
    });
    --impl.refresh_waiters;
    if (impl.is_gone()) return impl.gone();
  }
  if (reached) return ok_status();
  CAIRN_CHECK(deadline.check("waiting for a refresh of index [" + impl.name + "]"));
  return ok_status();
}

Status Index::flush(const os::Deadline& deadline) { return impl_->flush(deadline); }

Status Index::expunge_deletes(const os::Deadline& deadline) {
  return impl_->expunge_deletes(deadline);
}

Status Index::force_merge(std::size_t segments, const os::Deadline& deadline) {
  return impl_->force_merge(segments, deadline);
}

void Index::clear_filters() { view()->clear_filters(); }

Status Index::maintain(const os::Deadline& deadline) { return impl_->maintain(deadline); }

Result<Checkpoint> Index::checkpoint(const os::Deadline& deadline) {
  return impl_->checkpoint(deadline);
}

Recovery Index::recovery() const {
  const MutexLock lock(impl_->state_mutex);
  return impl_->recovery;
}

IndexStatistics Index::statistics() const { return impl_->statistics(); }

}  // namespace cairn::index
