// SPDX-License-Identifier: Apache-2.0
#include "api/routes/names/alias_routes.h"

#include <set>

#include "api/alias_actions.h"
#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

using Kind = index::AliasChange::Kind;

Result<Reply> change(Call& call, const AliasServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const auto actions, read_alias_actions(body));
  CAIRN_TRY(Json out, do_alias_actions(call, services, actions, deadline));
  return Reply::json(std::move(out));
}

/// Names with date math in them, made plain.
Result<std::vector<std::string>> plain_list(std::string_view text) {
  CAIRN_TRY(const std::string plain, plain_names(text));
  return name_list(plain);
}

/// Names of the path, or of the body where the path has none.
Result<std::vector<std::string>> put_names(const Call& call, Json& body, std::string_view in_path,
                                           std::string_view in_body) {
  CAIRN_TRY(std::vector<std::string> out, plain_list(call.path(in_path)));
  const Json* given = body.find(in_body);
  if (given == nullptr) return out;
  if (!given->is_string()) return illegal_argument("[" + std::string(in_body) + "] must be a text");
  if (out.empty()) {
    CAIRN_TRY(out, plain_list(given->as_string()));
  }
  body.erase(in_body);
  return out;
}

Result<Reply> put_alias(Call& call, const AliasServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(Json body, call.body());
  AliasAction action;
  CAIRN_TRY(action.indices, put_names(call, body, "index", "index"));
  CAIRN_TRY(action.aliases, put_names(call, body, "name", "alias"));
  if (action.indices.empty()) return validation_fault({"[index] is missing"});
  if (action.aliases.empty()) return validation_fault({"[alias] is missing"});
  CAIRN_TRY(action.properties, index::read_alias_properties(body));
  CAIRN_TRY(Json out, do_alias_actions(call, services, {action}, deadline));
  return Reply::json(std::move(out));
}

Result<Reply> delete_alias(Call& call, const AliasServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  AliasAction action{.kind = Kind::remove, .indices = name_list(call.path("index")), .aliases = {}};
  CAIRN_TRY(action.aliases, plain_list(call.path("name")));
  CAIRN_TRY(Json out, do_alias_actions(call, services, {action}, deadline));
  return Reply::json(std::move(out));
}

/// What is listed, and which names were of nothing.
struct Listed {
  Json::Object indices = {};  // one member an index
  std::vector<std::string> missing = {};
};

Result<Listed> list_aliases(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(IndexOptions options, index_options(call));
  if (options.expand_wildcards.empty()) options.expand_wildcards = {"all"};
  options.closed = true;
  CAIRN_TRY(const std::vector<std::string> names, plain_list(call.path("name")));
  for (const std::string& name : names)
    if (!is_name_pattern(name) && name.front() != '-')
      CAIRN_CHECK(call.require_index("view_index_metadata", name));
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index"), options));
  const auto table = indices.aliases();
  Listed out;
  std::set<std::string, std::less<>> seen;
  for (const auto& index : found) {
    CAIRN_CHECK(call.deadline().check("listing aliases"));
    Json::Object own;
    for (const auto& [alias, member] : table->of_index(index->name())) {
      if (!names_alias(names, alias) || !call.admits(alias)) continue;
      own.emplace_back(alias, index::to_json(*member.properties));
      seen.insert(alias);
    }
    if (names.empty() || !own.empty())
      out.indices.emplace_back(index->name(),
                               Json::object({{"aliases", Json(std::move(own))}}));
  }
  for (const std::string& name : names)
    if (!is_name_pattern(name) && name.front() != '-' && !seen.contains(name))
      out.missing.push_back(name);
  return out;
}

