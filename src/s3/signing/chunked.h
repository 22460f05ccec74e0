// SPDX-License-Identifier: Apache-2.0
// Bodies in signed chunks (Content-Encoding aws-chunked): the reader that takes the framing off and
// judges signatures, and the one that puts it on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/checksum.h"
#include "s3/signing/signing.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

inline constexpr std::size_t chunk_bytes_min = 8192;  // every chunk but the last

/// What the signatures of chunks are made from.
struct ChunkSigning {
  std::string key = {};        // the signing key of the scope; not of SigV4A
  std::string seed_signature;  // of the request's head
  std::int64_t time_ms = 0;
  Scope scope = {};
  Dialect dialect = Dialect::aws;
  std::shared_ptr<const AsymmetricKey> pair = {};  // of SigV4A
};

/// The signature of a chunk after one with `previous`; `data_hash` is the chunk's SHA-256 in hex.
std::string chunk_signature(const ChunkSigning& signing, std::string_view previous,
                            std::string_view data_hash);
/// The signature of trailing fields, each "name:value\n".
std::string trailer_signature(const ChunkSigning& signing, std::string_view previous,
                              std::string_view fields);

struct ChunkedParams {
  Payload payload = Payload::chunked_signed;
  std::uint64_t decoded_length = 0;          // x-amz-decoded-content-length
  std::string trailer_name = {};             // x-amz-trailer; empty: none is expected
  std::optional<ChunkSigning> signing = {};  // of the signed forms
};

/// Decodes `inner`, which outlives it. Bytes are handed on as they come; the read that ends the
/// body fails if anything before it was not as signed, so nothing may be kept before a 0 was read.
/// Errors: those of `inner`; IncompleteBody, InvalidChunkSizeError, SignatureDoesNotMatch,
/// MalformedTrailerError, InvalidRequest (framing).
class ChunkedReader final : public net::BodyReader {
 public:
  ChunkedReader(net::BodyReader& inner, ChunkedParams params);
  ~ChunkedReader() override;
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override;
  const net::Headers& trailers() const override;  // the checksum, after the end was read

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ChunkWriterParams {
  Payload payload = Payload::chunked_signed;
  std::size_t chunk_bytes = 64 << 10;
  std::optional<ChecksumAlgorithm> trailer = {};  // computed on the way
  std::optional<ChunkSigning> signing = {};
  Dialect dialect = Dialect::aws;  // where `signing` does not say it
};

/// Encodes `inner`, whose length must be known. For clients.
class ChunkedWriter final : public net::BodyReader {
 public:
  ChunkedWriter(net::BodyReader& inner, ChunkWriterParams params);
  ~ChunkedWriter() override;
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override;  // encoded
  const net::Headers& trailers() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The bytes that a body of `decoded` bytes takes with its framing.
std::uint64_t encoded_length(std::uint64_t decoded, const ChunkWriterParams& params);

}  // namespace cairn::s3
