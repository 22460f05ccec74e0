// SPDX-License-Identifier: Apache-2.0
// The index, and places that are taken and given back.
#include "ratelimit/memory_table.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace cairn::ratelimit {
namespace {

constexpr std::uint32_t removed = 0xff'ffff;  // an entry that was one
constexpr std::uint32_t number_mask = 0xff'ffff;
constexpr std::uint32_t huge_index_from = 1'024;

// An entry: the low byte of the key, then the place + 1 in 24 bits.
std::uint32_t tag_of(std::uint64_t key) { return static_cast<std::uint32_t>(key) << 24; }
bool tag_fits(std::uint32_t entry, std::uint32_t tag) {
  return (entry & ~number_mask) == tag && entry != 0 && entry != removed;
}
std::uint32_t place_of(std::uint32_t entry) { return (entry & number_mask) - 1; }

// Eleven of sixteen to a bucket when full: few buckets overflow, 6 bytes an identity. Small enough
// to stay in the cache while the records, each looked at once in a while, pass through it.
std::uint32_t buckets_for(std::uint32_t places) { return places / 11 + 1; }

}  // namespace

MemoryTable::MemoryTable(std::uint32_t places)
    : places_(std::min(places, places_max)),
      buckets_(buckets_for(places_)),
      probes_(std::min(probes_max, buckets_)),
      index_memory_(std::size_t{buckets_} * sizeof(Bucket)),
      slot_memory_((std::size_t{places_} + shared_addresses + shared_callers) * sizeof(Slot)),
      slots_(static_cast<Slot*>(slot_memory_.data())) {}

Slot* MemoryTable::find(std::uint64_t key) {
  const std::uint32_t tag = tag_of(key);
  std::uint32_t at = home(key);
  for (std::uint32_t probe = 0; probe < probes_; ++probe, at = next_bucket(at)) {
    bool has_empty = false;
    for (const auto& entry : bucket(at).entries) {
      const std::uint32_t value = entry.load(std::memory_order_acquire);
      has_empty |= value == 0;
      if (!tag_fits(value, tag)) continue;
      Slot& slot = slots_[place_of(value)];
      __builtin_prefetch(&slot.record.cells);
      slot.lock.lock();
      if (slot.key.load(std::memory_order_relaxed) == key) return &slot;
      slot.lock.unlock();
    }
    if (has_empty) return nullptr;
  }
  return nullptr;
}

Slot* MemoryTable::shared(std::uint64_t key, std::uint32_t kind) {
  const std::uint64_t number =
      kind == of_address ? key % shared_addresses : shared_addresses + key % shared_callers;
  return shared_at(static_cast<std::uint32_t>(number), kind);
}

Slot* MemoryTable::shared_at(std::uint32_t number, std::uint32_t kind) {
  if (number >= shared_addresses + shared_callers) return nullptr;
  shared_used_.store(true, std::memory_order_relaxed);
  Slot& slot = slots_[places_ + number];
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
    const std::lock_guard adding(lock_);
    std::uint32_t number = 0;
    if (entry_of(key, number) != nullptr) continue;  // somebody was faster
    number = take_place(kind, now, bans);
    auto* const entry = number == places_ ? nullptr : room_for(key);
    if (entry == nullptr) {
      if (number != places_) free_place(number);
      break;
    }
    Slot& slot = slots_[number];
    slot.lock.lock();  // a lookup that came late may hold it, for a moment
    slot.record = {};
    slot.record.kind = kind;
    slot.next = 0;
    slot.key.store(key, std::memory_order_relaxed);
    entry->store(tag_of(key) | (number + 1), std::memory_order_release);
    kinds_[kind - 1].fetch_add(1, std::memory_order_relaxed);
    return &slot;
  }
  shared_hits_.fetch_add(1, std::memory_order_relaxed);
  return shared(key, kind);
}

