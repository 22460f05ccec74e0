// SPDX-License-Identifier: Apache-2.0
// Markdown to running text, by cmark: marks are dropped, words and code stay.
#include <cmark.h>

#include <algorithm>
#include <memory>

#include "base/strings.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {
namespace {

struct FrontMatter {
  std::string title;
  std::size_t bytes = 0;  // of the whole block, with its last line
};

/// Lines between two "---" at the very beginning, as site generators have them.
FrontMatter front_matter(std::string_view text) {
  FrontMatter out;
  std::size_t at = 0;
  for (bool first = true; at < text.size(); first = false) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    const bool rule = trim(line) == "---";
    if (first && !rule) return {};
    if (!first && rule) {
      out.bytes = at;
      return out;
    }
    if (!line.starts_with("title:")) continue;
    std::string_view title = trim(line.substr(6));
    if (title.size() > 1 && (title.front() == '"' || title.front() == '\''))
      title = title.substr(1, title.size() - 2);
    out.title = title;
  }
  return {};
}

std::string_view literal_of(cmark_node* node) {
  const char* text = node == nullptr ? nullptr : cmark_node_get_literal(node);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The marks of 2*3*4: by the rules of Markdown an emphasis, by what people write a product.
std::string_view marks_within_word(cmark_node* emphasis) {
  const std::string_view before = literal_of(cmark_node_previous(emphasis));
  const std::string_view after = literal_of(cmark_node_next(emphasis));
  if (before.empty() || after.empty() || !is_word(before.back()) || !is_word(after.front()))
    return {};
  return cmark_node_get_type(emphasis) == CMARK_NODE_STRONG ? "**" : "*";
}

void append(std::string& out, cmark_node* node, bool enter) {
  switch (cmark_node_get_type(node)) {
    case CMARK_NODE_TEXT:
    case CMARK_NODE_CODE:
      out += literal_of(node);
      break;
    case CMARK_NODE_CODE_BLOCK:
      out.append(literal_of(node)) += "\n\n";
      break;
    case CMARK_NODE_HTML_BLOCK:
      out.append(extract_html(literal_of(node)).body) += "\n\n";
      break;
    case CMARK_NODE_SOFTBREAK:
    case CMARK_NODE_LINEBREAK:
      out += '\n';
      break;
    case CMARK_NODE_EMPH:
    case CMARK_NODE_STRONG:
      out += marks_within_word(node);
      break;
    case CMARK_NODE_PARAGRAPH:
    case CMARK_NODE_HEADING:
      if (!enter) out += "\n\n";
      break;
    default:
      break;
  }
}

}  // namespace

ExtractedText extract_markdown(std::string_view text) {
  const FrontMatter front = front_matter(text);
  text.remove_prefix(front.bytes);
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(document.get()),
                                                                     cmark_iter_free);
  ExtractedText out{.title = front.title, .body = {}};
  std::size_t heading = 0;  // where the text of the heading at hand begins
  for (auto event = cmark_iter_next(walk.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(walk.get())) {
    cmark_node* const node = cmark_iter_get_node(walk.get());
    const bool is_heading = cmark_node_get_type(node) == CMARK_NODE_HEADING;
    if (is_heading && event == CMARK_EVENT_ENTER) heading = out.body.size();
    if (is_heading && event == CMARK_EVENT_EXIT && out.title.empty())
      out.title = squeeze(std::string_view(out.body).substr(heading));
    append(out.body, node, event == CMARK_EVENT_ENTER);
  }
  out.body = squeeze(out.body);
  return out;
}

}  // namespace cairn::connectors
