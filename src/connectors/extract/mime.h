// SPDX-License-Identifier: Apache-2.0
// Messages and their parts. Source: RFC 5322, RFC 2045 to 2047, RFC 2231.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::connectors {

/// A part of a message, or the message itself. Views lie in the bytes that were parsed.
struct MimePart {
  std::map<std::string, std::string> headers;  // by name in small letters; unfolded, not decoded
  std::string type = "text/plain";             // in small letters
  std::string charset = {};
  std::string boundary = {};
  std::string file_name = {};  // decoded
  bool is_attachment = false;
  std::string_view body = {};  // encoded as it came

  std::string header(std::string_view name) const;  // decoded, or empty
  /// The body without its transfer encoding.
  std::string content() const;
};

MimePart parse_mime(std::string_view bytes);

/// The parts between the boundaries; the last one may be cut off.
std::vector<std::string_view> mime_parts(std::string_view body, std::string_view boundary);

/// A date of a message, in milliseconds; 0 for what is none. Names of zones are those of RFC 5322.
std::int64_t message_date_ms(std::string_view text);

/// =?charset?B?...?= and its like to UTF-8.
std::string decode_words(std::string_view text);

}  // namespace cairn::connectors
