// SPDX-License-Identifier: Apache-2.0
// The limiter in memory: one table, one policy at a time, one clock.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "os/metrics.h"
#include "os/random.h"
#include "ratelimit/counters/steady_wall.h"
#include "ratelimit/limiter.h"
#include "ratelimit/memory/memory_decide.h"
#include "ratelimit/memory/memory_rules.h"
#include "ratelimit/memory/memory_table.h"

namespace cairn::ratelimit {

/// What metrics read, which may outlive the limiter; they hold it weakly.
struct MemoryFigures {
  explicit MemoryFigures(std::uint32_t places, const os::Clock& clock)
      : table(places), wall(clock) {}
  MemoryTable table;
  SteadyWall wall;
  std::atomic<std::uint64_t> released_twice{0};
};
void show(const std::shared_ptr<MemoryFigures>& figures, os::Metrics& metrics);

class MemoryLimiter final : public Limiter {
 public:
  MemoryLimiter(std::shared_ptr<const Policy> policy, const os::Clock& clock, os::Random& random,
                os::Metrics& metrics);

  Admission admit(const Identity& identity, const Charge& charge) override;
  Admission admit_noted(const Identity& identity, const Charge& charge, AccountNote& note) override;
  Decision test(const Identity& identity, const Charge& charge) override;
  void announce(const Identity& identity, AccountNote& note) override;
  std::vector<WindowState> windows(const Identity& identity) override;
  Json describe(const Identity& identity) override;
  bool reset(std::string_view account) override;
  void set_policy(std::shared_ptr<const Policy> policy) override;
  std::shared_ptr<const Policy> policy() const override;
  std::string save() const override;
  Status restore(std::string_view bytes) override;

 protected:
  void release(const Ticket& ticket, std::int64_t cpu_ns) override;
  bool give_back(const Ticket& ticket, Decision& decision) override;

 private:
  /// The rules that hold, good until this thread asks again.
  const Rules& rules() const;
  const Rules& take_rules() const;
  /// Now, in the slots of rules(), which must have been asked for on this thread. Good until asked
  /// again.
  const Moment& moment() const;
  static std::uint32_t next_owner();
  /// False where no limit can meet this.
  static bool counts(const Charge& charge, const Policy& policy) {
    return policy.enabled && (charge.surface != Surface::objects || policy.objects);
  }
  /// The key, and where the record seems to be, which starts to come from memory.
  AccountNote::Content look_up(const Identity& identity, AccountNote* note) const;
  Admission admit_counted(const Identity& identity, const Charge& charge, const Rules& rules,
                          AccountNote* note);
  /// The record, or the shared one that stands for it, locked; null where neither knows them.
  Slot* known(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans) const;
  Slot* held_slot(const Held& held);

  std::shared_ptr<MemoryFigures> figures_;
  MemoryTable& table_;
  SteadyWall& wall_;
  // Both are changed by restore() alone, before the first decision.
  SipKey sip_;
  std::uint32_t owner_;  // of notes that hold keys made with it

  mutable Mutex mutex_;
  std::shared_ptr<const Rules> current_ CAIRN_GUARDED_BY(mutex_);  // immutable
  std::atomic<std::uint64_t> version_{0};                          // of current_, unique
};

}  // namespace cairn::ratelimit
