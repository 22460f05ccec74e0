// SPDX-License-Identifier: Apache-2.0
// Rules and limits of single identities in the configuration, there and back.
#pragma once

#include "ratelimit/policy/config_reader.h"
#include "ratelimit/policy/policy.h"

namespace cairn::ratelimit {

/// Seconds, or "hour" and "minute", which policy.time scales.
void read_window(ConfigReader& in, const Policy& policy, std::uint32_t& into);
/// True for names of resources and rules: 1 to 64 of a-z, 0-9 and _.
bool is_good_name(std::string_view name);
/// True for "POST /_search" and "/_search/*".
bool is_route_match(std::string_view match);

/// Reads `rules`, a list, and gives each a resource of its own. After the resources were read.
Status read_rules(ConfigReader& in, Policy& policy);
/// Reads `identities`: {ACCOUNT: {RESOURCE: limit}}. After the resources were read.
Status read_identities(ConfigReader& in, Policy& policy);

Json window_setting(const Policy& policy, std::uint32_t window_s);
Json rules_json(const Policy& policy);
Json identities_json(const Policy& policy);

}  // namespace cairn::ratelimit
