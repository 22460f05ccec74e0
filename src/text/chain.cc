// SPDX-License-Identifier: Apache-2.0
// Running a chain, and the character filters.
#include "text/chain.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "base/strings.h"

namespace cairn::text {
namespace {

std::uint32_t original_offset(const FilteredText& filtered, std::uint32_t offset) {
  // The last pair that starts at or before: starts and ends alike, as in the field's engine.
  const auto at =
      std::upper_bound(filtered.offsets.begin(), filtered.offsets.end(), offset,
                       [](std::uint32_t o, const auto& pair) { return o < pair.first; });
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
    for (const auto& filter : filters_)
      if (!out.cut) filter->run(out, first);
  }

 private:
  void split_filtered(std::string_view text, Tokens& out) const {
    const std::size_t first = out.list.size();
    std::vector<FilteredText> steps;
    std::string_view now = text;
    for (const auto& filter : char_filters_) {
      steps.push_back(filter(now, out.steps));
      now = steps.back().text;
    }
    if (!out.go_on()) return;
    splitter_(now, out);
    for (std::size_t i = first; i < out.list.size(); ++i) {
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        out.list[i].start = original_offset(*step, out.list[i].start);
        out.list[i].end = original_offset(*step, out.list[i].end);
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

bool may_go_on(os::Steps* steps) { return steps == nullptr || steps->go_on(); }

/// Where tags end. A `<` that opens no tag is looked at by many others behind it: what was seen
/// once to lead nowhere is remembered, so that the whole costs no more than the text is long.
class TagEnds {
 public:
  TagEnds(std::string_view html, os::Steps* steps) : html_(html), steps_(steps) {}

  /// Behind the `>` of the tag that opens at `at`; npos where it never closes.
  std::size_t find(std::size_t at) {
    State state = outside;
    for (std::size_t i = at + 1; i < html_.size(); ++i) {
      if ((!dead_.empty() && (dead_[i] & state) != 0) || !may_go_on(steps_)) return bury(at, i);
      const char c = html_[i];
      if (state != outside) {
        if (c == (state == in_single ? '\'' : '"')) state = outside;
      } else if (c == '"' || c == '\'') {
        state = c == '"' ? in_double : in_single;
      } else if (c == '>') {
        return i + 1;
      }
    }
    return bury(at, html_.size());
  }
  /// Behind the `-->` of a comment.
  std::size_t comment(std::size_t at) {
    if (at >= no_comment_from_) return std::string_view::npos;
    const std::size_t end = html_.find("-->", at);
    if (end != std::string_view::npos) return end + 3;
    no_comment_from_ = at;
    return end;
  }

 private:
  enum State : std::uint8_t { outside = 1, in_double = 2, in_single = 4 };

  // Walks the way from `at` to `to` again, and marks each place with the state that failed there.
  std::size_t bury(std::size_t at, std::size_t to) {
    if (dead_.empty()) dead_.resize(html_.size(), 0);
    State state = outside;
    for (std::size_t i = at + 1; i < to; ++i) {
      dead_[i] = static_cast<std::uint8_t>(dead_[i] | state);
      const char c = html_[i];
      if (state != outside) {
        if (c == (state == in_single ? '\'' : '"')) state = outside;
      } else if (c == '"' || c == '\'') {
        state = c == '"' ? in_double : in_single;
      }
    }
    return std::string_view::npos;
  }

  std::string_view html_;
  os::Steps* steps_;
  std::vector<std::uint8_t> dead_;  // by place: the states from which no tag closes
  std::size_t no_comment_from_ = SIZE_MAX;
};

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

FilteredText strip_html(std::string_view html, os::Steps* steps) {
  FilteredWriter out(html);
  TagEnds tags(html, steps);
  for (std::size_t at = 0; at < html.size() && may_go_on(steps);) {
    const std::size_t next = html.find_first_of("<&", at);
    if (next == std::string_view::npos) {
      out.copy(at, html.size());
      break;
    }
    out.copy(at, next);
    at = next;
    if (html[at] == '&') {
      const std::size_t size = html.substr(at, 11).find(';');  // the longest name that is known
      const std::string text = size == std::string_view::npos
                                   ? std::string()
                                   : entity_text(html.substr(at + 1, size - 1));
      if (!text.empty()) {
        out.replace(at + size + 1, text);
        at += size + 1;
        continue;
      }
    } else if (const std::size_t behind =
                   html.substr(at).starts_with("<!--") ? tags.comment(at) : tags.find(at);
               behind != std::string_view::npos) {
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
  // The longest key that fits wins; of two equal ones the first.
  std::unordered_map<std::string, std::string> known;
  std::set<std::size_t, std::greater<>> sizes;
  for (auto& [from, to] : pairs) {
    if (from.empty()) continue;
    sizes.insert(from.size());
    known.try_emplace(std::move(from), std::move(to));
  }
  return [known = std::move(known), sizes = std::move(sizes)](std::string_view text,
                                                              os::Steps* steps) {
    FilteredWriter out(text);
    for (std::size_t at = 0; at < text.size() && may_go_on(steps);) {
      const auto size = std::find_if(sizes.begin(), sizes.end(), [&](std::size_t n) {
        return n <= text.size() - at && known.contains(std::string(text.substr(at, n)));
      });
      if (size == sizes.end()) {
        out.copy(at, at + 1);
        ++at;
        continue;
      }
      out.replace(at + *size, known.at(std::string(text.substr(at, *size))));
      at += *size;
    }
    return out.take();
  };
}

std::shared_ptr<const Analyzer> filtered_further(std::shared_ptr<const Analyzer> inner,
                                                 std::vector<FilterPtr> filters) {
  return make_chain(
      {},
      [inner = std::move(inner)](std::string_view text, Tokens& out) { inner->analyze(text, out); },
      std::move(filters));
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
