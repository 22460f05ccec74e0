// SPDX-License-Identifier: Apache-2.0
// Bodies as they come from a socket: by length, in chunks, until the end; and gzip taken off.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/compress.h"
#include "net/http/head_parser.h"
#include "net/http/message.h"
#include "net/transport.h"

namespace cairn::net {

/// Bytes received and not used yet, in storage that somebody else owns, and the socket behind.
class Inlet {
 public:
  Inlet(Transport& transport, std::span<char> storage) : transport_(transport), storage_(storage) {}

  std::string_view view() const { return {storage_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void consume(std::size_t count) { begin_ += count; }
  void put_back(std::string_view bytes);  // into an empty inlet
  Transport& transport() { return transport_; }

  /// One read behind what is there, without waiting. With a full storage: failed.
  Io fill();
  /// The same, waiting. 0 at the end. Errors: those of Patience; cancelled when reset.
  Result<std::size_t> fill(Patience& patience);
  /// Past the storage, which must be empty. With `gather` a wait lasts until all of `into` can be
  /// filled, but not long.
  Result<std::size_t> read_past(std::span<char> into, Patience& patience, bool gather = false);
  std::uint64_t received() const { return received_; }

 private:
  Status wait_for(std::size_t bytes, IoState state, Patience& patience);
  void make_room();
  Transport& transport_;
  std::span<char> storage_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t received_ = 0;
  bool peer_is_slow_ = false;
};

/// A body as its framing says.
class FramedBody final : public BodyReader {
 public:
  /// `limit_bytes` 0: none. `before_first_read` runs once, before the socket is asked.
  FramedBody(Inlet& inlet, const Framing& framing, Patience& patience, std::uint64_t limit_bytes,
             std::function<Status()> before_first_read = {});

  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override { return length_; }
  const Headers& trailers() const override;

  bool at_end() const { return done_; }
  /// Whoever reads in large pieces may wait until one is there: each time that somebody wakes up
  /// costs both sides. Not for a peer that is slow.
  void gather() { gathers_ = true; }
  /// Nothing that follows on the connection can be trusted.
  bool is_broken() const { return broken_; }
  /// What is known to be still to come.
  std::uint64_t left() const { return done_ ? 0 : chunks_ || until_close_ ? 1 : left_; }

 private:
  Result<std::size_t> read_length(std::span<char> into);
  Result<std::size_t> read_chunks(std::span<char> into);
  Error broken(std::string_view why);

  Inlet& inlet_;
  Patience& patience_;
  std::optional<std::uint64_t> length_;
  std::uint64_t left_ = 0;
  std::optional<ChunkDecoder> chunks_;
  std::uint64_t limit_bytes_;
  std::uint64_t total_ = 0;
  std::function<Status()> before_;
  bool gathers_ = false;
  bool until_close_ = false;
  bool done_ = false;
  bool broken_ = false;
};

/// Takes gzip or deflate off another body. No length is known, but of one that has no bytes.
/// Errors: those of the other; invalid_argument for what is not gzip or ends early; too_large past
/// `limit_bytes` (0: none), or past a hundred times what was received once that is over 1 MiB.
class InflatingBody final : public BodyReader {
 public:
  InflatingBody(BodyReader& raw, std::uint64_t limit_bytes) : raw_(raw), limit_(limit_bytes) {}
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override {
    return raw_.length() == 0 ? raw_.length() : std::nullopt;
  }
  const Headers& trailers() const override { return raw_.trailers(); }

 private:
  Status more();
  BodyReader& raw_;
  std::uint64_t limit_;
  Inflater inflater_;
  std::string in_;
  std::string_view rest_;
  std::string out_;
  std::size_t out_at_ = 0;
  bool holds_more_ = false;  // the inflater stopped because there was no room
  std::uint64_t received_ = 0;
  std::uint64_t inflated_ = 0;
  bool done_ = false;
};

}  // namespace cairn::net
