// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/well_known_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace cairn::connectors {
namespace {

constexpr int shape_depth_max = 8;  // collections within collections
constexpr std::string_view shape_names[] = {
    "",           "POINT",           "LINESTRING",   "POLYGON",
    "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
constexpr std::uint32_t shape_point = 1, shape_line = 2, shape_polygon = 3, shape_points = 4,
                        shape_collection = 7;

/// One reading of the bytes, into one text. Every member is false at the first fault.
class ShapeReader {
 public:
  explicit ShapeReader(std::string_view bytes) : bytes_(bytes) {}

  bool read() { return shape(0, 1) && at_ == bytes_.size(); }
  std::string take() && { return std::move(out_); }

 private:
  /// A shape of a type (`wanted`; 0: any, and then its name is written).
  bool shape(std::uint32_t wanted, int depth) {
    if (depth > shape_depth_max || at_ >= bytes_.size()) return false;
    const char order = bytes_[at_++];
    if (order != 0 && order != 1) return false;
    is_little_ = order == 1;
    std::uint32_t type = 0;
    if (!number(type) || type < shape_point || type > shape_collection ||
        (wanted != 0 && type != wanted))
      return false;
    if (wanted == 0) (out_ += shape_names[type]) += ' ';
    if (type == shape_point) return coordinates(true);
    if (type == shape_line) return list([&] { return coordinates(false); });
    if (type == shape_polygon)
      return list([&] { return list([&] { return coordinates(false); }); });
    const std::uint32_t part = type == shape_collection ? 0 : type - (shape_points - shape_point);
    return list([&] { return shape(part, depth + 1); });
  }

  template <class Item>
  bool list(Item item) {
    std::uint32_t count = 0;
    if (!number(count)) return false;
    if (count == 0) {
      out_ += "EMPTY";
      return true;
    }
    out_ += '(';
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i != 0) out_ += ", ";
      if (!item()) return false;
    }
    out_ += ')';
    return true;
  }

  bool coordinates(bool in_brackets) {
    double x = 0, y = 0;
    if (!number(x) || !number(y) || !std::isfinite(x) || !std::isfinite(y)) return false;
    if (in_brackets) out_ += '(';
    append(x);
    out_ += ' ';
    append(y);
    if (in_brackets) out_ += ')';
    return true;
  }

  void append(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    out_.append(digits, end);
  }

  template <class Number>
  bool number(Number& out) {
    if (bytes_.size() - at_ < sizeof(Number)) return false;
    unsigned char raw[sizeof(Number)];
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      raw[is_little_ ? i : sizeof(Number) - 1 - i] = static_cast<unsigned char>(bytes_[at_ + i]);
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&out, raw, sizeof(Number));
    at_ += sizeof(Number);
    return true;
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_little_ = true;
  std::string out_;
};

}  // namespace

std::optional<std::string> well_known_text(std::string_view binary) {
  ShapeReader reader(binary);
  if (!reader.read()) return std::nullopt;
  return std::move(reader).take();
}

}  // namespace cairn::connectors
