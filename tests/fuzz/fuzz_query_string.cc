// SPDX-License-Identifier: Apache-2.0
// The mini-languages of query_string and simple_query_string; the first byte chooses how they are
// read. A simple one is never an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "search/read/query_string.h"
#include "search/read/simple_query_string.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool simple = (data[0] & 1) != 0;
  const search::QueryStringOptions options{
      .fields = {{"title", 1.0F}, {"body", 2.0F}},
      .expand =
          [](const std::string&) {
            return search::WeightedFields{{"title", 1.0F}};
          },
      .every_field = (data[0] & 2) != 0,
      .default_operator = (data[0] & 4) != 0 ? index::Operator::and_ : index::Operator::or_,
      .minimum_should_match = (data[0] & 8) != 0 ? "2<-25%" : "",
      .allow_leading_wildcard = (data[0] & 17) != 16,  // simple ones have no such option
      .lenient = (data[0] & 32) != 0,
      .max_clauses = SIZE_MAX};  // a limit is the one error of simple ones
  const auto query = simple ? search::parse_simple_query_string(text, options)
                            : search::parse_query_string(text, options);
  if (!query.ok() && (simple || query.error().message.empty())) std::abort();
  return 0;
}
