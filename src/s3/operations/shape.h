// SPDX-License-Identifier: Apache-2.0
// Structures that describe themselves: each field of an operation is declared once, with its place
// on the wire, and generic code reads, writes, checks and prints it from that one line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "s3/model.h"

namespace cairn::s3 {

/// An instant in parameters and results.
struct Time {
  std::int64_t unix_ms = 0;
  friend bool operator==(Time, Time) = default;
};

enum class Place {
  bucket,      // the bucket of the address
  key,         // the key of the address
  query,       // a query parameter
  header,      // a header field
  header_map,  // all header fields with a prefix
  element,     // a child element of the body
  attribute,   // an attribute of the structure's own element
  own_name,    // a boolean: the structure's own element has this name instead of the list's
  payload,     // the body: its root element
  root_text,   // the text of the body's root element
  raw_body,    // the body as it is
};

enum class Type { text, integer, boolean, time, text_list, text_map, structure, structure_list };

std::string_view name_of(Place place);
std::string_view name_of(Type type);

/// The values that a text may have in a request, and the error for another one.
struct Values {
  std::span<const std::string_view> allowed;
  std::string_view error_code = "InvalidArgument";
  std::string_view error_message = {};  // empty: the usual one of the code
  bool any_case = false;                // then the field holds the allowed spelling
};

/// Where a field stands on the wire.
struct Wire {
  Place place = Place::element;
  std::string_view name = {};   // in dialect aws
  std::string_view outer = {};  // the element around a list; empty: the list is flat
  const Values* values = nullptr;
  bool must = false;          // a list that must be there
  bool may_be_empty = false;  // but its element is enough
  bool lenient = false;       // a value that cannot be read counts as absent
  bool url_coded = false;     // percent-encoded when the result says encoding type url
  bool iso_time = false;      // a time in a header that is ISO 8601 all the same

  constexpr Wire required() const {
    Wire w = *this;
    return w.must = true, w;
  }
  constexpr Wire or_empty() const {
    Wire w = *this;
    return w.may_be_empty = true, w;
  }
  constexpr Wire ignore_malformed() const {
    Wire w = *this;
    return w.lenient = true, w;
  }
  constexpr Wire encodable() const {
    Wire w = *this;
    return w.url_coded = true, w;
  }
  constexpr Wire iso8601() const {
    Wire w = *this;
    return w.iso_time = true, w;
  }
};

namespace wire {
constexpr Wire bucket() { return {.place = Place::bucket, .name = "Bucket"}; }
constexpr Wire key() { return {.place = Place::key, .name = "Key"}; }
constexpr Wire query(std::string_view name, const Values* values = nullptr) {
  return {.place = Place::query, .name = name, .values = values};
}
constexpr Wire header(std::string_view name, const Values* values = nullptr) {
  return {.place = Place::header, .name = name, .values = values};
}
constexpr Wire header_map(std::string_view prefix) {
  return {.place = Place::header_map, .name = prefix};
}
constexpr Wire element(std::string_view name, const Values* values = nullptr) {
  return {.place = Place::element, .name = name, .values = values};
}
constexpr Wire wrapped(std::string_view outer, std::string_view name) {
  return {.place = Place::element, .name = name, .outer = outer};
}
constexpr Wire attribute(std::string_view name, const Values* values = nullptr) {
  return {.place = Place::attribute, .name = name, .values = values};
}
constexpr Wire own_name(std::string_view name) { return {.place = Place::own_name, .name = name}; }
constexpr Wire raw_body() { return {.place = Place::raw_body, .name = "Body"}; }
constexpr Wire payload(std::string_view root) { return {.place = Place::payload, .name = root}; }
constexpr Wire root_text(std::string_view root) {
  return {.place = Place::root_text, .name = root};
}
}  // namespace wire

struct Shape;

/// How generic code reaches into a field, whatever its C++ type.
struct Access {
  bool (*has)(const void* field);  // engaged; not empty; always for a plain value
  void* (*value)(void* field);     // scalars and structures: the value, made where it is not there
  std::size_t (*size)(const void* field);       // lists
  void* (*at)(void* field, std::size_t index);  // lists
  void* (*append)(void* field);                 // lists
};

/// Where a field lies in its structure. A number and no function, so that a table of fields is
/// data.
struct FieldPlace {
  std::size_t offset;
  void* operator()(void* structure) const { return static_cast<char*>(structure) + offset; }
};

/// Another structure's shape, or none.
class ShapePlace {
 public:
  constexpr ShapePlace(const Shape* shape = nullptr) : shape_(shape) {}  // NOLINT
  const Shape& operator()() const { return *shape_; }
  friend bool operator==(ShapePlace place, std::nullptr_t) { return place.shape_ == nullptr; }

