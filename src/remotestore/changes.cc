// SPDX-License-Identifier: Apache-2.0
#include "remotestore/changes.h"

#include <algorithm>

namespace cairn::remotestore {
namespace {

constexpr int attempts_max = 5;
constexpr std::int64_t first_pause_ms = 50;

Error condition_failed(const Wire& wire, const std::string& name, const store::Condition& wanted) {
  const std::string what = wanted.if_none_match ? "an object is there already"
                                                : "another version of the object is there, or none";
  return {.kind = ErrorKind::precondition_failed,
          .message = what + ": s3://" + wire.place().bucket + "/" + name};
}

Error nobody_knows(const Wire& wire, const std::string& name, const Error& lost) {
  return {
      .kind = ErrorKind::unavailable,
      .message = "the answer about s3://" + wire.place().bucket + "/" + name +
                 " was lost, and what is there now does not tell whether the change was made: " +
                 lost.message};
}

/// Waits before the next attempt, longer each time. False where the deadline forbids one.
bool pause_before(int attempt, const os::Deadline& deadline) {
  return os::sleep_ms(first_pause_ms << std::min(attempt, 6), deadline);
}

bool still_holds(const store::Condition& condition, const std::optional<RemoteInfo>& now) {
  if (condition.if_none_match) return !now;
  if (condition.if_match) return now && now->etag == *condition.if_match;
  return true;
}

}  // namespace

Result<std::string> make_change(Wire& wire, const Change& change, const Attempt& attempt,
                                const os::Deadline& deadline) {
  bool was_unclear = false;
  bool retries = false;  // after a clear "not now" the client may wait and renew credentials
  Error lost;
  for (int number = 1;; ++number) {
    Answer answer = attempt(retries);
    retries = answer.outcome == Outcome::again;
    if (answer.outcome == Outcome::done && !answer.etag.empty()) return std::move(answer.etag);
    if (answer.outcome == Outcome::done) {  // Ceph 16 completes uploads and does not say as what
      answer.error = {.kind = ErrorKind::unavailable, .message = "the answer had no etag"};
      was_unclear = true;
    }
    const bool is_no = answer.outcome == Outcome::refused || answer.outcome == Outcome::absent;
    if (!was_unclear && is_no) {
      if (change.condition.if_none_match || change.condition.if_match)
        return condition_failed(wire, change.name, change.condition);
      return std::move(answer.error);
    }
    if (!was_unclear && answer.outcome == Outcome::failed) return std::move(answer.error);
    if (answer.outcome != Outcome::again) {
      if (answer.outcome == Outcome::unclear || lost.message.empty()) lost = answer.error;
      was_unclear = true;
      if (deadline.passed()) return lost;
      const auto now = wire.head(change.name, deadline);
      if (!now.ok()) return lost;
      if (*now && (*now)->mark == change.mark) return (*now)->etag;
      if (answer.outcome == Outcome::done) return nobody_knows(wire, change.name, lost);
      if (!still_holds(change.condition, *now)) return nobody_knows(wire, change.name, lost);
      if (is_no || answer.outcome == Outcome::failed) return std::move(answer.error);
    }
    const Error& latest = answer.outcome == Outcome::again ? answer.error : lost;
    if (number >= attempts_max || !pause_before(number, deadline)) return latest;
  }
}

Status remove_version(Wire& wire, const std::string& name, const std::string& etag,
                      const os::Deadline& deadline) {
  const store::Condition condition{.if_match = etag};
  bool was_unclear = false;
  bool retries = false;
  Error lost;
  for (int number = 1;; ++number) {
    const Answer answer = wire.remove(name, etag, retries, deadline);
    retries = answer.outcome == Outcome::again;
    if (answer.outcome == Outcome::done) return ok_status();
    const bool is_no = answer.outcome == Outcome::refused || answer.outcome == Outcome::absent;
    if (!was_unclear && is_no) return condition_failed(wire, name, condition);
    if (!was_unclear && answer.outcome == Outcome::failed) return answer.error;
    if (answer.outcome != Outcome::again) {
      if (answer.outcome == Outcome::unclear || lost.message.empty()) lost = answer.error;
      was_unclear = true;
      if (deadline.passed()) return lost;
      const auto now = wire.head(name, deadline);
      if (!now.ok()) return lost;
      // Gone, or another version: by this call or somebody else's.
      if (!still_holds(condition, *now)) return nobody_knows(wire, name, lost);
      if (is_no || answer.outcome == Outcome::failed) return answer.error;
    }
    const Error& latest = answer.outcome == Outcome::again ? answer.error : lost;
    if (number >= attempts_max || !pause_before(number, deadline)) return latest;
  }
}

}  // namespace cairn::remotestore
