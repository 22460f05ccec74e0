// SPDX-License-Identifier: Apache-2.0
// Rollovers: the conditions of one, and doing it.
#include <algorithm>
#include <array>

#include "api/alias_actions.h"
#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/routes/names/data_stream_routes.h"
#include "api/routes/names/template_routes.h"
#include "api/write_params.h"
#include "base/strings.h"
#include "format/time.h"
#include "index/errors.h"

namespace cairn::api {
namespace {

struct RolloverServices {
  index::Indices& indices;
  search::Service& search;
  const os::Clock& clock;
};

/// What is compared with a bound.
enum class Measure { age, documents, bytes };

struct ConditionKind {
  std::string_view name;
  Measure measure;
};
// An index has one shard, which is its primary one.
constexpr std::array kinds = {ConditionKind{"age", Measure::age},
                              ConditionKind{"docs", Measure::documents},
                              ConditionKind{"size", Measure::bytes},
                              ConditionKind{"primary_shard_size", Measure::bytes},
                              ConditionKind{"primary_shard_docs", Measure::documents}};

struct Condition {
  std::string name;   // "max_age"
  std::string shown;  // its bound as it was given
  Measure measure = Measure::age;
  std::uint64_t bound = 0;
  bool is_least = false;  // min_...: all must be met; of the others one
};

Result<Condition> read_condition(const std::string& name, const Json& value) {
  const bool is_least = name.starts_with("min_");
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const ConditionKind& one) {
    return (is_least || name.starts_with("max_")) && name.substr(4) == one.name;
  });
  if (kind == kinds.end())
    return illegal_argument("unknown condition [" + name +
                            "]; there are max_ and min_ of age, docs, size, primary_shard_size and "
                            "primary_shard_docs");
  Condition out{.name = name,
                .shown = value.is_string() ? value.as_string() : value.dump(),
                .measure = kind->measure,
                .is_least = is_least};
  if (kind->measure == Measure::documents) {
    const auto count = parse_number<std::uint64_t>(out.shown);
    if (!count) return illegal_argument("[" + name + "] must be a number of documents");
    out.bound = *count;
  } else if (kind->measure == Measure::bytes) {
    CAIRN_TRY(out.bound, parse_byte_size(out.shown, name));
  } else {
    CAIRN_TRY(const std::int64_t ms, parse_time_value(out.shown, name));
    if (ms < 0) return illegal_argument("[" + name + "] must not be negative");
    out.bound = static_cast<std::uint64_t>(ms);
  }
  return out;
}

struct RolloverBody {
  std::vector<Condition> conditions = {};
  index::IndexDefinition definition = {};
};

Result<RolloverBody> read_body(Call& call) {
  RolloverBody out;
  CAIRN_TRY(const auto body, call.optional_body());
  if (!body) return out;
  Fields fields(*body, "rollover");
  CAIRN_TRY(const Json* conditions, fields.object("conditions"));
  CAIRN_TRY(const Json* settings, fields.object("settings"));
  CAIRN_TRY(const Json* mappings, fields.object("mappings"));
  CAIRN_TRY(const Json* aliases, fields.object("aliases"));
  CAIRN_CHECK(fields.finish());
  if (conditions != nullptr)
    for (const auto& [name, value] : conditions->as_object()) {
      CAIRN_TRY(auto condition, read_condition(name, value));
      out.conditions.push_back(std::move(condition));
    }
  if (settings != nullptr) out.definition.settings = *settings;
  if (mappings != nullptr) out.definition.mappings = *mappings;
  if (aliases != nullptr) {
    CAIRN_TRY(out.definition.aliases, new_aliases(call, *aliases));
  }
  return out;
}

std::uint64_t measured(const index::Index& index, Measure measure, const os::Clock& clock) {
  if (measure == Measure::age)
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, clock.unix_ms() - index.created_ms()));
  const auto stats = index.statistics();
  return measure == Measure::documents ? stats.documents : stats.size_bytes;
}

/// Each condition with whether it is met, and whether that is enough.
struct Verdict {
  Json conditions = Json::object();
  bool rolls = true;
};

Verdict judge(const std::vector<Condition>& conditions, const index::Index& index,
              const os::Clock& clock) {
  Verdict out;
  bool all_least = true;
  bool any_most = false;
  for (const Condition& condition : conditions) {
    const bool met = measured(index, condition.measure, clock) >= condition.bound;
    out.conditions.set("[" + condition.name + ": " + condition.shown + "]", met);
    (condition.is_least ? all_least : any_most) =
        condition.is_least ? all_least && met : any_most || met;
  }
  out.rolls = conditions.empty() || (all_least && any_most);
  return out;
}

