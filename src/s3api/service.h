// SPDX-License-Identifier: Apache-2.0
// The object service: answers every request of its port.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/accounts/accounts.h"
#include "auth/principals.h"
#include "auth/secrets/object_keys.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/gate.h"
#include "gate/listener_gate.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "net/options.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "s3api/access/account_book.h"
#include "s3api/access/simulation.h"
#include "s3api/identity.h"
#include "s3api/objects/encryption.h"
#include "s3api/options.h"
#include "s3api/table_copy.h"

namespace cairn::s3api {

/// Asks the stored keys, which outlive it.
FindKey find_in(const auth::Principals& principals);

/// The root of the key's account.
std::shared_ptr<const auth::ObjectCaller> root_of(const auth::ObjectKey& key);

/// A parameter of the query with which the answer binds a browser: it shows the object in a
/// sandbox, as the type that it is sent as.
inline constexpr std::string_view preview_parameter = "x-cairn-preview";

struct ServiceParams {
  objectstore::Engine& engine;
  FindKey find_key;
  FindCaller find_caller = {};  // none: every key is that of its account's root
  Options options = {};
  KeyNames* key_names = nullptr;  // of SSE-KMS; null: none
  FindTableCopy table_copy = {};  // none: tables are not searched
  AccountBook accounts = {};      // whom grants may name
  const os::Clock& clock = os::system_clock();
  os::Metrics& metrics = os::metrics();
  gate::AuditLog* audit = nullptr;   // refusals, and buckets made and deleted
  const gate::Gate* gate = nullptr;  // whose limits hold here; null: none
  /// Where the console is, for a person who comes to this port with a browser; empty: nowhere.
  std::function<std::string(const net::RequestHead& head)> console_url = {};
  std::optional<auth::Seal> seal = {};  // of sessions and access grants; none: there are none
  GrantBook grants = {};                // of access grants; empty: there are none
  os::Random& random = os::system_random();
};

class Service {
 public:
  /// What `params` refers to outlives the service. `params.options` must be valid.
  explicit Service(ServiceParams params);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// The operations as rows of the gate's table.
  static std::vector<gate::Route> routes();

  /// Answers one request: a net::Handler. Safe from any thread, blocks.
  void handle(net::Exchange& exchange);

  /// How a request would be counted.
  struct Counted {
    const gate::Route* route = nullptr;  // the service's own; null: no operation fits
    std::string bucket = {};             // that the operator's rules would be asked about
    std::optional<gate::ListenerGate::Terms> terms = {};  // nothing: no limit is asked
    Status understood = ok_status();  // else why it is not; it would count as its address' then
    bool handed_out = false;  // Cairn signs with its key, for somebody who was counted before
  };
  /// What handle() would ask the limiter about this request, whose signature need not be good.
  /// Answers and counts nothing. Safe from any thread.
  Counted counted(net::Exchange& exchange) const;

  /// What a request would do that deletes a bucket, or gives it rules of a lifecycle or a policy:
  /// who asks, its rights, its limits and all that is checked are those of handle(), and nothing is
  /// changed or sent. The fields that every reply has are in `exchange.reply.standing`.
  /// Errors: those of the operation, with the detail "_status"; InvalidRequest for any other
  /// request. Safe from any thread, blocks.
  Result<Json> try_out(net::Exchange& exchange);

  /// Whether requests would be allowed, and why. `policy`: of the bucket, as a draft; nothing: the
  /// one that it has. `peer_address`: where requests come from that do not say so.
  /// Errors: NoSuchBucket; MalformedPolicy and PolicyTooLarge; those of simulate(), whose message
  /// then says which request it is.
  Result<std::vector<SimulatedAnswer>> simulate_all(const std::string& bucket,
                                                    const std::optional<std::string>& policy,
                                                    const std::vector<SimulatedRequest>& requests,
                                                    std::string_view peer_address,
                                                    const os::Deadline& deadline) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Words the errors of the HTTP server itself as this protocol has them: a net::ErrorRenderer.
std::string render_server_error(int status, std::string_view reason, std::string_view request_id,
                                net::Headers& headers);

/// How a listener for this service differs from the usual: bodies of any length, never compressed
/// or inflated.
net::ServerOptions listener_options(net::ServerOptions options);

}  // namespace cairn::s3api
