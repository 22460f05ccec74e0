// SPDX-License-Identifier: Apache-2.0
// The `analysis` settings of an index, made into analyzers.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "text/analyzer.h"
#include "text/chain.h"
#include "text/filters.h"
#include "text/stemming.h"
#include "text/stop_words.h"
#include "text/words.h"

namespace cairn::text {
namespace {

// A text grows by so much at most, whatever the settings say.
constexpr std::size_t mapping_key_bytes = 256;
constexpr std::size_t shingle_sizes_apart = 3;
constexpr std::size_t shingle_words = 64;

Error wrong(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = std::move(message)};
}

// Settings come as numbers or as text.
std::int64_t number_of(const Json& settings, std::string_view name, std::int64_t fallback) {
  const Json* value = settings.find(name);
  if (value == nullptr) return fallback;
  if (value->is_integer()) return value->as_int();
  if (value->is_string()) return parse_number<std::int64_t>(value->as_string()).value_or(fallback);
  return fallback;
}

std::size_t count_of(const Json& settings, std::string_view name, std::size_t fallback) {
  const auto value = number_of(settings, name, static_cast<std::int64_t>(fallback));
  return value < 0 ? fallback : static_cast<std::size_t>(value);
}

bool flag_of(const Json& settings, std::string_view name, bool fallback) {
  const Json* value = settings.find(name);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->as_bool();
  return value->is_string() ? value->as_string() == "true" : fallback;
}

std::vector<std::string> names_of(const Json* value) {
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (value->is_string()) {
    for (const auto piece : split(value->as_string(), ',')) out.emplace_back(trim(piece));
  } else if (value->is_array()) {
    for (const Json& element : value->as_array())
      if (element.is_string()) out.push_back(element.as_string());
  }
  return out;
}

std::string_view stemmer_algorithm(std::string_view language) {
  static constexpr std::pair<std::string_view, std::string_view> aliases[] = {
      {"english", "porter"},
      {"porter2", "english"},
      {"light_english", "porter"},
      {"light_german", "german"},
      {"german2", "german"},
      {"minimal_german", "german"},
      {"light_french", "french"},
      {"minimal_french", "french"},
      {"light_spanish", "spanish"},
      {"light_italian", "italian"},
      {"light_portuguese", "portuguese"},
      {"minimal_portuguese", "portuguese"},
      {"portuguese_rslp", "portuguese"},
      {"brazilian", "portuguese"},
      {"light_russian", "russian"},
      {"light_finnish", "finnish"},
      {"light_swedish", "swedish"},
      {"light_hungarian", "hungarian"},
      {"light_norwegian", "norwegian"},
      {"light_nynorsk", "norwegian"}};
  for (const auto& [alias, algorithm] : aliases)
    if (alias == language) return algorithm;
  return language;
}

Result<std::string> stop_list(const Json* value) {
  if (value == nullptr) return std::string(stop_words("english"));
  if (value->is_string()) {
    const std::string& name = value->as_string();
    if (name == "_none_") return std::string();
    if (name.size() > 2 && name.front() == '_' && name.back() == '_') {
      const auto words = stop_words(std::string_view(name).substr(1, name.size() - 2));
      if (words.empty()) return wrong("no stop words are known for [" + name + "]");
      return std::string(words);
    }
  }
  return join(names_of(value), " ");
}

Result<FilterPtr> stem_by(std::string_view language) {
  if (language == "possessive_english") return possessive_filter();
  const std::string name = lower_ascii(language);
  const std::string_view algorithm = stemmer_algorithm(name);
  if (!Stemmer::exists(algorithm))
    return wrong("Invalid stemmer class specified: [" + std::string(language) + "]");
  return stem_filter(algorithm);
}

Result<FilterPtr> sized_shingles(const Json& s) {
  const std::size_t min = count_of(s, "min_shingle_size", 2);
  const std::size_t max = count_of(s, "max_shingle_size", std::max<std::size_t>(min, 2));
  const bool unigrams = flag_of(s, "output_unigrams", true);
  if (min < 2 || max < min)
    return wrong("the shingle filter needs 2 <= min_shingle_size <= max_shingle_size, but has [" +
                 std::to_string(min) + "] and [" + std::to_string(max) + "]");
  const std::size_t apart = max - min + (unigrams ? 1 : 0);
  if (apart > shingle_sizes_apart || max > shingle_words)
    return wrong(
        "In Shingle TokenFilter the difference between max_shingle_size and min_shingle_size (and "
        "+1 if outputting unigrams) must be less than or equal to: [" +
        std::to_string(shingle_sizes_apart) + "] but was [" + std::to_string(apart) +
        "], and a shingle may have [" + std::to_string(shingle_words) + "] words");
  return shingle_filter(min, max, unigrams);
}

Result<FilterPtr> sized_filter(std::string_view type, const Json& s) {
  if (type == "length") return length_filter(count_of(s, "min", 0), count_of(s, "max", SIZE_MAX));
  if (type == "truncate") return truncate_filter(count_of(s, "length", 10));
  if (type == "shingle") return sized_shingles(s);
  const bool edge = type == "edge_ngram" || type == "edgeNGram";
  const std::size_t min = count_of(s, "min_gram", 1);
  const std::size_t max = count_of(s, "max_gram", 2);
  if (min == 0 || min > max || (!edge && max - min > 10))
    return wrong("the ngram filter needs 1 <= min_gram <= max_gram, at most 10 apart, but has [" +
                 std::to_string(min) + "] and [" + std::to_string(max) + "]");
  return ngram_filter(min, max, edge, flag_of(s, "preserve_original", false));
}

Result<FilterPtr> make_filter(std::string_view type, const Json& s) {
  if (type == "lowercase") return lowercase_filter();
  if (type == "uppercase") return uppercase_filter();
  if (type == "asciifolding" || type == "icu_folding" || type == "cjk_width")
    return folding_filter();
  if (type == "trim") return trim_filter();
  if (type == "reverse") return reverse_filter();
  if (type == "unique" || type == "remove_duplicates") return unique_filter();
  if (type == "porter_stem") return stem_filter("porter");
  if (type == "cjk_bigram") return cjk_bigram_filter();
  if (type == "apostrophe") return possessive_filter();
  if (type == "elision") return elision_filter(join(names_of(s.find("articles")), " "));
  if (type == "stop") {
    CAIRN_TRY(const std::string words, stop_list(s.find("stopwords")));
    return stop_filter(words);
  }
  if (type == "stemmer" || type == "snowball") {
    const std::string language = s.string_or("language", s.string_or("name", "english"));
    return stem_by(language);
  }
  for (const std::string_view sized :
       {"length", "truncate", "shingle", "ngram", "nGram", "edge_ngram", "edgeNGram"})
    if (type == sized) return sized_filter(type, s);
  return wrong("Unknown filter type [" + std::string(type) + "]");
}

Splitter ngram_splitter(std::size_t min, std::size_t max, bool edge) {
  return [filter = ngram_filter(min, max, edge, false)](std::string_view text, Tokens& out) {
    const std::size_t first = out.list.size();
    split_nothing(text, out);
    filter->run(out, first);
    // Pieces of a splitter stand one behind the other.
    std::uint32_t position = first < out.list.size() ? out.list[first].position : 0;
    for (std::size_t i = first; i < out.list.size(); ++i) out.list[i].position = position++;
    out.positions = std::max(out.positions, position);
  };
}

Result<Splitter> make_splitter(std::string_view type, const Json& s) {
  const WordOptions options{.max_length = static_cast<std::uint32_t>(std::clamp<std::size_t>(
                                count_of(s, "max_token_length", 255), 1, 1u << 20))};
  if (type == "standard" || type == "icu_tokenizer" || type == "uax_url_email")
    return Splitter([options](std::string_view t, Tokens& out) { split_words(t, options, out); });
  if (type == "whitespace")
    return Splitter(
        [options](std::string_view t, Tokens& out) { split_whitespace(t, options, out); });
  if (type == "letter" || type == "lowercase") {
    const WordOptions own{.lowercase = type == "lowercase", .max_length = options.max_length};
    return Splitter([own](std::string_view t, Tokens& out) { split_letters(t, own, out); });
  }
  if (type == "keyword") return Splitter(split_nothing);
  if (type == "ngram" || type == "edge_ngram") {
    const std::size_t min = count_of(s, "min_gram", 1);
    const std::size_t max = count_of(s, "max_gram", 2);
    if (min == 0 || min > max || max > 64) return wrong("wrong min_gram or max_gram");
    return ngram_splitter(min, max, type == "edge_ngram");
  }
  return wrong("Unknown tokenizer type [" + std::string(type) + "]");
}

Result<CharFilter> make_char_filter(std::string_view type, const Json& s) {
  if (type == "html_strip") return html_strip_filter();
  if (type != "mapping") return wrong("Unknown char_filter type [" + std::string(type) + "]");
  std::vector<std::pair<std::string, std::string>> pairs;
  const Json* rules = s.find("mappings");
  if (rules != nullptr && rules->is_array()) {
    for (const Json& rule : rules->as_array()) {
      if (!rule.is_string()) return wrong("[mappings] must hold texts");
      const std::string& text = rule.as_string();
      const auto arrow = text.find("=>");
      if (arrow == std::string::npos) return wrong("Invalid Mapping Rule : [" + text + "]");
      const auto key = trim(std::string_view(text).substr(0, arrow));
      if (key.size() > mapping_key_bytes)
        return wrong("the left side of a rule of [mappings] may have " +
                     std::to_string(mapping_key_bytes) + " bytes, but one has [" +
                     std::to_string(key.size()) + "]");
      pairs.emplace_back(key, trim(std::string_view(text).substr(arrow + 2)));
    }
  }
  return mapping_char_filter(std::move(pairs));
}

/// The pieces that settings define, by name; a name that is not defined is a type of its own.
class Pieces {
 public:
  explicit Pieces(const Json& analysis) : analysis_(analysis) {}

