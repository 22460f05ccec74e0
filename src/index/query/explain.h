// SPDX-License-Identifier: Apache-2.0
// Parts of explanations that several plans share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/explanation.h"
#include "index/query/plan.h"

namespace cairn::index {

/// What BM25 made a score of.
struct Bm25Facts {
  std::string what;  // field:term, or field:"a phrase"
  std::uint32_t doc = 0;
  float score = 0;
  float weight = 0;  // boost * (k1 + 1) * idf
  float freq = 0;
  std::uint8_t norm = 1;
  float inverse = 1;  // of InverseLengths
  float average = 1;  // length of the field
};
/// `idf` and `freq` become parts of it.
Explanation explain_bm25(const Bm25Facts& facts, Explanation idf, Explanation freq);
Explanation explain_idf(std::uint64_t doc_count, std::uint64_t doc_freq);
/// A query without a score of its own.
Explanation explain_constant(const std::string& what, float score);
Explanation explain_mismatch(const std::string& what, DocAddress doc);

/// Its score; nothing where it does not match.
Result<std::optional<float>> score_of(const QueryContext& context, const Plan& plan,
                                      DocAddress doc);

/// A query in the words of the field's engine: body:sea, n:[1 TO 5], +a -b.
std::string query_text(const Query& query);
/// A script as explanations and descriptions show it.
std::string script_text(const Script& script);
/// spanNear([body:a, body:b], 0, true).
std::string span_text(const SpanQuery& query);
/// The shortest text that reads back equal: 1.0, 0.25.
std::string number_text(float number);

}  // namespace cairn::index
