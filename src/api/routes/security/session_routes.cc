// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/session_routes.h"

#include <optional>
#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/html.h"
#include "gate/identify.h"
#include "gate/identify_session.h"
#include "net/client/client.h"

namespace cairn::api {
namespace {

constexpr std::int64_t link_lifetime_ms = 600'000;
constexpr std::string_view console_page = "/_console/";
constexpr std::string_view issuer_path = "/_cairn/sessions/_oidc";
constexpr std::string_view callback_path = "/_cairn/sessions/_oidc/callback";

using Services = ServiceRef<const SessionServices>;

/// Who signs in, and what the session keeps of it.
struct SigningIn {
  std::shared_ptr<const auth::Key> key = {};
  std::string secret_sha256 = {};
  std::optional<auth::IssuedUser> user = {};
};

bool is_secure(const Call& call, const SessionServices& services) {
  return call.head().tls || services.public_url.starts_with("https:");
}

gate::Cookie session_cookie_of(const Call& call, const SessionServices& services) {
  return {.plain_name = gate::session_cookie, .secure = is_secure(call, services)};
}

/// Strict cookies would not come along when the issuer sends the browser back.
gate::Cookie sign_in_cookie_of(const Call& call, const SessionServices& services) {
  return {.plain_name = gate::sign_in_cookie, .secure = is_secure(call, services), .strict = false};
}

/// "https://host:port/prefix". Errors: invalid_argument for a Host that is none.
Result<std::string> server_url(const Call& call, const SessionServices& services) {
  if (!services.public_url.empty()) {
    std::string url = services.public_url;
    if (url.ends_with('/')) url.pop_back();
    return url + services.base_path;
  }
  const auto host = call.head().headers.find("host");
  const std::string scheme = call.head().tls ? "https://" : "http://";
  const auto url = net::parse_url(scheme + std::string(host.value_or("")));
  if (!url.ok() || url->target != "/")
    return illegal_argument("the request names no host, as in [Host: search.example.org:9200]");
  return scheme + url->authority() + services.base_path;
}

Reply unstored(Reply reply) {
  reply.headers.set("Cache-Control", "no-store");
  return reply;
}

Reply redirect(std::string_view location) {
  Reply reply = Reply::empty(302);
  reply.headers.set("Location", location);
  return unstored(std::move(reply));
}

Json session_json(const auth::Session& session, std::string_view token,
                  const SessionServices& services) {
  return Json::object({{"id", session.id},
                       {"csrf_token", auth::csrf_token_of(token)},
                       {"expires_at_ms", session.expires_ms},
                       {"idle_ms", services.sessions.options().idle_ms},
                       {"key", Json::object({{"id", session.key_id}, {"name", session.key_name}})},
                       {"username", session.username}});
}

// --- beginning

Result<SigningIn> by_api_key(const SessionServices& services, const std::string& encoded) {
  const auto parts = auth::decode_key(trim(encoded));
  if (!parts)
    return gate::unable_to_authenticate("API key: the credentials are not base64 of id:api_key");
  auto key = services.keys.verify(parts->id, parts->secret);
  if (!key.ok()) return gate::unable_to_authenticate(key.error().message);
  return SigningIn{.key = std::move(*key), .secret_sha256 = sha256(parts->secret)};
}

Result<SigningIn> by_code(const SessionServices& services, const std::string& code) {
  auto taken = services.codes.take(code);
  auto key = taken ? services.keys.get(taken->key_id) : nullptr;
  if (key == nullptr || !services.keys.takes_secret(*key, taken->secret_sha256))
    return gate::unable_to_authenticate(
        "sign-in link: it was used, is too old, or the server was started again since; "
        "[cairn console] prints another one");
  if (const Status usable = services.keys.check_usable(*key); !usable.ok())
    return gate::unable_to_authenticate(usable.error().message);
  return SigningIn{.key = std::move(key), .secret_sha256 = std::move(taken->secret_sha256)};
}

Result<SigningIn> signing_in(Call& call, const SessionServices& services) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "session_request");
  CAIRN_TRY(const auto api_key, fields.string("api_key"));
  CAIRN_TRY(const auto code, fields.string("code"));
  CAIRN_CHECK(fields.finish());
  if (api_key.has_value() == code.has_value())
    return illegal_argument("a session begins with one of [api_key] and [code]");
  return api_key ? by_api_key(services, *api_key) : by_code(services, *code);
}

/// Counts the request, and begins the session.
Result<auth::OpenedSession> begin_session(Call& call, const SessionServices& services,
                                          Result<SigningIn> who) {
  if (!who.ok()) {
    CAIRN_CHECK(call.sign_in(who.error()));
    return std::move(who).error();
  }
  CAIRN_CHECK(call.sign_in(who->key));
  return services.sessions.begin(
      {.key = std::move(who->key),
       .secret_sha256 = std::move(who->secret_sha256),
       .user = std::move(who->user),
       .address = call.head().peer_address,
       .browser = std::string(call.head().headers.find("user-agent").value_or(""))},
      call.deadline());
}

