// SPDX-License-Identifier: Apache-2.0
// The order of the rules: retry-after, remaining 0, a minute; then longer; then an error.
#include "ratelimit/client/retry.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "format/time.h"
#include "os/threads/blocking.h"

namespace cairn::ratelimit {
namespace {

// So far away that no deadline reaches it, and no sum with it overflows.
constexpr std::int64_t ages_ms = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t doubled(std::int64_t ms, std::uint32_t times, std::int64_t longest) {
  for (; times > 0 && ms < longest; --times) ms *= 2;
  return std::min(ms, longest);
}

}  // namespace

std::int64_t wait_after(const LimitSigns& signs, std::uint32_t refusals,
                        const RetryOptions& options, os::Random& random) {
  if (signs.retry_after_ms) {
    const std::int64_t full = std::min(*signs.retry_after_ms, ages_ms);
    return std::max(full, doubled(full, refusals, options.longest_ms));
  }
  const std::int64_t unknown = doubled(options.unknown_ms, refusals, options.longest_ms);
  const auto more = static_cast<std::int64_t>(static_cast<double>(unknown) * options.jitter);
  const std::int64_t jittered =
      unknown + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(more) + 1));
  if (signs.window && signs.window->remaining == 0)
    return refusals == 0 ? signs.window->resets_in_ms
                         : std::max(signs.window->resets_in_ms, jittered);
  return jittered;
}

bool Waits::sleep_ms(std::int64_t ms, const os::Deadline& deadline) {
  const os::Blocking blocking;
  return os::sleep_ms(ms, deadline);
}

RetryRules::RetryRules(RetryOptions options, const os::Clock& clock, os::Random& random,
                       Waits* waits)
    : options_(options),
      clock_(clock),
      random_(random),
      waits_(waits != nullptr ? *waits : own_waits_),
      pacing_(options.pacing) {}

Error RetryRules::refused(const Outgoing& request, LimitKind kind, std::int64_t wait_ms,
                          std::string_view why) const {
  const std::int64_t at = clock_.unix_ms();
  const std::int64_t reset_ms = wait_ms < ages_ms / 2 ? at + wait_ms : ages_ms;
  const std::string reset =
      wait_ms < 3'650 * 86'400'000LL ? format_iso8601(reset_ms) : std::string("no near time");
  const std::string name(kind == LimitKind::none ? "shared" : name_of(kind));
  return Error{ErrorKind::rate_limited, "rate_limit_exceeded_exception",
               "the " + name + " rate limit of the service holds requests of resource [" +
                   request.resource + "] until " + reset + " (" +
                   std::to_string((wait_ms + 999) / 1'000) + " s); " + std::string(why)}
      .with_detail("kind", name)
      .with_detail("resource", request.resource)
      .with_detail("wait_ms", std::to_string(wait_ms))
      .with_detail("reset", reset);
}

bool RetryRules::wait_for_others(std::uint64_t seen, std::int64_t wait_ms,
                                 const os::Deadline& deadline) {
  const os::Blocking blocking;
  const os::Deadline until = wait_ms > 0 ? deadline.sooner_ms(wait_ms) : deadline;
  MutexLock lock(mutex_);
  os::wait(changed_, lock, until, [&]() CAIRN_REQUIRES(mutex_) { return ends_ != seen; });
  return !deadline.passed();
}

Status RetryRules::take_turn(const Outgoing& request, LimitKind last,
                             const os::Deadline& deadline) {
  for (;;) {
    std::uint64_t seen = 0;
    {
      MutexLock lock(mutex_);
      seen = ends_;
    }
    const Turn turn = pacing_.ask(request, now_ms());
    if (turn.granted) return ok_status();
    if (turn.reason == HoldReason::at_once) {
      if (!wait_for_others(seen, turn.wait_ms, deadline))
        return deadline.check("waiting for other requests to the same service");
      continue;
    }
    if (turn.wait_ms > waits_.left_ms(deadline)) {
      CAIRN_CHECK(deadline.check("waiting to send a request"));
      const bool spent = turn.reason == HoldReason::reserve;
      return refused(request, spent ? LimitKind::primary : last, turn.wait_ms,
                     "that is later than the caller waits");
    }
    if (!waits_.sleep_ms(turn.wait_ms, deadline))
      CAIRN_CHECK(deadline.check("waiting to send a request"));
  }
}

void RetryRules::ended(const Outgoing& request) {
  pacing_.ended(request);
  {
    MutexLock lock(mutex_);
    ++ends_;
  }
  changed_.notify_all();
}

Status RetryRules::send(const Outgoing& request, const Send& once, const os::Deadline& deadline) {
  LimitKind last = LimitKind::none;
  for (std::uint32_t refusals = 0;; ++refusals) {
    CAIRN_CHECK(take_turn(request, last, deadline));
    SeenResponse response;
    Status sent = once(response);
    if (!sent.ok()) {
      ended(request);
      return sent;
    }
    const LimitSigns signs =
        read_limit(response, request.resource, clock_.unix_ms(), request.resource == "graphql");
    const std::string& resource = signs.resource.empty() ? request.resource : signs.resource;
    // With a retry-after the service has said when to come back, whatever the window shows.
    if (signs.window && !signs.retry_after_ms)
      pacing_.saw(request, resource, *signs.window, now_ms());
    if (signs.kind == LimitKind::none) {
      ended(request);
      return ok_status();
    }
    const std::int64_t wait_ms = wait_after(signs, refusals, options_, random_);
    // Before the place is given back, or the next one in line would still be sent.
    if (signs.kind == LimitKind::primary)
      pacing_.block(request, resource, now_ms() + wait_ms);
    else
      pacing_.block_all(request, now_ms() + wait_ms);
    ended(request);
    last = signs.kind;
    if (refusals >= options_.retries)
      return refused(request, signs.kind, wait_ms,
                     "given up after " + std::to_string(refusals) + " retries");
  }
}

std::int64_t RetryRules::held_ms(const Outgoing& request) const {
  return std::max<std::int64_t>(0, pacing_.blocked_until_ms(request) - now_ms());
}

}  // namespace cairn::ratelimit
