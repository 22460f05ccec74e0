// SPDX-License-Identifier: Apache-2.0
// A parser by descent: clauses with conjunctions, then what a clause is.
#include "search/read/query_string.h"

#include <algorithm>

#include "base/strings.h"
#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/simple_query_string.h"
#include "search/read/text_options.h"
#include "text/analyzer.h"

namespace cairn::search {
namespace {

using index::Query;

enum class Occur { should, must, must_not };
struct Clause {
  Occur occur;
  Query query;
};

using Fields = WeightedFields;

constexpr std::size_t groups_max = 20;  // one in another

class Parser {
 public:
  Parser(std::string_view text, const QueryStringOptions& options)
      : text_(text), options_(options) {}

  Result<Query> parse() {
    auto query = clauses(options_.fields, 0);
    if (leaves_ > options_.max_clauses)
      return illegal_argument("Query contains too many nested clauses; maxClauseCount is set to " +
                              std::to_string(options_.max_clauses));
    if (!query.ok()) return query;
    if (at_ < text_.size()) return fault();  // past it: a sign of no clause at the end
    if (auto* all = std::get_if<index::BoolQuery>(&query->node);
        all != nullptr && !all->should.empty())
      all->minimum_should_match = options_.minimum_should_match;
    return query;
  }

 private:
  enum class Join { none, and_, or_ };

  Error fault() const {
    return {.kind = ErrorKind::invalid_argument,
            .code = "query_shard_exception",
            .message = "Failed to parse query [" + std::string(text_) + "]"};
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string::npos)
      ++at_;
  }
  bool done() {
    skip_space();
    return at_ >= text_.size();
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && std::string_view(" \t\n(\"").find(text_[end]) == std::string::npos)
      return false;
    at_ = end;
    return true;
  }

  Join join() {
    if (take_word("AND") || take_word("&&")) return Join::and_;
    if (take_word("OR") || take_word("||")) return Join::or_;
    return Join::none;
  }

  Result<Query> clauses(const Fields& fields, std::size_t depth) {
    std::vector<Clause> list;
    if (depth > groups_max) return fault();
    while (!done()) {
      if (text_[at_] == ')') break;
      const Join joined = join();
      if (done() || text_[at_] == ')') {
        if (joined != Join::none) return fault();
        break;
      }
      const bool required = take('+');
      const bool prohibited = take('-') || take('!') || take_word("NOT");
      skip_space();
      if (joined == Join::none && !required && !prohibited && takes_texts(fields)) {
        const std::string run = words_in_a_row();
        if (!run.empty()) {
          nothing_ = false;
          add(list, joined, false, false, words(fields, run));
          continue;
        }
      }
      const std::size_t before = at_;
      nothing_ = false;
      CAIRN_TRY(Query query, primary(fields, depth));
      if (at_ == before) return fault();  // nothing that makes a clause
      add(list, joined, required, prohibited, std::move(query));
    }
    return combine(std::move(list));
  }

  void add(std::vector<Clause>& list, Join joined, bool required, bool prohibited, Query query) {
    const bool and_default = options_.default_operator == index::Operator::and_;
    if (!list.empty() && list.back().occur != Occur::must_not) {
      if (joined == Join::and_) list.back().occur = Occur::must;
      if (and_default && joined == Join::or_) list.back().occur = Occur::should;
    }
    if (nothing_) return;
    Occur occur = Occur::should;
    if (prohibited)
      occur = Occur::must_not;
    else if (required || joined == Join::and_ || (and_default && joined != Join::or_))
      occur = Occur::must;
    list.push_back({occur, std::move(query)});
  }

  Query combine(std::vector<Clause> list) {
    nothing_ = list.empty();
    if (list.empty()) return {.node = index::MatchNoneQuery{}};
    if (list.size() == 1 && list.front().occur != Occur::must_not)
      return std::move(list.front().query);
    index::BoolQuery all;
    for (Clause& clause : list) {
      auto& place = clause.occur == Occur::must     ? all.must
                    : clause.occur == Occur::should ? all.should
                                                    : all.must_not;
      place.push_back(std::move(clause.query));
    }
    return {.node = std::move(all)};
  }

  Result<Query> primary(const Fields& fields, std::size_t depth) {
    const auto name = field_name();
    if (!name) return without_name(fields, depth);
    if (done()) return fault();
    if (*name == "_exists_") return Query{.node = index::ExistsQuery{word()}};
    if (*name == "*" && take('*')) return Query{.node = index::MatchAllQuery{}};
    if (field_name()) return fault();
    const bool many = options_.expand && name->find('*') != std::string::npos;
    if (!many) return without_name(Fields{{*name, 1.0f}}, depth);
    CAIRN_TRY(const Fields fields_of_name, options_.expand(*name));
    return without_name(fields_of_name, depth);
  }

