// SPDX-License-Identifier: Apache-2.0
// Recursive descent over RFC 8259. Messages follow those that clients of the platform know.
#include "format/json_strict.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"

namespace cairn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string shown(char c) {
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x20 || code == 0x7F) return "(CTRL-CHAR, code " + std::to_string(code) + ")";
  if (code >= 0x80) return "(code " + std::to_string(code) + ")";
  return "'" + std::string(1, c) + "' (code " + std::to_string(code) + ")";
}

class Reader {
 public:
  Reader(std::string_view text, const JsonLimits& limits)
      : text_(text), unique_names_(limits.unique_names), depth_left_(limits.depth) {}

  Result<Json> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_space();
    Json value;
    if (!read_value(value)) return fault();
    skip_space();
    if (at_ < text_.size()) {
      fail(at_, "Unexpected character (" + shown(text_[at_]) +
                    "): expected the end of the text after the value");
      return fault();
    }
    return value;
  }

 private:
  Error fault() const { return json_error_at(text_, fault_at_, fault_); }

  bool fail(std::size_t at, std::string what) {
    fault_at_ = at;
    fault_ = std::move(what);
    return false;
  }
  bool unexpected(std::string_view wanted) {
    if (at_ >= text_.size()) {
      return fail(text_.size(), "Unexpected end-of-input: " + std::string(wanted));
    }
    return fail(at_, "Unexpected character (" + shown(text_[at_]) + "): " + std::string(wanted));
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool read_value(Json& out) {
    if (at_ >= text_.size()) return unexpected("expected a value");
    switch (text_[at_]) {
      case '{':
        return nested(out, &Reader::read_object);
      case '[':
        return nested(out, &Reader::read_array);
      case '"': {
        std::string v;
        if (!read_string(v)) return false;
        out = Json(std::move(v));
        return true;
      }
      default:
        if (next_is('-') || is_digit(text_[at_])) return read_number(out);
        return read_literal(out);
    }
  }

  bool nested(Json& out, bool (Reader::*read_inside)(Json&)) {
    if (depth_left_ == 0) return fail(at_, "Arrays and objects are nested too deeply");
    --depth_left_;
    const bool done = (this->*read_inside)(out);
    ++depth_left_;
    return done;
  }

  bool read_object(Json& out) {
    Json::Object members;
    std::unordered_set<std::string> names;
    ++at_;
    skip_space();
    if (next_is('}')) {
      ++at_;
      out = Json(std::move(members));
      return true;
    }
    for (;;) {
      if (!next_is('"')) return unexpected("was expecting double-quote to start field name");
      const std::size_t name_at = at_;
      Json::Member& member = members.emplace_back();
      if (!read_string(member.first)) return false;
      if (unique_names_ && !names.insert(member.first).second)
        return fail(name_at, "Duplicate field '" + member.first + "'");
      skip_space();
      if (!next_is(':')) {
        return unexpected("was expecting a colon to separate field name and value");
      }
      ++at_;
      skip_space();
      if (!read_value(member.second)) return false;
      skip_space();
      if (next_is('}')) break;
      if (!next_is(',')) return unexpected("was expecting comma to separate Object entries");
      ++at_;
      skip_space();
    }
    ++at_;
    keep_last_members(members);
    out = Json(std::move(members));
    return true;
  }

  bool read_array(Json& out) {
    Json::Array elements;
    ++at_;
    skip_space();
    if (next_is(']')) {
      ++at_;
      out = Json(std::move(elements));
      return true;
    }
    for (;;) {
      if (!read_value(elements.emplace_back())) return false;
      skip_space();
      if (next_is(']')) break;
      if (!next_is(',')) return unexpected("was expecting comma to separate Array entries");
      ++at_;
      skip_space();
    }
    ++at_;
    out = Json(std::move(elements));
    return true;
  }

  bool read_literal(Json& out) {
    const std::size_t start = at_;
    std::size_t end = at_;
    while (end < text_.size() &&
           ((text_[end] >= 'a' && text_[end] <= 'z') || (text_[end] >= 'A' && text_[end] <= 'Z') ||
            is_digit(text_[end]) || text_[end] == '_')) {
      ++end;
    }
    const std::string_view word = text_.substr(start, end - start);
    if (word.empty()) return unexpected("expected a value");
    at_ = end;
    if (word == "true")
      out = Json(true);
    else if (word == "false")
      out = Json(false);
    else if (word == "null")
      out = Json(nullptr);
    else {
      return fail(start, "Unrecognized token '" + std::string(word.substr(0, 40)) +
                             "': was expecting ('true', 'false' or 'null')");
    }
    return true;
  }

  bool read_number(Json& out) {
    const std::size_t start = at_;
    if (next_is('-')) ++at_;
    if (next_is('0')) {
      ++at_;
      if (at_ < text_.size() && is_digit(text_[at_])) {
        return fail(at_, "Invalid numeric value: Leading zeroes not allowed");
      }
    } else if (!digits("expected a digit after the minus sign")) {
      return false;
    }
    bool is_integer = true;
    if (next_is('.')) {
      is_integer = false;
      ++at_;
      if (!digits("Decimal point not followed by a digit")) return false;
    }
    if (next_is('e') || next_is('E')) {
      is_integer = false;
      ++at_;
      if (next_is('+') || next_is('-')) ++at_;
      if (!digits("Exponent indicator not followed by a digit")) return false;
    }
    if (at_ < text_.size()) {
      const char c = text_[at_];
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+') {
        return unexpected("Expected space separating root-level values or an end of the number");
      }
    }
    const std::string_view number = text_.substr(start, at_ - start);
    if (is_integer) {
      if (const auto v = parse_number<std::int64_t>(number)) {
        out = Json(*v);
        return true;
      }
      if (const auto v = parse_number<std::uint64_t>(number)) {
        out = Json(*v);
        return true;
      }
    }
    return read_double(number, start, out);
  }

  bool digits(std::string_view complaint) {
    if (at_ >= text_.size() || !is_digit(text_[at_])) return unexpected(complaint);
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return true;
  }

  bool read_double(std::string_view number, std::size_t start, Json& out) {
    double v = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), v);
    if (error == std::errc::result_out_of_range)
      v = std::strtod(std::string(number).c_str(), nullptr);
    if (!std::isfinite(v)) {
      return fail(start, "Numeric value (" + std::string(number.substr(0, 40)) +
                             ") out of range of double");
    }
    out = Json(v);
    return true;
  }

  // At the opening quote.
  bool read_string(std::string& out) {
    ++at_;
    for (;;) {
      const std::size_t run = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      const std::string_view plain = text_.substr(run, at_ - run);
      if (const std::size_t good = valid_utf8_prefix(plain); good < plain.size()) {
        char byte[8];
        std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(plain[good]));
        return fail(run + good, std::string("Invalid UTF-8 byte ") + byte);
      }
      out += plain;
      if (at_ >= text_.size()) return unexpected("was expecting closing quote for a string value");
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] != '\\') {
        return fail(at_, "Illegal unquoted character (" + shown(text_[at_]) +
                             "): has to be escaped using backslash to be included in string value");
      }
      if (!read_escape(out)) return false;
    }
  }

  // At the backslash.
  bool read_escape(std::string& out) {
    ++at_;
    if (at_ >= text_.size()) return unexpected("was expecting an escaped character");
    switch (text_[at_]) {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '/':
        out += '/';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        return read_unicode_escape(out);
      default:
        return fail(at_, "Unrecognized character escape " + shown(text_[at_]));
    }
    ++at_;
    return true;
  }

  // At the u.
  bool read_unicode_escape(std::string& out) {
    ++at_;
    const auto high = four_digits();
    if (!high) return unexpected("expected a hex-digit for character escape sequence");
    char32_t c = *high;
    if (c >= 0xD800 && c <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      const std::size_t second = at_;
      at_ += 2;
      const auto low = four_digits();
      if (!low) return unexpected("expected a hex-digit for character escape sequence");
      if (*low >= 0xDC00 && *low <= 0xDFFF) {
        c = 0x10000 + ((c - 0xD800) << 10) + (*low - 0xDC00);
      } else {
        at_ = second;  // a character of its own
      }
    }
    append_utf8(out, c);
    return true;
  }

  // On failure at_ is at the first byte that is no digit.
  std::optional<char32_t> four_digits() {
    char32_t v = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ >= text_.size()) return std::nullopt;
      const char c = text_[at_];
      v <<= 4;
      if (is_digit(c))
        v |= static_cast<char32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        v |= static_cast<char32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        v |= static_cast<char32_t>(c - 'A' + 10);
      else
        return std::nullopt;
    }
    return v;
  }

  std::string_view text_;
  bool unique_names_;
  std::size_t depth_left_;
  std::size_t at_ = 0;
  std::size_t fault_at_ = 0;
  std::string fault_;
};

