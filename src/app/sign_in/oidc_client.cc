// SPDX-License-Identifier: Apache-2.0
#include "app/sign_in/oidc_client.h"

#include <memory>
#include <utility>

#include "app/settings/sign_in_settings.h"
#include "base/encode.h"
#include "base/strings.h"
#include "format/json.h"
#include "net/client/client.h"
#include "net/client/outbound.h"
#include "os/files/secret_file.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::app {
namespace {

constexpr std::int64_t token_wait_ms = 15'000;
constexpr std::size_t token_answer_bytes_max = 256 << 10;

struct TokenEndpoint {
  net::Url url;
  std::string client_id;
  std::string secret_file;
  net::OutboundRules rules;
  std::unique_ptr<net::Client> client;
};

Error issuer_away(std::string why) {
  return {ErrorKind::unavailable, {}, "the issuer's token endpoint " + std::move(why)};
}

/// RFC 6749 section 2.3.1: both parts encoded as in forms before they are joined.
Result<std::string> basic_of(const TokenEndpoint& endpoint) {
  CAIRN_TRY(const auto secret, os::read_secret_file(endpoint.secret_file));
  if (!secret || trim(*secret).empty())
    return Error{ErrorKind::unavailable,
                 {},
                 "oidc.client_secret_file: " + endpoint.secret_file + " holds no secret"};
  return "Basic " +
         to_base64(percent_encode(endpoint.client_id) + ":" + percent_encode(trim(*secret)));
}

std::string form_of(const TokenEndpoint& endpoint, const auth::TokenRequest& asked) {
  std::string out = "grant_type=authorization_code&code=" + percent_encode(asked.code) +
                    "&redirect_uri=" + percent_encode(asked.redirect_uri) +
                    "&code_verifier=" + percent_encode(asked.code_verifier);
  if (endpoint.secret_file.empty()) out += "&client_id=" + percent_encode(endpoint.client_id);
  return out;
}

Result<std::string> ask_token(TokenEndpoint& endpoint, const auth::TokenRequest& asked,
                              const os::Deadline& deadline) {
  const std::string form = form_of(endpoint, asked);
  net::ClientRequest request{.method = "POST", .url = endpoint.url, .body = form};
  request.headers.set("Content-Type", "application/x-www-form-urlencoded");
  request.headers.set("Accept", "application/json");
  if (!endpoint.secret_file.empty()) {
    CAIRN_TRY(const std::string basic, basic_of(endpoint));
    request.headers.set("Authorization", basic);
  }
  const os::Blocking blocking;
  const auto reply =
      endpoint.client->send(request, deadline.sooner_ms(token_wait_ms), token_answer_bytes_max);
  if (!reply.ok()) return issuer_away("did not answer: " + reply.error().message);
  const auto body = parse_json(reply->body);
  const bool is_object = body.ok() && body->is_object();
  if (reply->status == 200 && is_object && !body->string_or("id_token").empty())
    return body->string_or("id_token");
  // What it says is for whoever runs this server.
  os::log(os::LogLevel::warn, "app", "an issuer gave no token",
          {{"status", reply->status}, {"error", is_object ? body->string_or("error") : ""}});
  if (reply->status == 200)
    return issuer_away("answered without an id_token; is openid in oidc.scope?");
  if (reply->status >= 400 && reply->status < 500)
    return Error{ErrorKind::unauthenticated, "security_exception",
                 "sign-in: the issuer does not take the code"};
  return issuer_away("answered " + std::to_string(reply->status));
}

}  // namespace

auth::AskForToken token_asker(const Settings& settings) {
  if (!settings.oidc_flow.enabled()) return {};
  const auto endpoint = std::make_shared<TokenEndpoint>();
  endpoint->url = net::parse_url(settings.oidc_flow.token_endpoint).value();  // was checked
  endpoint->client_id = code_flow_of(settings).client_id;
  endpoint->secret_file = settings.oidc_client_secret_file;
  endpoint->rules = net::OutboundRules::parse({}, "oidc.token_endpoint").value();
  endpoint->rules.allow_host(endpoint->url.host, endpoint->url.port);
  endpoint->client = std::make_unique<net::Client>(
      net::ClientOptions{.tls_ca_file = settings.oidc_ca_file,
                         .check_address = [rules = endpoint->rules](std::string_view host,
                                                                    const net::Address& address) {
                           return rules.check(host, address);
                         }});
  return [endpoint](const auth::TokenRequest& asked, const os::Deadline& deadline) {
    return ask_token(*endpoint, asked, deadline);
  };
}

}  // namespace cairn::app
