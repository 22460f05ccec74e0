// SPDX-License-Identifier: Apache-2.0
// Structures that describe themselves: each field of an operation is declared once, with its place
// on the wire, and generic code reads, writes, checks and prints it from that one line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
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

struct Member {
  std::string_view name;  // as callers write it: "max_keys"
  Wire wire;
  Type type;
  bool required;
  const Access* access;
  void* (*field)(void* structure);
  const Shape& (*shape)();  // of structures and their lists, else null
};

struct Shape {
  std::string_view name;
  std::span<const Member> members;
  const Member* find(std::string_view member_name) const;
};

template <class Structure>
const Shape& shape_of();

namespace detail {

template <class T>
struct Unwrapped {
  using type = T;
  static constexpr bool optional = false, list = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true, list = false;
};
template <class T>
struct Unwrapped<std::vector<T>> {
  using type = T;
  static constexpr bool optional = true, list = true;
};

template <class T>
constexpr Type type_of() {
  using U = Unwrapped<T>;
  using Inner = typename U::type;
  if constexpr (std::is_same_v<Inner, std::string>)
    return U::list ? Type::text_list : Type::text;
  else if constexpr (std::is_same_v<Inner, std::int64_t>)
    return Type::integer;
  else if constexpr (std::is_same_v<Inner, bool>)
    return Type::boolean;
  else if constexpr (std::is_same_v<Inner, Time>)
    return Type::time;
  else if constexpr (std::is_same_v<Inner, Metadata>)
    return Type::text_map;
  else
    return U::list ? Type::structure_list : Type::structure;
}

template <class T>
inline constexpr Access access_of = [] {
  using U = Unwrapped<T>;
  Access a{};
  if constexpr (U::list) {
    a.has = [](const void* f) { return !static_cast<const T*>(f)->empty(); };
    a.size = [](const void* f) { return static_cast<const T*>(f)->size(); };
    a.at = [](void* f, std::size_t i) -> void* { return &(*static_cast<T*>(f))[i]; };
    a.append = [](void* f) -> void* { return &static_cast<T*>(f)->emplace_back(); };
  } else if constexpr (U::optional) {
    a.has = [](const void* f) { return static_cast<const T*>(f)->has_value(); };
    a.value = [](void* f) -> void* {
      auto& field = *static_cast<T*>(f);
      return field ? &*field : &field.emplace();
    };
  } else if constexpr (std::is_same_v<T, Metadata>) {
    a.has = [](const void* f) { return !static_cast<const T*>(f)->empty(); };
    a.value = [](void* f) -> void* { return f; };
  } else {
    a.has = [](const void*) { return true; };
    a.value = [](void* f) -> void* { return f; };
  }
  return a;
}();

template <class T>
constexpr Member member(std::string_view name, Wire wire, void* (*field)(void*)) {
  using Inner = typename Unwrapped<T>::type;
  constexpr Type type = type_of<T>();
  if (name.ends_with('_')) name.remove_suffix(1);  // a field that would be a word of the language
  Member m{.name = name,
           .wire = wire,
           .type = type,
           .required = wire.must || (!Unwrapped<T>::optional && type != Type::text_map),
           .access = &access_of<T>,
           .field = field,
           .shape = nullptr};
  if constexpr (type == Type::structure || type == Type::structure_list) m.shape = &shape_of<Inner>;
  return m;
}

template <int Place>
struct At {};

template <class S, int Place>
concept DescribedAt = requires {
  S::describe(At<Place>{});
};

template <class S, int... Offsets>
constexpr std::size_t count_members(std::integer_sequence<int, Offsets...>) {
  return (std::size_t{DescribedAt<S, S::shape_begin + Offsets>} + ... + 0);
}

template <class S, int Place, class Members>
constexpr void add_member(Members& members, std::size_t& next) {
  if constexpr (DescribedAt<S, Place>) members[next++] = S::describe(At<Place>{});
}

template <class S, int... Offsets>
constexpr auto collect_members(std::integer_sequence<int, Offsets...> all) {
  std::array<Member, count_members<S>(all)> members{};
  std::size_t next = 0;
  (add_member<S, S::shape_begin + Offsets>(members, next), ...);
  return members;
}

template <class S>
inline constexpr auto members_of =
    collect_members<S>(std::make_integer_sequence<int, S::shape_end - S::shape_begin>{});

}  // namespace detail

/// The description of a structure that was declared with the macros below.
template <class Structure>
const Shape& shape_of() {
  static constexpr Shape shape{Structure::shape_name, detail::members_of<Structure>};
  return shape;
}

/// Appends what a structure lacks, one text each: `missing required parameter params[:bucket]`.
void find_faults(const Shape& shape, const void* structure, std::vector<std::string>& out);

}  // namespace cairn::s3

// Fields are told apart by their line, so two of them never share one; CAIRN_S3_FIELD_AT is for
// macros that stand for up to eight fields. A structure stays an aggregate.
#define CAIRN_S3_SHAPE(Self)                            \
  using ShapeSelf = Self;                               \
  static constexpr std::string_view shape_name = #Self; \
  static constexpr int shape_begin = __LINE__ * 8;

#define CAIRN_S3_FIELD_AT(slot, type_, field_, ...)                                             \
  type_ field_ = {};                                                                            \
  static constexpr ::cairn::s3::Member describe(::cairn::s3::detail::At<__LINE__ * 8 + slot>) { \
    using namespace ::cairn::s3::wire; /* NOLINT */                                             \
    return ::cairn::s3::detail::member<type_>(#field_, __VA_ARGS__, [](void* s) -> void* {      \
      return &static_cast<ShapeSelf*>(s)->field_;                                               \
    });                                                                                         \
  }

#define CAIRN_S3_FIELD(type_, field_, ...) CAIRN_S3_FIELD_AT(0, type_, field_, __VA_ARGS__)

#define CAIRN_S3_SHAPE_END(Self)                 \
  static constexpr int shape_end = __LINE__ * 8; \
  friend bool operator==(const Self&, const Self&) = default;
