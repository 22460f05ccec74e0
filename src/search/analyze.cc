// SPDX-License-Identifier: Apache-2.0
// Choosing an analyzer and showing what it gives.
#include "search/analyze.h"

#include <memory>

#include "base/strings.h"
#include "os/steps.h"
#include "search/errors.h"
#include "text/analyzer.h"

namespace cairn::search {
namespace {

using text::Analyzer;
using AnalyzerPointer = std::shared_ptr<const Analyzer>;

/// Characters as clients count them: UTF-16 units before a byte. Each look-up counts within one
/// block; what stands before the block was counted once.
class Utf16Offsets {
 public:
  explicit Utf16Offsets(std::string_view text) : text_(text) {
    std::int64_t units = 0;
    for (std::size_t at = 0; at < text.size(); at += block) {
      before_.push_back(units);
      units += static_cast<std::int64_t>(utf16_length(text.substr(at, block)));
    }
    all_ = units;
  }
  std::int64_t at(std::size_t bytes) const {
    if (bytes >= text_.size()) return all_;
    const std::size_t start = bytes / block * block;
    return before_[bytes / block] +
           static_cast<std::int64_t>(utf16_length(text_.substr(start, bytes - start)));
  }

 private:
  static constexpr std::size_t block = 128;

  std::string_view text_;
  std::vector<std::int64_t> before_;  // each block
  std::int64_t all_ = 0;
};

/// Gives what is defined in a request a name, under which `analysis` has it then.
std::string name_piece(Json& analysis, const std::string& kind, const Json& definition) {
  if (analysis.find(kind) == nullptr) analysis.set(kind, Json::object());
  Json& group = *analysis.find(kind);
  std::string name = "__anonymous__" + definition.string_or("type");
  while (group.find(name) != nullptr) name += "_";
  group.set(name, definition);
  return name;
}

/// The names of a member of the request.
Json named_pieces(Json& analysis, const std::string& kind, const Json& given) {
  if (given.is_object()) return name_piece(analysis, kind, given);
  if (!given.is_array()) return given;
  Json out = Json::array();
  for (const Json& one : given.as_array())
    out.push(one.is_object() ? Json(name_piece(analysis, kind, one)) : one);
  return out;
}

Result<AnalyzerPointer> custom_analyzer(const AnalyzeRequest& request) {
  Json analysis = Json::object();
  for (const std::string kind : {"tokenizer", "filter", "char_filter"})
    if (const Json* own = request.analysis.find(kind); own != nullptr && own->is_object())
      analysis.set(kind, *own);
  Json settings = Json::object({{"type", "custom"}});
  for (const auto& [kind, given] : request.custom.as_object())
    settings.set(kind, named_pieces(analysis, kind, given));
  if (settings.find("tokenizer") == nullptr) settings.set("tokenizer", "keyword");
  analysis.set("analyzer", Json::object({{"asked", std::move(settings)}}));
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
  if (!request.custom.is_null()) return custom_analyzer(request);
  if (request.analyzer) return named(*request.analyzer, mapping);
  if (request.field) return of_field(*request.field, mapping);
  return text::named_analyzer("standard");
}

}  // namespace

Result<Json> analyze(const AnalyzeRequest& request, const index::Mapping* mapping,
                     const os::Deadline& deadline) {
  CAIRN_TRY(const auto analyzer, analyzer_of(request, mapping));
  os::Steps steps(deadline, "analysing");
  Json::Array out;
  std::int64_t shift = 0;
  text::Tokens tokens;
  tokens.steps = &steps;
  for (const std::string& text : request.texts) {
    const std::size_t first = tokens.list.size();
    if (first > 0) tokens.positions += 100;
    analyzer->analyze(text, tokens);
    CAIRN_CHECK(steps.take(text.size() / 8));
    if (tokens.list.size() > request.max_token_count)
      return illegal_argument(
          "The number of tokens produced by calling _analyze has exceeded the allowed maximum of "
          "[" +
          std::to_string(request.max_token_count) +
          "]. This limit can be set by changing the [index.analyze.max_token_count] index level "
          "setting.");
    const Utf16Offsets offsets(text);
    for (std::size_t i = first; i < tokens.list.size(); ++i) {
      CAIRN_CHECK(steps.take(32));
      const text::Token& token = tokens.list[i];
      out.push_back(Json::object({{"token", tokens.term(token)},
                                  {"start_offset", shift + offsets.at(token.start)},
                                  {"end_offset", shift + offsets.at(token.end)},
                                  {"type", text::name_of(token.type)},
                                  {"position", static_cast<std::int64_t>(token.position)}}));
    }
    shift += offsets.at(text.size()) + 1;
  }
  return Json::object({{"tokens", Json(std::move(out))}});
}

}  // namespace cairn::search
