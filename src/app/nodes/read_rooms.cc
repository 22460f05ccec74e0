// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/read_rooms.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dispatcher.h"
#include "api/routes/inference_routes.h"
#include "api/routes/msearch_routes.h"
#include "api/routes/openai_routes.h"
#include "api/routes/search_routes.h"
#include "api/routes/text_routes.h"
#include "app/index_facts.h"
#include "app/limiter.h"
#include "app/nodes/listeners.h"
#include "app/nodes/success_reply.h"
#include "app/settings/master_key_command.h"
#include "app/settings/sign_in_settings.h"
#include "app/sign_in/sign_in_files.h"
#include "auth/first_keys.h"
#include "auth/keys/keys.h"
#include "auth/keys/rights.h"
#include "auth/secrets/seal.h"
#include "auth/sign_in/sign_in.h"
#include "base/threads.h"
#include "gate/audit.h"
#include "gate/gate.h"
#include "gate/route_table.h"
#include "index/replica/replica.h"
#include "inference/model/stored_models.h"
#include "inference/service.h"
#include "os/available_memory.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/machine.h"
#include "os/metrics.h"
#include "os/random.h"
#include "os/threads/compute_pool.h"
#include "os/threads/pool.h"
#include "os/threads/shared_round.h"
#include "os/threads/thread.h"
#include "ratelimit/limiter.h"
#include "search/service.h"
#include "store/read_only_store.h"

namespace cairn::app {
namespace {

/// How old what is known of keys, scripts and endpoints may be.
constexpr std::int64_t known_age_ms = 1'000;
/// So that little is left to read when it counts. A tenth of the time for which the node that
/// serves keeps what merges replaced (kept_for_replicas_ms in building/platform.cc): what was told
/// at one of these looks is let go of long before, also where some of them fail.
constexpr std::int64_t follow_every_ms = 30'000;
constexpr std::int64_t follow_ms = 60'000;
constexpr std::int64_t catch_up_ms = 5'000;  // of a search, which another node may have after that
constexpr std::size_t body_bytes_max = 1 << 20;

/// Searches, counts and calls of endpoints; not what needs what the node that serves has in memory.
api::Router router_of(api::ServiceRef<const index::Indices> indices,
                      api::ServiceRef<search::Service> search,
                      api::ServiceRef<inference::Service> inference) {
  api::Router out;
  api::add_inference_call_routes(out, inference);
  api::add_text_routes(out, inference);
  api::add_openai_routes(out, inference);
  api::add_search_routes(out, indices, search, os::system_clock());
  api::add_msearch_routes(out, indices, search, os::system_clock());
  return out;
}

/// The value of a parameter; nothing where it is absent, or the query cannot be read.
std::optional<std::string> parameter(const net::RequestHead& head, std::string_view wanted) {
  const auto given = net::parse_query(head.query());
  if (!given.ok()) return std::nullopt;
  for (const auto& [name, value] : *given)
    if (name == wanted) return value;
  return std::nullopt;
}

/// Whether more may be looked up than the path says as it stands: by date math, or by members of
/// the body like `index` and `_index`, however they are spelt.
bool names_others(std::string_view expression, std::string_view body) {
  return expression.find('<') != std::string_view::npos ||
         body.find("index\"") != std::string_view::npos ||
         body.find("\\u") != std::string_view::npos;
}

std::unique_ptr<store::Store> reading(remotestore::Cluster& cluster, std::string_view bucket,
                                      std::vector<std::unique_ptr<store::Store>>& inside) {
  inside.push_back(cluster.store(std::string(bucket) + "/"));
  return store::read_only_store(*inside.back());
}

}  // namespace

struct ReadRooms::Rooms {
  Rooms(const Settings& given, remotestore::Cluster& cluster, DataPlace& place,
        std::shared_ptr<StandbyModels> with)
      : settings(given),
        data(place),
        standby(std::move(with)),
        auth_store(reading(cluster, ".cairn-auth", inside)),
        index_store(reading(cluster, ".cairn-index", inside)),
        inference_store(reading(cluster, ".cairn-inference", inside)),
        table(router_of({}, {}, {}).routes()) {}

  Status build(const os::Deadline& deadline);
  Status build_gate();
  Result<std::string> endpoints_now(const os::Deadline& deadline);
  Status follow_known(const os::Deadline& deadline);
  static std::vector<std::string> named_indices(const gate::Match& match, std::string_view body,
                                                const index::Indices& indices);
  std::optional<gate::Match> match(const net::RequestHead& head) const;
  /// Whether it is a call of an endpoint, which asks no index.
  bool is_inference(const gate::Match& match) const {
    const std::string_view path = table.routes()[match.route].path;
    return path.starts_with("/_inference/") || path.starts_with("/v1/");
  }

