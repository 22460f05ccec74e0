// SPDX-License-Identifier: Apache-2.0
// The tables are those that come with ICU: no file of the system is needed.
#include "text/time_zone.h"

#include <unicode/basictz.h>
#include <unicode/timezone.h>
#include <unicode/tztrans.h>
#include <unicode/unistr.h>

#include <algorithm>

namespace cairn::text {
namespace {

// Far beyond any rule, and within what a double holds exactly.
constexpr std::int64_t farthest_ms = 8'000'000'000'000'000;

double icu_date(std::int64_t ms) {
  return static_cast<double>(std::clamp(ms, -farthest_ms, farthest_ms));
}

}  // namespace

class TimeZone::Rules {
 public:
  explicit Rules(std::unique_ptr<const icu::BasicTimeZone> zone) : zone_(std::move(zone)) {}
  const icu::BasicTimeZone* operator->() const { return zone_.get(); }

 private:
  std::unique_ptr<const icu::BasicTimeZone> zone_;
};

std::optional<TimeZone> TimeZone::named(std::string_view name) {
  const auto id = icu::UnicodeString::fromUTF8(icu::StringPiece(
      name.data(), static_cast<std::int32_t>(std::min<std::size_t>(name.size(), 256))));
  // ICU reads offsets ("GMT+1") and gives a zone even for what it does not know.
  icu::UnicodeString canonical;
  UBool is_known = false;
  UErrorCode failed = U_ZERO_ERROR;
  icu::TimeZone::getCanonicalID(id, canonical, is_known, failed);
  if (U_FAILURE(failed) || !is_known) return std::nullopt;
  std::unique_ptr<icu::TimeZone> zone(icu::TimeZone::createTimeZone(id));
  auto* const basic = dynamic_cast<icu::BasicTimeZone*>(zone.get());
  if (basic == nullptr) return std::nullopt;
  zone.release();
  TimeZone out;
  out.rules_ = std::make_shared<Rules>(std::unique_ptr<const icu::BasicTimeZone>(basic));
  return out;
}

std::int64_t TimeZone::offset_ms(std::int64_t utc_ms) const {
  if (!rules_) return fixed_ms_;
  std::int32_t usual = 0, summer = 0;
  UErrorCode failed = U_ZERO_ERROR;
  (*rules_)->getOffset(icu_date(utc_ms), 0, usual, summer, failed);
  return U_FAILURE(failed) ? 0 : usual + summer;
}

std::int64_t TimeZone::utc_of(std::int64_t local_ms) const {
  if (!rules_) return local_ms - fixed_ms_;
  std::int32_t usual = 0, summer = 0;
  UErrorCode failed = U_ZERO_ERROR;
  (*rules_)->getOffsetFromLocal(icu_date(local_ms), UCAL_TZ_LOCAL_FORMER, UCAL_TZ_LOCAL_FORMER,
                                usual, summer, failed);
  return U_FAILURE(failed) ? local_ms : local_ms - usual - summer;
}

std::int64_t TimeZone::first_utc_of(std::int64_t local_ms) const {
  const std::int64_t utc = utc_of(local_ms);
  if (local_of(utc) == local_ms) return utc;
  return change_before(utc).value_or(utc);
}

std::optional<std::int64_t> TimeZone::change_before(std::int64_t utc_ms) const {
  if (!rules_) return std::nullopt;
  icu::TimeZoneTransition change;
  // Some changes are of the name alone.
  for (std::int64_t at = utc_ms; (*rules_)->getPreviousTransition(icu_date(at), true, change);) {
    at = static_cast<std::int64_t>(change.getTime());
    if (offset_ms(at - 1) != offset_ms(at)) return at;
    --at;
  }
  return std::nullopt;
}

}  // namespace cairn::text
