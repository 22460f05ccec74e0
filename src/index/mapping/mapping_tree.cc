// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/mapping_tree.h"

#include "index/mapping/mapping.h"

namespace cairn::index {

struct MappingTree::Node {
  Json own = Json::object();
  std::map<std::string, Node, std::less<>> properties, fields;

  // The recursion is as deep as paths have pieces, which the mapping's depth limit bounds.
  void merge(const Node& other) {
    own = merge_mapping_json(own, other.own);
    for (const auto& [name, node] : other.properties) properties[name].merge(node);
    for (const auto& [name, node] : other.fields) fields[name].merge(node);
  }

  static Json object_of(const std::map<std::string, Node, std::less<>>& nodes) {
    Json::Object members;
    members.reserve(nodes.size());
    for (const auto& [name, node] : nodes) members.emplace_back(name, node.to_json());
    return Json(std::move(members));
  }

  Json to_json() const {
    Json out = own;
    if (!fields.empty()) out.set("fields", object_of(fields));
    if (!properties.empty()) out.set("properties", object_of(properties));
    return out;
  }
};

MappingTree::MappingTree() = default;
MappingTree::~MappingTree() = default;
MappingTree::MappingTree(MappingTree&&) noexcept = default;
MappingTree& MappingTree::operator=(MappingTree&&) noexcept = default;

bool MappingTree::empty() const { return root_ == nullptr; }

MappingTree::Node& MappingTree::at(std::string_view path, bool multi) {
  if (root_ == nullptr) root_ = std::make_unique<Node>();
  Node* node = root_.get();
  for (;;) {
    const auto dot = path.find('.');
    const std::string_view piece = path.substr(0, dot);
    const bool last = dot == std::string_view::npos;
    auto& group = last && multi ? node->fields : node->properties;
    auto found = group.find(piece);
    if (found == group.end()) found = group.emplace(std::string(piece), Node{}).first;
    node = &found->second;
    if (last) return *node;
    path.remove_prefix(dot + 1);
  }
}

void MappingTree::merge(std::string_view path, const Json& parameters) {
  Node& node = at(path, false);
  node.own = merge_mapping_json(node.own, parameters);
}

void MappingTree::set(std::string_view path, Json parameters, bool multi) {
  at(path, multi).own = std::move(parameters);
}

void MappingTree::merge(const MappingTree& other) {
  if (other.root_ == nullptr) return;
  if (root_ == nullptr) root_ = std::make_unique<Node>();
  root_->merge(*other.root_);
}

Json MappingTree::to_json() const {
  if (root_ == nullptr) return {};
  return Json::object({{"properties", Node::object_of(root_->properties)}});
}

}  // namespace cairn::index