/// What the new index begins with: its template, and above it the body.
Result<index::IndexDefinition> definition_of(const RolloverServices& services,
                                             const index::RolloverPlan& plan,
                                             const index::IndexDefinition& given) {
  CAIRN_TRY(auto found,
            services.indices.templated(plan.is_stream ? plan.name : plan.new_index, given));
  if (plan.is_stream &&
      (!given.aliases.empty() || !given.mappings.is_null() || !given.settings.is_null()))
    return illegal_argument("aliases, mappings, and index settings may not be specified when "
                            "rolling over a data stream");
  if (!plan.is_stream && found.data_stream)
    return illegal_argument("cannot create index with name [" + plan.new_index +
                            "], because it matches with template [" + found.template_name +
                            "] that creates data streams only, use create data stream api instead");
  return std::move(found.definition);
}

struct RolloverWay {
  bool dry_run = false;
  bool lazy = false;  // at the next document
};

Result<RolloverWay> rollover_way(const Call& call, const index::RolloverPlan& plan,
                                 const RolloverBody& body) {
  RolloverWay out;
  CAIRN_TRY(out.dry_run, call.flag("dry_run", false));
  CAIRN_TRY(out.lazy, call.flag("lazy", false));
  if (!out.lazy) return out;
  if (plan.is_stream && !body.conditions.empty())
    return illegal_argument(
        "Lazy rollover can be used only without any conditions. Please remove the conditions from "
        "the request body or the query parameter 'lazy'.");
  if (!plan.is_stream)
    return illegal_argument("Lazy rollover can be applied only on a data stream" +
                            std::string(body.conditions.empty() ? "." : " with no conditions."));
  return out;
}

Json rollover_reply(const index::RolloverPlan& plan, const Verdict& verdict, bool done,
                    const RolloverWay& way) {
  return Json::object({{"acknowledged", done || (way.lazy && !way.dry_run)},
                       {"shards_acknowledged", done},
                       {"old_index", plan.old_index},
                       {"new_index", plan.new_index},
                       {"rolled_over", done},
                       {"dry_run", way.dry_run},
                       {"lazy", way.lazy},
                       {"conditions", verdict.conditions}});
}

Result<Reply> roll_over(Call& call, const RolloverServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_CHECK(check_active_shards(call));
  CAIRN_TRY(const RolloverBody body, read_body(call));
  // Who manages an alias may go on with it; names of their own choice want a right of their own.
  if (const std::string& given = call.path("new_index"); !given.empty())
    CAIRN_CHECK(call.require_index("create_index", given));
  CAIRN_TRY(const auto plan,
            services.indices.plan_rollover(call.path("index"), call.path("new_index")));
  CAIRN_TRY(const RolloverWay way, rollover_way(call, plan, body));
  CAIRN_TRY(const auto definition, definition_of(services, plan, body.definition));
  if (services.indices.knows(plan.new_index)) {
    CAIRN_TRY(const auto there, services.indices.find(plan.new_index));
    return index::index_exists(plan.new_index, there->uuid());
  }
  CAIRN_TRY(const auto old_index, services.indices.find(plan.old_index));
  const Verdict verdict = judge(body.conditions, *old_index, services.clock);
  const auto check = alias_check(services.search, deadline);
  if (way.dry_run || way.lazy || !verdict.rolls) {
    CAIRN_TRY(const auto checked,
              index::check_definition(definition.mappings, definition.settings,
                                      index::Options{}.total_fields_limit));
    CAIRN_CHECK(check(checked, definition.aliases));
    if (way.lazy && !way.dry_run)
      CAIRN_CHECK(services.indices.mark_rollover(plan.name, deadline));
    return Reply::json(rollover_reply(plan, verdict, false, way));
  }
  CAIRN_CHECK(services.indices.roll_over(
      plan, definition, deadline, [&](const index::Index& fresh) {
        return check({.settings = fresh.settings(), .mapping = fresh.mapping()},
                     definition.aliases);
      }));
  return Reply::json(rollover_reply(plan, verdict, true, way));
}

}  // namespace

void add_rollover_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search, const os::Clock& clock) {
  for (const std::string& tail : {std::string(), std::string("/{new_index}")})
    router.add({.method = "POST",
                .path = "/{index}/_rollover" + tail,
                .operation = "indices.rollover",
                .index_privilege = "manage",
                .computes = true,
                .query = with_timeouts(
                    {{"dry_run", "boolean", "Look at the conditions and do nothing."},
                     {"lazy", "boolean", "Of a data stream: at the next document."},
                     {"wait_for_active_shards", "string", "There is one shard."}}),
                .summary = "Begins a new index behind an alias or data stream."},
               [indices, search, &clock](Call& call) {
                 return roll_over(call, {*indices, *search, clock});
               });
}

}  // namespace cairn::api
