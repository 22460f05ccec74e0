// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/places/name_filter.h"

#include <cstddef>

namespace cairn::cli {
namespace {

/// The character at the beginning: all bytes of its UTF-8.
std::string_view first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return text.substr(0, size);
}

/// Where a set that begins at `[` ends: behind its `]`. 0 where it does not.
std::size_t set_length(std::string_view pattern) {
  std::size_t at = 1;
  if (at < pattern.size() && pattern[at] == '!') ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;  // as the first one it stands for itself
  const auto end = pattern.find(']', at);
  return end == std::string_view::npos ? 0 : end + 1;
}

/// `set` without its brackets. UTF-8 sorts as its characters do.
bool is_in_set(std::string_view set, std::string_view character) {
  const bool negated = set.starts_with("!");
  if (negated) set.remove_prefix(1);
  bool found = false;
  while (!set.empty()) {
    const std::string_view from = first_character(set);
    set.remove_prefix(from.size());
    std::string_view to = from;
    if (set.size() > 1 && set.front() == '-') {
      to = first_character(set.substr(1));
      set.remove_prefix(1 + to.size());
    }
    found = found || (from <= character && character <= to);
  }
  return found != negated;
}

/// What one element of the pattern that is no `*` takes of the name: bytes of the pattern and of
/// the name; nothing of the name where it does not match.
struct Step {
  std::size_t pattern;
  std::size_t name;
};
Step step(std::string_view pattern, std::string_view name) {
  const std::string_view character = first_character(name);
  if (pattern.front() == '?') return {1, character.size()};
  if (const std::size_t length = pattern.front() == '[' ? set_length(pattern) : 0; length > 0)
    return {length, is_in_set(pattern.substr(1, length - 2), character) ? character.size() : 0};
  return {1, pattern.front() == name.front() ? std::size_t{1} : 0};
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // After a failure the last star takes one byte more.
  std::string_view after_star;
  std::string_view name_at_star;
  bool star = false;
  for (;;) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      name_at_star = name;
      star = true;
      continue;
    }
    if (name.empty() && pattern.empty()) return true;
    const Step taken = pattern.empty() || name.empty() ? Step{0, 0} : step(pattern, name);
    if (taken.name > 0) {
      pattern.remove_prefix(taken.pattern);
      name.remove_prefix(taken.name);
      continue;
    }
    if (!star || name_at_star.empty()) return false;
    name_at_star.remove_prefix(first_character(name_at_star).size());
    pattern = after_star;
    name = name_at_star;
  }
}

NameFilter::NameFilter(const Arguments& arguments) {
  for (const auto& [option, pattern] : arguments.in_order())
    if (option == "--include" || option == "--exclude")
      rules_.push_back({option == "--include", pattern});
}

bool NameFilter::takes(std::string_view name) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule)
    if (matches_pattern(rule->pattern, name)) return rule->include;
  return true;
}

}  // namespace cairn::cli
