// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/range.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::s3api {
namespace {

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A number that is too large to hold is as good as the largest one.
std::optional<std::uint64_t> position(std::string_view text) {
  if (text.empty() || !all_digits(text)) return std::nullopt;
  return parse_number<std::uint64_t>(text).value_or(UINT64_MAX);
}

}  // namespace

std::optional<RangeAsked> parse_range(std::string_view field) {
  field = trim(field);
  constexpr std::string_view unit = "bytes=";
  if (field.size() <= unit.size() || !equals_ignore_case(field.substr(0, unit.size()), unit))
    return std::nullopt;
  const std::string_view rest = trim(field.substr(unit.size()));
  const std::size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view first = rest.substr(0, dash), last = rest.substr(dash + 1);
  RangeAsked asked;
  if (!first.empty() && !(asked.first = position(first))) return std::nullopt;
  if (!last.empty() && !(asked.last = position(last))) return std::nullopt;
  if (!asked.first && !asked.last) return std::nullopt;
  if (asked.first && asked.last && *asked.last < *asked.first) return std::nullopt;
  return asked;
}

std::optional<ByteRange> resolve_range(const RangeAsked& asked, std::uint64_t size_bytes) {
  if (!asked.first) {
    const std::uint64_t count = std::min(asked.last.value_or(0), size_bytes);
    if (count == 0) return std::nullopt;
    return ByteRange{.offset = size_bytes - count, .count = count};
  }
  if (*asked.first >= size_bytes) return std::nullopt;
  const std::uint64_t last = std::min(asked.last.value_or(UINT64_MAX), size_bytes - 1);
  return ByteRange{.offset = *asked.first, .count = last - *asked.first + 1};
}

std::string content_range(const ByteRange& range, std::uint64_t size_bytes) {
  return "bytes " + std::to_string(range.offset) + "-" +
         std::to_string(range.offset + range.count - 1) + "/" + std::to_string(size_bytes);
}

std::optional<ByteRange> parse_copy_range(std::string_view field) {
  constexpr std::string_view unit = "bytes=";
  if (!field.starts_with(unit)) return std::nullopt;
  const std::string_view rest = field.substr(unit.size());
  const std::size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = position(rest.substr(0, dash)), last = position(rest.substr(dash + 1));
  if (!first || !last || *last < *first || *last == UINT64_MAX) return std::nullopt;
  return ByteRange{.offset = *first, .count = *last - *first + 1};
}

}  // namespace cairn::s3api
