// SPDX-License-Identifier: Apache-2.0
// What a response proves about limits, from its status, headers and body.
#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "format/json.h"
#include "format/time.h"
#include "ratelimit/client/retry.h"

namespace cairn::ratelimit {
namespace {

constexpr std::int64_t second_ms = 1'000;
// Smaller numbers in x-ratelimit-reset are delays or nonsense, not instants.
constexpr std::int64_t earliest_reset_s = 1'000'000'000;

bool only_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A count in a header; those over 64 bits are as good as endless.
std::optional<std::int64_t> count_of(const std::optional<std::string>& value) {
  if (!value) return std::nullopt;
  const std::string_view text = trim(*value);
  if (!only_digits(text)) return std::nullopt;
  return parse_number<std::int64_t>(text).value_or(std::numeric_limits<std::int64_t>::max());
}

std::optional<std::int64_t> retry_after_ms(const std::optional<std::string>& value,
                                           std::int64_t server_now_ms) {
  if (!value) return std::nullopt;
  if (const auto seconds = count_of(value)) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4 / second_ms;
    return std::clamp<std::int64_t>(*seconds, 1, most) * second_ms;
  }
  const auto at = parse_http_date(trim(*value));
  if (!at) return std::nullopt;
  return std::max(*at - server_now_ms, second_ms);
}

std::optional<WindowSigns> window_of(const HeaderLookup& header, std::int64_t server_now_ms) {
  const auto remaining = count_of(header("x-ratelimit-remaining"));
  const auto reset = count_of(header("x-ratelimit-reset"));
  if (!remaining || !reset || *reset < earliest_reset_s) return std::nullopt;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / second_ms / 4;
  const std::int64_t away_ms = std::min(*reset, most) * second_ms - server_now_ms;
  const auto number = [](std::int64_t n) {
    return static_cast<std::uint32_t>(
        std::min<std::int64_t>(n, std::numeric_limits<std::uint32_t>::max()));
  };
  return WindowSigns{
      .limit = number(count_of(header("x-ratelimit-limit")).value_or(0)),
      .remaining = number(*remaining),
      .reset_s = *reset,
      // A second more: the server's date has lost its milliseconds.
      .resets_in_ms = std::max(away_ms + second_ms, second_ms)};
}

bool says(std::string_view lower_body, std::string_view text) {
  return lower_body.find(text) != std::string_view::npos;
}

bool says_secondary(std::string_view lower_body) {
  return says(lower_body, "secondary rate") || says(lower_body, "#abuse-rate-limits") ||
         says(lower_body, "abuse detection mechanism") ||
         says(lower_body, "secondary-rate-limits\"");
}

bool says_limit(std::string_view lower_body) {
  return says(lower_body, "rate limit exceeded") || says(lower_body, "rate_limit_exceeded") ||
         says(lower_body, "<code>slowdown</code>");
}

/// GraphQL tells of refusals with status 200 and errors in the body.
LimitKind kind_of_graphql(std::string_view body) {
  const auto parsed = parse_json(body);
  const Json* const errors = parsed.ok() ? parsed->find("errors") : nullptr;
  if (errors == nullptr || !errors->is_array()) return LimitKind::none;
  LimitKind kind = LimitKind::none;
  for (const Json& error : errors->as_array()) {
    if (says_secondary(lower_ascii(error.string_or("message")))) return LimitKind::secondary;
    if (error.string_or("type") == "RATE_LIMITED") kind = LimitKind::primary;
  }
  return kind;
}

LimitKind kind_of(const SeenResponse& response, std::optional<std::int64_t> remaining,
                  bool retry_after, bool graphql) {
  if (graphql && response.status == 200) return kind_of_graphql(response.body);
  const std::string body = lower_ascii(response.body);
  if (response.status == 503)
    return says(body, "<code>slowdown</code>") || says(body, "rate_limit_exceeded")
               ? LimitKind::secondary
               : LimitKind::none;
  if (response.status != 403 && response.status != 429) return LimitKind::none;
  if (says_secondary(body)) return LimitKind::secondary;
  if (remaining == std::int64_t{0}) return LimitKind::primary;
  if (!remaining && says(body, "rate limit exceeded")) return LimitKind::primary;
  if (response.status == 429 || retry_after || says_limit(body)) return LimitKind::secondary;
  return LimitKind::none;
}

}  // namespace

std::string_view name_of(LimitKind kind) {
  switch (kind) {
    case LimitKind::none:
      return "none";
    case LimitKind::primary:
      return "primary";
    case LimitKind::secondary:
      return "secondary";
  }
  return "none";
}

LimitSigns read_limit(const SeenResponse& response, std::string_view resource,
                      std::int64_t now_unix_ms, bool graphql) {
  const HeaderLookup header = [&](std::string_view name) -> std::optional<std::string> {
    return response.header ? response.header(name) : std::nullopt;
  };
  const auto date = header("date");
  const std::int64_t server_now_ms =
      (date ? parse_http_date(trim(*date)) : std::nullopt).value_or(now_unix_ms);
  LimitSigns signs;
  if (const auto named = header("x-ratelimit-resource")) signs.resource = trim(*named);
  const std::string_view counted = signs.resource.empty() ? resource : signs.resource;
  signs.window = window_of(header, server_now_ms);
  const auto after = retry_after_ms(header("retry-after"), server_now_ms);
  signs.kind = kind_of(response, count_of(header("x-ratelimit-remaining")), after.has_value(),
                       graphql || counted == "graphql");
  if (signs.kind != LimitKind::none) signs.retry_after_ms = after;
  return signs;
}

}  // namespace cairn::ratelimit
