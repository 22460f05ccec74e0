// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/live_topics.h"

#include <cmath>
#include <optional>
#include <utility>

#include "api/routes/cluster/limit_use.h"
#include "app/version.h"
#include "format/json.h"
#include "os/cpu.h"
#include "os/log_tail.h"

namespace cairn::app {
namespace {

constexpr std::int64_t topic_wait_ms = 1'000;  // for what lies in the store
constexpr std::size_t topic_rows_max = 100;
constexpr std::size_t rates_over = 5;  // looks, of a second each

/// Two digits behind the point.
double rounded(double value) { return std::round(value * 100) / 100; }
Json rounded(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

Json bytes(std::uint64_t count) { return Json(static_cast<std::int64_t>(count)); }

std::vector<snapshots::ShownSnapshot> running_snapshots(const TopicSources& sources) {
  auto running =
      sources.snapshots.list("_all", "_current", true, os::Deadline::in_ms(topic_wait_ms));
  return running.ok() ? std::move(*running) : std::vector<snapshots::ShownSnapshot>();
}

/// The figures of the last seconds. Of one thread.
class Overview {
 public:
  explicit Overview(std::shared_ptr<const TopicSources> sources) : sources_(std::move(sources)) {}

  std::string read() {
    const TopicSources& from = *sources_;
    const FigureTotals now = from.figures.totals();
    // Nobody listened for a while: the seconds before are not these.
    if (!before_.empty() && now.at_ns - before_.back().at_ns > 3'000'000'000) before_.clear();
    const FigureRates rates = before_.empty() ? FigureRates{} : rates_between(before_.front(), now);
    before_.push_back(now);
    if (before_.size() > rates_over) before_.pop_front();
    const std::int64_t now_ms = from.clock.unix_ms();
    return Json::object(
               {{"time_ms", now_ms},
                {"requests_per_second", rounded(rates.requests)},
                {"errors_per_second", rounded(rates.errors)},
                {"limited_per_second", rounded(rates.limited)},
                {"latency_ms",
                 Json::object({{"p50", rounded(rates.p50_ms)}, {"p99", rounded(rates.p99_ms)}})},
                {"memory", Json::object({{"resident_bytes", bytes(os::resident_bytes())},
                                         {"limit_bytes", bytes(from.memory.limit_bytes())}})},
                {"disk", disk()},
                {"running", running()},
                {"ready", from.ready()},
                {"version", version},
                {"uptime_ms", now_ms - from.started_ms}})
        .dump();
  }

 private:
  /// With less available than low_bytes people are told; than high_bytes, writes are refused.
  Json disk() const {
    const os::DiskSpace space = sources_->disk();
    Json low;
    if (sources_->disk_percent > 0)
      low =
          bytes(space.total_bytes / 100 * static_cast<std::uint64_t>(100 - sources_->disk_percent));
    return Json::object({{"total_bytes", bytes(space.total_bytes)},
                         {"free_bytes", bytes(space.available_bytes)},
                         {"low_bytes", std::move(low)},
                         {"high_bytes", bytes(sources_->disk_reserve_bytes)}});
  }
  Json running() const {
    return Json::object(
        {{"syncs", sources_->figures.syncs_running()},
         {"tasks", static_cast<std::int64_t>(sources_->tasks.listed().size())},
         {"merges", sources_->figures.merges_running()},
         {"snapshots", static_cast<std::int64_t>(running_snapshots(*sources_).size())}});
  }

  const std::shared_ptr<const TopicSources> sources_;
  std::deque<FigureTotals> before_;
};

/// What is going on. Of one thread.
class Jobs {
 public:
  explicit Jobs(std::shared_ptr<const TopicSources> sources) : sources_(std::move(sources)) {}

  std::string read() {
    return Json::object({{"syncs", syncs()},
                         {"tasks", tasks()},
                         {"snapshots", snapshots()},
                         {"deployments", deployments()}})
        .dump();
  }

 private:
  /// All records of jobs are looked through, so seldom where none of this process runs: those that
  /// another service works at are seen with it.
  Json syncs() {
    const bool runs = sources_->figures.syncs_running() > 0;
    if (!runs && !ran_ && ++looks_ % 8 != 1) return last_syncs_;
    ran_ = runs;
    connectors::ListSyncJobs wanted{.size = topic_rows_max, .status = "in_progress"};
    const auto page = sources_->connectors.jobs().list(wanted, os::Deadline::in_ms(topic_wait_ms));
    if (!page.ok()) return last_syncs_;
    Json out = Json::array();
    for (const Json& job : page->results) {
      const Json* const total = job.find("total_document_count");
      const Json* const index = job.find_path("connector.index_name");
      out.push(Json::object({{"id", job.string_or("id")},
                             {"connector_id", connectors::connector_of(job)},
                             {"index", index == nullptr ? Json() : *index},
                             {"job_type", job.string_or("job_type")},
                             {"started_at", job.string_or("started_at")},
                             {"done", job.int_or("indexed_document_count")},
                             {"total", total == nullptr ? Json() : *total}}));
    }
    last_syncs_ = out;
    return out;
  }

  Json tasks() const {
    Json out = Json::array();
    for (const auto& task : sources_->tasks.listed()) {
      if (out.as_array().size() == topic_rows_max) break;
      const auto infos = task->infos(sources_->tasks.node_id(), true);
      if (infos.empty()) continue;
      const Json& info = infos.front().info;
      Json one = Json::object(
          {{"id", sources_->tasks.node_id() + ":" + std::to_string(infos.front().number)},
           {"action", infos.front().action},
           {"description", info.string_or("description")},
           {"started_ms", info.int_or("start_time_in_millis")},
           {"cancelled", info.bool_or("cancelled", false)}});
      if (const Json* const status = info.find("status");
          status != nullptr && status->is_object() && status->find("total") != nullptr) {
        std::int64_t done = 0;
        for (const char* part : {"created", "updated", "deleted", "noops", "version_conflicts"})
          done += status->int_or(part);
        one.set("done", done);
        one.set("total", status->int_or("total"));
      }
      out.push(std::move(one));
    }
    return out;
  }

  Json snapshots() const {
    Json out = Json::array();
    for (const auto& shown : running_snapshots(*sources_))
      out.push(Json::object({{"repository", shown.repository},
                             {"snapshot", shown.record.name},
                             {"started_ms", shown.record.start_ms},
                             {"indices", static_cast<std::int64_t>(shown.record.indices.size())}}));
    return out;
  }

  /// Those that are not what they shall be yet.
  Json deployments() const {
    Json out = Json::array();
    const auto stats = sources_->inference.trained_model_stats({.size = topic_rows_max},
                                                               os::Deadline::in_ms(topic_wait_ms));
    const Json* const rows = stats.ok() ? stats->find("trained_model_stats") : nullptr;
    if (rows == nullptr || !rows->is_array()) return out;
    for (const Json& row : rows->as_array()) {
      const Json* const deployment = row.find("deployment_stats");
      if (deployment == nullptr) continue;
      const Json* const status = deployment->find("allocation_status");
      const std::int64_t done = status == nullptr ? 0 : status->int_or("allocation_count");
      const std::int64_t total = status == nullptr ? 0 : status->int_or("target_allocation_count");
      if (deployment->string_or("state") == "started" && done >= total) continue;
      out.push(Json::object({{"deployment_id", deployment->string_or("deployment_id")},
                             {"model_id", deployment->string_or("model_id")},
                             {"state", deployment->string_or("state")},
                             {"done", done},
                             {"total", total}}));
    }
    return out;
  }

  const std::shared_ptr<const TopicSources> sources_;
  Json last_syncs_ = Json::array();
  bool ran_ = false;
  std::uint64_t looks_ = 0;
};

std::optional<api::Topic::News> log_news(std::uint64_t after) {
  const os::LogTail tail = os::log_tail(after);
  if (tail.lines.empty()) return std::nullopt;
  std::string text = R"({"lost":)" + std::to_string(tail.lost) + R"(,"lines":[)";
  for (std::size_t i = 0; i < tail.lines.size(); ++i) (text += i == 0 ? "" : ",") += tail.lines[i];
  return api::Topic::News{.text = text + "]}", .until = tail.until};
}

}  // namespace

std::vector<api::Topic> live_topics(TopicSources given) {
  const auto sources = std::make_shared<const TopicSources>(std::move(given));
  std::vector<api::Topic> out;
  out.push_back(
      {.name = "overview",
       .privileges = {"monitor"},
       .period_ms = 1'000,
       .read = [overview = std::make_shared<Overview>(sources)] { return overview->read(); }});
  out.push_back({.name = "jobs",
                 .privileges = {"monitor", "monitor_connector", "monitor_snapshot", "monitor_ml"},
                 .period_ms = 1'000,
                 .on_change = true,
                 .read = [jobs = std::make_shared<Jobs>(sources)] { return jobs->read(); }});
  out.push_back(
      {.name = "limits", .privileges = {"manage_security"}, .period_ms = 2'000, .read = [sources] {
         return api::limit_use(sources->limiter).dump();
       }});
  out.push_back(
      {.name = "log", .privileges = {"manage"}, .period_ms = 1'000, .read_after = log_news});
  return out;
}

}  // namespace cairn::app
