// SPDX-License-Identifier: Apache-2.0
// What a web site sends: robots.txt, pages, sitemaps and addresses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "connectors/sources/web/page_links.h"
#include "connectors/sources/web/page_url.h"
#include "connectors/sources/web/robots_rules.h"
#include "connectors/sources/web/sitemap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::connectors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = RobotsRules::parse(text, "cairn");
  if (!rules.allows("/robots.txt")) std::abort();
  static_cast<void>(rules.allows("/aab/?session=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
  static_cast<void>(read_sitemap(text));
  static_cast<void>(read_page_links(text, "cairn"));
  CrawlWishes wishes;
  add_wishes(text, "cairn", wishes);
  // A normal address is its own normal form, wherever it is found.
  for (const auto& url : {normal_page_url(text), normal_page_url(resolve_reference(
                                                     "http://a/b/c?d", text.substr(0, 4096)))}) {
    if (!url) continue;
    if (normal_page_url(*url) != url) std::abort();
    if (resolve_reference("http://x/y", *url) != *url) std::abort();
    if (page_host(*url).empty() || !page_target(*url).starts_with('/')) std::abort();
  }
  return 0;
}
