// SPDX-License-Identifier: Apache-2.0
#include "search/run/phrase_model.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace cairn::search {
namespace {

constexpr double nothing_less = 1e-11;  // keeps a quotient from having 0 below

/// How likely a word is behind those before it.
class WordModel {
 public:
  explicit WordModel(const PhraseModel& model)
      : model_(model),
        size_(static_cast<double>(model.all_words)),
        distinct_(static_cast<double>(model.distinct)) {}

  /// The logarithm for the word `at` of a choice. `last` and `before` stand in front of it.
  Result<double> score(std::size_t at, const PlaceWord& word, const PlaceWord* last,
                       const PlaceWord* before) {
    double likely = 0;
    if (at == 0 || model_.gram_size == 1) {
      CAIRN_TRY(likely, unigram(word));
    } else if (at == 1 || model_.gram_size == 2) {
      CAIRN_TRY(likely, bigram(word, *last));
    } else {
      CAIRN_TRY(likely, trigram(word, *last, *before));
    }
    const double channel = word.channel == 1 ? model_.real_word_likelihood : word.channel;
    return std::log10(channel * likely);
  }

 private:
  using Kind = Smoothing::Kind;

  Result<double> often(const std::string& run) {
    const auto known = known_.find(run);
    if (known != known_.end()) return known->second;
    CAIRN_TRY(const std::uint64_t count, model_.frequency(run));
    return known_.emplace(run, static_cast<double>(count)).first->second;
  }
  std::string run_of(const PlaceWord& a, const PlaceWord& b) const {
    return a.word + model_.separator + b.word;
  }
  std::string run_of(const PlaceWord& a, const PlaceWord& b, const PlaceWord& c) const {
    return run_of(a, b) + model_.separator + c.word;
  }

  Result<double> unigram(const PlaceWord& word) {
    CAIRN_TRY(const double count, often(word.word));
    const double more = model_.smoothing.kind == Kind::laplace ? model_.smoothing.alpha : 1;
    return (more + count) / std::max(size_ + more * distinct_, nothing_less);
  }

  Result<double> bigram(const PlaceWord& word, const PlaceWord& last) {
    const Smoothing& by = model_.smoothing;
    CAIRN_TRY(const double count, often(run_of(last, word)));
    const auto lasts = static_cast<double>(last.total_freq);
    if (by.kind == Kind::laplace)
      return (by.alpha + count) / std::max(lasts + by.alpha * distinct_, nothing_less);
    if (by.kind == Kind::stupid_backoff && count >= 1) return count / (lasts + nothing_less);
    CAIRN_TRY(const double alone, unigram(word));
    if (by.kind == Kind::stupid_backoff) return by.discount * alone;
    const double together = count < 1 ? 0 : by.bigram * (count / (0.5 + lasts));
    return together + by.unigram * alone;
  }

  Result<double> trigram(const PlaceWord& word, const PlaceWord& last, const PlaceWord& before) {
    const Smoothing& by = model_.smoothing;
    CAIRN_TRY(const double pairs, often(run_of(last, word)));
    if (by.kind == Kind::stupid_backoff && pairs < 1) return bigram(word, last);
    CAIRN_TRY(const double count, often(run_of(before, last, word)));
    if (by.kind == Kind::laplace)
      return (by.alpha + count) / std::max(pairs + by.alpha * distinct_, nothing_less);
    CAIRN_TRY(const double shorter, bigram(word, last));
    if (by.kind == Kind::stupid_backoff)
      return count < 1 ? by.discount * shorter : count / (pairs + nothing_less);
    return (count < 1 ? 0 : by.trigram * (count / (1 + pairs))) + shorter;
  }

