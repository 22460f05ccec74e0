// SPDX-License-Identifier: Apache-2.0
// The methods of List.
#include <algorithm>
#include <array>

#include "script/method_help.h"

namespace cairn::script {
namespace {
namespace lists {

std::vector<Value>& items(Value* self) { return self->object->items; }

bool out_of_bounds(Run& run, std::int64_t at, std::size_t size) {
  return run.fail("index_out_of_bounds_exception", "Index " + std::to_string(at) +
                                                       " out of bounds for length " +
                                                       std::to_string(size));
}

bool is_place(Run& run, Value* self, const Value& at, std::size_t most) {
  if (!wants(run, at, Type::int_)) return false;
  if (at.whole >= 0 && static_cast<std::size_t>(at.whole) < most) return true;
  return out_of_bounds(run, at.whole, items(self).size());
}

bool size(Run&, Value* self) { return give_size(self, items(self).size()); }
bool is_empty(Run&, Value* self) { return give(self, Value::of(items(self).empty())); }

bool get(Run& run, Value* self) {
  return is_place(run, self, self[1], items(self).size()) &&
         give(self, items(self)[static_cast<std::size_t>(self[1].whole)]);
}

bool set(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_place(run, self, self[1], items(self).size())) return false;
  Value& place = items(self)[static_cast<std::size_t>(self[1].whole)];
  const Value old = place;
  place = self[2];
  return give(self, old);
}

bool add(Run& run, Value* self) {
  if (!may_change(run, *self)) return false;
  items(self).push_back(self[1]);
  run.heap().count(sizeof(Value));
  return give(self, Value::of(true));
}

bool insert(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_place(run, self, self[1], items(self).size() + 1)) return false;
  items(self).insert(items(self).begin() + self[1].whole, self[2]);
  run.heap().count(sizeof(Value));
  return run.work(items(self).size()) && give(self, {});
}

bool add_all(Run& run, Value* self) {
  Value list;
  if (!may_change(run, *self) || !elements_of(run, self[1], list)) return false;
  const std::vector<Value> more = items_of(list);
  run.heap().count(more.size() * sizeof(Value));
  if (run.heap().is_full()) return true;  // the run says so
  items(self).insert(items(self).end(), more.begin(), more.end());
  return run.work(more.size()) && give(self, Value::of(!more.empty()));
}

bool remove(Run& run, Value* self) {
  if (!may_change(run, *self) || !is_place(run, self, self[1], items(self).size())) return false;
  const Value old = items(self)[static_cast<std::size_t>(self[1].whole)];
  items(self).erase(items(self).begin() + self[1].whole);
  return run.work(items(self).size()) && give(self, old);
}

bool clear(Run& run, Value* self) {
  if (!may_change(run, *self)) return false;
  items(self).clear();
  return give(self, {});
}

std::int32_t place_of(Run& run, Value* self) {
  for (std::size_t i = 0; i < items(self).size(); ++i)
    if (are_same(run, items(self)[i], self[1])) return static_cast<std::int32_t>(i);
  return -1;
}

bool contains(Run& run, Value* self) { return give(self, Value::of(place_of(run, self) >= 0)); }
bool index_of(Run& run, Value* self) { return give(self, Value::of(place_of(run, self))); }

bool last_index_of(Run& run, Value* self) {
  for (std::size_t i = items(self).size(); i > 0; --i)
    if (are_same(run, items(self)[i - 1], self[1])) return give_size(self, i - 1);
  return give(self, Value::of(std::int32_t{-1}));
}

bool sub_list(Run& run, Value* self) {
  if (!wants(run, self[1], Type::int_) || !wants(run, self[2], Type::int_)) return false;
  const auto from = self[1].whole, to = self[2].whole;
  if (from < 0 || to > static_cast<std::int64_t>(items(self).size()) || from > to)
    return out_of_bounds(run, from < 0 ? from : to, items(self).size());
  return run.work(static_cast<std::size_t>(to - from)) &&
         give(self, run.heap().list({items(self).begin() + from, items(self).begin() + to}));
}

// An order that fails compares nothing further: it ends, and the run says why.
bool sort(Run& run, Value* self) {
  if (!self[1].is_null())
    return run.fail("illegal_argument_exception", "[sort] takes null here: lambdas are not offered");
  if (!may_change(run, *self)) return false;
  for (std::size_t i = 1; i < items(self).size(); ++i) {
    int order = 0;
    if (!order_of(run, items(self)[0], items(self)[i], order)) return false;
  }
  std::stable_sort(items(self).begin(), items(self).end(), [&](const Value& a, const Value& b) {
    int order = 0;
    // What is no number is the greatest, as the language sorts it.
    const bool no_a = a.type >= Type::float_ && a.type <= Type::double_ && a.real != a.real;
    const bool no_b = b.type >= Type::float_ && b.type <= Type::double_ && b.real != b.real;
    if (no_a || no_b) return !no_a && no_b;
    return run.steps().go_on() && order_of(run, a, b, order) && order < 0;
  });
  return run.steps().status().ok() && give(self, {});
}

bool join(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string)) return false;
  std::string out;
  bool first = true;
  for (const Value& item : items(self)) {
    if (!first) out += text_of(self[1]);
    first = false;
    if (!append_text(run, item, out)) return false;
  }
  return run.work(out.size()) && give(self, run.heap().text(std::move(out)));
}

bool vector_size(Run&, Value* self) { return give_size(self, self->object->numbers.size()); }

}  // namespace lists
}  // namespace

std::span<const Method> list_methods() {
  constexpr Type of = Type::list;
  static constexpr std::array table = {
      Method{of, "size", 0, Type::int_, &lists::size},
      Method{of, "getLength", 0, Type::int_, &lists::size},
      Method{of, "isEmpty", 0, Type::boolean, &lists::is_empty},
      Method{of, "get", 1, Type::def, &lists::get},
      Method{of, "set", 2, Type::def, &lists::set},
      Method{of, "add", 1, Type::boolean, &lists::add},
      Method{of, "add", 2, Type::void_, &lists::insert},
      Method{of, "addAll", 1, Type::boolean, &lists::add_all},
      Method{of, "remove", 1, Type::def, &lists::remove},
      Method{of, "clear", 0, Type::void_, &lists::clear},
      Method{of, "contains", 1, Type::boolean, &lists::contains},
      Method{of, "indexOf", 1, Type::int_, &lists::index_of},
      Method{of, "lastIndexOf", 1, Type::int_, &lists::last_index_of},
      Method{of, "subList", 2, Type::list, &lists::sub_list},
      Method{of, "sort", 1, Type::void_, &lists::sort},
      Method{of, "join", 1, Type::string, &lists::join},
      Method{Type::vector, "getLength", 0, Type::int_, &lists::vector_size}};
  return table;
}

}  // namespace cairn::script