  Result<Splitter> splitter(const std::string& name) const {
    const auto [type, settings] = look_up("tokenizer", name);
    return make_splitter(type, settings);
  }
  Status filters(const Json& list) const { return status_of(filters(&list)); }
  Status char_filters(const Json& list) const { return status_of(char_filters(&list)); }
  Result<std::vector<FilterPtr>> filters(const Json* list) const {
    std::vector<FilterPtr> out;
    for (const std::string& name : names_of(list)) {
      const auto [type, settings] = look_up("filter", name);
      CAIRN_TRY(auto filter, make_filter(type, settings));
      out.push_back(std::move(filter));
    }
    return out;
  }
  Result<std::vector<CharFilter>> char_filters(const Json* list) const {
    std::vector<CharFilter> out;
    for (const std::string& name : names_of(list)) {
      const auto [type, settings] = look_up("char_filter", name);
      CAIRN_TRY(auto filter, make_char_filter(type, settings));
      out.push_back(std::move(filter));
    }
    return out;
  }

 private:
  template <class T>
  static Status status_of(const Result<T>& made) {
    return made.ok() ? ok_status() : Status(made.error());
  }
  std::pair<std::string, Json> look_up(std::string_view kind, const std::string& name) const {
    const Json* of_kind = analysis_.find(kind);
    const Json* own = of_kind == nullptr ? nullptr : of_kind->find(name);
    if (own == nullptr || !own->is_object()) return {name, Json::object()};
    return {own->string_or("type", name), *own};
  }
  const Json& analysis_;
};

Result<std::shared_ptr<const Analyzer>> make_analyzer(const Pieces& pieces, const Json& s) {
  const std::string type = s.string_or("type", "custom");
  if (type != "custom") {
    const auto named = named_analyzer(type);
    if (named == nullptr) return wrong("Unknown analyzer type [" + type + "]");
    if (s.find("stopwords") == nullptr || (type != "standard" && type != "stop")) return named;
    CAIRN_TRY(const std::string words, stop_list(s.find("stopwords")));
    CAIRN_TRY(auto splitter, make_splitter(type == "standard" ? type : "lowercase", s));
    return make_chain({}, std::move(splitter), {lowercase_filter(), stop_filter(words)});
  }
  const std::string tokenizer = s.string_or("tokenizer");
  if (tokenizer.empty()) return wrong("a custom analyzer must name a [tokenizer]");
  CAIRN_TRY(auto splitter, pieces.splitter(tokenizer));
  CAIRN_TRY(auto filters, pieces.filters(s.find("filter")));
  CAIRN_TRY(auto char_filters, pieces.char_filters(s.find("char_filter")));
  return make_chain(std::move(char_filters), std::move(splitter), std::move(filters));
}

Result<std::shared_ptr<const Analyzer>> make_normalizer(const Pieces& pieces, const Json& s) {
  CAIRN_TRY(auto filters, pieces.filters(s.find("filter")));
  CAIRN_TRY(auto char_filters, pieces.char_filters(s.find("char_filter")));
  return make_chain(std::move(char_filters), split_nothing, std::move(filters));
}

}  // namespace

