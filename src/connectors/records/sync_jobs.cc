// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/sync_jobs.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/ids.h"
#include "connectors/errors.h"
#include "connectors/records/enums.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> job_moves = {{
    {"pending", "in_progress"},
    {"pending", "canceled"},
    {"in_progress", "canceling"},
    {"in_progress", "completed"},
    {"in_progress", "suspended"},
    {"in_progress", "error"},
    {"suspended", "in_progress"},
    {"suspended", "canceled"},
    {"canceling", "canceled"},
    {"canceling", "error"},
    {"canceled", "in_progress"},  // taken up after all, by a claim
}};

Status move_job(Json& job, std::string_view to) {
  const std::string from = job.string_or("status");
  for (const auto& [a, b] : job_moves) {
    if (a != from || b != to) continue;
    job.set("status", std::string(to));
    return ok_status();
  }
  return refused("Invalid transition attempt from [" + from + "] to [" + std::string(to) +
                 "]. Such a state transition is not supported by the Connector Protocol.");
}

Json snapshot_of(const Json& connector, const std::string& id, const std::string& job_type) {
  Json out = Json::object({{"id", id}});
  const auto carry = [&](std::string_view name) {
    if (const Json* value = connector.find(name)) out.set(name, *value);
  };
  for (const auto name : {"configuration", "index_name", "language", "pipeline", "service_type"})
    carry(name);
  if (const Json* filtering = connector.find("filtering");
      filtering != nullptr && filtering->is_array() && !filtering->as_array().empty())
    if (const Json* active = filtering->as_array()[0].find("active")) out.set("filtering", *active);
  if (job_type == "access_control")
    out.set("index_name", ".search-acl-filter-" + connector.string_or("index_name"));
  return out;
}

Json new_job(const CreateSyncJob& params, Json connector, const std::string& now) {
  return Json::object({{"cancelation_requested_at", nullptr},
                       {"canceled_at", nullptr},
                       {"completed_at", nullptr},
                       {"connector", std::move(connector)},
                       {"created_at", now},
                       {"deleted_document_count", 0},
                       {"error", nullptr},
                       {"indexed_document_count", 0},
                       {"indexed_document_volume", 0},
                       {"job_type", params.job_type},
                       {"last_seen", now},
                       {"metadata", Json::object()},
                       {"started_at", nullptr},
                       {"status", "pending"},
                       {"total_document_count", 0},
                       {"trigger_method", params.trigger_method},
                       {"worker_hostname", nullptr}});
}

bool selected(const ListSyncJobs& params, const Json& job) {
  if (!params.status.empty() && job.string_or("status") != params.status) return false;
  if (!params.connector_id.empty() && connector_of(job) != params.connector_id) return false;
  return params.job_types.empty() || std::find(params.job_types.begin(), params.job_types.end(),
                                               job.string_or("job_type")) != params.job_types.end();
}

constexpr std::int64_t bytes_per_mebibyte = 1 << 20;

}  // namespace

bool is_unended(const Json& job) {
  const std::string status = job.string_or("status");
  return status == "pending" || status == "suspended" || status == "in_progress";
}

std::string connector_of(const Json& job) {
  const Json* id = job.find_path("connector.id");
  return id != nullptr && id->is_string() ? id->as_string() : std::string();
}

SyncJobs::SyncJobs(store::Store& store, const Records& connectors, const os::Clock& clock,
                   os::Random& random)
    : records_(store, "sync_job/", clock, is_unended),
      connectors_(connectors),
      clock_(clock),
      random_(random) {}

