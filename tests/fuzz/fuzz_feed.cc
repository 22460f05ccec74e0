// SPDX-License-Identifier: Apache-2.0
// Whatever a feed says: entries with ids, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "connectors/sources/web/feed_entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::connectors;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto entries = read_feed(text);
  if (entries.ok())
    for (const FeedEntry& entry : *entries)
      if (entry.id.empty()) std::abort();
  static_cast<void>(feed_date_ms(text));
  return 0;
}
