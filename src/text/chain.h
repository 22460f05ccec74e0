// SPDX-License-Identifier: Apache-2.0
// An analyzer as a chain: character filters, a splitter, token filters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"
#include "text/filters.h"

namespace cairn::text {

/// Splits a text, appending to the tokens.
using Splitter = std::function<void(std::string_view text, Tokens& out)>;

/// Text changed before it is split, with the way back to the offsets of the original.
struct FilteredText {
  std::string text;
  /// Ascending pairs (offset in `text`, offset in the original); between two, offsets run together.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> offsets;
};
/// `steps` of the caller are counted and end the work; null where nobody waits.
using CharFilter = std::function<FilteredText(std::string_view text, os::Steps* steps)>;

CharFilter html_strip_filter();
CharFilter mapping_char_filter(std::vector<std::pair<std::string, std::string>> pairs);

std::shared_ptr<const Analyzer> make_chain(std::vector<CharFilter> char_filters, Splitter splitter,
                                           std::vector<FilterPtr> filters);

/// What `inner` gives, filtered further.
std::shared_ptr<const Analyzer> filtered_further(std::shared_ptr<const Analyzer> inner,
                                                 std::vector<FilterPtr> filters);

/// The whole text as one token; nothing for an empty text.
void split_nothing(std::string_view text, Tokens& out);

}  // namespace cairn::text
