// SPDX-License-Identifier: Apache-2.0
// Pages of another server's scroll: what is read is what documents may be.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/json.h"
#include "remotesearch/hit_page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t most = 3;
  const auto page = cairn::remotesearch::read_hit_page(text, most);
  const std::string scroll_id = cairn::remotesearch::scroll_id_in(text);
  if (!page.ok()) return 0;
  if (page->hits.size() > most || page->scroll_id.empty() || page->scroll_id != scroll_id)
    std::abort();
  for (const auto& hit : page->hits) {
    if (hit.id.empty() || hit.id.size() > 512 || hit.routing.size() > 512) std::abort();
    const auto source = cairn::parse_json(hit.source);
    if (!source.ok() || !source->is_object()) std::abort();
  }
  return 0;
}
