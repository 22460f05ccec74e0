// SPDX-License-Identifier: Apache-2.0
// Filters of strings and numbers.
#include "inference/templates/filters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/strings.h"
#include "inference/templates/methods.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"
#include "inference/templates/syntax.h"
#include "text/letters.h"

namespace cairn::inference::templates {
namespace {

bool truth_of(const Value* value, bool otherwise) {
  return value == nullptr ? otherwise : is_true(*value);
}

Result<Value> trim_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "trim", {"chars"}));
  CAIRN_TRY(const Value text, to_str(machine, value));
  CAIRN_CHECK(machine.spend_bytes(text.text->size()));
  if (given[0] == nullptr || given[0]->is(Value::Kind::none))
    return stripped(machine, *text.text, nullptr, Sides::both);
  CAIRN_TRY(const Value which, to_str(machine, *given[0]));
  return stripped(machine, *text.text, which.text.get(), Sides::both);
}

template <Casing casing>
Result<Value> casing_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "upper", {}));
  CAIRN_TRY(const Value text, to_str(machine, value));
  return in_casing(machine, *text.text, casing);
}

/// Words begin after white space, hyphens and opening brackets.
Result<Value> title_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "title", {}));
  CAIRN_TRY(const Value whole, to_str(machine, value));
  CAIRN_CHECK(machine.spend_text(*whole.text));
  const std::string_view bytes = whole.bytes();
  Text out;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) -> Status {
    if (begin == end) return ok_status();
    std::size_t first = begin;
    next_character(bytes, first);
    CAIRN_TRY(const Value large,
              in_casing(machine, whole.text->slice(begin, first), Casing::upper));
    CAIRN_TRY(const Value small, in_casing(machine, whole.text->slice(first, end), Casing::lower));
    out.append(*large.text);
    out.append(*small.text);
    begin = end;
    return ok_status();
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t place = at;
    const char32_t c = next_character(bytes, at);
    if (!is_space(c) && c != '-' && c != '(' && c != '{' && c != '[' && c != '<') continue;
    CAIRN_CHECK(end_word(place));
    out.append(*whole.text, place, at);
    begin = at;
  }
  CAIRN_CHECK(end_word(bytes.size()));
  return text_value(std::move(out));
}

Result<Value> string_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "string", {}));
  return to_str(machine, value);
}

Result<Value> safe_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "safe", {}));
  return to_str(machine, value);
}

Result<Value> escape_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "escape", {}));
  CAIRN_TRY(const Value whole, to_str(machine, value));
  CAIRN_CHECK(machine.spend_text(*whole.text));
  Text out;
  whole.text->for_each_run([&](std::string_view bytes, Origin origin) {
    std::string changed;
    for (const char c : bytes) {
      if (c == '&')
        changed += "&amp;";
      else if (c == '<')
        changed += "&lt;";
      else if (c == '>')
        changed += "&gt;";
      else if (c == '"')
        changed += "&#34;";
      else if (c == '\'')
        changed += "&#39;";
      else
        changed += c;
    }
    if (out.size() <= most_string_bytes) out.append(changed, origin);
  });
  CAIRN_CHECK(machine.spend_bytes(out.size()));
  return text_value(std::move(out));
}

Result<Value> replace_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "replace", {"old", "new", "count"}));
  if (given[0] == nullptr || given[1] == nullptr)
    return machine.fault("'replace' needs what to replace, and by what");
  CAIRN_TRY(const Value text, to_str(machine, value));
  CAIRN_TRY(const Value old, to_str(machine, *given[0]));
  CAIRN_TRY(const Value fresh, to_str(machine, *given[1]));
  CAIRN_TRY(const std::int64_t most, integer_argument(machine, given[2], -1));
  return replaced(machine, *text.text, old.bytes(), *fresh.text, most);
}

