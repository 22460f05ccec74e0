// SPDX-License-Identifier: Apache-2.0
#include "text/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/udata.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/strings.h"

namespace cairn::text {
namespace {

constexpr std::size_t detected_bytes = 64u << 10;  // that statistics look at

struct Mark {
  std::string_view bytes;
  const char* encoding;
};

// UTF-32 before UTF-16, whose mark begins the same.
constexpr Mark marks[] = {{std::string_view("\xEF\xBB\xBF", 3), "UTF-8"},
                          {std::string_view("\xFF\xFE\0\0", 4), "UTF-32LE"},
                          {std::string_view("\0\0\xFE\xFF", 4), "UTF-32BE"},
                          {std::string_view("\xFF\xFE", 2), "UTF-16LE"},
                          {std::string_view("\xFE\xFF", 2), "UTF-16BE"}};

bool is_control(unsigned char byte) {
  return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' &&
         byte != '\v' && byte != 0x1B && byte != '\b';
}

/// Text has next to no control characters; what programs write for themselves is full of them.
bool holds_controls(std::string_view bytes) {
  const auto count = static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
    return is_control(static_cast<unsigned char>(c));
  }));
  return count > 2 + bytes.size() / 200;
}

/// UTF-16 without a mark: one half of the bytes is mostly zero, the other one never.
const char* utf16_by_zeros(std::string_view bytes) {
  const std::string_view some = bytes.substr(0, detected_bytes & ~std::size_t{1});
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return nullptr;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i] == '\0') ++zeros[i % 2];
  const std::size_t many = some.size() / 2 / 4;
  if (zeros[0] == 0 && zeros[1] > many) return "UTF-16LE";
  if (zeros[1] == 0 && zeros[0] > many) return "UTF-16BE";
  return nullptr;
}

std::string by_statistics(std::string_view bytes) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UCharsetDetector, decltype(&ucsdet_close)> detector(ucsdet_open(&status),
                                                                            ucsdet_close);
  const std::string_view some = bytes.substr(0, detected_bytes);
  ucsdet_setText(detector.get(), some.data(), static_cast<std::int32_t>(some.size()), &status);
  const UCharsetMatch* match = ucsdet_detect(detector.get(), &status);
  if (U_FAILURE(status) || match == nullptr) return "windows-1252";
  const char* name = ucsdet_getName(match, &status);
  const std::int32_t confidence = ucsdet_getConfidence(match, &status);
  if (U_FAILURE(status) || confidence < 20) return "windows-1252";
  // Where Latin-1 has control characters, its successor has quotation marks and dashes.
  return std::string_view(name) == "ISO-8859-1" ? "windows-1252" : name;
}

/// Of encodings whose bytes are ASCII but for their shifts, as Japanese mail has them.
bool shifts_in_seven_bits(std::string_view bytes, std::string_view encoding) {
  const std::string name = lower_ascii(encoding.substr(0, 64));
  if (name.starts_with("iso-2022")) return bytes.find('\x1B') != std::string_view::npos;
  return name.starts_with("hz") && bytes.find("~{") != std::string_view::npos;
}

std::optional<std::string> text_only(std::optional<std::string> text) {
  if (!text || text->find('\0') != std::string::npos || holds_controls(*text)) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> from_encoding(std::string_view bytes, std::string_view name) {
  const std::string asked(name.substr(0, 64));
  if (asked.empty() || lower_ascii(asked).find("utf-7") != std::string::npos) return std::nullopt;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, decltype(&ucnv_close)> from(ucnv_open(asked.c_str(), &status),
                                                                ucnv_close);
  const std::unique_ptr<UConverter, decltype(&ucnv_close)> to(ucnv_open("UTF-8", &status),
                                                              ucnv_close);
  if (U_FAILURE(status)) return std::nullopt;
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4 + 16);
  std::vector<char> piece(16u << 10);
  std::array<UChar, 1024> pivot;
  UChar* pivot_source = pivot.data();
  UChar* pivot_target = pivot.data();
  const char* source = bytes.data();
  for (bool first = true;; first = false) {
    char* target = piece.data();
    status = U_ZERO_ERROR;
    ucnv_convertEx(to.get(), from.get(), &target, piece.data() + piece.size(), &source,
                   bytes.data() + bytes.size(), pivot.data(), &pivot_source, &pivot_target,
                   pivot.data() + pivot.size(), first, true, &status);
    out.append(piece.data(), static_cast<std::size_t>(target - piece.data()));
    if (status != U_BUFFER_OVERFLOW_ERROR) break;
  }
  if (U_FAILURE(status)) return std::nullopt;
  return out;
}

std::optional<std::string> any_encoding(std::string_view bytes, std::string_view likely) {
  for (const Mark& mark : marks)
    if (bytes.starts_with(mark.bytes))
      return text_only(from_encoding(bytes.substr(mark.bytes.size()), mark.encoding));
  if (bytes.find('\0') != std::string_view::npos) {
    const char* encoding = utf16_by_zeros(bytes);
    return encoding == nullptr ? std::nullopt : text_only(from_encoding(bytes, encoding));
  }
  if (shifts_in_seven_bits(bytes, likely))
    if (auto text = from_encoding(bytes, likely)) return text_only(std::move(text));
  if (is_utf8(bytes)) return text_only(std::string(bytes));
  if (holds_controls(bytes)) return std::nullopt;
  if (auto text = from_encoding(bytes, likely)) return text_only(std::move(text));
  return text_only(from_encoding(bytes, by_statistics(bytes)));
}

void encodings_without_files() {
  UErrorCode status = U_ZERO_ERROR;
  udata_setFileAccess(UDATA_NO_FILES, &status);
}

}  // namespace cairn::text
