// SPDX-License-Identifier: Apache-2.0
#include "search/read/simple_query_string.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {
namespace {

using index::Query;

constexpr std::size_t simple_groups_max = 20;  // one in another; deeper ones open nothing
constexpr std::size_t edits_max = 2;
constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

/// Where the group ends that begins at a place, for each "(" that has its ")".
std::map<std::size_t, std::size_t> groups_of(std::string_view text) {
  std::map<std::size_t, std::size_t> out;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '(')
      open.push_back(i);
    else if (text[i] == ')' && !open.empty()) {
      out.emplace(open.back(), i);
      open.pop_back();
    }
  }
  return out;
}

class SimpleParser {
 public:
  SimpleParser(std::string_view text, const QueryStringOptions& options)
      : text_(text), options_(options), groups_(groups_of(text)) {}

  Result<Query> parse() {
    if (trim(text_) == "*") return Query{.node = index::MatchAllQuery{}};
    Level all = read({0, text_.size()}, 0);
    if (leaves_ > options_.max_clauses)
      return illegal_argument("Query contains too many nested clauses; maxClauseCount is set to " +
                              std::to_string(options_.max_clauses));
    if (!all.top) return Query{.node = index::MatchNoneQuery{}};
    if (auto* clauses = std::get_if<index::BoolQuery>(&all.top->node);
        clauses != nullptr && !clauses->should.empty())
      clauses->minimum_should_match = options_.minimum_should_match;
    return std::move(*all.top);
  }

 private:
  enum class Sign { and_, or_ };
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  /// What was read of a group so far.
  struct Level {
    Range range;
    std::size_t at = 0;
    std::optional<Query> top = {};
    std::optional<Sign> sign = {};  // between `top` and what comes next
    std::optional<Sign> last = {};  // that `top` was put together by
    bool negated = false;
  };

  Level read(Range range, std::size_t depth) {
    Level level{.range = range, .at = range.begin};
    while (level.at < range.end && leaves_ <= options_.max_clauses) {
      const char c = text_[level.at];
      if (c == '-') {
        level.negated = !level.negated;
        ++level.at;
        continue;  // only what follows at once is negated
      }
      if (c == '(')
        group(level, depth);
      else if (c == '"')
        phrase(level);
      else if (c == '+' || c == '|')
        take_sign(level, c == '+' ? Sign::and_ : Sign::or_);
      else if (c == ')' || is_blank(c))
        ++level.at;
      else
        word(level);
      level.negated = false;
    }
    return level;
  }

  /// The first of several signs counts, and none before anything.
  static void take_sign(Level& level, Sign sign) {
    if (!level.sign && level.top) level.sign = sign;
    ++level.at;
  }

  void group(Level& level, std::size_t depth) {
    const auto found = groups_.find(level.at);
    const std::size_t begin = level.at + 1;
    level.at = begin;
    if (found == groups_.end() || found->second >= level.range.end ||
        depth + 1 >= simple_groups_max)
      return;  // opens nothing
    if (found->second == begin) {
      level.sign.reset();  // it was to be of this group, which is empty
    } else {
      Level inner = read({begin, found->second}, depth + 1);
      add(level, std::move(inner.top));
    }
    level.at = found->second + 1;
  }

  void phrase(Level& level) {
    const std::size_t begin = ++level.at;
    std::string words;
    std::size_t i = begin;
    for (; i < level.range.end && text_[i] != '"'; ++i) {
      if (text_[i] == '\\' && i + 1 < level.range.end) ++i;
      words += text_[i];
    }
    if (i >= level.range.end) return;  // a quote that nothing closes is none
    level.at = i + 1;
    if (i == begin) {
      level.sign.reset();
      return;
    }
    std::size_t slop = 0;
    if (level.at < level.range.end && text_[level.at] == '~') slop = number_behind(level);
    add(level, on_fields(0, words, [&](const std::string& name) -> Query::Node {
          return index::MatchPhraseQuery{
              .field = name, .value = words, .slop = slop, .analyzer = options_.analyzer};
        }));
  }

  static bool ends_word(char c) {
    return is_blank(c) || c == '"' || c == '|' || c == '+' || c == '(' || c == ')';
  }

