// SPDX-License-Identifier: Apache-2.0
// Span queries with their words looked up, and how they walk over a segment. The order and the
// distances of pieces are those of the field's engine.
#pragma once

#include <string>
#include <vector>

#include "index/positions/span_walk.h"
#include "index/query.h"

namespace cairn::index {

/// A span query as a view has it.
struct SpanTree {
  SpanQuery::Kind kind = SpanQuery::Kind::term;
  std::string field;               // what it is a piece of, for the parts around it
  std::vector<std::string> terms;  // of term and multi
  std::vector<SpanTree> parts;
  std::uint32_t slop = 0, width = 0, before = 0, after = 0, end = 0;
  bool in_order = true;
};

/// Its pieces in one segment; null where there are none. Errors: those of reading; timeout.
Result<SpanWalkPtr> open_spans(WordOpener& words, const SpanTree& tree);

}  // namespace cairn::index
