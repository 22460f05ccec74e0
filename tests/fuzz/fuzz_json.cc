// SPDX-License-Identifier: Apache-2.0
// JSON: what parses is written and parses again to the same value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = cairn::parse_json(text);
  if (!parsed.ok()) return 0;
  const auto again = cairn::parse_json(parsed->dump());
  if (!again.ok() || again->dump() != parsed->dump()) std::abort();
  return 0;
}
