// SPDX-License-Identifier: Apache-2.0
// The header fields that tell a caller what is left: those of code-hosting services, and those of
// the IETF's draft "RateLimit header fields for HTTP", which are lists of structured fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/message.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::gate {

/// `"core";q=5000;w=3600`: an item of RateLimit-Policy. q is in `unit`s of the draft's registry:
/// requests where it is empty.
std::string policy_item(const ratelimit::WindowState& window, std::string_view name,
                        std::string_view unit = {});
/// `"core";r=4999;t=3580`: an item of RateLimit.
std::string limit_item(const ratelimit::WindowState& window, std::string_view name);

/// The items of rules, each with ", " before it.
struct RuleItems {
  std::string policies = {};
  std::string limits = {};
};
RuleItems items_of(const std::vector<ratelimit::RuleCount>& counts);

/// x-ratelimit-limit, -remaining, -used, -reset and -resource; and the two of the draft, where
/// `items` says what follows the window's own.
void add_fields(net::HeadLines& lines, const ratelimit::WindowState& window,
                std::string_view resource, const RuleItems* items = nullptr);

}  // namespace cairn::gate
