// SPDX-License-Identifier: Apache-2.0
// A parser by descent, rule by rule as the engine's documentation has them.
#include "index/patterns/regexp_syntax.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "index/errors.h"
#include "index/patterns/regexp_interval.h"
#include "text/words.h"

namespace cairn::index {
namespace {

using Kind = RegexpNode::Kind;
using Range = RegexpNode::Range;

constexpr std::size_t groups_max = 200;             // one in another
constexpr std::uint32_t repetitions_max = 100'000;  // more than any program may have parts

RegexpTree node(Kind kind) {
  auto out = std::make_unique<RegexpNode>();
  out->kind = kind;
  return out;
}

RegexpTree characters(std::vector<Range> ranges) {
  RegexpTree out = node(Kind::characters);
  out->ranges = std::move(ranges);
  return out;
}

RegexpTree any_character() { return characters({{0, RegexpNode::last_character}}); }

RegexpTree repeated(RegexpTree part, std::uint32_t least, std::uint32_t most) {
  RegexpTree out = node(Kind::repeat);
  out->parts.push_back(std::move(part));
  out->least = least;
  out->most = most;
  return out;
}

RegexpTree joined(Kind kind, std::vector<RegexpTree> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  RegexpTree out = node(kind);
  out->parts = std::move(parts);
  return out;
}

/// All characters but these.
std::vector<Range> others(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<Range> out;
  char32_t next = 0;
  for (const auto& [low, high] : ranges) {
    if (low > next) out.emplace_back(next, static_cast<char32_t>(low - 1));
    next = std::max(next, static_cast<char32_t>(high + 1));
  }
  if (next <= RegexpNode::last_character) out.emplace_back(next, RegexpNode::last_character);
  return out;
}

class Parser {
 public:
  Parser(std::string_view pattern, std::uint32_t flags, bool fold) : flags_(flags), fold_(fold) {
    for (std::size_t at = 0; at < pattern.size();)
      letters_.push_back(text::next_code_point(pattern, at));
  }

  Result<RegexpTree> parse() {
    if (letters_.empty()) return node(Kind::sequence);
    CAIRN_TRY(RegexpTree out, alternatives());
    if (more()) return expected("end-of-string");
    return out;
  }

