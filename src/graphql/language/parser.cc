// SPDX-License-Identifier: Apache-2.0
// By recursive descent, a rule of the grammar a function; TokenStream bounds how deep.
#include "graphql/language/parser.h"

#include "base/strings.h"
#include "graphql/language/token_stream.h"

namespace cairn::graphql {
namespace {

Value value_at(Value::Kind kind, Location at) {
  Value out;
  out.kind = kind;
  out.at = at;
  return out;
}

Result<Value> parse_variable(TokenStream& in, bool constant) {
  Value out = value_at(Value::Kind::variable, in.token().at);
  CAIRN_CHECK(in.expect("$"));
  if (constant && in.token().kind == Token::Kind::name)
    return syntax_error(
        "Unexpected variable \"$" + std::string(in.token().text) + "\" in constant value.", out.at);
  if (constant) return in.unexpected();
  CAIRN_TRY(out.text, in.name());
  return out;
}

Result<Value> parse_word(TokenStream& in) {
  Value out = value_at(Value::Kind::enumeration, in.token().at);
  CAIRN_TRY(out.text, in.name());
  if (out.text == "null") out.kind = Value::Kind::null;
  if (out.text == "true" || out.text == "false") {
    out.kind = Value::Kind::boolean;
    out.truth = out.text == "true";
  }
  return out;
}

Result<Value> parse_list(TokenStream& in, bool constant) {
  Value out = value_at(Value::Kind::list, in.token().at);
  CAIRN_CHECK(in.any("[", "]", [&]() -> Status {
    CAIRN_TRY(Value one, parse_value(in, constant));
    out.items.push_back(std::move(one));
    return ok_status();
  }));
  return out;
}

Result<Value> parse_object(TokenStream& in, bool constant) {
  Value out = value_at(Value::Kind::object, in.token().at);
  CAIRN_CHECK(in.any("{", "}", [&]() -> Status {
    ObjectField field{.name = {}, .value = {}, .at = in.token().at};
    CAIRN_TRY(field.name, in.name());
    CAIRN_CHECK(in.expect(":"));
    CAIRN_TRY(field.value, parse_value(in, constant));
    out.fields.push_back(std::move(field));
    return ok_status();
  }));
  return out;
}

Result<std::vector<Argument>> parse_arguments(TokenStream& in, bool constant) {
  std::vector<Argument> out;
  CAIRN_CHECK(in.optional_many("(", ")", [&]() -> Status {
    Argument one{.name = {}, .value = {}, .at = in.token().at};
    CAIRN_TRY(one.name, in.name());
    CAIRN_CHECK(in.expect(":"));
    CAIRN_TRY(one.value, parse_value(in, constant));
    out.push_back(std::move(one));
    return ok_status();
  }));
  return out;
}

class Executable {
 public:
  Executable(TokenStream& in, Document& out) : in_(in), out_(out) {}

  Status operation() {
    Operation one{.at = in_.token().at, .name_at = in_.token().at};
    CAIRN_CHECK(in_.description());
    if (!in_.at("{")) {
      CAIRN_TRY(one.kind, parse_operation_kind(in_));
      if (in_.token().kind == Token::Kind::name) {
        one.name_at = in_.token().at;
        CAIRN_TRY(one.name, in_.name());
      }
      CAIRN_CHECK(in_.optional_many("(", ")", [&] { return variable(one); }));
      CAIRN_TRY(one.directives, parse_directives(in_, false));
    }
    CAIRN_CHECK(selection_set(one.selections));
    out_.operations.push_back(std::move(one));
    return ok_status();
  }

  Status fragment() {
    Fragment one{.name = {}, .at = in_.token().at, .name_at = {}};
    CAIRN_CHECK(in_.description());
    CAIRN_CHECK(in_.expect_word("fragment"));
    if (in_.at_word("on")) return in_.unexpected();
    one.name_at = in_.token().at;
    CAIRN_TRY(one.name, in_.name());
    CAIRN_CHECK(in_.expect_word("on"));
    one.type_at = in_.token().at;
    CAIRN_TRY(one.type_condition, in_.name());
    CAIRN_TRY(one.directives, parse_directives(in_, false));
    CAIRN_CHECK(selection_set(one.selections));
    out_.fragments.push_back(std::move(one));
    return ok_status();
  }

 private:
  Status variable(Operation& of) {
    VariableDefinition one{.name = {}, .at = in_.token().at};
    CAIRN_CHECK(in_.description());
    CAIRN_CHECK(in_.expect("$"));
    one.name_at = in_.token().at;
    CAIRN_TRY(one.name, in_.name());
    CAIRN_CHECK(in_.expect(":"));
    CAIRN_TRY(one.type, parse_type(in_));
    CAIRN_TRY(const bool initial, in_.pass("="));
    if (initial) {
      CAIRN_TRY(Value value, parse_value(in_, true));
      one.initial = std::move(value);
    }
    CAIRN_TRY(one.directives, parse_directives(in_, true));
    of.variables.push_back(std::move(one));
    return ok_status();
  }

  Status selection_set(std::vector<Selection>& out) {
    return in_.many("{", "}", [&]() -> Status {
      Selection one{.at = in_.token().at, .name_at = in_.token().at};
      CAIRN_TRY(const bool spread, in_.pass("..."));
      CAIRN_CHECK(spread ? after_spread(one) : field(one));
      out.push_back(std::move(one));
      return ok_status();
    });
  }

