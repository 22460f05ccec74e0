// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_links.h"

#include <algorithm>
#include <map>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t page_links_max = 10'000;
constexpr std::size_t link_bytes_max = 2048;
constexpr std::size_t attributes_max = 64;  // of a tag

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// The character of "&amp;" and "&#38;" at the beginning, and how long that is; 0: it is none.
std::size_t entity_at(std::string_view text, std::string& out) {
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos) return 0;
  const std::string_view name = text.substr(1, end - 1);
  constexpr std::pair<std::string_view, char> known[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [word, character] : known)
    if (name == word) {
      out += character;
      return end + 1;
    }
  if (!name.starts_with('#') || name.size() < 2) return 0;
  std::uint32_t code = 0;
  const bool hex = name[1] == 'x' || name[1] == 'X';
  for (const char c : name.substr(hex ? 2 : 1)) {
    const char lower = static_cast<char>(c | 0x20);
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (hex && lower >= 'a' && lower <= 'f') digit = lower - 'a' + 10;
    if (digit < 0 || code > 0x10ffff) return 0;
    code = code * (hex ? 16 : 10) + static_cast<std::uint32_t>(digit);
  }
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  append_utf8(out, code);
  return end + 1;
}

std::string entities_resolved(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = text[i] == '&' ? entity_at(text.substr(i), out) : 0;
    if (size == 0) out += text[i];
    i += std::max<std::size_t>(size, 1);
  }
  return out;
}

/// What it sees is gone from its text.
class TagReader {
 public:
  explicit TagReader(std::string_view html) : rest_(html) {}

  /// False at the end. Afterwards name() and attributes are those of the next start tag.
  bool next() {
    for (;;) {
      const std::size_t at = rest_.find('<');
      if (at == std::string_view::npos) return false;
      rest_.remove_prefix(at + 1);
      if (rest_.starts_with("!--")) {
        if (!pass("-->")) return false;
        continue;
      }
      if (rest_.empty() || (rest_[0] | 0x20) < 'a' || (rest_[0] | 0x20) > 'z') continue;
      name_ = lower_ascii(take_while([](char c) { return !is_blank(c) && c != '>' && c != '/'; }));
      read_attributes();
      if (name_ == "script" || name_ == "style" || name_ == "textarea" || name_ == "title")
        if (!pass_end()) return false;
      return true;
    }
  }

  const std::string& name() const { return name_; }
  std::string_view attribute(std::string_view name) const {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? std::string_view() : found->second;
  }

 private:
  template <class Fits>
  std::string_view take_while(Fits fits) {
    std::size_t end = 0;
    while (end < rest_.size() && fits(rest_[end])) ++end;
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }

  bool pass(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }

  /// Past the end tag of an element that holds no other.
  bool pass_end() {
    while (pass("</"))
      if (equals_ignore_case(rest_.substr(0, name_.size()), name_)) return true;
    return false;
  }

  void read_attributes() {
    attributes_.clear();
    for (;;) {
      take_while([](char c) { return is_blank(c) || c == '/'; });
      if (rest_.empty() || rest_[0] == '>') return;
      const std::string name = lower_ascii(
          take_while([](char c) { return !is_blank(c) && c != '=' && c != '>' && c != '/'; }));
      take_while(is_blank);
      std::string_view value;
      if (rest_.starts_with('=')) {
        rest_.remove_prefix(1);
        take_while(is_blank);
        value = take_value();
      }
      // The first of a name counts.
      if (attributes_.size() < attributes_max && name.size() < 32) attributes_.emplace(name, value);
    }
  }

  std::string_view take_value() {
    if (!rest_.starts_with('"') && !rest_.starts_with('\''))
      return take_while([](char c) { return !is_blank(c) && c != '>'; });
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    const auto value = take_while([quote](char c) { return c != quote; });
    if (!rest_.empty()) rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  std::string name_;
  std::map<std::string, std::string_view, std::less<>> attributes_;
};

bool has_word(std::string_view text, std::string_view word) {
  for (const auto some : split(text, ' '))
    if (equals_ignore_case(trim(some), word)) return true;
  return false;
}

std::string link_of(std::string_view value) {
  if (value.size() > 4 * link_bytes_max) return {};
  std::string link = entities_resolved(trim(value));
  if (link.size() > link_bytes_max) link.clear();
  return link;
}

void add_wish(std::string_view word, CrawlWishes& wishes) {
  const bool none = equals_ignore_case(word, "none");
  if (none || equals_ignore_case(word, "noindex")) wishes.noindex = true;
  if (none || equals_ignore_case(word, "nofollow")) wishes.nofollow = true;
}

}  // namespace

void add_wishes(std::string_view field, std::string_view agent, CrawlWishes& wishes) {
  bool is_ours = true;
  for (std::string_view word : split(field, ',')) {
    word = trim(word);
    const std::size_t colon = word.find(':');
    if (colon != std::string_view::npos) {
      // "name: noindex"; other directives have values behind a colon too.
      const std::string name = lower_ascii(trim(word.substr(0, colon)));
      if (name.starts_with("max-") || name == "unavailable_after") continue;
      is_ours = equals_ignore_case(name, agent);
      word = trim(word.substr(colon + 1));
    }
    if (is_ours) add_wish(word, wishes);
  }
}

PageLinks read_page_links(std::string_view html, std::string_view agent) {
  PageLinks out;
  TagReader tags(html);
  while (tags.next()) {
    const std::string& name = tags.name();
    const std::string_view rel = tags.attribute("rel");
    if (name == "a" || name == "area") {
      if (out.links.size() >= page_links_max || has_word(rel, "nofollow")) continue;
      if (std::string link = link_of(tags.attribute("href")); !link.empty())
        out.links.push_back(std::move(link));
    } else if (name == "base") {
      if (out.base.empty()) out.base = link_of(tags.attribute("href"));
    } else if (name == "link") {
      if (out.canonical.empty() && has_word(rel, "canonical"))
        out.canonical = link_of(tags.attribute("href"));
    } else if (name == "meta") {
      const std::string_view whom = tags.attribute("name");
      if (!equals_ignore_case(whom, "robots") && !equals_ignore_case(whom, agent)) continue;
      for (const auto word : split(tags.attribute("content"), ','))
        add_wish(trim(word), out.wishes);
    }
  }
  return out;
}

}  // namespace cairn::connectors
