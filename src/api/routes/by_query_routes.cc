// SPDX-License-Identifier: Apache-2.0
#include "api/routes/by_query_routes.h"

#include <algorithm>
#include <set>

#include "api/by_query_params.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/reindex_body.h"
#include "api/url_query.h"
#include "api/write_params.h"
#include "base/strings.h"
#include "index/errors.h"
#include "index/live_settings.h"

namespace cairn::api {
namespace {

struct ByQueryServices {
  index::Indices& indices;
  search::Service& search;
  tasks::Tasks& tasks;
};

/// Begins a task and, unless the call says otherwise, waits for it.
Result<Reply> run_task(Call& call, const ByQueryServices& services, tasks::NewTask wanted) {
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", true));
  wanted.owner = task_owner(call);
  wanted.background = !waits;
  CAIRN_TRY(const auto task, services.tasks.start(std::move(wanted), call.deadline()));
  if (!waits)
    return Reply::json(
        Json::object({{"task", services.tasks.node_id() + ":" + std::to_string(task->number())}}));
  CAIRN_TRY(auto ending, services.tasks.finish(*task, call.deadline()));
  return Reply::json(std::move(ending.response), ending.status);
}

/// The members of a body of delete and update by query. Errors for those that are not offered.
Status read_members(const Json& body, tasks::ByQuery& out, Json& searched) {
  for (const auto& [name, value] : body.as_object()) {
    if (name == "query" || name == "slice" || name == "sort") {
      searched.set(name, value);
    } else if (name == "max_docs") {
      CAIRN_CHECK(read_max_docs(value, name, out));
    } else if (name == "conflicts") {
      if (!value.is_string()) return illegal_argument("[conflicts] must be a text");
      CAIRN_CHECK(read_conflicts(value.as_string(), out));
    } else if (name == "script") {
      return illegal_argument(
          "[script] is not offered: there are no scripts; change documents with _bulk");
    } else {
      return illegal_argument("request does not support [" + name + "]");
    }
  }
  return ok_status();
}

/// What the URL says about which documents are taken; its `sort` goes before that of the body.
Status read_choice(const Call& call, tasks::ByQuery& out, Json& searched) {
  Json::Array keys;
  for (const std::string& one : call.list("sort")) {
    const auto colon = one.rfind(':');
    keys.push_back(colon == std::string::npos
                       ? Json(one)
                       : Json::object({{one.substr(0, colon), one.substr(colon + 1)}}));
  }
  if (!keys.empty()) searched.set("sort", Json(std::move(keys)));
  CAIRN_TRY(const std::int64_t most, call.integer("terminate_after", 0));
  if (most < 0) return illegal_argument("terminateAfter must be > 0");
  out.terminate_after = static_cast<std::uint64_t>(most);
  if (call.query("search_timeout")) {
    CAIRN_TRY(out.search_timeout_ms, call.time("search_timeout", -1));
  }
  CAIRN_CHECK(call.flag("version", false));
  return ok_status();
}

/// `_doc` alone is the order in which documents were written.
bool is_written_order(const std::vector<index::SortKey>& keys) {
  return keys.empty() || (keys.size() == 1 && keys.front().by == index::SortKey::By::doc &&
                          !keys.front().descending);
}

Result<Reply> change_by_query(Call& call, const ByQueryServices& services, tasks::Kind kind) {
  tasks::NewTask wanted{.request = {.kind = kind, .source_names = call.path("index")}};
  tasks::ByQuery& request = wanted.request;
  CAIRN_CHECK(read_by_query_options(call, services.tasks.options(), request));
  CAIRN_CHECK(check_pipeline(call.query("pipeline").value_or("_none")));
  CAIRN_TRY(auto parameters, read_url_query(call));
  parameters.search_type = call.query("search_type").value_or("");
  CAIRN_TRY(const auto body, call.optional_body());
  Json searched = Json::object();
  if (body) CAIRN_CHECK(read_members(*body, request, searched));
  CAIRN_CHECK(read_choice(call, request, searched));
  CAIRN_TRY(const std::string_view text, call.raw_body());
  CAIRN_TRY(auto read, services.search.read_walk(text, searched, parameters));
  if (kind == tasks::Kind::remove && read.query.is_null())
    return validation_fault({"query is missing"});
  request.query = std::move(read.query);
  request.slice = std::move(read.slice);
  if (const Json* sort = searched.find("sort"); sort != nullptr && !is_written_order(read.sort))
    request.sort = *sort;
  CAIRN_CHECK(check_slices(request));
  if (!parameters.q) wanted.text = text;
  CAIRN_TRY(wanted.sources, indices_of(call, services.indices, call.path("index")));
  for (const auto& index : wanted.sources) {
    for (const std::string& name : index.names()) CAIRN_CHECK(call.require_index("read", name));
    CAIRN_CHECK(index->check_open_to(index::Change::documents));
  }
  return run_task(call, services, std::move(wanted));
}

// --- reindex

/// The indices to copy from, each of which the caller may read; of a wildcard those that they may.
Result<IndexList> sources_of(const Call& call, const index::Indices& indices,
                             const std::string& names) {
  std::set<std::string, std::less<>> named;
  for (const auto name : split(names, ','))
    if (!name.empty() && name != "_all" && name.find('*') == std::string_view::npos)
      named.emplace(name);
  for (const std::string& name : named)
    if (name.front() != '-' && indices.knows(name)) CAIRN_CHECK(call.require_index("read", name));
  return indices.resolve_names(
      names, {.admits = [&call](std::string_view name) {
                return call.require_index("read", name).ok();
              },
              .narrows = read_rights(call).narrows});
}

/// What an alias or a data stream means is written to.
Status settle_name(index::Indices& indices, tasks::Destination& to, const os::Deadline& deadline) {
  const auto write = to.create_only ? index::StreamWrite::create : index::StreamWrite::index;
  const auto streams = indices.data_streams();
  CAIRN_CHECK(index::check_stream_write(*streams, to.index, write));
  if (!indices.knows(to.index)) {
    CAIRN_TRY(const auto found, indices.templated(to.index, {}));
    if (!found.data_stream) return ok_status();
    CAIRN_CHECK(index::check_new_stream_write(write));
    if (found.allow_auto_create == false)
      return index::no_auto_create(to.index, found.template_name);
    if (!found.allow_auto_create) CAIRN_CHECK(indices.live().auto_create()->check(to.index));
    CAIRN_CHECK(indices.create_data_stream(to.index, deadline));
  }
  CAIRN_CHECK(indices.roll_over_if_marked(to.index, deadline));
  if (indices.find(to.index).ok()) return ok_status();
  CAIRN_TRY(auto place, indices.find_write(to.index));
  to.index = place.index->name();
  if (place.routing.empty()) return ok_status();
  to.routing = tasks::Destination::Routing::set;
  to.routing_value = std::move(place.routing);
  return ok_status();
}

Status check_destination(const Call& call, const ByQueryServices& services,
                         tasks::NewTask& wanted) {
  tasks::Destination& to = wanted.request.destination;
  CAIRN_TRY(const bool alias, call.flag("require_alias", false));
  if (alias && !services.indices.is_alias(to.index)) return index::no_such_alias(to.index);
  CAIRN_CHECK(call.require_index(to.create_only ? "create_doc" : "index", to.index));
  CAIRN_CHECK(check_auto_create(call, services.indices, to.index));
  CAIRN_CHECK(settle_name(services.indices, to, call.deadline()));
  CAIRN_CHECK(index::Indices::check_name(to.index));
  for (const auto& source : wanted.sources)
    if (source->name() == to.index)
      return validation_fault(
          {"reindex cannot write into an index its reading from [" + to.index + "]"});
  if (const auto there = services.indices.find(to.index); there.ok())
    return (*there)->check_open_to(index::Change::documents);
  return ok_status();
}

/// Another server's scroll is one.
Status check_no_parts(const Call& call) {
  const std::string slices = call.query("slices").value_or("1");
  if (slices == "1") return ok_status();
  return validation_fault(
      {"reindex from remote sources doesn't support slices > 1 but was [" + slices + "]"});
}

Result<Reply> reindex(Call& call, const ByQueryServices& services) {
  tasks::NewTask wanted;
  CAIRN_CHECK(read_by_query_options(call, services.tasks.options(), wanted.request));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const std::string_view text, call.raw_body());
  CAIRN_CHECK(read_reindex(text, body, services.search, services.tasks.options(), wanted.request));
  if (wanted.request.remote) {
    CAIRN_CHECK(check_no_parts(call));
    CAIRN_TRY(wanted.request.remote->keep_alive_ms, scroll_time(call));
  } else {
    CAIRN_CHECK(check_slices(wanted.request));
    wanted.text = text;
    wanted.query_path = "source.query";
    CAIRN_TRY(wanted.sources, sources_of(call, services.indices, wanted.request.source_names));
  }
  CAIRN_CHECK(check_destination(call, services, wanted));
  return run_task(call, services, std::move(wanted));
}

// --- rows

using ByQueryFace = std::function<Result<Reply>(Call&, const ByQueryServices&)>;

}  // namespace

