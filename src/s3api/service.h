// SPDX-License-Identifier: Apache-2.0
// The object service: answers every request of its port.
#pragma once

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
#include "gate/audit.h"
#include "gate/gate.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "net/options.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "s3api/access/account_book.h"
#include "s3api/identity.h"
#include "s3api/objects/encryption.h"
#include "s3api/options.h"
#include "s3api/table_copy.h"

namespace cairn::s3api {

/// Asks the stored keys, which outlive it.
FindKey find_in(const auth::Principals& principals);

/// The root of the key's account.
std::shared_ptr<const auth::ObjectCaller> root_of(const auth::ObjectKey& key);

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
