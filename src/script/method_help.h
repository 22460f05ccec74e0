// SPDX-License-Identifier: Apache-2.0
// What the methods of several types have in common.
#pragma once

#include <functional>
#include <string>

#include "script/methods.h"
#include "script/operations.h"
#include "script/script.h"

namespace cairn::script {

/// Gives back a value in the place of the object.
inline bool give(Value* self, const Value& value) {
  *self = value;
  return true;
}

inline bool give_size(Value* self, std::size_t size) {
  return give(self, Value::whole_of(Type::int_, static_cast<std::int64_t>(size)));
}

/// Whether an argument is of the type; says so where it is not.
inline bool wants(Run& run, const Value& argument, Type type) {
  if (argument.type == type) return true;
  if (argument.is_null()) return run.fail("null_pointer_exception", "an argument is null");
  return run.fail("class_cast_exception", "Cannot cast from [" +
                                              std::string(class_of(argument.type)) + "] to [" +
                                              std::string(name_of(type)) + "].");
}

/// Whether an object may change.
inline bool may_change(Run& run, const Value& object) {
  return !object.object->fixed ||
         run.fail("unsupported_operation_exception",
                  "[params] are read-only: make a list or a map of your own");
}

/// toString, equals and hashCode are alike for all types.
bool method_to_string(Run& run, Value* self);
bool method_equals(Run& run, Value* self);
bool method_hash_code(Run& run, Value* self);
bool method_compare_to(Run& run, Value* self);

}  // namespace cairn::script
