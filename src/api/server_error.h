// SPDX-License-Identifier: Apache-2.0
// The answers that the HTTP server gives by itself, in the platform's form.
#pragma once

#include <string>
#include <string_view>

#include "net/http/message.h"

namespace cairn::api {

/// Words a refusal of the server (a broken head, a body too large, no worker free). A
/// net::ErrorRenderer.
std::string render_server_error(int status, std::string_view reason, std::string_view request_id,
                                net::Headers& headers);

/// The same for a request that waited for the node that serves, and none does.
std::string render_no_master(int status, std::string_view reason, std::string_view request_id,
                             net::Headers& headers);

}  // namespace cairn::api
