// SPDX-License-Identifier: Apache-2.0
#include "search/read/text_options.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {
namespace {

/// "INTERSECTION|COMPLEMENT", "ALL", "NONE"; empty: all.
Result<std::uint32_t> regexp_flags_of(std::string_view names) {
  static constexpr std::pair<std::string_view, std::uint32_t> known[] = {
      {"INTERSECTION", index::regexp_flags::intersection},
      {"COMPLEMENT", index::regexp_flags::complement},
      {"EMPTY", index::regexp_flags::empty},
      {"ANYSTRING", index::regexp_flags::anystring},
      {"INTERVAL", index::regexp_flags::interval},
      {"NONE", 0},
      {"ALL", index::regexp_flags::all}};
  if (names.empty()) return index::regexp_flags::all;
  std::uint32_t out = 0;
  for (const auto name : split(names, '|')) {
    if (name.empty()) continue;
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](const auto& one) {
      return equals_ignore_case(one.first, name);
    });
    if (found == std::end(known))
      return illegal_argument("Unknown regexp flag [" + std::string(name) + "]");
    if (found->second == 0) return std::uint32_t{0};
    out |= found->second;
  }
  return out;
}

}  // namespace

Result<index::Operator> read_operator(Reader& in) {
  CAIRN_TRY(const std::string op, in.string_or("operator", "or"));
  if (op == "and" || op == "AND") return index::Operator::and_;
  if (op == "or" || op == "OR") return index::Operator::or_;
  return illegal_argument("operator needs to be either OR or AND, but not [" + op + "]");
}

Result<index::ZeroTerms> read_zero_terms(Reader& in) {
  CAIRN_TRY(const std::string name, in.string_or("zero_terms_query", "none"));
  if (name == "none") return index::ZeroTerms::none;
  if (name == "all") return index::ZeroTerms::all;
  return in.fault("zero_terms_query", "unsupported zero_terms_query value [" + name + "]");
}

Result<std::size_t> read_unsigned(Reader& in, std::string_view name, std::size_t fallback) {
  CAIRN_TRY(const auto value, in.integer(name));
  if (value.value_or(0) < 0)
    return in.fault(name, "No negative " + std::string(name) + " allowed.");
  return value ? static_cast<std::size_t>(*value) : fallback;
}

Result<std::uint32_t> read_regexp_flags(Reader& in) {
  CAIRN_TRY(const auto names, in.string("flags"));
  CAIRN_TRY(const auto value, in.integer("flags_value"));
  if (value) return static_cast<std::uint32_t>(*value & 0xff);
  return regexp_flags_of(names.value_or(""));
}

Result<std::size_t> read_regexp_states(Reader& in, std::size_t most) {
  const auto usual = static_cast<std::int64_t>(index::RegexpQuery{}.max_states);
  CAIRN_TRY(const auto given, in.integer("max_determinized_states"));
  if (given.value_or(usual) < 1 || given.value_or(usual) > static_cast<std::int64_t>(most))
    return illegal_argument("[max_determinized_states] must be from 1 to " + std::to_string(most) +
                            ", but was [" + std::to_string(*given) + "]");
  return static_cast<std::size_t>(given.value_or(usual));
}

}  // namespace cairn::search
