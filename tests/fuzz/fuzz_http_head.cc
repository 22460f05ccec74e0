// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the parsers of heads and of chunked bodies, whole and in pieces, which must agree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/head_parser.h"

namespace {

using namespace cairn::net;

void require(bool holds) {
  if (!holds) std::abort();
}

void heads(std::string_view bytes) {
  const auto end = find_head_end(bytes, 0);
  for (std::size_t size = 0, scanned = 0; size <= bytes.size(); scanned = size, size += 7) {
    const auto piece = find_head_end(bytes.substr(0, size), scanned);
    if (!piece) continue;
    require(end && *piece == *end);
    break;
  }
  const std::string_view head_bytes = bytes.substr(0, end.value_or(bytes.size()));
  RequestHead head;
  Framing framing;
  if (!parse_request_head(head_bytes, {}, head, framing)) {
    require(end.has_value());
    require(!(framing.chunked && framing.length));
    require(!head.method.empty() && !head.target.empty());
    for (const auto& [name, value] : head.headers.fields()) {
      require(!name.empty() && name.find_first_of("\r\n: ") == std::string::npos);
      require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    }
  }
  int status = 0;
  Headers headers;
  if (!parse_reply_head(head_bytes, {}, false, status, headers, framing)) {
    require(status >= 100 && status <= 999);
  }
}

std::string chunks(std::string_view bytes, std::size_t step, std::size_t room) {
  ChunkDecoder decoder;
  std::string out;
  std::string held;
  std::vector<char> buffer(room);
  for (std::size_t at = 0;;) {
    const auto result = decoder.decode(held, buffer);
    require(result.consumed <= held.size() && result.produced <= room);
    out.append(buffer.data(), result.produced);
    held.erase(0, result.consumed);
    if (result.outcome == ChunkDecoder::Outcome::broken) return out + "!";
    if (result.outcome == ChunkDecoder::Outcome::done) return out + ".";
    if (result.produced > 0 || result.consumed > 0) continue;
    if (at >= bytes.size()) return out + "?";
    held += bytes.substr(at, step);
    at += step;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  heads(bytes);
  const std::string whole = chunks(bytes, size + 1, size + 1);
  require(chunks(bytes, 1, 3) == whole);
  require(chunks(bytes, 5, 64) == whole);
  return 0;
}
