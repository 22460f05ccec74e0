// SPDX-License-Identifier: Apache-2.0
#include "api/routes/search_context_routes.h"

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

constexpr std::size_t ids_max = 1'000;  // of one call

/// `name` as one text or a list of them. Errors: illegal_argument_exception.
Result<std::vector<std::string>> texts_of(const Json& body, std::string_view name) {
  std::vector<std::string> out;
  const Json* value = body.find(name);
  if (value == nullptr || value->is_null()) return out;
  if (value->is_string()) return std::vector<std::string>{value->as_string()};
  if (!value->is_array())
    return illegal_argument("[" + std::string(name) + "] must be a text or a list of texts");
  for (const Json& one : value->as_array()) {
    if (!one.is_string())
      return illegal_argument("[" + std::string(name) + "] must be a text or a list of texts");
    out.push_back(one.as_string());
  }
  return out;
}

Result<Json> strict_body(Call& call, std::initializer_list<std::string_view> known) {
  CAIRN_TRY(auto given, call.optional_body());
  Json body = given ? std::move(*given) : Json::object();
  for (const auto& [name, value] : body.as_object())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return illegal_argument("Unknown parameter [" + name +
                              "] in request body or parameter is of "
                              "the wrong type[" +
                              std::string(json_token_of(value)) + "] ");
  return body;
}

Result<Reply> next_page(Call& call, search::Service& service) {
  CAIRN_TRY(const Json body, strict_body(call, {"scroll_id", "scroll"}));
  std::string id = call.path("scroll_id");
  if (id.empty()) id = call.query("scroll_id").value_or("");
  search::SearchParameters parameters;
  CAIRN_TRY(parameters.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  if (call.query("scroll")) {
    CAIRN_TRY(parameters.scroll_ms, call.time("scroll", -1));
  }
  CAIRN_TRY(const auto ids, texts_of(body, "scroll_id"));
  if (ids.size() > 1) return illegal_argument("[scroll_id] must be one id");
  if (!ids.empty()) id = ids.front();
  if (const Json* keep = body.find("scroll"); keep != nullptr && keep->is_string()) {
    CAIRN_TRY(parameters.scroll_ms, parse_time_value(keep->as_string(), "scroll"));
  } else if (keep != nullptr && !keep->is_null()) {
    return illegal_argument("[scroll] must be a time, such as \"1m\"");
  }
  if (id.empty()) return validation_fault({"scrollId is missing"});
  parameters.caller = context_caller(call);
  CAIRN_TRY(std::string text, service.next_page(id, parameters, call.deadline()));
  return Reply::raw_json(std::move(text));
}

/// A scroll that is not there was ended with success; a point in time that is not there was not.
Reply freed(std::size_t count, bool succeeded = true) {
  return Reply::json(Json::object({{"succeeded", succeeded}, {"num_freed", count}}),
                     count > 0 ? 200 : 404);
}

Result<Reply> clear_scrolls(Call& call, search::Service& service) {
  CAIRN_TRY(const Json body, strict_body(call, {"scroll_id"}));
  CAIRN_TRY(auto ids, texts_of(body, "scroll_id"));
  if (ids.empty())
    for (const auto piece : split(call.path("scroll_id"), ','))
      if (!piece.empty()) ids.emplace_back(piece);
  if (ids.empty()) return validation_fault({"no scroll ids specified"});
  if (ids.size() > ids_max)
    return illegal_argument("[scroll_id] takes " + std::to_string(ids_max) + " ids at most");
  const std::string owner = context_caller(call).owner;
  if (ids.size() == 1 && ids.front() == "_all")
    return freed(service.contexts().close_scrolls(owner));
  CAIRN_CHECK(search::SearchContexts::check_ids(ids, true));
  return freed(service.contexts().close(ids, owner));
}

Result<Reply> open_point_in_time(Call& call, const index::Indices& indices,
                                 search::Service& service) {
  CAIRN_TRY(const Json body, strict_body(call, {}));
  if (!call.query("keep_alive")) return validation_fault({"[keep_alive] is not specified"});
  CAIRN_TRY(const std::int64_t keep_alive_ms, call.time("keep_alive", -1));
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  CAIRN_TRY(const std::string id,
            service.open_point_in_time(found, context_caller(call), keep_alive_ms));
  Json shards = shards_of(found.size());
  shards.erase("failed");
  shards.set("skipped", 0);
  shards.set("failed", 0);
  return Reply::json(Json::object({{"id", id}, {"_shards", std::move(shards)}}));
}

Result<Reply> close_point_in_time(Call& call, search::Service& service) {
  CAIRN_TRY(const Json body, strict_body(call, {"id"}));
  const Json* id = body.find("id");
  if (id == nullptr || !id->is_string()) return validation_fault({"[id] is missing"});
  CAIRN_CHECK(search::SearchContexts::check_ids({id->as_string()}, false));
  const std::size_t count = service.contexts().close({id->as_string()}, context_caller(call).owner);
  return freed(count, count > 0);
}

// Every index is one shard of the one node.
Result<Reply> search_shards(Call& call, const index::Indices& indices, const ServerFacts& node,
                            const ServerSources& sources) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  Json names = Json::object();
  Json::Array shards;
  for (const auto& index : found) {
    Json own = Json::object();
    if (index.filter() != nullptr && !index.hides_documents())
      own = Json::object({{"aliases", Json::array_of(index.names())}, {"filter", *index.filter()}});
    names.set(index->name(), std::move(own));
    shards.push_back(
        Json::array({Json::object({{"state", "STARTED"},
                                   {"primary", true},
                                   {"node", node.node_id},
                                   {"relocating_node", Json()},
                                   {"shard", 0},
                                   {"index", index->name()},
                                   {"allocation_id", Json::object({{"id", index->uuid()}})}})}));
  }
  const Json own =
      Json::object({{"name", node.node_name},
                    {"ephemeral_id", node.node_id},
                    {"transport_address", sources.address ? sources.address() : node.address},
                    {"attributes", Json::object()}});
  return Reply::json(Json::object({{"nodes", Json::object({{node.node_id, own}})},
                                   {"indices", std::move(names)},
                                   {"shards", Json(std::move(shards))}}));
}

