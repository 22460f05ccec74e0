// SPDX-License-Identifier: Apache-2.0
// Answers of other servers: what is read has the shape that was asked for, and numbers are numbers.
// The first byte says whose answer it is.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/remote/answers.h"
#include "inference/remote/chat_chunks.h"
#include "net/http/sse.h"

namespace {

using namespace cairn::inference;

void read_chat(std::string_view text) {
  cairn::net::SseParser events(1 << 16);
  ChatChunks chunks(2, {.bytes = 1 << 16, .calls = 8});
  std::size_t bytes = 0;
  const auto see = [&](const cairn::Result<std::vector<TextPiece>>& pieces) {
    if (!pieces.ok()) return;
    for (const TextPiece& piece : *pieces) {
      if (piece.choice >= 2 || piece.calls.size() > 8) std::abort();
      bytes += piece.text.size();
    }
  };
  if (!events.feed(text).ok()) return;
  while (const auto event = events.next()) see(chunks.take(event->data));
  see(chunks.finish(true));
  if (bytes > 1 << 16) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'c') {
    read_chat(text);
    return 0;
  }
  const auto kind = static_cast<RemoteKind>(data[0] % 3);
  const WantedVectors wanted{.count = 2, .dimensions = data[0] / 3U % 4U, .bytes = data[0] >= 128};
  if (const auto read = read_vectors(kind, text, wanted); read.ok()) {
    if (read->vectors.size() != 2) std::abort();
    const std::size_t dimensions = read->vectors[0].size();
    if (dimensions == 0 || (wanted.dimensions != 0 && dimensions != wanted.dimensions))
      std::abort();
    for (const auto& vector : read->vectors) {
      if (vector.size() != dimensions) std::abort();
      for (const float number : vector)
        if (!std::isfinite(number)) std::abort();
    }
  }
  if (const auto read = read_scores(kind, text, 2); read.ok()) {
    if (read->scores.size() != 2) std::abort();
    for (const float score : read->scores)
      if (!std::isfinite(score)) std::abort();
  }
  if (refusal_text(text).size() > 1'000) std::abort();
  return 0;
}
