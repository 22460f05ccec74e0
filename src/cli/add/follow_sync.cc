// SPDX-License-Identifier: Apache-2.0
#include "cli/add/follow_sync.h"

#include <algorithm>

#include "base/encode.h"
#include "cli/add/status_line.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t sync_look_ms_min = 200;
constexpr std::int64_t sync_look_ms_max = 2'000;  // a limit by the hour is not used up by looking
constexpr std::int64_t away_max_ms = 60'000;
constexpr std::int64_t limited_look_ms = 30'000;

std::uint64_t figure(const Json& job, std::string_view name) {
  const Json* metadata = job.find("metadata");
  const std::int64_t value = metadata == nullptr ? 0 : metadata->int_or(name);
  return static_cast<std::uint64_t>(value < 0 ? 0 : value);
}

/// The longer it takes, the less often: a fiftieth of the time.
std::int64_t until_next_look_ms(std::int64_t begun_ns) {
  const std::int64_t took_ms = (os::system_clock().steady_ns() - begun_ns) / 1'000'000;
  return std::clamp(took_ms / 50, sync_look_ms_min, sync_look_ms_max);
}

bool has_ended(const std::string& status) {
  return status == "completed" || status == "error" || status == "canceled";
}

}  // namespace

Result<Json> follow_sync(Connection& connection, const std::string& job_id) {
  StatusLine line;
  os::Deadline back = os::Deadline::never();
  bool away = false;
  const std::int64_t begun_ns = os::system_clock().steady_ns();
  while (true) {
    auto answer = connection.ask("GET", "/_connector/_sync_job/" + percent_encode(job_id));
    // A server that starts says 503 until it is ready.
    const bool is_away = !answer.ok() || answer->status == 503;
    if (answer.ok() && answer->status == 429) {
      line.say("over a limit of requests: " + reason_of(*answer) + "; the sync goes on");
      os::sleep_ms(limited_look_ms, os::Deadline::never());
      continue;
    }
    if (is_away && !away) {
      line.say("the server is away; waiting a minute for it (the sync goes on where it was)");
      back = os::Deadline::in_ms(away_max_ms);
    }
    away = is_away;
    if (away && back.passed()) {
      if (!answer.ok()) return std::move(answer).error();
      return Error{.kind = ErrorKind::unavailable, .message = reason_of(*answer)};
    }
    if (!away) {
      if (answer->status != 200)
        return Error{.kind = ErrorKind::unavailable, .message = reason_of(*answer)};
      const Json& job = answer->body;
      const std::int64_t files = job.int_or("total_document_count");
      if (has_ended(job.string_or("status"))) return std::move(answer->body);
      line.show(figure(job, "files_looked_at"), static_cast<std::uint64_t>(files < 0 ? 0 : files),
                figure(job, "bytes_looked_at"), figure(job, "bytes_found"));
    }
    os::sleep_ms(until_next_look_ms(begun_ns), os::Deadline::never());
  }
}

}  // namespace cairn::cli