Result<Reply> get_aliases(Call& call, const AliasServices& services) {
  CAIRN_TRY(auto listed, list_aliases(call, services.indices));
  if (listed.missing.empty()) return Reply::json(Json(std::move(listed.indices)));
  const bool one = listed.missing.size() == 1;
  Json out = Json::object({{"error", std::string(one ? "alias [" : "aliases [") +
                                         join(listed.missing, ",") + "] missing"},
                           {"status", 404}});
  for (const auto& [index, own] : listed.indices) out.as_object().emplace_back(index, own);
  return Reply::json(std::move(out), 404);
}

Result<Reply> has_aliases(Call& call, const AliasServices& services) {
  CAIRN_TRY(const auto listed, list_aliases(call, services.indices));
  const bool found = listed.missing.empty() && !listed.indices.empty();
  return Reply::empty(found ? 200 : 404);
}

// --- rows

using AliasFace = Result<Reply> (*)(Call&, const AliasServices&);

class AliasRows {
 public:
  AliasRows(Router& router, ServiceRef<index::Indices> indices, ServiceRef<search::Service> search)
      : router_(router), indices_(indices), search_(search) {}

  void add(gate::Route route, AliasFace face) {
    router_.add(std::move(route), [face, indices = indices_, search = search_](Call& call) {
      return face(call, {*indices, *search});
    });
  }

  /// A change: the handler asks for rights on each index and alias besides.
  void add_change(const std::string& method, const std::string& path, const std::string& operation,
                  const std::string& summary, AliasFace face, bool body_required = false) {
    const bool names_index = path.starts_with("/{index}");
    add({.method = method,
         .path = path,
         .operation = operation,
         .index_privilege = names_index ? "manage" : "",
         .filters_indices = names_index,
         .computes = true,
         .query = with_timeouts(),
         .summary = summary,
         .action = "indices:admin/aliases",
         .body_required = body_required},
        face);
  }

  void add_look(const std::string& method, const std::string& path, const std::string& operation,
                const std::string& summary, AliasFace face) {
    add({.method = method,
         .path = path,
         .operation = operation,
         .index_privilege = "view_index_metadata",
         .filters_indices = true,
         .computes = true,
         .query = with_index_options({{"local", "boolean", "Accepted; one node knows all."},
                                      {"master_timeout", "time", "The longest wait for the node that serves."}}),
         .summary = summary},
        face);
  }

 private:
  Router& router_;
  ServiceRef<index::Indices> indices_;
  ServiceRef<search::Service> search_;
};

}  // namespace

void add_alias_routes(Router& router, ServiceRef<index::Indices> indices,
                      ServiceRef<search::Service> search) {
  AliasRows rows(router, indices, search);
  rows.add_change("POST", "/_aliases", "indices.update_aliases",
                  "Adds and removes aliases, and removes indices: all at one moment, or none.",
                  change, true);
  for (const std::string tail : {"/_alias", "/_aliases"}) {
    for (const auto* method : {"PUT", "POST"})
      for (const std::string index : {"/{index}", ""})
        rows.add_change(method, index + tail + "/{name}", "indices.put_alias", "Adds an alias.",
                        put_alias);
    rows.add_change("PUT", "/{index}" + tail, "indices.put_alias",
                    "Adds an alias that the body names.", put_alias, true);
    rows.add_change("DELETE", "/{index}" + tail + "/{name}", "indices.delete_alias",
                    "Removes aliases of indices.", delete_alias);
  }
  rows.add_change("PUT", "/_alias", "indices.put_alias",
                  "Adds an alias; the body names it and the index.", put_alias, true);
  rows.add_look("GET", "/_aliases", "indices.get_alias", "Lists the aliases of indices.",
                get_aliases);
  for (const std::string index : {"/{index}", ""}) {
    rows.add_look("GET", index + "/_alias", "indices.get_alias", "Lists the aliases of indices.",
                  get_aliases);
    rows.add_look("GET", index + "/_alias/{name}", "indices.get_alias", "Lists aliases by name.",
                  get_aliases);
    rows.add_look("HEAD", index + "/_alias/{name}", "indices.exists_alias",
                  "Says whether there is such an alias.", has_aliases);
  }
}

}  // namespace cairn::api
