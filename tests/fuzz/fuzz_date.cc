// SPDX-License-Identifier: Apache-2.0
// A date format, a zone and a text, a line each: what was read is written in the default format,
// and is the same moment when that is read. A line alone: names of indices with dates in them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/names/dated_names.h"

namespace {

bool is_year_of_four_digits(std::int64_t ms) {
  return ms >= -62'167'219'200'000 && ms < 253'402'300'800'000;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const auto lines = split({reinterpret_cast<const char*>(data), size}, '\n');
  if (lines.size() == 1) {
    const auto plain = index::resolve_dated_names(lines[0], 1'700'000'000'000);
    if (plain.ok() && split(*plain, ',').size() != split(lines[0], ',').size()) std::abort();
    return 0;
  }
  if (lines.size() != 3) return 0;
  const auto format = index::DateFormat::parse(lines[0]);
  const auto zone = index::read_zone(lines[1]);
  if (!format.ok() || !zone.ok()) return 0;
  for (const bool round_up : {false, true})
    (void)index::resolve_date(Json(lines[2]), *format, 1'700'000'000'000, *zone, round_up);
  const auto moment = format->read(lines[2], *zone);
  if (!moment) return 0;
  (void)format->write(*moment, *zone);
  static const index::DateFormat iso = index::DateFormat::parse(index::default_date_format).value();
  const std::string written = iso.write(*moment);
  const auto again = iso.read(std::string_view(written));
  if (again != moment && is_year_of_four_digits(*moment)) std::abort();
  return 0;
}
