// SPDX-License-Identifier: Apache-2.0
#include "api/routes/snapshot_routes.h"

#include <algorithm>

#include "api/dry_run.h"
#include "api/forms/fields.h"
#include "base/strings.h"
#include "format/time.h"
#include "index/settings/settings.h"
#include "snapshots/errors.h"

namespace cairn::api {
namespace {

constexpr std::int64_t wait_default_ms = 30'000;
constexpr std::size_t metadata_bytes_max = 1024;

const gate::Parameter master_timeout = {
    "master_timeout", "time",
    "How long to wait for the work to begin; 30s where absent, -1: ever."};
const gate::Parameter timeout = {
    "timeout", "time", "How long to wait for the work to end; 30s where absent, -1: ever."};

Reply acknowledged_snapshot(bool yes = true) {
  return Reply::json(Json::object({{"acknowledged", yes}}));
}

os::Deadline master_deadline(const Call& call, std::int64_t wait_ms) {
  return os::Deadline::from_wait_ms(wait_ms, call.deadline().stop());
}

// --- repositories

Result<Reply> put_repository(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "put_repository_request");
  snapshots::RepositorySettings repository{.name = call.path("repository"), .type = {}};
  CAIRN_TRY(repository.type, fields.required_string("type"));
  CAIRN_TRY(const Json* settings, fields.object("settings"));
  if (settings != nullptr) repository.settings = *settings;
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool verify, call.flag("verify", true));
  CAIRN_TRY(const auto wait, call.time("master_timeout", wait_default_ms));
  CAIRN_CHECK(service.put_repository(repository, verify, master_deadline(call, wait)));
  return acknowledged_snapshot();
}

Result<Reply> get_repository(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const auto names, service.repositories().resolve(call.path("repository")));
  Json out = Json::object();
  for (const auto& name : names) {
    CAIRN_TRY(Json repository, service.repositories().describe(name));
    out.set(name, std::move(repository));
  }
  return Reply::json(std::move(out));
}

Result<Reply> delete_repository(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const auto wait, call.time("master_timeout", wait_default_ms));
  CAIRN_CHECK(service.remove_repository(call.path("repository"), master_deadline(call, wait)));
  return acknowledged_snapshot();
}

Result<Reply> verify_repository(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const auto repository, service.repositories().find(call.path("repository")));
  CAIRN_CHECK(service.repositories().verify(*repository, call.deadline()));
  const auto& options = service.options();
  const Json node = Json::object({{"name", options.node_name}});
  return Reply::json(Json::object({{"nodes", Json::object({{options.node_id, node}})}}));
}

/// What would go, in numbers.
Json shown_forecast(const snapshots::RemovalForecast& forecast) {
  Json names = Json::array();
  for (const auto& one : forecast.snapshots) names.push(one.record.name);
  return Json::object({{"snapshots", std::move(names)},
                       {"blobs", forecast.blobs},
                       {"bytes", forecast.bytes},
                       {"snapshot_running", forecast.snapshot_running}});
}

// Section 5 of the interface description: an expired master_timeout is an error and nothing was
// deleted; an expired timeout is an answer, unacknowledged.
Result<Reply> cleanup_repository(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  CAIRN_CHECK(Fields(body, "cleanup_repository_request").finish());
  snapshots::CleanupWaits waits;
  CAIRN_TRY(waits.master_timeout_ms, call.time("master_timeout", wait_default_ms));
  CAIRN_TRY(waits.timeout_ms, call.time("timeout", wait_default_ms));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(const auto forecast, service.try_cleanup(call.path("repository"), call.deadline()));
    return would(shown_forecast(forecast));
  }
  CAIRN_TRY(const auto result,
            service.cleanup(call.path("repository"), waits, call.deadline().stop()));
  Json out = Json::object({{"results", Json::object({{"deleted_bytes", result.deleted_bytes},
                                                     {"deleted_blobs", result.deleted_blobs}})}});
  if (!result.acknowledged) out.set("acknowledged", false);
  return Reply::json(std::move(out));
}

// --- snapshots

/// What of a snapshot an answer has.
struct ShownParts {
  bool verbose = true;
  bool indices = true;
  bool repository = true;
};

