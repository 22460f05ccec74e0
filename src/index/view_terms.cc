// SPDX-License-Identifier: Apache-2.0
// Terms of a view that are like another.
#include <map>

#include "index/patterns/edit_distance.h"
#include "index/query/nested_view.h"
#include "index/view.h"
#include "os/steps.h"
#include "text/words.h"

namespace cairn::index {
namespace {

std::string_view first_letters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) text::next_code_point(text, at);
  return text.substr(0, at);
}

}  // namespace

Result<std::vector<SimilarTerm>> View::similar_terms(std::string_view field, std::string_view term,
                                                     std::size_t most_edits,
                                                     std::size_t prefix_length,
                                                     const os::Deadline& deadline) const {
  os::Steps steps(deadline, "looking for similar terms");
  const auto wanted = letters_of(term);
  const std::string_view prefix = first_letters(term, prefix_length);
  std::map<std::string, SimilarTerm> found;
  for (const SegmentView& s : state_with(*state_, field).segments) {
    const TermsReader* reader = s.segment->terms(field);
    if (reader == nullptr) continue;
    TermsWalk walk(*reader, false);
    CAIRN_CHECK(walk.seek(prefix, deadline));
    for (;;) {
      CAIRN_TRY(const bool any, walk.next(deadline));
      if (!any || !walk.term().starts_with(prefix)) break;
      CAIRN_CHECK(steps.take(2 + walk.term().size()));
      // A character is 1 to 4 bytes: most terms differ too much in size already.
      if (walk.term().size() > term.size() + 4 * most_edits + 3 * wanted.size()) continue;
      if (walk.term() == term) continue;
      const std::size_t edits = edit_distance(wanted, letters_of(walk.term()), most_edits, true);
      if (edits == 0 || edits > most_edits) continue;
      SimilarTerm& one = found[walk.term()];
      one.term = walk.term();
      one.edits = edits;
      one.doc_freq += walk.entry().doc_freq;
    }
  }
  std::vector<SimilarTerm> out;
  for (auto& [name, one] : found) out.push_back(std::move(one));
  return out;
}

}  // namespace cairn::index
