// SPDX-License-Identifier: Apache-2.0
#include "api/analyze_routes.h"

#include <memory>

#include "api/error_json.h"
#include "api/fields.h"
#include "text/analyzer.h"

namespace cairn::api {
namespace {

using text::Analyzer;

/// Characters as clients count them: UTF-16 units before a byte.
std::int64_t utf16_offset(std::string_view text, std::size_t bytes) {
  std::int64_t units = 0;
  for (std::size_t i = 0; i < bytes && i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) == 0x80) continue;
    units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

Result<std::shared_ptr<const Analyzer>> custom(const Json& body) {
  Json settings = Json::object({{"type", "custom"}});
  for (const auto name : {"tokenizer", "filter", "char_filter"})
    if (const Json* given = body.find(name)) settings.set(name, *given);
  if (body.find("tokenizer") == nullptr) settings.set("tokenizer", "keyword");
  const Json analysis = Json::object({{"analyzer", Json::object({{"asked", settings}})}});
  CAIRN_TRY(const auto analyzers, text::Analyzers::parse(analysis));
  return analyzers.find("asked");
}

Result<std::shared_ptr<const Analyzer>> analyzer_of(const Json& body, const index::Index* index,
                                                    const std::optional<std::string>& name,
                                                    const std::optional<std::string>& field) {
  if (body.find("tokenizer") != nullptr || body.find("filter") != nullptr) return custom(body);
  if (name) {
    auto found =
        index != nullptr ? index->mapping()->analyzers().find(*name) : text::named_analyzer(*name);
    if (found == nullptr)
      return illegal_argument("failed to find " + std::string(index == nullptr ? "global " : "") +
                              "analyzer [" + *name + "]");
    return found;
  }
  if (field) {
    if (index == nullptr)
      return illegal_argument("analysis based on a specific field requires an index");
    const index::Field* known = index->mapping()->find(*field);
    if (known != nullptr && known->type == index::FieldType::text) return known->index_analysis;
    if (known != nullptr && known->type == index::FieldType::keyword)
      return text::named_analyzer("keyword");
    if (known != nullptr)
      return illegal_argument("Can't process field [" + *field +
                              "], Analysis requests are only supported on tokenized fields");
  }
  return text::named_analyzer("standard");
}

Result<Reply> analyze(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "analyze_request");
  CAIRN_TRY(const auto texts, fields.strings("text"));
  CAIRN_TRY(const auto name, fields.string("analyzer"));
  CAIRN_TRY(const auto field, fields.string("field"));
  for (const auto member : {"tokenizer", "filter", "char_filter"}) (void)fields.any(member);
  CAIRN_TRY(const bool explain, fields.boolean_or("explain", false));
  CAIRN_CHECK(fields.finish());
  if (explain) return illegal_argument("[explain] is not offered; leave it out");
  if (!texts || texts->empty()) return validation_fault({"text is missing"});
  std::shared_ptr<index::Index> index;
  if (!call.path("index").empty()) {
    CAIRN_TRY(index, indices.find(call.path("index")));
  }
  CAIRN_TRY(const auto analyzer, analyzer_of(body, index.get(), name, field));
  Json::Array out;
  std::int64_t shift = 0;
  text::Tokens tokens;
  for (const std::string& text : *texts) {
    const std::size_t first = tokens.list.size();
    if (first > 0) tokens.positions += 100;
    analyzer->analyze(text, tokens);
    for (std::size_t i = first; i < tokens.list.size(); ++i) {
      const text::Token& token = tokens.list[i];
      out.push_back(Json::object({{"token", tokens.term(token)},
                                  {"start_offset", shift + utf16_offset(text, token.start)},
                                  {"end_offset", shift + utf16_offset(text, token.end)},
                                  {"type", text::name_of(token.type)},
                                  {"position", static_cast<std::int64_t>(token.position)}}));
    }
    shift += utf16_offset(text, text.size()) + 1;
  }
  return Reply::json(Json::object({{"tokens", Json(std::move(out))}}));
}

}  // namespace

void add_analyze_routes(Router& router, const index::Indices& indices) {
  for (const auto* method : {"POST", "GET"})
    for (const std::string path : {"/_analyze", "/{index}/_analyze"}) {
      const bool global = path == "/_analyze";
      router.add(
          {.method = method,
           .path = path,
           .operation = "indices.analyze",
           .cluster = global ? std::vector<std::string>{"monitor"} : std::vector<std::string>{},
           .index_privilege = global ? "" : "view_index_metadata",
           .points = method == std::string_view("GET") ? 1 : 5,
           .summary = "Shows the tokens of a text.",
           .body_required = true},
          [&indices](Call& call) { return analyze(call, indices); });
    }
}

}  // namespace cairn::api
