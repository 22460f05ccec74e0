// SPDX-License-Identifier: Apache-2.0
// A schema: types by name, made from text in the schema language, and what resolves their fields.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "graphql/language/syntax.h"
#include "os/deadline.h"

namespace cairn::graphql {

/// What a host keeps for one request; resolvers know which it is.
class Host {
 public:
  virtual ~Host() = default;
};

class Schema;

struct FieldCall {
  Host& host;
  const Schema& schema;
  const Json& source;     // what the parent resolved to; null for fields of the roots
  const Json& arguments;  // an object: coerced, with defaults; an argument not given is absent
  /// True where the answer needs this field of the field's type, of an element of a list too.
  std::function<bool(std::string_view field)> selects;
};
/// The value of a field: null, a scalar, an object that its type's fields are read from, or a list
/// of those. An object of an abstract type says what it is in "__typename".
using Resolver = std::function<Result<Json>(const FieldCall&)>;

struct SchemaField {
  FieldDefinition definition;
  /// Where the value lies in the source, dotted, where no resolver is bound; of @from, else the
  /// name.
  std::string from = {};
  Resolver resolver = {};
  bool is_connection = false;  // takes first or last, and gives nodes by pages
};

struct SchemaType {
  TypeDefinition definition;
  std::vector<SchemaField> fields = {};  // of objects and interfaces
  std::unordered_map<std::string, std::size_t> field_at = {};
  std::vector<const SchemaType*> possible = {};  // objects that an abstract type may be
  const SchemaField* field(std::string_view name) const;
  const InputValueDefinition* input(std::string_view name) const;
  bool is_composite() const;  // object, interface, union
  bool is_abstract() const;   // interface, union
  bool is_input() const;      // scalar, enum, input
  bool is_leaf() const;       // scalar, enum
  const std::string& name() const { return definition.name; }
};

/// Immutable once it is bound. Safe from any thread.
class Schema {
 public:
  /// The types of `text`, which are known to be in order, beside the built-in ones. `@from(path:)`
  /// on a field says where its value lies; it is no directive of the schema.
  /// Errors: those of parse_document(); invalid_argument for a name that is defined twice or not.
  static Result<Schema> make(std::string_view text);
  Schema(Schema&&) = default;
  Schema& operator=(Schema&&) = default;

  /// Binds what resolves "Type.field". Errors: not_found.
  Status bind(std::string_view type, std::string_view field, Resolver resolver);

  const SchemaType* find(std::string_view name) const;
  const SchemaType& query() const { return *query_; }
  const SchemaType* mutation() const { return mutation_; }
  const SchemaType* root(OperationKind kind) const;
  /// In the order of the text, the built-in ones last.
  const std::vector<std::unique_ptr<SchemaType>>& types() const { return types_; }
  const std::vector<TypeDefinition>& directives() const { return directives_; }
  const TypeDefinition* directive(std::string_view name) const;
  /// The field of a type, __typename and those of the query root that ask for the schema included.
  const SchemaField* field(const SchemaType& type, std::string_view name) const;
  /// Two types have an object in common.
  bool overlap(const SchemaType& a, const SchemaType& b) const;
  bool may_be(const SchemaType& abstract, const SchemaType& object) const;

 private:
  Schema() = default;
  Status add(std::string_view text, bool built_in);
  Status add_type(TypeDefinition definition);
  Status link();
  Status check_ref(const TypeRef& type, const SchemaType& in) const;

  std::vector<std::unique_ptr<SchemaType>> types_;
  std::unordered_map<std::string, SchemaType*> by_name_;
  std::vector<TypeDefinition> directives_;
  const SchemaType* query_ = nullptr;
  const SchemaType* mutation_ = nullptr;
  std::unique_ptr<SchemaType> meta_;  // __schema, __type, __typename
};

}  // namespace cairn::graphql
