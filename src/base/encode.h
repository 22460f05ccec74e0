// SPDX-License-Identifier: Apache-2.0
// Bytes as text and back: hexadecimal, base64 (RFC 4648), percent-encoding (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

/// Two lower-case digits a byte.
std::string to_hex(std::string_view bytes);
/// The bytes of an even number of hexadecimal digits of either case; nothing for anything else.
std::optional<std::string> from_hex(std::string_view text);

/// RFC 4648 section 4, padded.
std::string to_base64(std::string_view bytes);
/// RFC 4648 section 5, without padding.
std::string to_base64url(std::string_view bytes);
/// Accepts padded text of section 4 only; nothing for any other character or length.
std::optional<std::string> from_base64(std::string_view text);
/// Accepts unpadded or padded text of section 5.
std::optional<std::string> from_base64url(std::string_view text);

/// RFC 3986: everything but unreserved characters as %XX (upper case); `keep` names further
/// characters to leave, for example "/".
std::string percent_encode(std::string_view text, std::string_view keep = {});
/// Nothing where a % is not followed by two hexadecimal digits. `plus_is_space` as in forms.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace cairn