Json shown(const snapshots::ShownSnapshot& snapshot, const ShownParts& parts = {}) {
  const auto& record = snapshot.record;
  Json out = Json::object({{"snapshot", record.name}, {"uuid", record.uuid}});
  if (parts.repository) out.set("repository", snapshot.repository);
  Json indices = Json::array();
  for (const auto& [index, id] : record.indices) indices.push(index);
  Json streams = Json::array();
  for (const auto& [stream, of] : record.data_streams.as_object()) streams.push(stream);
  if (!parts.verbose) {
    if (parts.indices) out.set("indices", std::move(indices));
    out.set("data_streams", std::move(streams));
    out.set("state", record.state);
    return out;
  }
  const bool ended = record.state != "IN_PROGRESS";
  const auto shards = static_cast<std::int64_t>(ended ? record.indices.size() : 0);
  const std::int64_t failed = static_cast<std::int64_t>(record.failures.as_array().size());
  out.set("version", record.version);
  if (parts.indices) out.set("indices", std::move(indices));
  out.set("data_streams", std::move(streams));
  out.set("include_global_state", record.include_global_state);
  if (!record.metadata.is_null()) out.set("metadata", record.metadata);
  out.set("state", record.state);
  out.set("start_time", format_iso8601(record.start_ms));
  out.set("start_time_in_millis", record.start_ms);
  if (ended) {
    out.set("end_time", format_iso8601(record.end_ms));
    out.set("end_time_in_millis", record.end_ms);
    out.set("duration_in_millis", std::max<std::int64_t>(0, record.end_ms - record.start_ms));
  }
  out.set("failures", record.failures);
  out.set("shards",
          Json::object({{"total", shards + failed}, {"failed", failed}, {"successful", shards}}));
  out.set("feature_states", Json::array());
  return out;
}

/// "a,b", or ["a", "b"].
Result<std::string> index_expression(Fields& fields) {
  CAIRN_TRY(const auto names, fields.strings("indices"));
  return names ? join(*names, ",") : std::string();
}

Result<Reply> create_snapshot(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "create_snapshot_request");
  snapshots::CreateSnapshot params{.repository = call.path("repository"),
                                   .snapshot = call.path("snapshot")};
  CAIRN_TRY(params.indices, index_expression(fields));
  CAIRN_TRY(params.ignore_unavailable, fields.boolean_or("ignore_unavailable", false));
  CAIRN_TRY(params.include_global_state, fields.boolean_or("include_global_state", true));
  CAIRN_TRY(params.partial, fields.boolean_or("partial", false));
  CAIRN_CHECK(fields.strings("feature_states"));
  CAIRN_CHECK(fields.string("expand_wildcards"));
  CAIRN_TRY(const Json* metadata, fields.object("metadata"));
  CAIRN_CHECK(fields.finish());
  if (metadata != nullptr) {
    params.metadata = *metadata;
    if (const std::size_t size = metadata->dump().size(); size >= metadata_bytes_max)
      return Error{.kind = ErrorKind::invalid_argument,
                   .code = "action_request_validation_exception",
                   .message =
                       "Validation Failed: 1: metadata must be smaller than 1024 bytes, but "
                       "was [" +
                       std::to_string(size) + "];"};
  }
  CAIRN_TRY(const bool wait, call.flag("wait_for_completion", false));
  CAIRN_TRY(const auto record, service.create(params, wait, call.deadline()));
  if (!record) return Reply::json(Json::object({{"accepted", true}}));
  return Reply::json(Json::object({{"snapshot", shown({params.repository, *record})}}));
}

Status order(std::vector<snapshots::ShownSnapshot>& all, const Call& call) {
  const std::string by = call.query("sort").value_or("start_time");
  const auto key = [&](const snapshots::ShownSnapshot& s) {
    const auto& r = s.record;
    const std::int64_t number = by == "duration"      ? r.end_ms - r.start_ms
                                : by == "index_count" ? static_cast<std::int64_t>(r.indices.size())
                                : by == "start_time"  ? r.start_ms
                                                      : 0;
    return std::tuple(by == "repository" ? s.repository : std::string(), number, r.name);
  };
  if (by != "start_time" && by != "duration" && by != "name" && by != "index_count" &&
      by != "repository")
    return snapshots::bad_argument("unknown sort order [" + by +
                                   "]; one of start_time, duration, name, index_count, repository");
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const std::string direction = call.query("order").value_or("asc");
  if (direction != "asc" && direction != "desc")
    return snapshots::bad_argument("[order] must be [asc] or [desc], got [" + direction + "]");
  if (direction == "desc") std::reverse(all.begin(), all.end());
  return ok_status();
}

