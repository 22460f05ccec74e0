// SPDX-License-Identifier: Apache-2.0
// Text out of documents that are ZIP files of XML, and rows of sheets. The first byte chooses the
// kind.
#include <cstdint>
#include <string_view>

#include "connectors/extract/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* names[] = {"a.docx", "a.pptx", "a.xlsx", "a.odt", "a.epub"};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)cairn::connectors::extract_file(
      names[data[0] % std::size(names)], bytes,
      {.rows = data[0] >= 128, .unpacked_bytes_max = 1u << 20, .text_bytes_max = 1u << 20});
  return 0;
}
