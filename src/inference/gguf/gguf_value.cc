// SPDX-License-Identifier: Apache-2.0
// Values by name, of the type that the caller wants.
#include "inference/gguf/gguf_value.h"

#include <bit>
#include <cmath>

#include "base/strings.h"

namespace cairn::inference {
namespace {

/// The unsigned number in up to 8 bytes, the lowest first.
std::uint64_t number_of_bytes(std::string_view bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    out = out << 8U | static_cast<unsigned char>(bytes[i]);
  return out;
}

bool is_signed(GgufKind kind) {
  return kind == GgufKind::i8 || kind == GgufKind::i16 || kind == GgufKind::i32 ||
         kind == GgufKind::i64;
}

bool is_whole_number(GgufKind kind) {
  return is_signed(kind) || kind == GgufKind::u8 || kind == GgufKind::u16 ||
         kind == GgufKind::u32 || kind == GgufKind::u64;
}

Error missing_value(std::string_view name) { return gguf_value_error(name, "is missing"); }

}  // namespace

Error gguf_value_error(std::string_view name, std::string_view why) {
  constexpr std::size_t longest_shown = 200;
  return Error{
      .kind = ErrorKind::invalid_argument,
      .message = "gguf: [" + std::string(name.substr(0, longest_shown)) + "] " + std::string(why)};
}

std::size_t bytes_of(GgufKind kind) {
  switch (kind) {
    case GgufKind::u8:
    case GgufKind::i8:
    case GgufKind::boolean:
      return 1;
    case GgufKind::u16:
    case GgufKind::i16:
      return 2;
    case GgufKind::u32:
    case GgufKind::i32:
    case GgufKind::f32:
      return 4;
    case GgufKind::u64:
    case GgufKind::i64:
    case GgufKind::f64:
      return 8;
    case GgufKind::string:
    case GgufKind::array:
      break;
  }
  return 0;
}

bool GgufValues::add(std::string_view name, const GgufValue& value) {
  if (!by_name_.emplace(name, value).second) return false;
  names_.push_back(name);
  return true;
}

const GgufValue* GgufValues::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

Result<std::uint64_t> GgufValues::integer(std::string_view name, std::uint64_t highest,
                                          std::optional<std::uint64_t> fallback) const {
  const GgufValue* const value = find(name);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr) return missing_value(name);
  if (value->is_array || !is_whole_number(value->kind))
    return gguf_value_error(name, "must be a whole number");
  const std::uint64_t out = number_of_bytes(value->bytes);
  const bool is_negative =
      is_signed(value->kind) && (out >> (8 * value->bytes.size() - 1) & 1U) != 0;
  if (is_negative || out > highest)
    return gguf_value_error(name, "must be 0 to " + std::to_string(highest));
  return out;
}

Result<double> GgufValues::number(std::string_view name, std::optional<double> fallback) const {
  const GgufValue* const value = find(name);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr) return missing_value(name);
  if (value->is_array || (value->kind != GgufKind::f32 && value->kind != GgufKind::f64))
    return gguf_value_error(name, "must be a number of type f32 or f64");
  const std::uint64_t bits = number_of_bytes(value->bytes);
  const double out =
      value->kind == GgufKind::f64
          ? std::bit_cast<double>(bits)
          : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (!std::isfinite(out)) return gguf_value_error(name, "must be finite");
  return out;
}

Result<bool> GgufValues::boolean(std::string_view name, bool fallback) const {
  const GgufValue* const value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_array || value->kind != GgufKind::boolean)
    return gguf_value_error(name, "must be true or false");
  return value->bytes[0] != 0;
}

Result<std::string> GgufValues::string(std::string_view name,
                                       std::optional<std::string_view> fallback) const {
  const GgufValue* const value = find(name);
  if (value == nullptr && fallback) return std::string(*fallback);
  if (value == nullptr) return missing_value(name);
  if (value->is_array || value->kind != GgufKind::string)
    return gguf_value_error(name, "must be a string");
  const std::string_view text = value->bytes.substr(8);
  if (!is_utf8(text)) return gguf_value_error(name, "must be UTF-8");
  return std::string(text);
}

Result<const GgufValue*> GgufValues::array(std::string_view name, GgufKind kind) const {
  const GgufValue* const value = find(name);
  if (value == nullptr || (value->is_array && value->kind == kind)) return value;
  return gguf_value_error(name, kind == GgufKind::string ? "must be an array of strings"
                                : kind == GgufKind::f32  ? "must be an array of numbers (f32)"
                                                         : "must be an array of numbers (i32)");
}

Result<std::vector<std::string_view>> GgufValues::strings(std::string_view name) const {
  CAIRN_TRY(const GgufValue* const value, array(name, GgufKind::string));
  std::vector<std::string_view> out;
  if (value == nullptr) return out;
  out.reserve(value->count);
  for (std::string_view rest = value->bytes; !rest.empty();) {
    const std::uint64_t length = number_of_bytes(rest.substr(0, 8));
    out.push_back(rest.substr(8, length));
    if (!is_utf8(out.back()))
      return gguf_value_error(name, "has [" + std::to_string(out.size() - 1) + "], not in UTF-8");
    rest.remove_prefix(8 + length);
  }
  return out;
}

Result<std::vector<float>> GgufValues::numbers(std::string_view name) const {
  CAIRN_TRY(const GgufValue* const value, array(name, GgufKind::f32));
  std::vector<float> out;
  if (value == nullptr) return out;
  out.reserve(value->count);
  for (std::size_t at = 0; at < value->bytes.size(); at += 4) {
    const std::uint64_t bits = number_of_bytes(value->bytes.substr(at, 4));
    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (!std::isfinite(out.back()))
      return gguf_value_error(name, "holds a number that is not finite");
  }
  return out;
}

Result<std::vector<std::int32_t>> GgufValues::integers(std::string_view name) const {
  CAIRN_TRY(const GgufValue* const value, array(name, GgufKind::i32));
  std::vector<std::int32_t> out;
  if (value == nullptr) return out;
  out.reserve(value->count);
  for (std::size_t at = 0; at < value->bytes.size(); at += 4) {
    const std::uint64_t bits = number_of_bytes(value->bytes.substr(at, 4));
    out.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  }
  return out;
}

}  // namespace cairn::inference
