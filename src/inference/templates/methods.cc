// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/methods.h"

#include <algorithm>
#include <array>

#include "inference/templates/character_set.h"
#include "inference/templates/occurrences.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"
#include "text/letters.h"

namespace cairn::inference::templates {
namespace {

constexpr std::array<std::string_view, 27> text_methods = {
    "strip",    "lstrip",  "rstrip",  "split",        "rsplit",       "splitlines", "startswith",
    "endswith", "upper",   "lower",   "title",        "capitalize",   "replace",    "find",
    "rfind",    "index",   "count",   "join",         "isdigit",      "isalpha",    "isalnum",
    "isspace",  "isupper", "islower", "removeprefix", "removesuffix", "isdecimal"};
constexpr std::array<std::string_view, 4> dict_methods = {"items", "keys", "values", "get"};
constexpr std::array<std::string_view, 3> list_methods = {"append", "index", "count"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<const Text*> text_argument(const Machine& machine, std::string_view method,
                                  const Value* value) {
  if (value != nullptr && value->is_text()) return value->text.get();
  return machine.fault("'" + std::string(method) + "' needs a string, not " +
                       std::string(value == nullptr ? "nothing" : type_name(*value)));
}

Result<Value> strip_text(Machine& machine, const Text& text, Sides sides, std::string_view name,
                         const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {"chars"}));
  if (given[0] == nullptr || given[0]->is(Value::Kind::none))
    return stripped(machine, text, nullptr, sides);
  CAIRN_TRY(const Text* which, text_argument(machine, name, given[0]));
  return stripped(machine, text, which, sides);
}

Status add_piece(Machine& machine, const Text& text, std::size_t begin, std::size_t end,
                 std::vector<Value>& out) {
  CAIRN_CHECK(machine.spend_piece(end - begin));
  out.push_back(text_value(text.slice(begin, end)));
  return ok_status();
}

/// Pieces between runs of white space, at most `most` cuts from the left; the rest stays whole.
Result<std::vector<Value>> words_of(Machine& machine, const Text& text, std::int64_t most) {
  std::vector<Value> out;
  const std::string_view bytes = text.bytes();
  std::size_t at = space_at_start(bytes);
  while (at < bytes.size()) {
    if (most >= 0 && static_cast<std::int64_t>(out.size()) == most) {
      CAIRN_CHECK(add_piece(machine, text, at, bytes.size(), out));
      break;
    }
    std::size_t end = at;
    for (std::size_t next = at; next < bytes.size(); end = next)
      if (is_space(next_character(bytes, next))) break;
    CAIRN_CHECK(add_piece(machine, text, at, end, out));
    at = end + space_at_start(bytes.substr(end));
  }
  return out;
}

Result<std::vector<Value>> words_from_right(Machine& machine, const Text& text, std::int64_t most) {
  CAIRN_TRY(std::vector<Value> all, words_of(machine, text, -1));
  if (most < 0 || static_cast<std::int64_t>(all.size()) <= most) return all;
  // The last `most` words, and what is before them as one.
  std::vector<Value> out(all.end() - most, all.end());
  std::size_t end = without_space_at_end(text.bytes());
  for (std::size_t i = 0; i < out.size(); ++i) {
    end -= out[out.size() - 1 - i].text->size();
    end = without_space_at_end(text.bytes().substr(0, end));
  }
  CAIRN_CHECK(machine.spend_piece(end));
  out.insert(out.begin(), text_value(text.slice(0, end)));
  return out;
}

/// Pieces between separators, at most `most` cuts from one side.
Result<std::vector<Value>> parts_of(Machine& machine, const Text& text, std::string_view by,
                                    bool from_right, std::int64_t most) {
  CAIRN_CHECK(machine.spend_bytes(by.size()));
  std::vector<Value> out;
  using From = Occurrences::From;
  Occurrences places(text.bytes(), by, from_right ? From::end : From::beginning);
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (most < 0 || static_cast<std::int64_t>(out.size()) < most) {
    const std::size_t at = places.next();
    if (at == std::string_view::npos) break;
    CAIRN_CHECK(from_right ? add_piece(machine, text, at + by.size(), end, out)
                           : add_piece(machine, text, begin, at, out));
    begin = from_right ? 0 : at + by.size();
    if (from_right) end = at;
  }
  CAIRN_CHECK(add_piece(machine, text, begin, end, out));
  if (from_right) std::reverse(out.begin(), out.end());
  return out;
}

Result<Value> split_text(Machine& machine, const Text& text, bool from_right,
                         const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "split", {"sep", "maxsplit"}));
  CAIRN_TRY(const std::int64_t most, integer_argument(machine, given[1], -1));
  std::vector<Value> out;
  if (given[0] == nullptr || given[0]->is(Value::Kind::none)) {
    CAIRN_TRY(out,
              from_right ? words_from_right(machine, text, most) : words_of(machine, text, most));
    return machine.heap.list(std::move(out));
  }
  CAIRN_TRY(const Text* separator, text_argument(machine, "split", given[0]));
  if (separator->empty()) return machine.fault("'split' needs a separator that is not empty");
  CAIRN_TRY(out, parts_of(machine, text, separator->bytes(), from_right, most));
  return machine.heap.list(std::move(out));
}

