// SPDX-License-Identifier: Apache-2.0
// Small pages for people who came to a place for programs: text and links, nothing that runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The text as it stands in HTML, also in an attribute's value.
std::string html_text(std::string_view text);

struct HtmlLink {
  std::string url;  // http, https, or a path
  std::string text;
};

/// A whole page: a heading, paragraphs of plain text, and links.
std::string html_page(std::string_view title, const std::vector<std::string>& paragraphs,
                      const std::vector<HtmlLink>& links = {});

/// The Content-Security-Policy of such a page: nothing may be loaded or run, and nobody may frame
/// it.
inline constexpr std::string_view html_page_policy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace cairn
