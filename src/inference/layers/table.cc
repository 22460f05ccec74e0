// SPDX-License-Identifier: Apache-2.0
// Numbers of files become floats.
#include "inference/layers/table.h"

#include <cstdint>
#include <cstring>

#include "inference/gguf/blocks.h"
#include "inference/model/half.h"
#include "kernels/bf16.h"

namespace cairn::inference {
namespace {

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
  return type == NumberType::f32 || type == NumberType::f16 || type == NumberType::bf16 ||
         is_block_type(type);
}

void read_floats(NumberType type, const char* bytes, std::size_t count, float* out) {
  if (type == NumberType::f32) {
    std::memcpy(out, bytes, count * sizeof(float));
  } else if (type == NumberType::bf16) {
    convert_all<kernels::Bf16>(bytes, count, out,
                               [](kernels::Bf16 number) { return kernels::to_float(number); });
  } else if (is_block_type(type)) {
    read_blocks(type, bytes, count, out);
  } else {
    convert_all<std::uint16_t>(bytes, count, out, float_of_half);
  }
}

Table::Table(const Tensor& tensor)
    : bytes_(tensor.bytes),
      type_(tensor.type),
      rows_(static_cast<std::size_t>(tensor.shape.at(0))),
      width_(static_cast<std::size_t>(tensor.shape.at(1))) {}

void Table::read(std::size_t row, float* out) const {
  const NumberLayout layout = layout_of(type_);
  const std::size_t row_bytes = width_ / layout.numbers * layout.bytes;
  read_floats(type_, bytes_.data() + row * row_bytes, width_, out);
}

}  // namespace cairn::inference