Result<Value> starts_or_ends(Machine& machine, const Text& text, bool starts,
                             const Arguments& arguments) {
  const std::string_view name = starts ? "startswith" : "endswith";
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {"prefix"}));
  const auto fits = [&](const Text& part) {
    return starts ? text.bytes().starts_with(part.bytes()) : text.bytes().ends_with(part.bytes());
  };
  if (given[0] != nullptr && given[0]->is(Value::Kind::tuple)) {
    CAIRN_CHECK(machine.spend(given[0]->list->items.size()));
    for (const Value& one : given[0]->list->items) {
      CAIRN_TRY(const Text* part, text_argument(machine, name, &one));
      CAIRN_CHECK(machine.spend_bytes(std::min(part->size(), text.size())));
      if (fits(*part)) return boolean_value(true);
    }
    return boolean_value(false);
  }
  CAIRN_TRY(const Text* part, text_argument(machine, name, given[0]));
  CAIRN_CHECK(machine.spend_bytes(part->size()));
  return boolean_value(fits(*part));
}

Result<Value> find_in_text(Machine& machine, const Text& text, std::string_view name,
                           const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {"sub"}));
  CAIRN_TRY(const Text* part, text_argument(machine, name, given[0]));
  CAIRN_CHECK(machine.spend_bytes(part->size()));
  using From = Occurrences::From;
  const bool from_right = name == "rfind";
  const std::size_t at = part->empty() ? (from_right ? text.size() : 0)
                                       : Occurrences(text.bytes(), part->bytes(),
                                                     from_right ? From::end : From::beginning)
                                             .next();
  if (at == std::string_view::npos) {
    if (name == "index") return machine.fault("'index' does not find the string");
    return integer_value(-1);
  }
  return integer_value(static_cast<std::int64_t>(count_characters(text.bytes().substr(0, at))));
}

Result<Value> count_in_text(Machine& machine, const Text& text, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "count", {"sub"}));
  CAIRN_TRY(const Text* part, text_argument(machine, "count", given[0]));
  CAIRN_CHECK(machine.spend_bytes(part->size()));
  if (part->empty())
    return integer_value(static_cast<std::int64_t>(count_characters(text.bytes())) + 1);
  std::int64_t out = 0;
  Occurrences places(text.bytes(), part->bytes());
  for (; places.next() != std::string_view::npos; ++out) CAIRN_CHECK(machine.spend(1));
  return integer_value(out);
}

Result<Value> join_texts(Machine& machine, const Text& text, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "join", {"iterable"}));
  if (given[0] == nullptr) return machine.fault("'join' needs a list");
  CAIRN_TRY(const auto all, elements_of(machine, *given[0]));
  Text out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAIRN_TRY(const Text* part, text_argument(machine, "join", &all[i]));
    CAIRN_CHECK(machine.spend_text(*part));
    CAIRN_CHECK(machine.spend_text(text));
    if (i > 0) out.append(text);
    out.append(*part);
    CAIRN_CHECK(machine.keep_within(out));
  }
  return text_value(std::move(out));
}

Value has_all(std::string_view bytes, bool (*fits)(char32_t)) {
  for (std::size_t at = 0; at < bytes.size();)
    if (!fits(next_character(bytes, at))) return boolean_value(false);
  return boolean_value(!bytes.empty());
}

/// Some letter is of this case, and none of the other.
Value is_all(std::string_view bytes, bool (*wanted)(char32_t)) {
  bool some = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const char32_t c = next_character(bytes, at);
    if (wanted(c))
      some = true;
    else if (text::is_upper(c) || text::is_lower(c))
      return boolean_value(false);
  }
  return boolean_value(some);
}

Result<Value> asked(const Machine& machine, const Text& text, std::string_view name,
                    const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {}));
  const std::string_view bytes = text.bytes();
  if (name == "isdigit" || name == "isdecimal") return has_all(bytes, &text::is_decimal);
  if (name == "isalpha") return has_all(bytes, &text::is_alphabetic);
  if (name == "isspace") return has_all(bytes, &is_space);
  if (name == "isupper") return is_all(bytes, &text::is_upper);
  if (name == "islower") return is_all(bytes, &text::is_lower);
  return has_all(bytes, [](char32_t c) { return text::is_alphabetic(c) || text::is_decimal(c); });
}

