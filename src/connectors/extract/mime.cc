// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/mime.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"
#include "format/time.h"
#include "text/encoding.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t headers_max = 1'000;
constexpr std::size_t word_bytes_max = 256;  // of RFC 2047; it says 75

constexpr std::array<std::string_view, 12> date_months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// "+0230", or a name, in milliseconds; nothing for what is no such zone.
std::optional<std::int64_t> zone_ms(std::string_view zone) {
  constexpr std::int64_t minute_ms = 60'000;
  constexpr std::pair<std::string_view, std::int64_t> names[] = {
      {"GMT", 0},  {"UT", 0},   {"UTC", 0},  {"Z", 0},    {"EDT", -4}, {"EST", -5},
      {"CDT", -5}, {"CST", -6}, {"MDT", -6}, {"MST", -7}, {"PDT", -7}, {"PST", -8}};
  for (const auto& [name, hours] : names)
    if (zone == name) return hours * 60 * minute_ms;
  if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const auto digits = parse_number<std::int64_t>(zone.substr(1));
  if (!digits || *digits < 0) return std::nullopt;
  const std::int64_t ms = (*digits / 100 * 60 + *digits % 100) * minute_ms;
  return zone[0] == '-' ? -ms : ms;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `underscores` stand for blanks in words of headers.
std::string from_quoted_printable(std::string_view text, bool underscores) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && underscores) {
      out += ' ';
    } else if (text[i] != '=') {
      out += text[i];
    } else if (i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {  // a soft end of line
      if (i + 1 < text.size() && text[i + 1] == '\r') ++i;
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return out;
}

constexpr auto base64_values = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i)
    values[static_cast<unsigned char>(digits[i])] = static_cast<signed char>(i);
  return values;
}();

/// Mail breaks lines anywhere and pads as it likes: what is no digit is passed over.
std::string from_loose_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const int value = base64_values[static_cast<unsigned char>(c)];
    if (value < 0) continue;
    bits = (bits << 6) | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xFF);
  }
  return out;
}

/// "name=value; name=\"value\"" after the first semicolon, names in small letters.
std::map<std::string, std::string> parameters(std::string_view header) {
  std::map<std::string, std::string> out;
  std::size_t at = std::min(header.find(';'), header.size());
  while (at < header.size() && out.size() < 100) {
    ++at;
    const std::size_t equals = header.find('=', at);
    if (equals == std::string_view::npos) break;
    const std::string name = lower_ascii(trim(header.substr(at, equals - at)));
    std::string value;
    at = equals + 1;
    while (at < header.size() && (header[at] == ' ' || header[at] == '\t')) ++at;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      const std::size_t end = std::min(header.find(';', at), header.size());
      value = trim(header.substr(at, end - at));
      at = end;
    }
    out.emplace(name, std::move(value));
  }
  return out;
}

/// charset'language'text with percents. Source: RFC 2231, 4.
std::string extended_value(std::string_view text) {
  const std::size_t first = text.find('\'');
  const std::size_t second = first == std::string_view::npos ? first : text.find('\'', first + 1);
  if (second == std::string_view::npos) return std::string(text);
  std::string bytes;
  for (std::size_t i = second + 1; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      bytes += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return text::from_encoding(bytes, text.substr(0, first)).value_or(bytes);
}

std::string name_of_file(const std::map<std::string, std::string>& values, const char* plain,
                         const char* extended) {
  if (const auto found = values.find(extended); found != values.end())
    return extended_value(found->second);
  const auto found = values.find(plain);
  return found == values.end() ? std::string() : decode_words(found->second);
}

void describe(MimePart& part) {
  const auto raw = [&](const char* name) -> std::string_view {
    const auto found = part.headers.find(name);
    return found == part.headers.end() ? std::string_view() : std::string_view(found->second);
  };
  const std::string_view type = raw("content-type");
  if (!type.empty()) {
    part.type = lower_ascii(trim(type.substr(0, type.find(';'))));
    const auto values = parameters(type);
    if (const auto found = values.find("charset"); found != values.end())
      part.charset = found->second;
    if (const auto found = values.find("boundary"); found != values.end())
      part.boundary = found->second;
    part.file_name = name_of_file(values, "name", "name*");
  }
  const std::string_view disposition = raw("content-disposition");
  part.is_attachment = lower_ascii(trim(disposition.substr(0, 11))) == "attachment";
  const std::string name = name_of_file(parameters(disposition), "filename", "filename*");
  if (!name.empty()) part.file_name = name;
}

/// One word of RFC 2047 at the beginning of `rest`, which it takes away; nothing where none is.
std::optional<std::string> take_word(std::string_view& rest) {
  const std::size_t charset_end = rest.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end > 64) return std::nullopt;
  const std::string_view after = rest.substr(charset_end + 1);
  if (after.size() < 2 || after[1] != '?') return std::nullopt;
  const std::size_t end = after.substr(0, word_bytes_max).find("?=", 2);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = after.substr(2, end - 2);
  const bool base64 = (after[0] | 0x20) == 'b';
  const std::string bytes = base64 ? from_loose_base64(text) : from_quoted_printable(text, true);
  std::string_view charset = rest.substr(2, charset_end - 2);
  charset = charset.substr(0, charset.find('*'));  // a language may follow
  auto decoded = text::from_encoding(bytes, charset);
  rest.remove_prefix(charset_end + 1 + end + 2);
  return decoded ? std::move(decoded) : text::any_encoding(bytes);
}

}  // namespace

