// SPDX-License-Identifier: Apache-2.0
// Fields of documents, and the functions for scores.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "format/time.h"
#include "script/compiler.h"
#include "script/methods.h"

namespace cairn::script {
namespace {

constexpr std::array<std::string_view, 8> score_functions = {
    "saturation",       "sigmoid",        "decayNumericLinear", "decayNumericExp",
    "decayNumericGauss", "decayDateLinear", "decayDateExp",      "decayDateGauss"};
constexpr std::array<std::pair<std::string_view, VectorFunction>, 5> vector_functions = {
    {{"cosineSimilarity", VectorFunction::cosine},
     {"dotProduct", VectorFunction::dot},
     {"l1norm", VectorFunction::l1},
     {"l2norm", VectorFunction::l2},
     {"hamming", VectorFunction::hamming}}};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Bytes that are written in hexadecimal digits, as numbers with a sign.
std::optional<std::vector<float>> bytes_of(std::string_view hex) {
  std::vector<float> out;
  if (hex.empty() || hex.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<float>(static_cast<std::int8_t>(high * 16 + low)));
  }
  return out;
}

}  // namespace

bool Compiler::is_document(const Node& node) const {
  return node.kind == NodeKind::name && node.text == "doc";
}

int Compiler::use_field(const std::string& name, const FieldFacts& facts) {
  const auto found = std::find_if(out_.fields.begin(), out_.fields.end(),
                                  [&](const UsedField& one) { return one.name == name; });
  if (found != out_.fields.end()) return static_cast<int>(found - out_.fields.begin());
  out_.fields.push_back({.name = name, .facts = facts});
  return static_cast<int>(out_.fields.size() - 1);
}

Compiler::Maybe Compiler::named_field(const Node& node, std::string_view name) {
  if (fields_ == nullptr) return constant_operand({}, true);
  const auto facts = fields_->find(name);
  if (!facts)
    return fails_when_run(node, "illegal_argument_exception",
                          "No field found for [" + std::string(name) + "] in mapping");
  if (facts->kind == FieldKind::none)
    return fails_when_run(node, "illegal_argument_exception", facts->fault);
  const int field = use_field(std::string(name), *facts);
  return Operand{.at = constant(Value::whole_of(Type::field, field)), .type = Type::field, .field = field};
}

// A name that is known only when the script runs is one of the texts in it or in its parameters.
void Compiler::use_named_fields() {
  if (names_used_ || fields_ == nullptr) return;
  names_used_ = true;
  const auto use = [&](const std::string& name) {
    const auto facts = fields_->find(name);
    if (facts && facts->kind != FieldKind::none) use_field(name, *facts);
  };
  for (const Node& node : syntax_.nodes)
    if (node.kind == NodeKind::literal && node.value.type == Type::string) use(node.said);
  const std::function<void(const Json&)> walk = [&](const Json& json) {
    if (json.is_string()) use(json.as_string());
    if (json.is_array())
      for (const Json& element : json.as_array()) walk(element);
    if (json.is_object())
      for (const auto& [name, value] : json.as_object()) {
        use(name);
        walk(value);
      }
  };
  walk(given_);
}

Compiler::Maybe Compiler::document_field(const Node& node, const Node& name) {
  auto made = expression(name);
  if (!made) return made;
  if (const Value* known = constant_of(*made); known != nullptr && known->type == Type::string)
    return named_field(node, text_of(*known));
  made = convert(name, *made, Type::string);
  if (!made) return made;
  if (fields_ == nullptr) return constant_operand({}, true);
  use_named_fields();
  const Operand out{.at = fresh(), .type = Type::field};
  emit(node, Code::open_field, out.at, made->at);
  return out;
}

Compiler::Maybe Compiler::document_call(const Node& node) {
  const bool asks = node.text == "containsKey";
  if ((!asks && node.text != "get") || node.kids.size() != 2)
    return fail(node, "[doc] has [get] and [containsKey], each of one name");
  if (!asks) return document_field(node, *node.kids[1]);
  const auto made = expression(*node.kids[1]);
  if (!made) return made;
  if (fields_ == nullptr) return constant_operand({}, true);
  if (const Value* known = constant_of(*made); known != nullptr && known->type == Type::string)
    return constant_operand(Value::of(fields_->find(text_of(*known)).has_value()), false);
  use_named_fields();
  const auto name = convert(node, *made, Type::string);
  if (!name) return name;
  const Operand out{.at = fresh(), .type = Type::boolean};
  emit(node, Code::open_field, out.at, name->at, 1);
  return out;
}

