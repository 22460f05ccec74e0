// SPDX-License-Identifier: Apache-2.0
// Requests from pages of other origins: which rules a bucket may have, and what they say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/operations/setting_operations.h"

namespace cairn::s3 {

inline constexpr std::size_t cors_rules_max = 100;

/// Errors: InvalidRequest, MalformedXML.
Status check_cors(const CorsConfigurationElement& configuration);

struct CorsQuestion {
  std::string_view origin;
  std::string_view method;                // that of the request that is meant
  std::vector<std::string> headers = {};  // that a preflight asks for, lower case
};

/// The first rule that allows it, or null.
const CorsRuleElement* find_cors_rule(const std::vector<CorsRuleElement>& rules,
                                      const CorsQuestion& question);

/// What the rule lets the page know; `preflight` also answers for methods and header fields.
void add_cors_headers(const CorsRuleElement& rule, const CorsQuestion& question,
                      net::Headers& headers);

}  // namespace cairn::s3
