// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest_phrases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "format/mustache.h"
#include "os/steps.h"
#include "search/errors.h"

namespace cairn::search {
namespace {

std::size_t words_in(std::string_view run, std::string_view separator) {
  std::size_t count = 1;
  for (std::size_t at = run.find(separator); at != std::string_view::npos;
       at = run.find(separator, at + separator.size()))
    ++count;
  return count;
}

/// The words of a text, and how long the runs are that the field has besides.
struct TextWords {
  std::vector<std::string> words;
  std::size_t longest_run = 1;
};

Result<TextWords> text_words(const PhraseSuggester& by, const Execution& execution) {
  CAIRN_TRY(const text::Tokens tokens, words_of(by.text, by.field, by.analyzer, execution));
  TextWords out;
  for (const text::Token& token : tokens.list) {
    const std::string word(tokens.term(token));
    const std::size_t words = words_in(word, by.separator);
    out.longest_run = std::max(out.longest_run, words);
    if (words == 1) out.words.push_back(word);
  }
  if (!out.words.empty() || tokens.list.empty()) return out;
  if (by.force_unigrams && out.longest_run > 1 && tokens.list.size() > 1)
    return illegal_argument("At least one unigram is required but all tokens were ngrams: the "
                            "analyzer of [" + by.field + "] gives runs of words alone; set an "
                            "[analyzer] and a [gram_size]");
  out.longest_run = 1;
  for (const text::Token& token : tokens.list) out.words.emplace_back(tokens.term(token));
  return out;
}

/// As one target that has the analyzer makes them.
Result<std::vector<std::string>> filtered(const std::string& word, const std::string& name,
                                          const Execution& execution) {
  for (const Target& target : execution.targets())
    if (const auto analyzer = target.view->mapping().analyzers().find(name))
      return text::terms_of(*analyzer, word);
  return illegal_argument("Analyzer [" + name + "] doesn't exists");
}

double score_of(std::uint64_t freq, double channel, std::uint64_t all_words) {
  return channel * ((static_cast<double>(freq) + 1) / (static_cast<double>(all_words) + 1));
}

/// The more frequent a word is, the more frequent must be what it stands for.
double least_frequency(std::uint64_t doc_freq, double plateau) {
  const auto freq = static_cast<double>(doc_freq);
  if (doc_freq == 0 || freq <= plateau) return 0;
  return std::max(0.0, std::round(freq * (std::log(freq - plateau) / std::log(5.0)) + 1));
}

/// Corrections of the words of one text.
class Corrections {
 public:
  Corrections(const PhraseSuggester& by, const Execution& execution)
      : by_(by), execution_(execution) {}

  Result<std::vector<PlaceWord>> of(const std::string& word) const {
    const CorrectionSource& first = by_.sources.front();
    CAIRN_TRY(const std::string sought, before(first, word));
    CAIRN_TRY(const WordKnown known, known_of(sought, first.words.field, execution_));
    std::vector<PlaceWord> out = {{.word = word,
                                   .total_freq = known.total_freq,
                                   .score = score_of(known.total_freq, 1, known.all_words),
                                   .is_given = true}};
    for (const CorrectionSource& source : by_.sources)
      CAIRN_CHECK(add(source, word, known.doc_freq, out));
    std::sort(out.begin() + 1, out.end(), [](const PlaceWord& a, const PlaceWord& b) {
      return a.score != b.score ? a.score > b.score : a.word < b.word;
    });
    if (out.size() > by_.most + 1) out.resize(by_.most + 1);
    return out;
  }

 private:
  Result<std::string> before(const CorrectionSource& source, const std::string& word) const {
    if (source.pre_filter.empty()) return word;
    CAIRN_TRY(const auto words, filtered(word, source.pre_filter, execution_));
    return words.empty() ? word : words.back();
  }

  Status add(const CorrectionSource& source, const std::string& word, std::uint64_t doc_freq,
             std::vector<PlaceWord>& out) const {
    CAIRN_TRY(const std::string sought, before(source, word));
    WordRules rules = source.words;
    if (rules.mode != WordRules::Mode::always) {
      CAIRN_TRY(const WordKnown known, known_of(sought, rules.field, execution_));
      const double plateau = rules.min_doc_freq >= 1
                                 ? rules.min_doc_freq
                                 : std::floor(rules.min_doc_freq *
                                              static_cast<double>(known.documents));
      rules.min_doc_freq = std::max(rules.min_doc_freq, least_frequency(doc_freq, plateau));
    }
    CAIRN_TRY(const auto similar, similar_words(sought, rules, execution_));
    for (const SimilarWord& one : similar) {
      CAIRN_TRY(const WordKnown known, known_of(one.text, rules.field, execution_));
      PlaceWord found{.word = one.text,
                      .total_freq = known.total_freq,
                      .channel = one.score,
                      .score = score_of(known.total_freq, one.score, known.all_words)};
      CAIRN_CHECK(add_filtered(source, std::move(found), out));
    }
    return ok_status();
  }

  Status add_filtered(const CorrectionSource& source, PlaceWord found,
                      std::vector<PlaceWord>& out) const {
    if (source.post_filter.empty()) {
      add_once(std::move(found), out);
      return ok_status();
    }
    CAIRN_TRY(const auto words, filtered(found.word, source.post_filter, execution_));
    for (const std::string& word : words) {
      PlaceWord made = found;
      made.word = word;
      if (word != found.word) made.channel = by_.real_word_likelihood;
      add_once(std::move(made), out);
    }
    return ok_status();
  }

