// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/as_you_type.h"

#include <string>

#include "index/errors.h"
#include "index/mapping/parameter_values.h"
#include "text/chain.h"

namespace cairn::index {
namespace {

constexpr std::int64_t least_shingles = 2, most_shingles = 4;
constexpr std::size_t longest_prefix = 20;  // characters

Field part_of(const Field& whole, const std::string& name) {
  Field out{.name = whole.name + "." + name, .type = FieldType::text};
  out.index_options = whole.index_options;
  out.norms = whole.norms;
  out.is_multi_field = out.is_derived = true;
  out.value_field = whole.value_path();
  out.shingles = whole.shingles;
  out.given = Json::object({{"type", "search_as_you_type"}});
  return out;
}

text::FilterPtr runs_of(std::size_t words) { return text::shingle_filter(words, words, false); }

}  // namespace

Status read_shingles(Field& field, const Json& value) {
  CAIRN_TRY(const std::int64_t size, read_int(value, "max_shingle_size"));
  if (size < least_shingles || size > most_shingles)
    return mapper_parsing("[max_shingle_size] must be at least [" + std::to_string(least_shingles) +
                          "] and at most [" + std::to_string(most_shingles) + "], got [" +
                          std::to_string(size) + "]");
  field.shingles = static_cast<std::size_t>(size);
  return ok_status();
}

std::vector<Field> as_you_type_parts(const Field& field) {
  std::vector<Field> out;
  if (!field.index) return out;
  for (std::size_t words = least_shingles; words <= field.shingles; ++words) {
    Field part = part_of(field, "_" + std::to_string(words) + "gram");
    part.index_analysis = text::filtered_further(field.index_analysis, {runs_of(words)});
    part.search_analysis = text::filtered_further(field.search_analysis, {runs_of(words)});
    out.push_back(std::move(part));
  }
  Field prefix = part_of(field, "_index_prefix");
  prefix.norms = false;
  prefix.index_options = IndexOptions::docs;
  prefix.index_analysis = text::filtered_further(
      field.index_analysis, {text::longest_shingle_filter(field.shingles),
                             text::ngram_filter(1, longest_prefix, true, false)});
  prefix.search_analysis = text::filtered_further(field.search_analysis, {runs_of(field.shingles)});
  out.push_back(std::move(prefix));
  return out;
}

}  // namespace cairn::index
