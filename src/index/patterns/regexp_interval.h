// SPDX-License-Identifier: Apache-2.0
// Numbers of an interval as a regular expression.
#pragma once

#include <string_view>

#include "index/patterns/regexp_syntax.h"

namespace cairn::index {

/// "1-100": the decimal numbers from one to the other, in either order. Where both are written with
/// as many digits, numbers have so many ("01-10"); else they may begin with any zeros. Null where
/// it is no such interval of 32-bit numbers.
RegexpTree interval_tree(std::string_view bounds);

}  // namespace cairn::index
