// SPDX-License-Identifier: Apache-2.0
// Service::restore and begin_restore: indices come back, under their own names or others.
#include <map>
#include <set>

#include "index/templates/stored_scripts.h"
#include "os/log.h"
#include "snapshots/errors.h"
#include "snapshots/layout.h"
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

/// The new name of an index of a data stream.
std::string backing_name(const std::string& index, const std::string& stream,
                         const std::string& new_stream, const Rename& rename) {
  const std::string prefix = ".ds-" + stream + "-";
  if (!index.starts_with(prefix)) return rename.apply(index);
  return ".ds-" + new_stream + "-" + index.substr(prefix.size());
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
  CAIRN_TRY(const auto streams, index::StreamTable::from_json(snapshot->data_streams));
  std::vector<std::string> known;
  for (const auto& [index, id] : snapshot->indices) known.push_back(index);
  for (const auto& [stream, of] : streams.all()) known.push_back(stream);
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
  std::map<std::string, std::string> of_streams;  // new names of indices, by their old ones
  std::set<std::string> called_by_stream;
  for (const auto& name : chosen) {
    const index::DataStream* stream = streams.find(name);
    if (stream == nullptr) continue;
    const std::string target = rename->apply(name);
    if (params.may) CAIRN_CHECK(params.may(name, target, false));
    CAIRN_CHECK(index::check_data_stream_name(target));
    if (indices_.knows(target))
      return restore_refused(params.repository, params.snapshot,
                             "cannot restore data stream [" + target +
                                 "] because something of that name is there. Delete it, or give "
                                 "the data stream another name by a rename pattern and replacement");
    index::DataStream renamed = *stream;
    for (index::BackingIndex& one : renamed.indices) {
      const std::string old = one.name;
      one.name = backing_name(old, name, target, *rename);
      of_streams.emplace(old, one.name);
    }
    plan.streams.put(target, std::move(renamed));
  }
  std::vector<std::pair<std::string, std::string>> wanted(of_streams.begin(), of_streams.end());
  for (const auto& name : chosen)
    if (streams.find(name) == nullptr && !of_streams.contains(name))
      wanted.emplace_back(name, rename->apply(name));
  std::set<std::string> names;
  for (const auto& [index, target] : wanted) {
    CAIRN_CHECK(indices_.check_new_name(target));
    const auto there = indices_.find(target);
    const bool replaces = there.ok();
    if (params.may && (replaces || !called_by_stream.contains(index)))
      CAIRN_CHECK(params.may(index, target, replaces));
    if (!names.insert(target).second)
      return restore_refused(params.repository, params.snapshot,
                             "indices [" + index +
                                 "] and another one are renamed into the same "
                                 "index [" +
                                 target + "]");
    if (replaces && !(*there)->closed())
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
  for (const auto& [name, stream] : plan.streams.all())
    CAIRN_CHECK(indices_.restore_data_stream(name, stream, deadline));
  if (params.include_global_state) CAIRN_CHECK(restore_global_state(plan, deadline));
  return result;
}

Status Service::restore_global_state(const RestorePlan& plan, const os::Deadline& deadline) {
  const std::string key = layout::snapshot_key(plan.snapshot.uuid);
  CAIRN_TRY(const auto object, plan.repository->store->get(key, deadline));
  CAIRN_TRY(const Json manifest, layout::decode(key, object.bytes));
  // Snapshots of versions without such things have none.
  if (const Json* templates = manifest.find("templates"))
    CAIRN_CHECK(indices_.restore_templates(*templates, deadline));
  const Json* scripts = manifest.find("scripts");
  return scripts == nullptr ? ok_status() : indices_.scripts().restore(*scripts, deadline);
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
