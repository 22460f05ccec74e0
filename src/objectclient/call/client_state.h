// SPDX-License-Identifier: Apache-2.0
// What the calls of one client share. Not part of the installed headers.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/threads.h"
#include "net/client/client.h"
#include "objectclient/call/call_log.h"
#include "objectclient/call/monitoring.h"
#include "objectclient/call/operation_traits.h"
#include "objectclient/call/retry.h"
#include "objectclient/call/sessions.h"
#include "objectclient/call/signer.h"
#include "objectclient/endpoint/endpoint_cache.h"
#include "objectclient/options.h"
#include "objectclient/response.h"
#include "objectclient/stubs.h"
#include "s3/signing/signing.h"

namespace cairn::objectclient {

/// Which region a bucket was found in, where that is not the client's. Safe from any thread.
class BucketRegions {
 public:
  std::string of(const std::string& bucket) const;  // empty: not known
  void learn(const std::string& bucket, const std::string& region);

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> regions_ CAIRN_GUARDED_BY(mutex_);
};

/// How the endpoints of operations with discovery are kept.
EndpointCacheOptions endpoint_cache_options(const ClientOptions& options);

struct ClientState {
  static Result<std::shared_ptr<ClientState>> open(ClientOptions given, Environment environment);
  ClientState(ClientOptions completed, bool explicit_profile, Profiles profiles,
              Environment outside);

  void log(LogLevel level, std::string_view text) const;
  std::int64_t now_ms() const { return environment.clock->unix_ms(); }
  std::int64_t steady_ns() const { return environment.clock->steady_ns(); }

  const Environment environment;
  const ClientOptions options;
  const s3::Dialect dialect;
  const std::string user_agent;
  const LogLevel log_level;
  net::Client http;
  RetryStrategy strategy;
  s3::SigningKeys keys;
  Identity identity;
  SessionCache sessions;
  AccessGrants grants;
  BucketRegions regions;
  ClockSkew skew;
  Stubs stubs;
  const std::unique_ptr<Monitor> monitor;  // null: off
};

}  // namespace cairn::objectclient