  void word(Level& level) {
    std::string text;
    bool goes_on = false, fuzzy = false;
    while (level.at < level.range.end && !ends_word(text_[level.at])) {
      const char c = text_[level.at];
      if (c == '\\') {
        goes_on = false;
        if (++level.at < level.range.end) text += text_[level.at++];
        continue;
      }
      if (c == '~' && !text.empty()) {
        fuzzy = true;
        break;
      }
      goes_on = c == '*' && !text.empty();
      text += c;
      ++level.at;
    }
    const std::size_t edits = fuzzy ? std::min(number_behind(level, edits_max), edits_max) : 0;
    if (text.empty()) return;
    if (goes_on) text.pop_back();
    add(level, goes_on ? beginning_with(text) : match(text, edits));
  }

  std::optional<Query> beginning_with(const std::string& text) {
    return on_fields(1, "", [&](const std::string& name) -> Query::Node {
      return index::PrefixQuery{name,
                                options_.in_letters_of ? options_.in_letters_of(name, text) : text};
    });
  }

  std::optional<Query> match(const std::string& text, std::size_t edits) {
    return on_fields(1, text, [&](const std::string& name) -> Query::Node {
      index::MatchQuery match{.field = name, .value = text};
      match.op = options_.default_operator;
      match.analyzer = options_.analyzer;
      if (edits > 0) match.fuzziness = std::to_string(edits);
      return match;
    });
  }

  /// The number behind a "~", up to the end of the word; what is no number counts as none.
  std::size_t number_behind(Level& level, std::size_t where_empty = edits_max) {
    const std::size_t begin = ++level.at;
    while (level.at < level.range.end && !ends_word(text_[level.at])) ++level.at;
    const std::string_view digits = text_.substr(begin, level.at - begin);
    return digits.empty() ? where_empty : parse_number<std::size_t>(digits).value_or(0);
  }

  /// A query for each field that the text has words of. Scores of all count (`tie` 1), or of the
  /// best. Nothing where it has words of none.
  template <class Make>
  std::optional<Query> on_fields(float tie, const std::string& text, Make make) {
    index::DisMaxQuery any{.queries = {}, .tie_breaker = tie};
    leaves_ += options_.fields.size();
    if (leaves_ > options_.max_clauses) return std::nullopt;
    if (options_.fields.empty()) return Query{.node = index::MatchNoneQuery{}};
    for (const auto& [name, weight] : options_.fields)
      if (text.empty() || !options_.has_words || options_.has_words(name, text))
        any.queries.push_back({.node = make(name), .boost = weight, .lenient = options_.lenient});
    if (any.queries.empty()) return std::nullopt;
    if (any.queries.size() == 1) return std::move(any.queries.front());
    return Query{.node = std::move(any)};
  }

  /// Puts a query behind what there is.
  void add(Level& level, std::optional<Query> next) {
    if (next && level.negated) next = without(std::move(*next));
    if (next && !level.top) {
      level.top = std::move(next);
    } else if (next) {
      const Sign usual =
          options_.default_operator == index::Operator::and_ ? Sign::and_ : Sign::or_;
      const Sign sign = level.sign.value_or(usual);
      if (level.last != sign) {
        index::BoolQuery around;
        clauses_of(around, sign).push_back(std::move(*level.top));
        level.top = Query{.node = std::move(around)};
      }
      clauses_of(std::get<index::BoolQuery>(level.top->node), sign).push_back(std::move(*next));
      level.last = sign;
    }
    level.sign.reset();
  }

  static std::vector<Query>& clauses_of(index::BoolQuery& query, Sign sign) {
    return sign == Sign::and_ ? query.must : query.should;
  }

  /// All other documents, each of which scores 1.
  static Query without(Query query) {
    index::BoolQuery out;
    out.must_not.push_back(std::move(query));
    out.should.push_back({.node = index::MatchAllQuery{}});
    return {.node = std::move(out)};
  }

  std::string_view text_;
  const QueryStringOptions& options_;
  const std::map<std::size_t, std::size_t> groups_;
  std::size_t leaves_ = 0;
};

}  // namespace

Result<Query> parse_simple_query_string(std::string_view text, const QueryStringOptions& options) {
  return SimpleParser(text, options).parse();
}

}  // namespace cairn::search
