// SPDX-License-Identifier: Apache-2.0
// Answers as a client prints them, and what they prove about limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cli/limits_wait.h"
#include "os/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto response = cairn::cli::read_printed_response(text);
  if (!response.ok()) return 0;
  const auto random = cairn::os::seeded_random(1);
  for (const bool graphql : {false, true}) {
    const auto signs = cairn::ratelimit::read_limit(*response, "core", 1'700'000'000'000, graphql);
    if (signs.kind == cairn::ratelimit::LimitKind::none) continue;
    for (const std::uint32_t refusals : {0u, 3u, 1'000u})
      CAIRN_ASSERT(cairn::ratelimit::wait_after(signs, refusals, {}, *random) >= 1'000);
  }
  return 0;
}
