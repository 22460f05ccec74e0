// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/signer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/strings.h"
#include "format/time.h"
#include "objectclient/credentials/credentials_chain.h"
#include "os/log.h"

namespace cairn::objectclient {
namespace {

constexpr std::int64_t skew_noticed_ms = 300'000;
constexpr std::size_t hosts_max = 1'000;

void tell_clock(const std::string& host, std::int64_t ahead_ms) {
  if (std::abs(ahead_ms) <= skew_noticed_ms)
    return os::log(os::LogLevel::info, "objectclient", "clock_agrees", {{"host", host}});
  os::log(os::LogLevel::warn, "objectclient", "clock_differs",
          {{"host", host},
           {"service_ahead_seconds", ahead_ms / 1'000},
           {"hint", "requests are signed by the service's clock now: set this machine's right"}});
}

Signing signing_of(const AuthScheme& scheme) {
  Signing out{.service = scheme.signing_name, .region = scheme.signing_region};
  if (scheme.name == "sigv4a") {
    out.scheme = Scheme::sigv4a;
    out.region_set = join(scheme.signing_region_set, ",");
  } else if (scheme.name == "sigv4-s3express") {
    out.scheme = Scheme::session;
  }
  return out;
}

/// The endpoint's scheme of that name, or what can be made of another one.
std::optional<Signing> offered(const Endpoint& endpoint, std::string_view name,
                               const ClientOptions& options) {
  for (const AuthScheme& scheme : endpoint.auth_schemes)
    if (scheme.name == name || (name == "sigv4" && scheme.name == "sigv4-s3express"))
      return signing_of(scheme);
  if (name != "sigv4a" || endpoint.auth_schemes.empty()) return std::nullopt;
  // Every service that takes sigv4 for one region takes sigv4a; sessions are for sigv4 alone.
  const AuthScheme& first = endpoint.auth_schemes.front();
  if (first.name != "sigv4") return std::nullopt;
  return Signing{.scheme = Scheme::sigv4a,
                 .service = first.signing_name,
                 .region = first.signing_region,
                 .region_set = options.sigv4a_signing_region_set.given()
                                   ? join(*options.sigv4a_signing_region_set, ",")
                                   : first.signing_region};
}

}  // namespace

Signing choose_signing(const Endpoint& endpoint, const ClientOptions& options, bool has_token) {
  Signing chosen;
  if (!endpoint.auth_schemes.empty()) chosen = signing_of(endpoint.auth_schemes.front());
  for (const std::string& wanted : *options.auth_scheme_preference) {
    if (wanted == "noAuth") return {.scheme = Scheme::none};
    if (wanted == "httpBearerAuth" && has_token) return {.scheme = Scheme::bearer};
    if (wanted != "sigv4" && wanted != "sigv4a") continue;
    if (auto found = offered(endpoint, wanted, options)) {
      chosen = std::move(*found);
      break;
    }
  }
  if (chosen.scheme == Scheme::sigv4a && options.sigv4a_signing_region_set.given())
    chosen.region_set = join(*options.sigv4a_signing_region_set, ",");
  return chosen;
}

Result<s3::Signature> sign_with(const Signing& signing, const Credentials& credentials,
                                const SigningSubject& subject, s3::Dialect dialect,
                                std::int64_t time_ms, net::Headers& headers,
                                s3::SigningKeys& keys) {
  s3::SigningParams params{.credentials = {credentials.access_key_id, credentials.secret_access_key,
                                           credentials.session_token},
                           .region = signing.region,
                           .service = signing.service,
                           .dialect = dialect,
                           .time_ms = time_ms};
  if (signing.scheme == Scheme::session) {
    // The token of a session has a field of its own.
    headers.set(s3::header_name("x-amz-s3session-token", dialect), credentials.session_token);
    params.credentials.session_token.clear();
  }
  if (signing.scheme == Scheme::sigv4a)
    return s3::sign_headers_for_regions(subject.method, subject.path, subject.query, headers,
                                        subject.payload_hash, signing.region_set, params, keys);
  return s3::sign_headers(subject.method, subject.path, subject.query, headers,
                          subject.payload_hash, params, keys);
}

Identity::Identity(const ClientOptions& options, bool explicit_profile, Profiles profiles,
                   Environment environment)
    : options_(options),
      explicit_profile_(explicit_profile),
      profiles_(std::move(profiles)),
      environment_(std::move(environment)),
      tokens_(*options.token_provider) {
  if (tokens_ == nullptr) tokens_ = profile_token(*options.profile, profiles_, environment_);
}

Result<std::shared_ptr<CredentialsProvider>> Identity::provider() {
  MutexLock lock(mutex_);
  if (provider_ != nullptr) return provider_;
  if (*options_.credentials != nullptr) return provider_ = *options_.credentials;
  ChainOptions chain{
      .given = {.access_key_id = *options_.access_key_id,
                .secret_access_key = *options_.secret_access_key,
                .session_token = *options_.session_token,
                .account_id = *options_.account_id},
      .region = *options_.region,
      .instance = {.timeout_ms = std::llround(*options_.instance_profile_credentials_timeout * 1e3),
                   .retries = *options_.instance_profile_credentials_retries},
      .mfa_token_code = *options_.mfa_token_code};
  if (explicit_profile_) chain.profile = *options_.profile;
  CAIRN_TRY(provider_, credentials_chain(chain, profiles_, environment_));
  return provider_;
}

Result<std::shared_ptr<const Credentials>> Identity::credentials(const os::Deadline& deadline) {
  CAIRN_TRY(const auto found, provider());
  auto credentials = found->get(deadline);
  if (credentials.ok() && (*credentials)->complete()) return credentials;
  Error fault = credentials.ok() ? Error{ErrorKind::unauthenticated, {}, "they are incomplete"}
                                 : std::move(credentials).error();
  if (fault.kind == ErrorKind::cancelled) return fault;
  fault.kind = ErrorKind::unauthenticated;
  fault.code = "MissingCredentialsError";
  return with_context(
      std::move(fault),
      "no credentials could be had (options, global options, environment, web identity, profile " +
          *options_.profile + ", container, instance)");
}

bool Identity::refreshable() {
  const auto found = provider();
  return found.ok() && (*found)->refreshable();
}

bool Identity::expire() {
  const auto found = provider();
  if (!found.ok() || !(*found)->refreshable()) return false;
  (*found)->expire();
  return true;
}

std::int64_t ClockSkew::ahead_ms(const std::string& host) const {
  MutexLock lock(mutex_);
  const auto found = ahead_ms_.find(host);
  return found == ahead_ms_.end() ? 0 : found->second;
}

bool ClockSkew::learn(const std::string& host, const net::Headers& headers, std::int64_t now_ms,
                      std::int64_t signed_ahead_ms) {
  const auto date = headers.find("Date");
  const auto there_ms = date ? parse_http_date(*date) : std::nullopt;
  // By what was signed, not by this clock: it may have been set right since it was found wrong.
  if (!there_ms || std::abs(*there_ms - now_ms - signed_ahead_ms) <= skew_noticed_ms) return false;
  const std::int64_t ahead_ms = *there_ms - now_ms;
  bool is_news = false;  // to others who learn it at the same time it is none
  {
    MutexLock lock(mutex_);
    if (ahead_ms_.size() >= hosts_max) ahead_ms_.clear();
    std::int64_t& known_ms = ahead_ms_[host];
    is_news = std::abs(ahead_ms - known_ms) > skew_noticed_ms;
    known_ms = ahead_ms;
  }
  if (is_news) tell_clock(host, ahead_ms);
  return true;
}

bool is_clock_fault(std::string_view code) {
  constexpr std::string_view codes[] = {
      "RequestTimeTooSkewed",  "RequestExpired", "InvalidSignatureException",
      "SignatureDoesNotMatch", "AuthFailure",    "RequestInTheFuture"};
  return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
}

}  // namespace cairn::objectclient
