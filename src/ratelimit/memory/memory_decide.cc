// SPDX-License-Identifier: Apache-2.0
// Ban, primary, concurrent, points, CPU, content, compute: the order in which limits are looked at.
#include "ratelimit/memory/memory_decide.h"

#include "ratelimit/memory/memory_cells.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint64_t us_per_ms = 1'000;

std::uint32_t to_seconds(std::uint64_t wait_ms) {
  const std::uint64_t seconds = (wait_ms + 999) / 1'000;
  return seconds < 1 ? 1 : static_cast<std::uint32_t>(seconds);
}

// A window as it is at this moment: over is untouched.
struct Window {
  std::uint32_t used = 0;
  std::uint32_t reset_s = 0;
};

Window window_at(std::uint32_t used, std::uint32_t reset_s, std::uint32_t length_s,
                 const Moment& now) {
  if (now.over(reset_s)) return {0, now.next_second() + length_s};
  return {used, reset_s};
}

WindowState shown(const Window& window, std::uint32_t limit, std::uint32_t length_s,
                  std::uint16_t resource, const Moment& now) {
  return {.limit = limit,
          .used = window.used,
          .remaining = window.used < limit ? limit - window.used : 0,
          .wait_s = now.seconds_until(window.reset_s),
          .reset_s = std::int64_t{window.reset_s} - now.behind_ms / 1'000,
          .window_s = length_s,
          .resource = resource};
}

struct Verdict {
  Refusal refusal = Refusal::none;
  std::uint32_t wait_s = 0;
};

// One decision on one record, in steps.
class Deciding {
 public:
  Deciding(const Request& request, MemoryTable& table, Slot& slot)
      : rules_(request.rules),
        policy_(*request.rules.policy),
        secondary_(request.rules.policy->secondary),
        now_(request.now),
        request_(request),
        charge_(request.charge),
        terms_(request.terms),
        table_(table),
        slot_(slot),
        record_(slot.record) {
    read_window();
  }

  /// What run() would say now.
  void test(Decision& out) {
    const Verdict verdict = first_refusal();
    if (verdict.refusal != Refusal::none && lenient()) {
      out.shadowed = true;
      out.shadow = verdict.refusal;
    } else {
      out.refusal = verdict.refusal;
      out.retry_after_s = verdict.wait_s;
    }
    show_window(out);
  }

  void run(Decision& out, Held& held) {
    Verdict verdict = first_refusal();
    const bool lenient = this->lenient();
    if (lenient && verdict.refusal != Refusal::none) {
      out.shadowed = true;
      out.shadow = verdict.refusal;
      out.nth_refusal = nth_refusal();
      verdict = {};
    }
    if (verdict.refusal == Refusal::none && !claim_all()) {
      if (!lenient) verdict = {Refusal::compute, 1};
    }
    if (verdict.refusal == Refusal::none) {
      charge_all(held);
    } else {
      refuse(verdict, out);
    }
    show_window(out);
  }

 private:
  bool lenient() const { return policy_.shadow || request_.exempt || charge_.shadow; }

  void show_window(Decision& out) const {
    if (terms_.limit)
      out.window = shown(window_, *terms_.limit, terms_.window_s, terms_.resource, now_);
    if (is_secondary(out.refusal) && out.window && out.window->remaining == 0)
      out.window.reset();  // clients would take it for a primary one
  }

  void read_window() {
    const std::uint32_t length = terms_.window_s;
    if (terms_.resource == rules_.core) {
      window_ = window_at(record_.core_used, record_.core_reset, length, now_);
      return;
    }
    window_cell_ = find_cell(table_, slot_, rules_.cells[terms_.resource]);
    window_ = window_cell_ == nullptr
                  ? window_at(0, 0, length, now_)
                  : window_at(window_cell_->a, window_cell_->when, length, now_);
  }

