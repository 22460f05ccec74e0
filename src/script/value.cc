// SPDX-License-Identifier: Apache-2.0
#include "script/value.h"

#include <array>

namespace cairn::script {

std::string_view name_of(Type type) {
  static constexpr std::array<std::string_view, 17> names = {
      "null",  "boolean",       "int",     "long",      "float",   "double", "String", "List", "Map",
      "Map.Entry", "doc field", "ZonedDateTime", "Instant", "DayOfWeek", "float[]", "def", "void"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view class_of(Type type) {
  static constexpr std::array<std::string_view, 17> names = {"null",
                                                             "java.lang.Boolean",
                                                             "java.lang.Integer",
                                                             "java.lang.Long",
                                                             "java.lang.Float",
                                                             "java.lang.Double",
                                                             "java.lang.String",
                                                             "java.util.ArrayList",
                                                             "java.util.HashMap",
                                                             "java.util.Map.Entry",
                                                             "doc field",
                                                             "java.time.ZonedDateTime",
                                                             "java.time.Instant",
                                                             "java.time.DayOfWeek",
                                                             "float[]",
                                                             "java.lang.Object",
                                                             "void"};
  return names[static_cast<std::size_t>(type)];
}

bool KeyOrder::operator()(const Value& a, const Value& b) const {
  if (a.type != b.type) return a.type < b.type;
  if (a.type == Type::string) return text_of(a) < text_of(b);
  if (a.type == Type::null) return false;
  // By their bits: a number that is not one is a key as any other.
  return a.whole < b.whole;
}

const Value* Object::find(const Value& key) const {
  const auto found = places.find(key);
  return found == places.end() ? nullptr : &entries[found->second].second;
}

void Object::put(const Value& key, const Value& value) {
  const auto [place, is_new] = places.emplace(key, entries.size());
  if (is_new)
    entries.emplace_back(key, value);
  else
    entries[place->second].second = value;
}

bool Object::erase(const Value& key) {
  const auto found = places.find(key);
  if (found == places.end()) return false;
  const std::size_t at = found->second;
  places.erase(found);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
  for (auto& [other, place] : places)
    if (place > at) --place;
  return true;
}

Object* Heap::make() {
  count(sizeof(Object));
  objects_.push_back(std::make_unique<Object>());
  return objects_.back().get();
}

Value Heap::text(std::string text) {
  count(text.size());
  Object* out = make();
  out->text = std::move(text);
  return Value::object_of(Type::string, out);
}

Value Heap::list(std::vector<Value> items) {
  count(items.size() * sizeof(Value));
  Object* out = make();
  out->items = std::move(items);
  return Value::object_of(Type::list, out);
}

Value Heap::entry(const Value& key, const Value& value) {
  Object* out = make();
  out->items = {key, value};
  return Value::object_of(Type::entry, out);
}

Value Heap::vector(std::vector<float> numbers) {
  count(numbers.size() * sizeof(float));
  Object* out = make();
  out->numbers = std::move(numbers);
  return Value::object_of(Type::vector, out);
}

}  // namespace cairn::script