/// Leaves those of the states that are asked for, and those that no policy made where policies are.
Status keep_wanted(std::vector<snapshots::ShownSnapshot>& all, const Call& call) {
  static constexpr std::string_view known[] = {"SUCCESS", "FAILED", "PARTIAL", "IN_PROGRESS",
                                               "INCOMPATIBLE"};
  std::vector<std::string> states;
  for (const std::string& given : call.list("state")) {
    std::string state = given;
    for (char& c : state) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (std::find(std::begin(known), std::end(known), state) == std::end(known))
      return snapshots::bad_argument("unknown [state] [" + given + "]");
    states.push_back(std::move(state));
  }
  if (!states.empty())
    std::erase_if(all, [&](const auto& one) {
      return std::find(states.begin(), states.end(), one.record.state) == states.end();
    });
  const auto policies = call.list("slm_policy_filter");
  if (!policies.empty() && std::find(policies.begin(), policies.end(), "_none") == policies.end())
    all.clear();  // no policy makes snapshots here
  return ok_status();
}

Result<Reply> get_snapshots(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const bool ignore, call.flag("ignore_unavailable", false));
  ShownParts parts;
  CAIRN_TRY(parts.verbose, call.flag("verbose", true));
  CAIRN_TRY(parts.indices, call.flag("index_names", true));
  CAIRN_TRY(parts.repository, call.flag("include_repository", true));
  CAIRN_TRY(const bool details, call.flag("index_details", false));
  if (details)
    return snapshots::bad_argument(
        "[index_details] cannot be [true]: a snapshot here keeps no sizes of its indices");
  CAIRN_TRY(const auto size, call.integer("size", -1));
  CAIRN_TRY(const auto offset, call.integer("offset", 0));
  CAIRN_TRY(auto all,
            service.list(call.path("repository"), call.path("snapshot"), ignore, call.deadline()));
  CAIRN_CHECK(keep_wanted(all, call));
  CAIRN_CHECK(order(all, call));
  Json out = Json::array();
  const auto total = static_cast<std::int64_t>(all.size());
  const std::int64_t first = std::clamp<std::int64_t>(offset, 0, total);
  const std::int64_t last = size > 0 ? std::min(total, first + size) : total;
  for (std::int64_t i = first; i < last; ++i)
    out.push(shown(all[static_cast<std::size_t>(i)], parts));
  return Reply::json(
      Json::object({{"snapshots", std::move(out)}, {"total", total}, {"remaining", total - last}}));
}

// --- how far snapshots are, and what they wrote

using snapshots::BlobCount;
using snapshots::IndexStatus;

Json shown_count(const BlobCount& count) {
  return Json::object({{"file_count", count.blobs}, {"size_in_bytes", count.bytes}});
}

/// Sums of indices. What is not known of one is not known of all.
struct StatusSum {
  BlobCount total = {}, processed = {};
  std::optional<BlobCount> incremental = BlobCount{};
  std::int64_t done = 0, failed = 0, copying = 0, waiting = 0;

  void add(const IndexStatus& one) {
    total.add(one.total);
    processed.add(one.processed);
    if (!one.incremental) incremental.reset();
    if (incremental) incremental->add(*one.incremental);
    ++(one.stage == IndexStatus::Stage::done      ? done
       : one.stage == IndexStatus::Stage::failed  ? failed
       : one.stage == IndexStatus::Stage::copying ? copying
                                                  : waiting);
  }
  Json shards() const {
    return Json::object({{"initializing", waiting},
                         {"started", copying},
                         {"finalizing", 0},
                         {"done", done},
                         {"failed", failed},
                         {"total", waiting + copying + done + failed}});
  }
  Json stats(bool running, std::int64_t start_ms, std::int64_t took_ms) const {
    Json out = Json::object();
    if (incremental) out.set("incremental", shown_count(*incremental));
    if (running) out.set("processed", shown_count(processed));
    out.set("total", shown_count(total));
    out.set("start_time_in_millis", start_ms);
    out.set("time_in_millis", took_ms);
    return out;
  }
};

std::string_view name_of_stage(IndexStatus::Stage stage) {
  constexpr std::string_view names[] = {"INIT", "STARTED", "DONE", "FAILURE"};
  return names[static_cast<std::size_t>(stage)];
}

Json shown_status(const snapshots::SnapshotStatus& snapshot, std::int64_t now_ms) {
  const auto& record = snapshot.record;
  StatusSum all;
  Json indices = Json::object();
  for (const auto& [name, status] : snapshot.indices) {
    all.add(status);
    StatusSum one;
    one.add(status);
    const Json stats = one.stats(snapshot.running, status.start_ms, status.took_ms);
    const Json shard = Json::object({{"stage", name_of_stage(status.stage)}, {"stats", stats}});
    indices.set(name, Json::object({{"shards_stats", one.shards()},
                                    {"stats", stats},
                                    {"shards", Json::object({{"0", shard}})}}));
  }
  all.failed += static_cast<std::int64_t>(record.failures.as_array().size());
  const std::int64_t end_ms = snapshot.running ? now_ms : record.end_ms;
  const std::int64_t took_ms = std::max<std::int64_t>(0, end_ms - record.start_ms);
  return Json::object({{"snapshot", record.name},
                       {"repository", snapshot.repository},
                       {"uuid", record.uuid},
                       {"state", snapshot.running ? "STARTED" : record.state},
                       {"include_global_state", record.include_global_state},
                       {"shards_stats", all.shards()},
                       {"stats", all.stats(snapshot.running, record.start_ms, took_ms)},
                       {"indices", std::move(indices)}});
}

