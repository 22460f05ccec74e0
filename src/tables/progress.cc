// SPDX-License-Identifier: Apache-2.0
#include "tables/progress.h"

#include "base/bytes.h"
#include "base/encode.h"

namespace cairn::tables {
namespace {

constexpr std::uint8_t progress_version = 1;
constexpr std::uint8_t began_bit = 1;
constexpr std::uint8_t filled_bit = 2;

}  // namespace

std::string encode(const Progress& progress) {
  std::string out;
  put_u8(out, progress_version);
  put_u8(out, static_cast<std::uint8_t>((progress.began ? began_bit : 0) |
                                        (progress.filled ? filled_bit : 0)));
  put_varint(out, progress.applied);
  put_string(out, progress.after);
  return to_hex(out);
}

Result<Progress> decode_progress(std::string_view note) {
  const auto bytes = from_hex(note);
  ByteReader in(bytes ? std::string_view(*bytes) : std::string_view());
  const auto version = in.u8();
  const auto bits = in.u8();
  const auto applied = in.varint();
  const auto after = in.string();
  if (!after || !in.at_end() || *version != progress_version ||
      (*bits & ~(began_bit | filled_bit)) != 0)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "how far the index of a table is cannot be read"};
  return Progress{.began = (*bits & began_bit) != 0,
                  .filled = (*bits & filled_bit) != 0,
                  .applied = *applied,
                  .after = std::string(*after)};
}

}  // namespace cairn::tables
