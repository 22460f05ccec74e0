// SPDX-License-Identifier: Apache-2.0
// The tensors of a model that lies in one file or in several.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/model/safetensors.h"

namespace cairn::inference {

/// Tensors by name, from all files of a model. Views into bytes that must outlive it.
class Tensors {
 public:
  /// Errors: invalid_argument, with the file's name, for bytes that are no safetensors file and for
  /// a name that two files have.
  Status add(std::string_view file_name, std::string_view bytes);

  /// Adds tensors of another file as they are. Errors: as of add().
  Status add(std::string_view file_name, std::vector<Tensor> tensors);

  /// Names are looked for with this before them. What a model's head wraps has such a prefix.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// The first of the prefixes with which there is a tensor of this name; none otherwise.
  void choose_prefix(const std::vector<std::string_view>& prefixes, std::string_view name);

  const std::string& prefix() const { return prefix_; }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Null where there is none of that name.
  const Tensor* find(std::string_view name) const;

  /// A tensor of f32, f16, bf16 or blocks with this shape. Errors: invalid_argument, naming it.
  Result<const Tensor*> get(std::string_view name, const std::vector<std::uint64_t>& shape) const;
  /// Its numbers as floats. Errors: also invalid_argument for a number that is not finite.
  Result<std::vector<float>> floats(std::string_view name,
                                    const std::vector<std::uint64_t>& shape) const;

 private:
  std::deque<std::vector<Tensor>> files_;
  std::unordered_map<std::string, const Tensor*> by_name_;
  std::string prefix_;
};

/// Whether all numbers are finite.
bool are_finite(const std::vector<float>& numbers);
/// invalid_argument, naming the tensor.
Error not_finite(const Tensor& tensor);

}  // namespace cairn::inference