Result<Reply> begin(Call& call, const SessionServices& services) {
  CAIRN_CHECK(gate::check_same_origin(call.head().headers));
  CAIRN_TRY(const auto opened, begin_session(call, services, signing_in(call, services)));
  Reply reply = Reply::json(session_json(*opened.session, opened.token, services), 201);
  reply.headers.add("Set-Cookie", session_cookie_of(call, services).set(opened.token));
  return unstored(std::move(reply));
}

// --- the session of a request

Result<std::shared_ptr<const auth::Session>> own_session(const Call& call) {
  if (const auto& session = call.caller().session()) return session;
  return Error{ErrorKind::unauthenticated, "security_exception",
               "the request came with credentials of its own, not with a session; "
               "POST /_cairn/sessions begins one"};
}

Result<Reply> current(Call& call, const SessionServices& services) {
  CAIRN_TRY(const auto session, own_session(call));
  const auto token = session_cookie_of(call, services).in(call.head().headers).value;
  return unstored(Reply::json(session_json(*session, token, services)));
}

Result<Reply> end_current(Call& call, const SessionServices& services) {
  CAIRN_TRY(const auto session, own_session(call));
  CAIRN_CHECK(services.sessions.end(*session, call.deadline()));
  Reply reply = Reply::json(Json::object({{"acknowledged", true}}));
  reply.headers.add("Set-Cookie", session_cookie_of(call, services).clear());
  return unstored(std::move(reply));
}

// --- all sessions

bool sees_all_sessions(const Call& call) { return call.caller().may_cluster("manage_security"); }

Result<Reply> list(Call& call, const SessionServices& services) {
  const std::string_view whose =
      sees_all_sessions(call) ? std::string_view() : std::string_view(call.caller().key().id);
  Json all = Json::array();
  for (const auto& session : services.sessions.list(whose)) {
    Json one =
        Json::object({{"id", session->id},
                      {"key", Json::object({{"id", session->key_id}, {"name", session->key_name}})},
                      {"username", session->username},
                      {"created_at_ms", session->created_ms},
                      {"used_at_ms", session->used_ms.load()},
                      {"expires_at_ms", session->expires_ms},
                      {"address", session->address},
                      {"browser", session->browser},
                      {"current", session == call.caller().session()}});
    all.push(std::move(one));
  }
  return unstored(Reply::json(Json::object({{"sessions", std::move(all)}})));
}

Result<Reply> end(Call& call, const SessionServices& services) {
  const auto session = services.sessions.find(call.path("session_id"));
  const bool may =
      session != nullptr && (session->key_id == call.caller().key().id || sees_all_sessions(call));
  bool ended = false;
  if (may) {
    CAIRN_TRY(ended, services.sessions.end(*session, call.deadline()));
  }
  if (!ended)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "no session of yours has the id [" + call.path("session_id") + "]"};
  return Reply::json(Json::object({{"acknowledged", true}}));
}

// --- links

Result<Reply> make_link(Call& call, const SessionServices& services) {
  if (call.caller().session() != nullptr)
    return Error{ErrorKind::permission_denied, "security_exception",
                 "a session makes no links, which would outlast it; use the API key itself"};
  if (call.caller().key().signed_in)
    return illegal_argument("a token of an issuer makes no links; sign in at the issuer");
  CAIRN_TRY(const std::string server, server_url(call, services));
  const auto made = services.codes.make(call.caller().key(), link_lifetime_ms);
  return unstored(Reply::json(Json::object({{"url", sign_in_link(server, made.code)},
                                            {"code", made.code},
                                            {"expires_at_ms", made.expires_ms}})));
}

// --- at an issuer

Error no_issuer() {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "nobody signs in at an issuer here: oidc.authorization_endpoint is not set"};
}

Result<Reply> providers(const SessionServices& services) {
  Json all = Json::array({Json::object({{"type", "api_key"}})});
  const auth::CodeFlowOptions& issuer = services.flow.options();
  if (issuer.enabled())
    all.push(Json::object({{"type", "oidc"},
                           {"name", issuer.name},
                           {"start", services.base_path + std::string(issuer_path)}}));
  return unstored(Reply::json(Json::object({{"providers", std::move(all)}})));
}

Result<Reply> begin_at_issuer(Call& call, const SessionServices& services) {
  if (!services.flow.options().enabled()) return no_issuer();
  CAIRN_TRY(const std::string server, server_url(call, services));
  const auto begun = services.flow.begin(server + std::string(callback_path));
  Reply reply = redirect(begun.location);
  reply.headers.add(
      "Set-Cookie",
      sign_in_cookie_of(call, services).set(begun.browser, auth::CodeFlow::lifetime_ms / 1000));
  return reply;
}