Compiler::Maybe Compiler::field_member(const Node& node, const Operand& field,
                                       std::string_view name) {
  const auto at = static_cast<std::int16_t>(field.field);
  Operand out{.at = fresh(), .type = Type::int_, .loose = true};
  if (name == "length") {
    emit(node, Code::count_values, out.at, at);
    return out;
  }
  if (name == "empty") {
    out.type = Type::boolean;
    emit(node, Code::is_empty, out.at, at);
    return out;
  }
  switch (out_.fields[static_cast<std::size_t>(field.field)].facts.kind) {
    case FieldKind::whole:
      out.type = Type::long_;
      emit(node, Code::first_whole, out.at, at);
      return out;
    case FieldKind::real:
      out.type = Type::double_;
      emit(node, Code::first_real, out.at, at);
      return out;
    case FieldKind::boolean:
      out.type = Type::boolean;
      emit(node, Code::first_boolean, out.at, at);
      return out;
    case FieldKind::date:
      out.type = Type::date;
      emit(node, Code::first_date, out.at, at);
      return out;
    case FieldKind::vector:
      return fails_when_run(node, "unsupported_operation_exception",
                            "accessing a vector field's value through 'get' or 'value' is not "
                            "supported, use 'vectorValue' or 'magnitude' instead.");
    default:
      out.type = Type::string;
      emit(node, Code::first_value, out.at, at);
      return out;
  }
}

std::optional<std::string> Compiler::constant_text(const Node& node) {
  const auto made = expression(node);
  if (!made) return std::nullopt;
  const Value* known = constant_of(*made);
  if (known != nullptr && known->type == Type::string) return std::string(text_of(*known));
  fail(node, "this must be a text that is known before the script runs: one that stands here, or "
             "one of [params]");
  return std::nullopt;
}

Compiler::Maybe Compiler::function(const Node& node) {
  const auto vector = std::find_if(vector_functions.begin(), vector_functions.end(),
                                   [&](const auto& one) { return one.first == node.text; });
  const bool is_vector = vector != vector_functions.end();
  const bool is_score = is_vector || node.text == "randomScore" ||
                        std::find(score_functions.begin(), score_functions.end(), node.text) !=
                            score_functions.end();
  if (node.text == "emit") return emit_value(node);
  if (is_score && use_ != Use::score)
    return fail(node, "[" + std::string(node.text) + "] is for scores");
  if (is_vector) return vectors(node, vector->second);
  if (node.text == "randomScore") return chance(node);
  if (is_score && node.text.starts_with("decayDate")) return decay_of_date(node);
  return static_call(node, "");
}

Compiler::Maybe Compiler::emit_value(const Node& node) {
  if (!is_emitting(use_)) return fail(node, "[emit] is for scripts of runtime fields");
  if (node.kids.size() != 1)
    return fail(node, "Unknown call [emit] with [" + std::to_string(node.kids.size()) +
                          "] arguments.");
  const Type type = use_ == Use::emit_boolean   ? Type::boolean
                    : use_ == Use::emit_double  ? Type::double_
                    : use_ == Use::emit_keyword ? Type::string
                                                : Type::long_;
  const std::int16_t mark = top_;
  auto made = expression(*node.kids[0]);
  if (made) made = convert(*node.kids[0], *made, type);
  if (!made) return made;
  emit(node, Code::emit, 0, made->at);
  top_ = mark;
  return Operand{.at = fresh(), .type = Type::void_};
}

// params._source, in either way of writing it.
bool Compiler::is_source(const Node& node) const {
  if (!sees_source(use_)) return false;
  const bool is_member = node.kind == NodeKind::member && node.text == "_source";
  const bool is_index = node.kind == NodeKind::index && node.kids[1]->kind == NodeKind::literal &&
                        node.kids[1]->value.type == Type::string && node.kids[1]->said == "_source";
  if (!is_member && !is_index) return false;
  const Node& owner = *node.kids[0];
  return owner.kind == NodeKind::name && owner.text == "params" && find("params") == nullptr;
}

// A member alone is brought where it is known which: documents may be large.
Compiler::Maybe Compiler::source(const Node& node, std::string_view member) {
  const bool is_whole = member.empty();
  const Operand out{.at = fresh(), .type = is_whole ? Type::map : Type::def, .loose = true};
  Value name;
  if (!is_whole) {
    name = heap_.text(std::string(member));
    name.object->fixed = true;
  }
  emit(node, Code::source, out.at, constant(name));
  return out;
}

Compiler::Maybe Compiler::chance(const Node& node) {
  if (node.kids.empty() || node.kids.size() > 2)
    return fail(node, "[randomScore] takes a seed, and the name of a field");
  auto seed = expression(*node.kids[0]);
  if (seed) seed = convert(*node.kids[0], *seed, Type::int_);
  if (!seed) return seed;
  int field = -1;
  if (node.kids.size() == 2) {
    const auto name = constant_text(*node.kids[1]);
    if (!name) return std::nullopt;
    if (fields_ == nullptr) return Operand{.at = fresh(), .type = Type::double_};
    const auto made = named_field(*node.kids[1], *name);
    if (!made) return made;
    if (made->field < 0) return Operand{.at = constant(Value::of(0.0)), .type = Type::double_};
    field = made->field;
    const FieldKind kind = out_.fields[static_cast<std::size_t>(field)].facts.kind;
    if (kind == FieldKind::text || kind == FieldKind::vector)
      return fail(*node.kids[1], "[randomScore] takes a field of numbers, dates or booleans");
  }
  const Operand out{.at = fresh(), .type = Type::double_};
  emit(node, Code::chance, out.at, seed->at, static_cast<std::int16_t>(field));
  return out;
}

