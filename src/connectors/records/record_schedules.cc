// SPDX-License-Identifier: Apache-2.0
// Schedules of a connector: when a job of each kind is due, who makes it, and pauses.
#include <algorithm>

#include "base/ids.h"
#include "connectors/errors.h"
#include "connectors/records/cron.h"
#include "connectors/records/record_members.h"
#include "connectors/records/records.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

std::optional<std::string> job_due(const Json& connector, const std::string& job_type) {
  const Json* const jobs = connector.find(jobs_due_member);
  const Json* const id = jobs == nullptr ? nullptr : jobs->find(job_type);
  return id == nullptr ? std::nullopt : std::optional(id->as_string());
}

void set_job_due(Json& connector, const std::string& job_type, std::optional<std::string> id) {
  if (connector.find(jobs_due_member) == nullptr)
    connector.set(std::string(jobs_due_member), Json::object());
  Json& jobs = *connector.find(jobs_due_member);
  if (id) {
    jobs.set(job_type, *id);
  } else {
    jobs.erase(job_type);
  }
}

std::string last_tick_member(const std::string& job_type) {
  return job_type == "full" ? "last_sync_scheduled_at" : "last_" + job_type + "_sync_scheduled_at";
}

/// How far apart the clocks of two nodes may be, so that a tick which one of them took just before
/// the other one came is not taken twice.
constexpr std::int64_t clocks_apart_ms = 60'000;

/// When something was noted in a record. 0: never, or by a clock that is further ahead of this one:
/// what lies ahead was noted before this node came, and a schedule would wait until it is over.
std::int64_t moment_or_zero(const Json* value, std::int64_t not_before_ms, std::int64_t now_ms) {
  if (value == nullptr || !value->is_string()) return 0;
  const std::int64_t moment_ms = parse_iso8601(value->as_string()).value_or(0);
  return moment_ms > std::max(now_ms, not_before_ms + clocks_apart_ms) ? 0 : moment_ms;
}

/// Whether a tick of the schedule lies between what was last made of it and now.
bool is_due(const Json& connector, const std::string& job_type, std::int64_t not_before_ms,
            std::int64_t now_ms) {
  const Json* schedule = connector.find_path("scheduling." + job_type);
  if (schedule == nullptr || !schedule->bool_or("enabled")) return false;
  const auto cron = Cron::parse(schedule->string_or("interval"));
  if (!cron.ok()) return false;
  const Json* since = connector.find(since_member);
  const auto noted_ms = [&](const Json* value) {
    return moment_or_zero(value, not_before_ms, now_ms);
  };
  const std::int64_t from_ms =
      std::max({not_before_ms, noted_ms(connector.find(last_tick_member(job_type))),
                noted_ms(since == nullptr ? nullptr : since->find(job_type))});
  const auto next = cron->next_after_ms(from_ms);
  return next && *next <= now_ms;
}

}  // namespace

Result<bool> Records::set_scheduling(const std::string& id, const Json& scheduling,
                                     const os::Deadline& deadline) {
  if (scheduling.as_object().empty())
    return invalid(
        "[scheduling] object needs to define at least one schedule type: "
        "[full | incremental | access_control]");
  for (const auto& [job_type, schedule] : scheduling.as_object()) {
    if (job_type != "full" && job_type != "incremental" && job_type != "access_control")
      return bad_argument("[scheduling] unknown field [" + job_type + "]");
    const Json* enabled = schedule.find("enabled");
    const Json* interval = schedule.find("interval");
    if (enabled == nullptr || !enabled->is_bool() || interval == nullptr || !interval->is_string())
      return bad_argument("[scheduling." + job_type +
                          "] needs [enabled] (a boolean) and [interval] (a cron expression)");
    CAIRN_CHECK(Cron::parse(interval->as_string()));
  }
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        bool changed = false;
        for (const auto& [job_type, schedule] : scheduling.as_object()) {
          if (!set_if_other(*doc.find("scheduling"), job_type, schedule)) continue;
          changed = true;
          if (doc.find(since_member) == nullptr) doc.set(since_member, Json::object());
          doc.find(since_member)->set(job_type, format_iso8601(clock_.unix_ms()));
          if (job_due(doc, job_type)) set_job_due(doc, job_type, std::nullopt);
        }
        return changed;
      },
      deadline);
}

Result<std::vector<DueTick>> Records::due_ticks(std::int64_t not_before_ms,
                                                const os::Deadline& deadline) {
  CAIRN_TRY(const auto known, records_.known(deadline));
  const std::int64_t now_ms = clock_.unix_ms();
  std::vector<DueTick> out;
  for (const auto& [id, connector] : *known) {
    if (types_.count(connector.string_or("service_type")) == 0 || connector.bool_or("paused"))
      continue;
    for (const std::string job_type : {"full", "incremental", "access_control"}) {
      const Json* schedule = connector.find_path("scheduling." + job_type);
      if (schedule == nullptr || !schedule->bool_or("enabled")) continue;
      if (job_due(connector, job_type) || is_due(connector, job_type, not_before_ms, now_ms))
        out.push_back({.connector_id = id, .job_type = job_type});
    }
  }
  return out;
}

Result<std::optional<std::string>> Records::claim_tick(const std::string& id,
                                                       const std::string& job_type,
                                                       std::int64_t not_before_ms,
                                                       const os::Deadline& deadline) {
  const std::int64_t now_ms = clock_.unix_ms();
  const std::string new_id = url_safe_id(random_.bytes(15));
  CAIRN_TRY(const auto updated, records_.update(
                                    id,
                                    [&](Json& doc) -> Result<bool> {
                                      if (is_deleted(doc) || job_due(doc, job_type) ||
                                          !is_due(doc, job_type, not_before_ms, now_ms))
                                        return false;
                                      doc.set(last_tick_member(job_type), format_iso8601(now_ms));
                                      set_job_due(doc, job_type, new_id);
                                      return true;
                                    },
                                    deadline));
  if (!updated || is_deleted(updated->first)) return std::optional<std::string>();
  return job_due(updated->first, job_type);
}

Status Records::tick_done(const std::string& id, const std::string& job_type,
                          const std::string& job_id, const os::Deadline& deadline) {
  CAIRN_CHECK(records_.update(
      id,
      [&](Json& doc) -> Result<bool> {
        if (job_due(doc, job_type) != job_id) return false;
        set_job_due(doc, job_type, std::nullopt);
        return true;
      },
      deadline));
  return ok_status();
}

Result<bool> Records::set_paused(const std::string& id, bool paused, const os::Deadline& deadline) {
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        if (doc.bool_or("paused") == paused) return false;
        doc.set("paused", paused);
        if (paused) return true;
        // Ticks of the pause are not made up for.
        Json since = Json::object();
        for (const std::string job_type : {"full", "incremental", "access_control"}) {
          since.set(job_type, format_iso8601(clock_.unix_ms()));
          if (job_due(doc, job_type)) set_job_due(doc, job_type, std::nullopt);
        }
        doc.set(since_member, std::move(since));
        return true;
      },
      deadline);
}

}  // namespace cairn::connectors
