// SPDX-License-Identifier: Apache-2.0
// XML bodies.
#include <cstdint>
#include <string_view>

#include "format/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)cairn::parse_xml({reinterpret_cast<const char*>(data), size}).ok();
  return 0;
}
