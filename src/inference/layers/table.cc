// SPDX-License-Identifier: Apache-2.0
// Numbers of files become floats.
#include "inference/layers/table.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/bf16.h"

namespace cairn::inference {
namespace {

/// An IEEE half as a float, exactly.
float of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0) {  // zero and numbers below the least normal one
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? value : -value;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

template <class Number, class Convert>
void convert_all(const char* bytes, std::size_t count, float* out, const Convert& convert) {
  for (std::size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, bytes + i * sizeof number, sizeof number);
    out[i] = convert(number);
  }
}

}  // namespace

bool is_float_type(NumberType type) {
  return type == NumberType::f32 || type == NumberType::f16 || type == NumberType::bf16;
}

void read_floats(NumberType type, const char* bytes, std::size_t count, float* out) {
  if (type == NumberType::f32) {
    std::memcpy(out, bytes, count * sizeof(float));
  } else if (type == NumberType::bf16) {
    convert_all<kernels::Bf16>(bytes, count, out,
                               [](kernels::Bf16 number) { return kernels::to_float(number); });
  } else {
    convert_all<std::uint16_t>(bytes, count, out, of_half);
  }
}

Table::Table(const Tensor& tensor)
    : bytes_(tensor.bytes),
      type_(tensor.type),
      rows_(static_cast<std::size_t>(tensor.shape.at(0))),
      width_(static_cast<std::size_t>(tensor.shape.at(1))) {}

void Table::read(std::size_t row, float* out) const {
  const std::size_t row_bytes = width_ * bytes_of(type_);
  read_floats(type_, bytes_.data() + row * row_bytes, width_, out);
}

}  // namespace cairn::inference
