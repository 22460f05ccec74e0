// SPDX-License-Identifier: Apache-2.0
#include "graphql/language/syntax.h"

namespace cairn::graphql {

std::string text_of(const TypeRef& type) {
  switch (type.kind) {
    case TypeRef::Kind::named:
      return type.name;
    case TypeRef::Kind::list:
      return "[" + text_of(type.inner()) + "]";
    case TypeRef::Kind::non_null:
      return text_of(type.inner()) + "!";
  }
  return {};
}

const std::string& named_type(const TypeRef& type) {
  const TypeRef* at = &type;
  while (at->kind != TypeRef::Kind::named) at = &at->inner();
  return at->name;
}

const char* text_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::query:
      return "query";
    case OperationKind::mutation:
      return "mutation";
    case OperationKind::subscription:
      return "subscription";
  }
  return "query";
}

}  // namespace cairn::graphql
