// SPDX-License-Identifier: Apache-2.0
#include "search/run/similar_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "search/errors.h"
#include "search/read/text_options.h"
#include "text/analyzer.h"
#include "text/words.h"

namespace cairn::search {
namespace {

constexpr float accuracy = 0.5f;  // what scores less is no suggestion

std::size_t suggest_letters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) text::next_code_point(text, at);
  return count;
}

Status read_numbers(Reader& in, WordRules& out) {
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

Status read_choices(Reader& in, WordRules& out) {
  CAIRN_TRY(const std::string sort, in.string_or("sort", "score"));
  CAIRN_TRY(const std::string mode, in.string_or("suggest_mode", "missing"));
  CAIRN_TRY(const std::string distance, in.string_or("string_distance", "internal"));
  if (sort != "score" && sort != "frequency")
    return illegal_argument("Illegal sort [" + sort + "]; use score or frequency");
  if (mode != "missing" && mode != "popular" && mode != "always")
    return illegal_argument("Illegal suggest_mode [" + mode + "]; use missing, popular or always");
  if (distance != "internal" && distance != "damerau_levenshtein")
    return not_offered("string_distance " + distance, "leave it out: edits are counted");
  out.sort = sort == "score" ? WordRules::Sort::score : WordRules::Sort::frequency;
  out.mode = mode == "missing"   ? WordRules::Mode::missing
             : mode == "popular" ? WordRules::Mode::popular
                                 : WordRules::Mode::always;
  return ok_status();
}

bool is_right(const WordKnown& known, const WordRules& by) {
  if (by.mode == WordRules::Mode::missing && known.doc_freq > 0) return true;
  const double most = by.max_term_freq >= 1
                          ? by.max_term_freq
                          : std::ceil(by.max_term_freq * static_cast<double>(known.documents));
  return static_cast<double>(known.doc_freq) > most;
}

/// As few documents have a word that is no suggestion.
std::uint64_t too_rare(const WordKnown& known, const WordRules& by) {
  double out = by.mode == WordRules::Mode::popular ? static_cast<double>(known.doc_freq) : 0;
  if (by.min_doc_freq >= 1)
    out = std::max(out, by.min_doc_freq);
  else if (by.min_doc_freq > 0)
    out = std::max(out, std::floor(by.min_doc_freq * static_cast<double>(known.documents)) - 1);
  return static_cast<std::uint64_t>(std::max(out, 0.0));
}

}  // namespace

Result<WordRules> read_word_rules(Reader& in) {
  WordRules out;
  CAIRN_CHECK(read_numbers(in, out));
  CAIRN_CHECK(read_choices(in, out));
  return out;
}

Result<WordKnown> known_of(const std::string& word, const std::string& field,
                           const Execution& execution) {
  WordKnown out;
  for (const Target& target : execution.targets()) {
    CAIRN_TRY(const auto own, target.view->term_statistics(field, word, execution.until()));
    out.doc_freq += own.doc_freq;
    out.total_freq += own.total_freq;
    out.all_words += own.sum_total_freq;
    out.distinct += own.distinct_terms;
    out.documents += target.view->document_count() + target.view->deleted_count();
  }
  return out;
}

Result<std::vector<SimilarWord>> similar_words(const std::string& word, const WordRules& by,
                                               const Execution& execution) {
  std::vector<SimilarWord> out;
  const std::size_t length = suggest_letters(word);
  if (length < by.min_word_length) return out;
  CAIRN_TRY(const WordKnown known, known_of(word, by.field, execution));
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
  const bool by_score = by.sort == WordRules::Sort::score;
  std::stable_sort(out.begin(), out.end(), [&](const SimilarWord& a, const SimilarWord& b) {
    if (by_score && a.score != b.score) return a.score > b.score;
    if (a.freq != b.freq) return a.freq > b.freq;
    return a.score > b.score;
  });
  if (out.size() > by.size) out.resize(by.size);
  return out;
}

}  // namespace cairn::search
