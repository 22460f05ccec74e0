// SPDX-License-Identifier: Apache-2.0
// JSON text, appended.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/strings.h"
#include "format/json.h"

namespace cairn {
namespace {

constexpr char unescaped = 0;
constexpr char as_unicode = 'u';

// What follows the backslash for each byte; 0 where a byte stands for itself.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> escapes{};
  for (std::size_t i = 0; i < 0x20; ++i) escapes[i] = as_unicode;
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}
constexpr std::array<char, 256> escapes = make_escapes();

// Whether eight bytes at once stand for themselves. It may say no where they do, never the other way.
bool eight_unescaped(const char* bytes) {
  constexpr std::uint64_t each = 0x0101010101010101;
  constexpr std::uint64_t high = each * 0x80;
  std::uint64_t eight;
  std::memcpy(&eight, bytes, 8);
  const auto has_zero = [](std::uint64_t v) { return (v - each) & ~v & high; };
  const std::uint64_t control = (eight - each * 0x20) & ~eight & high;
  return (control | has_zero(eight ^ (each * '"')) | has_zero(eight ^ (each * '\\'))) == 0;
}

// `text` is well-formed UTF-8.
void append_escaped(std::string& out, std::string_view text) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (text.size() - i >= 8 && eight_unescaped(text.data() + i)) i += 8;
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = escapes[byte];
    if (escape == unescaped) continue;
    out.append(text, run, i - run);
    run = i + 1;
    out += '\\';
    out += escape;
    if (escape == as_unicode) {
      constexpr std::string_view digits = "0123456789abcdef";
      out += "00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  out.append(text, run);
}

// Plain notation where people expect it, an exponent beyond; always recognisable as no integer.
template <class Number>
void append_number(std::string& out, Number v) {
  if (!std::isfinite(v)) {
    out += "null";
    return;
  }
  char text[64];
  const Number size = std::fabs(v);
  const bool is_plain = size == 0 || (size >= Number(1e-5) && size < Number(1e16));
  const auto end =
      std::to_chars(text, text + sizeof text, v,
                    is_plain ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  const std::string_view written(text, static_cast<std::size_t>(end - text));
  out += written;
  if (is_plain && written.find('.') == std::string_view::npos) out += ".0";
}

template <class Number>
void append_integer(std::string& out, Number v) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, v).ptr);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t good = valid_utf8_prefix(text);
    append_escaped(out, text.substr(0, good));
    if (good == text.size()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(good + 1);
  }
  out += '"';
}

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view v) {
  separate();
  append_json_string(out_, v);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t v) {
  separate();
  append_integer(out_, v);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t v) {
  separate();
  append_integer(out_, v);
  return *this;
}

JsonWriter& JsonWriter::number(double v) {
  separate();
  append_number(out_, v);
  return *this;
}

JsonWriter& JsonWriter::number(float v) {
  separate();
  append_number(out_, v);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool v) {
  separate();
  out_ += v ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::value(const Json& v) {
  switch (v.type()) {
    case Json::Type::null:
      return null();
    case Json::Type::boolean:
      return boolean(v.as_bool());
    case Json::Type::integer:
      return integer(v.as_int());
    case Json::Type::unsigned_integer:
      return unsigned_integer(v.as_unsigned());
    case Json::Type::number:
      if (const auto* single = std::get_if<Json::Float>(&v.value_)) return number(single->value);
      return number(v.as_double());
    case Json::Type::string:
      return string(v.as_string());
    case Json::Type::array:
      begin_array();
      for (const Json& element : v.as_array()) value(element);
      return end_array();
    case Json::Type::object:
      begin_object();
      for (const Json::Member& member : v.as_object()) key(member.first).value(member.second);
      return end_object();
  }
  return *this;
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.as_string();
  std::string out;
  std::string_view between;
  const auto add = [&](const std::string& piece) {
    out.append(between).append(piece);
    between = ", ";
  };
  if (value.is_array()) {
    for (const Json& one : value.as_array()) add(plain_text(one));
    return "[" + out + "]";
  }
  if (!value.is_object()) return value.dump();
  for (const auto& [name, one] : value.as_object()) add(name + "=" + plain_text(one));
  return "{" + out + "}";
}

}  // namespace cairn
