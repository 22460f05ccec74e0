// SPDX-License-Identifier: Apache-2.0
// The canonical request of Signature Version 4: one spelling of a request that both sides compute.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http/message.h"

namespace cairn::s3 {

/// How the parts of a target are spelled. A client signs `encoded`. A service tries both, because
/// some clients sign the target exactly as they send it.
enum class Spelling {
  encoded,  // decoded once and percent-encoded again: what the protocol says
  as_sent,
};

struct CanonicalParams {
  std::string_view method;
  std::string_view path;   // of the request line
  std::string_view query;  // of the request line, without "?"
  const net::Headers& headers;
  const std::vector<std::string>& signed_headers;  // lower case, ascending
  std::string_view payload_hash;
  std::string_view without_parameter = {};  // left out of the query: the signature itself
  Spelling spelling = Spelling::encoded;
  bool normalize_path = false;  // take out dots and double slashes: never for object keys
  std::string_view host = {};   // instead of the Host field, where a proxy changed it
};

std::string canonical_request(const CanonicalParams& params);

/// Trimmed, and each run of white space one space.
std::string canonical_header_value(std::string_view value);
std::string canonical_query(std::string_view query, std::string_view without_parameter,
                            Spelling spelling);
std::string canonical_path(std::string_view path, Spelling spelling, bool normalize);

}  // namespace cairn::s3
