// SPDX-License-Identifier: Apache-2.0
// Plans of regular expressions.
#include "base/strings.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/regexp.h"
#include "index/query/term_filter.h"
#include "index/view.h"
#include "text/words.h"

namespace cairn::index {
namespace {

std::size_t letters_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) text::next_code_point(text, at);
  return count;
}

Status check_length(const QueryContext& context, const std::string& pattern) {
  const std::size_t most = context.view.options.max_regex_length;
  const std::size_t length = letters_in(pattern);
  if (length <= most) return ok_status();
  return illegal_argument("The length of regex [" + std::to_string(length) +
                          "] used in the Regexp Query request has exceeded the allowed maximum of "
                          "[" +
                          std::to_string(most) +
                          "]. This maximum can be set by changing the [index.max_regex_length] "
                          "index level setting.");
}

}  // namespace

Result<PlanPtr> plan_regexp(const QueryContext& context, const RegexpQuery& query, float boost) {
  CAIRN_CHECK(check_length(context, query.value));
  const Field* field = nullptr;
  if (query.field != "_index") {
    CAIRN_TRY(field, field_with_terms(context, query.field, "regexp"));
    if (field == nullptr) return no_plan();
  }
  const std::string pattern = field == nullptr ? query.value : normalised(*field, query.value);
  CAIRN_TRY(const auto program, RegexpProgram::compile(pattern, query.flags, query.case_insensitive,
                                                       query.max_states, context.steps));
  if (field == nullptr)
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return RegexpMatcher(*program, context.steps).matches(name);
        },
        boost);
  const std::string& prefix = program->prefix();
  return terms_matching(
      field->name,
      {.start = prefix,
       .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
       .make_takes =
           [program](os::Steps& steps) {
             const auto matcher = std::make_shared<RegexpMatcher>(*program, steps);
             return [program, matcher](const std::string& term) { return matcher->matches(term); };
           }},
      boost);
}

}  // namespace cairn::index
