// SPDX-License-Identifier: Apache-2.0
// Which sentences answer a question, and the text that quotes them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inference/quotes/sentences.h"

namespace cairn::inference {

struct QuoteOptions {
  /// The least score, a logarithm of odds, with which a sentence is quoted. Measured: see
  /// docs/reference/inference.md.
  float bar = -1;
  float further_bar = -0.5F;  // the least score of further sentences
  float margin = 0.25F;       // the most that they may score below the best
  std::size_t most_sentences = 3;
  float most_likeness = 0.92F;  // of two that are quoted: cosine of their vectors
};

/// The cosine of two sentences, by their places.
using SentenceLikeness = std::function<float(std::size_t, std::size_t)>;

/// Places of the sentences to quote, ascending; none where no score reaches the bar. Of equal
/// scores the first counts. Looks at the likeness of few.
std::vector<std::size_t> chosen_sentences(std::span<const float> scores,
                                          const SentenceLikeness& likeness,
                                          const QuoteOptions& options);

/// The sentences one after the other, each run of one source with its mark behind. Where none is
/// chosen, one fixed sentence that says so, or that there are none, and names the model.
std::string quotation_of(const QuotableText& text, std::span<const std::size_t> chosen,
                         std::string_view model_id);

/// The id under which answers show a model that quotes.
std::string quoting_model_name(std::string_view model_id);
/// The model that such an id means; empty of another id.
std::string_view model_that_quotes_as(std::string_view name);

}  // namespace cairn::inference
