// SPDX-License-Identifier: Apache-2.0
// When a counter has nothing to say any more.
#include "ratelimit/memory/memory_record.h"

namespace cairn::ratelimit {
namespace {

bool slot_over(std::uint32_t slot, std::uint32_t now) {
  return is_past(slot, now) && slot + 1 != now;
}

}  // namespace

bool cell_over(const Cell& cell, const Moment& now, const BanTimes& bans) {
  if (cell.id == cell_id::none) return true;
  if (cell_id::is_resource(cell.id)) return now.over(cell.when);
  if (cell.id != cell_id::ban) return slot_over(cell.when, now.minute.slot);
  const bool forgotten = cell.when == 0 || now.over(cell.when + bans.longest_s);
  return forgotten && now.over(cell.a + bans.window_s);
}

bool content_over(const Content& content, const Moment& now) {
  if (content.id == 0) return true;
  const std::uint32_t passed = now.ring.slot - content.hour.slot;
  return passed > HourRing::slots && slot_over(content.minute, now.minute.slot);
}

bool record_over(const RecordBody& record, const Moment& now) {
  if (record.live != 0 || record.live_objects != 0) return false;
  if (record.core_used != 0 && !now.over(record.core_reset)) return false;
  const bool minute_used = record.cpu_us != 0 || record.cpu_us_before != 0 || record.heavy != 0 ||
                           record.heavy_before != 0;
  return !minute_used || slot_over(record.minute, now.minute.slot);
}

void shift_minute(RecordBody& record, std::uint32_t slot) {
  shift(record.minute, slot, record.cpu_us, record.cpu_us_before);
  shift(record.minute, slot, record.graphql_us, record.graphql_us_before);
  shift(record.minute, slot, record.heavy, record.heavy_before);
  record.minute = slot;
}

}  // namespace cairn::ratelimit
