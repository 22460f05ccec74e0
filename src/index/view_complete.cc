// SPDX-License-Identifier: Apache-2.0
// Inputs of a view's completion fields that begin with a text.
#include <algorithm>
#include <set>
#include <tuple>

#include "index/errors.h"
#include "index/mapping/completion_terms.h"
#include "index/patterns/edit_distance.h"
#include "index/patterns/prefix_edits.h"
#include "index/query/completion_search.h"
#include "index/view.h"
#include "os/steps.h"

namespace cairn::index {
namespace {

constexpr std::size_t fuzzy_bytes_max = 1'000;  // of a text that may have edits

/// One way to read what was asked.
struct Way {
  std::string path = {};
  std::optional<EditRules> edits = {};                   // else the path as it is
  std::shared_ptr<const RegexpProgram> program = {};     // null: none
};

Result<const Field*> completion_field(const Mapping& mapping, const std::string& name) {
  const Field* field = mapping.find(name);
  if (field == nullptr) return illegal_argument("no mapping found for field [" + name + "]");
  if (field->type != FieldType::completion)
    return illegal_argument("Field [" + name + "] is not a completion suggest field");
  return field;
}

std::size_t length_of(const std::string& text, bool code_points) {
  return code_points ? letters_of(text).size() : text.size();
}

Result<std::vector<Way>> ways_of(const CompletionAsked& asked, const Mapping& mapping,
                                 const Field& field, const Options& options,
                                 os::Steps& steps) {
  std::vector<Way> out;
  if (asked.kind == CompletionAsked::Kind::regexp) {
    CAIRN_CHECK(check_regexp_length(asked.text, options.max_regex_length, "request"));
    std::size_t taken = 0;
    CAIRN_TRY(auto program,
              RegexpProgram::compile(asked.text, asked.flags, false,
                                     {.states = asked.max_states,
                                      .all_states = options.max_regexp_states},
                                     taken, steps));
    out.push_back({.program = std::move(program)});
    return out;
  }
  const auto analyzer =
      asked.analyzer.empty() ? field.search_analysis : mapping.analyzers().find(asked.analyzer);
  if (analyzer == nullptr)
    return illegal_argument("analyzer [" + asked.analyzer + "] doesn't exists");
  CAIRN_TRY(const auto paths, completion_paths(field, *analyzer, asked.text));
  if (asked.text.empty()) out.push_back({});  // all begin with nothing
  std::size_t edits = 0;
  if (asked.kind == CompletionAsked::Kind::fuzzy) {
    if (asked.text.size() > fuzzy_bytes_max)
      return illegal_argument("a [fuzzy] text may have [" + std::to_string(fuzzy_bytes_max) +
                              "] bytes, but it has [" + std::to_string(asked.text.size()) + "]");
    CAIRN_TRY(edits, edits_for(asked.fuzziness, letters_of(asked.text).size()));
  }
  for (const std::string& path : paths) {
    Way way{.path = path};
    const std::size_t length = length_of(path, asked.code_points);
    if (edits > 0 && length > asked.prefix_length && length >= asked.min_length)
      way.edits = EditRules{.edits = edits,
                            .exact = asked.prefix_length,
                            .swaps = asked.transpositions,
                            .code_points = asked.code_points};
    out.push_back(std::move(way));
  }
  return out;
}

Status add_ranges(const TermsReader& reader, const Way& way, os::Steps& steps,
                  std::vector<TermRange>& out) {
  if (way.program == nullptr && !way.edits) {
    CAIRN_TRY(const TermRange range, terms_beginning(reader, way.path, steps.deadline()));
    out.push_back(range);
    return ok_status();
  }
  std::vector<TermRange> found;
  if (way.program != nullptr) {
    RegexpMatcher matcher(*way.program, steps);
    const BeginningAsker asker{.start = way.program->prefix(),
                               .ask = [&](std::string_view path) { return matcher.beginning(path); }};
    CAIRN_TRY(found, terms_fitting(reader, asker, steps));
  } else {
    PrefixEdits edits(way.path, *way.edits);
    const BeginningAsker asker{
        .ask = [&](std::string_view path) { return edits.beginning(path); },
        .factor = [&](std::string_view path) { return static_cast<float>(edits.agreed(path)); }};
    CAIRN_TRY(found, terms_fitting(reader, asker, steps));
  }
  out.insert(out.end(), found.begin(), found.end());
  return ok_status();
}

}  // namespace

bool comes_before(const Completion& a, const Completion& b) {
  if (a.score != b.score) return a.score > b.score;
  return std::tie(a.path, a.text, a.doc) < std::tie(b.path, b.text, b.doc);
}

Result<std::vector<Completion>> View::complete(const CompletionAsked& asked,
                                               const os::Deadline& deadline) const {
  os::Steps steps(deadline, "completing a text");
  CAIRN_TRY(const Field* field, completion_field(mapping(), asked.field));
  CAIRN_TRY(const auto ways, ways_of(asked, mapping(), *field,
                                   state_->options, steps));
  std::vector<Completion> out;
  for (std::size_t i = 0; i < state_->segments.size(); ++i) {
    const SegmentView& segment = state_->segments[i];
    const TermsReader* reader = segment.segment->terms(asked.field);
    if (reader == nullptr) continue;
    std::vector<TermRange> ranges;
    for (const Way& way : ways) CAIRN_CHECK(add_ranges(*reader, way, steps, ranges));
    CAIRN_TRY(const auto hits, best_completions(segment, *reader, ranges, asked.most,
                                                asked.skip_duplicates, steps));
    for (const CompletionHit& hit : hits)
      out.push_back({.text = hit.text,
                     .score = hit.score,
                     .path = hit.path,
                     .doc = {.segment = static_cast<std::uint32_t>(i), .doc = hit.doc}});
  }
  std::sort(out.begin(), out.end(), comes_before);
  if (asked.skip_duplicates) {
    std::set<std::string> seen;
    std::erase_if(out, [&](const Completion& one) { return !seen.insert(one.text).second; });
  }
  if (out.size() > asked.most) out.resize(asked.most);
  return out;
}

}  // namespace cairn::index
