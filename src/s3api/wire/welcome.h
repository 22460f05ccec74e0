// SPDX-License-Identifier: Apache-2.0
// A page for people who come to the port of object storage with a browser.
#pragma once

#include <string>

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// A browser that asks for the list of buckets. Clients of the protocol sign that, and take no
/// page.
bool is_visitor(const ParsedCall& call);

/// Says what this port is, and where the console is; `console_url` empty: there is none.
Status send_welcome(ParsedCall& call, const std::string& console_url);

}  // namespace cairn::s3api
