// SPDX-License-Identifier: Apache-2.0
// Dense vectors in fewer bits, so that near ones stay near.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cairn::inference {

/// What the numbers of a dense vector are: `element_type` of an endpoint's service settings.
enum class ElementType { real, byte, bit };

std::string_view name_of(ElementType type);  // float, byte, bit
std::optional<ElementType> element_type_of(std::string_view name);

/// `byte`: each number times 127 over the largest magnitude of its vector, rounded: integers from
/// -127 to 127, whose cosine is that of the vector but for the rounding. `bit`: 1 for numbers above
/// zero, else -1; how many of two vectors differ grows with their angle. `real`: as it is.
void quantise(std::vector<float>& vector, ElementType type);

/// A vector that was quantised as `bit`, eight numbers in a byte, the first in the highest bit.
std::vector<std::int8_t> packed_bits(const std::vector<float>& vector);

}  // namespace cairn::inference
