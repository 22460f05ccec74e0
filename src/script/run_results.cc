// SPDX-License-Identifier: Apache-2.0
// What runs bring from the source of a document, and what they give for it: emitted values, JSON.
#include <algorithm>

#include "format/time.h"
#include "script/operations.h"
#include "script/script.h"
#include "script/utf16.h"

namespace cairn::script {
namespace {

constexpr std::size_t results_depth_max = 100;  // of lists and maps in one another

std::size_t letters_of(std::string_view text) {
  return is_ascii(text) ? text.size() : to_utf16(text).size();
}

}  // namespace

void Emitted::clear() {
  whole.clear();
  real.clear();
  texts.clear();
  letters = 0;
}

bool Run::emitted(Emitted& out) {
  out.clear();
  emitted_ = &out;
  Value nothing;
  const bool done = execute(0, nothing);
  emitted_ = nullptr;
  return done;
}

bool Run::emit(const Value& value) {
  Emitted& out = *emitted_;
  const Limits& limits = program_.limits();
  const auto too_much = [&](std::size_t count, const char* of, std::size_t most) {
    return fail("illegal_argument_exception",
                "Runtime field [" + out.field + "] is emitting [" + std::to_string(count) + "] " + of +
                    " while the maximum number of values allowed is [" + std::to_string(most) + "]");
  };
  if (out.size() >= limits.emitted_values)
    return too_much(out.size() + 1, "values", limits.emitted_values);
  switch (program_.use()) {
    case Use::emit_double:
      out.real.push_back(value.real);
      return true;
    case Use::emit_keyword: {
      if (value.is_null()) return fail("null_pointer_exception", "[emit] takes a text, and not null");
      const std::string_view text = text_of(value);
      out.letters += letters_of(text);
      if (out.letters > limits.emitted_letters)
        return too_much(out.letters, "characters", limits.emitted_letters);
      out.texts.emplace_back(text);
      return work(text.size());
    }
    default:
      out.whole.push_back(value.whole);
      return true;
  }
}

bool Run::read_source(const Op& op) {
  const Json* json = document_.source();
  if (json == nullptr)
    return steps_.status().ok() &&
           fail("illegal_argument_exception", "the source of the document cannot be read here");
  const Value name = registers_[op.b];
  if (!name.is_null()) json = json->find(text_of(name));
  Value out;
  if (json != nullptr && !value_of(*json, out, 0)) return false;
  registers_[op.a] = out;
  return true;
}

// Numbers are ints where they fit, as a reader of JSON in the language has them.
bool Run::value_of(const Json& json, Value& out, std::size_t depth) {
  if (!work(1) || heap_.is_full()) return steps_.status().ok();  // the operation says that it is full
  switch (json.type()) {
    case Json::Type::null:
      out = {};
      return true;
    case Json::Type::boolean:
      out = Value::of(json.as_bool());
      return true;
    case Json::Type::integer:
    case Json::Type::unsigned_integer: {
      const std::int64_t v = json.as_int();
      out = v == static_cast<std::int32_t>(v) ? Value::whole_of(Type::int_, v) : Value::of(v);
      return true;
    }
    case Json::Type::number:
      out = Value::of(json.as_double());
      return true;
    case Json::Type::string:
      out = heap_.text(json.as_string());
      out.object->fixed = true;
      return work(json.as_string().size());
    case Json::Type::array: {
      out = heap_.list({});
      out.object->fixed = true;
      for (const Json& element : json.as_array()) {
        Value one;
        if (!value_of(element, one, depth + 1)) return false;
        out.object->items.push_back(one);
        heap_.count(sizeof(Value));
      }
      return true;
    }
    case Json::Type::object: {
      out = Value::object_of(Type::map, heap_.make());
      for (const auto& [member, value] : json.as_object()) {
        Value key = heap_.text(member), one;
        key.object->fixed = true;
        if (!value_of(value, one, depth + 1)) return false;
        out.object->put(key, one);
        heap_.count(4 * sizeof(Value));
      }
      out.object->fixed = true;
      return true;
    }
  }
  return true;
}

bool Run::json(Json& out) {
  Value value;
  out = {};
  return execute(0, value) && json_of(value, out, 0);
}

bool Run::json_of(const Value& value, Json& out, std::size_t depth) {
  // Objects may stand in one another many times: what is shown of them counts as what is made.
  heap_.count(sizeof(Json) + (value.type == Type::string ? text_of(value).size() : 0));
  if (!work(1)) return false;
  if (depth > results_depth_max || heap_.is_full())
    return fail("illegal_argument_exception",
                "what the script gives back is too large, or too deep in itself");
  switch (value.type) {
    case Type::null:
    case Type::void_:
      out = {};
      return true;
    case Type::boolean:
      out = value.whole != 0;
      return true;
    case Type::int_:
    case Type::long_:
      out = value.whole;
      return true;
    case Type::float_:
      out = static_cast<float>(value.real);
      return true;
    case Type::double_:
      out = value.real;
      return true;
    case Type::date:
    case Type::instant:
      out = format_iso8601(value.whole);
      return true;
    case Type::map: {
      Json::Object members;
      for (const auto& [key, one] : value.object->entries) {
        std::string name;
        Json shown;
        if (!append_text(*this, key, name) || !json_of(one, shown, depth + 1)) return false;
        members.emplace_back(std::move(name), std::move(shown));
      }
      out = Json(std::move(members));
      return true;
    }
    case Type::list:
    case Type::field:
    case Type::vector: {
      Value list;
      if (!elements_of(*this, value, list)) return false;
      Json::Array items;
      for (const Value& one : items_of(list)) {
        Json shown;
        if (!json_of(one, shown, depth + 1)) return false;
        items.push_back(std::move(shown));
      }
      out = Json(std::move(items));
      return true;
    }
    default: {
      std::string text;
      if (!append_text(*this, value, text)) return false;
      out = std::move(text);
      return true;
    }
  }
}

}  // namespace cairn::script
