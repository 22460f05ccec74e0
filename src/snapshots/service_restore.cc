// SPDX-License-Identifier: Apache-2.0
// Service::restore and begin_restore: indices come back, under their own names or others.
#include <set>

#include "os/log.h"
#include "snapshots/errors.h"
#include "snapshots/rename.h"
#include "snapshots/service.h"
#include "snapshots/snapshot_names.h"

namespace cairn::snapshots {
namespace {

Error restore_refused(const std::string& repository, const std::string& snapshot,
                      const std::string& why) {
  return {.kind = ErrorKind::internal,
          .code = "snapshot_restore_exception",
          .message = "[" + repository + ":" + snapshot + "] " + why};
}

}  // namespace

Result<Service::RestorePlan> Service::plan_restore(const RestoreSnapshot& params,
                                                   const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(params.repository));
  CAIRN_TRY(const Generation generation, read_generation(*repository->store, deadline));
  const SnapshotRecord* snapshot = generation.find(params.snapshot);
  if (snapshot == nullptr) return snapshot_missing(params.repository, params.snapshot);
  if (snapshot->state == "FAILED")
    return restore_refused(params.repository, params.snapshot,
                           "unsupported snapshot state [FAILED]");
  std::vector<std::string> known;
  for (const auto& [index, id] : snapshot->indices) known.push_back(index);
  std::optional<std::string> absent;
  const auto chosen =
      select_names(params.indices, known, [&](const std::string& n) { absent = n; });
  if (absent && !params.ignore_unavailable)
    return Error{.kind = ErrorKind::not_found,
                 .code = "index_not_found_exception",
                 .message = "no such index [" + *absent + "]"};
  CAIRN_TRY(const auto rename, Rename::compile(params.rename_pattern, params.rename_replacement));
  CAIRN_CHECK(Rename::compile(params.rename_alias_pattern, params.rename_alias_replacement));
  RestorePlan plan{.repository = repository, .snapshot = *snapshot, .targets = {}};
  std::set<std::string> names;
  for (const auto& index : chosen) {
    const std::string target = rename->apply(index);
    CAIRN_CHECK(indices_.check_new_name(target));
    if (params.may) CAIRN_CHECK(params.may(index, target));
    if (!names.insert(target).second)
      return restore_refused(params.repository, params.snapshot,
                             "indices [" + index +
                                 "] and another one are renamed into the same "
                                 "index [" +
                                 target + "]");
    if (indices_.find(target).ok())
      return restore_refused(
          params.repository, params.snapshot,
          "cannot restore index [" + target +
              "] because an open index with same name already "
              "exists in the cluster. Either close or delete the existing index or restore the "
              "index "
              "under a different name by providing a rename pattern and replacement name");
    plan.targets.emplace_back(index, target);
  }
  return plan;
}

Result<RestoreResult> Service::run_restore(const RestoreSnapshot& params, const RestorePlan& plan,
                                           const os::Deadline& deadline) {
  Throttle throttle(plan.repository->restore_bytes_per_second);
  const std::function<Status()> beat = [] { return ok_status(); };
  const CopyParams copy{*plan.repository, plan.snapshot.uuid, options_, throttle, beat};
  RestoreResult result{.snapshot = params.snapshot, .indices = {}, .shards = 0};
  CAIRN_TRY(const auto rename,
            Rename::compile(params.rename_alias_pattern, params.rename_alias_replacement));
  AliasNames alias_names;
  if (params.include_aliases)
    alias_names = [&](const std::string& alias) { return rename->apply(alias); };
  for (const auto& [index, target] : plan.targets) {
    CAIRN_TRY(const auto made, restore_index(copy, plan.snapshot.indices.at(index), target,
                                             alias_names, indices_, deadline));
    if (params.index_settings.is_object() && !params.index_settings.as_object().empty())
      CAIRN_CHECK(made->put_settings(params.index_settings, deadline));
    result.indices.push_back(target);
    ++result.shards;
  }
  return result;
}

Result<RestoreResult> Service::restore(const RestoreSnapshot& params,
                                       const os::Deadline& deadline) {
  CAIRN_CHECK(repositories_.find(params.repository));
  CAIRN_CHECK(begin(params.repository, Doing::restoring));
  auto result = [&]() -> Result<RestoreResult> {
    CAIRN_TRY(const RestorePlan plan, plan_restore(params, deadline));
    return run_restore(params, plan, deadline);
  }();
  end(params.repository, Doing::restoring);
  return result;
}

Status Service::begin_restore(const RestoreSnapshot& params, const os::Deadline& deadline) {
  CAIRN_CHECK(repositories_.find(params.repository));
  CAIRN_CHECK(begin(params.repository, Doing::restoring));
  auto plan = plan_restore(params, deadline);
  if (!plan.ok()) {
    end(params.repository, Doing::restoring);
    return std::move(plan).error();
  }
  RestoreSnapshot later = params;
  later.may = {};  // the caller, whose word it is, does not wait
  start_thread([this, params = std::move(later),
                plan = *std::move(plan)](std::stop_token stop) {
    const auto result = run_restore(params, plan, os::Deadline::never(std::move(stop)));
    if (!result.ok())
      os::log(os::LogLevel::error, "snapshots", "restore failed",
              {{"snapshot", params.snapshot}, {"error", result.error().message}});
    end(params.repository, Doing::restoring);
  });
  return ok_status();
}

}  // namespace cairn::snapshots
