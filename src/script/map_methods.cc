// SPDX-License-Identifier: Apache-2.0
// The methods of Map and of its entries. Entries keep the order in which their keys came.
#include <array>

#include "script/method_help.h"

namespace cairn::script {
namespace {
namespace maps {

bool is_key(Run& run, const Value& key) {
  if (key.is_null() || is_primitive(key.type) || key.type == Type::string) return true;
  return run.fail("illegal_argument_exception", "keys of maps are texts, numbers and booleans here");
}

const Value* value_of(Value* self) { return self->object->find(self[1]); }

bool size(Run&, Value* self) { return give_size(self, self->object->entries.size()); }
bool is_empty(Run&, Value* self) { return give(self, Value::of(self->object->entries.empty())); }

bool get(Run& run, Value* self) {
  if (!is_key(run, self[1])) return false;
  const Value* found = value_of(self);
  return give(self, found == nullptr ? Value() : *found);
}

bool get_or_default(Run& run, Value* self) {
  if (!is_key(run, self[1])) return false;
  const Value* found = value_of(self);
  return give(self, found == nullptr ? self[2] : *found);
}

bool contains_key(Run& run, Value* self) {
  return is_key(run, self[1]) && give(self, Value::of(value_of(self) != nullptr));
}

bool contains_value(Run& run, Value* self) {
  for (const auto& [key, value] : self->object->entries)
    if (are_same(run, value, self[1])) return give(self, Value::of(true));
  return give(self, Value::of(false));
}

void put_in(Run& run, Value* self, const Value& key, const Value& value) {
  run.heap().count(96);  // an entry, and the place of its key
  self->object->put(key, value);
}

bool put(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_key(run, self[1])) return false;
  const Value* found = value_of(self);
  const Value old = found == nullptr ? Value() : *found;
  put_in(run, self, self[1], self[2]);
  return give(self, old);
}

bool put_if_absent(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_key(run, self[1])) return false;
  if (const Value* found = value_of(self); found != nullptr && !found->is_null())
    return give(self, *found);
  put_in(run, self, self[1], self[2]);
  return give(self, {});
}

bool put_all(Run& run, Value* self) {
  if (!may_change(run, *self) || !wants(run, self[1], Type::map)) return false;
  const auto more = self[1].object->entries;
  for (const auto& [key, value] : more)
    if (!run.heap().is_full()) put_in(run, self, key, value);
  return run.work(more.size()) && give(self, {});
}

bool remove(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_key(run, self[1])) return false;
  const Value* found = value_of(self);
  const Value old = found == nullptr ? Value() : *found;
  if (found != nullptr) self->object->erase(self[1]);
  return run.work(self->object->entries.size()) && give(self, old);
}

bool clear(Run& run, Value* self) {
  if (!may_change(run, *self)) return false;
  self->object->entries.clear();
  self->object->places.clear();
  return give(self, {});
}

enum class Part { keys, values, entries };

template <Part part>
bool list_of(Run& run, Value* self) {
  std::vector<Value> out;
  for (const auto& [key, value] : self->object->entries)
    out.push_back(part == Part::keys     ? key
                  : part == Part::values ? value
                                         : run.heap().entry(key, value));
  return run.work(out.size()) && give(self, run.heap().list(std::move(out)));
}

bool key_of(Run&, Value* self) { return give(self, self->object->items[0]); }
bool value_of_entry(Run&, Value* self) { return give(self, self->object->items[1]); }

}  // namespace maps
}  // namespace

std::span<const Method> map_methods() {
  constexpr Type of = Type::map;
  static constexpr std::array table = {
      Method{of, "size", 0, Type::int_, &maps::size},
      Method{of, "isEmpty", 0, Type::boolean, &maps::is_empty},
      Method{of, "get", 1, Type::def, &maps::get},
      Method{of, "getOrDefault", 2, Type::def, &maps::get_or_default},
      Method{of, "containsKey", 1, Type::boolean, &maps::contains_key},
      Method{of, "containsValue", 1, Type::boolean, &maps::contains_value},
      Method{of, "put", 2, Type::def, &maps::put},
      Method{of, "putIfAbsent", 2, Type::def, &maps::put_if_absent},
      Method{of, "putAll", 1, Type::void_, &maps::put_all},
      Method{of, "remove", 1, Type::def, &maps::remove},
      Method{of, "clear", 0, Type::void_, &maps::clear},
      Method{of, "keySet", 0, Type::list, &maps::list_of<maps::Part::keys>},
      Method{of, "values", 0, Type::list, &maps::list_of<maps::Part::values>},
      Method{of, "entrySet", 0, Type::list, &maps::list_of<maps::Part::entries>},
      Method{Type::entry, "getKey", 0, Type::def, &maps::key_of},
      Method{Type::entry, "getValue", 0, Type::def, &maps::value_of_entry}};
  return table;
}

}  // namespace cairn::script
