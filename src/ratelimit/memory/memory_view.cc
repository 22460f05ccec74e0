// SPDX-License-Identifier: Apache-2.0
// What operators see: one identity in full, and the metrics.
#include <functional>
#include <mutex>
#include <utility>

#include "ratelimit/memory/memory_cells.h"
#include "ratelimit/memory/memory_state.h"

namespace cairn::ratelimit {
namespace {

Json limit_json(const Limit& limit) { return limit ? Json(*limit) : Json(); }

Json counter_json(std::uint64_t used, const Limit& limit) {
  return Json::object({{"used", used}, {"limit", limit_json(limit)}});
}

// Whole milliseconds, rounded down: what is shown reaches the limit when requests are refused, not
// before.
Json ms_json(std::uint32_t us, std::uint32_t us_before, const Limit& limit, const SlotTime& now) {
  return counter_json(estimate(us, us_before, now) / 1'000, limit);
}

// One identity's record, read. `slot` may be null.
class View {
 public:
  using Names = std::function<std::string(std::uint32_t)>;
  View(const Rules& rules, const Moment& now, const MemoryTable& table, const Slot* slot,
       Names names)
      : secondary_(rules.policy->secondary),
        rules_(rules),
        now_(now),
        table_(table),
        slot_(slot),
        names_(std::move(names)) {
    if (slot != nullptr) record_ = slot->record;
    roll_minute(record_, now);
  }

  Json secondary() const {
    const SlotTime& minute = now_.minute;
    Json cpu = Json::object(
        {{"total", ms_json(record_.cpu_us, record_.cpu_us_before, secondary_.cpu_ms_total, minute)},
         {"graphql", ms_json(record_.graphql_us, record_.graphql_us_before,
                             secondary_.cpu_ms_graphql, minute)}});
    const Limit objects_concurrent = rules_.policy->objects ? secondary_.concurrent : Limit();
    return Json::object(
        {{"concurrent", counter_json(record_.live, secondary_.concurrent)},
         {"concurrent_objects", counter_json(record_.live_objects, objects_concurrent)},
         {"cpu_ms_per_minute", std::move(cpu)},
         {"points_per_minute", points()},
         {"content_per_minute", counter_json(content().current, secondary_.content_per_minute)},
         {"content_per_hour", counter_json(content().hour.total(), secondary_.content_per_hour)},
         {"heavy_per_minute", counter_json(estimate(record_.heavy, record_.heavy_before, minute),
                                           secondary_.heavy_per_minute)}});
  }

  Json ban() const {
    const Cell* const cell = slot_ == nullptr ? nullptr : find_cell(table_, *slot_, cell_id::ban);
    if (cell == nullptr) return Json();
    const bool banned = cell->when != 0 && !now_.over(cell->when);
    Json out = Json::object({{"banned", banned}});
    if (banned) out.set("until", std::int64_t{cell->when} - now_.behind_ms / 1'000);
    out.set("strikes", cell->b & 0xff'ffff);
    out.set("bans", cell->b >> 24);
    return out;
  }

 private:
  Json points() const {
    Json out = Json::object({{"limit_rest", limit_json(secondary_.points_rest)},
                             {"limit_graphql", limit_json(secondary_.points_graphql)}});
    Json used = Json::object();
    const auto put = [&](Cell cell) {
      const bool others = cell.id == cell_id::other_endpoints;
      if (!others && !cell_id::is_endpoint(cell.id)) return false;
      roll_points(cell, now_);
      const std::uint64_t count = estimate(cell.a, cell.b, now_.minute);
      if (count > 0) used.set(others ? "others" : names_(cell.id & ~cell_id::endpoint_bit), count);
      return false;  // all of them
    };
    if (slot_ != nullptr) first_cell(table_, *slot_, put);
    out.set("used", std::move(used));
    return out;
  }

  // Of this moment; `current` is the minute's estimate.
  Content content() const {
    Content out{};
    const Content* const found =
        slot_ == nullptr ? nullptr : find_content(table_, *slot_, all_content);
    if (found == nullptr) return out;
    out = *found;
    roll(out.minute, now_.minute.slot, out.current, out.previous);
    out.hour.roll(now_.ring.slot);
    out.current = static_cast<std::uint32_t>(estimate(out.current, out.previous, now_.minute));
    return out;
  }

  const Secondary& secondary_;
  const Rules& rules_;
  const Moment& now_;
  const MemoryTable& table_;
  const Slot* slot_;
  const Names names_;
  RecordBody record_ = {};
};

Json window_json(const Policy& policy, const WindowState& window) {
  Json out = Json::object({{"limit", window.limit},
                           {"used", window.used},
                           {"remaining", window.remaining},
                           {"reset", window.reset_s}});
  if (!policy.resources[window.resource].shown) out.set("shown", false);
  return out;
}

}  // namespace

Json MemoryLimiter::describe(const Identity& identity) {
  const Rules& rules = this->rules();
  const Policy& policy = *rules.policy;
  const Moment now = moment();
  const std::uint64_t key = key_of(sip_, identity.account);
  Json windows = Json::object();
  Slot* const slot = known(key, identity.authenticated() ? of_caller : of_address, now, rules.bans);
  for (std::uint16_t i = 0; i < rules.cells.size(); ++i) {
    if (policy.resources[i].of_rule) continue;  // counted for whom the rule says
    if (const auto window = window_of(rules, now, identity, i, table_, slot))
      windows.set(policy.resources[i].name, window_json(policy, *window));
  }
  const View view(rules, now, table_, slot,
                  [this](std::uint32_t upper_bits) { return name_of_endpoint(upper_bits); });
  Json out = Json::object({{"account", identity.account},
                           {"kind", name_of(identity.kind)},
                           {"exempt", rules.exempts(identity, key)},
                           {"known", slot != nullptr},
                           {"shares_record", slot != nullptr && slot->key == 0},
                           {"windows", std::move(windows)},
                           {"secondary", view.secondary()},
                           {"ban", view.ban()}});
  if (slot != nullptr) slot->lock.unlock();
  return out;
}

void show(const std::shared_ptr<MemoryFigures>& figures, os::Metrics& metrics) {
  using Samples = std::vector<os::Metrics::Sample>;
  const std::weak_ptr<MemoryFigures> weak = figures;
  const auto read = [weak](auto pick) -> os::Metrics::Samples {
    return [weak, pick] {
      const auto alive = weak.lock();
      return alive ? pick(*alive) : Samples{};
    };
  };
  const auto one = [](std::uint64_t value) { return Samples{{{}, static_cast<double>(value)}}; };
  using F = MemoryFigures;
  metrics.counters_from("cairn_ratelimit_double_release_total",
                        "Requests that ended more than once. A fault of Cairn.",
                        read([one](F& f) { return one(f.released_twice.load()); }));
  metrics.gauges_from("cairn_ratelimit_identities", "Identities with a record.", read([](F& f) {
                        return Samples{
                            {{{"kind", "address"}}, double(f.table.identities(of_address))},
                            {{{"kind", "caller"}}, double(f.table.identities(of_caller))}};
                      }));
  metrics.counters_from("cairn_ratelimit_evictions_total", "Records that made room for others.",
                        read([one](F& f) { return one(f.table.evictions()); }));
  metrics.counters_from(
      "cairn_ratelimit_shared_records_total",
      "Decisions on records that many identities share, because the table is full.",
      read([one](F& f) { return one(f.table.shared_hits()); }));
  metrics.counters_from("cairn_ratelimit_clock_steps_total", "Jumps of the wall clock.",
                        read([one](F& f) { return one(f.wall.steps()); }));
}

}  // namespace cairn::ratelimit
