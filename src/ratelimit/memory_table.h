// SPDX-License-Identifier: Apache-2.0
// The records of all identities: found without a lock, bounded for ever.
//
// An index of buckets, sixteen entries to a cache line, names places in one dense array, so that a
// process pays for the identities that it has and not for those that it may have. Looking up reads
// the index without a lock, locks the record, and looks whether it is the right one. Adding and
// evicting go one at a time.
//
// Invariants
//  1. A bucket that was full once never has an empty entry again (removed ones are marked), so a
//     lookup may stop at the first empty entry. It reads at most probes_max buckets, always.
//  2. Whoever holds the table's lock waits for no record that can be found: it tries, or takes one
//     that is free. Whoever holds a record may wait for the table's lock; but not who holds a
//     shared one, for which the table's holder does wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "os/large_memory.h"
#include "ratelimit/memory_record.h"

namespace cairn::ratelimit {

class MemoryTable {
 public:
  static constexpr std::uint32_t places_max = 0xff'fffe;  // an entry has 24 bits for them
  /// `places` for records and blocks together, at most places_max.
  explicit MemoryTable(std::uint32_t places);

  /// Starts loading what find() reads first.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket(home(key))); }
  /// The record, locked; null where there is none.
  Slot* find(std::uint64_t key);
  /// The same, made if need be. Where nothing can go to make room: one that is shared by many
  /// (its key is 0). Records of addresses go before those of callers, and leave what they had used
  /// in the shared one that their address falls into, which stays in charge until that is over.
  Slot* find_or_add(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans);
  /// The shared record for `key`, locked.
  Slot* shared(std::uint64_t key, std::uint32_t kind);
  /// That with this number behind the others, locked; null where there are not as many.
  Slot* shared_at(std::uint32_t number, std::uint32_t kind);
  bool any_shared() const { return shared_used_.load(std::memory_order_relaxed); }
  /// True where the shared record of this key counts for it.
  bool is_shared(std::uint64_t key, std::uint32_t kind, const Moment& now, const BanTimes& bans);

  /// A zeroed block at the end of what the locked `owner` has; null where there is no room.
  Slot* add_block(Slot& owner, bool content, const Moment& now, const BanTimes& bans);
  Slot& at(std::uint32_t number) { return slots_[number]; }
  const Slot& at(std::uint32_t number) const { return slots_[number]; }
  /// Shared records are numbered behind the others.
  std::uint32_t number_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_);
  }
  /// Numbers below this have been used, and those from places() to places_and_shared().
  std::uint32_t used_end() const { return used_end_.load(std::memory_order_acquire); }
  std::uint32_t places() const { return places_; }
  std::uint32_t places_and_shared() const { return places_ + shared_addresses + shared_callers; }
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

 private:
  struct alignas(64) Bucket {
    std::atomic<std::uint32_t> entries[16];
  };
  std::uint32_t home(std::uint64_t key) const {
    return static_cast<std::uint32_t>((key >> 32) * buckets_ >> 32);
  }
  Bucket& bucket(std::uint32_t number) const {
    return static_cast<Bucket*>(index_memory_.data())[number];
  }
  std::uint32_t next_bucket(std::uint32_t number) const {
    return number + 1 == buckets_ ? 0 : number + 1;
  }
  // The rest under the table's lock.
  std::atomic<std::uint32_t>* entry_of(std::uint64_t key, std::uint32_t& number);
  std::atomic<std::uint32_t>* room_for(std::uint64_t key);
  void remove_entry(std::uint64_t key);
  std::uint32_t take_place(std::uint32_t for_kind, const Moment& now, const BanTimes& bans);
  bool make_room(std::uint32_t for_kind, const Moment& now, const BanTimes& bans);
  bool evict(Slot& slot, bool running, const Moment& now, const BanTimes& bans);
  bool all_over(const Slot& slot, const Moment& now, const BanTimes& bans) const;
  bool may_go(const Slot& slot, const Moment& now) const;
  void leave_to_shared(const Slot& slot, const Moment& now);
  void free_place(std::uint32_t number);
  void free_blocks(Slot& slot);

  std::uint32_t places_;
  std::uint32_t buckets_;
  std::uint32_t probes_;
  os::LargeMemory index_memory_;
  os::LargeMemory slot_memory_;
  Slot* slots_;

  alignas(64) ShortLock lock_;
  std::uint32_t free_ = 0;          // the first free place + 1
  std::uint32_t hand_ = 0;          // where the search for what can go stands
  std::uint32_t futile_ = 0;        // places in a row that could not go
  std::int64_t rest_until_ms_ = 0;  // after a whole round of them
  bool huge_index_ = false;
  std::atomic<std::uint32_t> used_end_{0};
  std::atomic<std::uint32_t> kinds_[2] = {};
  std::atomic<std::uint64_t> evictions_{0};
  std::atomic<bool> shared_used_{false};
  alignas(64) std::atomic<std::uint64_t> shared_hits_{0};
};

}  // namespace cairn::ratelimit