  /// What the first search makes, and a change of an endpoint anew.
  struct Searching {
    std::string endpoints;
    std::unique_ptr<inference::Service> inference;
    std::unique_ptr<search::Service> search;
    std::unique_ptr<api::Dispatcher> dispatcher;
  };
  Result<std::shared_ptr<const Searching>> make_searching(std::string endpoints,
                                                          const os::Deadline& deadline);
  std::shared_ptr<const Searching> searching() {
    const MutexLock lock(mutex);
    return newest;
  }

  const Settings settings;
  DataPlace& data;
  const std::shared_ptr<StandbyModels> standby;
  const os::Clock& clock = os::system_clock();
  os::Random& random = os::system_random();
  std::vector<std::unique_ptr<store::Store>> inside;
  const std::unique_ptr<store::Store> auth_store, index_store, inference_store;
  const gate::RouteTable table;  // what is answered

  std::optional<auth::Seal> seal;
  std::unique_ptr<auth::Keys> keys;
  std::unique_ptr<auth::SignIn> sign_in;
  std::unique_ptr<gate::AuditLog> audit;  // writes nothing: no refusal is given here
  std::unique_ptr<ratelimit::Limiter> limiter;
  std::unique_ptr<os::ComputePool> compute;
  std::unique_ptr<index::Replica> replica;
  std::unique_ptr<gate::Gate> gate;

