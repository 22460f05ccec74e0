// SPDX-License-Identifier: Apache-2.0
// Values of scripts: numbers as they are, texts, lists and maps as objects of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::script {

/// What a value is, and what a variable may hold. `def` and `void_` are of variables and results
/// alone: a value always knows its own type.
enum class Type : std::uint8_t {
  null,
  boolean,
  int_,
  long_,
  float_,
  double_,
  string,
  list,
  map,
  entry,    // of a map
  field,    // doc['name']
  date,     // in UTC
  instant,
  weekday,
  vector,
  def,
  void_,
};

/// As scripts write it: "int", "String", "def".
std::string_view name_of(Type type);
/// As errors call a value of it: "java.lang.Integer".
std::string_view class_of(Type type);

constexpr bool is_number(Type type) { return type >= Type::int_ && type <= Type::double_; }
constexpr bool is_whole(Type type) { return type == Type::int_ || type == Type::long_; }
/// A number or a boolean: never null.
constexpr bool is_primitive(Type type) { return is_number(type) || type == Type::boolean; }

struct Object;

/// One value. Objects belong to the Heap that made them.
struct Value {
  Type type = Type::null;
  union {
    std::int64_t whole = 0;  // boolean, int, long; milliseconds of dates; the number of a field
    double real;             // float, double
    Object* object;
  };

  static Value of(bool v) { return whole_of(Type::boolean, v ? 1 : 0); }
  static Value of(std::int32_t v) { return whole_of(Type::int_, v); }
  static Value of(std::int64_t v) { return whole_of(Type::long_, v); }
  static Value of(double v) { return real_of(Type::double_, v); }
  static Value of(float v) { return real_of(Type::float_, static_cast<double>(v)); }
  static Value whole_of(Type type, std::int64_t v) {
    Value out;
    out.type = type;
    out.whole = v;
    return out;
  }
  static Value real_of(Type type, double v) {
    Value out;
    out.type = type;
    out.real = v;
    return out;
  }
  static Value object_of(Type type, Object* v) {
    Value out;
    out.type = type;
    out.object = v;
    return out;
  }

  bool is_null() const { return type == Type::null; }
  /// Of a number, whichever it is.
  double as_double() const { return is_whole(type) ? static_cast<double>(whole) : real; }
};

/// The order of keys in a map; null, booleans, numbers and texts can be keys.
struct KeyOrder {
  bool operator()(const Value& a, const Value& b) const;
};

/// What a value points to. One that is fixed belongs to the request, and cannot be changed.
struct Object {
  bool fixed = false;
  std::string text = {};                        // string
  std::vector<Value> items = {};                // list; key and value of an entry
  std::vector<std::pair<Value, Value>> entries = {};  // map, in the order of their coming
  std::map<Value, std::size_t, KeyOrder> places = {}; // of keys in `entries`
  std::vector<float> numbers = {};              // vector

  /// The value of a key in a map, or null.
  const Value* find(const Value& key) const;
  void put(const Value& key, const Value& value);
  bool erase(const Value& key);
};

inline std::string_view text_of(const Value& v) { return v.object->text; }
inline const std::vector<Value>& items_of(const Value& v) { return v.object->items; }

/// Keeps the objects of one run, or of one program, up to so many bytes. One thread.
class Heap {
 public:
  explicit Heap(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  Object* make();
  Value text(std::string text);
  Value list(std::vector<Value> items);
  Value entry(const Value& key, const Value& value);
  Value vector(std::vector<float> numbers);
  /// Counts what an object grows by.
  void count(std::size_t bytes) { bytes_ += bytes; }
  /// More was made than may be.
  bool is_full() const { return bytes_ > bytes_max_; }
  bool has_room_for(std::size_t bytes) const { return bytes <= bytes_max_ - std::min(bytes_, bytes_max_); }
  std::size_t bytes_max() const { return bytes_max_; }
  void clear() {
    if (objects_.empty()) return;
    objects_.clear();
    bytes_ = 0;
  }

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<Object>> objects_;
};

}  // namespace cairn::script
