// SPDX-License-Identifier: Apache-2.0
// tokenizer.json of a model up to the first byte 0, and a text behind it: every id has a token, and
// a limit cuts and changes nothing else.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::text;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t json_bytes = std::min(all.find('\0'), size);
  const auto tokenizer = Tokenizer::parse(all.substr(0, json_bytes));
  if (!tokenizer.ok()) return 0;
  const std::string_view text = all.substr(json_bytes);
  const TokenIds whole = tokenizer->encode(text);
  for (const std::uint32_t id : whole.ids)
    if (id >= tokenizer->vocabulary_size()) std::abort();
  const TokenIds few = tokenizer->encode(text, 2);
  if (few.ids.size() > 2 || few.is_truncated != (whole.ids.size() > 2)) std::abort();
  for (std::size_t i = 0; i < few.ids.size(); ++i)
    if (few.ids[i] != whole.ids[i]) std::abort();
  return 0;
}