namespace {

/// Lists of an analyzer name pieces, and hold nothing else.
Status check_names(const std::string& analyzer, const Json& own) {
  for (const std::string member : {"tokenizer", "filter", "char_filter"}) {
    const Json* given = own.find(member);
    if (given == nullptr || given->is_null() || given->is_string()) continue;
    const bool list = member != "tokenizer" && given->is_array() &&
                      std::all_of(given->as_array().begin(), given->as_array().end(),
                                  [](const Json& each) { return each.is_string(); });
    if (!list)
      return wrong("[" + member + "] of analyzer [" + analyzer +
                   "] names what is defined in [analysis." + member + "]; it cannot be defined here");
  }
  return ok_status();
}

}  // namespace

Status Analyzers::check(const Json& analysis) {
  CAIRN_CHECK(parse(analysis));
  if (!analysis.is_object()) return ok_status();
  const Pieces pieces(analysis);
  for (const auto& [group, settings] : analysis.as_object())
    for (const auto& [name, own] : settings.as_object()) {
      if (!own.is_object()) return wrong("[" + group + "." + name + "] must be an object");
      if (group == "tokenizer") {
        CAIRN_CHECK(pieces.splitter(name));
      } else if (group == "filter") {
        CAIRN_CHECK(pieces.filters(Json(Json::Array{name})));
      } else if (group == "char_filter") {
        CAIRN_CHECK(pieces.char_filters(Json(Json::Array{name})));
      } else {
        CAIRN_CHECK(check_names(name, own));
      }
    }
  return ok_status();
}

