// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror_sides.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "base/encode.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"

namespace cairn::os {
namespace {

constexpr std::size_t suspects_max = 10'000;

Counter& sides_lost() {
  static Counter& lost = metrics().counter("cairn_mirror_lost_sides_total",
                                           "How often a folder of the mirror was put aside");
  return lost;
}

}  // namespace

std::string_view name_of(SideState state) {
  switch (state) {
    case SideState::whole:
      return "whole";
    case SideState::filling:
      return "filling";
    case SideState::away:
      return "away";
  }
  return "away";
}

bool is_of_side(const Error& error) { return error.kind != ErrorKind::unavailable; }

MirrorSides::MirrorSides(Files& below, Random& random, Params params)
    : below_(below),
      random_(random),
      folders_(std::move(params.folders)),
      root_(params.root),
      full_bytes_(params.full_bytes) {
  for (auto& state : states_) state.store(SideState::away);
  if (params.threads == 0) return;
  pool_ = std::make_unique<Pool>(
      PoolOptions{.name = "mirror", .threads = params.threads, .queue = 4096});
}

bool MirrorSides::covers(const std::string& path) const {
  const std::string& root = this->root();
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

std::string MirrorSides::on(int side, const std::string& path) const {
  if (side == root_ || !covers(path)) return path;
  return folder(side) + path.substr(root().size());
}

std::string MirrorSides::reason(int side) const {
  const std::lock_guard lock(mutex_);
  return reasons_[index(side)];
}

MirrorMarker MirrorSides::marker(int side) const {
  const std::lock_guard lock(mutex_);
  return markers_[index(side)];
}

std::string MirrorSides::draw() { return to_hex(random_.bytes(16)); }

std::shared_lock<std::shared_mutex> MirrorSides::hold() {
  { const std::lock_guard turn(turnstile_); }
  return std::shared_lock(gate_);
}

std::unique_lock<std::shared_mutex> MirrorSides::stop_changes() {
  const std::lock_guard turn(turnstile_);
  return std::unique_lock(gate_);
}

Status MirrorSides::run(bool wide, const std::function<Status(int)>& step) {
  std::array<std::optional<Status>, 2> done;
  if (wide && pool_ && takes(0) && takes(1)) return run_wide(step, done);
  const int first = reading();
  for (const int side : {first, 1 - first})
    if (takes(side)) done[index(side)] = step(side);
  return settle(done);
}

Status MirrorSides::run_wide(const std::function<Status(int)>& step,
                             std::array<std::optional<Status>, 2>& done) {
  const int first = reading();
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  const auto other = [&] {
    Status status = step(1 - first);
    const std::lock_guard lock(mutex);
    done[index(1 - first)] = std::move(status);
    ended = true;
    changed.notify_one();
  };
  const bool handed = pool_->submit(other).ok();
  done[index(first)] = step(first);
  if (!handed) other();
  const Blocking waiting;
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended; });
  lock.unlock();
  return settle(done);
}

Status MirrorSides::settle(const std::array<std::optional<Status>, 2>& done) {
  const auto failed = [&](int side) {
    const auto& status = done[index(side)];
    if (!status || status->ok()) return false;
    return is_whole(side) || status->error().kind != ErrorKind::not_found;
  };
  if (!failed(0) && !failed(1)) {
    // Where both lack it, the answer is that of a whole side.
    for (const int side : {0, 1})
      if (done[index(side)] && !done[index(side)]->ok() && is_whole(side))
        return *done[index(side)];
    return ok_status();
  }
  const auto did = [&](int side) {
    return done[index(side)] && done[index(side)]->ok() && is_whole(side);
  };
  for (const int side : {reading(), 1 - reading()}) {
    if (!failed(side)) continue;
    const Error& error = done[index(side)]->error();
    if (!is_of_side(error)) return error;
    if (did(1 - side)) return put_aside(side, error.message);
    if (is_whole(side)) return error;
  }
  return ok_status();  // a side that is being filled failed, and the whole one took no part
}

Status MirrorSides::put_aside(int side, const std::string& why) {
  const std::lock_guard lock(mutex_);
  const SideState before = state(side);
  if (before == SideState::away) return ok_status();
  const int other = 1 - side;
  if (before == SideState::whole) {
    if (!is_whole(other))
      return Error{.kind = ErrorKind::unavailable,
                   .message = "the last whole folder of the mirror fails: " + why};
    MirrorMarker next = markers_[index(other)];
    next.go_alone(draw());
    // Before anybody is told of a change that one folder lacks.
    CAIRN_CHECK(
        replace_file(below_, folder(other) + "/" + std::string(mirror_marker_name), encode(next)));
    markers_[index(other)] = std::move(next);
  }
  reasons_[index(side)] = why;
  states_[index(side)].store(SideState::away, std::memory_order_release);
  sides_lost().add();
  os::log(LogLevel::error, "os", "mirror_side_lost",
          {{"folder", folder(side)},
           {"reason", why},
           {"advice",
            "the server goes on with the other folder alone; put the disk in order, then: "
            "cairn mirror fill"}});
  return ok_status();
}