// Dates and durations are texts: they become numbers before the script runs.
Compiler::Maybe Compiler::decay_of_date(const Node& node) {
  if (node.kids.size() != 5)
    return fail(node, "Unknown call [" + std::string(node.text) + "] with [" +
                          std::to_string(node.kids.size()) + "] arguments.");
  std::array<double, 3> numbers = {0, 1, 0};
  if (fields_ != nullptr) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto text = constant_text(*node.kids[i]);
      if (!text) return std::nullopt;
      const auto ms = i == 0 ? fields_->date(*text)
                             : parse_time_value(*text, i == 1 ? "scale" : "offset");
      if (!ms.ok()) return fail(*node.kids[i], ms.error().message);
      numbers[i] = static_cast<double>(*ms);
    }
  }
  const std::int16_t base = fresh();
  const auto put = [&](std::size_t i, const Operand& operand) {
    top_ = static_cast<std::int16_t>(base + static_cast<int>(i));
    moved(node, operand, fresh());
  };
  for (std::size_t i = 0; i < 3; ++i) put(i, constant_operand(Value::of(numbers[i]), false));
  for (std::size_t i = 3; i < 5; ++i) {
    auto made = expression(*node.kids[i]);
    if (made) made = convert(*node.kids[i], *made, i == 3 ? Type::double_ : Type::date);
    if (!made) return made;
    put(i, *made);
  }
  emit(node, Code::call_static, base, 5, static_cast<std::int16_t>(find_static("", node.text, 5)));
  top_ = static_cast<std::int16_t>(base + 1);
  return Operand{.at = base, .type = Type::double_};
}

// A list of numbers that stands there, or in the parameters; or bytes in hexadecimal digits.
std::optional<std::vector<float>> Compiler::query_vector(const Node& node) {
  std::vector<Value> numbers;
  if (node.kind == NodeKind::list) {
    for (const Node* kid : node.kids) {
      const auto made = expression(*kid);
      const Value* known = made ? constant_of(*made) : nullptr;
      numbers.push_back(known == nullptr ? Value() : *known);
    }
  } else {
    const auto made = expression(node);
    const Value* known = made ? constant_of(*made) : nullptr;
    if (known != nullptr && known->type == Type::string) {
      if (auto bytes = bytes_of(text_of(*known))) return bytes;
    } else if (known != nullptr && known->type == Type::list) {
      numbers = items_of(*known);
    }
  }
  std::vector<float> out;
  for (const Value& one : numbers)
    if (is_number(one.type)) out.push_back(static_cast<float>(one.as_double()));
  if (!out.empty() && out.size() == numbers.size()) return out;
  fail(node, "a vector is a list of numbers that is known before the script runs: one that stands "
             "here, or one of [params]");
  return std::nullopt;
}

Compiler::Maybe Compiler::vectors(const Node& node, VectorFunction which) {
  if (node.kids.size() != 2)
    return fail(node, "Unknown call [" + std::string(node.text) + "] with [" +
                          std::to_string(node.kids.size()) + "] arguments.");
  const Operand out{.at = fresh(), .type = Type::double_};
  if (fields_ == nullptr) return out;
  const auto query = query_vector(*node.kids[0]);
  if (!query) return std::nullopt;
  const auto asked = expression(*node.kids[1]);
  if (!asked) return asked;
  Maybe field = asked;
  if (const Value* known = constant_of(*asked); known != nullptr && known->type == Type::string)
    field = named_field(*node.kids[1], text_of(*known));
  if (!field || field->field < 0)
    return field && field->at < 0 ? Maybe(out)
                                  : fail(*node.kids[1], "a field is named by a text, or by [params]");
  const FieldFacts& facts = out_.fields[static_cast<std::size_t>(field->field)].facts;
  const std::string name(node.text);
  if (facts.kind != FieldKind::vector)
    return fail(*node.kids[1], "[" + name + "] takes a field of the type [dense_vector]");
  const bool hamming = which == VectorFunction::hamming;
  if (hamming && !facts.byte_elements)
    return fail(node, "hamming distance is only supported for byte or bit vectors");
  if (!hamming && facts.bit_elements)
    return fail(node, "[" + name + "] is not offered for vectors of bits: use [hamming]");
  if (which != VectorFunction::cosine && facts.unit_length)
    return fail(node, unit_length_fault(out_.fields[static_cast<std::size_t>(field->field)].name));
  if (query->size() != facts.elements) {
    fails_when_run(node, "illegal_argument_exception",
                   "The query vector has a different number of dimensions [" +
                       std::to_string(query->size()) + "] than the document vectors [" +
                       std::to_string(facts.elements) + "].");
    return out;
  }
  double squares = 0;
  for (const float one : *query) squares += static_cast<double>(one) * static_cast<double>(one);
  Value vector = heap_.vector(*query);
  vector.object->items = {Value::of(std::sqrt(squares))};
  emit(node, Code::compare_vectors, out.at, constant(vector), static_cast<std::int16_t>(field->field));
  emit(node, Code::move, static_cast<std::int16_t>(which));
  return out;
}

}  // namespace cairn::script
