// SPDX-License-Identifier: Apache-2.0
// The methods of String. Places are counted in units of UTF-16, as in the language.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "script/method_help.h"
#include "script/utf16.h"

namespace cairn::script {
namespace {
namespace texts {

bool give_text(Run& run, Value* self, std::string text) {
  return run.work(text.size()) && give(self, run.heap().text(std::move(text)));
}

bool length(Run& run, Value* self) {
  const std::string_view text = text_of(*self);
  return run.work(text.size()) && give_size(self, utf16_length(text));
}

bool is_empty(Run&, Value* self) { return give(self, Value::of(text_of(*self).empty())); }

bool part(Run& run, Value* self, std::int64_t from, std::int64_t to) {
  const std::string_view text = text_of(*self);
  const auto size = static_cast<std::int64_t>(utf16_length(text));
  if (from < 0 || to > size || from > to)
    return run.fail("string_index_out_of_bounds_exception",
                    "begin " + std::to_string(from) + ", end " + std::to_string(to) + ", length " +
                        std::to_string(size));
  const auto begin = static_cast<std::size_t>(from), count = static_cast<std::size_t>(to - from);
  if (is_ascii(text)) return give_text(run, self, std::string(text.substr(begin, count)));
  return give_text(run, self, to_utf8(std::u16string_view(to_utf16(text)).substr(begin, count)));
}

bool substring(Run& run, Value* self) {
  if (!wants(run, self[1], Type::int_)) return false;
  return part(run, self, self[1].whole, static_cast<std::int64_t>(utf16_length(text_of(*self))));
}

bool substring_to(Run& run, Value* self) {
  if (!wants(run, self[1], Type::int_) || !wants(run, self[2], Type::int_)) return false;
  return part(run, self, self[1].whole, self[2].whole);
}

// Where a text begins in another, in units of UTF-16; -1 where it does not.
bool give_place(Value* self, std::string_view text, std::size_t at) {
  if (at == std::string_view::npos) return give(self, Value::of(std::int32_t{-1}));
  return give_size(self, utf16_length(text.substr(0, at)));
}

bool index_of(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string)) return false;
  const std::string_view text = text_of(self[0]);
  return run.work(text.size()) && give_place(self, text, text.find(text_of(self[1])));
}

bool index_of_from(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string) || !wants(run, self[2], Type::int_)) return false;
  const std::string_view text = text_of(self[0]);
  std::size_t from = 0;
  for (std::int64_t units = 0; from < text.size() && units < self[2].whole; ++from)
    if ((static_cast<unsigned char>(text[from]) & 0xC0) != 0x80)
      units += static_cast<unsigned char>(text[from]) >= 0xF0 ? 2 : 1;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  return run.work(text.size()) && give_place(self, text, text.find(text_of(self[1]), from));
}

bool last_index_of(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string)) return false;
  const std::string_view text = text_of(self[0]);
  return run.work(text.size()) && give_place(self, text, text.rfind(text_of(self[1])));
}

bool contains(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string)) return false;
  const std::string_view text = text_of(self[0]);
  return run.work(text.size()) &&
         give(self, Value::of(text.find(text_of(self[1])) != std::string_view::npos));
}

bool starts_with(Run& run, Value* self) {
  return wants(run, self[1], Type::string) &&
         give(self, Value::of(text_of(self[0]).starts_with(text_of(self[1]))));
}

bool ends_with(Run& run, Value* self) {
  return wants(run, self[1], Type::string) &&
         give(self, Value::of(text_of(self[0]).ends_with(text_of(self[1]))));
}

// Other letters would need tables that are not here: nothing is changed rather than a part.
bool in_case(Run& run, Value* self, bool upper) {
  std::string text(text_of(*self));
  if (!is_ascii(text))
    return run.fail("illegal_argument_exception",
                    "[toLowerCase] and [toUpperCase] take texts of ASCII here");
  for (char& c : text) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return give_text(run, self, std::move(text));
}

