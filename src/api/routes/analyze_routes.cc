// SPDX-License-Identifier: Apache-2.0
#include "api/routes/analyze_routes.h"

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "base/strings.h"
#include "search/analyze.h"

namespace cairn::api {
namespace {

Result<Reply> analyze(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "analyze_request");
  search::AnalyzeRequest request;
  CAIRN_TRY(auto texts, fields.strings("text"));
  CAIRN_TRY(request.analyzer, fields.string("analyzer"));
  CAIRN_TRY(request.field, fields.string("field"));
  for (const auto member : {"tokenizer", "filter", "char_filter"})
    if (const Json* given = fields.any(member)) request.custom.set(member, *given);
  CAIRN_TRY(const bool explain, fields.boolean_or("explain", false));
  CAIRN_CHECK(fields.finish());
  if (explain) return illegal_argument("[explain] is not offered; leave it out");
  if (!texts || texts->empty()) return validation_fault({"text is missing"});
  request.texts = std::move(*texts);
  std::shared_ptr<const index::Mapping> mapping;
  CAIRN_TRY(const std::string name, plain_names(call.query("index").value_or(call.path("index"))));
  if (!name.empty()) {
    if (call.query("index")) CAIRN_CHECK(call.require_index("view_index_metadata", name));
    CAIRN_TRY(const auto index, indices.find_one(name));
    mapping = index->mapping();
    const Json settings = index->settings();
    if (const Json* own = settings.find_path("index.analysis")) request.analysis = *own;
    if (const auto own = index->setting_text("analyze.max_token_count"))
      request.max_token_count = parse_number<std::size_t>(*own).value_or(request.max_token_count);
  }
  CAIRN_TRY(Json tokens, search::analyze(request, mapping.get(), call.deadline()));
  return Reply::json(std::move(tokens));
}

}  // namespace

void add_analyze_routes(Router& router, ServiceRef<const index::Indices> indices) {
  for (const auto* method : {"POST", "GET"})
    for (const std::string path : {"/_analyze", "/{index}/_analyze"}) {
      const bool global = path == "/_analyze";
      router.add(
          {.method = method,
           .path = path,
           .operation = "indices.analyze",
           .cluster = global ? std::vector<std::string>{"monitor"} : std::vector<std::string>{},
           .index_privilege = global ? "" : "view_index_metadata",
           .reads = true,
           .computes = true,
           .query = {{"index", "string", "An index, where the path names none."}},
           .summary = "Shows the tokens of a text.",
           .body_required = true},
          [indices](Call& call) { return analyze(call, *indices); });
    }
}

}  // namespace cairn::api
