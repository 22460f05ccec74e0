// SPDX-License-Identifier: Apache-2.0
// Scripts in queries: script_score, and documents that a script decides on.
#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/read/script_body.h"

namespace cairn::search {
using index::Query;
using index::Script;

Result<Script> QueryReader::kept_script(const std::string& id) const {
  if (documents_ == nullptr)
    return illegal_argument("a stored script is not looked up here: send its [source]");
  CAIRN_TRY(const index::StoredScript found, documents_->script(id));
  return as_script(id, found.lang, found.source);
}

Result<Script> QueryReader::read_script_of(Reader& around, std::string_view member) {
  const Json* given = around.any(member);
  if (given == nullptr) return around.fault(member, "[" + std::string(member) + "] is required");
  return read_script_body(text_, *given, around.path_of(member),
                          [this](const std::string& id) { return kept_script(id); });
}

Result<Query> QueryReader::read_script_score(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "script_score");
  index::ScriptScoreQuery query;
  CAIRN_TRY(const Json* inner, in.object("query"));
  if (inner == nullptr) return illegal_argument("Required [query]");
  CAIRN_TRY(auto read_inner, read(*inner, in.path_of("query")));
  query.query.push_back(std::move(read_inner));
  CAIRN_TRY(query.script, read_script_of(in, "script"));
  CAIRN_TRY(const auto min_score, in.number("min_score"));
  if (min_score) query.min_score = static_cast<float>(*min_score);
  return made(std::move(query), in);
}

Result<Query> QueryReader::read_script(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "script", Reader::Style::query);
  index::ScriptQuery query;
  CAIRN_TRY(query.script, read_script_of(in, "script"));
  return made(std::move(query), in);
}

}  // namespace cairn::search
