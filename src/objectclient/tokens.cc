// SPDX-License-Identifier: Apache-2.0
// Tokens of single sign-on, from their cache file and from the service that renews them.
#include "objectclient/tokens.h"

#include <mutex>
#include <utility>

#include "format/json.h"
#include "format/time.h"
#include "objectclient/credentials/token_service.h"
#include "objectclient/endpoint/service_url.h"

namespace cairn::objectclient {
namespace {

constexpr std::int64_t renew_token_early_ms = 300'000;
constexpr std::int64_t try_token_again_ms = 30'000;

class FixedToken final : public TokenProvider {
 public:
  explicit FixedToken(std::string text) : token_{.text = std::move(text)} {}
  Result<Token> get(const os::Deadline&) override { return token_; }

 private:
  const Token token_;
};

/// What the file of a sign-in holds.
struct SignIn {
  std::string access_token;
  std::optional<std::int64_t> expires_ms;
  std::string refresh_token;
  std::string client_id;
  std::string client_secret;
};

class SessionToken final : public TokenProvider {
 public:
  SessionToken(std::string session, std::string region, Environment environment)
      : session_(std::move(session)),
        region_(std::move(region)),
        environment_(std::move(environment)) {}

  Result<Token> get(const os::Deadline& deadline) override {
    const std::lock_guard lock(mutex_);
    if (left_ms(renewed_) > renew_token_early_ms) return renewed_;
    CAIRN_TRY(const SignIn found, read());
    Token token{.text = found.access_token, .expiration_ms = found.expires_ms};
    if (left_ms(token) > renew_token_early_ms) return token;
    const std::int64_t now_ms = environment_.clock->unix_ms();
    if (!found.refresh_token.empty() && now_ms >= not_before_ms_) {
      not_before_ms_ = now_ms + try_token_again_ms;
      auto fresh = renew(found, deadline);
      if (fresh.ok()) return renewed_ = std::move(*fresh);
    }
    if (left_ms(token) > 0) return token;
    if (left_ms(renewed_) > 0) return renewed_;
    return sign_in();
  }

 private:
  std::int64_t left_ms(const Token& token) const {
    return token.text.empty() || !token.expiration_ms
               ? 0
               : *token.expiration_ms - environment_.clock->unix_ms();
  }

  std::string file() const {
    return sso_cache_file(session_, environment_.variable_or("HOME", ""));
  }

  Error sign_in() const {
    return {ErrorKind::unauthenticated, "InvalidTokenError",
            "there is no valid single sign-on token in " + file() +
                "; sign in again (aws sso login --sso-session " + session_ + ")"};
  }

  Result<SignIn> read() const {
    CAIRN_TRY(const auto text, environment_.read_file(file()));
    if (!text) return sign_in();
    const auto json = parse_json(*text);
    if (!json.ok()) return sign_in();
    return SignIn{.access_token = json->string_or("accessToken"),
                  .expires_ms = parse_iso8601(json->string_or("expiresAt")),
                  .refresh_token = json->string_or("refreshToken"),
                  .client_id = json->string_or("clientId"),
                  .client_secret = json->string_or("clientSecret")};
  }

  Result<Token> renew(const SignIn& found, const os::Deadline& deadline) const {
    std::string service = environment_.variable_or("AWS_ENDPOINT_URL_SSO_OIDC", "");
    if (service.empty()) {
      CAIRN_TRY(service, service_url("oidc", region_));
    }
    const std::string body = Json::object({{"grantType", "refresh_token"},
                                           {"clientId", found.client_id},
                                           {"clientSecret", found.client_secret},
                                           {"refreshToken", found.refresh_token}})
                                 .dump();
    net::ClientRequest request{.method = "POST", .body = body};
    CAIRN_TRY(request.url, net::parse_url(service + "/token"));
    request.headers.add("Content-Type", "application/json");
    CAIRN_TRY(const auto reply, environment_.send(request, deadline));
    const auto json = parse_json(reply.body);
    if (reply.status != 200 || !json.ok() || json->string_or("accessToken").empty())
      return sign_in();
    return Token{
        .text = json->string_or("accessToken"),
        .expiration_ms = environment_.clock->unix_ms() + json->int_or("expiresIn") * 1'000};
  }

  const std::string session_;
  const std::string region_;
  const Environment environment_;
  std::mutex mutex_;  // one renewal at a time
  Token renewed_;
  std::int64_t not_before_ms_ = 0;
};

}  // namespace

std::shared_ptr<TokenProvider> static_token(std::string text) {
  return std::make_shared<FixedToken>(std::move(text));
}

std::shared_ptr<TokenProvider> profile_token(const std::string& profile, const Profiles& profiles,
                                             const Environment& environment) {
  const auto session = profiles.value(profile, "sso_session");
  if (!session) return nullptr;
  const auto region = profiles.sso_value(*session, "sso_region");
  if (!region) return nullptr;
  return std::make_shared<SessionToken>(*session, *region, environment);
}

}  // namespace cairn::objectclient
