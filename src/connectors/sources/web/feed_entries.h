// SPDX-License-Identifier: Apache-2.0
// RSS (0.9 to 2.0) and Atom, as entries. Nothing in a feed is trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

struct FeedEntry {
  std::string id = {};  // the feed's own, else the link, else a hash of title and content
  std::string title = {};
  std::string link = {};
  std::string author = {};
  std::string content = {};      // HTML
  std::int64_t modified_ms = 0;  // 0: not told
  std::vector<std::string> categories = {};
};

/// The entries in the feed's order. Source: RFC 4287; RSS 2.0; RSS 1.0. Errors: invalid_argument,
/// where it is no XML, or no feed; too_large for more than 100,000 entries.
Result<std::vector<FeedEntry>> read_feed(std::string text);

/// A date of a feed: RFC 822 with a zone, or ISO 8601. 0 for what is none.
std::int64_t feed_date_ms(std::string_view text);

}  // namespace cairn::connectors