Result<Reply> snapshot_status(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const bool ignore, call.flag("ignore_unavailable", false));
  std::vector<std::string> names;
  if (call.path("snapshot") != "_current")
    for (const auto name : split(call.path("snapshot"), ','))
      if (!name.empty()) names.emplace_back(name);
  CAIRN_TRY(const auto all,
            service.status(call.path("repository"), names, ignore, call.deadline()));
  Json out = Json::array();
  for (const auto& one : all) out.push(shown_status(one, service.now_ms()));
  return Reply::json(Json::object({{"snapshots", std::move(out)}}));
}

Result<Reply> delete_snapshot(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(const auto forecast, service.try_remove(call.path("repository"),
                                                      call.path("snapshot"), call.deadline()));
    return would(shown_forecast(forecast));
  }
  CAIRN_CHECK(service.remove(call.path("repository"), call.path("snapshot"), call.deadline()));
  return acknowledged_snapshot();
}

/// Rights on indices go by name: a copy under another name must not be read by who may not read the
/// original, nor be opened to everybody by who may not manage it.
Status may_restore(const Call& call, const Json& settings, const std::string& index,
                   const std::string& target, bool replaces) {
  // What is there goes.
  if (replaces) CAIRN_CHECK(call.require_index("delete_index", target));
  if (index != target) CAIRN_CHECK(call.require_index("read", index));
  if (index::setting(settings, "public"))
    CAIRN_CHECK(call.require_index("manage", target));
  return ok_status();
}

Result<Reply> restore_snapshot(Call& call, snapshots::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "restore_snapshot_request");
  snapshots::RestoreSnapshot params{.repository = call.path("repository"),
                                    .snapshot = call.path("snapshot")};
  CAIRN_TRY(params.indices, index_expression(fields));
  CAIRN_TRY(params.ignore_unavailable, fields.boolean_or("ignore_unavailable", false));
  CAIRN_TRY(params.rename_pattern, fields.string_or("rename_pattern", ""));
  CAIRN_TRY(params.rename_replacement, fields.string_or("rename_replacement", ""));
  CAIRN_TRY(const Json* settings, fields.object("index_settings"));
  if (settings != nullptr) {
    CAIRN_TRY(params.index_settings, index::normalise_settings(*settings));
  }
  CAIRN_TRY(params.include_global_state, fields.boolean_or("include_global_state", false));
  CAIRN_TRY(params.include_aliases, fields.boolean_or("include_aliases", true));
  CAIRN_TRY(params.rename_alias_pattern, fields.string_or("rename_alias_pattern", ""));
  CAIRN_TRY(params.rename_alias_replacement, fields.string_or("rename_alias_replacement", ""));
  CAIRN_CHECK(fields.boolean("partial"));
  CAIRN_CHECK(fields.finish());
  params.may = [&](const std::string& index, const std::string& target, bool replaces) -> Status {
    // Whoever gives an index another name lets those read it who may read that name.
    if (!params.rename_alias_pattern.empty()) CAIRN_CHECK(call.require_index("manage", target));
    return may_restore(call, params.index_settings, index, target, replaces);
  };
  CAIRN_TRY(const bool wait, call.flag("wait_for_completion", false));
  if (!wait) {
    CAIRN_CHECK(service.begin_restore(params, call.deadline()));
    return Reply::json(Json::object({{"accepted", true}}));
  }
  CAIRN_TRY(const auto result, service.restore(params, call.deadline()));
  const auto shards = static_cast<std::int64_t>(result.shards);
  return Reply::json(Json::object(
      {{"snapshot", Json::object({{"snapshot", result.snapshot},
                                  {"indices", Json::array_of(result.indices)},
                                  {"shards", Json::object({{"total", shards},
                                                           {"failed", 0},
                                                           {"successful", shards}})}})}}));
}

using SnapshotFace = Result<Reply> (*)(Call&, snapshots::Service&);

}  // namespace

