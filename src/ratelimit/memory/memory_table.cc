// SPDX-License-Identifier: Apache-2.0
// Looking up, and places that are taken.
#include "ratelimit/memory/memory_table.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "ratelimit/memory/memory_groups.h"

namespace cairn::ratelimit {
namespace {

// Groups are filled to 33 of 40 places, so that few of them are passed and the pages, all taken,
// come to less than 160 bytes an identity.
constexpr std::uint32_t usual_fill = 33;
constexpr std::uint32_t blocks_least = 64;

std::uint8_t byte_of(std::uint64_t key) {
  const auto low = static_cast<std::uint8_t>(key);
  return low == 0 ? 1 : low;
}

}  // namespace

MemoryTable::MemoryTable(std::uint32_t places)
    : places_(std::min(places, places_max)),
      groups_(places_ / usual_fill + 1),
      probes_(std::min(probes_max, groups_)),
      pages_(groups_ * group_pages),
      blocks_(places_ / 4 + blocks_least),
      group_memory_(std::size_t{groups_} * sizeof(Group)),
      slot_memory_(
          (std::size_t{pages_} * page_places + shared_addresses + shared_callers + blocks_) *
          sizeof(Slot)),
      slots_(static_cast<Slot*>(slot_memory_.data())) {
  slot_memory_.use_huge_pages(false);
}

std::uint32_t MemoryTable::guess(std::uint64_t key) const {
  const Group& in = group(home(key));
  const std::uint64_t found = matches(in, byte_of(key));
  if (found == 0) return nowhere;
  const std::uint32_t place = place_in(in, static_cast<std::uint32_t>(std::countr_zero(found)));
  if (place != nowhere) prefetch_place(place);
  return place;
}

Slot* MemoryTable::find(std::uint64_t key) {
  std::uint32_t number = home(key);
  for (std::uint32_t probe = 0; probe < probes_; ++probe, number = next_group(number)) {
    const Group& in = group(number);
    for (std::uint64_t found = matches(in, byte_of(key)); found != 0; found &= found - 1) {
      const std::uint32_t place = place_in(in, static_cast<std::uint32_t>(std::countr_zero(found)));
      if (place == nowhere) continue;
      Slot& slot = slots_[place];
      slot.lock.lock();
      if (slot.key.load(std::memory_order_relaxed) == key) return &slot;
      slot.lock.unlock();
    }
    if (!in.passed()) return nullptr;
  }
  return nullptr;
}

bool MemoryTable::has(std::uint64_t key) const {
  std::uint32_t number = home(key);
  for (std::uint32_t probe = 0; probe < probes_; ++probe, number = next_group(number)) {
    const Group& in = group(number);
    for (std::uint64_t found = matches(in, byte_of(key)); found != 0; found &= found - 1) {
      const std::uint32_t place = place_in(in, static_cast<std::uint32_t>(std::countr_zero(found)));
      if (place != nowhere && slots_[place].key.load(std::memory_order_acquire) == key) return true;
    }
    if (!in.passed()) return false;
  }
  return false;
}

Slot* MemoryTable::shared(std::uint64_t key, std::uint32_t kind) {
  const std::uint64_t number =
      kind == of_address ? key % shared_addresses : shared_addresses + key % shared_callers;
  return shared_at(static_cast<std::uint32_t>(number), kind);
}

Slot* MemoryTable::shared_at(std::uint32_t number, std::uint32_t kind) {
  if (number >= shared_addresses + shared_callers) return nullptr;
  if (!any_shared()) shared_used_.store(true, std::memory_order_relaxed);
  Slot& slot = slots_[shared_begin() + number];
  slot.lock.lock();
  slot.record.kind = kind;
  return &slot;
}

bool MemoryTable::is_shared(std::uint64_t key, std::uint32_t kind, const Moment& now,
                            const BanTimes& bans) {
  if (!any_shared()) return false;
  Slot* const slot = shared(key, kind);
  const bool counts = !all_over(*slot, now, bans);
  slot->lock.unlock();
  return counts;
}

Slot* MemoryTable::find_or_add(std::uint64_t key, std::uint32_t kind, const Moment& now,
                               const BanTimes& bans) {
  while (true) {
    if (Slot* const slot = find(key)) return slot;
    if (is_shared(key, kind, now, bans)) break;
    const std::lock_guard adding(group(home(key)).lock);
    if (has(key)) continue;  // somebody was faster
    const std::uint32_t place = add(key, kind, now, bans);
    if (place == nowhere) break;
    return &slots_[place];
  }
  shared_hits_.fetch_add(1, std::memory_order_relaxed);
  return shared(key, kind);
}

bool MemoryTable::take_count() {
  std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  while (taken < places_)
    if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) return true;
  return false;
}