// Removes what `gone` names, keeping the order of the rest.
void erase_marked(Json::Object& object, const std::vector<bool>& gone) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < object.size(); ++from) {
    if (gone[from]) continue;
    if (to != from) object[to] = std::move(object[from]);
    ++to;
  }
  object.resize(to);
}

}  // namespace

bool keep_last_members(Json::Object& object) {
  constexpr std::size_t few = 16;
  std::vector<bool> gone;
  const auto replace = [&](std::size_t first, std::size_t later) {
    if (gone.empty()) gone.resize(object.size());
    object[first].second = std::move(object[later].second);
    gone[later] = true;
  };
  if (object.size() <= few) {
    for (std::size_t i = 1; i < object.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (object[j].first != object[i].first || (!gone.empty() && gone[j])) continue;
        replace(j, i);
        break;
      }
    }
  } else {
    std::unordered_map<std::string_view, std::size_t> seen;
    seen.reserve(object.size());
    for (std::size_t i = 0; i < object.size(); ++i) {
      const auto [at, is_new] = seen.emplace(object[i].first, i);
      if (!is_new) replace(at->second, i);
    }
  }
  if (gone.empty()) return false;
  erase_marked(object, gone);
  return true;
}

Error json_error_at(std::string_view text, std::size_t offset, std::string_view what) {
  std::size_t line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    const bool ends = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    if (!ends) continue;
    ++line;
    line_start = i + 1;
  }
  const std::string line_text = std::to_string(line);
  const std::string column_text = std::to_string(offset - line_start + 1);
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "x_content_parse_exception",
               .message = "[" + line_text + ":" + column_text + "] " + std::string(what),
               .details = {{"line", line_text}, {"col", column_text}}};
}

Result<Json> parse_json_strictly(std::string_view text, JsonLimits limits) {
  return Reader(text, limits).read();
}

}  // namespace cairn