 private:
  const Shape* shape_;
};

struct Member {
  std::string_view name;  // as callers write it: "max_keys"
  Wire wire;
  Type type;
  bool required;
  const Access* access;
  FieldPlace field;
  ShapePlace shape;  // of structures and their lists, else null
};

/// A field of a structure that is only read.
inline void* field_of(const Member& member, const void* structure) {
  return member.field(const_cast<void*>(structure));  // NOLINT: read only from here on
}

struct Shape {
  std::string_view name;
  std::span<const Member> members;
  /// Given null makes one with its defaults, else ends the one that it is given. Null where it is
  /// only part of others.
  void* (*life)(void* structure) = nullptr;
  const Member* find(std::string_view member_name) const;
};

/// A structure whose type is known to its shape alone.
using AnyStructure = std::unique_ptr<void, void* (*)(void* structure)>;
/// With its defaults. Of the parameters and results of operations.
inline AnyStructure new_structure(const Shape& shape) { return {shape.life(nullptr), shape.life}; }

/// The description of a structure that was declared with the macros below. Each has a line in
/// shapes.cc, where all of them are made.
template <class Structure>
const Shape& shape_of();

namespace detail {

/// What a structure says of one of its fields.
template <class T>
struct FieldOf {
  std::string_view name;
  Wire wire;
  std::size_t offset;
};

template <int Place>
struct At {};

}  // namespace detail

/// Appends what a structure lacks, one text each: `missing required parameter params[:bucket]`.
void find_faults(const Shape& shape, const void* structure, std::vector<std::string>& out);

}  // namespace cairn::s3

// Fields are told apart by their line, so two of them never share one; CAIRN_S3_FIELD_AT is for
// macros that stand for up to eight fields. A structure stays an aggregate. A map makes it no
// "standard layout", for which the language leaves offsetof to the compiler: g++ and clang have it.
#define CAIRN_S3_SHAPE(Self)                            \
  using ShapeSelf = Self;                               \
  static constexpr std::string_view shape_name = #Self; \
  static constexpr int shape_begin = __LINE__ * 8;

#define CAIRN_S3_FIELD_AT(slot, type_, field_, ...)                       \
  type_ field_ = {};                                                      \
  static constexpr ::cairn::s3::detail::FieldOf<type_> describe(          \
      ::cairn::s3::detail::At<__LINE__ * 8 + slot>) {                     \
    using namespace ::cairn::s3::wire; /* NOLINT */                       \
    _Pragma("GCC diagnostic push")                                        \
        _Pragma("GCC diagnostic ignored \"-Winvalid-offsetof\"") return { \
            #field_, __VA_ARGS__, offsetof(ShapeSelf, field_)};           \
    _Pragma("GCC diagnostic pop")                                         \
  }

#define CAIRN_S3_FIELD(type_, field_, ...) CAIRN_S3_FIELD_AT(0, type_, field_, __VA_ARGS__)

#define CAIRN_S3_SHAPE_END(Self)                 \
  static constexpr int shape_end = __LINE__ * 8; \
  friend bool operator==(const Self&, const Self&) = default;
