// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/amounts.h"

#include <cstdio>

#include "base/strings.h"

namespace cairn::cli {

std::string human_bytes(std::uint64_t bytes) {
  if (bytes == 1) return "1 Byte";
  if (bytes < 1024) return std::to_string(bytes) + " Bytes";
  constexpr std::string_view units = "KMGTPE";
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // What would be shown as 1024.0 is one of the next unit.
  while (amount >= 1023.95 && unit + 1 < units.size()) amount /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %ciB", amount, units[unit]);
  return text;
}

std::string human_seconds(std::uint64_t seconds) {
  char text[48];
  const auto hours = static_cast<unsigned long long>(seconds / 3600);
  const auto minutes = static_cast<unsigned long long>(seconds / 60 % 60);
  const auto rest = static_cast<unsigned long long>(seconds % 60);
  if (hours > 0)
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", hours, minutes, rest);
  else
    std::snprintf(text, sizeof text, "%llu:%02llu", minutes, rest);
  return text;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789");
  const auto number = parse_number<std::uint64_t>(text.substr(0, digits));
  if (!number || digits == std::string_view::npos) return number;
  std::string unit = lower_ascii(trim(text.substr(digits)));
  if (unit == "b") return number;
  constexpr std::string_view units = "kmgtp";
  const auto power = units.find(unit.empty() ? '?' : unit[0]);
  const std::string rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib"))
    return std::nullopt;
  const unsigned shift = static_cast<unsigned>(power + 1) * 10;
  if (*number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace cairn::cli
