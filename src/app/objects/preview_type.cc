// SPDX-License-Identifier: Apache-2.0
#include "app/objects/preview_type.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::app {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::size_t at;
  std::string_view bytes;
  std::string_view type;
};
// Source: WHATWG MIME Sniffing, section 6.
constexpr Mark marks[] = {
    {0, "\x89PNG\r\n\x1a\n"sv, "image/png"},
    {0, "\xff\xd8\xff"sv, "image/jpeg"},
    {0, "GIF87a"sv, "image/gif"},
    {0, "GIF89a"sv, "image/gif"},
    {8, "WEBPVP"sv, "image/webp"},
    {4, "ftypavif"sv, "image/avif"},
    {4, "ftypmp4"sv, "video/mp4"},
    {4, "ftypisom"sv, "video/mp4"},
    {4, "ftypM4A"sv, "audio/mp4"},
    {0, "\x1a\x45\xdf\xa3"sv, "video/webm"},
    {0, "OggS\0"sv, "application/ogg"},
    {0, "ID3"sv, "audio/mpeg"},
    {0, "fLaC"sv, "audio/flac"},
    {8, "WAVE"sv, "audio/wav"},
    {0, "%PDF-"sv, "application/pdf"},
};

/// Text that a browser cannot take for a page, even one that guesses.
bool is_plain_text(std::string_view bytes) {
  // The last character may be cut off.
  const std::size_t good = valid_utf8_prefix(bytes);
  if (good + 4 <= bytes.size()) return false;
  bytes = bytes.substr(0, good);
  const bool has_controls = std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f') || byte == 0x7f;
  });
  const std::string_view text = trim(bytes);
  return !has_controls && !text.starts_with('<');
}

}  // namespace

std::string_view preview_type(std::string_view first_bytes) {
  for (const Mark& mark : marks)
    if (first_bytes.size() >= mark.at && first_bytes.substr(mark.at).starts_with(mark.bytes))
      return mark.type;
  if (!first_bytes.empty() && is_plain_text(first_bytes)) return "text/plain; charset=utf-8";
  return {};
}

}  // namespace cairn::app
