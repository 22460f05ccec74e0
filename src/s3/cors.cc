// SPDX-License-Identifier: Apache-2.0
#include "s3/cors.h"

#include <algorithm>

#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

constexpr std::string_view methods[] = {"GET", "PUT", "HEAD", "POST", "DELETE"};
constexpr std::size_t cors_id_characters_max = 255;

std::size_t wildcards(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '*'));
}

// With at most one "*" for any run of characters.
bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  const std::string_view start = pattern.substr(0, star), end = pattern.substr(star + 1);
  return text.size() >= start.size() + end.size() && text.starts_with(start) && text.ends_with(end);
}

const std::string* allowed_origin(const CorsRuleElement& rule, std::string_view origin) {
  for (const std::string& pattern : rule.allowed_origins)
    if (fits(pattern, origin)) return &pattern;
  return nullptr;
}

bool allows_header(const CorsRuleElement& rule, const std::string& name) {
  return std::any_of(rule.allowed_headers.begin(), rule.allowed_headers.end(),
                     [&](const std::string& pattern) { return fits(lower_ascii(pattern), name); });
}

Status check_cors_rule(const CorsRuleElement& rule) {
  if (rule.id && rule.id->size() > cors_id_characters_max) return error("MalformedXML");
  if (rule.max_age_seconds && *rule.max_age_seconds < 0) return error("MalformedXML");
  for (const std::string& method : rule.allowed_methods)
    if (std::find(std::begin(methods), std::end(methods), method) == std::end(methods))
      return error("InvalidRequest",
                   "Found unsupported HTTP method in CORS config. Unsupported method is " + method);
  for (const std::string& origin : rule.allowed_origins)
    if (wildcards(origin) > 1)
      return error("InvalidRequest",
                   "AllowedOrigin \"" + origin + "\" can not have more than one wildcard.");
  for (const std::string& name : rule.allowed_headers)
    if (wildcards(name) > 1)
      return error("InvalidRequest",
                   "AllowedHeader \"" + name + "\" can not have more than one wildcard.");
  for (const std::string& name : rule.expose_headers)
    if (wildcards(name) > 0)
      return error("InvalidRequest", "ExposeHeader \"" + name +
                                         "\" contains wildcard. We currently do not support "
                                         "wildcard for ExposeHeader.");
  return ok_status();
}

}  // namespace

Status check_cors(const CorsConfigurationElement& configuration) {
  if (configuration.cors_rules.size() > cors_rules_max)
    return error("InvalidRequest",
                 "The number of CORS rules should not exceed allowed limit of 100 rules.");
  for (const CorsRuleElement& rule : configuration.cors_rules) CAIRN_CHECK(check_cors_rule(rule));
  return ok_status();
}

const CorsRuleElement* find_cors_rule(const std::vector<CorsRuleElement>& rules,
                                      const CorsQuestion& question) {
  for (const CorsRuleElement& rule : rules) {
    if (allowed_origin(rule, question.origin) == nullptr) continue;
    if (std::find(rule.allowed_methods.begin(), rule.allowed_methods.end(), question.method) ==
        rule.allowed_methods.end())
      continue;
    if (std::all_of(question.headers.begin(), question.headers.end(),
                    [&](const std::string& name) { return allows_header(rule, name); }))
      return &rule;
  }
  return nullptr;
}

void add_cors_headers(const CorsRuleElement& rule, const CorsQuestion& question,
                      net::Headers& headers) {
  const std::string* pattern = allowed_origin(rule, question.origin);
  const bool everyone = pattern != nullptr && *pattern == "*";
  headers.set("Access-Control-Allow-Origin", everyone ? "*" : question.origin);
  if (!everyone) headers.set("Access-Control-Allow-Credentials", "true");
  headers.set("Access-Control-Allow-Methods", join(rule.allowed_methods, ", "));
  if (!question.headers.empty())
    headers.set("Access-Control-Allow-Headers", join(question.headers, ", "));
  if (!rule.expose_headers.empty())
    headers.set("Access-Control-Expose-Headers", join(rule.expose_headers, ", "));
  if (rule.max_age_seconds)
    headers.set("Access-Control-Max-Age", std::to_string(*rule.max_age_seconds));
  headers.set("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
}

}  // namespace cairn::s3