bool to_lower(Run& run, Value* self) { return in_case(run, self, false); }
bool to_upper(Run& run, Value* self) { return in_case(run, self, true); }

bool trimmed(Run& run, Value* self) {
  std::string_view text = text_of(*self);
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return give_text(run, self, std::string(text));
}

bool replace(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string) || !wants(run, self[2], Type::string)) return false;
  const std::string_view text = text_of(self[0]), old = text_of(self[1]), with = text_of(self[2]);
  std::string out;
  std::size_t at = 0;
  while (at <= text.size() && run.heap().has_room_for(out.size())) {
    // An empty text stands before each character, and at the end.
    std::size_t found = old.empty() ? at : text.find(old, at);
    if (found == std::string_view::npos) break;
    out += text.substr(at, found - at);
    out += with;
    at = found + old.size();
    if (!old.empty()) continue;
    if (at == text.size()) return give_text(run, self, std::move(out));
    do out += text[at++];
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  if (at < text.size()) out += text.substr(at);
  return give_text(run, self, std::move(out));
}

bool equals_ignoring_case(Run& run, Value* self) {
  if (self[1].is_null()) return give(self, Value::of(false));
  return wants(run, self[1], Type::string) &&
         give(self, Value::of(equals_ignore_case(text_of(self[0]), text_of(self[1]))));
}

bool concat(Run& run, Value* self) {
  return wants(run, self[1], Type::string) &&
         give_text(run, self, std::string(text_of(self[0])) + std::string(text_of(self[1])));
}

// The pieces between the separators; empty ones at the end are left out.
bool split_on_token(Run& run, Value* self) {
  if (!wants(run, self[1], Type::string)) return false;
  const std::string_view text = text_of(self[0]), token = text_of(self[1]);
  if (token.empty()) return run.fail("illegal_argument_exception", "the token is empty");
  std::vector<Value> pieces;
  std::size_t at = 0;
  for (;;) {
    const std::size_t found = text.find(token, at);
    pieces.push_back(run.heap().text(std::string(text.substr(at, found - at))));
    if (found == std::string_view::npos || run.heap().is_full()) break;
    at = found + token.size();
  }
  while (pieces.size() > 1 && text_of(pieces.back()).empty()) pieces.pop_back();
  return run.work(text.size()) && give(self, run.heap().list(std::move(pieces)));
}

}  // namespace texts
}  // namespace

std::span<const Method> text_methods() {
  constexpr Type of = Type::string;
  static constexpr std::array table = {
      Method{of, "length", 0, Type::int_, &texts::length},
      Method{of, "isEmpty", 0, Type::boolean, &texts::is_empty},
      Method{of, "substring", 1, Type::string, &texts::substring},
      Method{of, "substring", 2, Type::string, &texts::substring_to},
      Method{of, "indexOf", 1, Type::int_, &texts::index_of},
      Method{of, "indexOf", 2, Type::int_, &texts::index_of_from},
      Method{of, "lastIndexOf", 1, Type::int_, &texts::last_index_of},
      Method{of, "contains", 1, Type::boolean, &texts::contains},
      Method{of, "startsWith", 1, Type::boolean, &texts::starts_with},
      Method{of, "endsWith", 1, Type::boolean, &texts::ends_with},
      Method{of, "toLowerCase", 0, Type::string, &texts::to_lower},
      Method{of, "toUpperCase", 0, Type::string, &texts::to_upper},
      Method{of, "trim", 0, Type::string, &texts::trimmed},
      Method{of, "replace", 2, Type::string, &texts::replace},
      Method{of, "equalsIgnoreCase", 1, Type::boolean, &texts::equals_ignoring_case},
      Method{of, "compareTo", 1, Type::int_, &method_compare_to},
      Method{of, "concat", 1, Type::string, &texts::concat},
      Method{of, "splitOnToken", 1, Type::list, &texts::split_on_token}};
  return table;
}

}  // namespace cairn::script
