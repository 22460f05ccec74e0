// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/robots_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/strings.h"
#include "connectors/sources/web/page_url.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t robots_bytes_max = 512u << 10;  // RFC 9309, 2.5: at least 500 KiB
constexpr std::size_t robots_rules_max = 10'000;
constexpr std::size_t robots_star_bytes_max = 64u << 10;  // of patterns with *, which cost most
constexpr std::size_t robots_pattern_max = 2048;
constexpr std::size_t robots_sitemaps_max = 100;
constexpr double crawl_delay_s_max = 60;

/// * any octets, $ at the end the target's end. One position is remembered, so time is bounded by
/// pattern times target.
bool matches_rule(std::string_view pattern, std::string_view target) {
  const bool anchored = pattern.ends_with('$');
  if (anchored) pattern.remove_suffix(1);
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  for (;;) {
    if (p == pattern.size() && (!anchored || t == target.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && t < target.size() && pattern[p] == target[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && resume < target.size()) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
}

/// The name that a line of user agents means: letters, _ and -.
std::string_view product_of(std::string_view value) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  return value.substr(
      0, static_cast<std::size_t>(std::find_if_not(value.begin(), value.end(), is_part) -
                                  value.begin()));
}

struct RobotsLine {
  std::string name;  // in lower case
  std::string_view value;
};

std::optional<RobotsLine> robots_line(std::string_view line) {
  line = trim(line.substr(0, line.find('#')));
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return RobotsLine{lower_ascii(trim(line.substr(0, colon))), trim(line.substr(colon + 1))};
}

std::int64_t crawl_delay_ms(std::string_view value) {
  const auto seconds = parse_number<double>(value);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0) return 0;
  return static_cast<std::int64_t>(std::min(*seconds, crawl_delay_s_max) * 1000);
}

}  // namespace

RobotsRules RobotsRules::nothing_allowed() {
  RobotsRules out;
  out.rules_.push_back({.pattern = "/", .allow = false});
  return out;
}

RobotsRules RobotsRules::parse(std::string_view text, std::string_view agent) {
  text = text.substr(0, robots_bytes_max);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  RobotsRules named, others;
  std::vector<std::string> sitemaps;
  bool for_named = false, for_others = false, in_agents = false, is_named = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const auto line = robots_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line) continue;
    if (line->name == "user-agent") {
      if (!in_agents) for_named = for_others = false;
      in_agents = true;
      for_others = for_others || line->value.starts_with('*');
      for_named = for_named || equals_ignore_case(product_of(line->value), agent);
      is_named = is_named || for_named;
    } else if (line->name == "sitemap") {
      // Of no group, and it ends none.
      if (sitemaps.size() < robots_sitemaps_max) sitemaps.emplace_back(line->value);
    } else if (line->name == "allow" || line->name == "disallow" || line->name == "crawl-delay") {
      in_agents = false;
      for (RobotsRules* rules : {for_named ? &named : nullptr, for_others ? &others : nullptr}) {
        if (rules == nullptr) continue;
        if (line->name == "crawl-delay") {
          rules->delay_ms_ = crawl_delay_ms(line->value);
        } else {
          rules->add(line->value, line->name == "allow");
        }
      }
    }
  }
  RobotsRules out = is_named ? std::move(named) : std::move(others);
  out.sitemaps_ = std::move(sitemaps);
  return out;
}

/// What is too long or too much is cut short: it closes more then, and opens nothing.
void RobotsRules::add(std::string_view value, bool allow) {
  if (value.empty() || rules_.size() >= robots_rules_max) return;
  std::string pattern = normal_escapes(value);
  const std::size_t star = pattern.find('*');
  const bool too_long = pattern.size() > robots_pattern_max;
  const bool too_dear =
      star != std::string::npos && star_bytes_ + pattern.size() > robots_star_bytes_max;
  if ((too_long || too_dear) && allow) return;
  if (too_long) pattern.resize(robots_pattern_max);
  if (too_dear) pattern.resize(star);
  if (star != std::string::npos && !too_dear) star_bytes_ += pattern.size();
  rules_.push_back({.pattern = std::move(pattern), .allow = allow});
}

bool RobotsRules::allows(std::string_view target) const {
  if (target == "/robots.txt") return true;
  const std::string normal = normal_escapes(target);
  const Rule* best = nullptr;
  for (const Rule& rule : rules_) {
    const std::size_t size = rule.pattern.size();
    if (best != nullptr && (size < best->pattern.size() ||
                            (size == best->pattern.size() && (best->allow || !rule.allow))))
      continue;
    if (matches_rule(rule.pattern, normal)) best = &rule;
  }
  return best == nullptr || best->allow;
}

}  // namespace cairn::connectors
