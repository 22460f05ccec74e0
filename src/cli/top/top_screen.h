// SPDX-License-Identifier: Apache-2.0
// The figures of `cairn top` as lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "format/json.h"

namespace cairn::cli {

struct ScreenSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Lines without their ends, none wider than the screen; as many as fit, the most telling first.
/// `rows` 0: all of them. Names that others chose are shown without characters that a terminal
/// obeys.
std::vector<std::string> top_screen(const Json& figures, ScreenSize size);

}  // namespace cairn::cli