Result<Value> without_part(Machine& machine, const Text& text, bool prefix,
                           const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "removeprefix", {"part"}));
  CAIRN_TRY(const Text* part, text_argument(machine, "removeprefix", given[0]));
  const std::size_t size = part->size();
  if (prefix)
    return text_value(text.slice(text.bytes().starts_with(part->bytes()) ? size : 0, text.size()));
  return text_value(
      text.slice(0, text.size() - (text.bytes().ends_with(part->bytes()) ? size : 0)));
}

Result<Value> replace_in_text(Machine& machine, const Text& text, const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, "replace", {"old", "new", "count"}));
  CAIRN_TRY(const Text* old, text_argument(machine, "replace", given[0]));
  CAIRN_TRY(const Text* fresh, text_argument(machine, "replace", given[1]));
  CAIRN_TRY(const std::int64_t most, integer_argument(machine, given[2], -1));
  return replaced(machine, text, old->bytes(), *fresh, most);
}

Result<Value> call_text_method(Machine& machine, const Text& text, std::string_view name,
                               const Arguments& arguments) {
  CAIRN_CHECK(machine.spend_text(text));
  if (name == "strip") return strip_text(machine, text, Sides::both, name, arguments);
  if (name == "lstrip") return strip_text(machine, text, Sides::left, name, arguments);
  if (name == "rstrip") return strip_text(machine, text, Sides::right, name, arguments);
  if (name == "split") return split_text(machine, text, false, arguments);
  if (name == "rsplit") return split_text(machine, text, true, arguments);
  if (name == "startswith") return starts_or_ends(machine, text, true, arguments);
  if (name == "endswith") return starts_or_ends(machine, text, false, arguments);
  if (name == "replace") return replace_in_text(machine, text, arguments);
  if (name == "find" || name == "rfind" || name == "index")
    return find_in_text(machine, text, name, arguments);
  if (name == "count") return count_in_text(machine, text, arguments);
  if (name == "join") return join_texts(machine, text, arguments);
  if (name == "removeprefix") return without_part(machine, text, true, arguments);
  if (name == "removesuffix") return without_part(machine, text, false, arguments);
  if (name.starts_with("is")) return asked(machine, text, name, arguments);
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {}));
  if (name == "upper") return in_casing(machine, text, Casing::upper);
  if (name == "lower") return in_casing(machine, text, Casing::lower);
  if (name == "title") return in_casing(machine, text, Casing::title);
  if (name == "capitalize") return in_casing(machine, text, Casing::capitalize);
  std::vector<Value> out;
  LineReader lines(text.bytes());
  for (std::size_t begin = 0, end = 0; lines.next(begin, end);)
    CAIRN_CHECK(add_piece(machine, text, begin, end, out));
  return machine.heap.list(std::move(out));
}

Result<Value> call_dict_method(Machine& machine, const Dict& dict, std::string_view name,
                               const Arguments& arguments) {
  if (name == "get") {
    CAIRN_TRY(const auto given, arguments.bind(machine, name, {"key", "default"}));
    if (given[0] == nullptr) return machine.fault("'get' needs a key");
    CAIRN_CHECK(machine.spend_key(*given[0]));
    if (const Value* found = dict.find(*given[0])) return *found;
    return given[1] == nullptr ? none_value() : *given[1];
  }
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {}));
  CAIRN_CHECK(machine.spend(dict.items().size() * (name == "items" ? 3 : 1)));
  std::vector<Value> out;
  for (const auto& [key, value] : dict.items()) {
    out.push_back(name == "keys"     ? key
                  : name == "values" ? value
                                     : machine.heap.tuple({key, value}));
  }
  return machine.heap.list(std::move(out), false);
}

Result<Value> call_list_method(Machine& machine, const Value& object, std::string_view name,
                               const Arguments& arguments) {
  CAIRN_TRY(const auto given, arguments.bind(machine, name, {"value"}));
  if (given[0] == nullptr) return machine.fault("'" + std::string(name) + "' needs a value");
  if (name == "append") {
    if (!object.list->may_grow)
      return machine.fault("'append' changes only lists that the template made");
    object.list->items.push_back(*given[0]);
    return none_value();
  }
  std::int64_t found = 0;
  for (std::size_t i = 0; i < object.list->items.size(); ++i) {
    CAIRN_TRY(const bool same, are_equal(machine, object.list->items[i], *given[0]));
    if (same && name == "index") return integer_value(static_cast<std::int64_t>(i));
    if (same) ++found;
  }
  if (name == "index") return machine.fault("'index' does not find the value");
  return integer_value(found);
}

