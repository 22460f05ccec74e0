// SPDX-License-Identifier: Apache-2.0
#include "api/routes/async_search_routes.h"

#include <algorithm>
#include <utility>

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "api/search_params.h"
#include "format/time.h"

namespace cairn::api {
namespace {

using tasks::AsyncAnswer;

constexpr std::size_t kept_opaque_id_bytes_max = 1024;

/// A time as all of these answers write it; `human` adds it as a date.
void write_time(const Call& call, JsonWriter& out, const std::string& name, std::int64_t ms) {
  if (call.human()) out.key(name).string(format_iso8601(ms));
  out.key(name + "_in_millis").integer(ms);
}

void write_times(const Call& call, JsonWriter& out, const AsyncAnswer& answer) {
  write_time(call, out, "start_time", answer.started_ms);
  write_time(call, out, "expiration_time", answer.expires_ms);
  if (answer.ending) write_time(call, out, "completion_time", answer.ending->completed_ms);
}

bool is_partial(const AsyncAnswer& answer) { return !answer.ending || answer.ending->failed; }

Reply reply_of(const Call& call, const AsyncAnswer& answer) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  if (!answer.id.empty()) out.key("id").string(answer.id);
  out.key("is_partial").boolean(is_partial(answer));
  out.key("is_running").boolean(!answer.ending);
  write_times(call, out, answer);
  out.key(answer.ending && answer.ending->failed ? "error" : "response").raw(answer.text);
  out.end_object();
  Reply reply = Reply::raw_json(std::move(text), answer.ending ? answer.ending->status : 200);
  if (!answer.id.empty()) reply.headers.add("X-Elasticsearch-Async-Id", answer.id);
  reply.headers.add("X-Elasticsearch-Async-Is-Running", answer.ending ? "?0" : "?1");
  return reply;
}

std::string_view key_of_caller(const Call& call) {
  return call.caller().has_key() ? std::string_view(call.caller().key().id) : "";
}

Result<std::optional<std::int64_t>> keep_alive_of(const Call& call) {
  if (!call.query("keep_alive")) return std::optional<std::int64_t>();
  CAIRN_TRY(const std::int64_t ms, call.time("keep_alive", -1));
  return std::optional(ms);
}

Result<Reply> submit(Call& call, const index::Indices& indices, tasks::Tasks& tasks) {
  if (!call.caller().has_key())
    return Error{ErrorKind::permission_denied, "security_exception",
                 "async searches are kept for keys: send one"};
  tasks::NewAsyncSearch wanted;
  CAIRN_TRY(wanted.parameters, search_params(call, indices));
  if (wanted.parameters.scroll_ms) return validation_fault({"[scroll] queries are not supported"});
  CAIRN_TRY(wanted.wait_ms, call.time("wait_for_completion_timeout", wanted.wait_ms));
  CAIRN_TRY(wanted.keep_alive_ms, call.time("keep_alive", wanted.keep_alive_ms));
  CAIRN_TRY(wanted.keep_on_completion, call.flag("keep_on_completion", false));
  CAIRN_TRY(const std::string_view body, call.raw_body());
  wanted.body = body;
  wanted.target = call.path("index");
  CAIRN_TRY(wanted.indices, indices_of(call, indices, wanted.target));
  CAIRN_CHECK(
      let_outlive(call, indices, os::Deadline::never(wanted.stop.get_token()), wanted.parameters));
  wanted.owner.key = key_of_caller(call);
  if (const auto id = call.exchange().head.headers.find("x-opaque-id");
      id && id->size() <= kept_opaque_id_bytes_max)
    wanted.owner.opaque_id = *id;
  CAIRN_TRY(const AsyncAnswer answer, tasks.searches().submit(std::move(wanted), call.deadline()));
  return reply_of(call, answer);
}

Result<Reply> get(Call& call, tasks::Tasks& tasks) {
  tasks::AsyncLook look;
  CAIRN_TRY(look.keep_alive_ms, keep_alive_of(call));
  CAIRN_TRY(look.wait_ms, call.time("wait_for_completion_timeout", 0));
  CAIRN_TRY(look.form.typed_keys, call.flag("typed_keys", false));
  CAIRN_TRY(look.form.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  CAIRN_TRY(
      const AsyncAnswer answer,
      tasks.searches().get(call.path("id"), {.key = key_of_caller(call)}, look, call.deadline()));
  return reply_of(call, answer);
}

Json shards_of_search(const AsyncAnswer& answer) {
  const bool done = answer.ending && !answer.ending->failed;
  const bool failed = answer.ending && answer.ending->failed;
  return Json::object({{"total", answer.shards},
                       {"successful", done ? answer.shards : 0},
                       {"skipped", 0},
                       {"failed", failed ? answer.shards : 0}});
}

Result<Reply> status(Call& call, tasks::Tasks& tasks) {
  CAIRN_TRY(const auto keep_alive_ms, keep_alive_of(call));
  // Who keeps another's search for longer, or ends it sooner, changes it.
  const bool any = call.caller().may_cluster(keep_alive_ms ? "manage" : "monitor");
  CAIRN_TRY(const AsyncAnswer answer,
            tasks.searches().status(call.path("id"), {.key = key_of_caller(call), .any = any},
                                    keep_alive_ms, call.deadline()));
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("id").string(answer.id);
  out.key("is_running").boolean(!answer.ending);
  out.key("is_partial").boolean(is_partial(answer));
  write_times(call, out, answer);
  out.key("_shards").value(shards_of_search(answer));
  if (answer.ending) out.key("completion_status").integer(answer.ending->status);
  out.end_object();
  return Reply::raw_json(std::move(text));
}

Result<Reply> remove(Call& call, tasks::Tasks& tasks) {
  CAIRN_CHECK(tasks.searches().remove(
      call.path("id"), {.key = key_of_caller(call), .any = call.caller().may_cluster("manage")},
      call.deadline()));
  return Reply::json(Json::object({{"acknowledged", true}}));
}

// --- rows

gate::Route submit_row(const std::string& path) {
  auto query = search_parameters();
  const std::vector<gate::Parameter> own = {
      {"wait_for_completion_timeout", "time", "How long to wait for the end; 1s where absent."},
      {"keep_on_completion", "boolean", "Keep the answer though it ends in that time."},
      {"keep_alive", "time", "How long the search is kept; 5d where absent."}};
  query.insert(query.end(), own.begin(), own.end());
  for (gate::Parameter& one : query)
    if (one.name == "scroll") one.description = "Refused: an async search is no scroll.";
  auto out = search_row("POST", path, "async_search.submit",
                        "Begins a search that goes on while its client does something else.",
                        std::move(query));
  // It waits for a thread of its own, which computes in the pool.
  out.computes = false;
  out.waits = true;
  out.since = "7.7.0";
  return out;
}

/// Without privileges: whoever began a search sees it.
gate::Route look_row(std::string method, std::string path, std::string operation,
                     std::string summary, std::vector<gate::Parameter> query) {
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .since = "7.7.0",
          .query = std::move(query),
          .summary = std::move(summary),
          .waits = true};
}

}  // namespace

