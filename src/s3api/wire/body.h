// SPDX-License-Identifier: Apache-2.0
// The body of a request, with everything that covers it verified on the way: framing, signatures of
// chunks, SHA-256 of the head, checksums in head or trailer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "s3/checksum.h"
#include "s3/signing/chunked.h"
#include "s3api/call.h"

namespace cairn::s3api {

class IncomingBody {
 public:
  /// Reads nothing yet, so that a refusal can be sent before the client sends its bytes.
  /// Its checksum is of the algorithm that the request chose, else of `otherwise`.
  /// Errors: MissingContentLength, InvalidRequest, InvalidDigest.
  static Result<std::unique_ptr<IncomingBody>> open(
      const Call& call, s3::ChecksumAlgorithm otherwise = s3::ChecksumAlgorithm::crc64nvme);

  std::optional<std::uint64_t> length() const;  // of the bytes that read() gives
  /// Up to into.size() bytes; 0 at the end, and then all checks have passed. Nothing may be kept
  /// before that. Errors: IncompleteBody, XAmzContentSHA256Mismatch, BadDigest, those of
  /// s3::ChunkedReader, timeout, cancelled.
  Result<std::size_t> read(std::span<char> into);

  const std::optional<std::string>& content_md5() const { return content_md5_; }  // 16 raw bytes
  /// Compares what the request said its MD5 is. Errors: BadDigest.
  Status check_md5(std::string_view md5_hex) const;
  /// The body's checksum; its value after the end, its algorithm before.
  const s3::Checksum& checksum() const { return checksum_; }
  /// True where the request brought that checksum.
  bool has_own_checksum() const { return given_ || !trailer_name_.empty(); }
  /// True where the request brought a checksum or Content-MD5 of its own.
  bool is_covered() const { return content_md5_ || has_own_checksum(); }

 private:
  IncomingBody(const Call& call, net::BodyReader& raw) : call_(call), reader_(&raw) {}
  Status open_chunks();
  Result<s3::ChunkSigning> chunk_signing() const;
  Status choose_checksum(s3::ChecksumAlgorithm otherwise);
  Status check_all();

  const Call& call_;
  net::BodyReader* reader_;  // the raw one, or chunks_
  std::unique_ptr<s3::ChunkedReader> chunks_;
  std::optional<Digest> sha256_;
  std::optional<s3::Checksummer> summer_;
  std::optional<s3::Checksum> given_;
  std::string trailer_name_;
  std::optional<std::string> content_md5_;
  s3::Checksum checksum_;
  bool ended_ = false;
};

/// The whole body of a request whose body is XML, verified; gzip is taken off where
/// Content-Encoding names it. Errors: those above; MaxMessageLengthExceeded, before and after that;
/// InvalidRequest where a checksum is required and there is none, and for gzip that is broken.
Result<std::string> read_document(const Call& call);

}  // namespace cairn::s3api
