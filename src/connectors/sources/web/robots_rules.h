// SPDX-License-Identifier: Apache-2.0
// robots.txt: which addresses of a host a crawler may ask for. Source: RFC 9309.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::connectors {

/// The rules of one host for one crawler. A value.
class RobotsRules {
 public:
  /// Everything is allowed.
  RobotsRules() = default;
  /// Nothing is allowed, as where a host cannot say.
  static RobotsRules nothing_allowed();
  /// Of a file's text. `agent`: the crawler's name; groups of `*` hold where none names it. Reads
  /// 512 KiB and 10,000 rules. Any text is a robots.txt.
  static RobotsRules parse(std::string_view text, std::string_view agent);

  /// Of a path with its query. The longest rule that matches decides, and Allow wins a tie. Takes
  /// time in proportion to the rules times the path.
  bool allows(std::string_view target) const;
  /// Between two requests, as the file wants it; 0: it does not say.
  std::int64_t delay_ms() const { return delay_ms_; }
  /// Addresses of sitemaps, whoever they are for.
  const std::vector<std::string>& sitemaps() const { return sitemaps_; }

 private:
  struct Rule {
    std::string pattern;
    bool allow = false;
  };
  void add(std::string_view value, bool allow);

  std::vector<Rule> rules_;
  std::size_t star_bytes_ = 0;
  std::vector<std::string> sitemaps_;
  std::int64_t delay_ms_ = 0;
};

}  // namespace cairn::connectors
