// SPDX-License-Identifier: Apache-2.0
// An index that another process writes: its manifest and its log are read, and nothing is changed.
//
// What the log has is found in order, so an object that is not there is its end, unless a flush has
// deleted it meanwhile. A flush puts another CURRENT first: where that is still the one whose
// manifest was read, after the object was asked for, nothing of the log had been deleted then.
#include "index/engine/index_impl.h"
#include "index/errors.h"

namespace cairn::index {

Result<Index::Impl::Reached> Index::Impl::open_replica(const OpenSegments& known,
                                                       const os::Deadline& deadline) {
  const std::int64_t begun_ms = shared.clock.unix_ms();
  CAIRN_CHECK(load_manifest(deadline, known));
  {
    const MutexLock lock(state_mutex);
    applied = floor;
  }
  CAIRN_TRY(const Reached reached, catch_up(deadline));
  const MutexLock lock(state_mutex);
  if (current_view == nullptr) current_view = make_view();
  recovery.kind = Recovery::Kind::opened;
  recovery.begun_ms = begun_ms;
  recovery.ended_ms = shared.clock.unix_ms();
  return reached;
}

Result<Index::Impl::Reached> Index::Impl::catch_up(const os::Deadline& deadline) {
  CAIRN_TRY(const Reached reached, read_log(deadline));
  if (reached == Reached::republished) return reached;
  {
    const MutexLock lock(state_mutex);
    tombstones.clear();  // versions are given by who writes
    if (!has_news() && current_view != nullptr) return reached;
  }
  CAIRN_CHECK(refresh(deadline));
  return reached;
}

Result<Index::Impl::Reached> Index::Impl::read_log(const os::Deadline& deadline) {
  LogPosition at;
  {
    const MutexLock lock(state_mutex);
    at = applied;
  }
  for (;;) {
    ++at.number;
    const std::string object = key(log_key(at));
    auto found = shared.store.get(object, deadline);
    if (found.ok()) {
      CAIRN_TRY(LogObject log, decode_log(found->bytes, object));
      if (log.fence) {
        at = {.epoch = at.epoch + 1, .number = 0};
        const MutexLock lock(state_mutex);
        applied = at;
      } else {
        CAIRN_CHECK(replay_object(found->bytes, std::move(log), deadline));
      }
      continue;
    }
    if (found.error().kind != ErrorKind::not_found) return std::move(found).error();
    CAIRN_TRY(const auto reached, end_of_log(deadline));
    if (reached) return *reached;
    --at.number;  // another owner, and no other manifest: it may have written there since
  }
}

// What an object that is missing means. Nothing: it is to be asked for again.
Result<std::optional<Index::Impl::Reached>> Index::Impl::end_of_log(const os::Deadline& deadline) {
  const std::string current_key = key("CURRENT");
  CAIRN_TRY(const auto head, shared.store.head(current_key, deadline));
  if (head && head->etag == current_etag) return std::optional(Reached::all);
  auto found = shared.store.get(current_key, deadline);
  if (!found.ok() && found.error().kind == ErrorKind::not_found)
    return corrupt_object(current_key, "it is missing");
  if (!found.ok()) return std::move(found).error();
  CAIRN_TRY(Current now, Current::decode(found->bytes, current_key));
  if (now.manifest != current.manifest) return std::optional(Reached::republished);
  set_current(std::move(now), std::move(found->info.etag));
  return std::optional<Reached>();
}

bool Index::Impl::is_superseded(const os::Deadline& deadline) {
  const auto head = shared.store.head(key("CURRENT"), deadline);
  return head.ok() && *head && (*head)->etag != current_etag;
}

Index::Impl::OpenSegments Index::Impl::open_segments() {
  OpenSegments out;
  const MutexLock lock(state_mutex);
  for (const auto& s : segments)
    if (s->persisted) out.emplace(s->entry.object.name, s->segment);
  return out;
}

}  // namespace cairn::index
