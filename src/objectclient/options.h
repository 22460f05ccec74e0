// SPDX-License-Identifier: Apache-2.0
// Every option of a client, with its default. option_table.h describes each: type, allowed values,
// effect, and the variable and profile key that give it where the program does not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectclient/access_grants.h"
#include "objectclient/credentials.h"
#include "objectclient/environment.h"
#include "objectclient/host_names.h"
#include "objectclient/profiles.h"
#include "objectclient/setting.h"
#include "objectclient/tokens.h"

namespace cairn::objectclient {

enum class LogLevel { debug, info, warn, error };
/// Takes one line, or one line of a wire trace. Called from the threads that make calls, also at
/// the same time.
using Logger = std::function<void(LogLevel level, std::string_view line)>;
/// Takes one monitoring event as JSON. Called from the threads that make calls.
using EventPublisher = std::function<void(std::string_view json)>;

/// Times are seconds. An option that is not given comes from the global ones (global_options.h),
/// else from its environment variable, else from the profile, else from `defaults_mode`, else it is
/// the default that stands here.
///
/// The order of the fields is that of the table in the documents, and is kept: C++ wants designated
/// initialisers in it. A new option stands where it belongs, which breaks no program that compiles.
struct ClientOptions {
  // Where requests go.
  Setting<std::string> region = {};
  Setting<std::string> endpoint = {};
  Setting<std::string> profile = by_default("default");
  Setting<bool> ignore_configured_endpoint_urls = by_default(false);
  Setting<std::string> dialect = by_default("aws");
  Setting<HostNames> host_names = {};
  Setting<bool> use_accelerate_endpoint = by_default(false);
  Setting<bool> use_dualstack_endpoint = {};
  Setting<bool> use_fips_endpoint = {};
  Setting<bool> force_path_style = by_default(false);
  Setting<bool> s3_use_arn_region = by_default(true);
  Setting<bool> s3_disable_multiregion_access_points = by_default(false);
  Setting<std::string> s3_us_east_1_regional_endpoint = by_default("legacy");
  Setting<std::string> defaults_mode = by_default("legacy");
  Setting<bool> follow_redirects = by_default(true);
  Setting<bool> disable_host_prefix_injection = by_default(false);
  Setting<bool> endpoint_discovery = by_default(false);
  Setting<bool> active_endpoint_cache = by_default(false);
  Setting<std::int64_t> endpoint_cache_max_entries = by_default(1000);
  Setting<std::int64_t> endpoint_cache_max_threads = by_default(10);
  Setting<double> endpoint_cache_poll_interval = by_default(60);

  // Who signs.
  Setting<std::string> access_key_id = {};
  Setting<std::string> secret_access_key = {};
  Setting<std::string> session_token = {};
  Setting<std::string> account_id = {};
  Setting<std::shared_ptr<CredentialsProvider>> credentials = {};
  Setting<MfaTokenCode> mfa_token_code = {};
  Setting<std::shared_ptr<TokenProvider>> token_provider = {};
  Setting<std::vector<std::string>> auth_scheme_preference = {};
  Setting<std::vector<std::string>> sigv4a_signing_region_set = {};
  Setting<bool> disable_s3_express_session_auth = by_default(false);
  Setting<bool> access_grants = by_default(false);
  Setting<AccessGrantsOptions> access_grants_credentials_provider = {};
  Setting<bool> require_https_for_sse_cpk = by_default(true);
  Setting<double> instance_profile_credentials_timeout = by_default(1);
  Setting<std::int64_t> instance_profile_credentials_retries = by_default(0);

  // What is sent and believed.
  Setting<bool> convert_params = by_default(true);
  Setting<bool> validate_params = by_default(true);
  Setting<bool> raise_response_errors = by_default(true);
  Setting<std::string> request_checksum_calculation = by_default("when_supported");
  Setting<std::string> response_checksum_validation = by_default("when_supported");
  Setting<bool> compute_checksums = by_default(true);
  Setting<std::string> payload_signing = by_default("automatic");
  Setting<bool> disable_request_compression = by_default(false);
  Setting<std::int64_t> request_min_compression_size_bytes = by_default(10'240);
  Setting<std::string> sdk_ua_app_id = {};
  Setting<std::string> user_agent_suffix = {};

  // Connections.
  Setting<double> http_open_timeout = by_default(15);
  Setting<double> http_read_timeout = by_default(60);
  Setting<double> http_idle_timeout = by_default(5);
  Setting<double> http_continue_timeout = by_default(1);
  Setting<bool> ssl_verify_peer = by_default(true);
  Setting<std::string> ssl_ca_bundle = {};
  Setting<bool> http_wire_trace = by_default(false);

  // Attempts.
  Setting<std::string> retry_mode = by_default("legacy");
  Setting<std::int64_t> max_attempts = by_default(3);
  Setting<std::int64_t> retry_limit = by_default(3);
  Setting<double> retry_base_delay = by_default(0.3);
  Setting<double> retry_max_delay = by_default(0);
  Setting<std::string> retry_jitter = by_default("none");
  Setting<std::function<double(double delay)>> retry_jitter_function = {};
  Setting<std::function<double(std::int64_t retries)>> retry_backoff = {};
  Setting<bool> adaptive_retry_wait_to_fill = by_default(true);
  Setting<bool> correct_clock_skew = by_default(true);

  // What others hear of it.
  Setting<Logger> logger = {};
  Setting<std::string> log_level = by_default("info");
  Setting<std::string> log_formatter = {};
  Setting<bool> client_side_monitoring = by_default(false);
  Setting<std::string> client_side_monitoring_host = by_default("127.0.0.1");
  Setting<std::int64_t> client_side_monitoring_port = by_default(31'000);
  Setting<std::string> client_side_monitoring_client_id = {};
  Setting<EventPublisher> client_side_monitoring_publisher = {};
  Setting<bool> stub_responses = by_default(false);
};

/// Fills in what was not given, and checks everything.
/// Errors: invalid_argument, ArgumentError: an option that is not allowed, with its name and what
/// is, a region that would be part of a host and cannot be; MissingRegionError: no region, and
/// where it was looked for.
Result<ClientOptions> complete_options(ClientOptions given, const Profiles& profiles,
                                       const Environment& environment);

/// Every option that has a value which it may not have, one text each.
std::vector<std::string> option_faults(const ClientOptions& options);

/// "us-east-1" of "fips-us-east-1" and "us-east-1-fips"; the same where neither is there.
std::string region_without_fips(std::string_view region);

}  // namespace cairn::objectclient
