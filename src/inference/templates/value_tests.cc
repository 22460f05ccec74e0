// SPDX-License-Identifier: Apache-2.0
// Tests: what stands behind `is`.
#include "inference/templates/filters.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"
#include "text/letters.h"

namespace cairn::inference::templates {
namespace {

using Kind = Value::Kind;

template <bool (*rule)(const Value&)>
Result<bool> plain_test(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "is", {}));
  return rule(value);
}

bool is_defined(const Value& v) { return !v.is(Kind::undefined); }
bool is_undefined(const Value& v) { return v.is(Kind::undefined); }
bool is_none(const Value& v) { return v.is(Kind::none); }
bool is_string(const Value& v) { return v.is_text(); }
bool is_mapping(const Value& v) { return v.is(Kind::dict); }
bool is_number(const Value& v) { return v.is_numeric(); }
bool is_integer(const Value& v) { return v.is(Kind::integer); }
bool is_float(const Value& v) { return v.is(Kind::number); }
bool is_boolean(const Value& v) { return v.is(Kind::boolean); }
bool is_just_true(const Value& v) { return v.is(Kind::boolean) && v.boolean; }
bool is_just_false(const Value& v) { return v.is(Kind::boolean) && !v.boolean; }
bool is_sequence(const Value& v) {
  return v.is_text() || v.is_sequence() || v.is(Kind::dict) || v.is(Kind::undefined);
}
bool is_iterable(const Value& v) { return is_sequence(v) || v.is(Kind::loop); }
bool is_callable(const Value& v) {
  return v.is(Kind::macro) || v.is(Kind::method) || v.is(Kind::function) || v.is(Kind::undefined);
}

Result<bool> leaves(Machine& machine, const Value& value, double wanted) {
  if (value.is(Kind::undefined)) return undefined_error(machine, value);
  if (!value.is_numeric())
    return machine.fault("'even' and 'odd' need a number, not " + std::string(type_name(value)));
  CAIRN_TRY(const Value rest, arithmetic(machine, "%", value, integer_value(2)));
  return rest.as_double() == wanted;
}

Result<bool> odd_test(Machine& machine, const Value& value, const Arguments&) {
  return leaves(machine, value, 1);
}
Result<bool> even_test(Machine& machine, const Value& value, const Arguments&) {
  return leaves(machine, value, 0);
}

Result<bool> divisible_test(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "divisibleby", {"num"}));
  if (given[0] == nullptr) return machine.fault("'divisibleby' needs a number");
  CAIRN_TRY(const Value rest, arithmetic(machine, "%", value, *given[0]));
  return rest.is_numeric() && rest.as_double() == 0;
}

bool has_case(std::string_view bytes, bool (*wanted)(char32_t)) {
  bool some = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const char32_t c = next_character(bytes, at);
    if (wanted(c))
      some = true;
    else if (text::is_upper(c) || text::is_lower(c))
      return false;
  }
  return some;
}

template <bool (*wanted)(char32_t)>
Result<bool> case_test(Machine& machine, const Value& value, const Arguments&) {
  CAIRN_TRY(const Value text, to_str(machine, value));
  CAIRN_CHECK(machine.spend_bytes(text.text->size()));
  return has_case(text.bytes(), wanted);
}

enum class Sign { equal, unequal, less, less_equal, more, more_equal, in };

template <Sign sign>
Result<bool> sign_test(Machine& machine, const Value& value, const Arguments& arguments) {
  static constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
  CAIRN_TRY(const auto given, arguments.bind(machine, "is", {"other"}));
  if (given[0] == nullptr) return machine.fault("the test needs a value to compare with");
  return holds(machine, signs[static_cast<std::size_t>(sign)], value, *given[0]);
}

Result<bool> same_test(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "sameas", {"other"}));
  if (given[0] == nullptr) return machine.fault("'sameas' needs a value to compare with");
  if (value.kind != given[0]->kind) return false;
  return are_equal(machine, value, *given[0]);
}

Result<bool> filter_test(Machine&, const Value& value, const Arguments&) {
  return value.is_text() && find_filter(value.bytes()) != nullptr;
}
Result<bool> test_test(Machine&, const Value& value, const Arguments&) {
  return value.is_text() && find_test(value.bytes()) != nullptr;
}

struct NamedTest {
  std::string_view name;
  TestRule rule;
};
constexpr NamedTest value_tests[] = {
    {"defined", &plain_test<&is_defined>},
    {"undefined", &plain_test<&is_undefined>},
    {"none", &plain_test<&is_none>},
    {"string", &plain_test<&is_string>},
    {"mapping", &plain_test<&is_mapping>},
    {"sequence", &plain_test<&is_sequence>},
    {"iterable", &plain_test<&is_iterable>},
    {"number", &plain_test<&is_number>},
    {"integer", &plain_test<&is_integer>},
    {"float", &plain_test<&is_float>},
    {"boolean", &plain_test<&is_boolean>},
    {"true", &plain_test<&is_just_true>},
    {"false", &plain_test<&is_just_false>},
    {"callable", &plain_test<&is_callable>},
    {"odd", &odd_test},
    {"even", &even_test},
    {"divisibleby", &divisible_test},
    {"upper", &case_test<&text::is_upper>},
    {"lower", &case_test<&text::is_lower>},
    {"equalto", &sign_test<Sign::equal>},
    {"eq", &sign_test<Sign::equal>},
    {"==", &sign_test<Sign::equal>},
    {"ne", &sign_test<Sign::unequal>},
    {"!=", &sign_test<Sign::unequal>},
    {"lt", &sign_test<Sign::less>},
    {"lessthan", &sign_test<Sign::less>},
    {"<", &sign_test<Sign::less>},
    {"le", &sign_test<Sign::less_equal>},
    {"<=", &sign_test<Sign::less_equal>},
    {"gt", &sign_test<Sign::more>},
    {"greaterthan", &sign_test<Sign::more>},
    {">", &sign_test<Sign::more>},
    {"ge", &sign_test<Sign::more_equal>},
    {">=", &sign_test<Sign::more_equal>},
    {"in", &sign_test<Sign::in>},
    {"sameas", &same_test},
    {"filter", &filter_test},
    {"test", &test_test},
};

}  // namespace

TestRule find_test(std::string_view name) {
  for (const auto& [known, rule] : value_tests)
    if (known == name) return rule;
  return nullptr;
}

}  // namespace cairn::inference::templates
