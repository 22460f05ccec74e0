// SPDX-License-Identifier: Apache-2.0
// What an index keeps in a store that others can write to: footers of segments, logs, manifests,
// deletions, which documents objects are in. The first byte chooses which. A log is the same when it is written again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/json.h"
#include "index/segment/bits.h"
#include "index/engine/log_format.h"
#include "index/engine/manifest.h"
#include "index/segment/nested_section.h"
#include "index/segment/segment.h"
#include "index/segment/segment_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  using namespace cairn::index;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: {
      const auto footer = decode_footer(bytes, "key");
      if (footer.ok()) (void)footer->find(SectionKind{}, "title");
      break;
    }
    case 1:
      if (const auto log = decode_log(bytes, "key"); log.ok()) {
        const auto again = decode_log(encode_log(*log), "key");
        if (!again.ok() || again->position != log->position || again->fence != log->fence ||
            again->records.size() != log->records.size())
          std::abort();
      }
      break;
    case 2:
      if (const auto json = parse_json(bytes); json.ok()) (void)Manifest::from_json(*json, "key");
      break;
    case 3:
      (void)Current::decode(bytes, "key");
      break;
    case 4:
      (void)decode_deletes(bytes, 1000, "key");
      break;
    default:
      if (const auto owners = NestedOwners::read(bytes, 1000))
        for (std::size_t i = 0; i < owners->parents.size() / sizeof(std::uint32_t); ++i)
          if (row_at<std::uint32_t>(owners->parents, i) >= 1000) std::abort();
  }
  return 0;
}