std::atomic<std::uint32_t>* MemoryTable::entry_of(std::uint64_t key, std::uint32_t& number) {
  std::uint32_t at = home(key);
  for (std::uint32_t probe = 0; probe < probes_; ++probe, at = next_bucket(at)) {
    for (auto& entry : bucket(at).entries) {
      const std::uint32_t value = entry.load(std::memory_order_relaxed);
      if (!tag_fits(value, tag_of(key))) continue;
      number = place_of(value);
      if (slots_[number].key.load(std::memory_order_relaxed) == key) return &entry;
    }
  }
  return nullptr;
}

std::atomic<std::uint32_t>* MemoryTable::room_for(std::uint64_t key) {
  std::uint32_t at = home(key);
  for (std::uint32_t probe = 0; probe < probes_; ++probe, at = next_bucket(at)) {
    for (auto& entry : bucket(at).entries) {
      const std::uint32_t value = entry.load(std::memory_order_relaxed);
      if (value == 0 || value == removed) return &entry;
    }
  }
  return nullptr;
}

void MemoryTable::remove_entry(std::uint64_t key) {
  std::uint32_t number = 0;
  auto* const entry = entry_of(key, number);
  if (entry == nullptr) return;
  const auto first = reinterpret_cast<std::uintptr_t>(entry) / sizeof(Bucket) * sizeof(Bucket);
  const auto* const in = reinterpret_cast<const Bucket*>(first);
  const bool has_empty = std::any_of(std::begin(in->entries), std::end(in->entries),
                                     [](const auto& each) { return each.load() == 0; });
  entry->store(has_empty ? 0 : removed, std::memory_order_release);
}

void MemoryTable::free_place(std::uint32_t number) {
  slots_[number].next = free_;
  free_ = number + 1;
}

void MemoryTable::free_blocks(Slot& slot) {
  for (std::uint32_t at = slot.next; at != 0;) {
    const std::uint32_t number = link::number(at);
    at = slots_[number].next;
    free_place(number);
  }
  slot.next = 0;
}

std::uint32_t MemoryTable::take_place(std::uint32_t for_kind, const Moment& now,
                                      const BanTimes& bans) {
  const std::uint32_t fresh = used_end_.load(std::memory_order_relaxed);
  if (free_ == 0 && fresh < places_) {
    if (fresh == 0) slot_memory_.use_huge_pages(false);
    if (fresh >= huge_index_from && !huge_index_) {
      huge_index_ = true;
      index_memory_.use_huge_pages(true);
    }
    used_end_.store(fresh + 1, std::memory_order_release);
    return fresh;
  }
  if (free_ == 0 && !make_room(for_kind, now, bans)) return places_;
  const std::uint32_t number = free_ - 1;
  free_ = slots_[number].next;
  return number;
}

Slot* MemoryTable::add_block(Slot& owner, bool content, const Moment& now, const BanTimes& bans) {
  if (owner.key.load(std::memory_order_relaxed) == 0) return nullptr;  // a shared one makes do
  std::uint32_t number = 0;
  {
    const std::lock_guard adding(lock_);
    number = take_place(owner.record.kind, now, bans);
  }
  if (number == places_) return nullptr;
  Slot& block = slots_[number];
  block.more = {};
  block.next = 0;
  std::uint32_t* end = &owner.next;
  while (*end != 0) end = &slots_[link::number(*end)].next;
  *end = (number + 1) | (content ? link::content_bit : 0);
  return &block;
}

void MemoryTable::clear() {
  const std::lock_guard adding(lock_);
  for (std::uint32_t i = 0; i < buckets_; ++i)
    for (auto& entry : bucket(i).entries) entry.store(0);
  for (std::uint32_t i = 0; i < used_end(); ++i) slots_[i].key.store(0);
  for (std::uint32_t i = places_; i < places_and_shared(); ++i)
    if (slots_[i].record.kind != 0) slots_[i].record = {};
  for (auto& kind : kinds_) kind.store(0);
  used_end_.store(0);
  free_ = hand_ = futile_ = 0;
  rest_until_ms_ = 0;
  shared_used_ = false;
}

}  // namespace cairn::ratelimit
