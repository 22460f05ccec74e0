// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/value_choice.h"

#include <algorithm>
#include <utility>

#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/query.h"
#include "index/segment/segment.h"
#include "index/segment/terms_writer.h"

namespace cairn::index {
namespace {

std::string term_of(const Json& scalar) {
  return scalar.is_string() ? scalar.as_string() : scalar.dump();
}

}  // namespace

Result<std::unique_ptr<ValueChoice>> ValueChoice::open(const AggregationRequest& request,
                                                       const FieldSource& source) {
  if (request.parameters.find("include") == nullptr &&
      request.parameters.find("exclude") == nullptr)
    return std::unique_ptr<ValueChoice>();
  std::unique_ptr<ValueChoice> out(new ValueChoice(request.context, request.buckets));
  out->field_ = request.parameters.string_or("field");
  out->of_terms_ = source.is_terms();
  CAIRN_CHECK(out->read(request, source, "include", out->include_));
  CAIRN_CHECK(out->read(request, source, "exclude", out->exclude_));
  if (out->of_terms_ && !source.missing().is_null()) {
    const std::string missing = term_of(source.missing());
    out->takes_missing_ = (!out->include_.given || out->names(out->include_, missing)) &&
                          !(out->exclude_.given && out->names(out->exclude_, missing));
  }
  return out;
}

Status ValueChoice::read(const AggregationRequest& request, const FieldSource& source,
                         std::string_view name, Side& side) const {
  const Json* given = request.parameters.find(name);
  if (given == nullptr) return ok_status();
  side.given = true;
  if (given->is_array()) return read_list(*given, source, side);
  if (given->is_object())
    return illegal_argument("Partitions in [" + std::string(name) + "] of [" + request.name +
                            "] are not offered: name the values, or a pattern of them");
  if (!given->is_string())
    return malformed("[" + std::string(name) + "] of [" + request.name +
                         "] must be a regular expression or a list of values");
  if (source.field() != nullptr && !source.is_terms())
    return illegal_argument(
        "Aggregation [" + request.name +
        "] cannot support regular expression style include/exclude settings as they can only be "
        "applied to string fields. Use an array of values for include/exclude clauses");
  return read_pattern(given->as_string(), side);
}

Status ValueChoice::read_pattern(const std::string& pattern, Side& side) const {
  CAIRN_CHECK(check_regexp_length(pattern, context_.view.options.max_regex_length, "request"));
  CAIRN_TRY(side.pattern,
            RegexpProgram::compile(pattern, regexp_flags::all, false,
                                   {.states = RegexpQuery{}.max_states,
                                    .all_states = context_.view.options.max_regexp_states},
                                   context_.regexp_states, context_.steps));
  constexpr std::size_t bytes_of_state = 128;  // with its moves
  return held_.hold(side.pattern->states().size() * bytes_of_state);
}

Status ValueChoice::read_list(const Json& list, const FieldSource& source, Side& side) const {
  for (const Json& element : list.as_array()) {
    if (element.is_array() || element.is_object() || element.is_null())
      return malformed("Array elements in include/exclude clauses should be string values");
    if (of_terms_) {
      side.terms.push_back(term_of(element));
      CAIRN_CHECK(held_.hold(sizeof(std::string) + side.terms.back().size()));
    } else if (source.field() != nullptr) {
      CAIRN_TRY(const std::int64_t value, column_value(*source.field(), element));
      side.values.push_back(value);
      CAIRN_CHECK(held_.hold(sizeof value));
    }
  }
  std::sort(side.terms.begin(), side.terms.end());
  std::sort(side.values.begin(), side.values.end());
  return ok_status();
}

bool ValueChoice::names(const Side& side, const std::string& term) const {
  if (side.pattern != nullptr) return RegexpMatcher(*side.pattern, context_.steps).matches(term);
  return std::binary_search(side.terms.begin(), side.terms.end(), term);
}

bool ValueChoice::Side::takes(std::int64_t value, bool otherwise) const {
  if (!given) return otherwise;
  if (pattern == nullptr) return std::binary_search(values.begin(), values.end(), value);
  const std::uint64_t place = static_cast<std::uint64_t>(value) - first;  // wraps below the first
  return place < matches.size() && matches[static_cast<std::size_t>(place)];
}

void ValueChoice::begin_segment(std::size_t segment) {
  segment_ = segment;
  looked_up_ = !of_terms_;  // numbers are the same in every segment
  if (!of_terms_) return;
  forget(include_);
  forget(exclude_);
  held_.held_bytes -= std::exchange(held_bytes_, 0);
}

void ValueChoice::forget(Side& side) {
  side.values.clear();
  side.matches.clear();
}

Status ValueChoice::look_up() {
  looked_up_ = true;
  const TermsReader* terms = context_.view.segments[segment_].of(field_).terms(field_);
  if (terms == nullptr) return ok_status();
  for (Side* side : {&include_, &exclude_}) {
    if (!side->given) continue;
    CAIRN_CHECK(side->pattern == nullptr ? look_up_list(*terms, *side)
                                         : look_up_pattern(*terms, *side));
  }
  return ok_status();
}

Status ValueChoice::look_up_list(const TermsReader& terms, Side& side) {
  for (const std::string& term : side.terms) {
    CAIRN_CHECK(context_.steps.take(terms_per_dictionary_block));
    CAIRN_TRY(const auto found, terms.find(term, context_.deadline));
    if (!found) continue;
    CAIRN_CHECK(hold(sizeof(std::int64_t)));
    side.values.push_back(static_cast<std::int64_t>(found->ordinal));
  }
  return ok_status();  // terms ascend, and their ordinals with them
}

Status ValueChoice::look_up_pattern(const TermsReader& terms, Side& side) {
  const std::string& prefix = side.pattern->prefix();
  RegexpMatcher matcher(*side.pattern, context_.steps);
  TermsWalk walk(terms, false);
  CAIRN_CHECK(walk.seek(prefix, context_.deadline));
  for (;;) {
    CAIRN_TRY(const bool any, walk.next(context_.deadline));
    if (!any || !walk.term().starts_with(prefix)) return ok_status();
    CAIRN_CHECK(context_.steps.take(1));
    if (side.matches.empty()) side.first = walk.entry().ordinal;
    if (side.matches.size() % 64 == 0) CAIRN_CHECK(hold(sizeof(std::uint64_t)));
    side.matches.push_back(matcher.matches(walk.term()));
    CAIRN_CHECK(context_.steps.status());
  }
}

Status ValueChoice::hold(std::size_t bytes) {
  held_bytes_ += bytes;
  return held_.hold(bytes);
}

}  // namespace cairn::index
