// SPDX-License-Identifier: Apache-2.0
// Answers of a static model: sentences of the context, chosen by its reranker.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inference/quotes/question.h"
#include "inference/quotes/sentences.h"
#include "inference/static/static_model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// How well each sentence answers the question: a logarithm of odds. What stands above a sentence
/// counts a little. Minus infinity where the question or the sentence has no known token. Errors:
/// timeout, cancelled.
Result<std::vector<float>> quote_scores(const StaticParts& parts, const std::string& question,
                                        const QuotableText& context,
                                        const os::Deadline& deadline);

/// As Model::quote(): up to three sentences. Takes time in proportion to the texts. Errors:
/// timeout, cancelled.
Result<QuotedText> quoted_text(const StaticParts& parts, std::span<const SaidText> said,
                               const os::Deadline& deadline);

}  // namespace cairn::inference
