// SPDX-License-Identifier: Apache-2.0
// What a server and the process that reads files for it say to each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/extract/file.h"

namespace cairn::connectors {

/// Before the name and the bytes of a file. Both sides are one program, so that it is sent as it
/// lies in memory.
struct ExtractRequest {
  std::uint32_t name_bytes = 0;
  std::uint32_t cpu_ms = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t unpacked_bytes_max = 0;
  std::uint64_t text_bytes_max = 0;
  std::uint64_t rows = 0;           // 1: yes
  std::uint64_t charset_bytes = 0;  // which follow the name
};

/// Before the answer itself.
struct ExtractReplyHead {
  std::uint64_t bytes = 0;
};

/// The answer, an error too, as bytes.
std::string encode_reply(const Result<ExtractedFile>& file);

/// The answer in bytes that a process sent which a hostile file may have taken over: every length
/// is looked at, and all text is UTF-8. Fields of rows are JSON objects. Errors: the one that was
/// sent; corrupt where it is no answer.
Result<ExtractedFile> decode_reply(std::string_view bytes);

}  // namespace cairn::connectors
