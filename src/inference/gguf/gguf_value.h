// SPDX-License-Identifier: Apache-2.0
// The values that a GGUF file says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

/// Types of values, with the numbers that they have in files.
enum class GgufKind : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

/// Bytes of a value of this kind; 0 for strings and arrays.
std::size_t bytes_of(GgufKind kind);

/// A value, or an array of values, as bytes of the file, which were checked.
struct GgufValue {
  GgufKind kind = GgufKind::u8;  // of the elements where it is an array
  bool is_array = false;
  std::uint64_t count = 1;
  std::string_view bytes;
};

/// Values by name. Each call's errors: invalid_argument, naming the value, where it is of another
/// type or out of range.
class GgufValues {
 public:
  /// False where the name is there already.
  bool add(std::string_view name, const GgufValue& value);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// In the order of the file.
  const std::vector<std::string_view>& names() const { return names_; }

  /// A whole number of any width; required where there is no fallback.
  Result<std::uint64_t> integer(std::string_view name, std::uint64_t highest,
                                std::optional<std::uint64_t> fallback = {}) const;
  /// A finite number, f32 or f64; required where there is no fallback.
  Result<double> number(std::string_view name, std::optional<double> fallback = {}) const;
  Result<bool> boolean(std::string_view name, bool fallback) const;
  /// UTF-8; required where there is no fallback.
  Result<std::string> string(std::string_view name,
                             std::optional<std::string_view> fallback = {}) const;
  /// Arrays are empty where the file has none of the name.
  Result<std::vector<std::string_view>> strings(std::string_view name) const;
  Result<std::vector<float>> numbers(std::string_view name) const;
  Result<std::vector<std::int32_t>> integers(std::string_view name) const;

 private:
  const GgufValue* find(std::string_view name) const;
  Result<const GgufValue*> array(std::string_view name, GgufKind kind) const;

  std::map<std::string_view, GgufValue> by_name_;
  std::vector<std::string_view> names_;
};

/// invalid_argument: "gguf: [name] why"
Error gguf_value_error(std::string_view name, std::string_view why);

}  // namespace cairn::inference
