// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/strings.h"
#include "search/errors.h"
#include "search/read/text_options.h"
#include "search/reader.h"
#include "text/analyzer.h"
#include "text/words.h"

namespace cairn::search {
namespace {

constexpr std::size_t suggesters_max = 10;
constexpr std::size_t words_max = 100;  // of one text
constexpr float accuracy = 0.5f;        // what scores less is no suggestion

std::size_t suggest_letters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) text::next_code_point(text, at);
  return count;
}

Status read_numbers(Reader& in, TermSuggester& out) {
  CAIRN_TRY(out.size, read_unsigned(in, "size", 5));
  CAIRN_TRY(out.max_edits, read_unsigned(in, "max_edits", 2));
  CAIRN_TRY(out.prefix_length, read_unsigned(in, "prefix_length", 1));
  CAIRN_TRY(out.min_word_length, read_unsigned(in, "min_word_length", 4));
  CAIRN_TRY(const auto least, in.number("min_doc_freq"));
  CAIRN_TRY(const auto most, in.number("max_term_freq"));
  out.min_doc_freq = least.value_or(0);
  out.max_term_freq = most.value_or(0.01);
  if (out.size == 0) return illegal_argument("size must be positive");
  if (out.max_edits < 1 || out.max_edits > 2)
    return illegal_argument("maxEdits must be between 1 and 2");
  if (out.min_doc_freq < 0 || out.max_term_freq < 0)
    return illegal_argument("[min_doc_freq] and [max_term_freq] must be positive");
  for (const double freq : {out.min_doc_freq, out.max_term_freq})
    if (freq > 1 && freq != std::floor(freq))
      return illegal_argument("frequencies of more than 1 must be whole numbers");
  return ok_status();
}

Status read_choices(Reader& in, TermSuggester& out) {
  CAIRN_TRY(const std::string sort, in.string_or("sort", "score"));
  CAIRN_TRY(const std::string mode, in.string_or("suggest_mode", "missing"));
  CAIRN_TRY(const std::string distance, in.string_or("string_distance", "internal"));
  if (sort != "score" && sort != "frequency")
    return illegal_argument("Illegal sort [" + sort + "]; use score or frequency");
  if (mode != "missing" && mode != "popular" && mode != "always")
    return illegal_argument("Illegal suggest_mode [" + mode + "]; use missing, popular or always");
  if (distance != "internal" && distance != "damerau_levenshtein")
    return not_offered("string_distance " + distance, "leave it out: edits are counted");
  out.sort = sort == "score" ? TermSuggester::Sort::score : TermSuggester::Sort::frequency;
  out.mode = mode == "missing"   ? TermSuggester::Mode::missing
             : mode == "popular" ? TermSuggester::Mode::popular
                                 : TermSuggester::Mode::always;
  return ok_status();
}

Result<TermSuggester> read_term(std::string_view text, const std::string& name, const Json& json,
                                const std::string& common) {
  if (!json.is_object())
    return parsing_error(text, "suggest." + name, "[suggest] [" + name + "] must be an object");
  Reader in(json, text, "suggest." + name, "suggest", Reader::Style::query);
  TermSuggester out{.name = name, .text = {}, .field = {}};
  CAIRN_TRY(out.text, in.string_or("text", common));
  for (const std::string_view other : {"phrase", "completion", "prefix", "regex"})
    if (in.any(other) != nullptr)
      return not_offered("suggest by " + std::string(other), "use the [term] suggester");
  CAIRN_TRY(const Json* term, in.object("term"));
  CAIRN_CHECK(in.finish());
  if (term == nullptr)
    return illegal_argument("suggestion does not support [" + name + "]: it needs a [term]");
  Reader inside(*term, text, "suggest." + name + ".term", "term", Reader::Style::query);
  CAIRN_TRY(out.field, inside.string_or("field", ""));
  CAIRN_TRY(out.analyzer, inside.string_or("analyzer", ""));
  CAIRN_CHECK(read_numbers(inside, out));
  CAIRN_CHECK(read_choices(inside, out));
  CAIRN_CHECK(inside.finish());
  if (out.field.empty()) return illegal_argument("the required field option is missing");
  if (out.text.empty()) return illegal_argument("The required text option is missing");
  return out;
}

struct Option {
  std::string text;
  float score = 0;
  std::uint64_t freq = 0;
};

/// The words of the text as the field of one of the targets has them.
Result<text::Tokens> words_of_text(const TermSuggester& by, const Execution& execution) {
  std::shared_ptr<const text::Analyzer> analyzer;
  bool found = execution.targets().empty();
  for (const Target& target : execution.targets()) {
    const index::Mapping& mapping = target.view->mapping();
    const index::Field* field = mapping.find(by.field);
    if (field == nullptr) continue;
    found = true;
    if (field->type != index::FieldType::text && field->type != index::FieldType::keyword)
      return illegal_argument("[term] suggests words of texts and keywords, not of [" + by.field +
                              "] of type [" + std::string(index::name_of(field->declared_type())) +
                              "]");
    if (analyzer != nullptr) continue;
    if (!by.analyzer.empty())
      analyzer = mapping.analyzers().find(by.analyzer);
    else
      analyzer = field->type == index::FieldType::text ? field->search_analysis
                                                       : text::named_analyzer("keyword");
    if (analyzer == nullptr)
      return illegal_argument("analyzer [" + by.analyzer + "] doesn't exists");
  }
  if (!found) return illegal_argument("no mapping found for field [" + by.field + "]");
  text::Tokens out;
  out.most = words_max;
  if (analyzer != nullptr) analyzer->analyze(by.text, out);
  if (out.cut)
    return illegal_argument("a text to suggest words for may have [" + std::to_string(words_max) +
                            "] words");
  return out;
}

