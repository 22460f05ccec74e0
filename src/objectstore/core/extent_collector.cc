// SPDX-License-Identifier: Apache-2.0
// The collector of core.h: what goes on behind the requests.
#include "objectstore/core/core.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

/// What the disk and the metadata are like, for the graphs of an operator.
void show(const RocksKv& kv, const EngineOptions& options, std::size_t waiting) {
  static os::Gauge& free = os::metrics().gauge("cairn_objectstore_free_bytes",
                                               "Free space on the disk of the data folder");
  static os::Gauge& writable = os::metrics().gauge(
      "cairn_objectstore_writable", "1 while the metadata take writes, 0 since a failed write");
  static os::Gauge& released = os::metrics().gauge(
      "cairn_objectstore_released_extents", "Extents that are read and lost their last reference");
  if (const auto bytes = options.files->free_bytes(options.data_dir); bytes.ok())
    free.set(static_cast<std::int64_t>(*bytes));
  writable.set(kv.healthy() ? 1 : 0);
  released.set(static_cast<std::int64_t>(waiting));
}

}  // namespace

ExtentCollector::ExtentCollector(RocksKv& kv, Extents& extents, ExtentPins& pins,
                                 const EngineOptions& options)
    : kv_(kv), extents_(extents), pins_(pins), options_(options) {}

ExtentCollector::~ExtentCollector() = default;  // the thread is asked to stop and joined

Status ExtentCollector::start(std::uint64_t first_serial_of_run, bool sweeps,
                              std::function<void()> each_turn) {
  first_serial_ = first_serial_of_run;
  sweeps_ = sweeps;
  each_turn_ = std::move(each_turn);
  CAIRN_TRY(thread_,
            os::Thread::start_stoppable({.name = "cairn-collect"},
                                        [this](const std::stop_token& stop) { run(stop); }));
  return ok_status();
}

void ExtentCollector::released(const std::vector<ExtentSpan>& extents) {
  if (extents.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const ExtentSpan& extent : extents) released_.push_back(extent.id);
  changed_.notify_all();
}

void ExtentCollector::suspect(std::uint64_t extent_id) {
  const std::lock_guard lock(mutex_);
  orphan_candidates_.push_back(extent_id);
}

std::shared_ptr<ExtentHold> ExtentCollector::hold() {
  auto hold = std::make_shared<ExtentHold>();
  const std::lock_guard lock(mutex_);
  holds_.push_back(hold);
  return hold;
}

bool ExtentCollector::held() {
  std::vector<std::shared_ptr<ExtentHold>> holds;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(holds_, [&](const std::weak_ptr<ExtentHold>& each) {
      auto hold = each.lock();
      if (!hold || hold->broken) return true;
      holds.push_back(std::move(hold));
      return false;
    });
  }
  if (holds.empty()) return false;
  const auto free = options_.files->free_bytes(options_.data_dir);
  if (!free.ok() || *free >= options_.reserve_bytes) return true;
  for (const auto& hold : holds) hold->broken = true;
  os::log(os::LogLevel::warn, "objectstore", "backup_gives_way",
          {{"free_bytes", static_cast<std::int64_t>(*free)},
           {"reason", "the disk is nearly full, and what was deleted meanwhile must go"}});
  return false;
}

bool ExtentCollector::wait_idle(const os::Deadline& deadline) {
  std::unique_lock lock(mutex_);
  return os::wait(changed_, lock, deadline, [this] {
    if (!swept_ || busy_) return false;
    for (const std::uint64_t id : released_)
      if (!pins_.held(id)) return false;
    return true;
  });
}

void ExtentCollector::run(const std::stop_token& stop) {
  std::vector<std::string> unswept = folders_to_sweep();
  const os::Deadline until_stop = os::Deadline::never(stop);
  while (!stop.stop_requested()) {
    if (!kv_.healthy()) recover();
    const bool all_stays = held();
    if (!all_stays) collect();
    each_turn_();
    if (!unswept.empty() && !all_stays) {  // a folder at a time, so that the rest does not wait for all
      sweep(unswept.back(), stop);
      unswept.pop_back();
    }
    std::unique_lock lock(mutex_);
    swept_ = unswept.empty();
    changed_.notify_all();
    const std::size_t pinned = released_.size();
    lock.unlock();
    show(kv_, options_, pinned);
    lock.lock();
    if (!swept_ && !all_stays) continue;
    os::wait(changed_, lock, until_stop.sooner_ms(options_.recovery_interval_ms),
             [&] { return released_.size() > pinned; });
  }
}

