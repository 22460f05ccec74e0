// SPDX-License-Identifier: Apache-2.0
#include "app/settings/sign_in_settings.h"

#include <string>
#include <string_view>
#include <utility>

#include "net/client/client.h"

namespace cairn::app {
namespace {

Error wrong_setting(std::string what) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(what)};
}

bool is_this_machine(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

/// Codes and tokens go there: nobody on the way may read them.
Status check_endpoint(std::string_view setting, const std::string& text) {
  if (text.empty()) return ok_status();
  const auto url = net::parse_url(text);
  if (url.ok() && text.find('#') == std::string::npos &&
      (url->scheme == "https" || is_this_machine(url->host)))
    return ok_status();
  return wrong_setting(std::string(setting) +
                       " must be an https:// URL, or http:// on this machine; it is [" + text +
                       "]");
}

}  // namespace

Status check_sign_in_settings(const Settings& settings) {
  CAIRN_CHECK(settings.oidc.validate());
  if (!settings.oidc.issuer.empty() &&
      (settings.oidc_keys_file.empty() || settings.oidc_roles_file.empty()))
    return wrong_setting(
        "oidc.issuer needs oidc.keys_file, with its public keys, and "
        "oidc.roles_file, with the roles of its groups");
  CAIRN_CHECK(settings.oidc_flow.validate());
  CAIRN_CHECK(
      check_endpoint("oidc.authorization_endpoint", settings.oidc_flow.authorization_endpoint));
  CAIRN_CHECK(check_endpoint("oidc.token_endpoint", settings.oidc_flow.token_endpoint));
  if (settings.oidc_flow.enabled() && settings.oidc.issuer.empty())
    return wrong_setting("oidc.authorization_endpoint needs oidc.issuer, whose tokens are taken");
  CAIRN_CHECK(settings.sessions.validate());
  if (!settings.console_public_url.empty() && !net::parse_url(settings.console_public_url).ok())
    return wrong_setting("console.public_url must be a URL, as https://search.example.org");
  return ok_status();
}

auth::CodeFlowOptions code_flow_of(const Settings& settings) {
  auth::CodeFlowOptions out = settings.oidc_flow;
  if (out.client_id.empty()) out.client_id = settings.oidc.audience;
  if (out.name.empty()) out.name = settings.oidc.issuer;
  return out;
}

}  // namespace cairn::app
