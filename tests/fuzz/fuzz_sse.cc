// SPDX-License-Identifier: Apache-2.0
// Streams of events, taken apart whole and byte by byte, which must agree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/http/sse.h"

namespace {

using namespace cairn;

std::string events_of(std::string_view bytes, std::size_t step) {
  net::SseParser parser(256);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!parser.feed(bytes.substr(at, step)).ok()) return "too large";
    while (const auto event = parser.next())
      out += event->event + '\0' + event->data + '\0' + event->id + '\1';
  }
  return out + parser.last_id();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (events_of(bytes, 1) != events_of(bytes, size + 1)) std::abort();
  return 0;
}
