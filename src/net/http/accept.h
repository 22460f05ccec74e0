// SPDX-License-Identifier: Apache-2.0
// What a client would rather have. Source: RFC 9110 section 12.5.1.
#pragma once

#include "net/http/message.h"

namespace cairn::net {

/// True for a browser that a person looks at: Accept names text/html, and no JSON or XML before it.
/// Programs that take anything, or do not say, would rather have data.
bool prefers_html(const Headers& headers);

}  // namespace cairn::net
