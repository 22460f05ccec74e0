// SPDX-License-Identifier: Apache-2.0
// How far a walk over web pages is, as a text: another one goes on from there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/sources/web/page_frontier.h"

namespace cairn::connectors {

struct PageFailure {
  std::string url, reason;
};

/// What a walk knows besides its addresses.
struct WalkPlace {
  bool has_begun = false;
  std::vector<std::string> sitemaps = {};
  std::size_t sitemaps_done = 0;
  std::size_t answered = 0;                // pages that could be asked for
  std::vector<PageFailure> failures = {};  // pages and sitemaps that could not
  std::string first_failure = {};          // what is told where nothing answered
};

std::string place_text(const WalkPlace& place, const PageFrontier& frontier);

/// Fills an empty frontier. False where the text is no place: both are as they were then, or hold a
/// part of it.
bool read_place(std::string_view text, WalkPlace& place, PageFrontier& frontier);

}  // namespace cairn::connectors
