// SPDX-License-Identifier: Apache-2.0
// JSON in (simdjson) and out. `Json` is an ordered tree; `JsonWriter` appends text directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace cairn {

/// A JSON value. Objects keep the order of their members and of two members with one name the
/// last. Integers stay integers (signed, or unsigned above INT64_MAX).
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;
  enum class Type { null, boolean, integer, unsigned_integer, number, string, array, object };

  Json() = default;
  // In json.cc, so that they are compiled once: every room has thousands of them.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  Json(std::nullptr_t) {}
  Json(bool v) : value_(v) {}
  Json(int v) : value_(static_cast<std::int64_t>(v)) {}
  Json(unsigned v) : value_(static_cast<std::int64_t>(v)) {}
  Json(std::int64_t v) : value_(v) {}
  Json(std::uint64_t v);
  Json(long long v) : Json(static_cast<std::int64_t>(v)) {}
  Json(unsigned long long v) : Json(static_cast<std::uint64_t>(v)) {}
  Json(double v) : value_(v) {}
  Json(float v);  // the shortest text that is this float
  Json(const char* v) : value_(std::string(v)) {}
  Json(std::string_view v) : value_(std::string(v)) {}
  Json(std::string v) : value_(std::move(v)) {}
  Json(Array v) : value_(std::move(v)) {}
  Json(Object v) : value_(std::move(v)) {}
  Json(const void*) = delete;  // would be taken for a boolean

  /// `Json::object({{"a", 1}, {"b", Json::array({1, 2})}})`
  static Json object(std::initializer_list<Member> members = {});
  static Json array(std::initializer_list<Json> elements = {});
  template <class Range>
  static Json array_of(const Range& range) {
    Array out;
    for (const auto& element : range) out.emplace_back(Json(element));
    return Json(std::move(out));
  }

  Type type() const;
  bool is_null() const { return type() == Type::null; }
  bool is_bool() const { return type() == Type::boolean; }
  bool is_integer() const { return type() == Type::integer || type() == Type::unsigned_integer; }
  bool is_count() const;  // an integer that is not negative
  bool is_number() const { return is_integer() || type() == Type::number; }
  bool is_string() const { return type() == Type::string; }
  bool is_array() const { return type() == Type::array; }
  bool is_object() const { return type() == Type::object; }

  // Asking for another type than the one held is a bug; look at type() first.
  bool as_bool() const;
  std::int64_t as_int() const;        // integers only; INT64_MAX for those above it
  std::uint64_t as_unsigned() const;  // of is_count()
  double as_double() const;           // any number
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  /// The member, or null where this is no object or has none of that name.
  const Json* find(std::string_view name) const;
  Json* find(std::string_view name);
  /// The member at a dotted path through objects ("a.b.c"), or null.
  const Json* find_path(std::string_view dotted) const;
  /// Sets or adds a member. Makes a null an object.
  Json& set(std::string_view name, Json value);
  bool erase(std::string_view name);
  /// Appends an element. Makes a null an array.
  Json& push(Json value);

  // Reading with a default, for stored records whose shape is known.
  std::string string_or(std::string_view name, std::string_view fallback = {}) const;
  std::int64_t int_or(std::string_view name, std::int64_t fallback = 0) const;
  double double_or(std::string_view name, double fallback = 0) const;
  bool bool_or(std::string_view name, bool fallback = false) const;

  /// Compact text; `pretty` indents by two spaces and puts a space around each colon.
  std::string dump(bool pretty = false) const;

  /// Same kind of value (integers and other numbers differ), members in the same order.
  friend bool operator==(const Json& a, const Json& b);

 private:
  friend class JsonWriter;
  struct Float {
    float value;
  };
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object, Float>
      value_;
};

struct JsonLimits {
  std::size_t depth = 100;    // nested arrays and objects
  bool unique_names = false;  // two members of one name are an error
};

/// Parses one JSON text (RFC 8259), all of it; a byte order mark before it is skipped. Of members
/// with one name the last counts. Integers beyond 64 bits become the nearest double; half of a
/// surrogate pair becomes U+FFFD.
/// Errors: invalid_argument, code x_content_parse_exception, with `[line:column]` of the first byte
/// that does not fit, what was wrong, and details line and col. Columns count bytes from 1.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

/// Appends JSON text to a string. The caller keeps the grammar: begin/end pair up, a key before
/// each value of an object. Commas are placed by the writer.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view v);  // escapes; bytes that are not UTF-8 become U+FFFD
  JsonWriter& integer(std::int64_t v);
  JsonWriter& unsigned_integer(std::uint64_t v);
  JsonWriter& number(double v);  // shortest text that reads back equal; null for NaN and infinities
  JsonWriter& number(float v);
  JsonWriter& boolean(bool v);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // text that is JSON already
  JsonWriter& value(const Json& v);

 private:
  void separate();
  std::string& out_;
  bool comma_ = false;
};

/// Appends the quoted, escaped form of `text`.
void append_json_string(std::string& out, std::string_view text);

/// A value as a part of a text, as the field's engine shows it: strings as they are, lists and
/// objects as [a, b] and {k=v}, both of any depth that parse_json takes.
std::string plain_text(const Json& value);

}  // namespace cairn
