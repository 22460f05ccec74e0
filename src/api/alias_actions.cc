// SPDX-License-Identifier: Apache-2.0
#include "api/alias_actions.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

using index::AliasChange;
using Kind = AliasChange::Kind;

constexpr std::size_t most_actions = 1'000;   // each is resolved over all names
constexpr std::size_t most_names = 1'000;     // of an action; each is tried on every name
constexpr std::size_t most_changes = 10'000;  // pairs of an index and an alias

std::string_view name_of(Kind kind) {
  return kind == Kind::add ? "add" : kind == Kind::remove ? "remove" : "remove_index";
}

/// `index` or `indices`, `alias` or `aliases`: one text, a comma list, or an array.
Result<std::vector<std::string>> names_in(const Json& action, const std::string& one,
                                          const std::string& several) {
  std::vector<std::string> out;
  for (const std::string& member : {one, several}) {
    const Json* given = action.find(member);
    if (given == nullptr || given->is_null()) continue;
    if (!out.empty())
      return illegal_argument("only one of [" + one + "] and [" + several + "] is supported");
    const auto add = [&](const Json& value) -> Status {
      if (!value.is_string()) return illegal_argument("[" + member + "] takes names");
      CAIRN_TRY(const std::string names, plain_names(value.as_string()));
      for (const auto piece : split(names, ','))
        if (!trim(piece).empty()) out.emplace_back(trim(piece));
      return ok_status();
    };
    if (given->is_array()) {
      for (const Json& value : given->as_array()) CAIRN_CHECK(add(value));
    } else {
      CAIRN_CHECK(add(*given));
    }
    if (out.empty()) return illegal_argument("[" + member + "] can't be empty string");
  }
  return out;
}

Result<AliasAction> read_action(const std::string& name, const Json& body) {
  AliasAction out;
  if (name == "add")
    out.kind = Kind::add;
  else if (name == "remove")
    out.kind = Kind::remove;
  else if (name == "remove_index")
    out.kind = Kind::remove_index;
  else
    return illegal_argument("[aliases] unknown field [" + name +
                            "]; actions are add, remove and remove_index");
  if (!body.is_object()) return illegal_argument("[" + name + "] must be an object");
  CAIRN_TRY(out.indices, names_in(body, "index", "indices"));
  CAIRN_TRY(out.aliases, names_in(body, "alias", "aliases"));
  if (out.indices.empty())
    return illegal_argument("[" + name + "]: One of [index] or [indices] is required");
  Json rest = body;
  for (const auto* taken : {"index", "indices", "alias", "aliases"}) rest.erase(taken);
  if (const Json* must = body.find("must_exist")) {
    if (!must->is_bool()) return illegal_argument("[must_exist] must be true or false");
    out.must_exist = must->as_bool();
    rest.erase("must_exist");
  }
  const bool removes_index = out.kind == Kind::remove_index;
  if (removes_index != out.aliases.empty())
    return illegal_argument(removes_index
                                ? "[remove_index] doesn't support [alias] or [aliases]"
                                : "[" + name + "]: One of [alias] or [aliases] is required");
  if (out.kind != Kind::add && !rest.as_object().empty())
    return illegal_argument("[" + name + "] doesn't support [" + rest.as_object().front().first +
                            "]");
  CAIRN_TRY(out.properties, index::read_alias_properties(rest));
  return out;
}

/// One action with its names resolved.
struct Planned {
  std::vector<AliasChange> changes = {};
  std::optional<Error> error = {};  // nothing was there to be removed
};

/// Turns actions into changes.
class Planner {
 public:
  Planner(const Call& call, const AliasServices& services, const os::Deadline& deadline)
      : call_(call), services_(services), deadline_(deadline), table_(services.indices.aliases()) {}

