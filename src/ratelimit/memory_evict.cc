// SPDX-License-Identifier: Apache-2.0
// Who goes when the table is full: first what is over; then, for a caller with credentials, an
// address, whose usage is kept where all evicted addresses meet. Never who is limited, banned or
// has requests under way, and never in more than a bounded number of steps.
#include <algorithm>
#include <mutex>

#include "ratelimit/memory_table.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint32_t looks_for_over = 32;
constexpr std::uint32_t looks_for_address = 256;
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
  if (!record_over(slot.record, now, bans)) return false;
  for (std::uint32_t at = slot.next; at != 0; at = slots_[link::number(at)].next) {
    const Slot& block = slots_[link::number(at)];
    if (link::is_content(at)) {
      for (const Content& content : block.content.contents)
        if (!content_over(content, now)) return false;
    } else {
      for (const Cell& cell : block.more.cells)
        if (!cell_over(cell, now, bans)) return false;
    }
  }
  return true;
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

bool MemoryTable::evict(Slot& slot, bool running, const Moment& now, const BanTimes& bans) {
  if (slot.key.load(std::memory_order_relaxed) == 0 || !slot.lock.try_lock()) return false;
  const bool over = all_over(slot, now, bans);
  const bool goes = over || (running && may_go(slot, now));
  if (goes) {
    if (!over) leave_to_shared(slot, now);
    remove_entry(slot.key.load(std::memory_order_relaxed));
    slot.key.store(0, std::memory_order_relaxed);
    kinds_[slot.record.kind - 1].fetch_sub(1, std::memory_order_relaxed);
    free_blocks(slot);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
  slot.lock.unlock();
  if (goes) free_place(number_of(slot));
  return goes;
}

bool MemoryTable::make_room(std::uint32_t for_kind, const Moment& now, const BanTimes& bans) {
  const bool for_caller = for_kind == of_caller;
  const auto look = [&](std::uint32_t looks, bool running) {
    for (std::uint32_t i = 0; i < std::min(places_, looks); ++i) {
      Slot& slot = slots_[hand_];
      hand_ = hand_ + 1 == places_ ? 0 : hand_ + 1;
      if (evict(slot, running, now, bans)) return true;
    }
    return false;
  };
  if (now.ms >= rest_until_ms_) {
    if (look(looks_for_over, false)) {
      futile_ = 0;
      return true;
    }
    futile_ += std::min(places_, looks_for_over);
    if (futile_ >= places_) {  // a whole round: nothing will be over within the next moments
      futile_ = 0;
      rest_until_ms_ = now.ms + rest_ms;
    }
  }
  return for_caller && look(looks_for_address, true);
}

}  // namespace cairn::ratelimit