Result<Analyzers> Analyzers::parse(const Json& analysis) {
  Analyzers out;
  if (analysis.is_null()) return out;
  if (!analysis.is_object()) return wrong("[analysis] must be an object");
  const Pieces pieces(analysis);
  for (const auto& [group, settings] : analysis.as_object()) {
    const bool normalizers = group == "normalizer";
    if (!normalizers && group != "analyzer") {
      if (group == "tokenizer" || group == "filter" || group == "char_filter") continue;
      return wrong("unknown setting [index.analysis." + group + "]");
    }
    if (!settings.is_object()) return wrong("[analysis." + group + "] must be an object");
    for (const auto& [name, own] : settings.as_object()) {
      if (!own.is_object()) return wrong("analyzer [" + name + "] must be an object");
      auto made = normalizers ? make_normalizer(pieces, own) : make_analyzer(pieces, own);
      if (!made) return with_context(std::move(made).error(), "analyzer [" + name + "]");
      (normalizers ? out.normalizers_ : out.own_).emplace_back(name, std::move(*made));
    }
  }
  return out;
}

std::shared_ptr<const Analyzer> Analyzers::find(std::string_view name) const {
  for (const auto& [own, analyzer] : own_)
    if (own == name) return analyzer;
  return named_analyzer(name);
}

std::shared_ptr<const Analyzer> Analyzers::normalizer(std::string_view name) const {
  for (const auto& [own, analyzer] : normalizers_)
    if (own == name) return analyzer;
  if (name != "lowercase") return nullptr;
  static const auto lowercase = make_chain({}, split_nothing, {lowercase_filter()});
  return lowercase;
}

}  // namespace cairn::text
