// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/sitemap.h"

#include <algorithm>

#include "base/strings.h"
#include "format/xml_walk.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t sitemap_urls_max = 50'000;

/// <loc> within <url> or <sitemap>; of extensions for images and films nothing.
class SitemapReader final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    ++depth_;
    if (depth_ == 1) {
      is_sitemap = tag.name() == "urlset" || tag.name() == "sitemapindex";
      sitemap.is_index = tag.name() == "sitemapindex";
      return is_sitemap;
    }
    in_loc_ = depth_ == 3 && tag.name() == "loc";
    if (in_loc_) loc_.clear();
    return depth_ == 2 || in_loc_;
  }
  void text(std::string_view text) override {
    if (in_loc_) loc_ += text;
  }
  void close(std::string_view) override {
    --depth_;
    if (!in_loc_) return;
    in_loc_ = false;
    const std::string_view url = trim(loc_);
    if (!url.empty() && sitemap.urls.size() < sitemap_urls_max) sitemap.urls.emplace_back(url);
  }

  Sitemap sitemap;
  bool is_sitemap = false;

 private:
  std::size_t depth_ = 0;
  bool in_loc_ = false;
  std::string loc_;
};

}  // namespace

Result<Sitemap> read_sitemap(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (trim(text.substr(0, 256)).starts_with('<')) {
    SitemapReader reader;
    CAIRN_CHECK(walk_xml(std::string(text), reader));
    if (reader.is_sitemap) return std::move(reader.sitemap);
    return Error{.kind = ErrorKind::invalid_argument, .message = "it is no sitemap"};
  }
  Sitemap out;
  while (!text.empty() && out.urls.size() < sitemap_urls_max) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!line.starts_with("http://") && !line.starts_with("https://"))
      return Error{.kind = ErrorKind::invalid_argument, .message = "it is no sitemap"};
    out.urls.emplace_back(line);
  }
  return out;
}

}  // namespace cairn::connectors
