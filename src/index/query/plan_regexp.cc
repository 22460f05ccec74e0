// SPDX-License-Identifier: Apache-2.0
// Plans of regular expressions.
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/regexp.h"
#include "index/query/term_filter.h"
#include "index/view.h"

namespace cairn::index {
Result<PlanPtr> plan_regexp(const QueryContext& context, const RegexpQuery& query, float boost) {
  CAIRN_CHECK(check_regexp_length(query.value, context.view.options.max_regex_length,
                                  "Regexp Query request"));
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
