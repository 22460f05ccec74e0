// SPDX-License-Identifier: Apache-2.0
// Requests from pages of other origins: what browsers ask first, and what answers tell them.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Answers OPTIONS, which needs no signature. Errors: BadRequest, AccessForbidden.
Status answer_preflight(ParsedCall& call);

/// Adds to the answer what the bucket's rules let the page know, where the request has an Origin.
void add_cors(ParsedCall& call);

}  // namespace cairn::s3api
