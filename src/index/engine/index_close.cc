// SPDX-License-Identifier: Apache-2.0
// An index that is closed: all of it lies in the store, and only its mapping and settings are
// shown.
#include "index/definition.h"
#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "index/settings/settings.h"
#include "os/threads/blocking.h"

namespace cairn::index {

void Index::Impl::set_closed(bool shut) {
  const MutexLock lock(state_mutex);
  closed = shut;
  state_changed.notify_all();
}

Status Index::Impl::close_down(const os::Deadline& deadline) {
  const os::Blocking blocking;
  const Haste haste(in_haste);
  // A merge that is under way ends first; a later one sees that the index is closed.
  const MutexLock one_at_a_time(publish_mutex);
  return flush_locked(deadline);
}

Status Index::Impl::open_closed(const os::Deadline& deadline) {
  set_closed(true);
  CAIRN_CHECK(read_manifest(deadline));
  const MutexLock lock(state_mutex);
  loaded = false;
  current_view = make_view();
  return ok_status();
}

Result<Manifest> Index::Impl::stored_manifest(const os::Deadline& deadline) {
  const std::string manifest_key = key(current.manifest);
  CAIRN_TRY(const auto found, shared.store.get(manifest_key, deadline));
  return decode_manifest(found.bytes, current.manifest, manifest_key);
}

Status Index::Impl::change_closed_settings(const Json& change, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const Haste haste(in_haste);
  const MutexLock one_at_a_time(publish_mutex);
  CAIRN_TRY(Manifest next, stored_manifest(deadline));
  CAIRN_TRY(next.settings, change_any_setting(next.settings, change));
  CAIRN_TRY(auto checked, check_kept_definition(next.mapping, next.settings));
  next.version = ++last_version;
  CAIRN_CHECK(publish(next, deadline));
  const MutexLock lock(state_mutex);
  settings = next.settings;
  mapping = std::move(checked.mapping);
  return ok_status();
}

}  // namespace cairn::index
