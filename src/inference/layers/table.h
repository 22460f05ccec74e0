// SPDX-License-Identifier: Apache-2.0
// A table of rows as they came from a file.
#pragma once

#include <cstddef>
#include <string_view>

#include "inference/model/safetensors.h"

namespace cairn::inference {

/// A matrix of f32, f16, bf16 or blocks in bytes that somebody else keeps. A row of blocks has
/// whole ones.
class Table {
 public:
  Table() = default;
  /// `tensor` has two dimensions and one of those types.
  explicit Table(const Tensor& tensor);
  /// `bytes` holds rows * width numbers of the type.
  Table(NumberType type, std::size_t rows, std::size_t width, std::string_view bytes)
      : bytes_(bytes), type_(type), rows_(rows), width_(width) {}

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  bool empty() const { return rows_ == 0; }
  NumberType type() const { return type_; }
  std::string_view bytes() const { return bytes_; }

  /// Row `row`, which must be below rows(), as floats.
  void read(std::size_t row, float* out) const;

 private:
  std::string_view bytes_;
  NumberType type_ = NumberType::f32;
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
};

/// `count` numbers of a type as floats: f32, f16, bf16, or whole blocks.
void read_floats(NumberType type, const char* bytes, std::size_t count, float* out);
bool is_float_type(NumberType type);

}  // namespace cairn::inference
