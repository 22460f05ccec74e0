// SPDX-License-Identifier: Apache-2.0
#include "gate/identify_session.h"

#include <string>
#include <utility>

#include "auth/sessions/session.h"
#include "base/strings.h"
#include "gate/identify.h"

namespace cairn::gate {
namespace {

Error forbidden(std::string why) {
  return {ErrorKind::permission_denied, "security_exception", std::move(why)};
}

}  // namespace

Status check_same_origin(const net::Headers& headers) {
  const auto site = headers.find("sec-fetch-site");
  if (!site || *site == "same-origin" || *site == "none") return ok_status();
  return forbidden(
      "a session is for pages of this server alone; this request comes from another "
      "origin (Sec-Fetch-Site). Programs use an API key");
}

Result<Caller> identify_session(const net::RequestHead& head, const Cookie& cookie,
                                const auth::Sessions& sessions, const IndexFacts* facts,
                                const ObjectRights* objects) {
  const Cookie::Shown shown = cookie.in(head.headers);
  if (shown.count > 1)
    return Error{
        ErrorKind::invalid_argument, "illegal_argument_exception",
        "the request has more than one cookie [" + cookie.name() +
            "]: another program on this host has set one. Delete the cookies of this host"};
  CAIRN_CHECK(check_same_origin(head.headers));
  auto caller = sessions.verify(shown.value);
  if (!caller.ok()) return unable_to_authenticate(caller.error().message + "; sign in again");
  const bool reads = head.method == "GET" || head.method == "HEAD";
  if (!reads && !equals_constant_time(head.headers.find(csrf_header).value_or(""),
                                      auth::csrf_token_of(shown.value)))
    return forbidden("a change by session [" + caller->session->id +
                     "] needs its csrf_token in the header X-Cairn-CSRF, as "
                     "GET /_cairn/sessions/_current tells it");
  return Caller(std::move(caller->key), facts, objects, std::move(caller->session));
}

}  // namespace cairn::gate
