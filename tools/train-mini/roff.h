// SPDX-License-Identifier: Apache-2.0
// Manual pages (man and mdoc macros) as sections of plain paragraphs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::mini {

struct Section {
  std::string heading;
  std::vector<std::string> blocks;  // paragraphs and list items, in order, without code and tables
};

/// The sections of a page. A page that only includes another one (.so) has none. The same macros
/// give the same blocks in every language, so translations made by po4a fall into step.
std::vector<Section> sections_of_page(std::string_view page);

}  // namespace cairn::mini
