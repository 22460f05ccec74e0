// SPDX-License-Identifier: Apache-2.0
#include "format/html.h"

namespace cairn {

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, const std::vector<std::string>& paragraphs,
                      const std::vector<HtmlLink>& links) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      html_text(title) + "</title>\n</head>\n<body>\n<main>\n<h1>" + html_text(title) + "</h1>\n";
  for (const std::string& paragraph : paragraphs) out += "<p>" + html_text(paragraph) + "</p>\n";
  for (const HtmlLink& link : links)
    out += "<p><a href=\"" + html_text(link.url) + "\">" + html_text(link.text) + "</a></p>\n";
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace cairn
