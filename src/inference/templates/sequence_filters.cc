// SPDX-License-Identifier: Apache-2.0
// Filters of lists and dicts. What Jinja makes one by one, these give as a list.
#include <algorithm>

#include "base/strings.h"
#include "inference/templates/filters.h"
#include "inference/templates/methods.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"

namespace cairn::inference::templates {
namespace {

bool flag_of(const Value* value, bool otherwise) {
  return value == nullptr ? otherwise : is_true(*value);
}

/// Takes what is before the next `sign`, or all of it.
std::string_view take_until(std::string_view& rest, char sign) {
  const std::string_view out = rest.substr(0, rest.find(sign));
  rest.remove_prefix(std::min(out.size() + 1, rest.size()));
  return out;
}

/// The value at `a.b.0`: items within items.
/// What is absent on the way is `otherwise`, where there is one.
Result<Value> value_at(Machine& machine, const Value& value, std::string_view path,
                       const Value* otherwise) {
  CAIRN_CHECK(machine.spend_bytes(path.size()));
  Value out = value;
  for (bool goes_on = true; goes_on;) {
    goes_on = path.find('.') != std::string_view::npos;
    const std::string_view part = take_until(path, '.');
    const auto number = parse_number<std::int64_t>(part);
    const bool digits = number && part.find_first_not_of("0123456789") == std::string_view::npos;
    CAIRN_TRY(out, item_of(machine, out,
                           digits ? integer_value(*number) : text_value(part, Origin::source)));
    if (otherwise != nullptr && out.is(Value::Kind::undefined)) out = *otherwise;
  }
  return out;
}

Result<Value> value_at(Machine& machine, const Value& value, const Value& path,
                       const Value* otherwise = nullptr) {
  if (path.is_text()) return value_at(machine, value, path.bytes(), otherwise);
  CAIRN_TRY(Value one, item_of(machine, value, path));
  if (otherwise != nullptr && one.is(Value::Kind::undefined)) return *otherwise;
  return one;
}

Result<Value> folded_key(Machine& machine, const Value& value, bool with_case) {
  if (!value.is_text()) return value;
  CAIRN_CHECK(machine.spend_bytes(value.text->size()));
  if (with_case) return value;
  return text_value(folded(value.bytes()), Origin::value);
}

/// What elements are compared by: their attribute, strings without regard to case.
Result<std::vector<Value>> keys_of(Machine& machine, const std::vector<Value>& all,
                                   const Value* attribute, bool with_case) {
  std::vector<Value> out;
  for (const Value& one : all) {
    Value key = one;
    if (attribute != nullptr && !attribute->is(Value::Kind::none)) {
      CAIRN_TRY(key, value_at(machine, one, *attribute));
    }
    CAIRN_TRY(key, folded_key(machine, key, with_case));
    out.push_back(std::move(key));
  }
  return out;
}

/// Places in the order of keys, equal ones as they were. A comparison may fail, so this is a merge
/// sort that can stop.
Result<std::vector<std::size_t>> sorted_places(Machine& machine, const std::vector<Value>& keys,
                                               bool reverse) {
  std::vector<std::size_t> out(keys.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  std::vector<std::size_t> merged(keys.size());
  for (std::size_t width = 1; width < out.size(); width *= 2) {
    for (std::size_t begin = 0; begin < out.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, out.size());
      const std::size_t end = std::min(begin + 2 * width, out.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        bool takes_right = left == middle;
        if (!takes_right && right < end) {
          CAIRN_TRY(const int order, compare(machine, keys[out[right]], keys[out[left]]));
          takes_right = order != 2 && (reverse ? order > 0 : order < 0);
        }
        merged[to] = takes_right ? out[right++] : out[left++];
      }
    }
    out.swap(merged);
  }
  return out;
}

Result<Value> length_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "length", {}));
  if (value.is_text()) CAIRN_CHECK(machine.spend_bytes(value.text->size()));
  CAIRN_TRY(const std::int64_t length, length_of(machine, value));
  return integer_value(length);
}

Result<Value> join_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "join", {"d", "attribute"}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  Value between = text_value(Text());
  if (given[0] != nullptr) {
    CAIRN_TRY(between, to_str(machine, *given[0]));
  }
  Text out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Value one = all[i];
    if (given[1] != nullptr && !given[1]->is(Value::Kind::none)) {
      CAIRN_TRY(one, value_at(machine, one, *given[1]));
    }
    CAIRN_CHECK(machine.spend_text(*between.text));
    if (i > 0) out.append(*between.text);
    CAIRN_CHECK(append_str(machine, one, out));
    CAIRN_CHECK(machine.keep_within(out));
  }
  return text_value(std::move(out));
}

