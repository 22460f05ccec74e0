// SPDX-License-Identifier: Apache-2.0
#include "graphql/schema/schema.h"

#include <algorithm>

#include "graphql/language/parser.h"
#include "graphql/schema/built_in.h"

namespace cairn::graphql {
namespace {

using DefinitionKind = TypeDefinition::Kind;

/// A schema is ours, and larger than what a caller may send.
constexpr Options schema_limits = {.document_bytes = 4 << 20, .tokens = 400'000};

Error schema_error(const std::string& what) {
  return Error{ErrorKind::invalid_argument, "graphql_schema", "GraphQL schema: " + what};
}

/// Takes @from off the field.
std::string take_from(FieldDefinition& field) {
  std::string out = field.name;
  std::erase_if(field.directives, [&](const Directive& one) {
    if (one.name != "from") return false;
    if (!one.arguments.empty()) out = one.arguments.front().value.text;
    return true;
  });
  return out;
}

bool takes_page(const FieldDefinition& field) {
  return named_type(field.type).ends_with("Connection");
}

}  // namespace

const SchemaField* SchemaType::field(std::string_view name) const {
  const auto at = field_at.find(std::string(name));
  return at == field_at.end() ? nullptr : &fields[at->second];
}

const InputValueDefinition* SchemaType::input(std::string_view name) const {
  for (const auto& one : definition.inputs)
    if (one.name == name) return &one;
  return nullptr;
}

bool SchemaType::is_composite() const {
  return definition.kind == DefinitionKind::object || is_abstract();
}
bool SchemaType::is_abstract() const {
  return definition.kind == DefinitionKind::interface ||
         definition.kind == DefinitionKind::union_type;
}
bool SchemaType::is_leaf() const {
  return definition.kind == DefinitionKind::scalar ||
         definition.kind == DefinitionKind::enumeration;
}
bool SchemaType::is_input() const { return is_leaf() || definition.kind == DefinitionKind::input; }

Result<Schema> Schema::make(std::string_view text) {
  Schema out;
  CAIRN_CHECK(out.add(text, false));
  CAIRN_CHECK(out.add(built_in_types, true));
  CAIRN_TRY(Document meta, parse_document(meta_fields, schema_limits));
  CAIRN_CHECK(out.add_type(std::move(meta.types.front())));
  out.meta_ = std::move(out.types_.back());
  out.types_.pop_back();
  out.by_name_.erase(out.meta_->name());
  CAIRN_CHECK(out.link());
  return out;
}

Status Schema::add(std::string_view text, bool built_in) {
  CAIRN_TRY(Document document, parse_document(text, schema_limits));
  for (TypeDefinition& type : document.types) {
    if (type.kind == DefinitionKind::directive) {
      if (!built_in) return schema_error("@" + type.name + " is no directive that is known");
      directives_.push_back(std::move(type));
    } else {
      CAIRN_CHECK(add_type(std::move(type)));
    }
  }
  return ok_status();
}

Status Schema::add_type(TypeDefinition definition) {
  if (by_name_.contains(definition.name)) return schema_error(definition.name + " is there twice");
  auto type = std::make_unique<SchemaType>();
  for (FieldDefinition& field : definition.fields) {
    SchemaField one;
    one.from = take_from(field);
    one.is_connection = takes_page(field);
    one.definition = field;
    if (!type->field_at.emplace(field.name, type->fields.size()).second)
      return schema_error(definition.name + "." + field.name + " is there twice");
    type->fields.push_back(std::move(one));
  }
  type->definition = std::move(definition);
  by_name_.emplace(type->name(), type.get());
  types_.push_back(std::move(type));
  return ok_status();
}

Status Schema::check_ref(const TypeRef& type, const SchemaType& in) const {
  if (find(named_type(type)) != nullptr) return ok_status();
  return schema_error(in.name() + " names " + named_type(type) + ", which is no type");
}

Status Schema::link() {
  for (const auto& type : types_) {
    for (const std::string& name : type->definition.interfaces) {
      const auto at = by_name_.find(name);
      if (at == by_name_.end()) return schema_error(name + " is no interface");
      at->second->possible.push_back(type.get());
    }
    for (const std::string& name : type->definition.members) {
      const auto* const member = find(name);
      if (member == nullptr) return schema_error(name + " is no type");
      type->possible.push_back(member);
    }
    for (const SchemaField& field : type->fields) {
      CAIRN_CHECK(check_ref(field.definition.type, *type));
      for (const auto& argument : field.definition.arguments)
        CAIRN_CHECK(check_ref(argument.type, *type));
    }
    for (const auto& input : type->definition.inputs) CAIRN_CHECK(check_ref(input.type, *type));
  }
  query_ = find("Query");
  mutation_ = find("Mutation");
  if (query_ == nullptr) return schema_error("there is no type Query");
  return ok_status();
}

Status Schema::bind(std::string_view type, std::string_view field, Resolver resolver) {
  const auto at = by_name_.find(std::string(type));
  SchemaType* const there = type == "__Meta"       ? meta_.get()
                            : at == by_name_.end() ? nullptr
                                                   : at->second;
  const auto* const known = there == nullptr ? nullptr : there->field(field);
  if (known == nullptr)
    return Error{
        ErrorKind::not_found, "graphql_schema",
        "GraphQL schema: there is no field " + std::string(type) + "." + std::string(field)};
  there->fields[static_cast<std::size_t>(known - there->fields.data())].resolver =
      std::move(resolver);
  return ok_status();
}

const SchemaType* Schema::find(std::string_view name) const {
  const auto at = by_name_.find(std::string(name));
  return at == by_name_.end() ? nullptr : at->second;
}

const SchemaType* Schema::root(OperationKind kind) const {
  if (kind == OperationKind::query) return query_;
  return kind == OperationKind::mutation ? mutation_ : nullptr;
}

const TypeDefinition* Schema::directive(std::string_view name) const {
  for (const auto& one : directives_)
    if (one.name == name) return &one;
  return nullptr;
}

const SchemaField* Schema::field(const SchemaType& type, std::string_view name) const {
  if (name == "__typename" || (&type == query_ && name.starts_with("__")))
    return meta_->field(name);
  return type.field(name);
}

bool Schema::may_be(const SchemaType& abstract, const SchemaType& object) const {
  if (&abstract == &object) return true;
  const auto& all = abstract.possible;
  return std::find(all.begin(), all.end(), &object) != all.end();
}

bool Schema::overlap(const SchemaType& a, const SchemaType& b) const {
  if (&a == &b) return true;
  if (!a.is_abstract()) return may_be(b, a);
  return std::any_of(a.possible.begin(), a.possible.end(),
                     [&](const SchemaType* one) { return may_be(b, *one); });
}

}  // namespace cairn::graphql
