// SPDX-License-Identifier: Apache-2.0
// One page of a scroll as another server answered it. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::remotesearch {

struct RemoteHit {
  std::string id;
  std::string routing = {};  // empty: none
  std::string source;        // JSON text of an object, as the server wrote it
};

struct HitPage {
  std::string scroll_id;
  std::uint64_t total = 0;
  std::vector<RemoteHit> hits = {};
};

/// Reads an answer to a search with a scroll, of Elasticsearch 7 to 9 or of what speaks as it does.
/// At most `most_hits` documents; each has an id that a document may have, and an object as its
/// source. The total is exact. One pass over the text, and one over each source.
/// Errors: corrupt, which say what is wrong with the answer; unavailable, where the server says
/// that it did not search all it has; invalid_argument for a document without `_source`.
Result<HitPage> read_hit_page(std::string_view text, std::size_t most_hits);

/// The scroll that such an answer is of, also where the rest of it cannot be read; empty: none.
std::string scroll_id_in(std::string_view text);

}  // namespace cairn::remotesearch
