// SPDX-License-Identifier: Apache-2.0
// `analysis` settings with an analyzer and a normalizer [own] in the first line, a text behind it:
// tokens lie within the text, in order.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/json.h"
#include "text/analyzer.h"

namespace {

using namespace cairn;

void check(const text::Analyzer* analyzer, std::string_view input) {
  if (analyzer == nullptr) return;
  text::Tokens tokens;
  analyzer->analyze(input, tokens);
  std::uint32_t position = 0;
  for (const text::Token& token : tokens.list) {
    if (token.start > token.end || token.end > input.size()) std::abort();
    if (token.term_at + std::uint64_t{token.term_size} > tokens.terms.size()) std::abort();
    if (token.position < position || token.position >= tokens.positions) std::abort();
    position = token.position;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(all.find('\n'), size);
  const std::string_view input = all.substr(std::min(line + 1, size));
  const auto json = parse_json(all.substr(0, line));
  if (!json.ok()) return 0;
  const auto analyzers = text::Analyzers::parse(*json);
  if (!analyzers.ok()) return 0;
  check(analyzers->find("own").get(), input);
  check(analyzers->normalizer("own").get(), input);
  check(text::named_analyzer("standard").get(), input);
  check(text::named_analyzer("english").get(), input);
  return 0;
}
