// SPDX-License-Identifier: Apache-2.0
// Definitions of types, and what extends them.
#include <algorithm>

#include "graphql/language/token_stream.h"

namespace cairn::graphql {
namespace {

using Kind = TypeDefinition::Kind;

constexpr std::pair<std::string_view, Kind> kinds_by_word[] = {
    {"schema", Kind::schema},       {"scalar", Kind::scalar},       {"type", Kind::object},
    {"interface", Kind::interface}, {"union", Kind::union_type},    {"enum", Kind::enumeration},
    {"input", Kind::input},         {"directive", Kind::directive},
};

constexpr std::string_view directive_locations[] = {"QUERY",
                                                    "MUTATION",
                                                    "SUBSCRIPTION",
                                                    "FIELD",
                                                    "FRAGMENT_DEFINITION",
                                                    "FRAGMENT_SPREAD",
                                                    "INLINE_FRAGMENT",
                                                    "VARIABLE_DEFINITION",
                                                    "SCHEMA",
                                                    "SCALAR",
                                                    "OBJECT",
                                                    "FIELD_DEFINITION",
                                                    "ARGUMENT_DEFINITION",
                                                    "INTERFACE",
                                                    "UNION",
                                                    "ENUM",
                                                    "ENUM_VALUE",
                                                    "INPUT_OBJECT",
                                                    "INPUT_FIELD_DEFINITION"};

/// Names between separators, one of which may stand before the first.
template <class One>
Status delimited(TokenStream& in, std::string_view separator, One one) {
  CAIRN_CHECK(in.pass(separator));
  for (bool more = true; more;) {
    CAIRN_CHECK(one());
    CAIRN_TRY(more, in.pass(separator));
  }
  return ok_status();
}

Status read_interfaces(TokenStream& in, TypeDefinition& out) {
  CAIRN_TRY(const bool there, in.pass_word("implements"));
  if (!there) return ok_status();
  return delimited(in, "&", [&]() -> Status {
    CAIRN_TRY(std::string name, in.name());
    out.interfaces.push_back(std::move(name));
    return ok_status();
  });
}

Status read_input(TokenStream& in, std::vector<InputValueDefinition>& out) {
  InputValueDefinition one;
  CAIRN_TRY(one.description, in.description());
  one.at = in.token().at;
  CAIRN_TRY(one.name, in.name());
  CAIRN_CHECK(in.expect(":"));
  CAIRN_TRY(one.type, parse_type(in));
  CAIRN_TRY(const bool initial, in.pass("="));
  if (initial) {
    CAIRN_TRY(Value value, parse_value(in, true));
    one.initial = std::move(value);
  }
  CAIRN_TRY(one.directives, parse_directives(in, true));
  out.push_back(std::move(one));
  return ok_status();
}

Status read_field(TokenStream& in, TypeDefinition& out) {
  FieldDefinition one;
  CAIRN_TRY(one.description, in.description());
  one.at = in.token().at;
  CAIRN_TRY(one.name, in.name());
  CAIRN_CHECK(in.optional_many("(", ")", [&] { return read_input(in, one.arguments); }));
  CAIRN_CHECK(in.expect(":"));
  CAIRN_TRY(one.type, parse_type(in));
  CAIRN_TRY(one.directives, parse_directives(in, true));
  out.fields.push_back(std::move(one));
  return ok_status();
}

Status read_enum_value(TokenStream& in, TypeDefinition& out) {
  EnumValueDefinition one;
  CAIRN_TRY(one.description, in.description());
  one.at = in.token().at;
  const Token word = in.token();
  if (word.is_name("true") || word.is_name("false") || word.is_name("null"))
    return syntax_error(describe(word) + " is reserved and cannot be used for an enum value.",
                        word.at);
  CAIRN_TRY(one.name, in.name());
  CAIRN_TRY(one.directives, parse_directives(in, true));
  out.values.push_back(std::move(one));
  return ok_status();
}

Status read_root(TokenStream& in, TypeDefinition& out) {
  CAIRN_TRY(const OperationKind kind, parse_operation_kind(in));
  CAIRN_CHECK(in.expect(":"));
  CAIRN_TRY(std::string name, in.name());
  out.roots.emplace_back(kind, std::move(name));
  return ok_status();
}

Status read_members(TokenStream& in, TypeDefinition& out) {
  CAIRN_TRY(const bool there, in.pass("="));
  if (!there) return ok_status();
  return delimited(in, "|", [&]() -> Status {
    CAIRN_TRY(std::string name, in.name());
    out.members.push_back(std::move(name));
    return ok_status();
  });
}

Status read_directive(TokenStream& in, TypeDefinition& out) {
  CAIRN_CHECK(in.expect("@"));
  CAIRN_TRY(out.name, in.name());
  CAIRN_CHECK(in.optional_many("(", ")", [&] { return read_input(in, out.inputs); }));
  CAIRN_TRY(out.repeatable, in.pass_word("repeatable"));
  CAIRN_CHECK(in.expect_word("on"));
  return delimited(in, "|", [&]() -> Status {
    const Token word = in.token();
    CAIRN_TRY(std::string name, in.name());
    const auto* const end = std::end(directive_locations);
    if (std::find(std::begin(directive_locations), end, name) == end) return in.unexpected(word);
    out.locations.push_back(std::move(name));
    return ok_status();
  });
}

Status read_rest(TokenStream& in, TypeDefinition& out) {
  if (out.kind == Kind::directive) return read_directive(in, out);
  if (out.kind != Kind::schema) {
    CAIRN_TRY(out.name, in.name());
  }
  if (out.kind == Kind::object || out.kind == Kind::interface)
    CAIRN_CHECK(read_interfaces(in, out));
  CAIRN_TRY(out.directives, parse_directives(in, true));
  switch (out.kind) {
    case Kind::schema: {
      const auto read = [&] { return read_root(in, out); };
      return out.extension ? in.optional_many("{", "}", read) : in.many("{", "}", read);
    }
    case Kind::object:
    case Kind::interface:
      return in.optional_many("{", "}", [&] { return read_field(in, out); });
    case Kind::union_type:
      return read_members(in, out);
    case Kind::enumeration:
      return in.optional_many("{", "}", [&] { return read_enum_value(in, out); });
    case Kind::input:
      return in.optional_many("{", "}", [&] { return read_input(in, out.inputs); });
    default:
      return ok_status();
  }
}

const Kind* kind_of_word(const Token& token) {
  for (const auto& [word, kind] : kinds_by_word)
    if (token.is_name(word)) return &kind;
  return nullptr;
}

}  // namespace

bool is_type_word(const Token& token) { return kind_of_word(token) != nullptr; }

Result<TypeDefinition> parse_type_definition(TokenStream& in) {
  TypeDefinition out;
  out.at = in.token().at;
  CAIRN_TRY(out.description, in.description());
  CAIRN_TRY(out.extension, in.pass_word("extend"));
  const Kind* const kind = kind_of_word(in.token());
  if (kind == nullptr || (out.extension && *kind == Kind::directive)) return in.unexpected();
  out.kind = *kind;
  CAIRN_CHECK(in.advance());
  CAIRN_CHECK(read_rest(in, out));
  const bool says_something = !out.interfaces.empty() || !out.directives.empty() ||
                              !out.fields.empty() || !out.members.empty() || !out.values.empty() ||
                              !out.inputs.empty() || !out.roots.empty();
  if (out.extension && !says_something) return in.unexpected();
  return out;
}

}  // namespace cairn::graphql
