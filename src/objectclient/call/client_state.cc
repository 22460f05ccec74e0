// SPDX-License-Identifier: Apache-2.0
// From options to the parts that calls use.
#include "objectclient/call/client_state.h"

#include <cmath>
#include <utility>

#include "objectclient/call/user_agent.h"
#include "objectclient/global_options.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t buckets_max = 1'000;

std::int64_t milliseconds(double seconds) { return std::llround(seconds * 1e3); }

net::ClientOptions http_options(const ClientOptions& options, const Environment& environment) {
  return {.connect_timeout_ms = milliseconds(*options.http_open_timeout),
          .read_timeout_ms = milliseconds(*options.http_read_timeout),
          .write_stall_ms = milliseconds(*options.http_read_timeout),
          .idle_timeout_ms = milliseconds(*options.http_idle_timeout),
          .continue_timeout_ms = milliseconds(*options.http_continue_timeout),
          .tls_verify = *options.ssl_verify_peer,
          .tls_ca_file = *options.ssl_ca_bundle,
          .check_address = environment.check_address,
          .resolve = environment.resolve};
}

RetryOptions retry_options(const ClientOptions& options) {
  // The texts were checked by complete_options.
  return {.mode = parse_retry_mode(*options.retry_mode).value_or(RetryMode::legacy),
          .retry_limit = *options.retry_limit,
          .retry_base_delay_s = *options.retry_base_delay,
          .retry_max_delay_s = *options.retry_max_delay,
          .retry_jitter = parse_jitter(*options.retry_jitter).value_or(Jitter::none),
          .jitter_function = *options.retry_jitter_function,
          .retry_backoff = *options.retry_backoff,
          .max_attempts = *options.max_attempts,
          .adaptive_retry_wait_to_fill = *options.adaptive_retry_wait_to_fill};
}

}  // namespace

EndpointCacheOptions endpoint_cache_options(const ClientOptions& options) {
  return {.max_entries = static_cast<std::size_t>(*options.endpoint_cache_max_entries),
          .max_threads = static_cast<std::size_t>(*options.endpoint_cache_max_threads),
          .poll_interval_ms = milliseconds(*options.endpoint_cache_poll_interval),
          .active = *options.active_endpoint_cache};
}

std::string BucketRegions::of(const std::string& bucket) const {
  MutexLock lock(mutex_);
  const auto found = regions_.find(bucket);
  return found == regions_.end() ? std::string() : found->second;
}

void BucketRegions::learn(const std::string& bucket, const std::string& region) {
  MutexLock lock(mutex_);
  if (regions_.size() >= buckets_max) regions_.clear();
  regions_[bucket] = region;
}

ClientState::ClientState(ClientOptions completed, bool explicit_profile, Profiles profiles,
                         Environment outside)
    : environment(std::move(outside)),
      options(std::move(completed)),
      dialect(*options.dialect == "svc" ? s3::Dialect::svc : s3::Dialect::aws),
      user_agent(objectclient::user_agent(options, environment)),
      log_level(parse_log_level(*options.log_level).value_or(LogLevel::info)),
      http(http_options(options, environment)),
      strategy(retry_options(options), *environment.clock, *environment.random),
      identity(options, explicit_profile, std::move(profiles), environment),
      sessions(*environment.clock),
      grants(*options.access_grants_credentials_provider, *options.region, environment),
      monitor(Monitor::open(options)) {}

Result<std::shared_ptr<ClientState>> ClientState::open(ClientOptions given,
                                                       Environment environment) {
  if (environment.random == nullptr) environment.random = &os::system_random();
  if (!environment.sleep) environment.sleep = system_environment().sleep;
  given = with_global_options(std::move(given), global_options());
  const bool explicit_profile = given.profile.given();
  const bool deprecated = given.compute_checksums.given();
  CAIRN_TRY(Profiles profiles, Profiles::load(environment));
  CAIRN_TRY(ClientOptions completed, complete_options(std::move(given), profiles, environment));
  auto state = std::make_shared<ClientState>(std::move(completed), explicit_profile,
                                             std::move(profiles), std::move(environment));
  if (deprecated)
    state->log(LogLevel::warn,
               "the option :compute_checksums is deprecated; use :request_checksum_calculation");
  return state;
}

void ClientState::log(LogLevel level, std::string_view text) const {
  if (*options.logger) (*options.logger)(level, text);
}

}  // namespace cairn::objectclient
