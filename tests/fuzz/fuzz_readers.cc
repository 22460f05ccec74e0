// SPDX-License-Identifier: Apache-2.0
// Text out of files of the kinds that have a grammar of their own. The first byte chooses the kind.
#include <cstdint>
#include <string_view>

#include "connectors/extract/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* names[] = {"a.rtf",  "a.eml",    "a.mbox", "a.xml",  "a.rst", "a.tex",
                                   "a.json", "a.ndjson", "a.csv",  "a.yaml", "a"};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool rows = data[0] >= 128;
  (void)cairn::connectors::extract_file(names[data[0] % std::size(names)], bytes, {.rows = rows});
  return 0;
}