void add_snapshot_routes(Router& router, ServiceRef<snapshots::Service> service) {
  const auto add = [&](gate::Route route, SnapshotFace face) {
    router.add(std::move(route), [face, service](Call& call) { return face(call, *service); });
  };
  const std::string all = "/_snapshot";
  const std::string one = "/_snapshot/{repository}";
  const std::string snapshot = one + "/{snapshot}";
  for (const std::string method : {"PUT", "POST"}) {
    add({.method = method,
         .path = one,
         .operation = "snapshot.create_repository",
         .cluster = {"manage"},
         .content = true,
         .since = "7.4.0",
         .query = {{"verify", "boolean", "Write, read and delete a blob first; true where absent."},
                   master_timeout,
                   timeout},
         .summary = "Registers a repository.",
         .body_required = true},
        put_repository);
    add({.method = method,
         .path = snapshot,
         .operation = "snapshot.create",
         .cluster = {"create_snapshot"},
         .content = true,
         .since = "7.4.0",
         .query = {{"wait_for_completion", "boolean", "Answer when the snapshot has ended."},
                   master_timeout},
         .summary = "Makes a snapshot of indices."},
        create_snapshot);
  }
  for (const auto& path : {all, one})
    add({.method = "GET",
         .path = path,
         .operation = "snapshot.get_repository",
         .cluster = {"monitor_snapshot"},
         .since = "7.4.0",
         .query = {master_timeout, {"local", "boolean", "Accepted; one node knows all."}},
         .summary = "Gives registered repositories."},
        get_repository);
  add({.method = "DELETE",
       .path = one,
       .operation = "snapshot.delete_repository",
       .cluster = {"manage"},
       .since = "7.4.0",
       .query = {master_timeout, timeout},
       .summary = "Unregisters repositories; what they hold stays."},
      delete_repository);
  add({.method = "POST",
       .path = one + "/_verify",
       .operation = "snapshot.verify_repository",
       .cluster = {"manage"},
       .since = "7.4.0",
       .query = {master_timeout, timeout},
       .summary = "Writes, reads and deletes a blob in a repository."},
      verify_repository);
  add({.method = "POST",
       .path = one + "/_cleanup",
       .operation = "snapshot.cleanup_repository",
       .cluster = {"manage"},
       .since = "7.4.0",
       .query = {master_timeout, timeout, dry_run_parameter},
       .summary = "Deletes what no snapshot of a repository needs."},
      cleanup_repository);
  add({.method = "GET",
       .path = snapshot,
       .operation = "snapshot.get",
       .cluster = {"monitor_snapshot"},
       .computes = true,
       .since = "7.4.0",
       .query = {{"ignore_unavailable", "boolean", "Leave out names that are not there."},
                 {"verbose", "boolean", "All facts; true where absent."},
                 {"index_names", "boolean", "With the names of indices; true where absent."},
                 {"index_details", "boolean", "Only false: there are none."},
                 {"include_repository", "boolean",
                  "With the repository's name; true where absent."},
                 {"sort", "string", "start_time, duration, name, index_count or repository."},
                 {"order", "string", "asc or desc."},
                 {"size", "integer", "How many; all where absent."},
                 {"offset", "integer", "How many to skip."},
                 {"state", "list", "Only those of these states."},
                 {"slm_policy_filter", "list", "Policies that made them; _none: no policy did."},
                 master_timeout},
       .summary = "Gives snapshots."},
      get_snapshots);
  for (const auto& path : {all, one, snapshot})
    add({.method = "GET",
         .path = path + "/_status",
         .operation = "snapshot.status",
         .cluster = {"monitor_snapshot"},
         .computes = true,
         .since = "7.8.0",
         .query = {{"ignore_unavailable", "boolean", "Leave out names that are not there."},
                   master_timeout},
         .summary = "Gives what snapshots wrote and refer to, and how far those are that are being "
                    "made."},
        snapshot_status);
  add({.method = "DELETE",
       .path = snapshot,
       .operation = "snapshot.delete",
       .cluster = {"manage"},
       .computes = true,
       .since = "7.4.0",
       .query = {master_timeout,
                 {"wait_for_completion", "boolean", "Accepted; the answer comes when it is done."},
                 dry_run_parameter},
       .summary = "Deletes snapshots and what only they needed."},
      delete_snapshot);
  add({.method = "POST",
       .path = snapshot + "/_restore",
       .operation = "snapshot.restore",
       .cluster = {"manage"},
       .computes = true,
       .since = "7.4.0",
       .query = {{"wait_for_completion", "boolean", "Answer when the indices are there."},
                 master_timeout},
       .summary = "Makes indices from a snapshot."},
      restore_snapshot);
}

}  // namespace cairn::api
