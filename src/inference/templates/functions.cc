// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/functions.h"

#include <ctime>

#include <array>

#include "inference/errors.h"
#include "inference/templates/methods.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"

namespace cairn::inference::templates {
namespace {

constexpr std::int64_t longest_range = 100'000;

Result<Value> range_function(Machine& machine, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "range", {"start", "stop", "step"}));
  if (given[0] == nullptr) return machine.fault("'range' needs a number");
  for (const Value* one : given)
    if (one != nullptr && !one->is_integral())
      return machine.fault("'range' needs integers, not " + std::string(type_name(*one)));
  const std::int64_t start = given[1] == nullptr ? 0 : given[0]->as_integer();
  const std::int64_t stop = (given[1] == nullptr ? given[0] : given[1])->as_integer();
  const std::int64_t step = given[2] == nullptr ? 1 : given[2]->as_integer();
  if (step == 0) return machine.fault("'range' cannot have steps of zero");
  std::vector<Value> out;
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop;) {
    if (static_cast<std::int64_t>(out.size()) == longest_range)
      return machine.too_large("a range has more than 100000 numbers");
    CAIRN_CHECK(machine.spend(1));
    out.push_back(integer_value(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return machine.heap.list(std::move(out), false);
}

/// The template's own words, for whoever sent the messages.
Result<Value> raise_function(Machine& machine, const Arguments& arguments) {
  constexpr std::size_t most_bytes = 1024;
  CAIRN_TRY(const auto given, arguments.bind(machine, "raise_exception", {"message"}));
  Text message;
  if (given[0] != nullptr) CAIRN_CHECK(append_str(machine, *given[0], message));
  std::size_t end = std::min(message.size(), most_bytes);
  while (end > 0 && end < message.size() && !starts_character(message.bytes()[end])) --end;
  return bad_request(std::string(message.bytes().substr(0, end)))
      .with_detail("line", std::to_string(machine.place.line))
      .with_detail("col", std::to_string(machine.place.column));
}

Result<Value> time_function(Machine& machine, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "strftime_now", {"format"}));
  if (given[0] == nullptr || !given[0]->is_text())
    return machine.fault("'strftime_now' needs a format");
  if (given[0]->text->size() > 256) return machine.fault("'strftime_now' takes at most 256 bytes");
  const std::string format(given[0]->bytes());
  std::tm time{};
  const std::time_t now = machine.now_s;
  ::gmtime_r(&now, &time);
  std::array<char, 8192> out{};
  const std::size_t size = std::strftime(out.data(), out.size(), format.c_str(), &time);
  // What is not of conversions is the format's own text.
  Origin origin = Origin::source;
  given[0]->text->for_each_run([&](std::string_view, Origin of_run) {
    if (of_run != Origin::source) origin = of_run;
  });
  return text_value(std::string_view(out.data(), size), origin);
}

/// From a dict, pairs, and arguments with names.
Result<Value> dict_function(Machine& machine, const Arguments& arguments, Value::Kind kind) {
  const Value out = machine.heap.dict(kind);
  if (arguments.positional() > 1) return machine.fault("'dict' takes one dict, and named values");
  if (arguments.positional() == 1) {
    const Value& from = arguments.values[0];
    if (from.is(Value::Kind::dict)) {
      CAIRN_CHECK(machine.spend(from.dict->items().size()));
      for (const auto& [key, value] : from.dict->items()) {
        CAIRN_CHECK(machine.spend_key(key));
        out.dict->set(key, value);
      }
    } else {
      CAIRN_TRY(const auto pairs, elements_of(machine, from));
      for (const Value& pair : pairs) {
        if (!pair.is_sequence() || pair.list->items.size() != 2 || !is_key(pair.list->items[0]))
          return machine.fault("'dict' needs pairs of a key and a value");
        CAIRN_CHECK(machine.spend_key(pair.list->items[0]));
        out.dict->set(pair.list->items[0], pair.list->items[1]);
      }
    }
  }
  for (std::size_t i = 0; i < arguments.names.size(); ++i) {
    out.dict->set(text_value(arguments.names[i], Origin::source),
                  arguments.values[arguments.positional() + i]);
  }
  return out;
}

}  // namespace

bool is_function_name(std::string_view name) {
  return name == "range" || name == "raise_exception" || name == "strftime_now" ||
         name == "namespace" || name == "dict";
}

Result<Value> call_function(Machine& machine, std::string_view name, const Arguments& arguments) {
  if (name == "range") return range_function(machine, arguments);
  if (name == "raise_exception") return raise_function(machine, arguments);
  if (name == "strftime_now") return time_function(machine, arguments);
  return dict_function(machine, arguments,
                       name == "dict" ? Value::Kind::dict : Value::Kind::name_space);
}

}  // namespace cairn::inference::templates
