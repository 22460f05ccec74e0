// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/task_routes.h"

#include <algorithm>
#include <functional>

#include "api/by_query_params.h"
#include "api/forms/cat_table.h"
#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/clock.h"
#include "os/threads/blocking.h"

namespace cairn::api {
namespace {

using tasks::Task;
using tasks::TaskInfo;

struct TaskServices {
  tasks::Tasks& tasks;
  const ServerFacts& node;
  const ServerSources& sources;
  /// By which tasks are named: the same for whichever node serves.
  const std::string& id() const { return tasks.node_id(); }
};

struct TaskId {
  std::string node;
  std::uint64_t number = 0;
  std::string text() const { return node + ":" + std::to_string(number); }
};

Result<TaskId> task_id(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto number = colon == std::string_view::npos
                          ? std::nullopt
                          : parse_number<std::uint64_t>(text.substr(colon + 1));
  if (!number) return illegal_argument("malformed task id " + std::string(text.substr(0, 256)));
  return TaskId{.node = std::string(text.substr(0, colon)), .number = *number};
}

bool owns(const Call& call, std::string_view key) {
  return call.caller().has_key() && call.caller().key().id == key;
}
bool may_see(const Call& call, std::string_view key) {
  return owns(call, key) || call.caller().may_cluster("monitor");
}
bool may_change(const Call& call, const tasks::Listed& task) {
  return owns(call, task.owner().key) || call.caller().may_cluster("manage");
}

Error missing(std::string reason) {
  return {.kind = ErrorKind::not_found,
          .code = "resource_not_found_exception",
          .message = std::move(reason)};
}

// --- which tasks

/// Which tasks a call is about.
struct TaskFilter {
  std::vector<std::string> actions = {};  // with *; empty: all
  std::vector<std::string> nodes = {};
  std::optional<TaskId> parent = {};
  std::optional<TaskId> only = {};

