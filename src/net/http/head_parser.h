// SPDX-License-Identifier: Apache-2.0
// Heads and chunked bodies: the strict checks around Boost.Beast's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "net/http/message.h"

namespace cairn::net {

struct HeadLimits {
  std::size_t bytes = 64 << 10;        // of the whole head
  std::size_t fields = 200;            // number of header fields
  std::size_t field_bytes = 16 << 10;  // of one field's value
  std::size_t target_bytes = 16 << 10;
};

/// Why a head is refused: the status that answers it, and what is wrong with it.
struct HeadFault {
  int status = 400;
  std::string_view reason;
};

/// Where the body of a message ends, and what happens afterwards.
struct Framing {
  std::optional<std::uint64_t> length;  // what Content-Length says
  bool chunked = false;
  bool until_close = false;  // replies only
  bool keep_alive = true;
  bool expect_continue = false;
};

/// The number of bytes up to and with the empty line that ends a head; nothing while it is not
/// there. `scanned` bytes are known to hold no end, and are not looked at again. A line that ends
/// without CR ends the head too, so that it is refused at once.
std::optional<std::size_t> find_head_end(std::string_view bytes, std::size_t scanned);

/// Parses `bytes`, a whole head with its empty line, into `head` (method, target, version, headers)
/// and `framing`. Refuses everything that two readers could understand differently.
std::optional<HeadFault> parse_request_head(std::string_view bytes, const HeadLimits& limits,
                                            RequestHead& head, Framing& framing);

/// The same for a reply; `request_was_head` because such a reply has no body whatever it says.
std::optional<HeadFault> parse_reply_head(std::string_view bytes, const HeadLimits& limits,
                                          bool request_was_head, int& status, Headers& headers,
                                          Framing& framing);

/// Takes the framing of a chunked body away.
class ChunkDecoder {
 public:
  ChunkDecoder();
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  enum class Outcome {
    more,    // all that can be done with these bytes is done: give the rest and what follows
    done,    // the body and its trailers are complete
    broken,  // not chunks; reason() says why
  };
  struct Step {
    Outcome outcome;
    std::size_t consumed;
    std::size_t produced;
  };
  /// Decodes from `in` to `out` until one of them is used up.
  Step decode(std::string_view in, std::span<char> out);
  const Headers& trailers() const;
  std::string_view reason() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::net
