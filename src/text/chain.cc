// SPDX-License-Identifier: Apache-2.0
// Running a chain, and the character filters.
#include "text/chain.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::text {
namespace {

std::uint32_t original_offset(const FilteredText& filtered, std::uint32_t offset, bool end) {
  // The last pair that starts at or before; an end that touches a pair belongs to what is before.
  auto at = std::upper_bound(filtered.offsets.begin(), filtered.offsets.end(), offset,
                             [](std::uint32_t o, const auto& pair) { return o < pair.first; });
  if (at != filtered.offsets.begin() && end) {
    const auto before = std::prev(at);
    if (before->first == offset && before != filtered.offsets.begin()) at = before;
  }
  if (at == filtered.offsets.begin()) return offset;
  const auto& pair = *std::prev(at);
  return pair.second + (offset - pair.first);
}

class Chain final : public Analyzer {
 public:
  Chain(std::vector<CharFilter> char_filters, Splitter splitter, std::vector<FilterPtr> filters)
      : char_filters_(std::move(char_filters)),
        splitter_(std::move(splitter)),
        filters_(std::move(filters)) {}

  void analyze(std::string_view text, Tokens& out) const override {
    const std::size_t first = out.list.size();
    if (char_filters_.empty()) {
      splitter_(text, out);
    } else {
      split_filtered(text, out);
    }
    for (const auto& filter : filters_) filter->run(out, first);
  }

 private:
  void split_filtered(std::string_view text, Tokens& out) const {
    const std::size_t first = out.list.size();
    std::vector<FilteredText> steps;
    std::string_view now = text;
    for (const auto& filter : char_filters_) {
      steps.push_back(filter(now));
      now = steps.back().text;
    }
    splitter_(now, out);
    for (std::size_t i = first; i < out.list.size(); ++i) {
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        out.list[i].start = original_offset(*step, out.list[i].start, false);
        out.list[i].end = original_offset(*step, out.list[i].end, true);
      }
    }
  }

  std::vector<CharFilter> char_filters_;
  Splitter splitter_;
  std::vector<FilterPtr> filters_;
};

/// Collects filtered text and its offsets.
class FilteredWriter {
 public:
  explicit FilteredWriter(std::string_view from) : from_(from) {}
  void copy(std::size_t start, std::size_t end) { out_.text += from_.substr(start, end - start); }
  /// `with` stands where [start, end) of the original stood.
  void replace(std::size_t end, std::string_view with) {
    out_.text += with;
    out_.offsets.emplace_back(static_cast<std::uint32_t>(out_.text.size()),
                              static_cast<std::uint32_t>(end));
  }
  FilteredText take() { return std::move(out_); }

 private:
  std::string_view from_;
  FilteredText out_;
};

std::size_t tag_end(std::string_view html, std::size_t at) {
  char quote = 0;
  for (std::size_t i = at + 1; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// The text that an entity such as &amp; or &#233; stands for; empty where it is none.
std::string entity_text(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}};
  for (const auto& [entity, text] : known)
    if (name == entity) return std::string(text);
  if (!name.starts_with('#') || name.size() < 2) return {};
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  if (digits.empty() || fault != std::errc{} || end != digits.data() + digits.size()) return {};
  std::string out;
  append_utf8(out, code);
  return out;
}

bool breaks_words(std::string_view tag) {
  static constexpr std::string_view inline_tags[] = {
      "a", "b", "i", "u", "em", "strong", "span", "s", "q", "tt", "code", "sub", "sup", "font"};
  std::string_view name = tag.substr(1);
  if (name.starts_with('/')) name.remove_prefix(1);
  std::size_t size = 0;
  while (size < name.size() && (std::isalnum(static_cast<unsigned char>(name[size])) != 0)) ++size;
  const std::string lower = lower_ascii(name.substr(0, size));
  return std::find(std::begin(inline_tags), std::end(inline_tags), lower) == std::end(inline_tags);
}

FilteredText strip_html(std::string_view html) {
  FilteredWriter out(html);
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t next = html.find_first_of("<&", at);
    if (next == std::string_view::npos) {
      out.copy(at, html.size());
      break;
    }
    out.copy(at, next);
    at = next;
    if (html[at] == '&') {
      const std::size_t end = html.find(';', at);
      const std::string text = end == std::string_view::npos || end - at > 10
                                   ? std::string()
                                   : entity_text(html.substr(at + 1, end - at - 1));
      if (!text.empty()) {
        out.replace(end + 1, text);
        at = end + 1;
        continue;
      }
    } else if (const std::size_t end =
                   html.substr(at).starts_with("<!--") ? html.find("-->", at) : tag_end(html, at);
               end != std::string_view::npos) {
      const std::size_t behind = html.substr(at).starts_with("<!--") ? end + 3 : end;
      out.replace(behind, breaks_words(html.substr(at, behind - at)) ? "\n" : "");
      at = behind;
      continue;
    }
    out.copy(at, at + 1);
    ++at;
  }
  return out.take();
}

}  // namespace

CharFilter html_strip_filter() { return strip_html; }

CharFilter mapping_char_filter(std::vector<std::pair<std::string, std::string>> pairs) {
  // The longest key that fits wins.
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return [pairs = std::move(pairs)](std::string_view text) {
    FilteredWriter out(text);
    for (std::size_t at = 0; at < text.size();) {
      const auto hit = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return !pair.first.empty() && text.substr(at).starts_with(pair.first);
      });
      if (hit == pairs.end()) {
        out.copy(at, at + 1);
        ++at;
        continue;
      }
      out.replace(at + hit->first.size(), hit->second);
      at += hit->first.size();
    }
    return out.take();
  };
}

std::shared_ptr<const Analyzer> make_chain(std::vector<CharFilter> char_filters, Splitter splitter,
                                           std::vector<FilterPtr> filters) {
  return std::make_shared<Chain>(std::move(char_filters), std::move(splitter), std::move(filters));
}

void split_nothing(std::string_view text, Tokens& out) {
  if (text.empty()) return;
  const auto at = static_cast<std::uint32_t>(out.terms.size());
  out.terms += text;
  out.list.push_back({.term_at = at,
                      .term_size = static_cast<std::uint32_t>(text.size()),
                      .start = 0,
                      .end = static_cast<std::uint32_t>(text.size()),
                      .position = out.positions++,
                      .type = TokenType::word});
}

}  // namespace cairn::text