Result<std::string> SyncJobs::create(const CreateSyncJob& params, const os::Deadline& deadline) {
  CAIRN_CHECK(check_enum("job_type", params.job_type, job_types));
  CAIRN_CHECK(check_enum("trigger_method", params.trigger_method, trigger_methods));
  CAIRN_TRY(const Json connector, connectors_.get(params.connector_id, false, deadline));
  if (connector.string_or("index_name").empty())
    return refused("Cannot start a sync for connector [" + params.connector_id +
                   "] with no index attached. Set the [index_name] property for the connector to "
                   "enable syncing data.");
  if (connector.string_or("service_type").empty())
    return refused("Cannot start a sync for connector [" + params.connector_id +
                   "] with [service_type] not defined. Set the service type of your connector "
                   "before starting the sync.");
  const std::string id = params.id.empty() ? url_safe_id(random_.bytes(15)) : params.id;
  const std::string now = format_iso8601(clock_.unix_ms());
  CAIRN_CHECK(records_.create(
      id, new_job(params, snapshot_of(connector, params.connector_id, params.job_type), now),
      deadline));
  return id;
}

Result<Json> SyncJobs::get(const std::string& id, const os::Deadline& deadline) const {
  CAIRN_TRY(auto job, records_.get(id, deadline));
  if (!job) return missing("connector sync job", id);
  job->set("id", id);
  return std::move(*job);
}

Result<SyncJobPage> SyncJobs::list(const ListSyncJobs& params, const os::Deadline& deadline) const {
  if (!params.status.empty()) CAIRN_CHECK(check_enum("status", params.status, job_statuses));
  for (const std::string& type : params.job_types)
    CAIRN_CHECK(check_enum("job_type", type, job_types));
  CAIRN_TRY(auto all, records_.all(deadline));
  std::erase_if(all, [&](const auto& entry) { return !selected(params, entry.second); });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.string_or("created_at") > b.second.string_or("created_at");
  });
  SyncJobPage page{.count = all.size(), .results = {}};
  for (std::size_t i = params.from; i < all.size() && i - params.from < params.size; ++i) {
    all[i].second.set("id", all[i].first);
    page.results.push_back(std::move(all[i].second));
  }
  return page;
}

Result<std::vector<Json>> SyncJobs::unended(const os::Deadline& deadline) {
  CAIRN_TRY(const auto known, records_.known(deadline));
  std::vector<Json> out;
  std::set<std::string> in_progress;
  for (const auto& [id, job] : *known) {
    if (job.string_or("status") == "in_progress") in_progress.insert(id);
    out.emplace_back(job).set("id", id);
  }
  {
    const MutexLock lock(mutex_);
    std::erase_if(signs_, [&](const auto& sign) { return !in_progress.contains(sign.first); });
  }
  std::stable_sort(out.begin(), out.end(), [](const Json& a, const Json& b) {
    return a.string_or("created_at") < b.string_or("created_at");
  });
  return out;
}

Status SyncJobs::remove(const std::string& id, const os::Deadline& deadline) {
  CAIRN_TRY(const bool was_there, records_.remove(id, deadline));
  if (!was_there) return missing("connector sync job", id);
  return ok_status();
}

Status SyncJobs::remove_of_connector(const std::string& connector_id,
                                     const os::Deadline& deadline) {
  CAIRN_TRY(const auto all, records_.all(deadline));
  for (const auto& [id, job] : all)
    if (connector_of(job) == connector_id) CAIRN_CHECK(records_.remove(id, deadline));
  return ok_status();
}

Result<Json> SyncJobs::update(const std::string& id, const Change& change,
                              const os::Deadline& deadline) {
  CAIRN_TRY(auto updated, records_.update(id, change, deadline));
  if (!updated) return missing("connector sync job", id);
  return std::move(updated->first);
}

Status SyncJobs::cancel(const std::string& id, const os::Deadline& deadline) {
  const std::string now = format_iso8601(clock_.unix_ms());
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        const std::string status = job.string_or("status");
        const bool idle = status == "pending" || status == "suspended";
        CAIRN_CHECK(move_job(job, idle ? "canceled" : "canceling"));
        job.set("cancelation_requested_at", now);
        if (idle) job.set("canceled_at", now), job.set("completed_at", now);
        return true;
      },
      deadline));
  return ok_status();
}

Status SyncJobs::check_in(const std::string& id, const os::Deadline& deadline) {
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        job.set("last_seen", format_iso8601(clock_.unix_ms()));
        return true;
      },
      deadline));
  return ok_status();
}

