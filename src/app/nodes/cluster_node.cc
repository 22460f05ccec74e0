// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/cluster_node.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "api/server_error.h"
#include "app/nodes/cluster_secret.h"
#include "app/nodes/kept_reply.h"
#include "app/nodes/standby_models.h"
#include "app/settings/master_key_command.h"
#include "app/version.h"
#include "base/encode.h"
#include "base/hash.h"
#include "net/address.h"
#include "os/available_memory.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/log.h"
#include "os/machine.h"
#include "os/metrics.h"
#include "os/random.h"
#include "s3api/service.h"

namespace cairn::app {
namespace {

/// All that the platform keeps has one owner.
constexpr std::string_view platform_shard = "platform";
constexpr std::string_view nodes_bucket = ".cairn-nodes/";
constexpr std::string_view models_path = "/models/";
constexpr std::int64_t step_ms = 1'000;
constexpr std::int64_t moving_step_ms = 200;
constexpr std::int64_t owner_look_ms = 200;
constexpr std::int64_t owner_ping_ms = 250;
constexpr std::int64_t leave_ms = 5'000;
constexpr std::size_t node_id_bytes = 16;
constexpr std::size_t kept_reply_bytes = 64 << 10;
/// A third of the shortest lease: a connection that hangs leaves time to renew it by another one.
constexpr std::int64_t silence_ms = 3'000;

bool is_anywhere(const std::string& host) {
  return host == "0.0.0.0" || host == "::" || host == "[::]";
}

std::string with_port(std::string host, std::uint16_t port) {
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return host + ":" + std::to_string(port);
}

/// What others are told of a listener: node.address, or the host that it is bound to, or, where
/// that is every one, this machine's name. A port in node.address is that for nodes.
std::string told_address(const Settings& settings, const net::Server& server, bool is_for_nodes) {
  if (settings.node_address.empty())
    return with_port(is_anywhere(server.host()) ? os::host_name() : server.host(), server.port());
  const auto given = net::parse_host_port(settings.node_address);
  if (!given.ok()) return with_port(settings.node_address, server.port());
  return with_port(given->host, is_for_nodes ? given->port : server.port());
}

nodes::NodeFigures figures_of(const std::string& data_folder, std::int64_t since_ns) {
  const os::DiskSpace disk = os::disk_space(data_folder);
  const std::uint64_t memory = os::machine_memory_bytes();
  return {.pid = os::process_id(),
          .running_ms = (os::system_clock().steady_ns() - since_ns) / 1'000'000 + 1,  // 0: not told
          .disk_total_bytes = disk.total_bytes,
          .disk_free_bytes = disk.free_bytes,
          .disk_available_bytes = disk.available_bytes,
          .memory_total_bytes = memory,
          .memory_used_bytes = memory - std::min(memory, os::available_memory_bytes().value_or(0)),
          .load = os::load_averages()};
}

void reply_text(net::Exchange& exchange, int status, const std::string& text) {
  net::Headers headers;
  headers.add("Content-Type", "text/plain; charset=UTF-8");
  (void)exchange.reply.reply(status, headers, text + "\n").ok();  // a prober that has gone
}

}  // namespace

Result<std::unique_ptr<ClusterNode>> ClusterNode::open(const Settings& settings,
                                                       const os::Deadline& deadline) {
  std::unique_ptr<ClusterNode> node(new ClusterNode(settings));
  CAIRN_CHECK(node->open_ground(deadline));
  CAIRN_CHECK(node->open_listeners());
  node->join();
  CAIRN_CHECK(node->start_thread());
  return node;
}

Result<std::unique_ptr<ClusterNode>> ClusterNode::open_alone(const Settings& settings,
                                                             const os::Deadline& deadline) {
  std::unique_ptr<ClusterNode> node(new ClusterNode(settings));
  CAIRN_CHECK(node->open_ground(deadline));
  node->join();
  CAIRN_CHECK(node->wait_until_alone(deadline));
  node->begin_rooms();
  CAIRN_CHECK(node->start_thread());
  return node;
}

/// A node that serves renews its record meanwhile; one that is gone does not.
Status ClusterNode::wait_until_alone(const os::Deadline& deadline) {
  std::uint64_t seen = 0;
  for (;;) {
    step(deadline);
    if (should_serve()) return ok_status();
    for (const nodes::NodeRecord& other : nodes()) {
      if (other.id != serving_id()) continue;
      if (seen != 0 && seen != other.beat)
        return Error{.kind = ErrorKind::conflict,
                     .message = "node [" + other.name + "] serves " + cluster_->place().shown() +
                                ": process " + std::to_string(other.process.pid) + " on " +
                                other.process.host + ". Stop all nodes first"};
      seen = other.beat;
    }
    if (!os::sleep_ms(owner_look_ms, deadline))
      return deadline.check("wait for the lease of " + cluster_->place().shown());
  }
}

Status ClusterNode::start_thread() {
  CAIRN_TRY(thread_,
            os::Thread::start_stoppable({.name = "cairn-node"},
                                        [this](const std::stop_token& stop) { keep(stop); }));
  if (front_ == nullptr) return ok_status();
  CAIRN_TRY(watch_, os::Thread::start_stoppable(
                        {.name = "cairn-watch"},
                        [this](const std::stop_token& stop) { watch_owner(stop); }));
  return ok_status();
}

/// Whether it is there matters to those who can answer for it.
void ClusterNode::watch_owner(const std::stop_token& stop) {
  const auto forever = os::Deadline::never(stop);
  while (os::sleep_ms(owner_ping_ms, forever))
    if (has_reader_) front_->look_at_owner(stop);
}

void ClusterNode::set_reader(std::shared_ptr<nodes::Reader> reader) {
  has_reader_ = reader != nullptr;
  front_->set_reader(std::move(reader));
}

Status ClusterNode::open_ground(const os::Deadline& deadline) {
  CAIRN_TRY(data_, open_data_place(settings_));
  const std::string keys = data_.folder + "/keys";
  CAIRN_CHECK(os::make_directories_durably(os::system_files(), keys, 0700));
  // The engine locks the rest of the folder, but only once the store is this node's.
  auto lock = os::system_files().lock(keys + "/node.lock");
  if (!lock.ok() && lock.error().kind == ErrorKind::conflict)
    return Error{.kind = ErrorKind::conflict,
                 .message = "the data folder [" + data_.folder +
                            "] is in use by another node; each has a folder of its own"};
  CAIRN_TRY(lock_, std::move(lock));
  CAIRN_TRY(auto place, named("store.url", remotestore::parse_place(settings_.store_url)));
  CAIRN_TRY(
      cluster_,
      named("store.url", remotestore::Cluster::open({.place = std::move(place),
                                                     .access = {.read_timeout_ms = silence_ms}})));
  CAIRN_CHECK(named("store.url", cluster_->check(deadline)));
  nodes_store_ = cluster_->store(std::string(nodes_bucket), {.plain_keys = true});
  const auto auth_store = cluster_->store(".cairn-auth/");
  CAIRN_TRY(secret_,
            cluster_secret(*nodes_store_, *auth_store,
                           {.keys_folder = keys, .file_seal = file_seal_of(settings_.master_key)},
                           os::system_random(), deadline));
  // Nothing has to be kept for it, and nobody copies it with the keys.
  const std::string folder = std::filesystem::absolute(data_.folder).string();
  node_id_ = to_base64url(
      sha256(secret_ + '\0' + os::host_name() + '\0' + folder).substr(0, node_id_bytes));
  forwarder_ =
      std::make_unique<nodes::Forwarder>(nodes::ForwarderOptions{.shared_secret = secret_});
  front_ =
      std::make_unique<nodes::Front>(*forwarder_, api::render_server_error,
                                     nodes::FrontOptions{.render_nobody = api::render_no_master});
  // Buckets of the object service are those of the node that serves, so nothing is passed on.
  objects_front_ =
      std::make_unique<nodes::Front>(*forwarder_, s3api::render_server_error,
                                     nodes::FrontOptions{.wait_ms = 0,
                                                         .nobody = "this node stands by, and its "
                                                                   "buckets with it: ask the one "
                                                                   "that serves"});
  return ok_status();
}

Status ClusterNode::open_listeners() {
  net::ServerOptions between;
  between.name = "node";
  between.listen = settings_.node_listen;
  between.tls.shared_secret = secret_;
  between.max_workers = settings_.http.max_workers;
  between.max_connections = settings_.http.max_connections;
  between.body_bytes_max = 0;              // the node that was asked has its limit
  between.idle_timeout_ms = 300'000;       // whose clients keep connections to it
  between.gzip_reply_bytes_min = 0;        // that node compresses
  between.inflate_request_bodies = false;  // … and has inflated
  CAIRN_TRY(listeners_, app::open_listeners(
                            settings_, [this](net::Exchange& exchange) { answer_api(exchange); },
                            [this](net::Exchange& exchange) { objects_front_->answer(exchange); }));
  CAIRN_TRY(
      node_server_,
      named("node.listen",
            net::Server::open(
                between, [this](net::Exchange& exchange) { answer_node(exchange); },
                api::render_server_error)));
  address_ = told_address(settings_, *node_server_, true);
  api_address_ = told_address(settings_, *listeners_.api, false);
  return ok_status();
}

ClusterNode::~ClusterNode() {
  watch_.request_stop();
  if (watch_.joinable()) watch_.join();
  if (front_ != nullptr) front_->set_reader(nullptr);
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const auto last = ownership();
  if (last == nullptr) return;
  const Status left = last->leave(os::Deadline::in_ms(leave_ms));
  if (!left.ok())
    os::log(os::LogLevel::warn, "nodes", "not_left",
            {{"reason", left.error().message}, {"hint", "others follow when its lease has ended"}});
}

/// A node is new each time: with another id, and no claim to what the one before owned.
void ClusterNode::join() {
  nodes::NodeRecord self{.id = to_base64url(os::system_random().bytes(16)),
                         .node_id = node_id_,
                         .name = settings_.api.node_name,
                         .address = address_,
                         .api_address = api_address_,
                         .version = std::string(version),
                         .weight = static_cast<std::uint32_t>(settings_.node_weight),
                         .started_ms = os::system_clock().unix_ms(),
                         .process = os::this_process()};
  static const auto shards =
      std::make_shared<const nodes::ShardNames>(nodes::ShardNames{std::string(platform_shard)});
  nodes::OwnershipEvents events{
      .gained = [this](const std::string&, std::uint64_t) { owns_ = true; },
      .finish =
          [this](const std::string&) {
            is_asked_for_ = leaving_ = true;
            return !rooms_;
          },
      .lost = [this](const std::string&) { owns_ = false; }};
  nodes::OwnershipOptions options;
  options.registry.lease_ms = settings_.node_lease_ms;
  options.turn_ms = std::min<std::int64_t>(options.turn_ms, settings_.node_lease_ms / 10);
  options.figures = [this, since_ns = os::system_clock().steady_ns()] {
    return figures_of(data_.folder, since_ns);
  };
  auto next = std::make_shared<nodes::Ownership>(
      *nodes_store_, os::system_clock(), std::move(self), [] { return shards; }, std::move(events),
      std::move(options));
  const std::lock_guard lock(mutex_);
  ownership_ = std::move(next);
}

std::shared_ptr<nodes::Ownership> ClusterNode::ownership() const {
  const std::lock_guard lock(mutex_);
  return ownership_;
}

void ClusterNode::keep(const std::stop_token& stop) {
  const std::int64_t usual_ms = std::min(step_ms, settings_.node_lease_ms / 10);
  while (!stop.stop_requested()) {
    step(os::Deadline::in_ms(settings_.node_lease_ms / 2, stop));
    // While the store changes hands requests wait.
    const std::int64_t pause_ms =
        ownership()->is_moving() ? std::min(moving_step_ms, usual_ms) : usual_ms;
    std::unique_lock lock(wake_mutex_);
    os::wait(woken_, lock, os::Deadline::in_ms(pause_ms, stop),
             [this] { return std::exchange(is_woken_, false); });
  }
}

/// The next step is taken now.
void ClusterNode::wake() {
  {
    const std::lock_guard lock(wake_mutex_);
    is_woken_ = true;
  }
  woken_.notify_all();
}

void ClusterNode::step(const os::Deadline& deadline) {
  const auto now = ownership();
  is_asked_for_ = false;
  if (goes_) now->begin_leaving();
  const Status stepped = now->step(deadline);
  if (!is_asked_for_) leaving_ = false;
  if (!deadline.stopped()) tell(stepped);
  follow_owner(*now);
  // What it owned is lost, and once nothing of it is left in memory it may begin anew.
  if (now->registry().has_ended() && !rooms_) join();
}

/// Once for each fault, and when it is over.
void ClusterNode::tell(const Status& stepped) {
  const std::string fault = stepped.ok() ? std::string() : stepped.error().message;
  if (std::exchange(told_, fault) == fault) return;
  if (fault.empty())
    os::log(os::LogLevel::info, "nodes", "lease_kept", {});
  else
    os::log(os::LogLevel::warn, "nodes", "step_failed", {{"reason", fault}});
}

void ClusterNode::follow_owner(const nodes::Ownership& now) {
  const std::string owner = now.owner_of(platform_shard);
  const std::string& self = now.registry().self().id;
  std::string address;
  std::vector<std::string> living;
  for (const nodes::NodeRecord& node : now.nodes()) {
    living.push_back(node.address);
    if (node.id == owner && owner != self) address = node.address;
  }
  front_->set_owner(address, living);
}

void ClusterNode::serve(net::Handler api, net::Handler objects, nodes::Front::Tell tell) {
  objects_front_->serve(std::move(objects));  // which lie in the data folder
  front_->serve(
      std::move(api), [this] { return ownership()->may_change(platform_shard); }, std::move(tell));
}

void ClusterNode::stop_serving(std::int64_t grace_ms) {
  front_->stop_serving(grace_ms);
  objects_front_->stop_serving(grace_ms);
}

void ClusterNode::end_rooms() {
  rooms_ = false;
  wake();
}

Result<os::Deadline> ClusterNode::check(const os::Deadline& deadline) const {
  const auto refused = [&](const std::string& why) {
    return Error{.kind = ErrorKind::unavailable, .message = cluster_->place().shown() + " " + why};
  };
  const auto now = ownership();
  if (now->registry().has_ended() || !owns_)
    return refused("was taken over by another node; this one changes nothing of it any more");
  // What is sent at the last moment would arrive when another one may have the store.
  const std::int64_t sure_ms = now->holds_for_ms() - settings_.node_lease_ms / 10;
  if (sure_ms <= 0 || !now->may_change(platform_shard))
    return refused(
        "cannot be changed now: the lease could not be renewed in time; the cluster is not "
        "reached");
  return deadline.sooner_ms(sure_ms);
}

bool ClusterNode::begin_leaving() {
  const std::string self = id();
  const auto there = nodes();
  const bool has_other = std::any_of(there.begin(), there.end(), [&](const auto& node) {
    return node.id != self && !node.draining;
  });
  goes_ = true;
  wake();
  return has_other;
}

std::int64_t ClusterNode::seen_after_ms() const {
  return std::min(step_ms, settings_.node_lease_ms / 10) * 3 / 2;
}

void ClusterNode::drain(std::int64_t grace_ms) {
  listeners_.drain(grace_ms);
  node_server_->drain(grace_ms);
}

bool ClusterNode::answer_health(net::Exchange& exchange) {
  const std::string_view path = exchange.head.path();
  std::string_view base = settings_.api.base_path;
  if (!path.starts_with(base)) return false;
  const std::string_view asked = path.substr(base.size());
  if (!asked.starts_with("/_health/") || exchange.head.method != "GET") return false;
  const std::string to = front_->target();
  if (front_->answer_as_process(exchange)) return true;
  if (asked == "/_health/live") return reply_text(exchange, 200, "live"), true;
  if (asked != "/_health/ready" && asked != "/_health/startup") return false;
  if (to.empty())
    reply_text(exchange, 503, "no node serves the store now");
  else
    reply_text(exchange, 200, asked == "/_health/ready" ? "ready" : "started");
  return true;
}

/// Its own figures, for whom the node that serves shows its own.
bool ClusterNode::answer_metrics(net::Exchange& exchange) {
  if (exchange.head.path() != settings_.api.base_path + "/_metrics") return false;
  if (front_->answer_as_process(exchange)) return true;
  KeptReply asked(kept_reply_bytes);
  net::Exchange theirs{exchange.head, exchange.body, asked, exchange.deadline, exchange.request_id};
  if (!settings_.api.open_metrics) front_->answer(theirs);
  if (asked.begun() && asked.status() != 200) {
    (void)asked.send(exchange.reply).ok();  // a client that has gone needs no answer
    return true;
  }
  net::Headers headers;
  headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  (void)exchange.reply.reply(200, headers, os::metrics().expose()).ok();
  return true;
}

void ClusterNode::answer_api(net::Exchange& exchange) {
  if (answer_health(exchange) || answer_metrics(exchange)) return;
  front_->answer(exchange);
}

/// What nodes ask each other, and requests that they pass on.
void ClusterNode::answer_node(net::Exchange& exchange) {
  if (!exchange.head.path().starts_with(models_path) ||
      exchange.head.headers.has(nodes::forwarded_field))
    return front_->answer_forwarded(exchange);
  std::shared_ptr<StandbyModels> models;
  {
    const std::lock_guard lock(mutex_);
    models = models_;
  }
  if (models != nullptr) return models->answer(exchange);
  reply_text(exchange, 404, "this node runs no models for others");
}

void ClusterNode::set_models(std::shared_ptr<StandbyModels> models) {
  const std::lock_guard lock(mutex_);
  models_.swap(models);  // the last ones go once the lock is open
}

inference::OtherNodes ClusterNode::model_nodes() {
  const auto list = [this] {
    const std::string self = id();
    auto there = nodes();
    std::erase_if(there, [&](const auto& node) { return node.id == self || node.draining; });
    // One that has just started anew may be listed twice.
    std::stable_sort(there.begin(), there.end(),
                     [](const auto& a, const auto& b) { return a.started_ms > b.started_ms; });
    std::vector<inference::OtherNodes::One> out;
    for (const nodes::NodeRecord& node : there)
      out.push_back({.id = node.node_id, .name = node.name, .address = node.address});
    return out;
  };
  const auto call = [this](const inference::OtherNodes::One& node, std::string_view path,
                           const std::string& body, const os::Deadline& deadline) {
    return forwarder_->call(node.address, path, body, deadline);
  };
  return {.list = list, .call = call};
}

std::vector<nodes::NodeRecord> ClusterNode::nodes() const {
  auto out = ownership()->nodes();
  const std::string self = id();
  std::stable_partition(out.begin(), out.end(),
                        [&](const nodes::NodeRecord& node) { return node.id == self; });
  return out;
}

std::string ClusterNode::serving_id() const { return ownership()->owner_of(platform_shard); }

std::string ClusterNode::id() const { return ownership()->registry().self().id; }

Status ClusterNode::set_draining(const std::string& id, bool draining,
                                 const os::Deadline& deadline) {
  const Status done = ownership()->set_draining(id, draining, deadline);
  wake();
  return done;
}

Status ClusterNode::check_alone(const os::Deadline& deadline) const {
  CAIRN_TRY(const auto there, nodes::read_nodes(*nodes_store_, deadline));
  std::string names;
  for (const auto& node : there)
    if (node.id != id() && !os::is_surely_gone(node.process))
      names += (names.empty() ? "" : ", ") + node.name;
  if (names.empty()) return ok_status();
  return Error{.kind = ErrorKind::conflict,
               .message = "other nodes have the master key too, and would lose the store: stop [" +
                          names + "], change the key, and copy keys/ to them again"};
}

Status ClusterNode::reseal(const auth::Seal& seal, const os::Deadline& deadline) {
  return reseal_cluster_secret(*nodes_store_, seal, os::system_random(), deadline);
}

}  // namespace cairn::app
