// SPDX-License-Identifier: Apache-2.0
#include "index/document/object_source.h"

#include <optional>
#include <string_view>
#include <utility>

#include "index/errors.h"

namespace cairn::index {
namespace {

/// Walks a source as the document was taken apart, until it has passed so many objects.
class ObjectFinder {
 public:
  explicit ObjectFinder(std::uint32_t offset) : left_(offset) {}

  /// Values of the members of `object` at a dotted path. The recursion is as deep as the path.
  void look_in(const Json& object, std::string_view path) {
    for (const auto& [name, member] : object.as_object()) {
      if (found_) return;
      if (name == path)
        take(member);
      else if (path.starts_with(name) && path[name.size()] == '.')
        look_below(member, path.substr(name.size() + 1));
      else if (name.starts_with(path) && name[path.size()] == '.')
        take(Json::object({{name.substr(path.size() + 1), member}}));
    }
  }
  std::optional<Json>& found() { return found_; }

 private:
  void look_below(const Json& value, std::string_view path) {
    if (value.is_object()) look_in(value, path);
    if (!value.is_array()) return;
    for (const Json& element : value.as_array()) look_below(element, path);
  }
  void take(const Json& value) {
    if (found_) return;
    if (value.is_array()) {
      for (const Json& element : value.as_array()) take(element);
    } else if (value.is_object() && left_-- == 0) {
      found_ = value;
    }
  }

  std::uint32_t left_;
  std::optional<Json> found_;
};

// The value at a dotted path of objects.
Json placed(std::string_view path, Json value) {
  for (auto dot = path.rfind('.');; dot = path.rfind('.')) {
    const bool last = dot == std::string_view::npos;
    value = Json::object({{std::string(last ? path : path.substr(dot + 1)), std::move(value)}});
    if (last) return value;
    path = path.substr(0, dot);
  }
}

}  // namespace

Result<Json> source_of_object(const Json& source, const std::vector<ObjectPlace>& places) {
  const Json* around = &source;
  Json object;
  std::string path;
  for (const ObjectPlace& place : places) {
    ObjectFinder finder(place.offset);
    if (around->is_object()) finder.look_in(*around, place.field);
    if (!finder.found())
      return corrupt_object("a document", "its source lacks an object of [" + place.field + "]");
    object = std::move(*finder.found());
    around = &object;
    path += (path.empty() ? "" : ".") + place.field;
  }
  return placed(path, std::move(object));
}

}  // namespace cairn::index