gate::Route row(std::string method, std::string path, std::string operation, std::string summary) {
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = "read",
          .filters_indices = true,
          .filters_documents = true,
          .reads = true,
          .summary = std::move(summary)};
}

void add_scroll_rows(Router& router, ServiceRef<search::Service> service) {
  for (const auto* method : {"POST", "GET"})
    for (const auto* path : {"/_search/scroll", "/_search/scroll/{scroll_id}"}) {
      auto next = row(method, path, "scroll", "Gives the next page of a scroll.");
      next.resource = "search";
      next.computes = true;
      next.query = {{"scroll", "time", "How long the scroll is kept from now on."},
                    {"scroll_id", "string", "The id, where neither path nor body has it."},
                    {"rest_total_hits_as_int", "boolean", "The total as a number."}};
      router.add(std::move(next), [service](Call& call) { return next_page(call, *service); });
    }
  for (const auto* path : {"/_search/scroll", "/_search/scroll/{scroll_id}"})
    router.add(row("DELETE", path, "clear_scroll", "Ends scrolls of the key that asks."),
               [service](Call& call) { return clear_scrolls(call, *service); });
}

}  // namespace

void add_search_context_routes(Router& router, ServiceRef<const index::Indices> indices,
                               ServiceRef<search::Service> service, const ServerFacts& facts,
                               const ServerSources& sources) {
  add_scroll_rows(router, service);
  for (const auto* method : {"POST", "GET"})
    for (const auto* path : {"/_search_shards", "/{index}/_search_shards"}) {
      auto where = row(method, path, "search_shards", "Says which shards a search would ask.");
      where.query = with_index_options({{"preference", "string", "There is one shard."},
                                        {"routing", "string", "There is one shard."},
                                        {"local", "boolean", "Accepted; one node knows all."},
                                        {"master_timeout", "time", "The longest wait for the node that serves."}});
      router.add(std::move(where), [indices, facts, sources](Call& call) {
        return search_shards(call, *indices, facts, sources);
      });
    }
  auto open = row("POST", "/{index}/_pit", "open_point_in_time",
                  "Keeps the documents of indices as they are, to be searched again and again.");
  open.query =
      with_index_options({{"keep_alive", "time", "How long it is kept; required."},
                          {"allow_partial_search_results", "boolean", "All are kept, or none."},
                          {"max_concurrent_shard_requests", "integer", "There is one shard."},
                          {"preference", "string", "There is one shard."},
                          {"routing", "string", "There is one shard."}});
  router.add(std::move(open), [indices, service](Call& call) {
    return open_point_in_time(call, *indices, *service);
  });
  router.add(row("DELETE", "/_pit", "close_point_in_time", "Ends a point in time."),
             [service](Call& call) { return close_point_in_time(call, *service); });
}

}  // namespace cairn::api