  Result<Query> without_name(const Fields& fields, std::size_t depth) {
    if (take('(')) {
      CAIRN_TRY(Query inner, clauses(fields, depth + 1));
      if (!take(')')) return fault();
      inner.boost *= boost();
      return inner;
    }
    if (take('"')) return phrase(fields);
    if (take('/')) return regexp(fields);
    if (at_ < text_.size() && std::string_view("[{<>").find(text_[at_]) != std::string::npos)
      return range(fields);
    return term(fields);
  }

  /// A word ahead that is nothing but a word, and where it ends.
  std::optional<std::string> plain_word(std::size_t& end) const {
    std::string out;
    const auto in = [](std::string_view signs, char c) {
      return signs.find(c) != std::string_view::npos;
    };
    if (end >= text_.size() || in("+-!/\"([{<>", text_[end])) return std::nullopt;
    for (; end < text_.size() && !in(" \t\r\n()", text_[end]); ++end) {
      if (in("*?\"[]{}^~:", text_[end])) return std::nullopt;
      if (text_[end] == '\\' && end + 1 < text_.size()) ++end;
      out += text_[end];
    }
    const bool joins = out == "AND" || out == "OR" || out == "NOT" || out == "&&" || out == "||";
    if (out.empty() || joins) return std::nullopt;
    return out;
  }

  std::size_t behind_space(std::size_t at) const {
    while (at < text_.size() && std::string_view(" \t\r\n").find(text_[at]) != std::string::npos)
      ++at;
    return at;
  }

  /// Two words or more with nothing between them are one text, which each field is asked for as a
  /// whole. The word before a conjunction is not of them. Empty where there are no two.
  std::string words_in_a_row() {
    std::string run;
    std::size_t count = 0;
    for (std::size_t at = at_;; ++count) {
      std::size_t end = at;
      const auto word = plain_word(end);
      if (!word) break;
      const std::size_t next = behind_space(end);
      if (count > 0 && is_conjunction(next)) break;
      run += (count > 0 ? " " : "") + *word;
      taken_ = end;
      at = next;
    }
    if (count < 2) return "";
    at_ = taken_;
    return run;
  }

  bool is_conjunction(std::size_t at) const {
    for (const std::string_view word : {"AND", "OR", "NOT", "&&", "||"}) {
      const std::size_t end = at + word.size();
      if (text_.substr(at, word.size()) == word &&
          (end >= text_.size() ||
           std::string_view(" \t\n(\"").find(text_[end]) != std::string::npos))
        return true;
    }
    return at < text_.size() && text_[at] == '!';
  }

  /// Words of one text field are looked for each by itself: that comes to the same.
  bool takes_texts(const Fields& fields) const {
    return fields.size() > 1 || (fields.size() == 1 && options_.takes_values &&
                                 options_.takes_values(fields.front().first));
  }

  Query words(const Fields& fields, const std::string& text) {
    return on_fields(
        fields, 1,
        [&](const std::string& name) -> Query::Node {
          index::MatchQuery match{.field = name, .value = text};
          match.op = options_.default_operator;
          match.analyzer = options_.analyzer;
          return match;
        },
        text);
  }

