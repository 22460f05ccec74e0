// SPDX-License-Identifier: Apache-2.0
// The query protocol of the token service, and the portal of single sign-on.
#include "objectclient/credentials/token_service.h"

#include <utility>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/json.h"
#include "format/time.h"
#include "format/xml.h"
#include "objectclient/endpoint/service_url.h"
#include "objectclient/faults.h"
#include "s3/signing/signing.h"

namespace cairn::objectclient {
namespace {

using Form = std::vector<std::pair<std::string, std::string>>;

std::string encoded(const Form& form) {
  std::string out;
  for (const auto& [name, value] : form) {
    if (value.empty()) continue;
    if (!out.empty()) out += '&';
    out += percent_encode(name) + "=" + percent_encode(value);
  }
  return out;
}

Form role_form(std::string_view action, const AssumeRole& params, const Environment& environment) {
  std::string session = params.role_session_name;
  if (session.empty()) session = "cairn-" + std::to_string(environment.clock->unix_ms());
  return {{"Action", std::string(action)},
          {"Version", "2011-06-15"},
          {"RoleArn", params.role_arn},
          {"RoleSessionName", session},
          {"DurationSeconds", std::to_string(params.duration_seconds)},
          {"ExternalId", params.external_id},
          {"SerialNumber", params.mfa_serial},
          {"TokenCode", params.mfa_token_code}};
}

/// <…Response><…Result><Credentials>…
Result<Credentials> credentials_of_xml(const net::ClientReply& reply) {
  const auto root = parse_xml(reply.body);
  if (reply.status != 200) {
    const XmlElement* const error = root.ok() ? root->child("Error") : nullptr;
    const std::string told = error == nullptr ? std::string()
                                              : std::string(error->text_of("Code")) + ": " +
                                                    std::string(error->text_of("Message"));
    return unavailable("the token service answered " + std::to_string(reply.status) +
                       (told.empty() ? "" : ": " + told));
  }
  if (!root.ok() || root->children.empty())
    return unavailable("the token service gave an answer that cannot be read");
  const XmlElement* const found = root->children.front().child("Credentials");
  if (found == nullptr) return unavailable("the token service gave no credentials");
  Credentials out{.access_key_id = std::string(found->text_of("AccessKeyId")),
                  .secret_access_key = std::string(found->text_of("SecretAccessKey")),
                  .session_token = std::string(found->text_of("SessionToken")),
                  .expiration_ms = parse_iso8601(found->text_of("Expiration"))};
  if (!out.complete()) return unavailable("the token service gave no credentials");
  return out;
}

Result<net::ClientReply> post_form(const std::string& url, const std::string& body,
                                   const Credentials* signer, std::string_view region,
                                   const Environment& environment, const os::Deadline& deadline) {
  net::ClientRequest request{.method = "POST", .body = body};
  CAIRN_TRY(request.url, net::parse_url(url));
  request.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  if (signer != nullptr) {
    // The client adds Host itself; for the signature it must be known now.
    net::Headers headers = request.headers;
    headers.add("Host", request.url.authority());
    s3::SigningKeys keys;
    s3::sign_headers(
        "POST", request.url.target, "", headers, to_hex(sha256(body)),
        {.credentials = {signer->access_key_id, signer->secret_access_key, signer->session_token},
         .region = std::string(region),
         .service = "sts",
         .time_ms = environment.clock->unix_ms()},
        keys);
    headers.remove("Host");
    request.headers = std::move(headers);
  }
  return environment.send(request, deadline);
}

}  // namespace

Result<std::string> token_service_url(std::string_view region, const Environment& environment) {
  if (const auto own = environment.first_variable({"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"}))
    return *own;
  CAIRN_TRY(const std::string service, service_url("sts", region));
  return service + "/";
}

Result<Credentials> assume_role(const AssumeRole& params, const Credentials& source,
                                const Environment& environment, const os::Deadline& deadline) {
  const std::string body = encoded(role_form("AssumeRole", params, environment));
  CAIRN_TRY(const std::string url, token_service_url(params.region, environment));
  CAIRN_TRY(const auto reply, post_form(url, body, &source, params.region, environment, deadline));
  return credentials_of_xml(reply);
}

Result<Credentials> assume_role_with_web_identity(const AssumeRole& params,
                                                  const std::string& token_file,
                                                  const Environment& environment,
                                                  const os::Deadline& deadline) {
  CAIRN_TRY(const auto token, environment.read_file(token_file));
  if (!token) return unavailable("the web identity token file " + token_file + " does not exist");
  Form form = role_form("AssumeRoleWithWebIdentity", params, environment);
  form.emplace_back("WebIdentityToken", std::string(trim(*token)));
  CAIRN_TRY(const std::string url, token_service_url(params.region, environment));
  CAIRN_TRY(const auto reply,
            post_form(url, encoded(form), nullptr, params.region, environment, deadline));
  return credentials_of_xml(reply);
}

Result<std::string> caller_account(const Credentials& credentials, std::string_view region,
                                   const Environment& environment, const os::Deadline& deadline) {
  const std::string body = encoded({{"Action", "GetCallerIdentity"}, {"Version", "2011-06-15"}});
  CAIRN_TRY(const std::string url, token_service_url(region, environment));
  CAIRN_TRY(const auto reply, post_form(url, body, &credentials, region, environment, deadline));
  const auto root = parse_xml(reply.body);
  const XmlElement* const result =
      root.ok() && reply.status == 200 ? root->child("GetCallerIdentityResult") : nullptr;
  if (result == nullptr || result->text_of("Account").empty())
    return unavailable("the token service answered " + std::to_string(reply.status) +
                       " when it was asked for the account");
  return std::string(result->text_of("Account"));
}

std::string sso_cache_file(std::string_view cache_name, std::string_view home) {
  return std::string(home) + "/.aws/sso/cache/" + to_hex(sha1(cache_name)) + ".json";
}

Result<Credentials> single_sign_on(const SingleSignOn& params, const Environment& environment,
                                   const os::Deadline& deadline) {
  const std::string file = sso_cache_file(params.cache_name, environment.variable_or("HOME", ""));
  const Error sign_in{
      ErrorKind::unauthenticated,
      {},
      "there is no valid single sign-on token in " + file + "; sign in again (aws sso login)"};
  CAIRN_TRY(const auto text, environment.read_file(file));
  if (!text) return sign_in;
  const auto cached = parse_json(*text);
  if (!cached.ok()) return sign_in;
  const std::string token = cached->string_or("accessToken");
  const auto expires = parse_iso8601(cached->string_or("expiresAt"));
  if (token.empty() || !expires || *expires <= environment.clock->unix_ms()) return sign_in;
  std::string portal = environment.variable_or("AWS_ENDPOINT_URL_SSO", "");
  if (portal.empty()) {
    CAIRN_TRY(portal, service_url("portal.sso", params.region));
  }
  net::ClientRequest request;
  CAIRN_TRY(request.url, net::parse_url(portal + "/federation/credentials?role_name=" +
                                        percent_encode(params.role_name) +
                                        "&account_id=" + percent_encode(params.account_id)));
  request.headers.add("x-amz-sso_bearer_token", token);
  CAIRN_TRY(const auto reply, environment.send(request, deadline));
  if (reply.status == 401) return sign_in;
  const auto json = parse_json(reply.body);
  const Json* const role = json.ok() ? json->find("roleCredentials") : nullptr;
  if (reply.status != 200 || role == nullptr)
    return unavailable("single sign-on answered " + std::to_string(reply.status));
  Credentials out{.access_key_id = role->string_or("accessKeyId"),
                  .secret_access_key = role->string_or("secretAccessKey"),
                  .session_token = role->string_or("sessionToken"),
                  .account_id = params.account_id};
  if (const Json* const expiration = role->find("expiration");
      expiration != nullptr && expiration->is_integer())
    out.expiration_ms = expiration->as_int();
  if (!out.complete()) return unavailable("single sign-on gave no credentials");
  return out;
}

}  // namespace cairn::objectclient
