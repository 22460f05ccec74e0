// SPDX-License-Identifier: Apache-2.0
#include "objectstore/mirror/mirror_keeper.h"

#include <utility>

#include "objectstore/engine.h"
#include "objectstore/extents/extent_file.h"
#include "objectstore/mirror/mirror_mend.h"
#include "os/deadline.h"
#include "os/log.h"

namespace cairn::objectstore {
namespace {

constexpr std::int64_t look_every_ms = 1000;
constexpr std::int64_t rest_least_ms = 10;

std::uint64_t told_by(std::string_view path, std::uint64_t size) {
  if (path == "objects/spare") return 0;  // its bytes mean nothing
  if (!path.starts_with("objects/extents/")) return size;
  // The table of checksums and the footer: what is before them they tell.
  return size - extent_body_bytes(size).value_or(0);
}

}  // namespace

// What is left out is made again: weights that are packed at the next load, copies of remote
// repositories that the next sync fetches.
os::MirrorRules mirror_rules() {
  return {.told_by = told_by, .left_out = {"tmp", "packed-models", "connectors"}};
}

Result<std::unique_ptr<MirrorKeeper>> MirrorKeeper::start(Engine& engine, os::Mirror& mirror,
                                                          std::uint64_t fill_bytes_per_second) {
  std::unique_ptr<MirrorKeeper> keeper(new MirrorKeeper(engine, mirror, fill_bytes_per_second));
  CAIRN_TRY(keeper->thread_,
            os::Thread::start_stoppable(
                {.name = "cairn-mirror"},
                [self = keeper.get()](const std::stop_token& stop) { self->run(stop); }));
  return keeper;
}

MirrorKeeper::~MirrorKeeper() { stop(); }

void MirrorKeeper::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::string MirrorKeeper::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

Status MirrorKeeper::fill() {
  const std::lock_guard lock(mutex_);
  if (filling_ || wanted_)
    return Error{.kind = ErrorKind::conflict, .message = "a folder of the mirror is being filled"};
  if (!mirror_.lacking())
    return Error{.kind = ErrorKind::conflict,
                 .message = "no folder of the mirror lacks anything: see cairn mirror status"};
  wanted_ = true;
  changed_.notify_all();
  return ok_status();
}

void MirrorKeeper::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    mirror_.look_after();
    mend_suspects();
    fill_now(stop);
    std::unique_lock lock(mutex_);
    os::wait(changed_, lock, os::Deadline::never(stop).sooner_ms(look_every_ms),
             [&] { return wanted_; });
  }
}

void MirrorKeeper::fill_now(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(wanted_, false)) return;
    if (!mirror_.lacking()) return;
    filling_ = true;
    fault_.clear();
  }
  const auto until_stopped = os::Deadline::never(stop);
  std::uint64_t owed = 0;  // bytes that were not waited for yet
  const auto pace = [&](std::uint64_t bytes) -> Status {
    owed += bytes;
    const auto ms = static_cast<std::int64_t>(owed * 1000 / rate_);
    if (ms < rest_least_ms) return until_stopped.check("fill a folder of the mirror");
    owed = 0;
    if (os::sleep_ms(ms, until_stopped)) return ok_status();
    return until_stopped.check("fill a folder of the mirror");
  };
  const int side = mirror_.lacking().value_or(0);
  const Status filled = mirror_.fill(side, pace);
  const std::lock_guard lock(mutex_);
  filling_ = false;
  if (filled.ok() || stop.stop_requested()) return;
  fault_ = filled.error().message;
  os::log(os::LogLevel::error, "objectstore", "mirror_not_filled", {{"reason", fault_}});
}

void MirrorKeeper::mend_suspects() {
  for (const std::string& path : mirror_.sides().take_suspects()) {
    const auto mended = mend_file(engine_, mirror_.sides(), path, {});
    if (!mended.ok() || *mended == Mended::differs || *mended == Mended::lost)
      os::log(
          os::LogLevel::error, "objectstore", "mirror_not_mended",
          {{"file", path},
           {"reason", !mended.ok() ? mended.error().message
                      : *mended == Mended::lost
                          ? std::string("no folder of the mirror has it whole")
                          : std::string("the folders differ, and nothing tells which is right")}});
  }
}

}  // namespace cairn::objectstore