  // "name:" ahead.
  std::optional<std::string> field_name() {
    std::size_t end = at_;
    std::string name;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '\\' && end + 1 < text_.size()) {
        name += text_[end + 1];
        end += 2;
        continue;
      }
      if (c == ':') break;
      if (std::string_view(" \t\r\n()[]{}\"^~<>").find(c) != std::string::npos) return std::nullopt;
      name += c;
      ++end;
    }
    if (end >= text_.size() || name.empty()) return std::nullopt;
    at_ = end + 1;
    return name;
  }

  float boost() {
    if (!take('^')) return 1;
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
      ++at_;
    return parse_number<float>(text_.substr(start, at_ - start)).value_or(1);
  }

  std::optional<std::string> tilde() {
    if (!take('~')) return std::nullopt;
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  /// One leaf for each field that the text has words of (a pattern is no text); the best of them
  /// counts.
  template <class Make>
  Query on_fields(const Fields& fields, float boosted, Make make, const std::string& text = "") {
    index::DisMaxQuery any;
    leaves_ += fields.size();
    if (leaves_ > options_.max_clauses) {
      at_ = text_.size();  // parse() refuses: nothing behind is read
      return {.node = index::MatchNoneQuery{}};
    }
    for (const auto& [name, weight] : fields)
      if (text.empty() || !options_.has_words || options_.has_words(name, text))
        any.queries.push_back({.node = make(name), .boost = weight, .lenient = options_.lenient});
    nothing_ = any.queries.empty() && !fields.empty();
    if (any.queries.empty()) return {.node = index::MatchNoneQuery{}};
    if (any.queries.size() == 1) {
      Query one = std::move(any.queries.front());
      one.boost *= boosted;
      return one;
    }
    return {.node = std::move(any), .boost = boosted};
  }

  Result<Query> phrase(const Fields& fields) {
    std::string words;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      words += text_[at_++];
    }
    if (!take('"')) return fault();
    std::size_t slop = options_.phrase_slop;
    if (const auto given = tilde()) slop = parse_number<std::size_t>(*given).value_or(slop);
    return on_fields(
        fields, boost(),
        [&](const std::string& name) -> Query::Node {
          return index::MatchPhraseQuery{
              .field = name, .value = words, .slop = slop, .analyzer = options_.analyzer};
        },
        words);
  }

  // /a pattern/, in which \/ is a slash.
  Result<Query> regexp(const Fields& fields) {
    std::string pattern;
    while (at_ < text_.size() && text_[at_] != '/') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) pattern += text_[at_++];
      pattern += text_[at_++];
    }
    if (!take('/')) return fault();
    return on_fields(fields, boost(), [&](const std::string& name) -> Query::Node {
      return index::RegexpQuery{
          .field = name, .value = pattern, .max_states = options_.max_regexp_states};
    });
  }

  std::string word(bool* escaped = nullptr) {
    std::string out;
    const std::string_view ends = " \t\r\n()\"^~]}";
    while (at_ < text_.size() && ends.find(text_[at_]) == std::string::npos) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        if (escaped != nullptr && (text_[at_] == '*' || text_[at_] == '?')) *escaped = true;
      }
      out += text_[at_++];
    }
    return out;
  }

  Result<Query> range(const Fields& fields) {
    index::RangeQuery range;
    if (take('>')) {
      const bool inclusive = take('=');
      (inclusive ? range.gte : range.gt) = Json(word());
    } else if (take('<')) {
      const bool inclusive = take('=');
      (inclusive ? range.lte : range.lt) = Json(word());
    } else {
      const bool from_here = text_[at_++] == '[';
      skip_space();
      const std::string low = word();
      skip_space();
      if (!take_word("TO")) return fault();
      skip_space();
      const std::string high = word();
      skip_space();
      const bool to_here = take(']');
      if (!to_here && !take('}')) return fault();
      if (low != "*") (from_here ? range.gte : range.gt) = Json(low);
      if (high != "*") (to_here ? range.lte : range.lt) = Json(high);
    }
    return on_fields(fields, boost(), [&](const std::string& name) -> Query::Node {
      index::RangeQuery one = range;
      one.field = name;
      one.time_zone = options_.time_zone;
      return one;
    });
  }

  Result<Query> term(const Fields& fields) {
    bool escaped = false;
    const std::string text = word(&escaped);
    if (text.empty()) return Query{.node = index::MatchNoneQuery{}};
    std::optional<std::string> fuzzy = tilde();
    const float boosted = boost();
    if (text == "*" && !escaped && options_.every_field && &fields == &options_.fields)
      return Query{.node = index::MatchAllQuery{}, .boost = boosted};
    if (text == "*" && !escaped)
      return on_fields(fields, boosted, [&](const std::string& name) -> Query::Node {
        return index::ExistsQuery{name};
      });
    const bool wild = !escaped && text.find_first_of("*?") != std::string::npos;
    if (wild && !options_.allow_leading_wildcard && (text[0] == '*' || text[0] == '?'))
      return fault();
    if (wild)
      return on_fields(fields, boosted, [&](const std::string& name) -> Query::Node {
        return index::WildcardQuery{
            name, options_.in_letters_of ? options_.in_letters_of(name, text) : text};
      });
    return on_fields(
        fields, boosted,
        [&](const std::string& name) -> Query::Node {
          index::MatchQuery match{.field = name, .value = text};
          match.op = options_.default_operator;
          match.analyzer = options_.analyzer;
          if (fuzzy) match.fuzziness = fuzzy->empty() ? options_.fuzziness : *fuzzy;
          return match;
        },
        text);
  }

  std::string_view text_;
  const QueryStringOptions& options_;
  std::size_t at_ = 0;
  bool nothing_ = false;   // what was read last has no words
  std::size_t taken_ = 0;  // where the last word of a run ends
  std::size_t leaves_ = 0;
};

}  // namespace

Result<Query> parse_query_string(std::string_view text, const QueryStringOptions& options) {
  return Parser(text, options).parse();
}