  bool fits(const TaskInfo& info, const TaskServices& services) const {
    const auto named = [](const std::vector<std::string>& patterns, std::string_view text) {
      return std::any_of(patterns.begin(), patterns.end(),
                         [&](const std::string& pattern) { return wildcard_match(pattern, text); });
    };
    if (only && (only->node != services.id() || only->number != info.number)) return false;
    if (!actions.empty() && !named(actions, info.action)) return false;
    if (!nodes.empty() && !named(nodes, services.id()) && !named(nodes, services.node.node_name) &&
        !named(nodes, "_local") && !named(nodes, "_all"))
      return false;
    return !parent || (parent->node == services.id() && info.parent == parent->number);
  }
};

Result<TaskFilter> task_filter(const Call& call) {
  TaskFilter out{.actions = call.list("actions"), .nodes = call.list("nodes")};
  if (out.nodes.empty()) out.nodes = call.list("node_id");
  // The one node has more names.
  for (const auto* name : {"_local", "_master", "_all"})
    if (std::find(out.nodes.begin(), out.nodes.end(), name) != out.nodes.end()) out.nodes.clear();
  if (const auto parent = call.query("parent_task_id"); parent && !parent->empty()) {
    CAIRN_TRY(out.parent, task_id(*parent));
  }
  if (!call.path("task_id").empty()) {
    CAIRN_TRY(out.only, task_id(call.path("task_id")));
  }
  return out;
}

/// Of a request that lists, without a task.
using Chosen = std::vector<std::pair<std::shared_ptr<tasks::Listed>, TaskInfo>>;

Chosen choose(const Call& call, const TaskServices& services, const TaskFilter& filter,
              bool detailed) {
  Chosen out;
  for (const auto& task : services.tasks.listed()) {
    if (!may_see(call, task->owner().key)) continue;
    for (TaskInfo& info : task->infos(services.id(), detailed))
      if (filter.fits(info, services)) out.emplace_back(task, std::move(info));
  }
  return out;
}

// --- how they are shown

Json node_of(const TaskServices& services) {
  const auto& facts = services.node;
  const std::string address = services.sources.address ? services.sources.address() : facts.address;
  const std::string host = address.substr(0, address.rfind(':'));
  return Json::object({{"name", facts.node_name},
                       {"transport_address", address},
                       {"host", host},
                       {"ip", address},
                       {"roles", Json::array({"data", "ingest", "master", "ml"})}});
}

Json by_nodes(const TaskServices& services, Chosen chosen) {
  Json nodes = Json::object();
  if (chosen.empty()) return Json::object({{"nodes", std::move(nodes)}});
  const std::string& id = services.id();
  Json tasks = Json::object();
  for (auto& [task, info] : chosen)
    tasks.set(id + ":" + std::to_string(info.number), std::move(info.info));
  Json node = node_of(services);
  node.set("tasks", std::move(tasks));
  nodes.set(id, std::move(node));
  return Json::object({{"nodes", std::move(nodes)}});
}

Json by_parents(const TaskServices& services, Chosen chosen) {
  const std::string& id = services.id();
  Json tasks = Json::object();
  for (auto& [task, info] : chosen) {
    Json* parent = info.parent ? tasks.find(id + ":" + std::to_string(*info.parent)) : nullptr;
    if (parent == nullptr) {
      tasks.set(id + ":" + std::to_string(info.number), std::move(info.info));
      continue;
    }
    if (parent->find("children") == nullptr) parent->set("children", Json::array());
    parent->find("children")->push(std::move(info.info));
  }
  return Json::object({{"tasks", std::move(tasks)}});
}

Result<Json> grouped(const Call& call, const TaskServices& services, Chosen chosen) {
  const std::string group_by = call.query("group_by").value_or("nodes");
  if (group_by == "nodes") return by_nodes(services, std::move(chosen));
  if (group_by == "parents") return by_parents(services, std::move(chosen));
  if (group_by != "none")
    return illegal_argument("[group_by] must be one of [nodes], [parents] or [none] but was [" +
                            group_by + "]");
  Json::Array all;
  for (auto& [task, info] : chosen) all.push_back(std::move(info.info));
  return Json::object({{"tasks", Json(std::move(all))}});
}

/// What changes a task that is not there, or that is somebody else's, is told.
Json with_failure(Json answer, const TaskServices& services, Error cause) {
  const std::string& id = services.id();
  Error error{.kind = ErrorKind::internal,
              .code = "failed_node_exception",
              .message = "Failed node [" + id + "]"};
  error.details = {{"node_id", id}};
  error.cause = std::make_shared<const Error>(std::move(cause));
  Json out = Json::object({{"node_failures", Json::array({error_object(error)})}});
  for (auto& [name, value] : answer.as_object()) out.set(name, std::move(value));
  return out;
}

// --- handlers

Result<os::Deadline> waiting_time(const Call& call) {
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", 30'000));
  return timeout < 0 ? call.deadline() : call.deadline().sooner_ms(timeout);
}

Error not_in_time(const std::string& id) {
  return {.kind = ErrorKind::timeout,
          .code = "timeout_exception",
          .message = "Timed out waiting for completion of [" + id + "]"};
}

/// The request that lists, as it is itself one of what runs.
TaskInfo listing(Call& call, const TaskServices& services, bool detailed, std::int64_t began_ns) {
  constexpr const char* action = "cluster:monitor/tasks/lists";
  const os::Clock& clock = os::system_clock();
  const std::int64_t running_ns = clock.steady_ns() - began_ns;
  TaskInfo out{.number = services.tasks.take_number(), .action = action, .info = {}};
  out.info = Json::object(
      {{"node", services.id()}, {"id", out.number}, {"type", "transport"}, {"action", action}});
  if (detailed) out.info.set("description", "");
  out.info.set("start_time_in_millis", clock.unix_ms() - running_ns / 1'000'000);
  out.info.set("running_time_in_nanos", running_ns);
  out.info.set("cancellable", false);
  Json headers = Json::object();
  if (const auto id = call.exchange().head.headers.find("x-opaque-id"); id && id->size() <= 1024)
    headers.set("X-Opaque-Id", *id);
  out.info.set("headers", std::move(headers));
  return out;
}

/// The tasks of a filter, once they have ended where the call waits for that.
Result<Chosen> choose_ended(Call& call, const TaskServices& services, const TaskFilter& filter,
                            bool detailed) {
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", false));
  CAIRN_TRY(const os::Deadline until, waiting_time(call));
  auto chosen = choose(call, services, filter, detailed);
  if (!waits) return chosen;
  const os::Blocking blocking;
  for (const auto& [task, info] : chosen)
    if (!task->wait(until)) return not_in_time(TaskId{services.id(), info.number}.text());
  return chosen;
}

Result<Reply> list_tasks(Call& call, const TaskServices& services) {
  const std::int64_t began_ns = os::system_clock().steady_ns();
  CAIRN_TRY(const TaskFilter filter, task_filter(call));
  CAIRN_TRY(const bool detailed, call.flag("detailed", false));
  CAIRN_TRY(auto chosen, choose_ended(call, services, filter, detailed));
  if (TaskInfo own = listing(call, services, detailed, began_ns); filter.fits(own, services))
    chosen.emplace_back(nullptr, std::move(own));
  CAIRN_TRY(Json answer, grouped(call, services, std::move(chosen)));
  return Reply::json(std::move(answer));
}

Result<Reply> cat_tasks(Call& call, const TaskServices& services) {
  const std::int64_t began_ns = os::system_clock().steady_ns();
  CAIRN_TRY(const TaskFilter filter, task_filter(call));
  CAIRN_TRY(const bool detailed, call.flag("detailed", false));
  CAIRN_TRY(auto chosen, choose_ended(call, services, filter, detailed));
  if (TaskInfo own = listing(call, services, detailed, began_ns); filter.fits(own, services))
    chosen.emplace_back(nullptr, std::move(own));
  const std::string& id = services.id();
  const std::string ip = host_of(services.node, services.sources);
  std::vector<CatRow> rows;
  for (const auto& [task, info] : chosen) {
    const std::int64_t start_ms = info.info.int_or("start_time_in_millis");
    const std::int64_t ns = info.info.int_or("running_time_in_nanos");
    CAIRN_TRY(const std::string running, cat_time(call, ns / 1'000'000));
    const Json* headers = info.info.find("headers");
    const std::string opaque = headers == nullptr ? "" : headers->string_or("X-Opaque-Id");
    rows.push_back({info.action, id + ":" + std::to_string(info.number),
                    info.parent ? id + ":" + std::to_string(*info.parent) : "-",
                    info.info.string_or("type", "transport"), std::to_string(start_ms),
                    format_iso8601(start_ms).substr(11, 8), running, std::to_string(ns), id, ip,
                    services.node.node_name, opaque.empty() ? "-" : opaque,
                    info.info.string_or("description")});
  }
  return cat_reply(call,
                   {{"action", "ac"},
                    {"task_id", "ti"},
                    {"parent_task_id", "pti"},
                    {"type", "ty"},
                    {"start_time", "start"},
                    {"timestamp", "ts"},
                    {"running_time", "time"},
                    {"running_time_ns", "time_ns", false, true},
                    {"node_id", "ni", false},
                    {"ip", "i"},
                    {"node", "n"},
                    {"x_opaque_id", "x", false},
                    {"description", "desc", detailed}},
                   std::move(rows));
}

Result<std::optional<Json>> running_answer(Call& call, const TaskServices& services,
                                           const TaskId& id) {
  const auto task = services.tasks.find_listed(id.number);
  if (task == nullptr || !may_see(call, task->owner().key)) return std::optional<Json>();
  for (TaskInfo& info : task->infos(id.node, true))
    if (info.number == id.number)
      return std::optional(Json::object({{"completed", false}, {"task", std::move(info.info)}}));
  return std::optional<Json>();
}

/// The answer of a task that somebody waits for, and that has no record. That of an async search
/// is elsewhere.
Json answer_of(const tasks::Listed& listed, const TaskId& id) {
  Json out = Json::object({{"completed", true}});
  out.set("task", listed.infos(id.node, true).front().info);
  const auto ending = listed.ending();
  if (!ending) return out;
  if (ending->error)
    out.set("error", error_object(*ending->error));
  else
    out.set("response", ending->response);
  return out;
}

Result<Reply> get_task(Call& call, const TaskServices& services) {
  CAIRN_TRY(const TaskId id, task_id(call.path("task_id")));
  if (id.node != services.id())
    return missing("task [" + id.text() + "] belongs to the node [" + id.node +
                   "] which isn't part of the cluster and there is no record of the task");
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", false));
  CAIRN_TRY(const os::Deadline until, waiting_time(call));
  if (waits) {
    const auto task = services.tasks.find_listed(id.number);
    if (task != nullptr && may_see(call, task->owner().key)) {
      const os::Blocking blocking;
      if (!task->wait(until)) return not_in_time(id.text());
      return Reply::json(answer_of(*task, id));
    }
  }
  CAIRN_TRY(auto running, running_answer(call, services, id));
  if (running) return Reply::json(std::move(*running));
  CAIRN_TRY(auto kept, services.tasks.result(id.number, call.deadline()));
  if (!kept || !may_see(call, kept->key))
    return missing("task [" + id.text() + "] isn't running and hasn't stored its results");
  return Reply::json(std::move(kept->answer));
}

/// A change of the tasks that a call names, and the answer about them.
using TaskChange = std::function<Status(const std::shared_ptr<tasks::Listed>& task)>;

Result<Reply> change_tasks(Call& call, const TaskServices& services, const TaskFilter& filter,
                           const TaskChange& change) {
  Chosen found = choose(call, services, filter, true);
  std::optional<Error> refused;
  if (filter.only && found.empty())
    refused = missing("task [" + filter.only->text() + "] is missing");
  std::erase_if(found, [&](const auto& one) {
    const bool refuses = !may_change(call, *one.first) || one.second.parent.has_value();
    if (refuses && filter.only)
      refused =
          one.second.parent
              ? illegal_argument("task [" + filter.only->text() + "] is a part of [" +
                                 TaskId{services.id(), *one.second.parent}.text() + "]: name that")
              : Error{ErrorKind::permission_denied, "security_exception",
                      "task [" + filter.only->text() +
                          "] was begun with another key; this needs the cluster privilege "
                          "[manage]"};
    return refuses;
  });
  for (const auto& [task, info] : found) CAIRN_CHECK(change(task));
  // As they are now.
  for (auto& [task, info] : found) info = std::move(task->infos(services.id(), true).front());
  CAIRN_TRY(Json answer, grouped(call, services, std::move(found)));
  if (refused) answer = with_failure(std::move(answer), services, std::move(*refused));
  return Reply::json(std::move(answer));
}

Result<Reply> cancel_tasks(Call& call, const TaskServices& services) {
  CAIRN_TRY(TaskFilter filter, task_filter(call));
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", false));
  std::vector<std::shared_ptr<tasks::Listed>> cancelled;
  // Whole tasks, or those that a parent's number means: parts end with their task.
  CAIRN_TRY(auto reply, change_tasks(call, services, filter, [&](const auto& task) -> Status {
              if (waits) cancelled.push_back(task);
              return services.tasks.cancel(*task, "by user request");
            }));
  const os::Blocking blocking;
  for (const auto& task : cancelled)
    if (!task->wait(call.deadline())) {
      const std::uint64_t number = task->infos(services.id(), false).front().number;
      return not_in_time(TaskId{services.id(), number}.text());
    }
  return reply;
}

Result<Reply> rethrottle(Call& call, const TaskServices& services, tasks::Kind kind) {
  if (!call.query("requests_per_second"))
    return illegal_argument("requests_per_second is a required parameter");
  CAIRN_TRY(const double rate, requests_per_second(call, "-1"));
  CAIRN_TRY(TaskFilter filter, task_filter(call));
  filter.actions = {std::string(tasks::action_of(kind))};
  return change_tasks(call, services, filter, [&](const auto& one) {
    auto* const task = dynamic_cast<Task*>(one.get());
    return task == nullptr ? ok_status() : services.tasks.rethrottle(*task, rate);
  });
}

// --- rows

const std::vector<gate::Parameter> filter_options = {
    {"actions", "list", "Actions, with *."},
    {"nodes", "list", "Accepted; one node knows all."},
    {"node_id", "list", "Accepted; one node knows all."},
    {"parent_task_id", "string", "Parts of this task only."},
    {"group_by", "string", "nodes, parents or none."},
    {"wait_for_completion", "boolean", "Answer once they have ended."}};

std::vector<gate::Parameter> with_filter_options(std::vector<gate::Parameter> more) {
  more.insert(more.end(), filter_options.begin(), filter_options.end());
  return more;
}

}  // namespace

void add_task_routes(Router& router, ServiceRef<tasks::Tasks> tasks, const ServerFacts& facts,
                     const ServerSources& sources) {
  using Face = std::function<Result<Reply>(Call&, const TaskServices&)>;
  const auto add = [&](std::string method, std::string path, std::string operation, bool reads,
                       std::vector<gate::Parameter> query, std::string summary, Face face) {
    // Without privileges: the handler shows and changes what the key may.
    router.add({.method = std::move(method),
                .path = std::move(path),
                .operation = std::move(operation),
                .reads = reads,
                .query = std::move(query),
                .summary = std::move(summary),
                .waits = true},
               [=](Call& call) {
                 return face(call, {*tasks, facts, sources});
               });
  };
  const gate::Parameter timeout{"timeout", "time", "How long to wait; 30s where absent."};
  add("GET", "/_tasks", "tasks.list", true,
      with_filter_options(
          {{"detailed", "boolean", "How far each is, and what it does."},
           timeout,
           {"master_timeout", "time", "The longest wait for the node that serves."}}),
      "Lists tasks that run.", list_tasks);
  add("GET", "/_cat/tasks", "cat.tasks", true,
      with_cat_options({{"actions", "list", "Actions, with *."},
                        {"nodes", "list", "Accepted; one node knows all."},
                        {"node_id", "list", "Accepted; one node knows all."},
                        {"parent_task_id", "string", "Parts of this task only."},
                        {"detailed", "boolean", "What each does."},
                        {"wait_for_completion", "boolean", "Answer once they have ended."},
                        timeout}),
      "Lists tasks that run, as a table.", cat_tasks);
  add("GET", "/_tasks/{task_id}", "tasks.get", true,
      {{"wait_for_completion", "boolean", "Answer once it has ended."}, timeout},
      "Says how far a task is, or what it answered.", get_task);
  for (const auto* path : {"/_tasks/_cancel", "/_tasks/{task_id}/_cancel"})
    add("POST", path, "tasks.cancel", false, filter_options, "Ends tasks after their batch.",
        cancel_tasks);
  const std::pair<const char*, tasks::Kind> kinds[] = {{"delete_by_query", tasks::Kind::remove},
                                                       {"update_by_query", tasks::Kind::update},
                                                       {"reindex", tasks::Kind::reindex}};
  for (const auto& [name, kind] : kinds)
    add("POST", "/_" + std::string(name) + "/{task_id}/_rethrottle",
        std::string(name) + "_rethrottle", false,
        {{"requests_per_second", "number", "Documents a second; -1: as fast as it goes."},
         {"group_by", "string", "nodes, parents or none."}},
        "Changes how fast a task goes.", [kind = kind](Call& call, const TaskServices& services) {
          return rethrottle(call, services, kind);
        });
}

}  // namespace cairn::api
