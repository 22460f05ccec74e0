// SPDX-License-Identifier: Apache-2.0
// HTML to running text, by gumbo.
#include <gumbo.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {
namespace {

bool is_hidden(GumboTag tag) {
  return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_TEMPLATE ||
         tag == GUMBO_TAG_NOSCRIPT || tag == GUMBO_TAG_SVG || tag == GUMBO_TAG_IFRAME;
}

bool is_inline(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_A:
    case GUMBO_TAG_ABBR:
    case GUMBO_TAG_B:
    case GUMBO_TAG_CITE:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_KBD:
    case GUMBO_TAG_MARK:
    case GUMBO_TAG_Q:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SAMP:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_SUB:
    case GUMBO_TAG_SUP:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U:
    case GUMBO_TAG_VAR:
      return true;
    default:
      return false;
  }
}

bool names(std::string_view tag, std::initializer_list<std::string_view> some) {
  for (const auto name : some)
    if (equals_ignore_case(tag, name)) return true;
  return false;
}

/// The name in "<name ...", or empty where no tag begins.
std::string_view tag_name(std::string_view from) {
  std::size_t end = 0;
  while (end < from.size() && (((from[end] | 0x20) >= 'a' && (from[end] | 0x20) <= 'z') ||
                               (end > 0 && from[end] >= '0' && from[end] <= '9')))
    ++end;
  return from.substr(0, end);
}

/// How deep elements nest, roughly: elements that need no end tag are not counted.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '<') continue;
    if (text[i + 1] == '/') {
      if (depth > 0) --depth;
      continue;
    }
    const auto name = tag_name(text.substr(i + 1, 16));
    if (name.empty() || names(name, {"p", "li", "td", "tr", "th", "dd", "dt", "option", "br", "img",
                                     "hr", "meta", "link", "input", "wbr", "col", "area", "base"}))
      continue;
    deepest = std::max(deepest, ++depth);
  }
  return deepest;
}

/// Drops everything between < and >, and what scripts and styles hold. One pass.
ExtractedText without_tags(std::string_view text) {
  ExtractedText out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '<') {
      out.body += text[i];
      continue;
    }
    const auto name = tag_name(text.substr(i + 1, 16));
    if (names(name, {"script", "style", "template"})) {
      const auto end = text.find("</", i + 1);
      if (end == std::string_view::npos) break;
      i = end;
    }
    const auto end = text.find('>', i);
    if (end == std::string_view::npos) break;
    i = end;
    out.body += '\n';
  }
  return out;
}

// A stack of our own: a page may nest deeper than a thread's stack allows.
struct Step {
  const GumboNode* node;
  bool leaving;
};

void collect(const GumboNode* root, ExtractedText& out) {
  std::vector<Step> todo = {{root, false}};
  std::size_t title_depth = 0;
  while (!todo.empty()) {
    const Step step = todo.back();
    todo.pop_back();
    const GumboNode& node = *step.node;
    if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE ||
        node.type == GUMBO_NODE_CDATA) {
      (title_depth > 0 ? out.title : out.body) += node.v.text.text;
      continue;
    }
    if (node.type != GUMBO_NODE_ELEMENT) continue;
    const GumboElement& element = node.v.element;
    if (is_hidden(element.tag)) continue;
    const bool title = element.tag == GUMBO_TAG_TITLE;
    if (!is_inline(element.tag)) out.body += '\n';
    if (step.leaving) {
      if (title) --title_depth;
      continue;
    }
    if (title) ++title_depth;
    todo.push_back({&node, true});
    for (unsigned i = element.children.length; i-- > 0;)
      todo.push_back({static_cast<const GumboNode*>(element.children.data[i]), false});
  }
}

}  // namespace

namespace {

ExtractedText parsed(std::string_view text) {
  GumboOptions options = kGumboDefaultOptions;
  const auto destroy = [&options](GumboOutput* output) { gumbo_destroy_output(&options, output); };
  const std::unique_ptr<GumboOutput, decltype(destroy)> tree(
      gumbo_parse_with_options(&options, text.data(), text.size()), destroy);
  ExtractedText out;
  collect(tree->root, out);
  return out;
}

}  // namespace

ExtractedText extract_html(std::string_view text) {
  // The parser's time grows with the square of the depth.
  constexpr std::size_t depth_max = 512;
  ExtractedText out = depth_of(text) > depth_max ? without_tags(text) : parsed(text);
  out.body = squeeze(out.body);
  out.title = squeeze(out.title);
  if (out.title.empty()) out.title = out.body.substr(0, out.body.find('\n'));
  return out;
}

}  // namespace cairn::connectors
