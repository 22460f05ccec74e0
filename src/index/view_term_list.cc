// SPDX-License-Identifier: Apache-2.0
// View::terms: what a keyword field has, from some letters on.
#include <algorithm>
#include <set>

#include "index/mapping/mapping.h"
#include "index/query/nested_view.h"
#include "index/segment/segment.h"
#include "index/view.h"
#include "os/steps.h"
#include "text/analyzer.h"

namespace cairn::index {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string out;
  text::append_lowercase(out, text);
  return out;
}

/// Adds those of one segment; of all, the first `most` are kept.
Status add_terms_of(const TermsReader& reader, const TermsAsked& asked, const os::Deadline& deadline,
                    os::Steps& steps, std::set<std::string>& out) {
  TermsWalk walk(reader, false);
  // In whichever case they begin, terms stand anywhere in the order of bytes.
  const std::string wanted = asked.case_insensitive ? in_lower_case(asked.prefix) : asked.prefix;
  CAIRN_CHECK(walk.seek(asked.case_insensitive ? asked.after : std::max(asked.prefix, asked.after),
                        deadline));
  for (;;) {
    CAIRN_TRY(const bool any, walk.next(deadline));
    if (!any) return ok_status();
    const std::string& term = walk.term();
    CAIRN_CHECK(steps.take(1 + term.size() / 16));
    if (!asked.case_insensitive && !term.starts_with(wanted) && term > wanted) return ok_status();
    if (out.size() >= asked.most && term >= *out.rbegin()) return ok_status();
    if (!asked.after.empty() && term <= asked.after) continue;
    if (asked.case_insensitive ? !in_lower_case(term).starts_with(wanted)
                               : !term.starts_with(wanted))
      continue;
    out.insert(term);
    if (out.size() > asked.most) out.erase(std::prev(out.end()));
  }
}

}  // namespace

Result<std::vector<std::string>> View::terms(const TermsAsked& asked,
                                             const os::Deadline& deadline) const {
  std::set<std::string> found;
  const Field* field = state_->mapping->find(asked.field);
  const bool has_terms = field != nullptr && field->type == FieldType::keyword;
  if (!has_terms || field->runtime != nullptr || asked.most == 0)
    return std::vector<std::string>();
  os::Steps steps(deadline, "listing terms");
  for (const SegmentView& view : state_with(*state_, asked.field).segments)
    if (const TermsReader* reader = view.segment->terms(asked.field))
      CAIRN_CHECK(add_terms_of(*reader, asked, deadline, steps, found));
  return std::vector<std::string>(found.begin(), found.end());
}

}  // namespace cairn::index
