// SPDX-License-Identifier: Apache-2.0
// Fields by the pieces of their paths: what mapping JSON is gathered in before it is written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "format/json.h"

namespace cairn::index {

/// A tree of fields with their parameters. Placing one of n takes log n steps for each piece of its
/// path; an object of JSON takes n, since it looks through its members. Not safe from two threads.
class MappingTree {
 public:
  MappingTree();
  ~MappingTree();
  MappingTree(MappingTree&&) noexcept;
  MappingTree& operator=(MappingTree&&) noexcept;

  bool empty() const;
  /// Merges `parameters` into those of the field `path`, as an update of mappings does.
  void merge(std::string_view path, const Json& parameters);
  /// Sets the parameters of a field. `multi`: the last piece stands in the `fields` of the others.
  void set(std::string_view path, Json parameters, bool multi);
  /// Merges all fields of `other`.
  void merge(const MappingTree& other);
  /// `{"properties": {...}}`; null where there is no field.
  Json to_json() const;

 private:
  struct Node;
  Node& at(std::string_view path, bool multi);
  std::unique_ptr<Node> root_;
};

}  // namespace cairn::index
