// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/health_report_routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/forms/error_json.h"

namespace cairn::api {
namespace {

struct HealthSources {
  CatServices at;
  ServiceRef<snapshots::Service> snapshots;
  ServiceRef<const MirrorControl> mirror;
  std::int64_t resources_max = 1'000;  // that a diagnosis names
};

enum class Health { green, unknown, yellow, red };

std::string_view word_of(Health health) {
  constexpr std::array words = {"green", "unknown", "yellow", "red"};
  return words[static_cast<std::size_t>(health)];
}

/// One part of the server. `impacts` and `diagnosis` are empty where it is green.
struct Indicator {
  Health health = Health::green;
  bool is_shown = true;  // false: there is no such part
  std::string symptom = {};
  Json details = {};
  Json impacts = Json::array();
  Json diagnosis = Json::array();
};

Json impact(std::string_view id, int severity, std::string_view description, Json areas) {
  return Json::object({{"id", id},
                       {"severity", severity},
                       {"description", description},
                       {"impact_areas", std::move(areas)}});
}

Json diagnosis_of(std::string_view id, std::string_view cause, std::string_view action,
                  Json affected) {
  return Json::object({{"id", id},
                       {"cause", cause},
                       {"action", action},
                       {"help_url", ""},
                       {"affected_resources", std::move(affected)}});
}

Json this_node(const HealthSources& sources) {
  return Json::object(
      {{"node_id", sources.at.facts.node_id}, {"name", sources.at.facts.node_name}});
}

Result<Indicator> master_health(const Call&, const HealthSources& sources) {
  Indicator out{.symptom = "The cluster has a stable master node"};
  out.details = Json::object({{"current_master", this_node(sources)},
                              {"recent_masters", Json::array({this_node(sources)})}});
  return out;
}

Result<Indicator> shards_health(const Call&, const HealthSources& sources) {
  ServerSources::IndexCounts counts;
  if (sources.at.sources.indices) {
    CAIRN_TRY(counts, sources.at.sources.indices(""));
  }
  const std::int64_t missing = counts.total - counts.ready;
  Indicator out{.symptom = "This cluster has all shards available."};
  out.details = Json::object({{"initializing_primaries", missing},
                              {"initializing_replicas", 0},
                              {"creating_primaries", 0},
                              {"creating_replicas", 0},
                              {"restarting_primaries", 0},
                              {"restarting_replicas", 0},
                              {"started_primaries", counts.ready},
                              {"started_replicas", 0},
                              {"unassigned_primaries", 0},
                              {"unassigned_replicas", 0}});
  if (missing == 0) return out;
  out.health = Health::red;
  out.symptom = "This cluster has " + std::to_string(missing) + " unavailable primary shards.";
  out.impacts.push(impact("primary_unassigned", 1,
                          "Documents of " + std::to_string(missing) +
                              " indices cannot be found or changed until they are read.",
                          Json::array({"ingest", "search"})));
  out.diagnosis.push(diagnosis_of("not_read_yet", "Indices are still being read from the store.",
                                  "Wait, and read the log where it lasts.",
                                  Json::object({{"nodes", Json::array({this_node(sources)})}})));
  return out;
}

/// Writes fail where the disk is full; what is left before that is told in time.
constexpr std::uint64_t high_percent = 90, flood_percent = 95;

Result<Indicator> disk_health(const Call&, const HealthSources& sources) {
  if (!sources.at.sources.disk)
    return Indicator{.health = Health::unknown, .symptom = "Nothing is known about the disk."};
  const os::DiskSpace disk = sources.at.sources.disk();
  const std::uint64_t used =
      disk.total_bytes == 0 ? 0
                            : (disk.total_bytes - disk.available_bytes) * 100 / disk.total_bytes;
  std::int64_t blocked = 0;
  for (const auto& index : sources.at.indices->all())
    blocked += index->setting_text("blocks.read_only_allow_delete") == "true" ? 1 : 0;
  const bool flood = used >= flood_percent, high = used >= high_percent && !flood;
  Indicator out{.symptom = "The cluster has enough available disk space."};
  out.details = Json::object({{"indices_with_readonly_block", blocked},
                              {"nodes_with_enough_disk_space", flood || high ? 0 : 1},
                              {"nodes_with_unknown_disk_status", 0},
                              {"nodes_over_high_watermark", high ? 1 : 0},
                              {"nodes_over_flood_stage_watermark", flood ? 1 : 0}});
  if (!flood && !high) return out;
  out.health = flood ? Health::red : Health::yellow;
  out.symptom = "The disk of the data folder is " + std::to_string(used) + " percent full.";
  out.impacts.push(impact("ingest_capability_at_risk", flood ? 1 : 2,
                          "Writes fail once the disk is full.", Json::array({"ingest"})));
  out.diagnosis.push(
      diagnosis_of("add_disk_capacity", "The disk of the data folder has little space left.",
                   "Delete indices and snapshots that nobody needs, or give it a larger disk.",
                   Json::object({{"nodes", Json::array({this_node(sources)})}})));
  return out;
}

/// Each repository is asked for its newest generation, up to the call's time.
Result<Indicator> repository_health(const Call& call, const HealthSources& sources) {
  CAIRN_TRY(const auto names, sources.snapshots->repositories().resolve("_all"));
  if (names.empty()) return Indicator{.symptom = "No snapshot repositories configured."};
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", 30'000));
  const auto deadline = call.deadline().sooner_ms(timeout < 0 ? 30'000 : timeout);
  Json corrupted = Json::array(), affected = Json::array();
  std::size_t damaged = 0, unread = 0;
  for (const auto& name : names) {
    const auto found = sources.snapshots->list(name, "_all", false, deadline);
    if (found.ok()) continue;
    if (found.error().kind != ErrorKind::corrupt) {
      ++unread;
      continue;
    }
    ++damaged;
    if (std::cmp_less_equal(damaged, sources.resources_max)) affected.push(name);
    corrupted.push(name);
  }
  Indicator out{.symptom = "All repositories are healthy."};
  out.details = Json::object({{"total_repositories", static_cast<std::int64_t>(names.size())}});
  if (damaged > 0) {
    out.details.set("corrupted_repositories", static_cast<std::int64_t>(damaged));
    out.details.set("corrupted", std::move(corrupted));
    out.health = Health::red;
    out.symptom = "Detected [" + std::to_string(damaged) + "] corrupted snapshot repositories.";
    out.impacts.push(impact("repository_corruption", 1,
                            "Data in the affected snapshot repositories may be lost and cannot be "
                            "restored.",
                            Json::array({"backup"})));
    out.diagnosis.push(
        diagnosis_of("corrupt_repo_integrity", "What a repository says of itself is damaged.",
                     "Remove the repository, and add one at another place.",
                     Json::object({{"snapshot_repositories", std::move(affected)}})));
  } else if (unread > 0) {
    out.health = Health::unknown;
    out.symptom = "[" + std::to_string(unread) + "] snapshot repositories could not be read.";
  }
  return out;
}

/// A folder that lacks something, in `shown` as GET /_cairn/mirror has it.
Json diagnosis_of_folder(const Json& folder) {
  const std::string name = folder.string_or("folder");
  const Json affected = Json::object({{"folders", Json::array({name})}});
  if (folder.string_or("state") == "filling")
    return diagnosis_of("data_folder_filling", "[" + name + "] is being filled from the other one.",
                        "Wait until it is whole: cairn mirror status", affected);
  const std::string reason = folder.string_or("reason");
  return diagnosis_of("data_folder_away",
                      "[" + name + "] takes no part" + (reason.empty() ? "." : ": " + reason),
                      "Put its disk in order, or an empty folder of a new disk in its place; then: "
                      "cairn mirror fill",
                      affected);
}

/// There where data.mirror names a second folder.
Result<Indicator> mirror_health(const Call&, const HealthSources& sources) {
  const auto status = sources.mirror->status();
  if (!status.ok() && status.error().kind != ErrorKind::not_found) return status.error();
  const Json* const folders = status.ok() ? status->find("folders") : nullptr;
  Indicator out{.is_shown = folders != nullptr};
  if (folders == nullptr) return out;
  for (const Json& folder : folders->as_array()) {
    if (folder.string_or("folder").empty()) out.is_shown = false;
    if (folder.string_or("state") != "whole") out.diagnosis.push(diagnosis_of_folder(folder));
  }
  out.details = Json::object({{"folders", *folders}});
  if (const Json* filling = status->find("filling")) out.details.set("filling", *filling);
  if (status->bool_or("whole")) {
    out.symptom = "Both folders of the data hold everything.";
    return out;
  }
  out.health = Health::yellow;
  out.symptom = "One folder of the data holds everything, and the other does not.";
  out.impacts.push(impact("data_on_one_disk", 2,
                          "If the disk of the whole folder is lost, data are lost with it.",
                          Json::array({"deployment_management"})));
  return out;
}

using IndicatorFace = Result<Indicator> (*)(const Call&, const HealthSources&);
constexpr std::pair<std::string_view, IndicatorFace> indicators[] = {
    {"master_is_stable", master_health},
    {"repository_integrity", repository_health},
    {"shards_availability", shards_health},
    {"disk", disk_health},
    {"data_mirror", mirror_health}};

Json shown_indicator(Indicator&& indicator, bool verbose) {
  Json out = Json::object(
      {{"status", word_of(indicator.health)}, {"symptom", std::move(indicator.symptom)}});
  if (!verbose) return out;
  if (!indicator.details.is_null()) out.set("details", std::move(indicator.details));
  if (indicator.health == Health::green) return out;
  out.set("impacts", std::move(indicator.impacts));
  out.set("diagnosis", std::move(indicator.diagnosis));
  return out;
}

Result<Reply> health_report(Call& call, HealthSources sources) {
  CAIRN_TRY(const bool verbose, call.flag("verbose", true));
  CAIRN_TRY(sources.resources_max, call.integer("size", 1'000));
  if (sources.resources_max < 0) return illegal_argument("[size] must not be negative");
  const std::string& feature = call.path("feature");
  Health worst = Health::green;
  Json shown = Json::object();
  for (const auto& [name, face] : indicators) {
    if (!feature.empty() && feature != name) continue;
    CAIRN_TRY(Indicator one, face(call, sources));
    if (!one.is_shown) continue;
    worst = std::max(worst, one.health);
    shown.set(std::string(name), shown_indicator(std::move(one), verbose));
  }
  if (!feature.empty() && shown.as_object().empty()) {
    CAIRN_TRY(const Indicator mirror, mirror_health(call, sources));
    return Error{.kind = ErrorKind::not_found,
                 .code = "resource_not_found_exception",
                 .message = "Did not find indicator [" + feature +
                            "]: there are master_is_stable, repository_integrity, " +
                            (mirror.is_shown ? "shards_availability, disk and data_mirror"
                                             : "shards_availability and disk")};
  }
  Json out = Json::object();
  if (feature.empty()) out.set("status", word_of(worst));
  out.set("cluster_name", sources.at.facts.cluster_name);
  out.set("indicators", std::move(shown));
  return Reply::json(std::move(out));
}

}  // namespace

void add_health_report_routes(Router& router, const CatServices& services,
                              ServiceRef<snapshots::Service> snapshots,
                              ServiceRef<const MirrorControl> mirror) {
  for (const std::string tail : {"", "/{feature}"})
    router.add(
        {.method = "GET",
         .path = "/_health_report" + tail,
         .operation = "health_report",
         .cluster = {"monitor"},
         .since = "8.7.0",
         .query = {{"timeout", "time", "How long repositories may take; 30s where absent."},
                   {"verbose", "boolean", "false: without details and advice."},
                   {"size", "integer", "Resources that an advice names; 1000 where absent."}},
         .summary = "Says what is well, what is not, and what to do about it.",
         .waits = true},
        [services, snapshots, mirror](Call& call) {
          return health_report(call, {.at = services, .snapshots = snapshots, .mirror = mirror});
        });
}

}  // namespace cairn::api
