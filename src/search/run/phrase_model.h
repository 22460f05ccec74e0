// SPDX-License-Identifier: Apache-2.0
// How likely a run of words is, by how often an index has them and their neighbours: the noisy
// channel of Kernighan, Church and Gale, "A spelling correction program based on a noisy channel
// model" (1990), with the smoothing of Brants et al., "Large language models in machine translation"
// (2007), of Laplace, or by linear interpolation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/steps.h"

namespace cairn::search {

struct Smoothing {
  enum class Kind { stupid_backoff, laplace, linear };
  Kind kind = Kind::stupid_backoff;
  double discount = 0.4;                        // stupid_backoff
  double alpha = 0.5;                           // laplace
  double trigram = 0, bigram = 0, unigram = 0;  // linear: their sum is 1
};

/// A word that may stand in a place of a text.
struct PlaceWord {
  std::string word = {};
  std::uint64_t total_freq = 0;
  double channel = 1;  // how likely it is that it became the word that is there; 1: it is that
  double score = 0;    // of the word alone, among those of its place
  bool is_given = false;
};

/// The first of each place is the one that is there.
using Places = std::vector<std::vector<PlaceWord>>;

/// How often a run of words comes in the index. Errors end the search.
using RunFrequency = std::function<Result<std::uint64_t>(const std::string& run)>;

struct PhraseModel {
  Smoothing smoothing = {};
  std::size_t gram_size = 1;  // words that are looked at together
  std::string separator = " ";
  double real_word_likelihood = 0.95;
  std::uint64_t all_words = 0;  // of the field, in all documents
  std::uint64_t distinct = 0;   // different ones
  RunFrequency frequency = {};
};

/// One word for each place, by its number there, and how likely they are.
struct Correction {
  std::vector<std::uint16_t> choice = {};
  double score = 0;
};

/// How likely the words are that are there. Errors: those of RunFrequency.
Result<double> likelihood(const PhraseModel& model, const Places& places);

/// The most likely choices, at most `most`, of which each changes `max_changes` places at most and
/// is more likely than `cutoff`; the best first. Exact: what is not looked at cannot be among them.
/// Errors: illegal_argument_exception for too many ways; those of RunFrequency.
Result<std::vector<Correction>> best_corrections(const PhraseModel& model, const Places& places,
                                                 std::size_t max_changes, double cutoff,
                                                 std::size_t most, os::Steps& steps);

}  // namespace cairn::search
