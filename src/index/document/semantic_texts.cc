// SPDX-License-Identifier: Apache-2.0
// Walks a document the way index/document/document.cc does, for semantic_text fields only.
#include "index/document/semantic_texts.h"

#include <string_view>
#include <unordered_map>

namespace cairn::index {
namespace {

class Gatherer {
 public:
  explicit Gatherer(const Mapping& mapping) : mapping_(mapping) {}

  void walk_object(const Json& object, const std::string& parent) {
    for (const auto& [name, value] : object.as_object())
      walk_member(parent.empty() ? name : parent + "." + name, value);
  }
  std::vector<SemanticTexts> take() { return std::move(found_); }

 private:
  // A name with dots means the same path as objects within each other. Below what the mapping lacks
  // there is no field of it: the recursion is no deeper than the mapping, and paths no longer.
  void walk_member(const std::string& path, const Json& value) {
    const Field* field = mapping_.find_mapped(path);
    if (field == nullptr) return;
    if (field->type != FieldType::object) return add_values(*field, value);
    if (field->enabled) walk_objects(path, value);
  }

  void walk_objects(const std::string& path, const Json& value) {
    if (value.is_object()) walk_object(value, path);
    if (value.is_array())
      for (const Json& element : value.as_array()) walk_objects(path, element);
  }

  void add_values(const Field& field, const Json& value) {
    if (value.is_array()) {
      for (const Json& element : value.as_array()) add_values(field, element);
      return;
    }
    add_value(field, value.is_null() ? field.null_value : value);
    if (field.copy_to.empty()) return;
    for (const std::string& target : field.copy_to)
      if (const Field* to = mapping_.find_mapped(target); to != nullptr)
        add_value(*to, value.is_null() ? field.null_value : value);
  }

  void add_value(const Field& field, const Json& value) {
    if (!value.is_string()) return;
    add_own(field, value.as_string());
    for (const Field* multi : mapping_.multi_fields(field)) add_own(*multi, value.as_string());
  }

  void add_own(const Field& field, const std::string& text) {
    if (field.type != FieldType::semantic_text) return;
    const auto [at, is_new] = places_.try_emplace(&field, found_.size());
    if (is_new) found_.push_back({.field = &field, .texts = {}});
    found_[at->second].texts.push_back(text);
  }

  const Mapping& mapping_;
  std::vector<SemanticTexts> found_;
  std::unordered_map<const Field*, std::size_t> places_;  // in found_
};

}  // namespace

std::vector<SemanticTexts> semantic_texts(const Json& document, const Mapping& mapping) {
  if (!document.is_object()) return {};
  Gatherer gatherer(mapping);
  gatherer.walk_object(document, "");
  return gatherer.take();
}

}  // namespace cairn::index
