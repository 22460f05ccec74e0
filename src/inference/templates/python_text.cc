// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/letters.h"

namespace cairn::inference::templates {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i)
    out += hex_digits[value >> (4U * static_cast<unsigned>(i)) & 15U];
}

/// Writes a string character by character; `escaped` appends what a character becomes, or gives
/// false where it stays. Ends early where that becomes huge.
template <class Escaped>
void append_escaped(const Text& text, Text& out, Escaped escaped) {
  text.for_each_run([&](std::string_view bytes, Origin origin) {
    std::string changed;
    std::size_t kept = 0;
    for (std::size_t at = 0; at < bytes.size() && out.size() <= most_string_bytes;) {
      const std::size_t begin = at;
      const char32_t c = next_character(bytes, at);
      changed.clear();
      if (!escaped(c, changed)) continue;
      out.append(bytes.substr(kept, begin - kept), origin);
      out.append(changed, origin);
      kept = at;
    }
    if (out.size() <= most_string_bytes) out.append(bytes.substr(kept), origin);
  });
}

void append_string_repr(const Text& text, Text& out) {
  const std::string_view bytes = text.bytes();
  const bool doubled =
      bytes.find('\'') != std::string_view::npos && bytes.find('"') == std::string_view::npos;
  const char quote = doubled ? '"' : '\'';
  out.append(std::string_view(&quote, 1), Origin::value);
  append_escaped(text, out, [quote](char32_t c, std::string& changed) {
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      changed = {'\\', static_cast<char>(c)};
    } else if (c == '\n' || c == '\r' || c == '\t') {
      changed = c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (c < 0x80 ? c < 0x20 || c == 0x7f : !text::is_printable(c)) {
      changed = c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U";
      append_hex(changed, c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
    }
    return !changed.empty();
  });
  out.append(std::string_view(&quote, 1), Origin::value);
}

void append_json_text(const Text& text, bool ascii_only, Text& out) {
  out.append("\"", Origin::value);
  append_escaped(text, out, [ascii_only](char32_t c, std::string& changed) {
    static constexpr std::string_view letters = "\"\\\n\r\t\f\b";
    static constexpr std::string_view meanings = "\"\\nrtfb";
    if (c < 0x80) {
      const auto known = letters.find(static_cast<char>(c));
      if (known != std::string_view::npos) {
        changed = {'\\', meanings[known]};
      } else if (c < 0x20) {
        changed = "\\u";
        append_hex(changed, c, 4);
      }
    } else if (ascii_only) {
      const auto unit = [&](std::uint32_t value) {
        changed += "\\u";
        append_hex(changed, value, 4);
      };
      if (c >= 0x10000) {
        unit(0xd7c0U + (c >> 10U));
        unit(0xdc00U + (c & 0x3ffU));
      } else {
        unit(c);
      }
    }
    return !changed.empty();
  });
  out.append("\"", Origin::value);
}

Status append_items_repr(Machine& machine, const std::vector<Value>& items, std::string_view open,
                         std::string_view close, Text& out, int depth) {
  out.append(open, Origin::value);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(", ", Origin::value);
    CAIRN_CHECK(append_repr(machine, items[i], out, depth + 1));
  }
  out.append(close, Origin::value);
  return ok_status();
}

Status append_dict_repr(Machine& machine, const Dict& dict, Text& out, int depth) {
  out.append("{", Origin::value);
  bool first = true;
  for (const auto& [key, value] : dict.items()) {
    if (!first) out.append(", ", Origin::value);
    first = false;
    CAIRN_CHECK(append_repr(machine, key, out, depth + 1));
    out.append(": ", Origin::value);
    CAIRN_CHECK(append_repr(machine, value, out, depth + 1));
  }
  out.append("}", Origin::value);
  return ok_status();
}

std::string plain_json(const Value& value) {
  if (value.is(Value::Kind::none)) return "null";
  if (value.is(Value::Kind::boolean)) return value.boolean ? "true" : "false";
  if (value.is(Value::Kind::integer)) return std::to_string(value.integer);
  if (std::isnan(value.number)) return "NaN";
  if (std::isinf(value.number)) return value.number > 0 ? "Infinity" : "-Infinity";
  return spelled(value.number);
}

/// A line for the next element, where the style wants lines.
void new_line(const JsonStyle& style, int depth, Text& out) {
  if (!style.pretty) return;
  std::string line = "\n";
  for (int i = 0; i < depth; ++i) line += style.indent;
  out.append(line, Origin::value);
}

/// What stands around an element. What was written so far is refused where it is huge.
Status pay_for_element(Machine& machine, const JsonStyle& style, const Text& out, int depth) {
  const std::size_t levels = style.pretty ? static_cast<std::size_t>(depth) + 1 : 0;
  CAIRN_CHECK(machine.spend_bytes(style.item_separator.size() + style.key_separator.size() +
                                  style.indent.size() * levels));
  return machine.keep_within(out);
}

Status append_json_list(Machine& machine, const std::vector<Value>& items, const JsonStyle& style,
                        Text& out, int depth) {
  out.append("[", Origin::value);
  for (std::size_t i = 0; i < items.size(); ++i) {
    CAIRN_CHECK(pay_for_element(machine, style, out, depth));
    if (i > 0) out.append(style.item_separator, Origin::value);
    new_line(style, depth + 1, out);
    CAIRN_CHECK(append_json(machine, items[i], style, out, depth + 1));
  }
  if (!items.empty()) new_line(style, depth, out);
  out.append("]", Origin::value);
  return ok_status();
}