std::string decode_words(std::string_view text) {
  std::string out;
  bool after_word = false;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find("=?"), text.size());
    // Blanks between two words belong to neither.
    if (at > 0 && !(after_word && trim(text.substr(0, at)).empty() && at < text.size()))
      out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    if (auto word = take_word(text)) {
      out += *word;
      after_word = true;
    } else {
      out += "=?";
      text.remove_prefix(2);
      after_word = false;
    }
  }
  return out;
}

std::int64_t message_date_ms(std::string_view text) {
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos)
    text.remove_prefix(comma + 1);
  std::vector<std::string_view> words;  // day, month, year, time, zone
  for (const auto word : split(text, ' '))
    if (!trim(word).empty()) words.push_back(trim(word));
  if (words.size() < 5) return 0;
  const auto zone = zone_ms(words[4]);
  const auto month = std::find(date_months.begin(), date_months.end(), words[1].substr(0, 3));
  if (!zone || month == date_months.end()) return 0;
  const auto two_digits = [](std::string_view digits) {
    return (digits.size() == 1 ? "0" : "") + std::string(digits);
  };
  std::string year(words[2]);
  if (year.size() == 2) year = (year < "50" ? "20" : "19") + year;
  const auto ms = parse_iso8601(
      year + "-" + two_digits(std::to_string(month - date_months.begin() + 1)) + "-" +
      two_digits(words[0]) + "T" + std::string(words[3]) + (words[3].size() == 5 ? ":00Z" : "Z"));
  return ms ? *ms - *zone : 0;
}

std::string MimePart::header(std::string_view name) const {
  const auto found = headers.find(std::string(name));
  if (found == headers.end()) return {};
  // Headers in plain UTF-8 are usual too.
  const auto text = text::any_encoding(found->second);
  return text ? decode_words(*text) : std::string();
}

std::string MimePart::content() const {
  const auto found = headers.find("content-transfer-encoding");
  const std::string encoding =
      found == headers.end() ? std::string() : lower_ascii(trim(found->second));
  if (encoding == "base64") return from_loose_base64(body);
  if (encoding == "quoted-printable") return from_quoted_printable(body, false);
  return std::string(body);
}

MimePart parse_mime(std::string_view bytes) {
  MimePart part;
  std::string* last = nullptr;  // the header that a line with a blank before it goes on with
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    const bool goes_on = line.starts_with(' ') || line.starts_with('\t');
    if (!line.empty() && !goes_on && colon == std::string_view::npos) break;  // the body, at once
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) break;
    if (goes_on) {
      if (last != nullptr) (*last += ' ') += trim(line);
    } else if (part.headers.size() < headers_max) {
      last = &part.headers[lower_ascii(trim(line.substr(0, colon)))];
      if (!last->empty()) *last += ", ";
      *last += trim(line.substr(colon + 1));
    }
  }
  part.body = bytes;
  describe(part);
  return part;
}

std::vector<std::string_view> mime_parts(std::string_view body, std::string_view boundary) {
  constexpr std::size_t parts_max = 1'000;
  std::vector<std::string_view> out;
  const std::string mark = "--" + std::string(boundary);
  std::size_t begin = std::string_view::npos;  // of the part at hand
  for (std::size_t at = body.find(mark); at != std::string_view::npos && out.size() < parts_max;
       at = body.find(mark, at + mark.size())) {
    if (at > 0 && body[at - 1] != '\n') continue;
    if (begin != std::string_view::npos) out.push_back(body.substr(begin, at - begin));
    const std::string_view after = body.substr(at + mark.size(), 2);
    if (after == "--") return out;
    const std::size_t line_end = body.find('\n', at);
    if (line_end == std::string_view::npos) return out;
    begin = line_end + 1;
  }
  if (begin != std::string_view::npos) out.push_back(body.substr(begin));
  return out;
}

}  // namespace cairn::connectors