  Verdict first_refusal() {
    if (policy_.ban.enabled && !charge_.window_only)
      if (const Verdict ban = test_ban(); ban.refusal != Refusal::none) return ban;
    if (!charge_.no_primary && terms_.limit &&
        std::uint64_t{window_.used} + charge_.cost > std::uint64_t{*terms_.limit})
      return {Refusal::primary, now_.seconds_until(window_.reset_s)};
    if (terms_.free) return {};
    const std::uint32_t live = terms_.of_objects ? record_.live_objects : record_.live;
    if (!charge_.no_primary && secondary_.concurrent && live >= *secondary_.concurrent)
      return {Refusal::concurrent, 1};
    if (const Verdict points = test_points(); points.refusal != Refusal::none) return points;
    roll_minute(record_, now_);
    if (const Verdict cpu = test_cpu(); cpu.refusal != Refusal::none) return cpu;
    if (charge_.content)
      if (const Verdict content = test_contents(); content.refusal != Refusal::none) return content;
    return test_compute();
  }

  Verdict test_ban() const {
    const Cell* const ban = find_cell(table_, slot_, cell_id::ban);
    if (ban == nullptr || ban->when == 0 || now_.over(ban->when)) return {};
    return {Refusal::banned, now_.seconds_until(ban->when)};
  }

  const Limit& points_cap() const {
    return charge_.graphql ? secondary_.points_graphql : secondary_.points_rest;
  }

  Verdict test_points() {
    if (!points_cap()) return {};
    Cell* cell = points_cell_ = find_cell(table_, slot_, terms_.endpoint);
    if (cell == nullptr) cell = find_cell(table_, slot_, cell_id::other_endpoints);
    std::uint32_t current = 0, previous = 0;
    if (cell != nullptr) {
      roll_points(*cell, now_);
      current = cell->a, previous = cell->b;
    }
    const std::uint32_t cap = *points_cap();
    if (fits(current, previous, charge_.points, cap, now_.minute)) return {};
    return {Refusal::points,
            to_seconds(wait_ms(current, previous, charge_.points, cap, now_.minute))};
  }

  // What a request takes is known when it is over, so this asks for the least that it may take.
  Verdict test_cpu() const {
    const auto over = [&](const Limit& cap_ms, std::uint32_t current, std::uint32_t previous) {
      if (!cap_ms) return Verdict{};
      const std::uint64_t cap_us = *cap_ms * us_per_ms;
      if (fits(current, previous, 1, cap_us, now_.minute)) return Verdict{};
      return Verdict{Refusal::cpu, to_seconds(wait_ms(current, previous, 1, cap_us, now_.minute))};
    };
    const Verdict total = over(secondary_.cpu_ms_total, record_.cpu_us, record_.cpu_us_before);
    if (total.refusal != Refusal::none || !charge_.graphql) return total;
    return over(secondary_.cpu_ms_graphql, record_.graphql_us, record_.graphql_us_before);
  }

  Verdict test_contents() {
    const Verdict all =
        test_content(all_content, secondary_.content_per_minute, secondary_.content_per_hour);
    if (all.refusal != Refusal::none || !own_content()) return all;
    return test_content(terms_.endpoint, charge_.content_per_minute, charge_.content_per_hour);
  }

  Verdict test_content(std::uint32_t id, const Limit& minute_cap, const Limit& hour_cap) const {
    const Content* const found = find_content(table_, slot_, id);
    Content content{};
    if (found != nullptr) content = *found;
    roll(content.minute, now_.minute.slot, content.current, content.previous);
    if (minute_cap && !fits(content.current, content.previous, 1, *minute_cap, now_.minute))
      return {Refusal::content_minute,
              to_seconds(wait_ms(content.current, content.previous, 1, *minute_cap, now_.minute))};
    content.hour.roll(now_.ring.slot);
    if (hour_cap && content.hour.total() >= *hour_cap)
      return {Refusal::content_hour, to_seconds(content.hour.wait_ms(*hour_cap, now_.ring))};
    return {};
  }

  Verdict test_compute() const {
    const Limit& cap = secondary_.heavy_per_minute;
    if (!cap || fits(record_.heavy, record_.heavy_before, 1, *cap, now_.minute)) return {};
    return {Refusal::compute,
            to_seconds(wait_ms(record_.heavy, record_.heavy_before, 1, *cap, now_.minute))};
  }

  bool own_content() const { return charge_.content_per_minute || charge_.content_per_hour; }