Status append_json_dict(Machine& machine, const Dict& dict, const JsonStyle& style, Text& out,
                        int depth) {
  std::vector<const Dict::Item*> items;
  for (const auto& item : dict.items()) items.push_back(&item);
  if (style.sorted) {
    for (const auto* item : items)
      if (!item->first.is_text()) return machine.fault("only keys that are strings can be sorted");
    std::stable_sort(items.begin(), items.end(), [](const auto* a, const auto* b) {
      return a->first.bytes() < b->first.bytes();
    });
  }
  out.append("{", Origin::value);
  for (std::size_t i = 0; i < items.size(); ++i) {
    CAIRN_CHECK(pay_for_element(machine, style, out, depth));
    if (i > 0) out.append(style.item_separator, Origin::value);
    new_line(style, depth + 1, out);
    const Value& key = items[i]->first;
    CAIRN_CHECK(machine.spend_bytes(key.bytes().size()));
    append_json_text(key.is_text() ? *key.text : Text(plain_json(key), Origin::value),
                     style.ascii_only, out);
    CAIRN_CHECK(machine.keep_within(out));
    out.append(style.key_separator, Origin::value);
    CAIRN_CHECK(append_json(machine, items[i]->second, style, out, depth + 1));
  }
  if (!items.empty()) new_line(style, depth, out);
  out.append("}", Origin::value);
  return ok_status();
}

}  // namespace

std::string spelled(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto* end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string_view whole(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = whole.find('e');
  int power = 0;
  std::from_chars(whole.data() + mark + (whole[mark + 1] == '+' ? 2 : 1), end, power);
  if (power < -4 || power >= 16) {
    std::string out(whole.substr(0, mark + 2));
    const int size = std::abs(power);
    return out + (size < 10 ? "0" : "") + std::to_string(size);
  }
  char fixed[400];
  std::string out(fixed,
                  std::to_chars(fixed, fixed + sizeof fixed, number, std::chars_format::fixed).ptr);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

std::string_view type_name(const Value& value) {
  static constexpr std::array<std::string_view, 14> names = {
      "Undefined", "NoneType", "bool",      "int",  "float", "str",    "list",
      "tuple",     "dict",     "Namespace", "loop", "macro", "method", "function"};
  return names[static_cast<std::size_t>(value.kind)];
}

Status append_str(Machine& machine, const Value& value, Text& out) {
  if (value.is(Value::Kind::undefined)) return ok_status();
  if (!value.is_text()) return append_repr(machine, value, out);
  CAIRN_CHECK(machine.spend_text(*value.text));
  out.append(*value.text);
  return ok_status();
}

Result<Value> to_str(Machine& machine, const Value& value) {
  if (value.is_text()) return value;
  Text out;
  CAIRN_CHECK(append_str(machine, value, out));
  return text_value(std::move(out));
}

Status append_repr(Machine& machine, const Value& value, Text& out, int depth) {
  if (depth > most_nested_values) return machine.fault("a value is nested too deep to be written");
  CAIRN_CHECK(machine.spend_bytes(value.is_text() ? value.text->size() : 0));
  switch (value.kind) {
    case Value::Kind::undefined:
      out.append("Undefined", Origin::value);
      return ok_status();
    case Value::Kind::none:
      out.append("None", Origin::value);
      return ok_status();
    case Value::Kind::boolean:
      out.append(value.boolean ? "True" : "False", Origin::value);
      return ok_status();
    case Value::Kind::integer:
      out.append(std::to_string(value.integer), Origin::value);
      return ok_status();
    case Value::Kind::number:
      out.append(spelled(value.number), Origin::value);
      return ok_status();
    case Value::Kind::string:
      CAIRN_CHECK(machine.spend(value.text->borders() / 16));
      append_string_repr(*value.text, out);
      return machine.keep_within(out);
    case Value::Kind::list:
      return append_items_repr(machine, value.list->items, "[", "]", out, depth);
    case Value::Kind::tuple:
      return append_items_repr(machine, value.list->items, "(",
                               value.list->items.size() == 1 ? ",)" : ")", out, depth);
    case Value::Kind::dict:
      return append_dict_repr(machine, *value.dict, out, depth);
    case Value::Kind::name_space:
      out.append("<Namespace ", Origin::value);
      CAIRN_CHECK(append_dict_repr(machine, *value.dict, out, depth));
      out.append(">", Origin::value);
      return ok_status();
    default:
      return machine.fault("a " + std::string(type_name(value)) + " cannot be written");
  }
}

Status append_json(Machine& machine, const Value& value, const JsonStyle& style, Text& out,
                   int depth) {
  if (depth > most_nested_values) return machine.fault("a value is nested too deep for JSON");
  CAIRN_CHECK(machine.spend_bytes(value.is_text() ? value.text->size() : 0));
  switch (value.kind) {
    case Value::Kind::none:
    case Value::Kind::boolean:
    case Value::Kind::integer:
    case Value::Kind::number:
      out.append(plain_json(value), Origin::value);
      return ok_status();
    case Value::Kind::string:
      CAIRN_CHECK(machine.spend(value.text->borders() / 16));
      append_json_text(*value.text, style.ascii_only, out);
      return machine.keep_within(out);
    case Value::Kind::list:
    case Value::Kind::tuple:
      return append_json_list(machine, value.list->items, style, out, depth);
    case Value::Kind::dict:
      return append_json_dict(machine, *value.dict, style, out, depth);
    default: {
      const std::string name = value.is(Value::Kind::undefined) && !value.bytes().empty()
                                   ? ": '" + shown_name(value.bytes()) + "' is undefined"
                                   : "";
      return machine.fault("a value of type " + std::string(type_name(value)) + " cannot be JSON" +
                           name);
    }
  }
}

}  // namespace cairn::inference::templates
