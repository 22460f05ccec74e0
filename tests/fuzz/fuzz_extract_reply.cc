// SPDX-License-Identifier: Apache-2.0
// What a process answers that a hostile file may have taken over.
#include <cstdint>
#include <string_view>

#include "connectors/isolation/frames.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)cairn::connectors::decode_reply({reinterpret_cast<const char*>(data), size});
  return 0;
}
