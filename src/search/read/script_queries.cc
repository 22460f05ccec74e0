// SPDX-License-Identifier: Apache-2.0
// Scripts in queries: script_score, and documents that a script decides on.
#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {
namespace {

using index::Query;
using index::Script;

Status check_language(const std::optional<std::string>& lang) {
  if (!lang || *lang == "painless") return ok_status();
  return illegal_argument("script_lang not supported [" + *lang + "]: there is [painless]");
}

}  // namespace

Result<Script> QueryReader::kept_script(const std::string& id) const {
  if (documents_ == nullptr)
    return illegal_argument("a stored script is not looked up here: send its [source]");
  CAIRN_TRY(const index::StoredScript found, documents_->script(id));
  if (found.lang != "painless")
    return illegal_argument("the stored script [" + id + "] is of the language [" + found.lang +
                            "]: queries take those in [painless]");
  return Script{.source = found.source, .id = id};
}

/// A script as a text, or as an object: {"source" or "id", "lang", "params", "options"}.
Result<Script> QueryReader::read_script_body(Reader& around, std::string_view member) {
  const Json* given = around.any(member);
  if (given == nullptr) return around.fault(member, "[" + std::string(member) + "] is required");
  if (given->is_string()) return Script{.source = given->as_string()};
  if (!given->is_object())
    return around.fault(member, "a script is a text, or an object with [source] or [id]");
  Reader in = reader(*given, around.path_of(member), "script");
  CAIRN_TRY(const auto source, in.string("source"));
  CAIRN_TRY(const auto id, in.string("id"));
  CAIRN_TRY(const auto lang, in.string("lang"));
  CAIRN_TRY(const Json* params, in.object("params"));
  CAIRN_TRY(const Json* options, in.object("options"));
  CAIRN_CHECK(in.finish());
  if (source.has_value() == id.has_value())
    return illegal_argument("must specify either [source] for an inline script or [id] for a stored "
                            "script");
  if (options != nullptr && !options->as_object().empty())
    return illegal_argument("[painless] has no compiler options: leave [options] out");
  if (id && lang) return illegal_argument("illegally specified <lang> for a stored script");
  CAIRN_CHECK(check_language(lang));
  Script out;
  if (id) {
    CAIRN_TRY(out, kept_script(*id));
  } else {
    out.source = *source;
  }
  if (params != nullptr) out.params = *params;
  return out;
}

Result<Query> QueryReader::read_script_score(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "script_score");
  index::ScriptScoreQuery query;
  CAIRN_TRY(const Json* inner, in.object("query"));
  if (inner == nullptr) return illegal_argument("Required [query]");
  CAIRN_TRY(auto read_inner, read(*inner, in.path_of("query")));
  query.query.push_back(std::move(read_inner));
  CAIRN_TRY(query.script, read_script_body(in, "script"));
  CAIRN_TRY(const auto min_score, in.number("min_score"));
  if (min_score) query.min_score = static_cast<float>(*min_score);
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_script(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "script", Reader::Style::query);
  index::ScriptQuery query;
  CAIRN_TRY(query.script, read_script_body(in, "script"));
  return made(std::move(query), in);
}

}  // namespace cairn::search
