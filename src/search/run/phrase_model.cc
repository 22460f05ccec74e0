// SPDX-License-Identifier: Apache-2.0
#include "search/run/phrase_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "search/errors.h"

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

constexpr std::size_t nodes_max = 4'000'000;  // of all ways that are kept, 64 MB

/// Choices for the first places. Only the last two words of one say how likely the next is, so that
/// of those that agree in these and in their number of changes the best are enough.
class CorrectionSearch {
 public:
  CorrectionSearch(const PhraseModel& model, const Places& places, std::size_t max_changes,
                   std::size_t most, os::Steps& steps)
      : model_(model),
        words_(model),
        places_(places),
        max_changes_(std::min(max_changes, places.size())),
        most_(most),
        steps_(steps) {}

  Result<std::vector<Correction>> run() {
    CAIRN_CHECK(check_size());
    States states;
    states[{0, 0, 0}].push_back({});
    for (std::size_t at = 0; at < places_.size(); ++at) {
      States next;
      for (const auto& [state, ways] : states) CAIRN_CHECK(go_on(at, state, ways, next));
      keep_best(at, next);
      states.swap(next);
    }
    std::vector<Way> ends;
    for (auto& [state, ways] : states) ends.insert(ends.end(), ways.begin(), ways.end());
    sort(ends);
    std::vector<Correction> out;
    for (const Way& way : ends) out.push_back({.choice = choice_of(way), .score = way.score});
    return out;
  }

 private:
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  /// A choice for the places so far.
  struct Way {
    double score = 0;
    std::uint32_t before = nowhere;  // the node of the words before the last
    std::uint32_t order = 0;         // among those that are as likely: better words come first
    std::uint16_t word = 0;
  };
  struct Node {
    std::uint32_t before = nowhere;
    std::uint16_t word = 0;
  };
  using State = std::tuple<std::size_t, std::uint16_t, std::uint16_t>;  // changes, last, before
  using States = std::map<State, std::vector<Way>>;

  Status check_size() const {
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < places_.size(); ++i)
      nodes += (max_changes_ + 1) * most_ * places_[i].size() *
               (model_.gram_size > 2 && i > 0 ? places_[i - 1].size() : 1);
    if (nodes <= nodes_max) return ok_status();
    return illegal_argument("there are too many ways to correct this text: ask for fewer "
                            "corrections [size], or allow fewer in one text [max_errors]");
  }

  Status go_on(std::size_t at, const State& state, const std::vector<Way>& ways, States& next) {
    const auto [changes, last, before] = state;
    const PlaceWord* last_word = at > 0 ? &places_[at - 1][last] : nullptr;
    const PlaceWord* before_word = at > 1 ? &places_[at - 2][before] : nullptr;
    const std::vector<std::uint32_t> ranks = ranks_of(places_[at]);
    for (std::size_t i = 0; i < places_[at].size(); ++i) {
      const std::size_t own = changes + (i > 0 ? 1 : 0);
      if (own > max_changes_) break;
      CAIRN_TRY(const double more, words_.score(at, places_[at][i], last_word, before_word));
      CAIRN_CHECK(steps_.take(8 + ways.size()));
      const auto word = static_cast<std::uint16_t>(i);
      auto& to = next[{own, word, model_.gram_size > 2 ? last : std::uint16_t{0}}];
      for (const Way& way : ways) {
        // The words before decide first.
        const auto order =
            static_cast<std::uint32_t>(way.order * places_[at].size() + ranks[i]);
        to.push_back({.score = way.score + more, .before = way.before, .order = order, .word = word});
      }
    }
    return ok_status();
  }

  /// Which of the words of a place is better: 0 is the best.
  static std::vector<std::uint32_t> ranks_of(const std::vector<PlaceWord>& place) {
    std::vector<std::uint32_t> order(place.size()), out(place.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return place[a].score != place[b].score ? place[a].score > place[b].score
                                              : place[a].word < place[b].word;
    });
    for (std::uint32_t i = 0; i < order.size(); ++i) out[order[i]] = i;
    return out;
  }

  /// Of each state the best; their words become nodes, and their order is counted anew.
  void keep_best(std::size_t at, States& states) {
    std::vector<Way*> all;
    for (auto& [state, ways] : states) {
      sort(ways);
      for (Way& way : ways) all.push_back(&way);
    }
    std::sort(all.begin(), all.end(), [](const Way* a, const Way* b) { return a->order < b->order; });
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i]->order = i;
    if (at + 1 == places_.size()) return;
    for (Way* way : all) {
      nodes_.push_back({.before = way->before, .word = way->word});
      way->before = static_cast<std::uint32_t>(nodes_.size() - 1);
    }
  }

  std::vector<std::uint16_t> choice_of(const Way& way) const {
    std::vector<std::uint16_t> out;
    if (!places_.empty()) out.push_back(way.word);
    for (std::uint32_t at = way.before; at != nowhere; at = nodes_[at].before)
      out.push_back(nodes_[at].word);
    std::reverse(out.begin(), out.end());
    return out;
  }

  void sort(std::vector<Way>& all) const {
    std::sort(all.begin(), all.end(), [](const Way& a, const Way& b) {
      return a.score != b.score ? a.score > b.score : a.order < b.order;
    });
    if (all.size() > most_) all.resize(most_);
  }

  const PhraseModel& model_;
  WordModel words_;
  const Places& places_;
  const std::size_t max_changes_, most_;
  os::Steps& steps_;
  std::vector<Node> nodes_;
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
