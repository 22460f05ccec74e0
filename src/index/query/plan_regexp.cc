// SPDX-License-Identifier: Apache-2.0
// Plans of regular expressions.
#include "index/errors.h"
#include "index/patterns/regexp.h"
#include "index/query/plan.h"
#include "index/query/term_filter.h"
#include "index/view.h"

namespace cairn::index {
namespace {

Result<std::shared_ptr<const RegexpProgram>> compiled(const QueryContext& context,
                                                      const RegexpQuery& query,
                                                      const std::string& pattern) {
  const Options& options = context.view.options;
  CAIRN_CHECK(check_regexp_length(query.value, options.max_regex_length, "Regexp Query request"));
  auto program = RegexpProgram::compile(
      pattern, query.flags, query.case_insensitive,
      {.states = query.max_states, .all_states = options.max_regexp_states}, context.regexp_states,
      context.steps);
  // No lenient clause hides that all are too many.
  if (context.regexp_states > options.max_regexp_states) context.clauses = options.max_clauses + 1;
  return program;
}

}  // namespace

Result<TermFilter> regexp_filter(const QueryContext& context, const Field& field,
                                 const RegexpQuery& query) {
  CAIRN_TRY(const auto program, compiled(context, query, normalised(field, query.value)));
  const std::string& prefix = program->prefix();
  return TermFilter{
      .start = prefix,
      .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
      .make_takes =
          [program](os::Steps& steps) {
            const auto matcher = std::make_shared<RegexpMatcher>(*program, steps);
            return [program, matcher](const std::string& term) { return matcher->matches(term); };
          }};
}

Result<PlanPtr> plan_regexp(const QueryContext& context, const RegexpQuery& query, float boost) {
  if (query.field == "_index") {
    CAIRN_TRY(const auto program, compiled(context, query, query.value));
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return RegexpMatcher(*program, context.steps).matches(name);
        },
        boost);
  }
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "regexp"));
  if (field == nullptr) return no_plan();
  CAIRN_TRY(auto filter, regexp_filter(context, *field, query));
  return terms_matching(context, *field, std::move(filter), boost);
}

}  // namespace cairn::index
