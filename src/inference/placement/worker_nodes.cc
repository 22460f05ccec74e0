// SPDX-License-Identifier: Apache-2.0
#include "inference/placement/worker_nodes.h"

#include <set>
#include <stop_token>
#include <utility>

#include "inference/placement/node_calls.h"
#include "os/cpu.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t look_ms = 1'000;
constexpr std::int64_t silent_ns = 2'000'000'000;
constexpr std::size_t lookers = 4;
constexpr std::size_t runners = 32;  // batches on all other nodes together

}  // namespace

/// What is known of one node.
struct WorkerNodes::Node {
  struct Known {
    std::string incarnation;
    std::string state;
    std::string reason;
  };

  explicit Node(OtherNodes::One other) : one(std::move(other)) {}

  /// Whether it takes batches.
  bool is_heard() CAIRN_REQUIRES(mutex) { return has_answered && !is_silent && !has_failed; }

  const OtherNodes::One one;
  Mutex mutex;
  std::map<std::string, PlaceCall::One> wanted CAIRN_GUARDED_BY(mutex);
  bool is_asked CAIRN_GUARDED_BY(mutex) = false;
  bool has_answered CAIRN_GUARDED_BY(mutex) = false;
  std::int64_t waits_since_ns CAIRN_GUARDED_BY(mutex) = 0;  // for an answer; 0: it gave it
  bool is_silent CAIRN_GUARDED_BY(mutex) = false;
  bool has_failed CAIRN_GUARDED_BY(mutex) = false;  // at a batch, and was not asked since
  PlaceAnswer answer CAIRN_GUARDED_BY(mutex);
  std::map<std::string, Known> known CAIRN_GUARDED_BY(mutex);  // of the answer
  std::set<std::string> models CAIRN_GUARDED_BY(mutex);        // that it has, or loads
  std::stop_source batches CAIRN_GUARDED_BY(mutex);            // ends them
};

namespace {

/// Ends what runs there where nobody waits for the batch any more, or the node has fallen silent.
class EitherStop {
 public:
  EitherStop(const os::Deadline& deadline, const std::stop_token& node)
      : first_(deadline.stop(), [this] { source_.request_stop(); }),
        second_(node, [this] { source_.request_stop(); }),
        deadline_(deadline.with_stop(source_.get_token())) {}
  EitherStop(const EitherStop&) = delete;
  EitherStop& operator=(const EitherStop&) = delete;
  const os::Deadline& deadline() const { return deadline_; }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> first_, second_;
  os::Deadline deadline_;
};

/// The allocations of one deployment on one node.
class PlacedAllocations final : public NodeAllocations {
 public:
  PlacedAllocations(std::shared_ptr<WorkerNodes::Node> node, PlaceCall::One as,
                    const OtherNodes& others, os::Pool& runners)
      : node_(std::move(node)), as_(std::move(as)), others_(others), runners_(runners) {}

  const std::string& node_id() const override { return node_->one.id; }

  std::int64_t ready() const override {
    const MutexLock lock(node_->mutex);
    return is_started() ? as_.allocations : 0;
  }

  NodeShare share() const override {
    NodeShare out{.node_id = node_->one.id,
                  .node_name = node_->one.name,
                  .target = as_.allocations,
                  .state = "starting"};
    const MutexLock lock(node_->mutex);
    if (is_started()) out.ready = as_.allocations;
    const auto known = node_->known.find(as_.deployment_id);
    if (known != node_->known.end() && known->second.incarnation == as_.incarnation) {
      out.state = known->second.state;
      out.reason = known->second.reason;
    }
    if (node_->is_silent) out.state = "failed", out.reason = "the node does not answer";
    return out;
  }

