// SPDX-License-Identifier: Apache-2.0
// Looking tensors up, and checking what is found.
#include "inference/layers/tensors.h"

#include <algorithm>
#include <cmath>

#include "inference/layers/table.h"

namespace cairn::inference {
namespace {

Error invalid_tensor(const std::string& name, const std::string& what) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "[" + name + "] " + what};
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
  std::string out;
  for (const std::uint64_t size : shape) out += (out.empty() ? "" : " x ") + std::to_string(size);
  return out.empty() ? "one number" : out;
}

}  // namespace

Status Tensors::add(std::string_view file_name, std::string_view bytes) {
  auto file = Safetensors::parse(bytes);
  if (!file.ok()) return with_context(std::move(file).error(), std::string(file_name));
  return add(file_name, file->tensors());
}

Status Tensors::add(std::string_view file_name, std::vector<Tensor> tensors) {
  files_.push_back(std::move(tensors));
  for (const Tensor& tensor : files_.back()) {
    if (!by_name_.emplace(tensor.name, &tensor).second) {
      return invalid_tensor(tensor.name,
                            "stands in two files, " + std::string(file_name) + " among them");
    }
  }
  return ok_status();
}

void Tensors::choose_prefix(const std::vector<std::string_view>& prefixes, std::string_view name) {
  for (const std::string_view prefix : prefixes) {
    prefix_ = prefix;
    if (has(name)) return;
  }
  prefix_.clear();
}

const Tensor* Tensors::find(std::string_view name) const {
  const auto at = by_name_.find(prefix_ + std::string(name));
  return at == by_name_.end() ? nullptr : at->second;
}

Result<const Tensor*> Tensors::get(std::string_view name,
                                   const std::vector<std::uint64_t>& shape) const {
  const std::string whole = prefix_ + std::string(name);
  const Tensor* const tensor = find(name);
  if (tensor == nullptr) return invalid_tensor(whole, "is missing");
  if (!is_float_type(tensor->type)) {
    return invalid_tensor(whole, "is of type " + std::string(name_of(tensor->type)) +
                                     "; F32, F16 and BF16 are offered");
  }
  if (tensor->shape != shape) {
    return invalid_tensor(whole, "has the shape " + text_of(tensor->shape) + " where " +
                                     text_of(shape) + " was expected");
  }
  return tensor;
}

Result<std::vector<float>> Tensors::floats(std::string_view name,
                                           const std::vector<std::uint64_t>& shape) const {
  CAIRN_TRY(const Tensor* const tensor, get(name, shape));
  const NumberLayout layout = layout_of(tensor->type);
  std::vector<float> out(tensor->bytes.size() / layout.bytes * layout.numbers);
  read_floats(tensor->type, tensor->bytes.data(), out.size(), out.data());
  if (!are_finite(out)) return not_finite(*tensor);
  return out;
}

bool are_finite(const std::vector<float>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](float number) { return std::isfinite(number); });
}

Error not_finite(const Tensor& tensor) {
  return invalid_tensor(tensor.name, "holds a number that is not finite");
}

}  // namespace cairn::inference
