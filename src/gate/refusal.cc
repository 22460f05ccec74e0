// SPDX-License-Identifier: Apache-2.0
#include "gate/refusal.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace cairn::gate {
namespace {

using ratelimit::IdentityKind;
using ratelimit::Refusal;
using ratelimit::Surface;

constexpr std::string_view primary_page = "/docs/reference/rate-limits#primary-limits";
constexpr std::string_view secondary_page =
    "/docs/reference/rate-limits#about-secondary-rate-limits";

bool is_plain(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '-' || c == ':' || c == '/';
  });
}

/// The account without its prefix; a number in its place where it is no plain word, so that no text
/// that somebody chose is spread.
std::string id_of(const ratelimit::Identity& identity) {
  const std::string_view account = identity.account;
  const std::string_view id = account.substr(account.find(':') + 1);
  return is_plain(id) ? std::string(id) : std::to_string(fast_hash(account) >> 16);
}

std::string_view subject_of(IdentityKind kind) {
  switch (kind) {
    case IdentityKind::address:
      return "";
    case IdentityKind::user:
    case IdentityKind::oauth_user:
    case IdentityKind::app_user:
      return "user ID ";
    case IdentityKind::installation:
    case IdentityKind::workflow:
      return "installation ID ";
    case IdentityKind::oauth_app:
      return "app ID ";
    case IdentityKind::service:
      return "service ID ";
  }
  return "";
}

std::string text_of(Refusal refusal, const ratelimit::Identity& identity, std::string_view rule) {
  switch (refusal) {
    case Refusal::primary: {
      std::string text = "API rate limit exceeded for ";
      text += subject_of(identity.kind);
      text += id_of(identity) + ".";
      if (!identity.authenticated())
        text +=
            " (But here's the good news: Authenticated requests get a higher rate limit. Check out "
            "the documentation for more details.)";
      return text;
    }
    case Refusal::content_minute:
    case Refusal::content_hour:
      return "You have exceeded a secondary rate limit and have been temporarily blocked from "
             "content creation. Please retry your request again later.";
    case Refusal::rule:
      return "You have exceeded a secondary rate limit: the rule [" + std::string(rule) +
             "] admits no more of these requests now. Please wait before you try again.";
    case Refusal::no_state:
      return "The server cannot count requests at the moment, and takes none until it can again. "
             "Please retry your request later.";
    case Refusal::none:
    case Refusal::banned:
    case Refusal::concurrent:
    case Refusal::points:
    case Refusal::cpu:
    case Refusal::compute:
      break;
  }
  return "You have exceeded a secondary rate limit. Please wait a few minutes before you try "
         "again.";
}

}  // namespace

int status_of(const ratelimit::Decision& refused, Surface surface,
              const ratelimit::Policy& policy) {
  if (refused.refusal == Refusal::no_state) return 503;
  const auto& statuses = policy.statuses[static_cast<std::size_t>(surface)];
  return ratelimit::is_secondary(refused.refusal) ? statuses.secondary : statuses.primary;
}

bool tells_wait(const ratelimit::Decision& refused, Surface surface) {
  if (refused.admitted()) return false;
  return ratelimit::is_secondary(refused.refusal) || refused.refusal == Refusal::no_state ||
         surface == Surface::large_files || surface == Surface::objects;
}

Error refusal_error(const ratelimit::Decision& refused, const ratelimit::Identity& identity,
                    int status, std::string_view rule) {
  const bool outage = refused.refusal == Refusal::no_state;  // nobody exceeded anything
  Error error{outage ? ErrorKind::unavailable : ErrorKind::rate_limited,
              outage ? "unavailable_exception" : "rate_limit_exceeded_exception",
              text_of(refused.refusal, identity, rule)};
  error.details.emplace_back("_status", std::to_string(status));
  if (outage) return error;
  error.details.emplace_back("_documentation_url", ratelimit::is_secondary(refused.refusal)
                                                       ? secondary_page
                                                       : primary_page);
  return error;
}

}  // namespace cairn::gate