  Result<Planned> plan(const AliasAction& action) {
    CAIRN_CHECK(deadline_.check("changing aliases"));
    CAIRN_TRY(const auto indices, resolve(action));
    if (action.kind == Kind::remove_index) return indices_to_remove(indices);
    for (const std::string& alias : action.aliases)
      if (!is_name_pattern(alias)) CAIRN_CHECK(call_.require_index("manage", alias));
    CAIRN_CHECK(check_must_exist(action));
    if (action.kind == Kind::remove) return to_remove(action, indices);
    return to_add(action, indices);
  }

 private:
  Result<IndexList> resolve(const AliasAction& action) {
    const bool removes = action.kind == Kind::remove_index;
    const std::string_view privilege = removes ? "delete_index" : "manage";
    for (const std::string& name : action.indices)
      if (!is_name_pattern(name) && name.front() != '-')
        CAIRN_CHECK(call_.require_index(privilege, name));
    const bool must = action.must_exist.value_or(true) || !removes;
    return services_.indices.resolve_names(join(action.indices, ","),
                                           {.ignore_unavailable = !must,
                                            .allow_no_indices = !must,
                                            .aliases = false,
                                            .closed = true,
                                            .expand_closed = true,
                                            .admits = [this, privilege](std::string_view name) {
                                              return call_.require_index(privilege, name).ok();
                                            }});
  }

  Status check_must_exist(const AliasAction& action) const {
    if (!action.must_exist.value_or(false)) return ok_status();
    for (const std::string& alias : action.aliases)
      if (!is_name_pattern(alias) && table_->find(alias) == nullptr)
        return Error{.kind = ErrorKind::not_found,
                     .code = "resource_not_found_exception",
                     .message = "required alias [" + alias + "] does not exist"};
    return ok_status();
  }

  Status take(Planned& out, AliasChange change) {
    if (++count_ > most_changes)
      return illegal_argument("the actions come to more than [" + std::to_string(most_changes) +
                              "] changes of aliases; send fewer at a time");
    out.changes.push_back(std::move(change));
    return ok_status();
  }

  Result<Planned> indices_to_remove(const IndexList& indices) {
    Planned out;
    for (const auto& index : indices)
      CAIRN_CHECK(take(out, {.kind = Kind::remove_index, .index = index->name()}));
    return out;
  }

  Result<Planned> to_remove(const AliasAction& action, const IndexList& indices) {
    Planned out;
    for (const auto& index : indices)
      for (const auto& [alias, member] : table_->of_index(index->name())) {
        CAIRN_CHECK(deadline_.check("changing aliases"));
        if (!names_alias(action.aliases, alias)) continue;
        if (!call_.require_index("manage", alias).ok()) continue;  // of a pattern
        CAIRN_CHECK(take(out, {.kind = Kind::remove, .index = index->name(), .alias = alias}));
      }
    if (out.changes.empty() && action.must_exist.value_or(true))
      out.error = aliases_not_found(action.aliases);
    return out;
  }

  Result<Planned> to_add(const AliasAction& action, const IndexList& indices) {
    Planned out;
    for (const auto& index : indices) {
      // Under another name no query of a role would hide its documents.
      CAIRN_CHECK(call_.require_whole(index->name()));
      if (!action.properties.filter.is_null()) CAIRN_CHECK(check_filter(action, *index));
      for (const std::string& alias : action.aliases)
        CAIRN_CHECK(take(out, {.kind = Kind::add,
                               .index = index->name(),
                               .alias = alias,
                               .properties = action.properties}));
    }
    return out;
  }

  Status check_filter(const AliasAction& action, const index::Index& index) {
    CAIRN_CHECK(deadline_.check("reading filters"));
    const std::size_t bytes = action.properties.filter.dump().size();
    const std::size_t most = index::AliasLimits{}.filter_bytes;
    if (bytes > most)
      return illegal_argument("[filter] of alias [" + action.aliases.front() + "] takes [" +
                              std::to_string(bytes) + "] bytes, at most [" + std::to_string(most) +
                              "] are kept");
    return services_.search.check_filter(
        *index.mapping(), index.setting_texts("query.default_field"), action.properties.filter,
        deadline_);
  }

  const Call& call_;
  const AliasServices& services_;
  const os::Deadline& deadline_;
  const std::shared_ptr<const index::AliasTable> table_;
  std::size_t count_ = 0;
};

