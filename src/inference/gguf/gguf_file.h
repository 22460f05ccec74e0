// SPDX-License-Identifier: Apache-2.0
// The GGUF file format: values by name, then named arrays of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/gguf/gguf_value.h"
#include "inference/model/safetensors.h"

namespace cairn::inference {

/// One array as the table of a file has it. Its shape stands as in other files: the last number
/// counts what lies side by side.
struct GgufTensor {
  std::string name;
  NumberType type = NumberType::f32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // in the file
  std::uint64_t bytes = 0;
};

/// The head of a file of version 2 or 3, little-endian: all but the numbers of the arrays. Views
/// into the bytes that read() was given, which must outlive it.
class GgufFile {
 public:
  /// No head may be longer.
  static constexpr std::uint64_t most_head_bytes = std::uint64_t{256} << 20U;

  /// Reads the head of a file of `file_bytes`, of which `begin` holds the first ones; nothing where
  /// the head is longer than those. Checks every number before use: arrays lie within the file, one
  /// behind the other, at addresses that the file's alignment allows, and are as large as their
  /// shapes say. Errors: invalid_argument with the place and what is wrong; unsupported for another
  /// version, byte order or type of numbers, and for a part of a model that lies in several files.
  static Result<std::optional<GgufFile>> read(std::string_view begin, std::uint64_t file_bytes);

  const GgufValues& values() const { return values_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }  // in order of their bytes
  const GgufTensor* find(std::string_view name) const;

 private:
  GgufValues values_;
  std::vector<GgufTensor> tensors_;
};

}  // namespace cairn::inference
