// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/value.h"

#include <charconv>
#include <cmath>

namespace cairn::inference::templates {
namespace {

constexpr std::size_t few_keys = 8;

/// One spelling for keys that are equal and no strings: 1, 1.0 and true are.
std::string key_spelling(const Value& key) {
  if (key.is(Value::Kind::none)) return "n";
  if (key.is_integral()) return "i" + std::to_string(key.as_integer());
  const double number = key.as_double();
  if (std::floor(number) == number && std::abs(number) < 9e18)
    return "i" + std::to_string(static_cast<std::int64_t>(number));
  char digits[40];
  return "f" + std::string(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

bool same_key(const Value& a, const Value& b) {
  if (a.is_text() || b.is_text()) return a.is_text() && b.is_text() && a.bytes() == b.bytes();
  return key_spelling(a) == key_spelling(b);
}

}  // namespace

Value none_value() {
  Value out;
  out.kind = Value::Kind::none;
  return out;
}

Value boolean_value(bool v) {
  Value out;
  out.kind = Value::Kind::boolean;
  out.boolean = v;
  return out;
}

Value integer_value(std::int64_t v) {
  Value out;
  out.kind = Value::Kind::integer;
  out.integer = v;
  return out;
}

Value number_value(double v) {
  Value out;
  out.kind = Value::Kind::number;
  out.number = v;
  return out;
}

Value text_value(Text text) {
  Value out;
  out.kind = Value::Kind::string;
  out.text = std::make_shared<const Text>(std::move(text));
  return out;
}

Value text_value(std::string_view bytes, Origin origin) { return text_value(Text(bytes, origin)); }

Value undefined_value(TextPtr name) {
  Value out;
  out.text = std::move(name);
  return out;
}

bool is_key(const Value& value) {
  return value.is_text() || value.is_numeric() || value.is(Value::Kind::none);
}

std::optional<std::size_t> Dict::place_of(const Value& key) const {
  if (items_.size() <= few_keys) {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (same_key(items_[i].first, key)) return i;
    return std::nullopt;
  }
  const auto in = [](const auto& places, const auto& name) {
    const auto found = places.find(name);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  };
  return key.is_text() ? in(texts_, key.bytes()) : in(others_, key_spelling(key));
}

void Dict::note(std::size_t place) {
  const Value& key = items_[place].first;
  if (key.is_text()) {
    texts_.emplace(key.bytes(), place);
  } else {
    others_.emplace(key_spelling(key), place);
  }
}

const Value* Dict::find(const Value& key) const {
  if (!is_key(key)) return nullptr;
  const auto place = place_of(key);
  return place ? &items_[*place].second : nullptr;
}

const Value* Dict::find(std::string_view key) const {
  if (items_.size() > few_keys) {
    const auto found = texts_.find(key);
    return found == texts_.end() ? nullptr : &items_[found->second].second;
  }
  for (const Item& item : items_)
    if (item.first.is_text() && item.first.bytes() == key) return &item.second;
  return nullptr;
}

void Dict::set(Value key, Value value) {
  if (const auto place = place_of(key)) {
    items_[*place].second = std::move(value);
    return;
  }
  items_.emplace_back(std::move(key), std::move(value));
  if (items_.size() <= few_keys) return;
  for (std::size_t i = texts_.size() + others_.size(); i < items_.size(); ++i) note(i);
}

Value Heap::list(std::vector<Value> items, bool may_grow) {
  lists_.push_back({std::move(items), may_grow});
  Value out;
  out.kind = Value::Kind::list;
  out.list = &lists_.back();
  return out;
}

Value Heap::tuple(std::vector<Value> items) {
  Value out = list(std::move(items), false);
  out.kind = Value::Kind::tuple;
  return out;
}

Value Heap::dict(Value::Kind kind) {
  Value out;
  out.kind = kind;
  out.dict = &dicts_.emplace_back();
  return out;
}

Value Heap::macro(Macro macro) {
  Value out;
  out.kind = Value::Kind::macro;
  out.macro = &macros_.emplace_back(std::move(macro));
  return out;
}

Value Heap::method(Value object, std::string_view name) {
  Value out;
  out.kind = Value::Kind::method;
  out.method = &methods_.emplace_back(Method{std::move(object), std::string(name)});
  return out;
}

Value Heap::loop(Loop** made) {
  Value out;
  out.kind = Value::Kind::loop;
  out.loop = *made = &loops_.emplace_back();
  return out;
}

Scope* Heap::scope(Scope* parent) {
  if (free_scopes_.empty()) {
    scopes_.emplace_back();
    free_scopes_.push_back(&scopes_.back());
  }
  Scope* out = free_scopes_.back();
  free_scopes_.pop_back();
  out->parent = parent;
  return out;
}

void Heap::end(Scope* scope) {
  if (scope->is_kept) return;
  scope->names.clear();
  free_scopes_.push_back(scope);
}

}  // namespace cairn::inference::templates
