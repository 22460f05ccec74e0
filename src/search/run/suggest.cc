// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest.h"

#include <utility>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::size_t suggesters_max = 10;
constexpr std::string_view kinds[] = {"term", "phrase", "completion"};

/// What an alias hides would show in what is suggested.
Status check_whole(const Execution& execution) {
  for (const Target& target : execution.targets())
    if (target.filter != nullptr)
      return not_offered("suggest through an alias with a filter", "name the index");
  return ok_status();
}

Result<SuggestText> read_given(Reader& in, const std::string& common) {
  SuggestText out;
  CAIRN_TRY(out.text, in.string_or("text", common));
  CAIRN_TRY(const auto prefix, in.string("prefix"));
  CAIRN_TRY(const auto regex, in.string("regex"));
  out.has_prefix = prefix.has_value();
  out.has_regex = regex.has_value();
  if (out.has_prefix && out.has_regex)
    return illegal_argument("a suggester has a [prefix] or a [regex], and not both");
  out.prefix = prefix.value_or("");
  out.regex = regex.value_or("");
  return out;
}

/// A suggester `name` of a request, `kind` of which is `json`.
struct SuggesterBody {
  std::string_view text;
  std::string name;
  std::string_view kind;
  const Json& json;

  Result<Suggester> read(SuggestText given, const Options& options) const {
    const std::string path = "suggest." + name + "." + std::string(kind);
    if (!json.is_object())
      return parsing_error(text, path, "[" + std::string(kind) + "] must be an object");
    Reader in(json, text, path, std::string(kind), Reader::Style::query);
    if (kind == "completion") {
      CAIRN_TRY(auto by, read_completion_suggester(text, path, in, given, options));
      return Suggester{.name = name, .by = std::move(by)};
    }
    if (given.has_regex)
      return illegal_argument("[" + std::string(kind) + "] takes a [text], and no [regex]");
    if (given.has_prefix) given.text = given.prefix;
    if (kind == "phrase") {
      CAIRN_TRY(auto by, read_phrase_suggester(text, path, in, given));
      return Suggester{.name = name, .by = std::move(by)};
    }
    CAIRN_TRY(auto by, read_term_suggester(in, given));
    return Suggester{.name = name, .by = std::move(by)};
  }
};

Result<Suggester> read_one(std::string_view text, const std::string& name, const Json& json,
                           const std::string& common, const Options& options) {
  if (!json.is_object())
    return parsing_error(text, "suggest." + name, "[suggest] [" + name + "] must be an object");
  Reader in(json, text, "suggest." + name, "suggest", Reader::Style::query);
  CAIRN_TRY(SuggestText given, read_given(in, common));
  std::string_view kind;
  const Json* body = nullptr;
  for (const std::string_view one : kinds) {
    const Json* found = in.any(one);
    if (found == nullptr) continue;
    if (body != nullptr)
      return illegal_argument("the suggester [" + name + "] is [" + std::string(kind) + "] or [" +
                              std::string(one) + "], and not both");
    kind = one;
    body = found;
  }
  CAIRN_CHECK(in.finish());
  if (body == nullptr)
    return illegal_argument("suggestion does not support [" + name +
                            "]: it needs a [term], a [phrase] or a [completion]");
  return SuggesterBody{.text = text, .name = name, .kind = kind, .json = *body}.read(std::move(given),
                                                                           options);
}

Result<Json> suggested(const Suggester& one, Execution& execution, const SourceFilter& source) {
  if (const auto* term = std::get_if<TermSuggester>(&one.by))
    return suggest_terms(*term, execution);
  if (const auto* phrase = std::get_if<PhraseSuggester>(&one.by))
    return suggest_phrases(*phrase, execution);
  return suggest_completions(std::get<CompletionSuggester>(one.by), execution, source);
}

}  // namespace

Result<std::vector<Suggester>> read_suggest(std::string_view text, const Json& json,
                                            const Options& options) {
  if (!json.is_object()) return parsing_error(text, "suggest", "[suggest] must be an object");
  std::string common;
  if (const Json* given = json.find("text")) {
    if (!given->is_string()) return parsing_error(text, "suggest.text", "[text] must be a text");
    common = given->as_string();
  }
  std::vector<Suggester> out;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "text") continue;
    if (out.size() == suggesters_max)
      return illegal_argument("[suggest] takes [" + std::to_string(suggesters_max) +
                              "] suggesters at most");
    CAIRN_TRY(auto one, read_one(text, name, value, common, options));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Json> run_suggest(const std::vector<Suggester>& suggesters, Execution& execution,
                         const SourceFilter& source, bool typed_keys) {
  CAIRN_CHECK(check_whole(execution));
  Json out = Json::object();
  for (const Suggester& by : suggesters) {
    CAIRN_TRY(auto one, suggested(by, execution, source));
    const std::string kind(kinds[by.by.index()]);
    out.set(typed_keys ? kind + "#" + by.name : by.name, std::move(one));
  }
  return out;
}

}  // namespace cairn::search