/// Python: a sigma at the end of a word is another letter.
bool is_last_sigma(std::string_view bytes, std::size_t begin, std::size_t end) {
  bool cased_before = false;
  for (std::size_t at = begin; at > 0;) {
    std::size_t from = at - 1;
    while (from > 0 && !starts_character(bytes[from])) --from;
    at = from;
    const char32_t c = next_character(bytes, from);
    if (text::is_case_ignorable(c)) continue;
    cased_before = text::is_cased(c);
    break;
  }
  if (!cased_before) return false;
  for (std::size_t at = end; at < bytes.size();) {
    const char32_t c = next_character(bytes, at);
    if (text::is_case_ignorable(c)) continue;
    return !text::is_cased(c);
  }
  return true;
}

}  // namespace

bool has_method(const Value& object, std::string_view name) {
  if (object.is_text()) return is_among(text_methods, name);
  if (object.is(Value::Kind::dict)) return is_among(dict_methods, name);
  if (object.is(Value::Kind::list)) return is_among(list_methods, name);
  return object.is(Value::Kind::tuple) && name != "append" && is_among(list_methods, name);
}

Result<Value> call_method(Machine& machine, const Value& object, std::string_view name,
                          const Arguments& arguments) {
  if (object.is_text()) return call_text_method(machine, *object.text, name, arguments);
  if (object.is(Value::Kind::dict)) return call_dict_method(machine, *object.dict, name, arguments);
  if (object.is_sequence()) return call_list_method(machine, object, name, arguments);
  if (object.is(Value::Kind::loop) && !arguments.values.empty())  // cycle
    return arguments.values[object.loop->index % arguments.values.size()];
  return machine.fault("there is no method '" + std::string(name) + "'");
}

Result<std::int64_t> integer_argument(const Machine& machine, const Value* value,
                                      std::int64_t otherwise) {
  if (value == nullptr || value->is(Value::Kind::none)) return otherwise;
  if (value->is_integral()) return value->as_integer();
  if (value->is(Value::Kind::undefined)) return undefined_error(machine, *value);
  return machine.fault("an integer is needed, not " + std::string(type_name(*value)));
}

Result<Value> stripped(Machine& machine, const Text& text, const Text* which, Sides sides) {
  const std::string_view bytes = text.bytes();
  const std::string_view listed = which == nullptr ? std::string_view() : which->bytes();
  CAIRN_CHECK(machine.spend_bytes(listed.size()));
  if (!all_ascii(listed)) CAIRN_CHECK(machine.spend(listed.size() / 4));  // they are sorted
  const CharacterSet set(listed);
  const auto goes = [&](char32_t c) { return which == nullptr ? is_space(c) : set.has(c); };
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  while (sides != Sides::right && begin < end) {
    std::size_t next = begin;
    if (!goes(next_character(bytes, next))) break;
    begin = next;
  }
  while (sides != Sides::left && end > begin) {
    std::size_t before = end - 1;
    while (before > begin && !starts_character(bytes[before])) --before;
    std::size_t at = before;
    if (!goes(next_character(bytes, at))) break;
    end = before;
  }
  return text_value(text.slice(begin, end));
}

Result<Value> in_casing(Machine& machine, const Text& text, Casing casing) {
  CAIRN_CHECK(machine.spend_bytes(text.size()));
  CAIRN_CHECK(machine.spend(all_ascii(text.bytes()) ? 0 : text.size() / 16));
  const std::string_view all = text.bytes();
  Text out;
  std::size_t at = 0;
  bool after_cased = false;
  text.for_each_run([&](std::string_view run, Origin origin) {
    std::string changed;
    const std::size_t stop = at + run.size();
    while (at < stop) {
      const std::size_t begin = at;
      const char32_t c = next_character(all, at);
      const bool large = casing == Casing::upper || (casing == Casing::title && !after_cased) ||
                         (casing == Casing::capitalize && begin == 0);
      if (casing == Casing::title)
        after_cased = c < 0x80 ? text::is_upper(c) || text::is_lower(c) : text::is_cased(c);
      if (!large && c == 0x3a3) {
        changed += is_last_sigma(all, begin, at) ? "ς" : "σ";
        continue;
      }
      text::append_in_case(changed, c,
                           !large                    ? text::LetterCase::lower
                           : casing == Casing::upper ? text::LetterCase::upper
                                                     : text::LetterCase::title);
    }
    out.append(changed, origin);
  });
  return text_value(std::move(out));
}

}  // namespace cairn::inference::templates