Result<Value> indent_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "indent", {"width", "first", "blank"}));
  if (value.is(Value::Kind::undefined)) return undefined_error(machine, value);
  if (!value.is_text())
    return machine.fault("'indent' needs a string, not " + std::string(type_name(value)));
  const Value& text = value;
  Text indent;
  if (given[0] != nullptr && given[0]->is_text()) {
    CAIRN_CHECK(machine.spend_text(*given[0]->text));
    indent = *given[0]->text;
  } else {
    CAIRN_TRY(const std::int64_t width, integer_argument(machine, given[0], 4));
    if (width > 0) CAIRN_CHECK(machine.spend_bytes(static_cast<std::uint64_t>(width)));
    indent.append(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '),
                  Origin::source);
  }
  const bool blank = truth_of(given[2], false);
  CAIRN_CHECK(machine.spend_text(*text.text));
  Text whole = *text.text;
  whole.append("\n", Origin::value);
  Text out;
  bool is_first = true;
  LineReader lines(whole.bytes());
  for (std::size_t begin = 0, end = 0; lines.next(begin, end); is_first = false) {
    CAIRN_CHECK(machine.spend_text(indent));
    if (!is_first) out.append("\n", Origin::value);
    const bool indented = is_first ? truth_of(given[1], false) : blank || begin < end;
    if (indented) out.append(indent);
    out.append(whole, begin, end);
    CAIRN_CHECK(machine.keep_within(out));
  }
  return text_value(std::move(out));
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && ((text[at] >= '0' && text[at] <= '9') ||
                                  ((text[at] | 0x20) >= 'a' && (text[at] | 0x20) <= 'f'));
    };
    if (text[i] == '_' && i > 0 && digit(i - 1) && digit(i + 1)) continue;
    out += text[i];
  }
  return out;
}

/// int(text, base), or nothing where Python raises.
std::optional<std::int64_t> integer_of(std::string_view text, int base) {
  text = text.substr(0, without_space_at_end(text));
  text.remove_prefix(space_at_start(text));
  std::string digits = without_underscores(text);
  bool minus = false;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    minus = digits[0] == '-';
    digits.erase(0, 1);
  }
  const auto prefix = [&](char letter) {
    return digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == letter;
  };
  if ((base == 16 && prefix('x')) || (base == 8 && prefix('o')) || (base == 2 && prefix('b')))
    digits.erase(0, 2);
  if (digits.empty() || digits[0] == '-') return std::nullopt;
  std::int64_t out = 0;
  const std::string whole = (minus ? "-" : "") + digits;
  const auto [end, fault] = std::from_chars(whole.data(), whole.data() + whole.size(), out, base);
  if (fault != std::errc{} || end != whole.data() + whole.size()) return std::nullopt;
  return out;
}

/// float(text), or nothing where Python raises.
std::optional<double> number_of(std::string_view text) {
  text = text.substr(0, without_space_at_end(text));
  text.remove_prefix(space_at_start(text));
  std::string digits = without_underscores(text);
  if (digits.size() > 400) return std::nullopt;
  if (!digits.empty() && digits[0] == '+') digits.erase(0, 1);
  if (digits.empty() || digits[0] == '+') return std::nullopt;
  double out = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (fault == std::errc::result_out_of_range) return std::strtod(digits.c_str(), nullptr);
  if (fault != std::errc{} || digits.find('(') != std::string::npos) return std::nullopt;
  return out;
}

std::optional<std::int64_t> truncated(double number) {
  if (!(std::abs(number) < 9.2e18)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Result<Value> int_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "int", {"default", "base"}));
  CAIRN_TRY(const std::int64_t base, integer_argument(machine, given[1], 10));
  if (base < 2 || base > 36) return machine.fault("'int' takes bases from 2 to 36");
  if (value.is(Value::Kind::undefined)) return undefined_error(machine, value);
  if (value.is_text()) CAIRN_CHECK(machine.spend_bytes(value.text->size()));
  std::optional<std::int64_t> out;
  if (value.is_integral()) out = value.as_integer();
  if (value.is(Value::Kind::number)) out = truncated(value.number);
  if (value.is_text()) {
    out = integer_of(value.bytes(), static_cast<int>(base));
    if (!out) {
      if (const auto number = number_of(value.bytes())) out = truncated(*number);
    }
  }
  if (out) return integer_value(*out);
  const std::optional<double> number = value.is_text() ? number_of(value.bytes())
                                       : value.is(Value::Kind::number)
                                           ? std::optional<double>(value.number)
                                           : std::nullopt;
  if (number && !std::isnan(*number)) return machine.fault("a number needs more than 64 bits");
  return given[0] == nullptr ? integer_value(0) : *given[0];
}

Result<Value> float_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "float", {"default"}));
  if (value.is(Value::Kind::undefined)) return undefined_error(machine, value);
  if (value.is_numeric()) return number_value(value.as_double());
  if (value.is_text()) {
    CAIRN_CHECK(machine.spend_bytes(value.text->size()));
    if (const auto number = number_of(value.bytes())) return number_value(*number);
  }
  return given[0] == nullptr ? number_value(0) : *given[0];
}

