// SPDX-License-Identifier: Apache-2.0
// Waits for another service, of which the run is told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "ratelimit/client/retry.h"

namespace cairn::connectors {

/// Waits a second at a time, and tells until when: "resumes 14:32 UTC". One thread.
class ToldWaits final : public ratelimit::Waits {
 public:
  /// Errors end the waiting.
  using Beat = std::function<Status(std::string_view doing)>;
  /// `clock` and `inner` outlive it. No inner: this thread sleeps. No beat: nobody is told.
  ToldWaits(const os::Clock& clock, ratelimit::Waits* inner, Beat beat)
      : clock_(clock), inner_(inner != nullptr ? *inner : own_), beat_(std::move(beat)) {}

  std::int64_t left_ms(const os::Deadline& deadline) override { return inner_.left_ms(deadline); }
  bool sleep_ms(std::int64_t ms, const os::Deadline& deadline) override;

  /// What `stop` ends from now on, where `beat` says so.
  void begin(std::stop_source stop) { stop_ = std::move(stop); }
  /// What `beat` said.
  std::optional<Error> take_fault() { return std::exchange(fault_, std::nullopt); }

 private:
  const os::Clock& clock_;
  ratelimit::Waits own_;
  ratelimit::Waits& inner_;
  const Beat beat_;
  std::stop_source stop_;
  std::optional<Error> fault_;
};

}  // namespace cairn::connectors