  const PhraseModel& model_;
  const double size_, distinct_;
  std::map<std::string, double> known_;
};

/// Choices for the first places. Only the last two words of one say how likely the next is, so that
/// of those that agree in these and in their number of changes the best are enough.
class CorrectionSearch {
 public:
  CorrectionSearch(const PhraseModel& model, const Places& places, std::size_t max_changes,
                   std::size_t most, os::Steps& steps)
      : model_(model),
        words_(model),
        places_(places),
        max_changes_(max_changes),
        most_(most),
        steps_(steps) {}

  Result<std::vector<Correction>> run() {
    States states;
    states[{0, 0, 0}].push_back({});
    for (std::size_t at = 0; at < places_.size(); ++at) {
      States next;
      for (const auto& [state, partials] : states) CAIRN_CHECK(go_on(at, state, partials, next));
      states.swap(next);
    }
    std::vector<Correction> out;
    for (auto& [state, partials] : states)
      out.insert(out.end(), partials.begin(), partials.end());
    sort(out);
    return out;
  }

 private:
  using State = std::tuple<std::size_t, std::uint16_t, std::uint16_t>;  // changes, last, before
  using States = std::map<State, std::vector<Correction>>;

  Status go_on(std::size_t at, const State& state, const std::vector<Correction>& partials,
               States& next) {
    const auto [changes, last, before] = state;
    const PlaceWord* last_word = at > 0 ? &places_[at - 1][last] : nullptr;
    const PlaceWord* before_word = at > 1 ? &places_[at - 2][before] : nullptr;
    for (std::size_t i = 0; i < places_[at].size(); ++i) {
      if (changes + (i > 0 ? 1 : 0) > max_changes_) break;
      CAIRN_TRY(const double more, words_.score(at, places_[at][i], last_word, before_word));
      CAIRN_CHECK(steps_.take(8 + partials.size() * (at + 1)));
      const auto choice = static_cast<std::uint16_t>(i);
      const bool remembers_two = model_.gram_size > 2;
      auto& to = next[{changes + (i > 0 ? 1 : 0), choice, remembers_two ? last : std::uint16_t{0}}];
      for (const Correction& partial : partials) {
        Correction longer = partial;
        longer.choice.push_back(choice);
        longer.score += more;
        to.push_back(std::move(longer));
      }
      if (to.size() > 4 * most_) sort(to);
    }
    return ok_status();
  }

  /// Of two that are as likely the one with the better words, then with the earlier.
  bool is_better(const Correction& a, const Correction& b) const {
    if (a.score != b.score) return a.score > b.score;
    for (std::size_t i = 0; i < a.choice.size(); ++i) {
      const PlaceWord &x = places_[i][a.choice[i]], &y = places_[i][b.choice[i]];
      if (x.score != y.score) return x.score > y.score;
      if (x.word != y.word) return x.word < y.word;
    }
    return false;
  }
  void sort(std::vector<Correction>& all) const {
    std::sort(all.begin(), all.end(),
              [&](const Correction& a, const Correction& b) { return is_better(a, b); });
    if (all.size() > most_) all.resize(most_);
  }

  const PhraseModel& model_;
  WordModel words_;
  const Places& places_;
  const std::size_t max_changes_, most_;
  os::Steps& steps_;
};

}  // namespace

Result<double> likelihood(const PhraseModel& model, const Places& places) {
  WordModel words(model);
  double sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    CAIRN_TRY(const double one, words.score(i, places[i][0], i > 0 ? &places[i - 1][0] : nullptr,
                                            i > 1 ? &places[i - 2][0] : nullptr));
    sum += one;
  }
  return std::exp(sum);
}

Result<std::vector<Correction>> best_corrections(const PhraseModel& model, const Places& places,
                                                 std::size_t max_changes, double cutoff,
                                                 std::size_t most, os::Steps& steps) {
  CAIRN_TRY(auto out, CorrectionSearch(model, places, max_changes, most, steps).run());
  for (Correction& one : out) one.score = std::exp(one.score);
  std::erase_if(out, [&](const Correction& one) { return !(one.score > cutoff); });
  return out;
}

}  // namespace cairn::search