Result<Value> first_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "first", {}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  return all.empty() ? undefined_value(nullptr) : all.front();
}

Result<Value> last_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "last", {}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  return all.empty() ? undefined_value(nullptr) : all.back();
}

Result<Value> list_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "list", {}));
  CAIRN_TRY(auto all, elements_of(machine, value));
  return machine.heap.list(std::move(all));
}

Result<Value> items_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "items", {}));
  if (value.is(Value::Kind::undefined)) return machine.heap.list({});
  if (!value.is(Value::Kind::dict))
    return machine.fault("'items' needs a dict, not " + std::string(type_name(value)));
  return call_method(machine, value, "items", {});
}

Result<Value> dictsort_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given,
            arguments.bind(machine, "dictsort", {"case_sensitive", "by", "reverse"}));
  if (!value.is(Value::Kind::dict))
    return machine.fault("'dictsort' needs a dict, not " + std::string(type_name(value)));
  const std::string_view by = given[1] == nullptr ? "key" : given[1]->bytes();
  if (by != "key" && by != "value") return machine.fault("'dictsort' sorts by key or value");
  std::vector<Value> keys;
  for (const auto& [key, held] : value.dict->items()) {
    CAIRN_TRY(Value folded,
              folded_key(machine, by == "key" ? key : held, flag_of(given[0], false)));
    keys.push_back(std::move(folded));
  }
  CAIRN_TRY(const auto places, sorted_places(machine, keys, flag_of(given[2], false)));
  CAIRN_CHECK(machine.spend(3 * places.size()));
  std::vector<Value> out;
  for (const std::size_t place : places) {
    const auto& [key, held] = value.dict->items()[place];
    out.push_back(machine.heap.tuple({key, held}));
  }
  return machine.heap.list(std::move(out));
}

Result<Value> sort_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given,
            arguments.bind(machine, "sort", {"reverse", "case_sensitive", "attribute"}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  const bool with_case = flag_of(given[1], false);
  std::vector<Value> keys;
  if (given[2] != nullptr && given[2]->is_text() &&
      given[2]->bytes().find(',') != std::string_view::npos) {
    // Several attributes: compared one after the other.
    for (const Value& one : all) {
      std::vector<Value> parts;
      std::string_view rest = given[2]->bytes();
      for (bool goes_on = true; goes_on;) {
        goes_on = rest.find(',') != std::string_view::npos;
        CAIRN_TRY(const Value part, value_at(machine, one, take_until(rest, ','), nullptr));
        CAIRN_TRY(Value folded, folded_key(machine, part, with_case));
        parts.push_back(std::move(folded));
      }
      keys.push_back(machine.heap.list(std::move(parts)));
    }
  } else {
    CAIRN_TRY(keys, keys_of(machine, all, given[2], with_case));
  }
  CAIRN_TRY(const auto places, sorted_places(machine, keys, flag_of(given[0], false)));
  std::vector<Value> out;
  for (const std::size_t place : places) out.push_back(all[place]);
  return machine.heap.list(std::move(out));
}

Result<Value> unique_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "unique", {"case_sensitive", "attribute"}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  CAIRN_TRY(const auto keys, keys_of(machine, all, given[1], flag_of(given[0], false)));
  Dict seen;
  std::vector<Value> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_key(keys[i]))
      return machine.fault("'unique' cannot compare a " + std::string(type_name(keys[i])));
    CAIRN_CHECK(machine.spend_key(keys[i]));
    if (seen.find(keys[i]) != nullptr) continue;
    seen.set(keys[i], none_value());
    out.push_back(all[i]);
  }
  return machine.heap.list(std::move(out));
}

Result<Value> reverse_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "reverse", {}));
  if (value.is_text()) {
    const Value back = integer_value(-1);
    return slice_of(machine, value, nullptr, nullptr, &back);
  }
  CAIRN_TRY(auto all, elements_of(machine, value));
  std::reverse(all.begin(), all.end());
  return machine.heap.list(std::move(all));
}

/// The best element: below 0 the least, above 0 the greatest; the first of equal ones.
Result<Value> extreme(Machine& machine, const Value& value, const Arguments& arguments, int side) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "min", {"case_sensitive", "attribute"}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  CAIRN_TRY(const auto keys, keys_of(machine, all, given[1], flag_of(given[0], false)));
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    CAIRN_TRY(const int order, compare(machine, keys[i], keys[best]));
    if (order != 2 && order * side > 0) best = i;
  }
  return all.empty() ? undefined_value(nullptr) : all[best];
}

