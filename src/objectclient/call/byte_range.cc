// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/byte_range.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::objectclient {

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (!equals_ignore_case(text.substr(0, unit.size()), unit)) return std::nullopt;
  text = trim(text.substr(unit.size()));
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto first = parse_number<std::uint64_t>(text.substr(0, dash));
  const auto last = parse_number<std::uint64_t>(text.substr(dash + 1, slash - dash - 1));
  if (!first || !last || *last < *first || *last == UINT64_MAX) return std::nullopt;
  ContentRange out{.first = *first, .last = *last};
  if (text.substr(slash + 1) == "*") return out;
  out.total = parse_number<std::uint64_t>(text.substr(slash + 1));
  if (!out.total || *out.total <= *last) return std::nullopt;
  return out;
}

std::optional<AskedRange> parse_asked_range(std::string_view text) {
  constexpr std::string_view unit = "bytes=";
  if (!text.starts_with(unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  AskedRange out;
  if (dash > 0 && !(out.first = parse_number<std::uint64_t>(text.substr(0, dash))))
    return std::nullopt;
  if (dash + 1 < text.size() && !(out.last = parse_number<std::uint64_t>(text.substr(dash + 1))))
    return std::nullopt;
  if (!out.first && !out.last) return std::nullopt;
  return out;
}

bool answers(const ContentRange& given, const AskedRange& asked) {
  const auto ends_the_object = [&] { return !given.total || given.last + 1 == *given.total; };
  if (!asked.first) {
    const bool as_many = given.length() == *asked.last || (given.total && given.is_whole());
    return ends_the_object() && as_many && given.length() <= *asked.last;
  }
  if (given.first != *asked.first) return false;
  if (!asked.last) return ends_the_object();
  return given.last == *asked.last || (given.last < *asked.last && ends_the_object());
}

}  // namespace cairn::objectclient
