// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest_completions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "index/data_too_large.h"
#include "search/errors.h"
#include "search/read/text_options.h"

namespace cairn::search {
namespace {

using AskedKind = index::CompletionAsked::Kind;
constexpr std::size_t most_completions = 1'000;

Status read_fuzzy(Reader& in, index::CompletionAsked& out) {
  CAIRN_TRY(out.fuzziness, in.string_or("fuzziness", "AUTO"));
  CAIRN_TRY(out.transpositions, in.boolean_or("transpositions", true));
  CAIRN_TRY(out.code_points, in.boolean_or("unicode_aware", false));
  CAIRN_TRY(out.min_length, read_unsigned(in, "min_length", 3));
  CAIRN_TRY(out.prefix_length, read_unsigned(in, "prefix_length", 1));
  if (in.any("max_determinized_states") != nullptr)
    return not_offered("max_determinized_states of [fuzzy]", "leave it out: there are no such states");
  return in.finish();
}

/// `fuzzy`: true, false, or an object.
Status read_kind(std::string_view text, const std::string& path, Reader& in,
                 const SuggestText& given, const Options& options, index::CompletionAsked& out) {
  const Json* fuzzy = in.any("fuzzy");
  CAIRN_TRY(const Json* regex, in.object("regex"));
  if (given.has_regex) {
    if (fuzzy != nullptr) return illegal_argument("[fuzzy] goes with a [prefix], not with a [regex]");
    out.kind = AskedKind::regexp;
    out.text = given.regex;
    static const Json none = Json::object();
    Reader inside(regex == nullptr ? none : *regex, text, path + ".regex", "regex",
                  Reader::Style::query);
    CAIRN_TRY(out.flags, read_regexp_flags(inside));
    CAIRN_TRY(out.max_states, read_regexp_states(inside, options.max_regexp_states));
    return inside.finish();
  }
  if (regex != nullptr)
    return illegal_argument("options of [regex] need a [regex] beside [completion]");
  out.text = given.has_prefix ? given.prefix : given.text;
  if (fuzzy == nullptr || (fuzzy->is_bool() && !fuzzy->as_bool())) return ok_status();
  out.kind = AskedKind::fuzzy;
  if (fuzzy->is_bool()) return ok_status();
  if (!fuzzy->is_object())
    return parsing_error(text, path + ".fuzzy", "[fuzzy] must be true, false or an object");
  Reader inside(*fuzzy, text, path + ".fuzzy", "fuzzy", Reader::Style::query);
  return read_fuzzy(inside, out);
}

/// A completion, and which target has it.
struct FoundInput {
  index::Completion one;
  std::size_t target = 0;
};

Result<std::vector<FoundInput>> all_found(const index::CompletionAsked& asked,
                                     const Execution& execution) {
  std::vector<FoundInput> out;
  const auto& targets = execution.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    auto own = targets[i].view->complete(asked, execution.until());
    if (!own.ok())
      return phase_error(targets[i].index->name(), targets[i].index->uuid(),
                         std::move(own).error());
    for (index::Completion& one : *own) out.push_back({.one = std::move(one), .target = i});
  }
  std::stable_sort(out.begin(), out.end(), [](const FoundInput& a, const FoundInput& b) {
    return index::comes_before(a.one, b.one);
  });
  if (asked.skip_duplicates) {
    std::set<std::string> seen;
    std::erase_if(out, [&](const FoundInput& found) { return !seen.insert(found.one.text).second; });
  }
  if (out.size() > asked.most) out.resize(asked.most);
  return out;
}

}  // namespace

Result<CompletionSuggester> read_completion_suggester(std::string_view text,
                                                      const std::string& path, Reader& in,
                                                      const SuggestText& given,
                                                      const Options& options) {
  CompletionSuggester out;
  index::CompletionAsked& asked = out.asked;
  CAIRN_TRY(asked.field, in.string_or("field", ""));
  CAIRN_TRY(asked.analyzer, in.string_or("analyzer", ""));
  CAIRN_TRY(asked.most, read_unsigned(in, "size", 5));
  CAIRN_TRY(asked.skip_duplicates, in.boolean_or("skip_duplicates", false));
  for (const std::string_view other : {"contexts", "context"})
    if (in.any(other) != nullptr)
      return illegal_argument("suggester [" + asked.field + "] doesn't expect any context");
  if (in.any("shard_size") != nullptr)
    return not_offered("shard_size of [completion]", "there is one shard: say [size]");
  CAIRN_CHECK(read_kind(text, path, in, given, options, asked));
  CAIRN_CHECK(in.finish());
  if (asked.field.empty()) return illegal_argument("the required field option [field] is missing");
  if (asked.most == 0) return illegal_argument("size must be positive");
  if (asked.most > most_completions)
    return illegal_argument("the [size] of a [completion] can be [" +
                            std::to_string(most_completions) + "] at most, but was [" +
                            std::to_string(asked.most) + "]");
  return out;
}

Result<Json> suggest_completions(const CompletionSuggester& by, const Execution& execution,
                                 const SourceFilter& source) {
  CAIRN_TRY(const auto all, all_found(by.asked, execution));
  std::vector<SourceCut> cuts;
  for (const Target& target : execution.targets())
    cuts.emplace_back(without_vectors(source, target.view->mapping()));
  const std::size_t most = execution.options().answer_bytes_max;
  std::size_t bytes = 0;
  Json options = Json::array();
  for (const FoundInput& found : all) {
    const Target& target = execution.targets()[found.target];
    CAIRN_TRY(const std::string id, target.view->id(found.one.doc, execution.deadline()));
    Json option = Json::object({{"text", found.one.text},
                                {"_index", target.index->name()},
                                {"_id", id},
                                {"_score", found.one.score}});
    if (source.enabled) {
      CAIRN_TRY(const std::string text, target.view->source(found.one.doc, execution.deadline()));
      bytes += text.size();
      if (bytes > most) return index::answer_too_large(bytes, most);
      CAIRN_TRY(const Json json, parse_json(text));
      option.set("_source", cuts[found.target].of(json));
    }
    options.push(std::move(option));
  }
  return Json::array({Json::object({{"text", by.asked.text},
                                    {"offset", 0},
                                    {"length", utf16_length(by.asked.text)},
                                    {"options", std::move(options)}})});
}

}  // namespace cairn::search
