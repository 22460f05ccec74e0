// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/backup_routes.h"

#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "format/time.h"

namespace cairn::api {
namespace {

using backup::Run;
using backup::Service;

std::string_view name_of(Run::State state) {
  switch (state) {
    case Run::State::running:
      return "running";
    case Run::State::done:
      return "done";
    case Run::State::failed:
      break;
  }
  return "failed";
}

Json json_of(const Run& run) {
  Json out =
      Json::object({{"id", run.id},
                    {"place", run.place.text},
                    {"state", name_of(run.state)},
                    {"scheduled", run.by_schedule},
                    {"begun", format_iso8601(run.begun_ms)},
                    {"files", Json::object({{"done", run.files_done}, {"total", run.files_total}})},
                    {"bytes_read", run.bytes_done},
                    {"bytes_added", run.added_bytes},
                    {"pieces_added", run.added_pieces}});
  if (run.state == Run::State::running) return out;
  out.set("ended", format_iso8601(run.ended_ms));
  if (run.error) {
    out.set("error", run.error->message);
    return out;
  }
  out.set("bytes", run.size_bytes);
  out.set("damaged", run.damaged);
  out.set("older_removed", run.removed);
  return out;
}

/// The request, whose key is never shown again.
Result<backup::Wanted> wanted_of(Call& call) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json none = Json::object();
  Fields fields(body ? *body : none, "backup_request");
  CAIRN_TRY(const auto place, fields.string("place"));
  CAIRN_TRY(const auto client, fields.string("client"));
  CAIRN_TRY(const auto key, fields.string("key"));
  CAIRN_TRY(const auto rereads, fields.boolean("reread"));
  CAIRN_CHECK(fields.finish());
  backup::Wanted out{.rereads = rereads.value_or(false)};
  if (client && !place) return illegal_argument("[client] is of a [place], and none is given");
  if (place) out.place = backup::Place{.text = *place, .client = client.value_or("")};
  if (!key) return out;
  const auto parsed = backup::Key::parse(*key);
  if (!parsed.ok()) return illegal_argument("[key] is " + parsed.error().message);
  out.key = *parsed;
  return out;
}

Result<Reply> create(Call& call, Service& service) {
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", false));
  CAIRN_TRY(const backup::Wanted wanted, wanted_of(call));
  CAIRN_TRY(const std::string id, service.begin(wanted));
  if (!waits) return Reply::json(Json::object({{"id", id}, {"state", "running"}}), 202);
  CAIRN_TRY(const Run run, service.wait(id, call.deadline()));
  if (run.error) return *run.error;
  return Reply::json(json_of(run));
}

Result<Reply> show(Service& service) {
  Json runs = Json::array();
  for (const Run& run : service.runs()) runs.push(json_of(run));
  Json out = Json::object({{"backups", std::move(runs)}});
  const auto& standing = service.standing();
  if (!standing.place.text.empty()) {
    out.set("place", standing.place.text);
    out.set("keep", static_cast<std::int64_t>(standing.keep));
  }
  if (const auto due = service.next_due_ms()) out.set("next", format_iso8601(*due));
  return Reply::json(std::move(out));
}

}  // namespace

void add_backup_routes(Router& router, ServiceRef<Service> service) {
  router.add({.method = "POST",
              .path = "/_cairn/backups",
              .operation = "cairn.create_backup",
              .cluster = {"all"},
              .query = {{"wait_for_completion", "boolean", "Answer when the backup has ended."}},
              .summary = "Begins a backup of all that the server keeps.",
              .waits = true},
             [service](Call& call) { return create(call, *service); });
  router.add({.method = "GET",
              .path = "/_cairn/backups",
              .operation = "cairn.backups",
              .cluster = {"all"},
              .summary = "The backup that is being made, and those that ended since the start."},
             [service](Call&) { return show(*service); });
  router.add({.method = "DELETE",
              .path = "/_cairn/backups",
              .operation = "cairn.cancel_backup",
              .cluster = {"all"},
              .summary = "Ends the backup that is being made."},
             [service](Call&) -> Result<Reply> {
               return Reply::json(Json::object({{"cancelled", service->cancel()}}));
             });
}

}  // namespace cairn::api