  Status run(ModelRequest work, const os::Deadline& deadline, Done done) override {
    const TaskType task = work.task;
    const std::size_t inputs = work.inputs.size();
    const RunCall call{as_.deployment_id, as_.incarnation, std::move(work)};
    return runners_.submit([node = node_, &others = others_, text = call.encode(), task, inputs,
                            deadline, done = std::move(done)]() mutable {
      done(ask(*node, others, std::move(text), task, inputs, deadline));
    });
  }

 private:
  bool is_started() const CAIRN_REQUIRES(node_->mutex) {
    const auto known = node_->known.find(as_.deployment_id);
    return node_->is_heard() && known != node_->known.end() &&
           known->second.incarnation == as_.incarnation &&
           known->second.state == name_of(DeploymentState::started);
  }

  static Result<NodeAnswer> ask(WorkerNodes::Node& node, const OtherNodes& others, std::string text,
                                TaskType task, std::size_t inputs, const os::Deadline& deadline) {
    std::stop_token silent;
    {
      const MutexLock lock(node.mutex);
      silent = node.batches.get_token();
    }
    const EitherStop until(deadline, silent);
    auto bytes = others.call(node.one, run_path, std::move(text), until.deadline());
    Result<NodeAnswer> out =
        bytes.ok() ? decode_answer(*bytes, task, inputs) : std::move(bytes).error();
    if (out.ok() || deadline.stopped()) return out;
    const MutexLock lock(node.mutex);
    node.has_failed = true;
    return out;
  }

  const std::shared_ptr<WorkerNodes::Node> node_;
  const PlaceCall::One as_;
  const OtherNodes& others_;
  os::Pool& runners_;
};

}  // namespace

