// SPDX-License-Identifier: Apache-2.0
// The safetensors file format: named arrays of numbers behind a JSON head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

/// The last four are blocks of quantised numbers (gguf/blocks.h), which no safetensors file has.
enum class NumberType {
  f64,
  f32,
  f16,
  bf16,
  f8_e4m3,
  f8_e5m2,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean,
  q8_0,
  q4_0,
  q4_k,
  q6_k,
};

/// Numbers that stand together, and the bytes that they take.
struct NumberLayout {
  std::size_t numbers = 1;
  std::size_t bytes = 0;
};

std::string_view name_of(NumberType type);  // as in the file: "F32"
NumberLayout layout_of(NumberType type);
std::size_t bytes_of(NumberType type);  // of one number; not for blocks

/// One array, row-major, little-endian. `bytes` may begin at any address.
struct Tensor {
  std::string name;
  NumberType type = NumberType::f32;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;
};

/// The tensors of one file. Views into the bytes that parse() was given, which must outlive it.
class Safetensors {
 public:
  /// Checks the whole head: sizes agree with shapes, and the arrays fill the data without holes or
  /// overlaps. Reads no array. Errors: invalid_argument with what is wrong.
  static Result<Safetensors> parse(std::string_view file);

  /// The same checks of a file of `file_bytes` of which only the head is at hand: `begin` holds at
  /// least head_bytes() of it. Errors: as of parse().
  static Status check_head(std::string_view begin, std::uint64_t file_bytes);
  /// Bytes of length and head, from the first 8 bytes of a file. Errors: invalid_argument for a
  /// head that is too large for the file or for this program.
  static Result<std::uint64_t> head_bytes(std::string_view begin, std::uint64_t file_bytes);

  const std::vector<Tensor>& tensors() const { return tensors_; }  // in the order of their bytes
  const Tensor* find(std::string_view name) const;

  /// The tensor, with this type and this shape. Errors: invalid_argument, naming the tensor.
  Result<const Tensor*> get(std::string_view name, NumberType type,
                            const std::vector<std::uint64_t>& shape) const;

 private:
  std::vector<Tensor> tensors_;
};

/// A copy of the numbers of a tensor. `Number` must have the size of its type.
template <class Number>
std::vector<Number> numbers_of(const Tensor& tensor) {
  std::vector<Number> out(tensor.bytes.size() / sizeof(Number));
  if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), out.size() * sizeof(Number));
  return out;
}

/// A file of these tensors, in their order, with `metadata` in its head. The same bytes each time.
/// The bytes of each tensor must fit its shape.
std::string write_safetensors(const std::vector<Tensor>& tensors,
                              const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace cairn::inference
