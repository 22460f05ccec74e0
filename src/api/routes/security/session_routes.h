// SPDX-License-Identifier: Apache-2.0
// Signing in with a browser: sessions, links that open one, and the issuer's pages.
#pragma once

#include <string>

#include "api/router.h"
#include "auth/keys/keys.h"
#include "auth/sessions/sessions.h"
#include "auth/sessions/sign_in_codes.h"
#include "auth/sign_in/code_flow.h"
#include "base/result.h"

namespace cairn::api {

/// What the handlers work on; all of it outlives them.
struct SessionServices {
  auth::Keys& keys;
  auth::Sessions& sessions;
  auth::SignInCodes& codes;
  auth::CodeFlow& flow;         // may be switched off
  std::string public_url = {};  // where browsers reach this server; empty: as a request came
  std::string base_path = {};   // of all paths
};

/// The page that signs in by a code, below the server's own address, which ends without "/".
std::string sign_in_link(std::string_view server, std::string_view code);

/// Routes of operations sessions.begin, .get_current, .end_current, .list, .end, .make_link,
/// .providers, .begin_at_issuer and .end_at_issuer. `base_path` as in the services.
void add_session_routes(Router& router, ServiceRef<const SessionServices> services,
                        const std::string& base_path);

}  // namespace cairn::api
