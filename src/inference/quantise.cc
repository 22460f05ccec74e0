// SPDX-License-Identifier: Apache-2.0
// Bytes by a scale for each vector, bits by signs.
#include "inference/quantise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cairn::inference {
namespace {

constexpr std::array<std::pair<ElementType, std::string_view>, 3> element_names{{
    {ElementType::real, "float"},
    {ElementType::byte, "byte"},
    {ElementType::bit, "bit"},
}};
constexpr float largest_byte = 127;

void to_bytes(std::vector<float>& vector) {
  float largest = 0;
  for (const float number : vector) largest = std::max(largest, std::fabs(number));
  if (!(largest > 0)) return;
  for (float& number : vector) {
    number =
        std::clamp(std::nearbyint(number / largest * largest_byte), -largest_byte, largest_byte);
  }
}

}  // namespace

std::string_view name_of(ElementType type) {
  for (const auto& [value, name] : element_names) {
    if (value == type) return name;
  }
  return "unknown";
}

std::optional<ElementType> element_type_of(std::string_view name) {
  for (const auto& [value, known] : element_names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

void quantise(std::vector<float>& vector, ElementType type) {
  if (type == ElementType::byte) to_bytes(vector);
  if (type == ElementType::bit) {
    for (float& number : vector) number = number > 0 ? 1.0F : -1.0F;
  }
}

std::vector<std::int8_t> packed_bits(const std::vector<float>& vector) {
  std::vector<std::int8_t> out;
  out.reserve((vector.size() + 7) / 8);
  for (std::size_t i = 0; i < vector.size(); i += 8) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      bits = bits << 1U | static_cast<unsigned>(i + k < vector.size() && vector[i + k] > 0);
    }
    out.push_back(static_cast<std::int8_t>(static_cast<std::uint8_t>(bits)));
  }
  return out;
}

}  // namespace cairn::inference