  // Every counter that will be charged has a place. A place that is kept is not over, so that the
  // next one is not put there.
  bool claim_all() {
    if (!charge_.no_primary && terms_.resource != rules_.core) {
      window_cell_ = claim_cell(table_, slot_, rules_.cells[terms_.resource], now_, rules_.bans);
      if (window_cell_ == nullptr) return false;
      *window_cell_ = {
          .id = rules_.cells[terms_.resource], .when = window_.reset_s, .a = window_.used, .b = 0};
    }
    if (terms_.free) return true;
    if (points_cap() && points_cell_ == nullptr) {  // one that was found is brought to now
      points_cell_ = claim_endpoint(table_, slot_, terms_.endpoint, now_, rules_.bans);
      if (points_cell_ == nullptr) return false;
      roll_points(*points_cell_, now_);
    }
    if (!charge_.content) return true;
    content_ = claim_content(table_, slot_, all_content, now_);
    if (content_ == nullptr) return false;
    roll_content(*content_);
    if (!own_content()) return true;
    own_content_ = claim_content(table_, slot_, terms_.endpoint, now_);
    if (own_content_ == nullptr) return false;
    roll_content(*own_content_);
    return true;
  }

  void roll_content(Content& content) const {
    roll(content.minute, now_.minute.slot, content.current, content.previous);
    content.hour.roll(now_.ring.slot);
  }

  // Places may be missing where claim_all() found none and the request is let through all the same.
  void charge_all(Held& held) {
    std::uint32_t flags = Held::cpu | (charge_.graphql ? Held::graphql : 0);
    if (!charge_.no_primary) {
      window_.used = saturating_add(window_.used, charge_.cost);
      if (terms_.resource == rules_.core) {
        record_.core_used = window_.used;
        record_.core_reset = window_.reset_s;
      } else if (window_cell_ != nullptr) {
        window_cell_->a = window_.used;
        window_cell_->when = window_.reset_s;
      }
      held.window = Held::charged(window_.reset_s, rules_.cells[terms_.resource]);
      held.cost = charge_.cost;
      std::uint32_t& live = terms_.of_objects ? record_.live_objects : record_.live;
      ++live;
      flags |= terms_.of_objects ? Held::live_objects : Held::live;
    }
    held.flags = flags;
    if (points_cell_ != nullptr) points_cell_->a = saturating_add(points_cell_->a, charge_.points);
    for (Content* const content : {content_, own_content_}) {
      if (content == nullptr) continue;
      content->current = saturating_add(content->current, 1);
      content->hour.add();
    }
  }

  void refuse(const Verdict& verdict, Decision& out) {
    out.refusal = verdict.refusal;
    out.retry_after_s = verdict.wait_s;
    out.nth_refusal = nth_refusal();
    if (policy_.ban.enabled && verdict.refusal != Refusal::banned && !charge_.window_only) strike();
  }

  std::uint32_t nth_refusal() {
    const auto hour = static_cast<std::uint16_t>(now_.ring.slot / HourRing::slots);
    if (record_.refused_hour != hour) record_.refusals = 0;
    record_.refused_hour = hour;
    record_.refusals = saturating_add(record_.refusals, 1);
    return record_.refusals;
  }

  void strike() {
    Cell* const cell = claim_cell(table_, slot_, cell_id::ban, now_, rules_.bans);
    if (cell == nullptr) return;
    const Ban& ban = policy_.ban;
    constexpr std::uint32_t strikes_mask = 0xff'ffff;
    std::uint32_t strikes = cell->b & strikes_mask;
    std::uint32_t bans = cell->b >> 24;
    const auto now_s = static_cast<std::uint32_t>(now_.ms / 1'000);
    if (cell->when != 0 && now_.over(cell->when + ban.longest_s)) bans = 0;  // long ago
    if (cell->a == 0 || now_.over(cell->a + ban.window_s)) {
      cell->a = now_s;
      strikes = 0;
    }
    if (++strikes > ban.strikes) {
      const std::uint64_t length = std::uint64_t{ban.first_s} << (bans < 31 ? bans : 31);
      cell->when = now_.next_second() +
                   static_cast<std::uint32_t>(length < ban.longest_s ? length : ban.longest_s);
      bans = bans < 255 ? bans + 1 : bans;
      strikes = 0;
      cell->a = 0;
    }
    cell->b = bans << 24 | (strikes & strikes_mask);
  }

  const Rules& rules_;
  const Policy& policy_;
  const Secondary& secondary_;
  const Moment& now_;
  const Request& request_;
  const Charge& charge_;
  const Terms& terms_;
  MemoryTable& table_;
  Slot& slot_;
  RecordBody& record_;
  Window window_ = {};
  Cell* window_cell_ = nullptr;
  Cell* points_cell_ = nullptr;
  Content* content_ = nullptr;
  Content* own_content_ = nullptr;
};

}  // namespace