WorkerNodes::WorkerNodes(OtherNodes nodes, const os::Clock& clock)
    : others_(std::move(nodes)),
      clock_(clock),
      lookers_({.name = "node-look", .threads = lookers, .queue = 1'024}),
      runners_({.name = "node-run", .threads = runners, .queue = 1'024}) {}

WorkerNodes::~WorkerNodes() {
  end_.request_stop();
  const MutexLock lock(mutex_);
  for (const auto& [id, node] : nodes_) {
    const MutexLock inner(node->mutex);
    node->batches.request_stop();
  }
}

/// Those that are listed, with what is known of them.
void WorkerNodes::follow_nodes() {
  std::map<std::string, std::shared_ptr<Node>> now;
  for (OtherNodes::One& one : others_.list()) {
    const auto before = nodes_.find(one.id);
    if (before != nodes_.end() && before->second->one.address == one.address)
      now.emplace(one.id, before->second);
    else
      now.emplace(one.id, std::make_shared<Node>(one));
  }
  nodes_.swap(now);
  for (const auto& [id, node] : now) {
    const auto still = nodes_.find(id);
    if (still != nodes_.end() && still->second == node) continue;
    const MutexLock lock(node->mutex);
    node->batches.request_stop();
  }
  for (const auto& [id, node] : nodes_) {
    const MutexLock lock(node->mutex);
    const bool silent =
        node->waits_since_ns > 0 && clock_.steady_ns() - node->waits_since_ns > silent_ns;
    if (silent == node->is_silent) continue;
    node->is_silent = silent;
    if (!silent) {
      node->batches = std::stop_source();
    } else if (node->has_answered) {
      node->batches.request_stop();
      os::log(os::LogLevel::warn, "inference", "node_runs_no_models",
              {{"node", node->one.name}, {"reason", "it does not answer"}});
    }
  }
}

Placement WorkerNodes::plan(const std::vector<PlacedDeployment>& wanted) {
  std::vector<PlacementNode> nodes;
  for (const auto& [id, node] : nodes_) {
    const MutexLock lock(node->mutex);
    if (!node->has_answered || node->is_silent) continue;
    nodes.push_back({.id = id,
                     .processors = static_cast<std::size_t>(node->answer.processors),
                     .memory_bytes = node->answer.memory_bytes,
                     .models = node->models});
  }
  return plan_placement(wanted, std::move(nodes), os::cpu_count());
}

std::size_t WorkerNodes::processors() const {
  const MutexLock lock(mutex_);
  return processors_locked();
}

std::size_t WorkerNodes::processors_locked() const {
  std::size_t out = 0;
  for (const auto& [id, node] : nodes_) {
    const MutexLock inner(node->mutex);
    if (!node->is_silent) out += static_cast<std::size_t>(node->answer.processors);
  }
  return out;
}

void WorkerNodes::look(const Deployments& deployments) {
  std::vector<PlacedDeployment> wanted;
  std::map<std::string, std::string> incarnations;
  bool is_wanted = false;
  for (const auto& [id, deployment] : deployments) {
    DeploymentPlacing placing = deployment->placing();
    is_wanted = is_wanted || (placing.allocations > 1 && !placing.stays_here);
    incarnations[id] = std::move(placing.incarnation);
    wanted.push_back({.id = id,
                      .model_id = std::move(placing.model_id),
                      .model_bytes = placing.model_bytes,
                      .allocations = placing.allocations,
                      .threads = placing.threads,
                      .stays_here = placing.stays_here});
  }
  const MutexLock lock(mutex_);
  follow_nodes();
  const Placement placement = plan(wanted);
  std::map<std::string, std::vector<std::shared_ptr<NodeAllocations>>> places;
  for (const auto& [id, node] : nodes_) {
    std::map<std::string, PlaceCall::One> there;
    const auto planned = placement.find(id);
    for (const PlacedDeployment& one : wanted) {
      if (planned == placement.end()) break;
      const auto count = planned->second.find(one.id);
      if (count == planned->second.end()) continue;
      const PlaceCall::One as{.deployment_id = one.id,
                              .model_id = one.model_id,
                              .incarnation = incarnations[one.id],
                              .allocations = count->second,
                              .threads = one.threads};
      places[one.id].push_back(std::make_shared<PlacedAllocations>(node, as, others_, runners_));
      there.emplace(one.id, as);
    }
    bool asks = false;
    {
      const MutexLock inner(node->mutex);
      // Whoever has something left is told that nobody wants it.
      asks = is_wanted || !node->has_answered || !node->known.empty();
      node->wanted = std::move(there);
    }
    if (asks) ask(node);
  }
  const std::size_t cores = processors_locked();
  for (const auto& [id, deployment] : deployments)
    deployment->set_places(std::move(places[id]), cores);
}

void WorkerNodes::ask(const std::shared_ptr<Node>& node) {
  PlaceCall call;
  {
    const MutexLock lock(node->mutex);
    if (std::exchange(node->is_asked, true)) return;
    node->has_failed = false;
    if (node->waits_since_ns == 0) node->waits_since_ns = clock_.steady_ns();
    for (const auto& [id, one] : node->wanted) call.deployments.push_back(one);
  }
  const Status queued = lookers_.submit([this, node, call = std::move(call)] {
    const auto text = others_.call(node->one, place_path, call.encode(),
                                   os::Deadline::in_ms(look_ms, end_.get_token()));
    const auto answer = text.ok() ? PlaceAnswer::decode(*text) : Result<PlaceAnswer>(text.error());
    const MutexLock lock(node->mutex);
    node->is_asked = false;
    if (!answer.ok()) return;  // it is silent, or of a version that runs no models for others
    node->has_answered = true;
    node->waits_since_ns = 0;
    node->answer = *answer;
    node->known.clear();
    for (const PlaceAnswer::One& one : answer->deployments)
      node->known[one.deployment_id] = {one.incarnation, one.state, one.reason};
    node->models.clear();
    for (const PlaceCall::One& one : call.deployments) {
      const auto known = node->known.find(one.deployment_id);
      if (known != node->known.end() && known->second.state != name_of(DeploymentState::failed))
        node->models.insert(one.model_id);
    }
  });
  if (queued.ok()) return;
  const MutexLock lock(node->mutex);
  node->is_asked = false;
}

}  // namespace cairn::inference
