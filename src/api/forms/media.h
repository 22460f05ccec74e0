// SPDX-License-Identifier: Apache-2.0
// Media types in and out: plain, and the vendor types of the official clients.
#pragma once

#include <string_view>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::api {

/// What was agreed on for one request.
struct Media {
  /// The Content-Type of a JSON reply: constant text, or that of the row.
  std::string_view reply_type = "application/json";
  bool yaml = false;                            // Accept asks for YAML
};

/// Looks at Accept, and at Content-Type where there is a body. Vendor types are accepted with
/// compatible-with 8 or 9; both headers must agree.
/// Errors: invalid_argument with status 406 (a type that is not spoken here) or 400 (versions).
Result<Media> negotiate(const net::Headers& headers, bool has_body, bool ndjson);

}  // namespace cairn::api
