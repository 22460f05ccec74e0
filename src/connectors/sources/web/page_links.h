// SPDX-License-Identifier: Apache-2.0
// Where a page leads, and what it says to crawlers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::connectors {

struct CrawlWishes {
  bool noindex = false;   // the page is not to be found
  bool nofollow = false;  // its links lead nowhere
};

struct PageLinks {
  std::vector<std::string> links = {};  // as they are written, but for entities; the first 10,000
  std::string base = {};                // of <base href>; empty: the page's own address
  std::string canonical = {};           // of <link rel="canonical">
  CrawlWishes wishes = {};              // of <meta name="robots">, or the crawler's name
};

/// Reads HTML for its links; any bytes are a page. Links of rel="nofollow" are left out. Linear in
/// the text, and needs no tree of it. `agent`: the crawler's name.
PageLinks read_page_links(std::string_view html, std::string_view agent);

/// Adds what one X-Robots-Tag field says: "noindex", "cairn: nofollow", "none".
void add_wishes(std::string_view field, std::string_view agent, CrawlWishes& wishes);

}  // namespace cairn::connectors
