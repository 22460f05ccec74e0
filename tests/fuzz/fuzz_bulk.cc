// SPDX-License-Identifier: Apache-2.0
// Bodies of bulk requests: every item has an action and an index, or says what is wrong.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/bulk_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto items = api::parse_bulk(body, {});
  if (!items.ok()) {
    if (items.error().message.empty()) std::abort();
    return 0;
  }
  for (const ingest::BulkItem& item : *items)
    if (item.index.empty() && !item.refused) std::abort();
  return 0;
}