Result<Value> abs_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "abs", {}));
  if (value.is(Value::Kind::number)) return number_value(std::abs(value.number));
  if (value.is_integral())
    return value.as_integer() < 0 ? negative(machine, value) : integer_value(value.as_integer());
  return machine.fault("'abs' needs a number, not " + std::string(type_name(value)));
}

/// Half to even of the exact decimal value, as Python's round().
double rounded(double number, std::int64_t digits) {
  if (!std::isfinite(number) || digits > 300) return number;
  if (digits < -300) return 0.0;
  if (digits < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-digits));
    return std::nearbyint(number / scale) * scale;
  }
  char text[700];
  const int size = std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), number);
  double out = 0;
  std::from_chars(text, text + size, out);
  return out;
}

Result<Value> round_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "round", {"precision", "method"}));
  CAIRN_TRY(const std::int64_t digits, integer_argument(machine, given[0], 0));
  const std::string_view method = given[1] == nullptr ? "common" : given[1]->bytes();
  if (method != "common" && method != "ceil" && method != "floor")
    return machine.fault("the method of 'round' is common, ceil or floor");
  if (!value.is_numeric())
    return machine.fault("'round' needs a number, not " + std::string(type_name(value)));
  if (method == "common") {
    if (!value.is_integral()) return number_value(rounded(value.number, digits));
    if (digits >= 0) return integer_value(value.as_integer());
    return integer_value(
        truncated(rounded(value.as_double(), digits)).value_or(value.as_integer()));
  }
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = value.as_double() * scale;
  return number_value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Result<Value> default_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "default", {"default_value", "boolean"}));
  const bool is_absent =
      value.is(Value::Kind::undefined) || (truth_of(given[1], false) && !is_true(value));
  if (!is_absent) return value;
  return given[0] == nullptr ? text_value(Text()) : *given[0];
}

Result<Value> tojson_filter(Machine& machine, const Value& value, const Arguments& arguments) {
  CAIRN_TRY(
      const auto given,
      arguments.bind(machine, "tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}));
  JsonStyle style{.ascii_only = truth_of(given[0], false), .sorted = truth_of(given[3], false)};
  const Value* indent = given[1];
  if (indent != nullptr && !indent->is(Value::Kind::none)) {
    style.pretty = true;
    style.item_separator = ",";
    if (indent->is_text()) {
      CAIRN_CHECK(machine.spend_bytes(indent->text->size()));
      style.indent = indent->bytes();
    } else {
      CAIRN_TRY(const std::int64_t width, integer_argument(machine, indent, 0));
      if (width > 64) return machine.fault("'tojson' indents by at most 64");
      style.indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
    }
  }
  if (given[2] != nullptr && given[2]->is_sequence() && given[2]->list->items.size() == 2) {
    for (const Value& separator : given[2]->list->items)
      CAIRN_CHECK(machine.spend_bytes(separator.bytes().size()));
    style.item_separator = given[2]->list->items[0].bytes();
    style.key_separator = given[2]->list->items[1].bytes();
  }
  Text out;
  CAIRN_CHECK(append_json(machine, value, style, out));
  return text_value(std::move(out));
}

constexpr NamedFilter plain_filters[] = {
    {"trim", &trim_filter},
    {"upper", &casing_filter<Casing::upper>},
    {"lower", &casing_filter<Casing::lower>},
    {"capitalize", &casing_filter<Casing::capitalize>},
    {"title", &title_filter},
    {"string", &string_filter},
    {"safe", &safe_filter},
    {"escape", &escape_filter},
    {"e", &escape_filter},
    {"replace", &replace_filter},
    {"indent", &indent_filter},
    {"int", &int_filter},
    {"float", &float_filter},
    {"abs", &abs_filter},
    {"round", &round_filter},
    {"default", &default_filter},
    {"d", &default_filter},
    {"tojson", &tojson_filter},
};

}  // namespace

FilterRule find_plain_filter(std::string_view name) {
  for (const auto& [known, rule] : plain_filters)
    if (known == name) return rule;
  return nullptr;
}

FilterRule find_filter(std::string_view name) {
  const FilterRule plain = find_plain_filter(name);
  return plain != nullptr ? plain : find_sequence_filter(name);
}

bool is_filter_name(std::string_view name) { return find_filter(name) != nullptr; }
bool is_test_name(std::string_view name) { return find_test(name) != nullptr; }

}  // namespace cairn::inference::templates
