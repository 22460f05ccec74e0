// SPDX-License-Identifier: Apache-2.0
// Who goes when the table is full: first what is over; then, for a caller with credentials, an
// address, whose usage is kept where all evicted addresses meet. Never who is limited, banned or
// has requests under way, and never in more than a bounded number of steps.
#include <algorithm>
#include <bit>
#include <iterator>

#include "ratelimit/memory/memory_cells.h"
#include "ratelimit/memory/memory_groups.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint32_t looks_for_over = 4;  // groups
constexpr std::uint32_t looks_for_address = 8;
constexpr std::int64_t rest_ms = 1'000;

// The greater of both, so that nobody who comes back has more left than before.
void keep_greater(std::uint32_t used, std::uint32_t reset, const Moment& now, std::uint32_t& into,
                  std::uint32_t& into_reset) {
  if (used == 0 || now.over(reset)) return;
  if (now.over(into_reset)) into = 0;
  into = std::max(into, used);
  into_reset = std::max(into_reset, reset);
}

Cell* cell_in(RecordBody& record, std::uint32_t id, const Moment& now) {
  for (Cell& cell : record.cells)
    if (cell.id == id) return &cell;
  for (Cell& cell : record.cells) {
    if (!cell_over(cell, now, {})) continue;
    cell = {.id = id, .when = 0, .a = 0, .b = 0};
    return &cell;
  }
  return nullptr;
}

void keep_cell(const Cell& cell, const Moment& now, RecordBody& into) {
  const bool resource = cell_id::is_resource(cell.id);
  if (!resource && !cell_id::is_endpoint(cell.id)) return;
  if (cell_over(cell, now, {})) return;
  Cell* const kept = cell_in(into, cell.id, now);
  if (kept == nullptr) return;
  if (resource) {
    keep_greater(cell.a, cell.when, now, kept->a, kept->when);
    return;
  }
  Cell from = cell;
  roll_points(from, now);
  roll_points(*kept, now);
  kept->a = std::max(kept->a, from.a);
  kept->b = std::max(kept->b, from.b);
}

}  // namespace

bool MemoryTable::all_over(const Slot& slot, const Moment& now, const BanTimes& bans) const {
  const auto runs = [&](const Cell& cell) { return !cell_over(cell, now, bans); };
  const auto counts = [&](const Content& content) { return !content_over(content, now); };
  return record_over(slot.record, now) && first_cell(*this, slot, runs) == nullptr &&
         first_content(*this, slot, counts) == nullptr;
}

// A record of an address that runs, without requests under way, without strikes or a ban, without
// content, and not refused anything within the hour.
bool MemoryTable::may_go(const Slot& slot, const Moment& now) const {
  const RecordBody& record = slot.record;
  if (record.kind != of_address || record.live != 0 || record.live_objects != 0) return false;
  const auto hour = static_cast<std::uint16_t>(now.ring.slot / HourRing::slots);
  if (record.refusals != 0 && record.refused_hour == hour) return false;
  const auto banned = [](const Cell& cell) { return cell.id == cell_id::ban; };
  return slot.next == 0 && std::none_of(std::begin(record.cells), std::end(record.cells), banned);
}

void MemoryTable::leave_to_shared(const Slot& slot, const Moment& now) {
  const std::uint64_t key = slot.key.load(std::memory_order_relaxed);
  Slot* const into = shared(key, slot.record.kind);
  keep_greater(slot.record.core_used, slot.record.core_reset, now, into->record.core_used,
               into->record.core_reset);
  RecordBody from = slot.record;
  roll_minute(from, now);
  roll_minute(into->record, now);
  into->record.cpu_us = std::max(into->record.cpu_us, from.cpu_us);
  into->record.cpu_us_before = std::max(into->record.cpu_us_before, from.cpu_us_before);
  for (const Cell& cell : from.cells) keep_cell(cell, now, into->record);
  into->lock.unlock();
}

bool MemoryTable::evict(Group& in, std::uint32_t at, bool running, const Moment& now,
                        const BanTimes& bans) {
  Slot& slot = slots_[place_in(in, at)];
  if (!slot.lock.try_lock()) return false;
  const bool over = all_over(slot, now, bans);
  const bool goes = over || (running && may_go(slot, now));
  if (goes) {
    if (!over) leave_to_shared(slot, now);
    in.bytes[at].store(0, std::memory_order_release);
    slot.key.store(0, std::memory_order_release);
    kinds_[slot.record.kind - 1].fetch_sub(1, std::memory_order_relaxed);
    free_blocks(slot);
    taken_.fetch_sub(1, std::memory_order_relaxed);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
  slot.lock.unlock();
  return goes;
}

bool MemoryTable::evict_one(Group& in, bool running, const Moment& now, const BanTimes& bans) {
  const std::uint64_t all = (std::uint64_t{1} << group_places) - 1;
  for (std::uint64_t used = all & ~matches(in, 0); used != 0; used &= used - 1)
    if (evict(in, static_cast<std::uint32_t>(std::countr_zero(used)), running, now, bans))
      return true;
  return false;
}

// In the home group, whose lock is held, and then in those behind it that nobody else works on.
bool MemoryTable::make_room(std::uint32_t home_group, std::uint32_t kind, const Moment& now,
                            const BanTimes& bans) {
  const auto look = [&](std::uint32_t looks, bool running) {
    std::uint32_t number = home_group;
    for (std::uint32_t i = 0; i < std::min(looks, groups_); ++i, number = next_group(number)) {
      Group& in = group(number);
      if (i != 0 && !in.lock.try_lock()) continue;
      const bool gone = evict_one(in, running, now, bans);
      if (i != 0) in.lock.unlock();
      if (gone) return true;
    }
    return false;
  };
  if (now.ms >= rest_until_ms_.load(std::memory_order_relaxed)) {
    if (look(looks_for_over, false)) {
      futile_.store(0, std::memory_order_relaxed);
      return true;
    }
    if (futile_.fetch_add(1, std::memory_order_relaxed) >= groups_) {
      futile_.store(0, std::memory_order_relaxed);  // nothing will be over in the next moments
      rest_until_ms_.store(now.ms + rest_ms, std::memory_order_relaxed);
    }
  }
  return kind == of_caller && look(looks_for_address, true);
}

}  // namespace cairn::ratelimit
