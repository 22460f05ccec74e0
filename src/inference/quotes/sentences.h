// SPDX-License-Identifier: Apache-2.0
// The sentences of a context that may be quoted, with the marks of their sources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::inference {

/// A text that may be quoted.
struct ContextText {
  std::string text = {};
  bool before_question = false;  // of the message that asks: instructions may be at its end

  friend bool operator==(const ContextText&, const ContextText&) = default;
};

/// A sentence as it stands, but that breaks of lines within it are spaces.
struct QuotableSentence {
  std::string text = {};
  std::uint32_t mark = 0;     // place in QuotableText::marks
  std::uint32_t heading = 0;  // place in QuotableText::headings
};

/// Sentences in the order of the context. Marks and headings are kept once, as one may stand over
/// very many sentences.
struct QuotableText {
  std::vector<std::string> marks = {""};  // "[1]": a source, as the context says; the first: none
  /// What sentences stand under, or the question that they answer: the first 80 bytes; the first:
  /// none.
  std::vector<std::string> headings = {""};
  std::vector<QuotableSentence> sentences = {};
};

/// The sentences of each text, with the marks of its sources (sources.h). Where a text has two or
/// more, what stands before the first is left out: instructions. Before a question the last source
/// ends with its first paragraph that is not a heading. Of several texts whose sources are numbered
/// the last counts, and those of the others are left out. Headings and questions are left out. A
/// sentence of over 600 bytes comes in pieces; one of under 8 has no heading. Takes time in
/// proportion to the texts. Errors: timeout, cancelled.
Result<QuotableText> quotable_sentences(const std::vector<ContextText>& context,
                                        const os::Deadline& deadline);

}  // namespace cairn::inference
