// SPDX-License-Identifier: Apache-2.0
// From the cookie of a browser to the caller. Sources: OWASP Cross-Site Request Forgery Prevention,
// W3C Fetch Metadata.
#pragma once

#include <string_view>

#include "auth/sessions/sessions.h"
#include "base/result.h"
#include "gate/route.h"
#include "gate/session_cookie.h"
#include "net/http/message.h"

namespace cairn::gate {

/// The field that every request of a page carries which may change something.
inline constexpr std::string_view csrf_header = "x-cairn-csrf";

/// That the request does not come from a page of another origin, as far as the browser tells. Other
/// ports of this host are other origins, though cookies do not tell them apart.
/// Errors: permission_denied.
Status check_same_origin(const net::Headers& headers);

/// Who the session of these cookies stands for, with the rights that its key has now.
/// Errors: unauthenticated, for no living session, with the platform's words; invalid_argument for
/// two cookies of the name; permission_denied where the request comes from another origin, or may
/// change something and lacks the session's token in X-Cairn-CSRF.
Result<Caller> identify_session(const net::RequestHead& head, const Cookie& cookie,
                                const auth::Sessions& sessions, const IndexFacts* facts,
                                const ObjectRights* objects);

}  // namespace cairn::gate
