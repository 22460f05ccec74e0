// SPDX-License-Identifier: Apache-2.0
// Text out of files: manual pages, Markdown, HTML, plain text. The first byte chooses the kind.
#include <cstdint>
#include <string_view>

#include "connectors/extract/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using cairn::connectors::TextKind;
  if (size == 0) return 0;
  constexpr TextKind kinds[] = {TextKind::plain, TextKind::markdown, TextKind::html,
                                TextKind::manual_page};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)cairn::connectors::extract_text(kinds[data[0] % 4], text);
  return 0;
}