Result<SigningIn> signing_in_at_issuer(Call& call, const SessionServices& services) {
  const auto cookie = sign_in_cookie_of(call, services).in(call.head().headers);
  auto verified =
      services.flow.finish({.code = call.query("code"),
                            .state = call.query("state"),
                            .error = call.query("error"),
                            .issuer = call.query("iss")},
                           cookie.count == 1 ? cookie.value : std::string_view(), call.deadline());
  if (verified.ok())
    return SigningIn{.key = std::move(verified->key), .user = std::move(verified->user)};
  if (verified.error().kind != ErrorKind::unauthenticated) return std::move(verified).error();
  return gate::unable_to_authenticate(verified.error().message);
}

Result<Reply> end_at_issuer(Call& call, const SessionServices& services) {
  if (!services.flow.options().enabled()) return no_issuer();
  CAIRN_TRY(const auto opened, begin_session(call, services, signing_in_at_issuer(call, services)));
  Reply reply = redirect(services.base_path + std::string(console_page));
  reply.headers.add("Set-Cookie", session_cookie_of(call, services).set(opened.token));
  reply.headers.add("Set-Cookie", sign_in_cookie_of(call, services).clear());
  return reply;
}

/// People see these, not programs.
gate::ErrorWording page_wording(const std::string& base_path) {
  return [console = base_path + std::string(console_page)](
             const Error& error, int, std::string_view request_id, net::Headers& headers) {
    headers.set("Content-Type", "text/html; charset=utf-8");
    headers.set("Content-Security-Policy", html_page_policy);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Cache-Control", "no-store");
    headers.remove("WWW-Authenticate");  // a box for a password would help nobody
    std::string why = error.message;
    for (const auto& [name, text] : error.details)
      if (name == "additional_unsuccessful_credentials") why = text;
    return html_page("You are not signed in",
                     {why, "The log has it under the request id " + std::string(request_id) + "."},
                     {{console, "Back to the console"}});
  };
}

void add_begin_rows(Router& router, Services services) {
  router.add({.method = "POST",
              .path = "/_cairn/sessions",
              .operation = "sessions.begin",
              .open = true,
              .signs_in = true,
              .summary = "Signs a browser in with an API key, or with the code of a link.",
              .body_required = true,
              .body_bytes_max = 16 << 10},
             [services](Call& call) { return begin(call, *services); });
  router.add({.method = "POST",
              .path = "/_cairn/sessions/_link",
              .operation = "sessions.make_link",
              .summary = "A link that signs a browser in once, within ten minutes."},
             [services](Call& call) { return make_link(call, *services); });
  router.add({.method = "GET",
              .path = "/_cairn/sessions/_providers",
              .operation = "sessions.providers",
              .open = true,
              .resource = "",
              .summary = "In which ways one can sign in."},
             [services](Call&) { return providers(*services); });
}

void add_issuer_rows(Router& router, Services services, const std::string& base_path) {
  router.add({.method = "GET",
              .path = std::string(issuer_path),
              .operation = "sessions.begin_at_issuer",
              .open = true,
              .summary = "Sends a browser to the pages of the issuer.",
              .error_wording = page_wording(base_path)},
             [services](Call& call) { return begin_at_issuer(call, *services); });
  router.add({.method = "GET",
              .path = std::string(callback_path),
              .operation = "sessions.end_at_issuer",
              .open = true,
              .signs_in = true,
              .query = {{"code", "string", "Of the issuer, once."},
                        {"state", "string", "That the browser was sent off with."},
                        {"error", "string", "Why the issuer has no code."},
                        {"iss", "string", "Whose answer it is."},
                        {"*", "string", "Others that the issuer adds; they are not read."}},
              .summary = "Where the issuer sends the browser back; begins the session.",
              .waits = true,
              .error_wording = page_wording(base_path)},
             [services](Call& call) { return end_at_issuer(call, *services); });
}

}  // namespace

std::string sign_in_link(std::string_view server, std::string_view code) {
  // Behind "#", so that it is in nobody's log.
  return std::string(server) + std::string(console_page) + "#/sign-in?code=" + std::string(code);
}

void add_session_routes(Router& router, Services services, const std::string& base_path) {
  add_begin_rows(router, services);
  add_issuer_rows(router, services, base_path);
  router.add({.method = "GET",
              .path = "/_cairn/sessions/_current",
              .operation = "sessions.get_current",
              .summary = "The session of the request's cookie, with the token that changes need."},
             [services](Call& call) { return current(call, *services); });
  router.add({.method = "DELETE",
              .path = "/_cairn/sessions/_current",
              .operation = "sessions.end_current",
              .summary = "Signs out."},
             [services](Call& call) { return end_current(call, *services); });
  router.add({.method = "GET",
              .path = "/_cairn/sessions",
              .operation = "sessions.list",
              .summary = "Who is signed in: the caller's sessions, or all with manage_security."},
             [services](Call& call) { return list(call, *services); });
  router.add({.method = "DELETE",
              .path = "/_cairn/sessions/{session_id}",
              .operation = "sessions.end",
              .summary = "Ends a session of the caller's, or any with manage_security."},
             [services](Call& call) { return end(call, *services); });
}

}  // namespace cairn::api
