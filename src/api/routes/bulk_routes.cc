// SPDX-License-Identifier: Apache-2.0
#include "api/routes/bulk_routes.h"

#include <map>
#include <set>
#include <utility>

#include "api/bulk_body.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/write_params.h"
#include "base/strings.h"
#include "search/source_filter.h"

namespace cairn::api {
namespace {

using index::WriteResult;
using ingest::BulkItem;
using Action = BulkItem::Action;

struct BulkServices {
  index::Indices& indices;
  ingest::Ingest& ingest;
  const os::Clock& clock;
};

std::string_view name_of(Action action) {
  switch (action) {
    case Action::index:
      return "index";
    case Action::create:
      return "create";
    case Action::update:
      return "update";
    case Action::remove:
      return "delete";
  }
  return "index";
}

std::string_view privilege_of(const BulkItem& item) {
  switch (item.action) {
    case Action::index:
      return item.operation.id.empty() ? "create_doc" : "index";
    case Action::create:
      return "create_doc";
    case Action::update:
      return "write";
    case Action::remove:
      return "delete";
  }
  return "write";
}

/// Refuses the items that the caller has no right to; each question is asked once.
void check_rights(const Call& call, const index::Indices& indices, std::vector<BulkItem>& items) {
  std::map<std::pair<std::string, std::string>, std::optional<Error>> known;
  const auto ask = [&](const std::string& name, std::string_view privilege) {
    const auto key = std::pair(name, std::string(privilege));
    auto found = known.find(key);
    if (found == known.end()) {
      std::optional<Error> refused;
      const bool creates = privilege == "auto_configure";
      if (!creates || !indices.knows(name))
        if (const Status allowed = call.require_index(privilege, name); !allowed.ok())
          refused = allowed.error();
      found = known.emplace(key, std::move(refused)).first;
    }
    return found->second;
  };
  for (BulkItem& item : items) {
    if (item.refused) continue;
    item.refused = ask(item.index, privilege_of(item));
    const bool creates = item.action == Action::index || item.action == Action::create ||
                         item.update.doc_as_upsert || !item.update.upsert.is_null();
    if (!item.refused && creates) item.refused = ask(item.index, "auto_configure");
    if (!item.refused && item.action == Action::update)
      if (const Status whole = call.require_whole(item.index); !whole.ok())
        item.refused = whole.error();
  }
}

/// `_source` and its two companions of the address, as one would write it in a body; null for none.
Json wanted_source(const Call& call) {
  Json out;
  const auto given = call.query("_source");
  if (given && (given->empty() || *given == "true"))
    out = true;
  else if (given && *given == "false")
    out = false;
  else if (given)
    out = Json::object({{"includes", Json::array_of(call.list("_source"))}});
  for (const auto& [name, member] :
       {std::pair{"_source_includes", "includes"}, std::pair{"_source_excludes", "excludes"}}) {
    if (!call.query(name)) continue;
    if (!out.is_object()) out = Json::object();
    out.set(member, Json::array_of(call.list(name)));
  }
  return out;
}

/// What an update asked for of the document as it is now. Errors: those of the filter.
Status write_updated(JsonWriter& out, const BulkItem& item, const WriteResult& result) {
  if (item.action != Action::update || item.wanted_source.is_null()) return ok_status();
  CAIRN_TRY(const auto filter, search::parse_source_filter("", item.wanted_source));
  if (!filter.enabled) return ok_status();
  CAIRN_TRY(const Json source, parse_json(item.updated_source));
  out.key("get").begin_object().key("_seq_no").integer(result.seq_no);
  out.key("_primary_term").integer(result.primary_term).key("found").boolean(true);
  out.key("_source").value(search::filter_source(source, filter)).end_object();
  return ok_status();
}

Status write_item(JsonWriter& out, const BulkItem& item, const WriteResult& result, bool forced) {
  out.begin_object().key(name_of(item.action)).begin_object();
  if (!result.error) {
    write_result(out, item.index, result, forced && result.outcome != WriteResult::Outcome::noop);
    out.key("status").integer(status_of(result));
    CAIRN_CHECK(write_updated(out, item, result));
  } else {
    out.key("_index").string(item.index).key("_id");
    result.id.empty() ? out.null() : out.string(result.id);
    out.key("status").integer(status_of(result));
    out.key("error").value(error_object(*result.error));
  }
  out.end_object().end_object();
  return ok_status();
}

Status refresh_touched(const BulkServices& services, const std::vector<BulkItem>& items,
                       const std::vector<WriteResult>& results, const WriteQuery& query) {
  if (query.refresh == RefreshPolicy::none) return ok_status();
  std::set<std::string_view> touched;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!results[i].error && touched.insert(items[i].index).second) {
      const auto index = services.indices.find(items[i].index);
      if (index.ok()) CAIRN_CHECK(apply_refresh(**index, query.refresh, query.deadline));
    }
  return ok_status();
}

Result<Reply> bulk(Call& call, const BulkServices& services) {
  const std::int64_t begin = services.clock.steady_ns();
  CAIRN_TRY(const WriteQuery query, write_query(call));
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  CAIRN_TRY(auto items, parse_bulk(body, {.index = call.path("index"),
                                          .require_alias = query.require_alias,
                                          .require_data_stream = query.require_data_stream,
                                          .routing = query.routing,
                                          .source = wanted_source(call),
                                          .pipeline = call.query("pipeline").value_or("")}));
  check_rights(call, services.indices, items);
  const auto results = services.ingest.bulk(items, query.deadline);
  CAIRN_CHECK(refresh_touched(services, items, results, query));
  bool errors = false;
  for (const WriteResult& result : results) errors = errors || result.error.has_value();
  std::string text;
  text.reserve(items.size() * 180);
  JsonWriter out(text);
  out.begin_object().key("errors").boolean(errors);
  out.key("took").integer((services.clock.steady_ns() - begin) / 1'000'000);
  out.key("items").begin_array();
  for (std::size_t i = 0; i < items.size(); ++i)
    CAIRN_CHECK(write_item(out, items[i], results[i], query.refresh == RefreshPolicy::now));
  out.end_array().end_object();
  return Reply::raw_json(std::move(text));
}

}  // namespace

void add_bulk_routes(Router& router, ServiceRef<index::Indices> indices,
                     ServiceRef<ingest::Ingest> ingest, const os::Clock& clock) {
  for (const auto* method : {"POST", "PUT"})
    for (const auto* path : {"/_bulk", "/{index}/_bulk"})
      router.add({.method = method,
                  .path = path,
                  .operation = "bulk",
                  .computes = true,
                  .query = with_write_options(
                      {{"_source", "list", "What updates give back of the document."},
                       {"_source_includes", "list", "Paths that updates give back."},
                       {"_source_excludes", "list", "Paths that updates leave out."},
                       {"list_executed_pipelines", "boolean", "There are no pipelines."}}),
                  .summary = "Writes, updates and deletes documents, in order.",
                  .body_required = true,
                  .ndjson = true},
                 [indices, ingest, &clock](Call& call) {
                   return bulk(call, {*indices, *ingest, clock});
                 });
}

}  // namespace cairn::api
