// SPDX-License-Identifier: Apache-2.0
// From an identity to its record, and what surrounds a decision.
#include "ratelimit/memory/memory_limiter.h"

#include <cstring>
#include <mutex>
#include <utility>

#include "ratelimit/memory/memory_state.h"

namespace cairn::ratelimit {
namespace {

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

// Each thread keeps the rules that it saw last, so that a decision reads one number to know that
// they still hold; and where the slots of time are, so that it divides only when one ends. A thread
// keeps old rules alive until its next decision.
struct Seen {
  std::uint64_t version = 0;
  const Rules* rules = nullptr;
  Moment moment;  // the last
};
thread_local Seen seen;
thread_local std::shared_ptr<const Rules> kept_rules;

// Moves `at` on to `now_ms`, which is not before its slot where that is known.
void advance(SlotTime& at, std::int64_t before_ms, std::int64_t now_ms) {
  const std::uint64_t elapsed = at.elapsed_ms + static_cast<std::uint64_t>(now_ms - before_ms);
  if (elapsed < at.length_ms)
    at.elapsed_ms = static_cast<std::uint32_t>(elapsed);
  else
    at = slot_time(now_ms, at.length_ms);
}

[[gnu::noinline]] void pass_to(Moment& now, std::int64_t ms) {
  advance(now.minute, now.ms, ms);
  advance(now.ring, now.ms, ms);
  now.ms = ms;
}

std::uint32_t kind_of(const Identity& identity) {
  return identity.authenticated() ? of_caller : of_address;
}
std::uint32_t kind_of(std::string_view account) {
  return account.substr(0, 3) == "ip:" ? of_address : of_caller;
}

constexpr std::int64_t look_from_cpu_ns = 1'000'000;

static_assert(AccountNote::nowhere == MemoryTable::nowhere);

SipKey random_key(os::Random& random) { return {random.number(), random.number()}; }

}  // namespace

MemoryLimiter::MemoryLimiter(std::shared_ptr<const Policy> policy, const os::Clock& clock,
                             os::Random& random, os::Metrics& metrics)
    : figures_(std::make_shared<MemoryFigures>(policy->max_identities, clock)),
      table_(figures_->table),
      wall_(figures_->wall),
      sip_(random_key(random)),
      owner_(next_owner()) {
  MemoryLimiter::set_policy(std::move(policy));
  show(figures_, metrics);
}

// 0 and 1 say something else in notes.
std::uint32_t MemoryLimiter::next_owner() {
  static std::atomic<std::uint32_t> last{1};
  return last.fetch_add(1) + 1;
}

void MemoryLimiter::set_policy(std::shared_ptr<const Policy> policy) {
  auto made = std::make_shared<const Rules>(std::move(policy), sip_);
  const MutexLock lock(mutex_);
  current_ = std::move(made);
  version_.store(next_version(), std::memory_order_release);
}

std::shared_ptr<const Policy> MemoryLimiter::policy() const {
  const MutexLock lock(mutex_);
  return current_->policy;
}

const Rules& MemoryLimiter::rules() const {
  if (seen.version == version_.load(std::memory_order_acquire)) [[likely]]
    return *seen.rules;
  return take_rules();
}

const Rules& MemoryLimiter::take_rules() const {
  const MutexLock lock(mutex_);
  kept_rules = current_;
  seen.version = version_.load(std::memory_order_relaxed);
  seen.rules = kept_rules.get();
  const std::int64_t ms = wall_.now_ms();
  seen.moment = {.ms = ms,
                 .behind_ms = 0,
                 .minute = slot_time(ms, kept_rules->minute_ms),
                 .ring = slot_time(ms, kept_rules->ring_ms)};
  return *seen.rules;
}

const Moment& MemoryLimiter::moment() const {
  Moment& now = seen.moment;
  const std::int64_t ms = wall_.now_ms();
  if (ms > now.ms) [[unlikely]]
    pass_to(now, ms);
  now.behind_ms = wall_.behind_ms();
  return now;
}

Admission MemoryLimiter::admit(const Identity& identity, const Charge& charge) {
  const Rules& rules = this->rules();
  if (!counts(charge, *rules.policy)) return make(Decision{});
  return admit_counted(identity, charge, rules, nullptr);
}

Admission MemoryLimiter::admit_noted(const Identity& identity, const Charge& charge,
                                     AccountNote& note) {
  const Rules& rules = this->rules();
  if (!counts(charge, *rules.policy)) return make(Decision{});
  return admit_counted(identity, charge, rules, &note);
}

void MemoryLimiter::announce(const Identity& identity, AccountNote& note) {
  const AccountNote::Content at = look_up(identity, &note);
  if (at.place == AccountNote::nowhere) (void)table_.guess(at.key);
}

AccountNote::Content MemoryLimiter::look_up(const Identity& identity, AccountNote* note) const {
  if (note != nullptr) {
    const AccountNote::Content noted = note->read(owner_);
    if (noted.place != AccountNote::nowhere) table_.prefetch_place(noted.place);
    if (noted.key != 0) return noted;
  }
  const std::uint64_t key = key_of(sip_, identity.account);
  table_.prefetch_group(key);
  if (note != nullptr) note->write_key(owner_, key);
  return {.key = key};
}

// Apart from the above so that what is returned is built where the caller wants it.
Admission MemoryLimiter::admit_counted(const Identity& identity, const Charge& charge,
                                       const Rules& rules, AccountNote* note) {
  Admission admission;
  const auto [key, noted] = look_up(identity, note);
  const Terms terms(rules, identity, charge);
  const std::uint32_t guessed = noted != AccountNote::nowhere ? noted : table_.guess(key);
  const Moment& now = moment();  // while the record comes from memory
  const Request request{.rules = rules,
                        .now = now,
                        .charge = charge,
                        .terms = terms,
                        .exempt = rules.exempts(identity, key)};
  Decision& decision = decision_in(admission);
  Held held;
  {
    Slot& slot = *table_.find_or_add(key, guessed, kind_of(identity), now, rules.bans);
    const std::lock_guard locked(slot.lock, std::adopt_lock);
    decide(request, table_, slot, decision, held);
    held.place = table_.number_of(slot);
    held.key = slot.key.load(std::memory_order_relaxed);
  }
  // Who shares a record is looked for each time: there may be room again.
  const std::uint32_t place = held.key == key ? held.place : AccountNote::nowhere;
  if (note != nullptr && place != noted && note->read(owner_).key == key)
    note->write_place(owner_, place);
  if (decision.admitted()) hold(admission, held.ticket());
  return admission;
}

Decision MemoryLimiter::test(const Identity& identity, const Charge& charge) {
  const Rules& rules = this->rules();
  Decision decision;
  if (!counts(charge, *rules.policy)) return decision;
  const std::uint64_t key = key_of(sip_, identity.account);
  const Terms terms(rules, identity, charge);
  const Moment& now = moment();
  const Request request{.rules = rules,
                        .now = now,
                        .charge = charge,
                        .terms = terms,
                        .exempt = rules.exempts(identity, key)};
  Slot stranger{};
  Slot* const slot = known(key, kind_of(identity), now, rules.bans);
  ratelimit::test(request, table_, slot != nullptr ? *slot : stranger, decision);
  if (slot != nullptr) slot->lock.unlock();
  return decision;
}

// The record of a request under way stays where it is. One that holds none may have lost it.
Slot* MemoryLimiter::held_slot(const Held& held) {
  if (!held.has(Held::cpu)) return nullptr;  // counted nowhere
  Slot& slot = table_.at(held.place);
  slot.lock.lock();
  if (slot.key.load(std::memory_order_relaxed) == held.key) return &slot;
  slot.lock.unlock();
  return nullptr;
}

void MemoryLimiter::release(const Ticket& ticket, std::int64_t cpu_ns) {
  const Held held = Held::of(ticket);
  if (!held.has(Held::cpu)) return;
  const Rules& rules = this->rules();
  // Little is charged to the time of this thread's last decision; that saves a look at the clock.
  const Moment& now = cpu_ns < look_from_cpu_ns ? seen.moment : moment();
  Slot* const slot = held_slot(held);
  if (slot == nullptr) return;
  const std::lock_guard locked(slot->lock, std::adopt_lock);
  if (!end_request(held, cpu_ns, rules, now, *slot)) figures_->released_twice.fetch_add(1);
}

bool MemoryLimiter::give_back(const Ticket& ticket, Decision& decision) {
  const Held held = Held::of(ticket);
  (void)rules();  // the moment is in its slots
  const Moment& now = moment();
  Slot* const slot = held_slot(held);
  if (slot == nullptr) return false;
  const std::lock_guard locked(slot->lock, std::adopt_lock);
  const auto used = ratelimit::give_back(held, now, table_, *slot);
  if (!used) return false;
  if (auto& window = decision.window) {
    window->used = *used;
    window->remaining = *used < window->limit ? window->limit - *used : 0;
  }
  return true;
}

Slot* MemoryLimiter::known(std::uint64_t key, std::uint32_t kind, const Moment& now,
                           const BanTimes& bans) const {
  if (Slot* const slot = table_.find(key)) return slot;
  return table_.is_shared(key, kind, now, bans) ? table_.shared(key, kind) : nullptr;
}

std::vector<WindowState> MemoryLimiter::windows(const Identity& identity) {
  const Rules& rules = this->rules();
  std::vector<WindowState> out;
  if (!rules.policy->enabled) return out;
  out.reserve(rules.cells.size());
  const Moment& now = moment();
  Slot* const slot = known(key_of(sip_, identity.account), kind_of(identity), now, rules.bans);
  for (std::uint16_t i = 0; i < rules.cells.size(); ++i) {
    if (!rules.policy->resources[i].shown) continue;
    if (const auto window = window_of(rules, now, identity, i, table_, slot))
      out.push_back(*window);
  }
  if (slot != nullptr) slot->lock.unlock();
  return out;
}

bool MemoryLimiter::reset(std::string_view account) {
  const Rules& rules = this->rules();
  const Moment& now = moment();
  Slot* const slot = known(key_of(sip_, account), kind_of(account), now, rules.bans);
  if (slot == nullptr) return false;
  const std::lock_guard locked(slot->lock, std::adopt_lock);
  RecordBody fresh = {};
  fresh.live = slot->record.live;
  fresh.live_objects = slot->record.live_objects;
  fresh.kind = slot->record.kind;
  slot->record = fresh;
  for (std::uint32_t at = slot->next; at != 0;) {
    Slot& block = table_.at(link::number(at));
    if (link::is_content(at))
      block.content = {};
    else
      block.more = {};
    at = block.next;
  }
  return true;
}

std::unique_ptr<Limiter> memory_limiter(std::shared_ptr<const Policy> policy,
                                        const os::Clock& clock, os::Random& random,
                                        os::Metrics& metrics) {
  return std::make_unique<MemoryLimiter>(std::move(policy), clock, random, metrics);
}

}  // namespace cairn::ratelimit