 private:
  bool more() const { return at_ < letters_.size(); }
  bool peek(std::u32string_view any) const {
    return more() && any.find(letters_[at_]) != std::u32string_view::npos;
  }
  bool take(char32_t c) {
    if (!more() || letters_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool has(std::uint32_t flag) const { return (flags_ & flag) != 0; }
  Error fault(const std::string& what) const {
    return illegal_argument(what + " at position " + std::to_string(at_));
  }
  Error expected(const std::string& what) const { return fault(what + " expected"); }

  Result<RegexpTree> alternatives() {
    std::vector<RegexpTree> parts;
    do {
      CAIRN_TRY(RegexpTree one, intersections());
      parts.push_back(std::move(one));
    } while (take('|'));
    return joined(Kind::any_of, std::move(parts));
  }

  Result<RegexpTree> intersections() {
    std::vector<RegexpTree> parts;
    do {
      CAIRN_TRY(RegexpTree one, sequence());
      parts.push_back(std::move(one));
    } while (has(regexp_flags::intersection) && take('&'));
    return joined(Kind::all_of, std::move(parts));
  }

  Result<RegexpTree> sequence() {
    std::vector<RegexpTree> parts;
    do {
      CAIRN_TRY(RegexpTree one, repetition());
      parts.push_back(std::move(one));
    } while (more() && !peek(U")|") && !(has(regexp_flags::intersection) && peek(U"&")));
    return joined(Kind::sequence, std::move(parts));
  }

  Result<RegexpTree> repetition() {
    CAIRN_TRY(RegexpTree out, complement());
    std::size_t count = 0;
    while (peek(U"?*+{")) {
      if (++count > groups_max) return too_deep();
      if (take('?')) {
        out = repeated(std::move(out), 0, 1);
      } else if (take('*')) {
        out = repeated(std::move(out), 0, RegexpNode::no_end);
      } else if (take('+')) {
        out = repeated(std::move(out), 1, RegexpNode::no_end);
      } else {
        ++at_;
        CAIRN_TRY(out, counted(std::move(out)));
      }
    }
    return out;
  }

  Result<RegexpTree> counted(RegexpTree part) {
    const auto least = number();
    if (!least) return expected("integer");
    std::uint32_t most = *least;
    if (take(',')) most = number().value_or(RegexpNode::no_end);
    if (!take('}')) return expected("'}'");
    if (*least > most)
      return illegal_argument("invalid repetition range(out of order): " + std::to_string(*least) +
                              ".." + std::to_string(most));
    return repeated(std::move(part), *least, most);
  }

  std::optional<std::uint32_t> number() {
    const std::size_t start = at_;
    std::uint32_t out = 0;
    for (; peek(U"0123456789"); ++at_)
      out = std::min(repetitions_max, out * 10 + static_cast<std::uint32_t>(letters_[at_] - '0'));
    return start == at_ ? std::nullopt : std::optional(out);
  }

  Error too_deep() const {
    return illegal_argument("a regular expression may have groups " + std::to_string(groups_max) +
                            " deep at most");
  }

  Result<RegexpTree> complement() {
    if (!has(regexp_flags::complement) || !take('~')) return character_class();
    if (++depth_ > groups_max) return too_deep();
    CAIRN_TRY(RegexpTree part, complement());
    --depth_;
    RegexpTree out = node(Kind::none_of);
    out->parts.push_back(std::move(part));
    return out;
  }

  Result<RegexpTree> character_class() {
    if (!take('[')) return simple();
    const bool negated = take('^');
    std::vector<Range> ranges;
    do {
      CAIRN_CHECK(add_to_class(ranges));
    } while (more() && !peek(U"]"));
    if (!take(']')) return expected("']'");
    return characters(negated ? others(std::move(ranges)) : std::move(ranges));
  }

  Status add_to_class(std::vector<Range>& out) {
    if (auto known = predefined()) {
      out.insert(out.end(), known->begin(), known->end());
      return ok_status();
    }
    CAIRN_TRY(const char32_t low, character());
    if (!take('-')) {
      add_character(low, out);
      return ok_status();
    }
    CAIRN_TRY(const char32_t high, character());
    if (low > high)
      return illegal_argument("invalid range: from (" + std::to_string(low) + ") cannot be > to (" +
                              std::to_string(high) + ")");
    out.emplace_back(low, high);
    return ok_status();
  }

  void add_character(char32_t c, std::vector<Range>& out) const {
    out.emplace_back(c, c);
    if (!fold_ || c > 0x7F) return;
    const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    const char32_t other = upper ? c + 32 : lower ? c - 32 : c;
    if (other != c) out.emplace_back(other, other);
  }

  /// \d, \s, \w and what they leave.
  std::optional<std::vector<Range>> predefined() {
    if (at_ + 1 >= letters_.size() || letters_[at_] != '\\') return std::nullopt;
    const char32_t c = letters_[at_ + 1];
    std::vector<Range> ranges;
    if (c == 'd' || c == 'D')
      ranges = {{'0', '9'}};
    else if (c == 's' || c == 'S')
      ranges = {{' ', ' '}, {'\n', '\n'}, {'\r', '\r'}, {'\t', '\t'}};
    else if (c == 'w' || c == 'W')
      ranges = {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
    else
      return std::nullopt;
    at_ += 2;
    return c < 'a' ? others(std::move(ranges)) : std::move(ranges);
  }

  Result<char32_t> character() {
    take('\\');
    if (!more()) return fault("unexpected end-of-string");
    return letters_[at_++];
  }

  Result<RegexpTree> simple() {
    if (take('.')) return any_character();
    if (has(regexp_flags::empty) && take('#')) return node(Kind::nothing);
    if (has(regexp_flags::anystring) && take('@'))
      return repeated(any_character(), 0, RegexpNode::no_end);
    if (take('"')) return quoted();
    if (take('(')) return group();
    if ((has(regexp_flags::automaton) || has(regexp_flags::interval)) && take('<'))
      return interval();
    if (auto known = predefined()) return characters(std::move(*known));
    CAIRN_TRY(const char32_t c, character());
    std::vector<Range> ranges;
    add_character(c, ranges);
    return characters(std::move(ranges));
  }

  Result<RegexpTree> quoted() {
    RegexpTree out = node(Kind::sequence);
    for (; more() && !peek(U"\""); ++at_) {
      std::vector<Range> ranges;
      add_character(letters_[at_], ranges);
      out->parts.push_back(characters(std::move(ranges)));
    }
    if (!take('"')) return expected("'\"'");
    return out;
  }

  Result<RegexpTree> group() {
    if (take(')')) return node(Kind::sequence);
    if (++depth_ > groups_max) return too_deep();
    CAIRN_TRY(RegexpTree out, alternatives());
    --depth_;
    if (!take(')')) return expected("')'");
    return out;
  }

  Result<RegexpTree> interval() {
    std::string inside;
    for (; more() && !peek(U">"); ++at_) append_utf8(inside, letters_[at_]);
    if (!take('>')) return expected("'>'");
    if (inside.find('-') == std::string::npos) {
      if (!has(regexp_flags::automaton)) return fault("interval syntax error");
      return illegal_argument("'" + inside + "' not found");
    }
    if (!has(regexp_flags::interval)) return fault("illegal identifier");
    RegexpTree out = interval_tree(inside);
    return out == nullptr ? Result<RegexpTree>(fault("interval syntax error")) : std::move(out);
  }

  std::vector<char32_t> letters_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::uint32_t flags_;
  bool fold_;
};

// Whether the node matches one text alone, all of which is in `out` then.
bool add_literal(const RegexpNode& node, std::string& out) {
  if (node.kind == Kind::characters) {
    const bool one = node.ranges.size() == 1 && node.ranges[0].first == node.ranges[0].second;
    if (one) append_utf8(out, node.ranges[0].first);
    return one;
  }
  if (node.kind == Kind::sequence)
    return std::all_of(node.parts.begin(), node.parts.end(),
                       [&](const RegexpTree& part) { return add_literal(*part, out); });
  if (node.kind == Kind::repeat && node.least > 0) add_literal(*node.parts.front(), out);
  return false;
}

}  // namespace

Result<RegexpTree> parse_regexp(std::string_view pattern, std::uint32_t flags, bool fold) {
  return Parser(pattern, flags, fold).parse();
}

std::string literal_prefix(const RegexpNode& node) {
  std::string out;
  add_literal(node, out);
  return out;
}

}  // namespace cairn::index
