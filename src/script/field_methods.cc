// SPDX-License-Identifier: Apache-2.0
// The methods of doc['name'].
#include <array>
#include <cmath>

#include "script/method_help.h"

namespace cairn::script {
namespace {
namespace doc_fields {

std::size_t number_of(Value* self) { return static_cast<std::size_t>(self->whole); }

bool size(Run& run, Value* self) { return give_size(self, field_count(run, number_of(self))); }
bool is_empty(Run& run, Value* self) {
  return give(self, Value::of(field_count(run, number_of(self)) == 0));
}

bool no_value(Run& run) {
  return run.fail("illegal_state_exception",
                  "A document doesn't have a value for a field! Use doc[<field>].size()==0 to "
                  "check if a document is missing a field!");
}

bool is_vector(Run& run, Value* self) {
  return run.fields()[number_of(self)].facts.kind == FieldKind::vector;
}

bool not_so(Run& run) {
  return run.fail("unsupported_operation_exception",
                  "accessing a vector field's value through 'get' or 'value' is not supported, use "
                  "'vectorValue' or 'magnitude' instead.");
}

bool value(Run& run, Value* self) {
  if (is_vector(run, self)) return not_so(run);
  if (field_count(run, number_of(self)) == 0) return no_value(run);
  return give(self, field_value(run, number_of(self), 0));
}

bool get(Run& run, Value* self) {
  if (is_vector(run, self)) return not_so(run);
  if (!wants(run, self[1], Type::int_)) return false;
  const std::size_t count = field_count(run, number_of(self));
  if (count == 0) return no_value(run);
  if (self[1].whole < 0 || static_cast<std::size_t>(self[1].whole) >= count)
    return run.fail("index_out_of_bounds_exception",
                    "Index " + std::to_string(self[1].whole) + " out of bounds for length " +
                        std::to_string(count));
  return give(self, field_value(run, number_of(self), static_cast<std::size_t>(self[1].whole)));
}

bool values(Run& run, Value* self) {
  Value list;
  return elements_of(run, *self, list) && give(self, list);
}

bool contains(Run& run, Value* self) {
  Value list;
  if (!elements_of(run, *self, list)) return false;
  for (const Value& item : items_of(list))
    if (are_same(run, item, self[1])) return give(self, Value::of(true));
  return give(self, Value::of(false));
}

bool vector_value(Run& run, Value* self) {
  if (!is_vector(run, self))
    return run.fail("illegal_argument_exception", "[vectorValue] is of fields of the type [dense_vector]");
  if (run.fields()[number_of(self)].facts.unit_length)
    return run.fail("illegal_argument_exception", unit_length_fault(run.fields()[number_of(self)].name));
  const auto numbers = run.document().vector(number_of(self));
  if (numbers.empty())
    return run.fail("illegal_argument_exception", "A document doesn't have a value for a vector field!");
  return run.work(numbers.size()) && give(self, run.heap().vector({numbers.begin(), numbers.end()}));
}

bool magnitude(Run& run, Value* self) {
  if (!vector_value(run, self)) return false;
  double squares = 0;
  for (const float one : self->object->numbers)
    squares += static_cast<double>(one) * static_cast<double>(one);
  return give(self, Value::of(static_cast<float>(std::sqrt(squares))));
}

}  // namespace doc_fields
}  // namespace

std::span<const Method> field_methods() {
  constexpr Type of = Type::field;
  static constexpr std::array table = {
      Method{of, "size", 0, Type::int_, &doc_fields::size},
      Method{of, "getLength", 0, Type::int_, &doc_fields::size},
      Method{of, "isEmpty", 0, Type::boolean, &doc_fields::is_empty},
      Method{of, "getValue", 0, Type::def, &doc_fields::value},
      Method{of, "get", 1, Type::def, &doc_fields::get},
      Method{of, "getValues", 0, Type::list, &doc_fields::values},
      Method{of, "contains", 1, Type::boolean, &doc_fields::contains},
      Method{of, "getVectorValue", 0, Type::vector, &doc_fields::vector_value},
      Method{of, "getMagnitude", 0, Type::float_, &doc_fields::magnitude}};
  return table;
}

}  // namespace cairn::script