Status SyncJobs::claim(const std::string& id, const std::string& worker, const Json* sync_cursor,
                       const os::Deadline& deadline) {
  const std::string now = format_iso8601(clock_.unix_ms());
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        CAIRN_CHECK(move_job(job, "in_progress"));
        job.set("started_at", now);
        job.set("last_seen", now);
        job.set("worker_hostname", worker);
        for (const auto* ended : {"canceled_at", "completed_at", "cancelation_requested_at"})
          job.set(ended, nullptr);
        if (sync_cursor != nullptr) job.find("connector")->set("sync_cursor", *sync_cursor);
        return true;
      },
      deadline));
  return ok_status();
}

Status SyncJobs::fail(const std::string& id, const std::string& error,
                      const os::Deadline& deadline) {
  return finish(id, "error", error, deadline);
}

Status SyncJobs::set_stats(const std::string& id, const Json& stats, const os::Deadline& deadline) {
  if (const Json* seen = stats.find("last_seen"); seen != nullptr && seen->is_string())
    CAIRN_CHECK(check_moment("last_seen", seen->as_string()));
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        for (const auto& [name, value] : stats.as_object()) job.set(name, value);
        if (stats.find("last_seen") == nullptr)
          job.set("last_seen", format_iso8601(clock_.unix_ms()));
        return true;
      },
      deadline));
  return ok_status();
}

bool SyncJobs::is_silent(const std::string& id, const Json& job, std::int64_t lost_after_ms) {
  const std::int64_t now_ns = clock_.steady_ns();
  std::string text = job.string_or("worker_hostname") + " " + job.string_or("last_seen");
  const MutexLock lock(mutex_);
  Sign& last = signs_[id];
  if (last.text != text) last = {.text = std::move(text), .since_ns = now_ns};
  return now_ns - last.since_ns >= lost_after_ms * 1'000'000;
}

Result<bool> SyncJobs::take(const std::string& id, const std::string& worker,
                            std::int64_t lost_after_ms, const os::Deadline& deadline) {
  const std::int64_t now_ms = clock_.unix_ms();
  bool mine = false;
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        const std::string status = job.string_or("status");
        const bool lost = status == "in_progress" && is_silent(id, job, lost_after_ms);
        mine = status == "pending" || status == "suspended" || lost;
        if (!mine) return false;
        job.set("status", "in_progress");
        if (job.find("started_at") == nullptr || job.find("started_at")->is_null())
          job.set("started_at", format_iso8601(now_ms));
        job.set("last_seen", format_iso8601(now_ms));
        job.set("worker_hostname", worker);
        return true;
      },
      deadline));
  return mine;
}

Result<std::string> SyncJobs::report(const std::string& id, const SyncProgress& progress,
                                     const os::Deadline& deadline) {
  CAIRN_TRY(const Json job,
            update(
                id,
                [&](Json& doc) -> Result<bool> {
                  doc.set("indexed_document_count", progress.indexed_document_count);
                  doc.set("deleted_document_count", progress.deleted_document_count);
                  doc.set("indexed_document_volume", progress.indexed_bytes / bytes_per_mebibyte);
                  doc.set("total_document_count", progress.total_document_count);
                  doc.set("metadata", progress.metadata);
                  doc.set("last_seen", format_iso8601(clock_.unix_ms()));
                  return true;
                },
                deadline));
  return job.string_or("status");
}

Status SyncJobs::finish(const std::string& id, std::string_view status, const std::string& error,
                        const os::Deadline& deadline) {
  const std::string now = format_iso8601(clock_.unix_ms());
  CAIRN_CHECK(update(
      id,
      [&](Json& job) -> Result<bool> {
        CAIRN_CHECK(move_job(job, status));
        job.set("last_seen", now);
        if (status != "suspended") job.set("completed_at", now);
        if (status == "canceled") job.set("canceled_at", now);
        if (!error.empty()) job.set("error", error);
        return true;
      },
      deadline));
  return ok_status();
}

}  // namespace cairn::connectors
