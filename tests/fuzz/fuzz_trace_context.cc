// SPDX-License-Identifier: Apache-2.0
// Fields traceparent and tracestate: what is taken is passed on as something that is taken again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "os/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::os;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto read = read_traceparent(text)) {
    if ((read->trace_high | read->trace_low) == 0 || read->span == 0) std::abort();
    const auto again = read_traceparent(traceparent_of(*read));
    if (!again || again->trace_high != read->trace_high || again->trace_low != read->trace_low ||
        again->span != read->span || again->sampled != read->sampled)
      std::abort();
  }
  // It goes into the head of a request as it is.
  if (is_tracestate(text))
    for (const char c : text)
      if (c != '\t' && (c < 0x20 || c > 0x7e)) std::abort();
  return 0;
}
