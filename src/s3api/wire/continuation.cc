// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/continuation.h"

#include "base/checksum.h"
#include "base/encode.h"
#include "s3api/call.h"

namespace cairn::s3api {
namespace {

std::string check_bytes(std::string_view text) {
  const std::uint32_t crc = crc32c(text);
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(crc >> shift & 0xff);
  return out;
}

}  // namespace

std::string continuation_token(std::string_view start_after) {
  std::string text = "1";
  text += start_after;
  return to_base64url(check_bytes(text) + text);
}

std::optional<std::string> read_continuation_token(std::string_view token) {
  const auto raw = from_base64url(token);
  if (!raw || raw->size() < 5) return std::nullopt;
  const std::string_view text = std::string_view(*raw).substr(4);
  if (text[0] != '1' || check_bytes(text) != raw->substr(0, 4)) return std::nullopt;
  return std::string(text.substr(1));
}

Result<std::string> start_of_page(const std::optional<std::string>& token, std::string otherwise) {
  if (!token) return otherwise;
  auto read = read_continuation_token(*token);
  if (!read)
    return bad_argument("continuation-token", *token,
                        "The continuation token provided is incorrect");
  return std::move(*read);
}

}  // namespace cairn::s3api