void add_async_search_routes(Router& router, ServiceRef<const index::Indices> indices,
                             ServiceRef<tasks::Tasks> tasks) {
  for (const auto* path : {"/_async_search", "/{index}/_async_search"})
    router.add(submit_row(path),
               [indices, tasks](Call& call) { return submit(call, *indices, *tasks); });
  const gate::Parameter keep_alive = {"keep_alive", "time", "How long it is kept from now on."};
  router.add(
      look_row(
          "GET", "/_async_search/{id}", "async_search.get",
          "Says how far an async search is, or what it answered.",
          {keep_alive,
           {"wait_for_completion_timeout", "time", "How long to wait for the end; not at all."},
           {"typed_keys", "boolean", "Name aggregations with their types: avg#price."},
           {"rest_total_hits_as_int", "boolean", "The total as a number."},
           {"return_intermediate_results", "boolean", "There are none before the end."}}),
      [tasks](Call& call) { return get(call, *tasks); });
  router.add(look_row("GET", "/_async_search/status/{id}", "async_search.status",
                      "Says how far an async search is, without its answer.", {keep_alive}),
             [tasks](Call& call) { return status(call, *tasks); });
  router.add(look_row("DELETE", "/_async_search/{id}", "async_search.delete",
                      "Ends an async search, and deletes its answer.", {}),
             [tasks](Call& call) { return remove(call, *tasks); });
}

}  // namespace cairn::api
