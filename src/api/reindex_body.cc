// SPDX-License-Identifier: Apache-2.0
#include "api/reindex_body.h"

#include "api/by_query_params.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/reindex_remote.h"
#include "api/write_params.h"
#include "base/strings.h"
#include "search/source_filter.h"

namespace cairn::api {
namespace {

Error not_offered_here(std::string_view what, std::string_view why) {
  return illegal_argument("[" + std::string(what) + "] is not offered: " + std::string(why));
}

/// "_doc" in any of its forms: whatever order is cheapest.
bool is_index_order(const Json& sort) {
  if (sort.is_string()) return sort.as_string() == "_doc";
  if (sort.is_object()) return sort.as_object().size() == 1 && sort.find("_doc") != nullptr;
  return sort.is_array() && sort.as_array().size() == 1 && is_index_order(sort.as_array().front());
}

Status read_source(std::string_view text, const Json& source, const search::Service& search,
                   const tasks::Options& limits, tasks::ByQuery& out) {
  Fields fields(source, "source", "source");
  CAIRN_TRY(const auto names, fields.strings("index"));
  const Json* query = fields.any("query");
  const Json* slice = fields.any("slice");
  const Json* sort = fields.any("sort");
  if (const Json* filter = fields.any("_source")) {
    CAIRN_TRY(const auto read, search::parse_source_filter(text, *filter));
    CAIRN_CHECK(search::check_patterns(read));
    out.source_filter = *filter;
  }
  CAIRN_TRY(const auto size, fields.integer("size"));
  if (size) CAIRN_CHECK(check_scroll_size(*size, limits, out));
  CAIRN_TRY(const Json* remote, fields.object("remote"));
  if (fields.has("runtime_mappings"))
    return not_offered_here("source.runtime_mappings", "put the runtime fields into the mapping of the source");
  CAIRN_CHECK(fields.finish());
  if (!names || names->empty())
    return validation_fault({"use _all if you really want to copy from all existing indexes"});
  out.source_names = join(*names, ",");
  if (remote != nullptr)
    return read_remote({.remote = *remote, .query = query, .slice = slice, .sort = sort}, out);
  CAIRN_TRY(out.source_names, plain_names(out.source_names));
  if (sort != nullptr && !is_index_order(*sort))
    return not_offered_here("source.sort",
                            "documents come in the order in which they were written; choose those "
                            "that [max_docs] should take with [source.query]");
  Json searched = Json::object();
  if (query != nullptr) searched.set("query", *query);
  if (slice != nullptr) searched.set("slice", *slice);
  CAIRN_TRY(auto read, search.read_walk(text, searched, {}));
  out.query = std::move(read.query);
  out.slice = std::move(read.slice);
  return ok_status();
}

Status read_routing(const std::string& given, tasks::Destination& out) {
  using Routing = tasks::Destination::Routing;
  if (given == "keep") return out.routing = Routing::keep, ok_status();
  if (given == "discard") return out.routing = Routing::discard, ok_status();
  if (given.empty() || given.front() != '=')
    return validation_fault({"routing must be unset, [keep], [discard] or [=<some new value>]"});
  out.routing = Routing::set;
  out.routing_value = given.substr(1);
  return ok_status();
}

Status read_destination(const Json& given, tasks::Destination& out) {
  Fields fields(given, "dest", "dest");
  CAIRN_TRY(const std::string index, fields.required_string("index"));
  CAIRN_TRY(out.index, plain_names(index));
  CAIRN_TRY(const std::string op_type, fields.string_or("op_type", "index"));
  if (op_type != "index" && op_type != "create")
    return illegal_argument("opType must be 'create' or 'index', found: [" + op_type + "]");
  out.create_only = op_type == "create";
  CAIRN_TRY(const std::string version_type, fields.string_or("version_type", "internal"));
  if (version_type != "internal")
    return not_offered_here("dest.version_type",
                            "versions are counted by the index; [internal] "
                            "overwrites, and [op_type] [create] keeps what is there");
  CAIRN_TRY(const std::string routing, fields.string_or("routing", "keep"));
  CAIRN_CHECK(read_routing(routing, out));
  CAIRN_TRY(const std::string pipeline, fields.string_or("pipeline", "_none"));
  CAIRN_CHECK(check_pipeline(pipeline));
  return fields.finish();
}

}  // namespace

Status read_reindex(std::string_view text, const Json& body, const search::Service& search,
                    const tasks::Options& limits, tasks::ByQuery& out) {
  out.kind = tasks::Kind::reindex;
  Fields fields(body, "reindex");
  CAIRN_TRY(const Json* source, fields.required_object("source"));
  CAIRN_TRY(const Json* destination, fields.required_object("dest"));
  CAIRN_TRY(const auto conflicts, fields.string("conflicts"));
  if (conflicts) CAIRN_CHECK(read_conflicts(*conflicts, out));
  for (const auto* name : {"max_docs", "size"})
    if (const Json* most = fields.any(name)) CAIRN_CHECK(read_max_docs(*most, name, out));
  if (fields.has("script"))
    return not_offered_here("script", "there are no scripts; change documents with _bulk");
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(read_source(text, *source, search, limits, out));
  return read_destination(*destination, out.destination);
}

}  // namespace cairn::api