  Status field(Selection& one) {
    CAIRN_TRY(one.name, in_.name());
    CAIRN_TRY(const bool aliased, in_.pass(":"));
    if (aliased) {
      ++out_.aliases;
      one.alias = std::move(one.name);
      one.name_at = in_.token().at;
      CAIRN_TRY(one.name, in_.name());
    }
    CAIRN_TRY(one.arguments, parse_arguments(in_, false));
    CAIRN_TRY(one.directives, parse_directives(in_, false));
    one.set_at = in_.token().at;
    return in_.at("{") ? selection_set(one.selections) : ok_status();
  }

  Status after_spread(Selection& one) {
    CAIRN_TRY(const bool condition, in_.pass_word("on"));
    one.name_at = in_.token().at;
    if (!condition && in_.token().kind == Token::Kind::name) {
      one.kind = Selection::Kind::spread;
      CAIRN_TRY(one.name, in_.name());
      CAIRN_TRY(one.directives, parse_directives(in_, false));
      return ok_status();
    }
    one.kind = Selection::Kind::inline_fragment;
    if (condition) {
      CAIRN_TRY(one.name, in_.name());
    }
    CAIRN_TRY(one.directives, parse_directives(in_, false));
    return selection_set(one.selections);
  }

  TokenStream& in_;
  Document& out_;
};

bool is_operation_word(const Token& token) {
  return token.is_name("query") || token.is_name("mutation") || token.is_name("subscription");
}

Status parse_definition(TokenStream& in, Document& out) {
  Executable executable(in, out);
  if (in.at("{")) return executable.operation();
  const Location begin = in.token().at;
  const bool described = in.token().is_string();
  Token word = in.token();
  if (described) {
    CAIRN_TRY(const Token* const next, in.ahead());
    word = *next;
    if (word.is("{"))
      return syntax_error(
          "Unexpected description, descriptions are not supported on shorthand queries.", begin);
  }
  if (is_operation_word(word)) return executable.operation();
  if (word.is_name("fragment")) return executable.fragment();
  if (described && word.kind == Token::Kind::name && !is_type_word(word))
    return syntax_error("Unexpected description, only GraphQL definitions support descriptions.",
                        begin);
  if (!is_type_word(word) && !word.is_name("extend")) return in.unexpected(word);
  CAIRN_TRY(TypeDefinition type, parse_type_definition(in));
  out.types.push_back(std::move(type));
  return ok_status();
}

}  // namespace

Result<OperationKind> parse_operation_kind(TokenStream& in) {
  const Token word = in.token();
  CAIRN_TRY(const std::string name, in.name());
  if (name == "query") return OperationKind::query;
  if (name == "mutation") return OperationKind::mutation;
  if (name == "subscription") return OperationKind::subscription;
  return in.unexpected(word);
}

Result<TypeRef> parse_type(TokenStream& in) {
  TypeRef out{.at = in.token().at};
  if (in.at("[")) {
    out.kind = TypeRef::Kind::list;
    CAIRN_CHECK(in.advance());
    CAIRN_CHECK(in.enter());
    CAIRN_TRY(TypeRef inner, parse_type(in));
    out.of.push_back(std::move(inner));
    in.leave();
    CAIRN_CHECK(in.expect("]"));
  } else {
    CAIRN_TRY(out.name, in.name());
  }
  CAIRN_TRY(const bool never_null, in.pass("!"));
  if (!never_null) return out;
  TypeRef wrapped{.kind = TypeRef::Kind::non_null, .at = out.at};
  wrapped.of.push_back(std::move(out));
  return wrapped;
}

Result<Value> parse_value(TokenStream& in, bool constant) {
  const Token& token = in.token();
  if (token.is("[")) return parse_list(in, constant);
  if (token.is("{")) return parse_object(in, constant);
  if (token.is("$")) return parse_variable(in, constant);
  Value out = value_at(Value::Kind::null, token.at);
  switch (token.kind) {
    case Token::Kind::name:
      return parse_word(in);
    case Token::Kind::integer:
    case Token::Kind::floating:
      out.kind = token.kind == Token::Kind::integer ? Value::Kind::integer : Value::Kind::floating;
      out.text = std::string(token.text);
      break;
    case Token::Kind::string:
    case Token::Kind::block_string:
      out.kind = Value::Kind::string;
      out.block = token.kind == Token::Kind::block_string;
      out.text = token.value;
      break;
    default:
      return in.unexpected();
  }
  CAIRN_CHECK(in.advance());
  return out;
}

Result<std::vector<Directive>> parse_directives(TokenStream& in, bool constant) {
  std::vector<Directive> out;
  while (in.at("@")) {
    Directive one{.name = {}, .at = in.token().at};
    CAIRN_CHECK(in.advance());
    CAIRN_TRY(one.name, in.name());
    CAIRN_TRY(one.arguments, parse_arguments(in, constant));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Document> parse_document(std::string_view text, const Options& options) {
  if (text.size() > options.document_bytes)
    return syntax_error("Document has " + std::to_string(text.size()) + " bytes, more than " +
                            std::to_string(options.document_bytes) + ".",
                        {});
  if (!is_utf8(text)) return syntax_error("Document is not UTF-8.", {});
  TokenStream in(text, options);
  CAIRN_CHECK(in.begin());
  Document out;
  do CAIRN_CHECK(parse_definition(in, out));
  while (!in.at_end());
  return out;
}

}  // namespace cairn::graphql