Status MirrorSides::set_state(int side, SideState state, MirrorMarker marker, std::string reason) {
  const std::lock_guard lock(mutex_);
  CAIRN_CHECK(
      replace_file(below_, folder(side) + "/" + std::string(mirror_marker_name), encode(marker)));
  markers_[index(side)] = std::move(marker);
  reasons_[index(side)] = std::move(reason);
  states_[index(side)].store(state, std::memory_order_release);
  return ok_status();
}

void MirrorSides::begin(int side, SideState state, std::optional<MirrorMarker> marker,
                        std::string reason) {
  const std::lock_guard lock(mutex_);
  if (marker) markers_[index(side)] = std::move(*marker);
  reasons_[index(side)] = std::move(reason);
  states_[index(side)].store(state, std::memory_order_release);
}

void MirrorSides::add_open(const std::shared_ptr<OpenParts>& parts) {
  const std::lock_guard lock(lists_mutex_);
  if (open_.size() >= open_swept_) {
    std::erase_if(open_, [](const auto& each) { return each.expired(); });
    open_swept_ = std::max<std::size_t>(64, 2 * open_.size());
  }
  open_.push_back(parts);
}

std::vector<std::shared_ptr<OpenParts>> MirrorSides::open_parts() {
  const std::lock_guard lock(lists_mutex_);
  std::vector<std::shared_ptr<OpenParts>> all;
  for (const auto& each : open_)
    if (auto parts = each.lock()) all.push_back(std::move(parts));
  return all;
}

std::shared_ptr<OpenParts> MirrorSides::open_part(const std::string& path) {
  for (auto& parts : open_parts())
    if (parts->name() == path) return parts;
  return nullptr;
}

void MirrorSides::suspect(const std::string& path) {
  const std::lock_guard lock(lists_mutex_);
  if (suspects_.size() < suspects_max) suspects_.insert(path);
}

std::set<std::string> MirrorSides::take_suspects() {
  const std::lock_guard lock(lists_mutex_);
  return std::exchange(suspects_, {});
}

void MirrorSides::owe(const std::string& path) {
  const std::lock_guard lock(lists_mutex_);
  owed_.insert(path);
}

std::set<std::string> MirrorSides::take_owed() {
  const std::lock_guard lock(lists_mutex_);
  return std::exchange(owed_, {});
}

bool MirrorSides::owes_nothing() {
  const std::lock_guard lock(lists_mutex_);
  return owed_.empty();
}

Status MirrorSides::lock_folder(int side) {
  const std::lock_guard lock(locks_mutex_);
  const std::string path = folder(side) + "/LOCK";
  auto& held = locks_[index(side)];
  if (held) {
    const auto mine = held->info();
    const auto named = below_.info(path);
    if (mine.ok() && named.ok() && mine->id == named->id) return ok_status();
  }
  CAIRN_TRY(held, below_.lock(path));
  return ok_status();
}

void MirrorSides::unlock_folder(int side) {
  const std::lock_guard lock(locks_mutex_);
  locks_[index(side)] = nullptr;
}

Result<FileInfo> MirrorSides::lock_info(int side) {
  const std::lock_guard lock(locks_mutex_);
  if (locks_[index(side)]) return locks_[index(side)]->info();
  return Error{.kind = ErrorKind::not_found, .message = "[" + folder(side) + "] is not locked"};
}

Result<std::uint64_t> MirrorSides::free_bytes() {
  const auto ask = [&](int side) { return below_.free_bytes(folder(side)); };
  const int first = reading();
  if (!both_whole()) return ask(first);
  const auto mine = ask(first);
  const auto other = ask(1 - first);
  if (!mine.ok() && !other.ok()) return mine.error();
  for (const int side : {first, 1 - first}) {
    const auto& free = side == first ? mine : other;
    const auto& else_free = side == first ? other : mine;
    if (!free.ok()) {
      if (is_of_side(free.error())) CAIRN_CHECK(put_aside(side, free.error().message));
      return *else_free;
    }
    if (*free >= full_bytes_ || !else_free.ok() || *else_free < 2 * full_bytes_) continue;
    CAIRN_CHECK(put_aside(side, "[" + folder(side) + "] has " + std::to_string(*free >> 20) +
                                    " MiB left: it is full, and the other folder is not"));
    return *else_free;
  }
  return std::min(*mine, *other);
}

}  // namespace cairn::os