  static void add_once(PlaceWord found, std::vector<PlaceWord>& out) {
    const bool known = std::any_of(out.begin() + 1, out.end(),
                                   [&](const PlaceWord& one) { return one.word == found.word; });
    if (!known) out.push_back(std::move(found));
  }

  const PhraseSuggester& by_;
  const Execution& execution_;
};

Result<PhraseModel> model_of(const PhraseSuggester& by, std::size_t longest_run,
                             const Execution& execution) {
  PhraseModel out{.smoothing = by.smoothing,
                  .gram_size = by.gram_size.value_or(std::min<std::size_t>(longest_run, 3)),
                  .separator = by.separator,
                  .real_word_likelihood = by.real_word_likelihood};
  CAIRN_TRY(const WordKnown known, known_of("", by.field, execution));
  out.all_words = known.all_words;
  out.distinct = known.distinct;
  out.frequency = [&by, &execution](const std::string& run) -> Result<std::uint64_t> {
    CAIRN_TRY(const WordKnown own, known_of(run, by.field, execution));
    return own.total_freq;
  };
  return out;
}

/// The text of a choice, with tags around the words that were changed, where there are some.
std::string shown(const Places& places, const Correction& correction, const std::string& before,
                  const std::string& after) {
  std::string out;
  const auto is_given = [&](std::size_t i) { return places[i][correction.choice[i]].is_given; };
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0) out += ' ';
    if (!is_given(i) && (i == 0 || is_given(i - 1))) out += before;
    out += places[i][correction.choice[i]].word;
    if (!is_given(i) && (i + 1 == places.size() || is_given(i + 1))) out += after;
  }
  return out;
}

/// Whether the query that is made for a text finds something.
class Collator {
 public:
  Collator(const PhraseSuggester::Collate& by, Execution& execution)
      : by_(by), execution_(execution) {}

  Result<bool> finds(const std::string& text) {
    CAIRN_TRY(const Mustache read, Mustache::parse(by_.source));
    Json values = by_.values.is_null() ? Json::object() : by_.values;
    values.set("suggestion", text);
    CAIRN_TRY(const std::string made, read.render(values, MustacheEscape::json));
    CAIRN_TRY(const Json query, parse_json(made, {.unique_names = true}));
    CAIRN_TRY(auto queries, execution_.read(query, "suggest"));
    CAIRN_TRY(const PreparedQueries prepared, execution_.prepare(std::move(queries)));
    for (const Prepared& one : prepared) {
      CAIRN_TRY(const std::uint64_t count, one.plan->count(execution_.until()));
      if (count > 0) return true;
    }
    return false;
  }

 private:
  const PhraseSuggester::Collate& by_;
  Execution& execution_;
};

Result<Json> options_of(const PhraseSuggester& by, const Places& places,
                        const std::vector<Correction>& corrections, Execution& execution) {
  Json out = Json::array();
  Collator collator(by.collate, execution);
  for (const Correction& one : corrections) {
    if (out.is_array() && out.as_array().size() == by.size) break;
    const std::string text = shown(places, one, "", "");
    bool fits = true;
    if (!by.collate.source.empty()) {
      CAIRN_TRY(fits, collator.finds(text));
    }
    if (!fits && !by.collate.prune) continue;
    Json option = Json::object({{"text", text}});
    if (by.pre_tag) option.set("highlighted", shown(places, one, *by.pre_tag, *by.post_tag));
    option.set("score", static_cast<float>(one.score));
    if (!by.collate.source.empty() && by.collate.prune) option.set("collate_match", fits);
    out.push(std::move(option));
  }
  return out;
}

Result<Json> options_for(const PhraseSuggester& by, Execution& execution) {
  Json none = Json::array();
  CAIRN_TRY(const TextWords text, text_words(by, execution));
  if (text.words.empty() || text.words.size() >= by.token_limit) return none;
  CAIRN_TRY(const PhraseModel model, model_of(by, text.longest_run, execution));
  if (model.all_words == 0) return none;
  const Corrections corrections(by, execution);
  Places places;
  for (const std::string& word : text.words) {
    CAIRN_TRY(auto words, corrections.of(word));
    places.push_back(std::move(words));
  }
  double cutoff = std::numeric_limits<double>::denorm_min();
  if (by.confidence > 0) {
    CAIRN_TRY(const double given, likelihood(model, places));
    cutoff = given * by.confidence;
  }
  const double changes = by.max_errors >= 1
                             ? by.max_errors
                             : std::round(by.max_errors * static_cast<double>(places.size()));
  os::Steps steps(execution.until(), "correcting a text");
  CAIRN_TRY(const auto best,
            best_corrections(model, places, static_cast<std::size_t>(std::max(1.0, changes)),
                             cutoff, by.most, steps));
  return options_of(by, places, best, execution);
}

}  // namespace

Result<Json> suggest_phrases(const PhraseSuggester& by, Execution& execution) {
  for (const CorrectionSource& source : by.sources) {
    const auto has = [&](const Target& target) {
      return target.view->mapping().find(source.words.field) != nullptr;
    };
    const auto& targets = execution.targets();
    if (!targets.empty() && std::none_of(targets.begin(), targets.end(), has))
      return illegal_argument("no mapping found for field [" + source.words.field + "]");
  }
  CAIRN_TRY(Json options, options_for(by, execution));
  return Json::array({Json::object({{"text", by.text},
                                    {"offset", 0},
                                    {"length", utf16_length(by.text)},
                                    {"options", std::move(options)}})});
}

}  // namespace cairn::search