/// What is in the index of one word.
struct Known {
  std::uint64_t documents = 0;  // in all
  std::uint64_t doc_freq = 0;   // that have the word
};

Result<Known> known_of(const std::string& word, const TermSuggester& by,
                       const Execution& execution) {
  Known out;
  for (const Target& target : execution.targets()) {
    CAIRN_TRY(const auto own, target.view->term_statistics(by.field, word, execution.until()));
    out.doc_freq += own.doc_freq;
    out.documents += target.view->document_count() + target.view->deleted_count();
  }
  return out;
}

bool is_right(const Known& known, const TermSuggester& by) {
  if (by.mode == TermSuggester::Mode::missing && known.doc_freq > 0) return true;
  const double most = by.max_term_freq >= 1
                          ? by.max_term_freq
                          : std::ceil(by.max_term_freq * static_cast<double>(known.documents));
  return static_cast<double>(known.doc_freq) > most;
}

/// As few documents have a word that is no suggestion.
std::uint64_t too_rare(const Known& known, const TermSuggester& by) {
  double out = by.mode == TermSuggester::Mode::popular ? static_cast<double>(known.doc_freq) : 0;
  if (by.min_doc_freq >= 1)
    out = std::max(out, by.min_doc_freq);
  else if (by.min_doc_freq > 0)
    out = std::max(out, std::floor(by.min_doc_freq * static_cast<double>(known.documents)) - 1);
  return static_cast<std::uint64_t>(std::max(out, 0.0));
}

/// What an alias hides would show in the words that are suggested.
Status check_whole(const Execution& execution) {
  for (const Target& target : execution.targets())
    if (target.filter != nullptr)
      return not_offered("suggest through an alias with a filter", "name the index");
  return ok_status();
}

Result<std::vector<Option>> options_for(const std::string& word, const TermSuggester& by,
                                        const Execution& execution) {
  std::vector<Option> out;
  const std::size_t length = suggest_letters(word);
  if (length < by.min_word_length) return out;
  CAIRN_TRY(const Known known, known_of(word, by, execution));
  if (is_right(known, by)) return out;
  std::map<std::string, index::SimilarTerm> found;
  for (const Target& target : execution.targets()) {
    CAIRN_TRY(const auto own, target.view->similar_terms(by.field, word, by.max_edits,
                                                         by.prefix_length, execution.until()));
    for (const index::SimilarTerm& one : own) {
      auto& all = found[one.term];
      all.edits = one.edits;
      all.doc_freq += one.doc_freq;
    }
  }
  const std::uint64_t rare = too_rare(known, by);
  for (const auto& [term, one] : found) {
    const auto shorter = static_cast<float>(std::min(length, suggest_letters(term)));
    const float score = 1 - static_cast<float>(one.edits) / std::max(shorter, 1.0f);
    if (one.doc_freq > rare && score >= accuracy)
      out.push_back({.text = term, .score = score, .freq = one.doc_freq});
  }
  const bool by_score = by.sort == TermSuggester::Sort::score;
  std::stable_sort(out.begin(), out.end(), [&](const Option& a, const Option& b) {
    if (by_score && a.score != b.score) return a.score > b.score;
    if (a.freq != b.freq) return a.freq > b.freq;
    return a.score > b.score;
  });
  if (out.size() > by.size) out.resize(by.size);
  return out;
}

/// UTF-16 units, as clients count characters.
std::size_t units_in(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

Result<Json> suggested(const TermSuggester& by, const Execution& execution) {
  CAIRN_TRY(const text::Tokens tokens, words_of_text(by, execution));
  Json out = Json::array();
  for (const text::Token& token : tokens.list) {
    const std::string word(tokens.term(token));
    CAIRN_TRY(const auto options, options_for(word, by, execution));
    Json shown = Json::array();
    for (const Option& one : options)
      shown.push(
          Json::object({{"text", one.text}, {"score", one.score}, {"freq", Json(one.freq)}}));
    const std::string_view text = by.text;
    out.push(Json::object({{"text", word},
                           {"offset", units_in(text.substr(0, token.start))},
                           {"length", units_in(text.substr(token.start, token.end - token.start))},
                           {"options", std::move(shown)}}));
  }
  return out;
}

}  // namespace

Result<std::vector<TermSuggester>> read_suggest(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "suggest", "[suggest] must be an object");
  std::string common;
  if (const Json* given = json.find("text")) {
    if (!given->is_string()) return parsing_error(text, "suggest.text", "[text] must be a text");
    common = given->as_string();
  }
  std::vector<TermSuggester> out;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "text") continue;
    if (out.size() == suggesters_max)
      return illegal_argument("[suggest] takes [" + std::to_string(suggesters_max) +
                              "] suggesters at most");
    CAIRN_TRY(auto one, read_term(text, name, value, common));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Json> run_suggest(const std::vector<TermSuggester>& suggesters, const Execution& execution,
                         bool typed_keys) {
  CAIRN_CHECK(check_whole(execution));
  Json out = Json::object();
  for (const TermSuggester& by : suggesters) {
    CAIRN_TRY(auto one, suggested(by, execution));
    out.set(typed_keys ? "term#" + by.name : by.name, std::move(one));
  }
  return out;
}

}  // namespace cairn::search