/// Patterns are no words, so that they cannot be analysed; but their letters are as the words' are.
std::string QueryReader::in_letters_of(const std::string& field, const std::string& analyzer,
                                       const std::string& pattern) const {
  const index::Field* found = mapping_.find(field);
  auto analysis = found == nullptr ? nullptr : found->search_analysis;
  if (!analyzer.empty()) analysis = mapping_.analyzers().find(analyzer);
  if (analysis == nullptr || text::terms_of(*analysis, "Q") != std::vector<std::string>{"q"})
    return pattern;
  std::string out;
  text::append_lowercase(out, pattern);
  return out;
}

/// Whether a text has words once it is analysed as words of the field are.
bool QueryReader::has_words(const std::string& field, const std::string& analyzer,
                            const std::string& words) const {
  const index::Field* found = mapping_.find(field);
  if (found == nullptr || found->type != index::FieldType::text) return true;
  auto analysis = found->search_analysis;
  if (!analyzer.empty()) analysis = mapping_.analyzers().find(analyzer);
  if (analysis == nullptr) return true;  // the plan says what is wrong
  text::Tokens tokens;
  tokens.most = 1;
  analysis->analyze(words, tokens);
  return !tokens.list.empty();
}

Result<Query> QueryReader::read_query_string(const Json& body, const std::string& path) {
  return read_string(body, path, false);
}

Result<Query> QueryReader::read_simple_query_string(const Json& body, const std::string& path) {
  return read_string(body, path, true);
}

Result<Query> QueryReader::read_string(const Json& body, const std::string& path, bool simple) {
  const std::string name = simple ? "simple_query_string" : "query_string";
  Reader in = reader(body, path, name, Reader::Style::query);
  CAIRN_TRY(const auto text, in.string("query"));
  if (!text) return parsing_error(text_, path, "[" + name + "] must be provided with a [query]");
  CAIRN_TRY(auto patterns, in.strings("fields"));
  QueryStringOptions options;
  CAIRN_TRY(const std::string op, in.string_or("default_operator", "or"));
  if (lower_ascii(op) == "and")
    options.default_operator = index::Operator::and_;
  else if (lower_ascii(op) != "or")
    return illegal_argument("operator needs to be either OR or AND, but not [" + op + "]");
  if (!simple) {
    CAIRN_TRY(const auto field, in.string("default_field"));
    if (field && patterns)
      return illegal_argument(
          "[query_string] cannot use [fields] parameter in conjunction with [default_field]");
    if (field && *field != "*") patterns = std::vector<std::string>{*field};
    CAIRN_TRY(options.allow_leading_wildcard, in.boolean_or("allow_leading_wildcard", true));
    CAIRN_TRY(options.fuzziness, in.string_or("fuzziness", "AUTO"));
    CAIRN_TRY(const auto slop, in.integer("phrase_slop"));
    options.phrase_slop = static_cast<std::size_t>(std::max<std::int64_t>(slop.value_or(0), 0));
    CAIRN_TRY(options.time_zone, in.string_or("time_zone", ""));
    CAIRN_TRY(options.max_regexp_states, read_regexp_states(in, options_.max_regexp_states));
  }
  CAIRN_TRY(options.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(options.minimum_should_match, in.string_or("minimum_should_match", ""));
  if (!patterns && !default_fields_.empty()) patterns = default_fields_;
  options.every_field = !patterns || *patterns == std::vector<std::string>{"*"};
  CAIRN_TRY(options.lenient, in.boolean_or("lenient", options.every_field));
  CAIRN_TRY(options.fields, expand(patterns.value_or(std::vector<std::string>{})));
  CAIRN_CHECK(check_copies(*text, options.fields.size()));
  options.max_clauses = options_.max_clauses;
  options.expand = [this](const std::string& pattern) { return expand({pattern}); };
  options.in_letters_of = [this, analyzer = options.analyzer](const std::string& field,
                                                              const std::string& pattern) {
    return in_letters_of(field, analyzer, pattern);
  };
  options.has_words = [this, analyzer = options.analyzer](const std::string& field,
                                                          const std::string& words) {
    return has_words(field, analyzer, words);
  };
  options.takes_values = [this](const std::string& field) {
    const index::Field* found = mapping_.find(field);
    return found != nullptr && found->search_analysis == nullptr;
  };
  CAIRN_TRY(Query query, simple ? parse_simple_query_string(*text, options)
                                : parse_query_string(*text, options));
  CAIRN_TRY(const Query outer, made(query.node, in, query.lenient));
  query.boost *= outer.boost;
  query.label = outer.label;
  return query;
}

}  // namespace cairn::search
