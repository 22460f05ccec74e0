// SPDX-License-Identifier: Apache-2.0
// What is kept of one identity: two cache lines, and more only for those who need it.
#pragma once

#include <atomic>
#include <cstdint>

#include "ratelimit/counters/hour_ring.h"
#include "ratelimit/counters/short_lock.h"
#include "ratelimit/counters/two_counters.h"

namespace cairn::ratelimit {

/// One decision's idea of now.
struct Moment {
  std::int64_t ms = 0;
  std::int64_t behind_ms = 0;  // by which callers' clocks are behind `ms`
  SlotTime minute = {};
  SlotTime ring = {};  // of twelve in an hour

  bool over(std::uint32_t reset_s) const { return ms >= std::int64_t{reset_s} * 1'000; }
  std::uint32_t next_second() const { return static_cast<std::uint32_t>((ms + 999) / 1'000); }
  std::uint32_t seconds_until(std::uint32_t at_s) const {
    const std::int64_t wait = (std::int64_t{at_s} * 1'000 - ms + 999) / 1'000;
    return wait < 1 ? 1 : static_cast<std::uint32_t>(wait);
  }
};

/// One counter of an identity, named by its id. Which fields mean what depends on the kind:
///   resource:  when: reset in seconds; a: used
///   endpoint:  when: slot of the minute; a: points in it; b: points in the one before
///   ban:       when: banned until, seconds; a: start of the strikes' window, seconds;
///              b: strikes, 24 bits, and bans so far above them
struct Cell {
  std::uint32_t id, when, a, b;
};
namespace cell_id {
constexpr std::uint32_t none = 0;
constexpr std::uint32_t ban = 1;
constexpr std::uint32_t other_endpoints = 2;  // all that found no room of their own
constexpr std::uint32_t endpoint_bit = 0x4000'0000;
constexpr std::uint32_t resource_bit = 0x8000'0000;
constexpr std::uint32_t endpoint(std::uint32_t hash) { return endpoint_bit | (hash >> 2); }
constexpr std::uint32_t resource(std::uint32_t hash) { return resource_bit | (hash >> 2); }
constexpr bool is_endpoint(std::uint32_t id) { return (id & endpoint_bit) != 0; }
constexpr bool is_resource(std::uint32_t id) { return (id & resource_bit) != 0; }
}  // namespace cell_id

/// Content-generating requests, all or those of one endpoint.
struct Content {
  std::uint32_t id;  // 1: all; cell_id::endpoint(): of one
  std::uint32_t minute, current, previous;
  HourRing hour;
};

struct RecordBody {
  std::uint32_t core_used, core_reset;
  std::uint32_t minute;                 // slot of the counters below
  std::uint32_t cpu_us, cpu_us_before;  // all
  std::uint32_t graphql_us, graphql_us_before;
  std::uint16_t heavy, heavy_before;     // requests that took long
  std::uint32_t live, live_objects;      // requests under way; those of object storage
  std::uint16_t refusals, refused_hour;  // low bits of the hour that they were in
  std::uint32_t kind;                    // of the identity that came first: address or not
  Cell cells[4];
};
struct CellsBody {
  Cell cells[7];
};
struct ContentBody {
  Content contents[2];
};

/// A place in the table: an identity's record, or a block that a record owns. Everything but the
/// key is under the lock; blocks are under their record's. The key changes under the table's lock
/// and the record's, both. Zeroed memory is an empty record.
struct alignas(128) Slot {
  ShortLock lock;
  std::uint32_t next;              // record and block: link to a block; free: the next free + 1
  std::atomic<std::uint64_t> key;  // 0: a block, free, or shared by many
  union {
    RecordBody record;
    CellsBody more;
    ContentBody content;
  };
};
static_assert(sizeof(Slot) == 128);

/// A link is the block's number + 1, and a bit that says what the block holds. 0: none.
namespace link {
constexpr std::uint32_t content_bit = 0x8000'0000;
constexpr std::uint32_t number(std::uint32_t link) { return (link & ~content_bit) - 1; }
constexpr bool is_content(std::uint32_t link) { return (link & content_bit) != 0; }
}  // namespace link

constexpr std::uint32_t of_address = 1;  // RecordBody::kind
constexpr std::uint32_t of_caller = 2;

/// How long a ban is remembered after its end, so that the next one is longer.
struct BanTimes {
  std::uint32_t window_s = 0;
  std::uint32_t longest_s = 0;
};

bool cell_over(const Cell& cell, const Moment& now, const BanTimes& bans);
bool content_over(const Content& content, const Moment& now);
/// Nothing under way, and no counter beside the cells that says anything.
bool record_over(const RecordBody& record, const Moment& now);

/// Brings the minute's counters of a record to now.
void shift_minute(RecordBody& record, std::uint32_t slot);
inline void roll_minute(RecordBody& record, const Moment& now) {
  if (is_past(record.minute, now.minute.slot)) [[unlikely]]
    shift_minute(record, now.minute.slot);
}
inline void roll_points(Cell& cell, const Moment& now) {
  roll(cell.when, now.minute.slot, cell.a, cell.b);
}

}  // namespace cairn::ratelimit
