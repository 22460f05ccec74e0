// SPDX-License-Identifier: Apache-2.0
#include "search/read/text_options.h"

#include <string>

#include "search/errors.h"

namespace cairn::search {

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

}  // namespace cairn::search
