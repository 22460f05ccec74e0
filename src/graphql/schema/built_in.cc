// SPDX-License-Identifier: Apache-2.0
// Specification of October 2021, 3.5, 3.13 and 4.2.
#include "graphql/schema/built_in.h"

namespace cairn::graphql {

const std::string_view built_in_types = R"(
"A signed integer of 32 bits."
scalar Int
"A number of double precision."
scalar Float
"Text."
scalar String
"True or false."
scalar Boolean
"An identifier, which is text or an integer when it is sent and text when it is answered."
scalar ID

"Includes the field or fragment only where the argument is true."
directive @include("Included when true." if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
"Leaves the field or fragment out where the argument is true."
directive @skip("Left out when true." if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
"Says that an element is kept for older clients only."
directive @deprecated("What to use instead." reason: String = "No longer supported") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
"Says where the behaviour of a scalar is specified."
directive @specifiedBy("The page." url: String!) on SCALAR

"Which types, directives and roots the server has."
type __Schema {
  description: String
  "All types."
  types: [__Type!]!
  "The type of queries."
  queryType: __Type!
  "The type of mutations; null where nothing can be changed."
  mutationType: __Type
  "The type of subscriptions; null where there are none."
  subscriptionType: __Type
  "All directives."
  directives: [__Directive!]!
}

"A type of the schema, or a list of one, or one that is never null."
type __Type {
  kind: __TypeKind!
  name: String
  description: String
  specifiedByURL: String
  fields(includeDeprecated: Boolean = false): [__Field!]
  interfaces: [__Type!]
  possibleTypes: [__Type!]
  enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
  inputFields(includeDeprecated: Boolean = false): [__InputValue!]
  ofType: __Type
}

"What sort of type it is."
enum __TypeKind {
  SCALAR
  OBJECT
  INTERFACE
  UNION
  ENUM
  INPUT_OBJECT
  LIST
  NON_NULL
}

"A field of an object or interface."
type __Field {
  name: String!
  description: String
  args(includeDeprecated: Boolean = false): [__InputValue!]!
  type: __Type!
  isDeprecated: Boolean!
  deprecationReason: String
}

"An argument, or a field of an input object."
type __InputValue {
  name: String!
  description: String
  type: __Type!
  "As it would be written."
  defaultValue: String
  isDeprecated: Boolean!
  deprecationReason: String
}

"A value of an enum."
type __EnumValue {
  name: String!
  description: String
  isDeprecated: Boolean!
  deprecationReason: String
}

"A directive."
type __Directive {
  name: String!
  description: String
  isRepeatable: Boolean!
  locations: [__DirectiveLocation!]!
  args(includeDeprecated: Boolean = false): [__InputValue!]!
}

"Where a directive may stand."
enum __DirectiveLocation {
  QUERY
  MUTATION
  SUBSCRIPTION
  FIELD
  FRAGMENT_DEFINITION
  FRAGMENT_SPREAD
  INLINE_FRAGMENT
  VARIABLE_DEFINITION
  SCHEMA
  SCALAR
  OBJECT
  FIELD_DEFINITION
  ARGUMENT_DEFINITION
  INTERFACE
  UNION
  ENUM
  ENUM_VALUE
  INPUT_OBJECT
  INPUT_FIELD_DEFINITION
}
)";

const std::string_view meta_fields = R"(
type __Meta {
  "The schema of this server."
  __schema: __Schema!
  "One type of the schema, by its name."
  __type(name: String!): __Type
  "The name of the object's type."
  __typename: String!
}
)";

}  // namespace cairn::graphql