std::uint32_t MemoryTable::add(std::uint64_t key, std::uint32_t kind, const Moment& now,
                               const BanTimes& bans) {
  const std::uint32_t from = home(key);
  if (!take_count() && !(make_room(from, kind, now, bans) && take_count())) return nowhere;
  std::uint32_t number = from;
  std::uint32_t place = nowhere;
  for (std::uint32_t probe = 0; probe < probes_ && place == nowhere; ++probe) {
    Group& in = group(number);
    if (probe == 0 || in.lock.try_lock()) {
      place = take_free(in, key);
      if (place != nowhere) {
        Slot& slot = slots_[place];
        slot.lock.lock();
        slot.record = {};
        slot.record.kind = kind;
        slot.next = 0;
        slot.key.store(key, std::memory_order_release);
      }
      if (probe != 0) in.lock.unlock();
    }
    if (place == nowhere) in.pages[0].fetch_or(passed_mark, std::memory_order_release);
    number = next_group(number);
  }
  if (place == nowhere)
    taken_.fetch_sub(1, std::memory_order_relaxed);
  else
    kinds_[kind - 1].fetch_add(1, std::memory_order_relaxed);
  return place;
}

std::uint32_t MemoryTable::take_free(Group& in, std::uint64_t key) {
  const std::uint64_t free = matches(in, 0);
  if (free == 0) return nowhere;
  const auto at = static_cast<std::uint32_t>(std::countr_zero(free));
  auto& page = in.pages[at / page_places];
  if ((page.load(std::memory_order_relaxed) & ~passed_mark) == 0) {
    const std::uint32_t fresh = next_page_.fetch_add(1, std::memory_order_acq_rel);
    page.fetch_or(fresh + 1, std::memory_order_release);  // there are five for each group
  }
  in.bytes[at].store(byte_of(key), std::memory_order_release);
  return place_in(in, at);
}

Slot* MemoryTable::add_block(Slot& owner, bool content) {
  if (owner.key.load(std::memory_order_relaxed) == 0) return nullptr;  // a shared one makes do
  const std::uint32_t most = owner.record.kind == of_address ? blocks_ / 2 : blocks_;
  std::uint32_t number = 0;
  {
    const std::lock_guard taking(blocks_lock_);
    if (blocks_taken_ >= most) return nullptr;
    ++blocks_taken_;
    if (free_block_ != 0) {
      number = free_block_ - 1;
      free_block_ = slots_[number].next;
    } else {
      number = shared_end() + next_block_++;
    }
  }
  Slot& block = slots_[number];
  block.more = {};
  block.next = 0;
  std::uint32_t* end = &owner.next;
  while (*end != 0) end = &slots_[link::number(*end)].next;
  *end = (number + 1) | (content ? link::content_bit : 0);
  return &block;
}

void MemoryTable::free_blocks(Slot& slot) {
  if (slot.next == 0) return;
  const std::lock_guard giving(blocks_lock_);
  for (std::uint32_t at = slot.next; at != 0; --blocks_taken_) {
    const std::uint32_t number = link::number(at);
    at = slots_[number].next;
    slots_[number].next = free_block_;
    free_block_ = number + 1;
  }
  slot.next = 0;
}

void MemoryTable::clear() {
  for (std::uint32_t i = 0; i < used_end(); ++i) slots_[i].key.store(0);
  for (std::uint32_t i = 0; i < groups_; ++i) {
    for (auto& byte : group(i).bytes) byte.store(0);
    for (auto& page : group(i).pages) page.store(0);
  }
  if (any_shared())
    for (std::uint32_t i = shared_begin(); i < shared_end(); ++i) slots_[i].record = {};
  for (auto& kind : kinds_) kind.store(0);
  taken_ = next_page_ = futile_ = free_block_ = next_block_ = blocks_taken_ = 0;
  rest_until_ms_ = 0;
  shared_used_ = false;
}

}  // namespace cairn::ratelimit