  os::SharedRound known_round;
  std::atomic<std::int64_t> known_ns = 0;  // when the last of those began
  Mutex mutex;
  std::shared_ptr<const Searching> newest CAIRN_GUARDED_BY(mutex);
  os::Thread follower;  // the last member: stops first
};

ReadRooms::ReadRooms(std::unique_ptr<Rooms> rooms) : rooms_(std::move(rooms)) {}
ReadRooms::~ReadRooms() = default;

Result<std::shared_ptr<ReadRooms>> ReadRooms::open(const Settings& settings,
                                                   remotestore::Cluster& cluster, DataPlace& data,
                                                   std::shared_ptr<StandbyModels> models,
                                                   index::Replica::AskWriter ask,
                                                   const os::Deadline& deadline) {
  auto rooms = std::make_unique<Rooms>(settings, cluster, data, std::move(models));
  CAIRN_CHECK(rooms->build(deadline));
  rooms->replica->set_writer(std::move(ask));
  Rooms* inside = rooms.get();
  CAIRN_TRY(rooms->follower,
            os::Thread::start_stoppable(
                {.name = "cairn-replica", .nice = 5}, [inside](const std::stop_token& stop) {
                  const auto forever = os::Deadline::never(stop);
                  while (os::sleep_ms(follow_every_ms, forever)) {
                    const Status done =
                        inside->replica->follow(os::Deadline::in_ms(follow_ms, stop));
                    if (!done.ok() && !stop.stop_requested())
                      os::log(os::LogLevel::warn, "nodes", "replica_not_followed",
                              {{"reason", done.error().message}});
                  }
                }));
  return std::shared_ptr<ReadRooms>(new ReadRooms(std::move(rooms)));
}

Status ReadRooms::Rooms::build(const os::Deadline& deadline) {
  compute = std::make_unique<os::ComputePool>();
  CAIRN_TRY(seal, auth::Seal::open(data.folder + "/keys/master.key", random,
                                   file_seal_of(settings.master_key)));
  CAIRN_TRY(keys, auth::Keys::open_replica(*auth_store, clock, random, settings.auth, deadline));
  CAIRN_TRY(const std::string first, auth::first_key_id(*auth_store, deadline));
  keys->set_first(first);
  index::Options options;
  options.compute = compute.get();
  options.cache_bytes =
      index_cache_of(settings, os::available_memory_bytes().value_or(os::machine_memory_bytes()));
  options.reserved_prefix = auth::restricted_prefix;
  CAIRN_TRY(replica,
            index::Replica::open(*index_store, standby->cpu(), clock, random, options, deadline));
  return ok_status();
}

Status ReadRooms::Rooms::build_gate() {
  sign_in = std::make_unique<auth::SignIn>(settings.oidc, clock);
  CAIRN_CHECK(read_sign_in(settings, *sign_in));
  CAIRN_TRY(audit, gate::AuditLog::open(data.files(), clock, {}));
  CAIRN_TRY(limiter, named("ratelimit", open_limiter(settings.limits, clock, random)));
  gate = std::make_unique<gate::Gate>(
      *keys, *audit,
      gate::GateParams{.limiter = limiter.get(),
                       .sign_in = sign_in.get(),
                       .search_page_key = settings.search_page_key,
                       .index_facts = index_facts([this] { return &replica->indices(); }),
                       .clock = clock});
  return ok_status();
}

Result<std::shared_ptr<const ReadRooms::Rooms::Searching>> ReadRooms::Rooms::make_searching(
    std::string endpoints, const os::Deadline& deadline) {
  if (gate == nullptr) CAIRN_CHECK(build_gate());
  auto out = std::make_shared<Searching>();
  out->endpoints = std::move(endpoints);
  CAIRN_TRY(out->inference,
            named("inference",
                  inference::Service::open(*inference_store, standby->models(), standby->cpu(),
                                           clock, settings.inference, deadline)));
  out->inference->set_key_seal(
      {.seal = [this](std::string_view secret,
                      std::string_view context) { return seal->seal(secret, context, random); },
       .open = [this](std::string_view sealed,
                      std::string_view context) { return seal->unseal(sealed, context); }});
  out->search =
      std::make_unique<search::Service>(*out->inference, clock, search::Options{}, random);
  out->dispatcher = std::make_unique<api::Dispatcher>(
      router_of(replica->indices(), *out->search, *out->inference), *gate, os::metrics(),
      settings.api, compute.get());
  return std::shared_ptr<const Searching>(std::move(out));
}

/// Says whether endpoints or deployments are others than before.
Result<std::string> ReadRooms::Rooms::endpoints_now(const os::Deadline& deadline) {
  std::string out;
  CAIRN_CHECK(
      store::for_each_object(*inference_store, "", deadline, [&](const store::ObjectInfo& info) {
        out += info.key + '\0' + info.etag + '\0';
        return ok_status();
      }));
  return out;
}

/// A key that was refused anywhere for so long is refused here.
Status ReadRooms::Rooms::follow_known(const os::Deadline& deadline) {
  const auto is_old = [this] {
    return clock.steady_ns() - known_ns.load() > known_age_ms * 1'000'000;
  };
  if (!is_old()) return ok_status();
  return known_round.run(deadline, [&]() -> Status {
    if (!is_old()) return ok_status();
    const std::int64_t began_ns = clock.steady_ns();
    CAIRN_CHECK(keys->catch_up(deadline));
    CAIRN_CHECK(replica->catch_up_scripts(deadline));
    CAIRN_TRY(std::string endpoints, endpoints_now(deadline));
    const auto before = searching();
    if (before == nullptr || before->endpoints != endpoints) {
      CAIRN_TRY(auto next, make_searching(std::move(endpoints), deadline));
      const MutexLock lock(mutex);
      newest.swap(next);
    }
    known_ns = began_ns;
    return ok_status();
  });
}

/// Those that the path names; all, where more may be looked up.
std::vector<std::string> ReadRooms::Rooms::named_indices(const gate::Match& match,
                                                         std::string_view body,
                                                         const index::Indices& indices) {
  std::string expression;
  for (const auto& [name, value] : match.parameters)
    if (name == "index") expression = value;
  if (expression.empty() || names_others(expression, body)) expression = "_all";
  std::vector<std::string> out;
  const auto found =
      indices.resolve(expression, {.ignore_unavailable = true, .expand_hidden = true});
  if (!found.ok()) return out;  // the search says why
  for (const auto& index : *found) out.push_back(index->name());
  return out;
}

std::optional<gate::Match> ReadRooms::Rooms::match(const net::RequestHead& head) const {
  std::string_view path = head.path();
  if (!path.starts_with(settings.api.base_path)) return std::nullopt;
  auto found = table.match(head.method, path.substr(settings.api.base_path.size()));
  if (!found.ok() || !found->found()) return std::nullopt;
  return std::move(*found);
}

bool ReadRooms::takes(const net::RequestHead& head) const {
  // A scroll is kept by the node that serves.
  return rooms_->match(head).has_value() && !parameter(head, "scroll");
}

bool ReadRooms::is_preferred(const net::RequestHead& head) const {
  if (const auto match = rooms_->match(head); match && rooms_->is_inference(*match))
    return rooms_->settings.node_local_inference;
  const auto preference = parameter(head, "preference");
  return preference ? *preference == "_local" : rooms_->settings.node_local_searches;
}

bool ReadRooms::answer(net::Exchange& exchange) {
  const auto match = rooms_->match(exchange.head);
  if (!match) return false;
  auto body = net::read_all(exchange.body, body_bytes_max);
  if (!body.ok()) return false;
  const auto soon = exchange.deadline.sooner_ms(catch_up_ms);
  Status followed = rooms_->follow_known(soon);
  if (followed.ok() && !rooms_->is_inference(*match))
    followed = rooms_->replica->catch_up(
        [&](const index::Indices& indices) { return Rooms::named_indices(*match, *body, indices); },
        soon);
  if (!followed.ok()) {
    os::log(os::LogLevel::warn, "nodes", "not_read_here", {{"reason", followed.error().message}});
    return false;
  }
  const auto searching = rooms_->searching();
  net::StringBody again(std::move(*body));
  SuccessReply reply(exchange.reply);
  net::Exchange here{exchange.head, again, reply, exchange.deadline, exchange.request_id};
  searching->dispatcher->answer(here);
  return reply.passed_on();
}

}  // namespace cairn::app
