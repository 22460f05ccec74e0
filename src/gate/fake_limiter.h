// SPDX-License-Identifier: Apache-2.0
// For tests: a limiter that says what it is told to, and notes what it was asked.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ratelimit/limiter.h"

namespace cairn::gate {

class FakeLimiter final : public ratelimit::Limiter {
 public:
  explicit FakeLimiter(ratelimit::Policy policy = ratelimit::default_policy())
      : policy_(std::make_shared<const ratelimit::Policy>(std::move(policy))) {}

  struct Asked {
    ratelimit::Identity identity;
    ratelimit::Charge charge;
    const ratelimit::AccountNote* note = nullptr;
  };
  /// What admit() decides; where empty, everything is admitted with 100 of 5,000 used.
  std::function<ratelimit::Decision(const Asked&)> decide = {};
  std::vector<Asked> asked = {};
  std::vector<std::string> announced = {};  // accounts
  std::vector<std::int64_t> released = {};  // the CPU time of each
  int refunds = 0;
  int released_twice = 0;

  static ratelimit::Decision admitted(std::uint32_t limit = 5'000, std::uint32_t used = 100) {
    return {.window = ratelimit::WindowState{.limit = limit,
                                             .used = used,
                                             .remaining = limit > used ? limit - used : 0,
                                             .reset_s = 1'700'003'600}};
  }
  static ratelimit::Decision refused(ratelimit::Refusal kind, std::uint32_t wait_s = 7) {
    auto out = kind == ratelimit::Refusal::primary ? admitted(60, 60) : admitted();
    out.refusal = kind;
    out.retry_after_s = wait_s;
    out.nth_refusal = 1;
    return out;
  }
  std::size_t live() const {
    const std::lock_guard lock(mutex_);
    return live_.size();
  }

  ratelimit::Admission admit(const ratelimit::Identity& identity,
                             const ratelimit::Charge& charge) override {
    return answer({identity, charge});
  }
  ratelimit::Admission admit_noted(const ratelimit::Identity& identity,
                                   const ratelimit::Charge& charge,
                                   ratelimit::AccountNote& note) override {
    return answer({identity, charge, &note});
  }
  ratelimit::Decision test(const ratelimit::Identity& identity,
                           const ratelimit::Charge& charge) override {
    const std::lock_guard lock(mutex_);
    return decide ? decide({identity, charge}) : admitted();
  }
  void announce(const ratelimit::Identity& identity, ratelimit::AccountNote& /*note*/) override {
    const std::lock_guard lock(mutex_);
    announced.push_back(identity.account);
  }
  std::vector<ratelimit::WindowState> windows(const ratelimit::Identity&) override { return {}; }
  Json describe(const ratelimit::Identity&) override { return Json::object(); }
  bool reset(std::string_view) override { return false; }
  void set_policy(std::shared_ptr<const ratelimit::Policy> policy) override {
    policy_ = std::move(policy);
  }
  std::shared_ptr<const ratelimit::Policy> policy() const override { return policy_; }
  std::string save() const override { return {}; }
  Status restore(std::string_view) override { return ok_status(); }

 protected:
  void release(const ratelimit::Ticket& ticket, std::int64_t cpu_ns) override {
    const std::lock_guard lock(mutex_);
    released.push_back(cpu_ns);
    if (live_.erase(ticket[0]) == 0) ++released_twice;
  }
  bool give_back(const ratelimit::Ticket&, ratelimit::Decision& decision) override {
    ++refunds;
    if (decision.window && decision.window->used > 0) {
      --decision.window->used;
      ++decision.window->remaining;
    }
    return true;
  }

 private:
  ratelimit::Admission answer(const Asked& question) {
    const std::lock_guard lock(mutex_);
    asked.push_back(question);
    auto decision = decide ? decide(asked.back()) : admitted();
    if (decision.window) decision.window->resource = question.charge.resource;
    if (!decision.admitted()) return make(decision);
    live_.insert(++next_);
    return make(decision, {next_});
  }
  mutable std::mutex mutex_;
  std::shared_ptr<const ratelimit::Policy> policy_;
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> live_;
};

}  // namespace cairn::gate
