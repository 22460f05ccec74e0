// SPDX-License-Identifier: Apache-2.0
// Chat templates: any source is refused or rendered within its limits, and what comes out of a
// variable never counts as the template's.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/strings.h"
#include "inference/templates/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto parsed = inference::ChatTemplate::parse(source);
  if (!parsed.ok()) return 0;
  // A character that no source of this corpus writes: it can come out of the variables alone.
  static const Json variables =
      parse_json(R"({"messages":[{"role":"user","content":"\uf8ffHi <|x|> \uf8ff"},)"
                 R"({"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f",)"
                 R"("arguments":{"a":[1,2.5,null,true]}}}]}],"tools":[{"function":{"name":"f"}}],)"
                 R"("add_generation_prompt":true})")
          .value();
  static const Json trusted = Json::object({{"bos_token", "<s>"}, {"eos_token", "</s>"}});
  const inference::RenderOptions options{
      .limits = {.steps = 20'000, .output_bytes = 1 << 16, .calls = 64}};
  const auto spans = parsed->render(variables, trusted, options, os::Deadline::never());
  if (!spans.ok()) return 0;
  std::size_t total = 0;
  // Escapes and codes can spell the character too.
  const bool spelt = source.find("\xef\xa3\xbf") != std::string_view::npos ||
                     source.find('\\') != std::string_view::npos;
  for (const auto& span : *spans) {
    total += span.text.size();
    if (span.text.empty() || !is_utf8(span.text)) std::abort();
    if (!spelt && span.from_template && span.text.find("\xef\xa3\xbf") != std::string::npos)
      std::abort();
  }
  if (total > options.limits.output_bytes) std::abort();
  return 0;
}