Result<Value> min_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  return extreme(machine, value, arguments, -1);
}
Result<Value> max_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  return extreme(machine, value, arguments, 1);
}

Result<Value> sum_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "sum", {"attribute", "start"}));
  CAIRN_TRY(const auto all, elements_of(machine, value));
  Value out = given[1] == nullptr ? integer_value(0) : *given[1];
  for (const Value& one : all) {
    Value part = one;
    if (given[0] != nullptr && !given[0]->is(Value::Kind::none)) {
      CAIRN_TRY(part, value_at(machine, one, *given[0]));
    }
    if (out.is_text()) return machine.fault("'sum' adds no strings: use join");
    CAIRN_TRY(out, arithmetic(machine, "+", out, part));
  }
  return out;
}

/// The arguments behind the first `count`.
Arguments behind(const Arguments& arguments, std::size_t count) {
  Arguments out = arguments;
  out.values.erase(out.values.begin(), out.values.begin() + static_cast<std::ptrdiff_t>(count));
  return out;
}

Result<Value> map_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  if (!is_true(value)) return machine.heap.list({});  // as Jinja: not even looked at
  CAIRN_TRY(const auto all, elements_of(machine, value));
  std::vector<Value> out;
  if (arguments.positional() == 0) {
    CAIRN_TRY(const auto given, arguments.bind(machine, "map", {"attribute", "default"}));
    if (given[0] == nullptr) return machine.fault("'map' needs a filter or attribute=");
    for (const Value& one : all) {
      CAIRN_TRY(Value part, value_at(machine, one, *given[0], given[1]));
      out.push_back(std::move(part));
    }
    return machine.heap.list(std::move(out));
  }
  const std::string_view name = arguments.values[0].bytes();
  const FilterRule rule = find_filter(name);
  if (!arguments.values[0].is_text() || rule == nullptr || name == "map")
    return machine.fault("there is no filter named '" + shown_name(name) + "' for 'map'");
  const Arguments rest = behind(arguments, 1);
  for (const Value& one : all) {
    CAIRN_TRY(Value changed, rule(machine, one, rest));
    out.push_back(std::move(changed));
  }
  return machine.heap.list(std::move(out));
}

Result<Value> chosen(Machine& machine, const Value& value, const Arguments& arguments,
                     bool by_attribute, bool wanted) {
  if (!is_true(value)) return machine.heap.list({});
  CAIRN_TRY(const auto all, elements_of(machine, value));
  const std::size_t skipped = by_attribute ? 1 : 0;
  if (arguments.positional() < skipped) return machine.fault("'selectattr' needs an attribute");
  TestRule rule = nullptr;
  Arguments rest;
  if (arguments.positional() > skipped) {
    const Value& name = arguments.values[skipped];
    rule = name.is_text() ? find_test(name.bytes()) : nullptr;
    if (rule == nullptr)
      return machine.fault("there is no test named '" + shown_name(name.bytes()) + "'");
    rest = behind(arguments, skipped + 1);
  }
  std::vector<Value> out;
  for (const Value& one : all) {
    Value part = one;
    if (by_attribute) {
      CAIRN_TRY(part, value_at(machine, one, arguments.values[0]));
    }
    bool fits = is_true(part);
    if (rule != nullptr) {
      CAIRN_TRY(fits, rule(machine, part, rest));
    }
    if (fits == wanted) out.push_back(one);
  }
  return machine.heap.list(std::move(out));
}

template <bool by_attribute, bool wanted>
Result<Value> choosing_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  return chosen(machine, value, arguments, by_attribute, wanted);
}

constexpr NamedFilter sequence_filters[] = {
    {"length", &length_filter},
    {"count", &length_filter},
    {"join", &join_filter},
    {"first", &first_filter},
    {"last", &last_filter},
    {"list", &list_filter},
    {"items", &items_filter},
    {"dictsort", &dictsort_filter},
    {"sort", &sort_filter},
    {"unique", &unique_filter},
    {"reverse", &reverse_filter},
    {"min", &min_filter},
    {"max", &max_filter},
    {"sum", &sum_filter},
    {"map", &map_filter},
    {"select", &choosing_filter<false, true>},
    {"reject", &choosing_filter<false, false>},
    {"selectattr", &choosing_filter<true, true>},
    {"rejectattr", &choosing_filter<true, false>},
};

}  // namespace

FilterRule find_sequence_filter(std::string_view name) {
  for (const auto& [known, rule] : sequence_filters)
    if (known == name) return rule;
  return nullptr;
}

}  // namespace cairn::inference::templates
