// SPDX-License-Identifier: Apache-2.0
#include "search/run/suggest_text.h"

#include <memory>

#include "search/errors.h"

namespace cairn::search {
namespace {

constexpr std::size_t words_max = 100;  // of one text

}  // namespace

Result<text::Tokens> words_of(const std::string& text, const std::string& name,
                              const std::string& analyzer_name, const Execution& execution) {
  std::shared_ptr<const text::Analyzer> analyzer;
  bool found = execution.targets().empty();
  for (const Target& target : execution.targets()) {
    const index::Mapping& mapping = target.view->mapping();
    const index::Field* field = mapping.find(name);
    if (field == nullptr) continue;
    found = true;
    if (field->type != index::FieldType::text && field->type != index::FieldType::keyword)
      return illegal_argument("words are suggested from texts and keywords, not from [" + name +
                              "] of type [" + std::string(index::name_of(field->declared_type())) +
                              "]");
    if (analyzer != nullptr) continue;
    if (!analyzer_name.empty())
      analyzer = mapping.analyzers().find(analyzer_name);
    else
      analyzer = field->type == index::FieldType::text ? field->search_analysis
                                                       : text::named_analyzer("keyword");
    if (analyzer == nullptr)
      return illegal_argument("analyzer [" + analyzer_name + "] doesn't exists");
  }
  if (!found) return illegal_argument("no mapping found for field [" + name + "]");
  text::Tokens out;
  out.most = words_max;
  if (analyzer != nullptr) analyzer->analyze(text, out);
  if (out.cut)
    return illegal_argument("a text to suggest words for may have [" + std::to_string(words_max) +
                            "] words");
  return out;
}

}  // namespace cairn::search
