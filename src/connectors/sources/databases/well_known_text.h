// SPDX-License-Identifier: Apache-2.0
// Shapes in well-known binary as well-known text (OGC 06-103r4, sections 7 and 8).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::connectors {

/// "POINT (13.4 52.5)" of the binary form of a point, and so on for lines, polygons, their
/// collections; of two dimensions. Nothing for what cannot be read to its end.
std::optional<std::string> well_known_text(std::string_view binary);

}  // namespace cairn::connectors
