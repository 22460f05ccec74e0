// SPDX-License-Identifier: Apache-2.0
#include "s3/operations/shape.h"

namespace cairn::s3 {
namespace {

void find_faults_at(const Shape& shape, const void* structure, const std::string& path,
                    std::vector<std::string>& out) {
  for (const Member& member : shape.members) {
    void* field = member.field(const_cast<void*>(structure));  // NOLINT: read only from here on
    const std::string here = path + "[:" + std::string(member.name) + "]";
    if (member.access->size != nullptr) {
      const std::size_t count = member.access->size(field);
      if (count == 0 && member.wire.must && !member.wire.may_be_empty)
        out.push_back("missing required parameter " + here);
      if (member.shape == nullptr) continue;
      for (std::size_t i = 0; i < count; ++i)
        find_faults_at(member.shape(), member.access->at(field, i),
                       here + "[" + std::to_string(i) + "]", out);
      continue;
    }
    if (!member.access->has(field)) continue;
    void* value = member.access->value(field);
    if (member.shape != nullptr) {
      find_faults_at(member.shape(), value, here, out);
    } else if (member.required && member.type == Type::text &&
               static_cast<const std::string*>(value)->empty()) {
      out.push_back("missing required parameter " + here);
    }
  }
}

}  // namespace

std::string_view name_of(Place place) {
  constexpr std::string_view names[] = {"bucket",     "key",       "query",     "header",
                                        "header map", "element",   "attribute", "element name",
                                        "payload",    "root text", "body"};
  return names[static_cast<std::size_t>(place)];
}

std::string_view name_of(Type type) {
  constexpr std::string_view names[] = {"string", "integer", "boolean",   "timestamp",
                                        "list",   "map",     "structure", "list of structures"};
  return names[static_cast<std::size_t>(type)];
}

const Member* Shape::find(std::string_view member_name) const {
  for (const Member& member : members)
    if (member.name == member_name) return &member;
  return nullptr;
}

void find_faults(const Shape& shape, const void* structure, std::vector<std::string>& out) {
  find_faults_at(shape, structure, "params", out);
}

}  // namespace cairn::s3
