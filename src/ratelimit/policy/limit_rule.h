// SPDX-License-Identifier: Apache-2.0
// Limits of the operator's own: which requests they are for, and by what those are counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::ratelimit {

/// What one request weighs under a rule.
enum class RuleWeight : std::uint8_t {
  requests,  // 1
  bytes,     // of its body, in KiB begun
  searches,  // 1, and in an _msearch as many as it holds
};
std::string_view name_of(RuleWeight weight);

/// Which requests share a count.
enum class RulePer : std::uint8_t {
  identity,  // those of one account
  index,     // those that name the index, or the bucket, whoever asks
  header,    // those with one value of the rule's header field
  all,       // all that the rule fits
  address,   // those that come from one address, whoever asks
};
std::string_view name_of(RulePer per);

/// A limit beside the others, with windows of its own. It is for requests that meet everything it
/// says; patterns have * for any run of characters, and what is empty admits everything.
struct LimitRule {
  std::string name = {};                // a-z, 0-9 and _
  std::vector<std::string> match = {};  // routes, as RouteRule::match has them
  std::string identity = {};            // a pattern of accounts: "user:*"
  std::string index = {};               // of names that the path has, of indices or buckets
  std::string header = {};              // a field that the request has, in lower case
  std::string value = {};               // a pattern of its value
  RulePer per = RulePer::identity;
  RuleWeight weight = RuleWeight::requests;
  std::uint32_t limit = 0;  // in a window: requests, searches, or KiB
  std::uint32_t window_s = 3'600;
  bool checks = false;      // for what other programs ask about, and for no request of Cairn's own
  bool shadow = false;         // counts, logs and shows, and refuses nothing
  std::uint16_t resource = 0;  // its place in Policy::resources
  bool operator==(const LimitRule&) const = default;
};

}  // namespace cairn::ratelimit
