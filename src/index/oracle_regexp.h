// SPDX-License-Identifier: Apache-2.0
// The slow, obvious meaning of a regular expression, for tests: every way of sharing a text out
// among the pieces of a pattern is tried, and nothing is built.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace cairn::index::oracle {

/// Letters, . * + ? {n,m} | & ~ ( ) [ ] and @, without escapes. Ends of what matches from `from`
/// on.
class RegexpMeaning {
 public:
  explicit RegexpMeaning(std::string_view text) : text_(text) {}
  bool matches(std::string_view pattern) { return ends(pattern, 0).contains(text_.size()); }

 private:
  using Ends = std::set<std::size_t>;

  // Where a sign stands outside of brackets; npos where it does not.
  static std::size_t outside(std::string_view pattern, char sign) {
    int depth = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '(' || pattern[i] == '[') ++depth;
      if (pattern[i] == ')' || pattern[i] == ']') --depth;
      if (depth == 0 && pattern[i] == sign) return i;
    }
    return std::string_view::npos;
  }

  Ends ends(std::string_view pattern, std::size_t from) {
    if (const auto at = outside(pattern, '|'); at != std::string_view::npos) {
      Ends out = ends(pattern.substr(0, at), from);
      out.merge(ends(pattern.substr(at + 1), from));
      return out;
    }
    if (const auto at = outside(pattern, '&'); at != std::string_view::npos) {
      const Ends right = ends(pattern.substr(at + 1), from);
      Ends out;
      for (const std::size_t end : ends(pattern.substr(0, at), from))
        if (right.contains(end)) out.insert(end);
      return out;
    }
    if (pattern.empty()) return {from};
    const std::size_t atom = atom_size(pattern);
    const std::size_t whole = atom + signs_size(pattern.substr(atom));
    Ends out;
    for (const std::size_t end :
         repeated(pattern.substr(0, atom), pattern.substr(atom, whole - atom), from))
      out.merge(ends(pattern.substr(whole), end));
    return out;
  }

  static std::size_t atom_size(std::string_view pattern) {
    if (pattern[0] == '~') return 1 + atom_size(pattern.substr(1));
    if (pattern[0] == '[') return pattern.find(']') + 1;
    if (pattern[0] != '(') return 1;
    int depth = 0;
    for (std::size_t i = 0;; ++i) {
      if (pattern[i] == '(') ++depth;
      if (pattern[i] == ')' && --depth == 0) return i + 1;
    }
  }
  static std::size_t signs_size(std::string_view rest) {
    std::size_t size = 0;
    while (size < rest.size() &&
           std::string_view("*+?{").find(rest[size]) != std::string_view::npos)
      size = rest[size] == '{' ? rest.find('}', size) + 1 : size + 1;
    return size;
  }

  Ends repeated(std::string_view atom, std::string_view signs, std::size_t from) {
    if (signs.empty()) return one(atom, from);
    // The last sign is the outermost.
    const bool counted = signs.back() == '}';
    const std::size_t at = counted ? signs.rfind('{') : signs.size() - 1;
    const std::string_view sign = signs.substr(at), inner = signs.substr(0, at);
    std::size_t least = sign == "+" ? 1 : 0, most = sign == "?" ? 1 : text_.size() + 1;
    if (counted) {
      const std::string numbers(sign.substr(1, sign.size() - 2));
      least = std::stoul(numbers);
      const auto comma = numbers.find(',');
      if (comma == std::string::npos)
        most = least;
      else if (comma + 1 < numbers.size())
        most = std::stoul(numbers.substr(comma + 1));
    }
    Ends now = {from}, out;
    if (least == 0) out = now;
    for (std::size_t i = 1; i <= most && !now.empty(); ++i) {
      Ends next;
      for (const std::size_t end : now) next.merge(repeated(atom, inner, end));
      now = std::move(next);
      if (i >= least) out.insert(now.begin(), now.end());
      if (i > least + text_.size()) break;
    }
    return out;
  }

  Ends one(std::string_view atom, std::size_t from) {
    if (atom[0] == '(') return ends(atom.substr(1, atom.size() - 2), from);
    Ends all;
    for (std::size_t end = from; end <= text_.size(); ++end) all.insert(end);
    if (atom == "@") return all;
    if (atom[0] == '~') {
      for (const std::size_t end : one(atom.substr(1), from)) all.erase(end);
      return all;
    }
    if (from >= text_.size()) return {};
    const bool fits =
        atom == "." || (atom[0] == '[' ? in_class(atom, text_[from]) : atom[0] == text_[from]);
    return fits ? Ends{from + 1} : Ends{};
  }

  static bool in_class(std::string_view atom, char c) {
    const bool negated = atom[1] == '^';
    bool found = false;
    for (std::size_t i = negated ? 2 : 1; i + 1 < atom.size(); ++i) {
      const bool range = atom[i + 1] == '-';
      found |= range ? c >= atom[i] && c <= atom[i + 2] : c == atom[i];
      if (range) i += 2;
    }
    return found != negated;
  }

  std::string_view text_;
};

}  // namespace cairn::index::oracle