Terms::Terms(const Rules& rules, const Identity& identity, const Charge& charge)
    : of_objects(charge.surface == Surface::objects),
      free(false),
      resource(of_objects ? rules.objects : rules.resource_of(charge.resource)),
      endpoint(cell_id::endpoint(charge.endpoint)),
      window_s(rules.policy->resources[resource].window_s) {
  const Policy& policy = *rules.policy;
  const bool service = identity.kind == IdentityKind::service;
  limit = policy.limit_of(identity, resource);
  free =
      charge.window_only || (of_objects && !policy.objects) || (service && !policy.plans.service);
}

void test(const Request& request, MemoryTable& table, Slot& slot, Decision& decision) {
  Deciding(request, table, slot).test(decision);
}

void decide(const Request& request, MemoryTable& table, Slot& slot, Decision& decision,
            Held& held) {
  Deciding(request, table, slot).run(decision, held);
}

std::optional<WindowState> window_of(const Rules& rules, const Moment& now,
                                     const Identity& identity, std::uint16_t resource,
                                     const MemoryTable& table, const Slot* slot) {
  const Limit limit = rules.policy->limit_of(identity, resource);
  if (!limit) return std::nullopt;
  std::uint32_t used = 0, reset_s = 0;
  if (slot != nullptr && resource == rules.core) {
    used = slot->record.core_used;
    reset_s = slot->record.core_reset;
  } else if (slot != nullptr) {
    if (const Cell* const cell = find_cell(table, *slot, rules.cells[resource])) {
      used = cell->a;
      reset_s = cell->when;
    }
  }
  const std::uint32_t length = rules.policy->resources[resource].window_s;
  return shown(window_at(used, reset_s, length, now), *limit, length, resource, now);
}

std::optional<std::uint32_t> give_back(const Held& held, const Moment& now, MemoryTable& table,
                                       Slot& slot) {
  if (held.reset_s() == 0 || now.over(held.reset_s())) return std::nullopt;
  std::uint32_t* used = &slot.record.core_used;
  std::uint32_t reset_s = slot.record.core_reset;
  if (held.cell() != cell_id::none) {
    Cell* const cell = find_cell(table, slot, held.cell());
    if (cell == nullptr) return std::nullopt;
    used = &cell->a;
    reset_s = cell->when;
  }
  if (reset_s != held.reset_s()) return std::nullopt;
  *used -= held.cost < *used ? static_cast<std::uint32_t>(held.cost) : *used;
  return *used;
}

bool end_request(const Held& held, std::int64_t cpu_ns, const Rules& rules, const Moment& now,
                 Slot& slot) {
  RecordBody& record = slot.record;
  bool was_live = true;
  if (held.has(Held::live | Held::live_objects)) {
    std::uint32_t& live = held.has(Held::live) ? record.live : record.live_objects;
    was_live = live > 0;
    if (was_live) --live;
  }
  if (!held.has(Held::cpu) || cpu_ns <= 0) return was_live;
  // Forward only: the moment may be that of the request's begin.
  if (static_cast<std::int32_t>(now.minute.slot - record.minute) > 0) roll_minute(record, now);
  const auto us = static_cast<std::uint64_t>(cpu_ns) / 1'000;
  record.cpu_us = saturating_add(record.cpu_us, us);
  if (held.has(Held::graphql)) record.graphql_us = saturating_add(record.graphql_us, us);
  if (us >= rules.policy->secondary.heavy_cpu_ms * us_per_ms)
    record.heavy = saturating_add(record.heavy, 1);
  return was_live;
}

}  // namespace cairn::ratelimit
