// SPDX-License-Identifier: Apache-2.0
// The tree of a GraphQL document (specification of October 2021, section 2 and 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cairn::graphql {

/// From 1. Columns count UTF-16 units, as editors do.
struct Location {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend bool operator==(const Location&, const Location&) = default;
};

struct ObjectField;

/// A value as it is written; `text` is the name of a variable or an enum value, the digits of a
/// number, or what a string says once its escapes are read.
struct Value {
  enum class Kind : std::uint8_t {
    variable,
    integer,
    floating,
    string,
    boolean,
    null,
    enumeration,
    list,
    object
  };
  Kind kind = Kind::null;
  bool truth = false;  // of a boolean
  bool block = false;  // a string in three quotes
  std::string text = {};
  std::vector<Value> items;         // of a list
  std::vector<ObjectField> fields;  // of an object
  Location at = {};
};

struct ObjectField {
  std::string name;
  Value value;
  Location at = {};
};

struct Argument {
  std::string name;
  Value value;
  Location at = {};
};

struct Directive {
  std::string name;
  std::vector<Argument> arguments = {};
  Location at = {};
};

/// `name`, or what is in `of` as a list or as something that is never null.
struct TypeRef {
  enum class Kind : std::uint8_t { named, list, non_null };
  Kind kind = Kind::named;
  std::string name = {};
  std::vector<TypeRef> of = {};  // one, of a list or a non-null type
  Location at = {};
  const TypeRef& inner() const { return of.front(); }
};
/// "[Name!]!"
std::string text_of(const TypeRef& type);
/// The name at the bottom.
const std::string& named_type(const TypeRef& type);

struct Selection {
  enum class Kind : std::uint8_t { field, spread, inline_fragment };
  Kind kind = Kind::field;
  std::string alias = {};  // empty: none
  /// Of the field, of the fragment, or of the type that an inline fragment is for (may be empty).
  std::string name = {};
  std::vector<Argument> arguments = {};
  std::vector<Directive> directives = {};
  std::vector<Selection> selections = {};
  Location at = {};
  Location name_at = {};
  Location set_at = {};  // where its own selections begin
  const std::string& response_name() const { return alias.empty() ? name : alias; }
};

struct VariableDefinition {
  std::string name;
  TypeRef type = {};
  std::optional<Value> initial = {};
  std::vector<Directive> directives = {};
  Location at = {};
  Location name_at = {};
};

enum class OperationKind : std::uint8_t { query, mutation, subscription };
const char* text_of(OperationKind kind);

struct Operation {
  OperationKind kind = OperationKind::query;
  std::string name = {};
  std::vector<VariableDefinition> variables = {};
  std::vector<Directive> directives = {};
  std::vector<Selection> selections = {};
  Location at = {};
  Location name_at = {};
};

struct Fragment {
  std::string name;
  std::string type_condition = {};
  std::vector<Directive> directives = {};
  std::vector<Selection> selections = {};
  Location at = {};
  Location name_at = {};
  Location type_at = {};
};

struct InputValueDefinition {
  std::string description = {};
  std::string name;
  TypeRef type = {};
  std::optional<Value> initial = {};
  std::vector<Directive> directives = {};
  Location at = {};
};

struct FieldDefinition {
  std::string description = {};
  std::string name;
  std::vector<InputValueDefinition> arguments = {};
  TypeRef type = {};
  std::vector<Directive> directives = {};
  Location at = {};
};

struct EnumValueDefinition {
  std::string description = {};
  std::string name;
  std::vector<Directive> directives = {};
  Location at = {};
};

/// What a document says of a schema: a type, the schema itself, or a directive.
struct TypeDefinition {
  enum class Kind : std::uint8_t {
    schema,
    scalar,
    object,
    interface,
    union_type,
    enumeration,
    input,
    directive
  };
  Kind kind = Kind::scalar;
  bool extension = false;
  bool repeatable = false;  // of a directive
  std::string description = {};
  std::string name = {};
  std::vector<std::string> interfaces = {};
  std::vector<Directive> directives = {};
  std::vector<FieldDefinition> fields = {};
  std::vector<std::string> members = {};  // of a union
  std::vector<EnumValueDefinition> values = {};
  std::vector<InputValueDefinition> inputs = {};  // of an input, or the arguments of a directive
  std::vector<std::string> locations = {};        // of a directive
  std::vector<std::pair<OperationKind, std::string>> roots = {};  // of a schema
  Location at = {};
};

struct Document {
  std::vector<Operation> operations = {};
  std::vector<Fragment> fragments = {};
  std::vector<TypeDefinition> types = {};
  std::size_t aliases = 0;  // how many fields are given another name
};

}  // namespace cairn::graphql
