// SPDX-License-Identifier: Apache-2.0
// Time zones by the names of IANA ("Europe/Berlin"), and what clocks there show.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace cairn::text {

/// A zone with its rules, or a fixed offset. Moments are milliseconds since 1970 in UTC, local
/// times what a clock in the zone shows, counted the same way. Cheap to copy; safe from any thread.
class TimeZone {
 public:
  TimeZone() = default;  // UTC
  explicit TimeZone(std::int64_t offset_ms) : fixed_ms_(offset_ms) {}
  /// By a name of IANA, which is case-sensitive; nothing for a name that is not known.
  static std::optional<TimeZone> named(std::string_view name);

  bool has_rules() const { return rules_ != nullptr; }
  /// What clocks are ahead of UTC at a moment.
  std::int64_t offset_ms(std::int64_t utc_ms) const;
  std::int64_t local_of(std::int64_t utc_ms) const { return utc_ms + offset_ms(utc_ms); }
  /// The moment of a local time. Of two the first; a time that clocks skip counts on from the time
  /// before them: 02:30 where 02:00 is followed by 03:00 is 03:30.
  std::int64_t utc_of(std::int64_t local_ms) const;
  /// The first moment whose local time is not before this: where clocks skip it, their change.
  std::int64_t first_utc_of(std::int64_t local_ms) const;
  /// The last change of the clocks at or before a moment.
  std::optional<std::int64_t> change_before(std::int64_t utc_ms) const;

 private:
  class Rules;
  std::shared_ptr<const Rules> rules_;
  std::int64_t fixed_ms_ = 0;
};

}  // namespace cairn::text
