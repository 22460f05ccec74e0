// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/prompt_tokens.h"

#include <string>
#include <utility>

namespace cairn::inference {

Result<std::vector<std::uint32_t>> prompt_tokens(const text::Tokenizer& tokenizer,
                                                 const std::vector<PromptSpan>& spans,
                                                 const os::Deadline& deadline) {
  std::string text;
  std::vector<text::TokenRange> from_template;
  for (const PromptSpan& span : spans) {
    const auto begin = static_cast<std::uint32_t>(text.size());
    text += span.text;
    if (!span.from_template) continue;
    if (from_template.empty() || from_template.back().end < begin)
      from_template.push_back({begin, begin});
    from_template.back().end = static_cast<std::uint32_t>(text.size());
  }
  text::Encoding out;
  CAIRN_CHECK(tokenizer.encode(
      text,
      {.add_special_tokens = false, .trusted = from_template, .truncation = text::Truncation{}},
      deadline, out));
  return std::move(out.ids);
}

}  // namespace cairn::inference