std::vector<std::string> ExtentCollector::folders_to_sweep() {
  if (!sweeps_) return {};
  auto folders = extents_.folders();
  if (folders.ok()) return std::move(*folders);
  os::log(os::LogLevel::warn, "objectstore", "sweep_left_out",
          {{"reason", folders.error().message}});
  return {};
}

/// Extents of earlier runs without a reference: of puts that a crash cut short, and of deletions
/// whose removal it cut short. Files of this run have higher numbers and are left alone.
void ExtentCollector::sweep(const std::string& folder, const std::stop_token& stop) {
  const auto ids = extents_.list(folder);
  if (!ids.ok()) {
    os::log(os::LogLevel::warn, "objectstore", "folder_not_swept",
            {{"folder", folder}, {"reason", ids.error().message}});
    return;
  }
  for (const std::uint64_t id : *ids) {
    if (stop.stop_requested()) return;
    if (id >= first_serial_) continue;
    if (const auto referenced = is_referenced(id); referenced.ok() && !*referenced) remove(id);
  }
}

void ExtentCollector::collect() {
  std::deque<std::uint64_t> candidates;
  {
    const std::lock_guard lock(mutex_);
    candidates.swap(released_);
    // A suspect was named after its write failed. If the metadata are well again by now, they were
    // read back from the disk since, and what they say of it is final.
    if (kv_.healthy()) {
      candidates.insert(candidates.end(), orphan_candidates_.begin(), orphan_candidates_.end());
      orphan_candidates_.clear();
    }
    busy_ = true;
  }
  std::deque<std::uint64_t> pinned;
  for (const std::uint64_t id : candidates) {
    if (pins_.held(id)) {
      pinned.push_back(id);
      continue;
    }
    const auto referenced = is_referenced(id);
    if (referenced.ok() && !*referenced) remove(id);
  }
  const std::lock_guard lock(mutex_);
  released_.insert(released_.end(), pinned.begin(), pinned.end());
  busy_ = false;
  changed_.notify_all();
}

/// Opens the metadata again once there is space for it: reading the log back needs some. Until then
/// they stay open for reading.
void ExtentCollector::recover() {
  const auto free = options_.files->free_bytes(options_.data_dir);
  const std::uint64_t needed = options_.reserve_bytes + 2 * options_.write_buffer_bytes;
  if (!free.ok() || *free < needed) return;
  if (const Status done = kv_.recover(); !done.ok()) {
    os::log(os::LogLevel::error, "objectstore", "recovery_failed",
            {{"reason", done.error().message}});
    return;
  }
  os::log(os::LogLevel::info, "objectstore", "writes_resumed");
}

Result<bool> ExtentCollector::is_referenced(std::uint64_t extent_id) {
  const std::string prefix = extent_prefix(extent_id);
  CAIRN_TRY(const auto cursor, kv_.cursor(Table::references, store::after_prefix(prefix)));
  cursor->seek(prefix);
  if (cursor->valid()) return true;
  CAIRN_CHECK(cursor->status());
  return false;
}

void ExtentCollector::remove(std::uint64_t extent_id) {
  static os::Counter& files =
      os::metrics().counter("cairn_objectstore_collected_extents_total",
                            "Extent files that were removed because nothing used them");
  static os::Counter& bytes = os::metrics().counter("cairn_objectstore_collected_bytes_total",
                                                    "Bytes of extent files that were removed");
  const auto freed = extents_.remove(extent_id);
  if (!freed.ok()) {
    os::log(os::LogLevel::warn, "objectstore", "extent_left",
            {{"file", extents_.path_of(extent_id)}, {"reason", freed.error().message}});
    return;
  }
  if (*freed == 0) return;
  files.add();
  bytes.add(*freed);
}

}  // namespace cairn::objectstore