Json result_of(const AliasAction& action, const Planned& planned) {
  Json what = Json::object({{"type", std::string(name_of(action.kind))},
                            {"indices", Json::array_of(action.indices)},
                            {"aliases", Json::array_of(action.aliases)}});
  Json out = Json::object({{"action", std::move(what)}});
  out.set("status", planned.error ? 404 : 200);
  if (planned.error) out.set("error", error_object(*planned.error));
  return out;
}

}  // namespace

Error aliases_not_found(const std::vector<std::string>& names) {
  return Error{.kind = ErrorKind::not_found,
               .code = "aliases_not_found_exception",
               .message = "aliases [" + join(names, ", ") + "] missing"}
      .with_detail("resource.type", "aliases")
      .with_detail("resource.id", join(names, ","));
}

bool is_name_pattern(std::string_view name) {
  return name == "_all" || name.find('*') != std::string_view::npos;
}

bool names_alias(const std::vector<std::string>& names, std::string_view alias) {
  bool named = names.empty();
  bool patterns = false;
  for (const std::string& name : names) {
    const bool takes_away = name.starts_with('-') && patterns;
    const std::string_view text = takes_away ? std::string_view(name).substr(1) : name;
    patterns |= is_name_pattern(text);
    if (text == "_all" || wildcard_match(text, alias)) named = !takes_away;
  }
  return named;
}

Result<std::vector<AliasAction>> read_alias_actions(const Json& body) {
  Fields fields(body, "aliases");
  CAIRN_TRY(const Json* actions, fields.array("actions"));
  CAIRN_CHECK(fields.finish());
  if (actions == nullptr || actions->as_array().empty())
    return validation_fault({"Must specify at least one alias action"});
  if (actions->as_array().size() > most_actions)
    return illegal_argument("[actions] takes [" + std::to_string(most_actions) +
                            "] actions at most, got [" +
                            std::to_string(actions->as_array().size()) + "]");
  std::vector<AliasAction> out;
  for (const Json& action : actions->as_array()) {
    if (!action.is_object() || action.as_object().size() != 1)
      return illegal_argument("each of [actions] must be an object of one action");
    const auto& [name, inner] = action.as_object().front();
    CAIRN_TRY(auto read, read_action(name, inner));
    out.push_back(std::move(read));
  }
  return out;
}

Result<index::NewAliases> new_aliases(const Call& call, const Json& given) {
  index::NewAliases out;
  if (given.is_null()) return out;
  for (const auto& [name, properties] : given.as_object()) {
    CAIRN_CHECK(index::check_alias_name(name));
    CAIRN_CHECK(call.require_index("manage", name));
    CAIRN_TRY(auto read, index::read_alias_properties(properties));
    out.emplace_back(name, std::move(read));
  }
  return out;
}

Result<Json> do_alias_actions(const Call& call, const AliasServices& services,
                              const std::vector<AliasAction>& actions,
                              const os::Deadline& deadline) {
  for (const AliasAction& action : actions)
    if (std::max(action.indices.size(), action.aliases.size()) > most_names)
      return illegal_argument("an action takes [" + std::to_string(most_names) +
                              "] names at most; make several of it");
  Planner planner(call, services, deadline);
  std::vector<AliasChange> changes;
  Json::Array results;
  std::optional<Error> first;
  bool any = false;
  for (const AliasAction& action : actions) {
    CAIRN_TRY(auto planned, planner.plan(action));
    results.push_back(result_of(action, planned));
    any = any || !planned.error;
    if (planned.error && !first) first = planned.error;
    for (AliasChange& change : planned.changes) changes.push_back(std::move(change));
  }
  if (first && !any) return *std::move(first);
  CAIRN_CHECK(services.indices.change_aliases(changes, deadline));
  Json out = Json::object({{"acknowledged", true}, {"errors", first.has_value()}});
  if (first) out.set("action_results", Json(std::move(results)));
  return out;
}

}  // namespace cairn::api
