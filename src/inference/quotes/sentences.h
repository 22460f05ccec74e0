// SPDX-License-Identifier: Apache-2.0
// The sentences of a context that may be quoted, with the marks of their sources.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::inference {

/// A sentence as it stands, but that breaks of lines within it are spaces.
struct QuotableSentence {
  std::string text = {};
  std::string mark = {};     // "[1]": where it comes from, as the context says; else empty
  /// What it stands under, or the question that it answers: the first 80 bytes. May be empty, and is
  /// for sentences of under 8 bytes, of which there may be very many.
  std::string heading = {};
};

/// A source begins with a line "[mark]" or "[mark] text", or, where no such line is before it, with
/// a line "Source: name", "Title: name", "Document: name", "File: name" or "URL: name", and goes on
/// to the next one or to the end of its text. Where any has a mark, only sentences of marked
/// sources are given: the rest are instructions. Headings and questions are left out. A sentence of
/// over 600 bytes comes in pieces. Takes time in proportion to the texts. Errors: timeout,
/// cancelled.
Result<std::vector<QuotableSentence>> quotable_sentences(const std::vector<std::string>& context,
                                                         const os::Deadline& deadline);

}  // namespace cairn::inference
