// SPDX-License-Identifier: Apache-2.0
// Choosing an analyzer and showing what it gives.
#include "search/analyze.h"

#include <memory>

#include "search/errors.h"
#include "text/analyzer.h"

namespace cairn::search {
namespace {

using text::Analyzer;
using AnalyzerPointer = std::shared_ptr<const Analyzer>;

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

Result<AnalyzerPointer> custom_analyzer(const Json& parts) {
  Json settings = parts;
  settings.set("type", "custom");
  if (settings.find("tokenizer") == nullptr) settings.set("tokenizer", "keyword");
  const Json analysis = Json::object({{"analyzer", Json::object({{"asked", settings}})}});
  CAIRN_TRY(const auto analyzers, text::Analyzers::parse(analysis));
  return analyzers.find("asked");
}

Result<AnalyzerPointer> named(const std::string& name, const index::Mapping* mapping) {
  auto found = mapping != nullptr ? mapping->analyzers().find(name) : text::named_analyzer(name);
  if (found != nullptr) return found;
  return illegal_argument("failed to find " + std::string(mapping == nullptr ? "global " : "") +
                          "analyzer [" + name + "]");
}

Result<AnalyzerPointer> of_field(const std::string& name, const index::Mapping* mapping) {
  if (mapping == nullptr)
    return illegal_argument("analysis based on a specific field requires an index");
  const index::Field* known = mapping->find(name);
  if (known == nullptr) return text::named_analyzer("standard");
  if (known->type == index::FieldType::text) return known->index_analysis;
  if (known->type == index::FieldType::keyword) return text::named_analyzer("keyword");
  return illegal_argument("Can't process field [" + name +
                          "], Analysis requests are only supported on tokenized fields");
}

Result<AnalyzerPointer> analyzer_of(const AnalyzeRequest& request, const index::Mapping* mapping) {
  if (!request.custom.is_null()) return custom_analyzer(request.custom);
  if (request.analyzer) return named(*request.analyzer, mapping);
  if (request.field) return of_field(*request.field, mapping);
  return text::named_analyzer("standard");
}

}  // namespace

Result<Json> analyze(const AnalyzeRequest& request, const index::Mapping* mapping) {
  CAIRN_TRY(const auto analyzer, analyzer_of(request, mapping));
  Json::Array out;
  std::int64_t shift = 0;
  text::Tokens tokens;
  for (const std::string& text : request.texts) {
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
  return Json::object({{"tokens", Json(std::move(out))}});
}

}  // namespace cairn::search
