// SPDX-License-Identifier: Apache-2.0
// The interpreter: the operations of texts, lists and maps, and of values of any type.
#include <algorithm>

#include "base/strings.h"
#include "script/methods.h"
#include "script/operations.h"
#include "script/script.h"

namespace cairn::script {
namespace {

bool can_be_key(Type type) {
  return type == Type::null || is_primitive(type) || type == Type::string;
}

}  // namespace

bool Run::slow(const Op& op, const Op*& next) {
  Value* const r = registers_;
  switch (op.code) {
    case Code::convert:
    case Code::require:
      return convert(*this, r[op.b], static_cast<Type>(op.c), op.code == Code::convert, r[op.a]);
    case Code::negate:
      return apply(*this, Code::mul, r[op.b], Value::of(std::int32_t{-1}), r[op.a]);
    case Code::complement:
      return apply(*this, Code::xor_, r[op.b], Value::of(std::int32_t{-1}), r[op.a]);
    case Code::plus:
      if (!is_number(r[op.b].type))
        return fail("class_cast_exception", "Cannot apply [+] operation to type [" +
                                                std::string(class_of(r[op.b].type)) + "]");
      r[op.a] = r[op.b];
      return true;
    case Code::is_a: {
      const auto wanted = static_cast<Type>(op.c);
      const Type type = r[op.b].type;
      r[op.a] = Value::of(wanted == Type::void_  ? is_number(type)
                          : wanted == Type::def ? type != Type::null
                                                : type == wanted);
      return true;
    }
    case Code::each: {
      const auto& items = items_of(r[op.b]);
      Value& place = r[op.b + 1];
      if (static_cast<std::size_t>(place.whole) >= items.size()) {
        next = code_.ops.data() + op.c;
        return true;
      }
      r[op.a] = items[static_cast<std::size_t>(place.whole++)];
      return true;
    }
    case Code::to_list: {
      Value list;
      if (!elements_of(*this, r[op.b], list)) return false;
      // A new list of them, or the list itself.
      if (op.c == 1) {
        if (!work(items_of(list).size())) return false;
        list = heap_.list(items_of(list));
      }
      r[op.a] = list;
      break;
    }
    case Code::new_list:
      r[op.a] = heap_.list({});
      break;
    case Code::new_map:
      r[op.a] = Value::object_of(Type::map, heap_.make());
      break;
    case Code::append:
      r[op.a].object->items.push_back(r[op.b]);
      heap_.count(sizeof(Value));
      break;
    case Code::put:
      if (!set_element(r[op.a], r[op.b], r[op.c])) return false;
      break;
    case Code::set_element:
      if (!set_element(r[op.a], r[op.b], r[op.c])) return false;
      break;
    case Code::element: {
      Value out;
      if (!element(r[op.b], r[op.c], out)) return false;
      r[op.a] = out;
      break;
    }
    case Code::member:
      return member(op);
    case Code::call:
      if (!call_site(op)) return false;
      break;
    case Code::call_static:
      if (!static_function(static_cast<std::size_t>(op.c)).face(*this, &r[op.a])) return false;
      break;
    case Code::open_field: {
      if (r[op.b].is_null()) return fail("null_pointer_exception", "the name of a field is null");
      const auto found = std::find_if(fields().begin(), fields().end(), [&](const UsedField& one) {
        return one.name == text_of(r[op.b]);
      });
      if (op.c == 1) {
        r[op.a] = Value::of(found != fields().end());
        return true;
      }
      if (found == fields().end())
        return fail("illegal_argument_exception",
                    "No field found for [" + std::string(text_of(r[op.b])) +
                        "] in mapping, or its name is none of the texts in the script and its "
                        "[params]");
      r[op.a] = Value::whole_of(Type::field, found - fields().begin());
      return true;
    }
    case Code::compare_vectors:
      return compare_vectors(op, next);
    case Code::emit:
      return emit(r[op.b]);
    case Code::source:
      if (!read_source(op)) return false;
      break;
    case Code::fail: {
      const auto& [type, reason] = code_.faults[static_cast<std::size_t>(op.c)];
      return fail(type, reason);
    }
    case Code::first_boolean:
    case Code::first_date:
    case Code::first_value:
    case Code::count_values:
    case Code::is_empty:
    case Code::chance:
      if (!document_value(op)) return false;
      break;
    default: {
      Value out;
      if (!apply(*this, op.code, r[op.b], r[op.c], out)) return false;
      r[op.a] = out;
    }
  }
  if (!heap_.is_full()) return true;
  return fail("circuit_breaking_exception", "a script may make texts, lists and maps of [" +
                                                std::to_string(heap_.bytes_max()) +
                                                "] bytes together");
}

// A site mostly calls the method that it called last.
const Method* Run::found(const Site& site, Type type) {
  if (site.method != nullptr && site.method->of == type) return site.method;
  Last& last = last_[static_cast<std::size_t>(&site - code_.sites.data())];
  if (last.type != type) last = {type, find_method(type, site.name, site.arguments)};
  return last.method;
}

bool Run::call_site(const Op& op) {
  const Site& site = code_.sites[static_cast<std::size_t>(op.c)];
  Value* const self = &registers_[op.a];
  if (self->is_null())
    return fail("null_pointer_exception",
                "Cannot invoke [" + site.name + "]: the value before it is null");
  const Method* method = found(site, self->type);
  if (method == nullptr)
    return fail("illegal_argument_exception",
                "dynamic method [" + std::string(class_of(self->type)) + ", " + site.name + "/" +
                    std::to_string(site.arguments) + "] not found");
  return method->face(*this, self);
}

bool Run::member(const Op& op) {
  const Site& site = code_.sites[static_cast<std::size_t>(op.c)];
  const Value object = registers_[op.b];
  Value& out = registers_[op.a];
  if (object.is_null())
    return fail("null_pointer_exception",
                "Cannot access [" + site.name + "]: the value before it is null");
  Last& last = last_[static_cast<std::size_t>(&site - code_.sites.data())];
  if (last.type != object.type) {
    std::string name = site.name;
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    const Method* method = find_method(object.type, "get" + name, 0);
    if (method == nullptr) method = find_method(object.type, "is" + name, 0);
    last = {object.type, method};
  }
  if (last.method != nullptr) {
    out = object;
    return last.method->face(*this, &out);
  }
  if (object.type == Type::map) {
    Object key{.text = site.name};
    const Value* found = object.object->find(Value::object_of(Type::string, &key));
    out = found == nullptr ? Value() : *found;
    return true;
  }
  if (const auto place = parse_number<std::int32_t>(site.name); place && object.type == Type::list)
    return element(object, Value::of(*place), out);
  return fail("illegal_argument_exception", "dynamic getter [" +
                                                std::string(class_of(object.type)) + ", " +
                                                site.name + "] not found");
}

bool Run::element(const Value& object, const Value& key, Value& out) {
  if (object.is_null()) return fail("null_pointer_exception", "a value that is null has no elements");
  if (object.type == Type::map) {
    if (!can_be_key(key.type))
      return fail("illegal_argument_exception", "keys of maps are texts, numbers and booleans here");
    const Value* found = object.object->find(key);
    out = found == nullptr ? Value() : *found;
    return true;
  }
  if (object.type != Type::list && object.type != Type::field && object.type != Type::vector)
    return fail("illegal_argument_exception", "Attempting to address a non-array-like type [" +
                                                  std::string(class_of(object.type)) +
                                                  "] as an array.");
  if (key.type != Type::int_)
    return fail("class_cast_exception", "Cannot cast from [" + std::string(class_of(key.type)) +
                                            "] to [int].");
  const bool is_list = object.type == Type::list;
  const auto count = static_cast<std::int64_t>(
      is_list ? items_of(object).size()
              : object.type == Type::vector ? object.object->numbers.size()
                                            : field_count(*this, static_cast<std::size_t>(object.whole)));
  if (object.type == Type::field && count == 0) return missing_value();
  std::int64_t at = key.whole;
  if (at < 0 && is_list) at += count;  // from the end
  if (at < 0 || at >= count)
    return fail("index_out_of_bounds_exception", "Index " + std::to_string(at) +
                                                     " out of bounds for length " +
                                                     std::to_string(count));
  const auto place = static_cast<std::size_t>(at);
  if (is_list)
    out = items_of(object)[place];
  else if (object.type == Type::vector)
    out = Value::of(object.object->numbers[place]);
  else
    out = field_value(*this, static_cast<std::size_t>(object.whole), place);
  return true;
}

bool Run::set_element(Value& object, const Value& key, const Value& value) {
  if (object.is_null()) return fail("null_pointer_exception", "a value that is null has no elements");
  if (object.type != Type::map && object.type != Type::list)
    return fail("illegal_argument_exception", "Attempting to address a non-array-like type [" +
                                                  std::string(class_of(object.type)) +
                                                  "] as an array.");
  if (object.object->fixed)
    return fail("unsupported_operation_exception",
                "[params] are read-only: make a list or a map of your own");
  if (object.type == Type::map) {
    if (!can_be_key(key.type))
      return fail("illegal_argument_exception", "keys of maps are texts, numbers and booleans here");
    heap_.count(96);  // an entry, and the place of its key
    object.object->put(key, value);
    return true;
  }
  Value old;
  if (!element(object, key, old)) return false;
  const auto count = static_cast<std::int64_t>(items_of(object).size());
  object.object->items[static_cast<std::size_t>(key.whole < 0 ? key.whole + count : key.whole)] = value;
  return true;
}

}  // namespace cairn::script
