// SPDX-License-Identifier: Apache-2.0
// Sitemaps: lists of a site's addresses. Source: the sitemap protocol 0.9.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

struct Sitemap {
  bool is_index = false;          // `urls` are those of further sitemaps
  std::vector<std::string> urls;  // as they are written, the first 50,000
};

/// Reads XML (a list or an index), or text with an address a line. Errors: invalid_argument, for
/// what is neither.
Result<Sitemap> read_sitemap(std::string_view text);

}  // namespace cairn::connectors
