// SPDX-License-Identifier: Apache-2.0
#include "inference/quotes/sources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace cairn::inference {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_mark_bytes = 64;
constexpr std::size_t most_name_bytes = 200;
constexpr std::size_t numbered_kind = 1;
constexpr std::size_t named_kind = 2;
constexpr std::size_t first_label_kind = 3;  // and one of each label
constexpr std::array source_labels{"source:"sv, "title:"sv, "document:"sv, "file:"sv, "url:"sv};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// A line that may begin a source.
struct Candidate {
  std::size_t kind = 0;  // 0: none
  SourceBegin begin = {};
  std::size_t number = 0;
  bool begins_paragraph = false;
};

/// The label of a line, as its kind; 0: none.
std::size_t label_kind(std::string_view line) {
  for (std::size_t i = 0; i < source_labels.size(); ++i)
    if (equals_ignore_case(line.substr(0, source_labels[i].size()), source_labels[i]))
      return first_label_kind + i;
  return 0;
}

bool is_number(std::string_view name) {
  return name.size() <= 4 && std::all_of(name.begin(), name.end(), is_digit) &&
         (name.front() != '0' || name.size() == 1);
}

/// "[guide.md]", but not "[x]", "[INFO]", "[client]", or "[2026-01-01 ...]".
bool is_name(std::string_view name) {
  const bool is_date = name.size() > 4 && name[4] == '-' &&
                       std::all_of(name.begin(), name.begin() + 4, is_digit);
  return !is_date && std::any_of(name.begin(), name.end(), is_letter) &&
         std::any_of(name.begin(), name.end(),
                     [](char c) { return is_digit(c) || c == '.' || c == '/'; });
}

/// Of a line "[1] text" or "[name]: text". Links and their definitions are none.
Candidate bracketed(std::string_view line) {
  const std::size_t end = line.find(']');
  if (!line.starts_with('[') || end == std::string_view::npos || end > most_mark_bytes || end < 2)
    return {};
  const std::string_view name = line.substr(1, end - 1);
  std::string_view rest = line.substr(end + 1);
  if (name.find('[') != std::string_view::npos || rest.starts_with('(')) return {};
  Candidate out;
  if (is_number(name)) {
    out.kind = numbered_kind;
    for (const char c : name) out.number = out.number * 10 + static_cast<std::size_t>(c - '0');
  } else if (is_name(name)) {
    out.kind = named_kind;
  }
  if (rest.starts_with(':')) {
    rest = trim(rest.substr(1));
    if (rest.substr(0, rest.find(' ')).find("://") != std::string_view::npos) return {};
  }
  out.begin.mark = line.substr(0, end + 1);
  out.begin.text = line.size() - rest.size();
  return out;
}

Candidate candidate_of(std::string_view line) {
  if (line.starts_with('[')) return bracketed(line);
  Candidate out;
  const std::string_view name = source_name(line);
  if (name.empty()) return out;
  out.kind = label_kind(line);
  out.begin.mark = "[" + std::string(name) + "]";
  out.begin.text = line.size();
  return out;
}

struct Found {
  std::vector<Candidate> all = {};
  std::size_t first_words = std::string_view::npos;  // the first line that is not blank
};

Found candidates_of(std::string_view text) {
  Found out;
  bool behind_blank = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trim(text.substr(begin, end - begin));
    if (!line.empty()) {
      out.first_words = std::min(out.first_words, begin);
      if (Candidate one = candidate_of(line); one.kind > 0) {
        one.begins_paragraph = behind_blank;
        one.begin.line = begin;
        one.begin.text += static_cast<std::size_t>(line.data() - text.data());
        out.all.push_back(std::move(one));
      }
    }
    behind_blank = line.empty();
    begin = end + 1;
  }
  return out;
}

/// Those of one kind from the first on, numbers one after the other.
std::vector<SourceBegin> begins_of(const std::vector<Candidate>& all, std::size_t first,
                                   bool only_paragraphs) {
  std::vector<SourceBegin> out;
  std::size_t number = all[first].number;
  for (std::size_t i = first; i < all.size(); ++i) {
    const Candidate& one = all[i];
    if (one.kind != all[first].kind || one.number != number) continue;
    if (only_paragraphs && i > first && !one.begins_paragraph) continue;
    out.push_back(one.begin);
    if (one.kind == numbered_kind) ++number;
  }
  return out;
}

/// The first of each kind, in their order.
std::vector<std::size_t> firsts_of(const std::vector<Candidate>& all) {
  std::array<bool, first_label_kind + source_labels.size()> seen{};
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (seen[all[i].kind] || all[i].number > 1) continue;
    seen[all[i].kind] = true;
    out.push_back(i);
  }
  return out;
}

Sources beginning_at(const Found& found, std::size_t first) {
  Sources out;
  out.begins = begins_of(found.all, first, true);
  if (out.begins.size() < 2) out.begins = begins_of(found.all, first, false);
  out.are_numbered = found.all[first].kind == numbered_kind;
  out.are_first = out.begins.front().line == found.first_words;
  return out;
}

}  // namespace

std::string_view source_name(std::string_view line) {
  const std::size_t kind = label_kind(line);
  if (kind == 0) return {};
  const std::string_view name = trim(line.substr(source_labels[kind - first_label_kind].size()));
  return name.size() <= most_name_bytes ? name : std::string_view();
}

Sources sources_of(std::string_view text) {
  const Found found = candidates_of(text);
  Sources out;
  for (const std::size_t first : firsts_of(found.all)) {
    Sources one = beginning_at(found, first);
    if (one.begins.size() > 1) return one;
    if (out.begins.empty() && (one.are_numbered || one.are_list())) out = std::move(one);
  }
  return out;
}

}  // namespace cairn::inference
