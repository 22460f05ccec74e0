// SPDX-License-Identifier: Apache-2.0
// The records of all identities: found without a lock, bounded for ever.
//
// A hash names a group: one cache line with a byte of up to 40 keys and the pages, of eight places
// each, where their records are. Groups are so few that they stay in the processor's cache, so that
// a look-up waits for memory once, for the record. Pages are taken one after the other from a dense
// array, so that a process pays for the identities that it has, not for those that it may have.
//
// Invariants
//  1. A key is added under the lock of its group (home), wherever its record goes. A record goes to
//     a later group only if all groups before it, from home, were full and are marked as passed,
//     for ever; so a look-up may stop at the first group without the mark, and after probes_max
//     anyway.
//  2. Bytes, pages and keys of a group's places change under that group's lock.
//  3. Locks are taken in this order: group, further groups and records by trying only, blocks. Who
//     holds a record may wait for the blocks' lock and, unless it is the record of many, for
//     nothing else. Nobody waits for a record while holding a group, but for one that is not in
//     use, which a late look-up, or one by an old note, may hold for a moment, and for those that many
//     share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "os/large_memory.h"
#include "ratelimit/memory/memory_record.h"

namespace cairn::ratelimit {

class MemoryTable {
 public:
  static constexpr std::uint32_t places_max = 16'000'000;
  /// `places` for records, at most places_max; and a quarter of that for blocks, of which addresses
  /// may take half.
  explicit MemoryTable(std::uint32_t places);

  /// Starts loading what find() reads first.
  void prefetch_group(std::uint64_t key) const { __builtin_prefetch(&group(home(key))); }
  /// Starts loading what it reads then: the place where the record seems to be, for find_or_add().
  std::uint32_t guess(std::uint64_t key) const;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// Starts loading a place that was the record's when it was last seen.
  void prefetch_place(std::uint32_t place) const {
    __builtin_prefetch(&slots_[place], 1);
    __builtin_prefetch(&slots_[place].record.cells, 1);
  }
  /// The record, locked; null where there is none.
  Slot* find(std::uint64_t key);
  /// The same, made if need be. Where nothing can go to make room: one that is shared by many
  /// (its key is 0). Records of addresses go before those of callers, and leave what they had used
  /// in the shared one that their address falls into, which stays in charge until that is over.
  Slot* find_or_add(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans);
  /// The same with what guess() said, or where it was when it was last found.
  Slot* find_or_add(std::uint64_t key, std::uint32_t guessed, std::uint32_t kind, const Moment& now,
                    const BanTimes& bans) {
    if (guessed != nowhere) {
      Slot& slot = slots_[guessed];
      slot.lock.lock();
      if (slot.key.load(std::memory_order_relaxed) == key) return &slot;
      slot.lock.unlock();
    }
    return find_or_add(key, kind, now, bans);
  }
  /// The shared record for `key`, locked.
  Slot* shared(std::uint64_t key, std::uint32_t kind);
  /// That with this number among the shared ones, locked; null where there are not as many.
  Slot* shared_at(std::uint32_t number, std::uint32_t kind);
  bool any_shared() const { return shared_used_.load(std::memory_order_relaxed); }
  /// True where the shared record of this key counts for it.
  bool is_shared(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans);

  /// A zeroed block at the end of what the locked `owner` has; null where there is no room.
  Slot* add_block(Slot& owner, bool content);
  /// Places are numbered: those of pages, the shared ones, the blocks.
  Slot& at(std::uint32_t number) { return slots_[number]; }
  const Slot& at(std::uint32_t number) const { return slots_[number]; }
  std::uint32_t number_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_);
  }
  /// Records have numbers below this one; and from shared_begin() to shared_end().
  std::uint32_t used_end() const {
    return next_page_.load(std::memory_order_acquire) * page_places;
  }
  std::uint32_t shared_begin() const { return pages_ * page_places; }
  std::uint32_t shared_end() const { return shared_begin() + shared_addresses + shared_callers; }
  /// Nothing is found any more. For when nobody else uses the table.
  void clear();

  // How many there are, and what became of others.
  std::uint32_t identities(std::uint32_t kind) const {
    return kinds_[kind - 1].load(std::memory_order_relaxed);
  }
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  std::uint64_t shared_hits() const { return shared_hits_.load(std::memory_order_relaxed); }

  static constexpr std::uint32_t shared_addresses = 4'096;
  static constexpr std::uint32_t shared_callers = 1'024;
  static constexpr std::uint32_t probes_max = 8;
  static constexpr std::uint32_t page_places = 8;
  static constexpr std::uint32_t group_pages = 5;
  static constexpr std::uint32_t group_places = page_places * group_pages;

 private:
  // A byte is 0 where the place is free, else made from the key. A page is its number + 1, with the
  // mark of a passed group in the first one.
  struct alignas(64) Group {
    std::atomic<std::uint8_t> bytes[group_places];
    std::atomic<std::uint32_t> pages[group_pages];
    ShortLock lock;
    bool passed() const { return (pages[0].load(std::memory_order_acquire) & passed_mark) != 0; }
  };
  static_assert(sizeof(Group) == 64);
  static constexpr std::uint32_t passed_mark = 0x8000'0000;

  std::uint32_t home(std::uint64_t key) const {
    return static_cast<std::uint32_t>((key >> 32) * groups_ >> 32);
  }
  Group& group(std::uint32_t number) const {
    return static_cast<Group*>(group_memory_.data())[number];
  }
  std::uint32_t next_group(std::uint32_t number) const {
    return number + 1 == groups_ ? 0 : number + 1;
  }
  [[gnu::always_inline]] static std::uint64_t matches(const Group& in, std::uint8_t byte);
  [[gnu::always_inline]] std::uint32_t place_in(const Group& in, std::uint32_t at) const;

  // Under the home group's lock.
  bool has(std::uint64_t key) const;
  std::uint32_t add(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans);
  // Under the lock of the group that is named.
  std::uint32_t take_free(Group& in, std::uint64_t key);
  bool evict_one(Group& in, bool running, const Moment& now, const BanTimes& bans);
  bool evict(Group& in, std::uint32_t at, bool running, const Moment& now, const BanTimes& bans);

  bool take_count();
  bool make_room(std::uint32_t home_group, std::uint32_t kind, const Moment& now,
                 const BanTimes& bans);
  bool all_over(const Slot& slot, const Moment& now, const BanTimes& bans) const;
  bool may_go(const Slot& slot, const Moment& now) const;
  void leave_to_shared(const Slot& slot, const Moment& now);
  void free_blocks(Slot& slot);

  std::uint32_t places_;
  std::uint32_t groups_;
  std::uint32_t probes_;
  std::uint32_t pages_;
  std::uint32_t blocks_;
  os::LargeMemory group_memory_;
  os::LargeMemory slot_memory_;
  Slot* slots_;

  alignas(64) std::atomic<std::uint32_t> taken_{0};  // places of records
  std::atomic<std::uint32_t> next_page_{0};
  std::atomic<std::uint32_t> kinds_[2] = {};
  std::atomic<std::uint64_t> evictions_{0};
  std::atomic<std::uint32_t> futile_{0};        // groups in a row in which nothing was over
  std::atomic<std::int64_t> rest_until_ms_{0};  // after as many as there are
  std::atomic<std::uint64_t> shared_hits_{0};
  ShortLock blocks_lock_;
  std::uint32_t free_block_ = 0;  // number + 1
  std::uint32_t next_block_ = 0;
  std::uint32_t blocks_taken_ = 0;
  alignas(64) std::atomic<bool> shared_used_{false};
};

}  // namespace cairn::ratelimit