void add_by_query_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search, ServiceRef<tasks::Tasks> tasks) {
  const auto add = [&](std::string path, std::string operation, std::string privilege,
                       std::vector<gate::Parameter> query, std::string summary, ByQueryFace face) {
    const bool filters = !privilege.empty();
    router.add({.method = "POST",
                .path = std::move(path),
                .operation = std::move(operation),
                .index_privilege = std::move(privilege),
                .filters_indices = filters,
                .filters_documents = true,
                .query = std::move(query),
                .summary = std::move(summary),
                .waits = true},
               [=](Call& call) {
                 return face(call, {*indices, *search, *tasks});
               });
  };
  const auto options = with_index_options(with_by_query_options(with_query_parameters()));
  add("/{index}/_delete_by_query", "delete_by_query", "delete", options,
      "Deletes the documents of a query.", [](Call& call, const ByQueryServices& services) {
        return change_by_query(call, services, tasks::Kind::remove);
      });
  auto updates = options;
  updates.push_back({"pipeline", "string", "Only _none: there are no pipelines."});
  add("/{index}/_update_by_query", "update_by_query", "index", updates,
      "Indexes the documents of a query again.", [](Call& call, const ByQueryServices& services) {
        return change_by_query(call, services, tasks::Kind::update);
      });
  add("/_reindex", "reindex", "",
      with_by_query_options({{"require_alias", "boolean", "Refuse a name that is no alias."}}),
      "Copies the documents of a query into an index.", reindex);
}

}  // namespace cairn::api
