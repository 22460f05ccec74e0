// SPDX-License-Identifier: Apache-2.0
// The rules of the vendor's SDKs since January 2025, with their fall-back for other stores.
#include "objectclient/call/payload.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "objectclient/call/operation_traits.h"
#include "s3/checksum.h"

namespace cairn::objectclient {
namespace {

using s3::ChecksumAlgorithm;
using s3::Payload;

constexpr std::size_t digested_piece_bytes = 256 << 10;

/// The digests of a body, from one reading.
struct Digests {
  std::string sha256 = {};    // hexadecimal
  std::string checksum = {};  // base64
};

Result<Digests> digests_of(const Body& body, bool with_sha256,
                           std::optional<ChecksumAlgorithm> algorithm) {
  // A body that can be read once is not read for nothing.
  if (!with_sha256 && !algorithm) return Digests{};
  std::optional<Digest> sha;
  if (with_sha256) sha.emplace(DigestKind::sha256);
  std::optional<s3::Checksummer> summer;
  if (algorithm) summer.emplace(*algorithm);
  const auto take = [&](std::string_view bytes) {
    if (sha) sha->update(bytes);
    if (summer) summer->update(bytes);
  };
  if (const auto bytes = body.in_memory()) {
    take(*bytes);
  } else {
    CAIRN_TRY(const auto reader, body.open());
    const auto piece = std::make_unique_for_overwrite<char[]>(digested_piece_bytes);
    for (;;) {
      CAIRN_TRY(const std::size_t count, reader->read({piece.get(), digested_piece_bytes}));
      if (count == 0) break;
      take({piece.get(), count});
    }
  }
  Digests out;
  if (sha) out.sha256 = to_hex(sha->finish());
  if (summer) out.checksum = to_base64(summer->finish());
  return out;
}

bool has_checksum_field(const net::Headers& headers, s3::Dialect dialect) {
  for (const ChecksumAlgorithm algorithm : s3::all_checksum_algorithms)
    if (headers.has(s3::header_name(s3::header_of(algorithm), dialect))) return true;
  return false;
}

/// True where the signature shall cover the bytes of an object.
bool covers_bytes(const PayloadQuestion& question, bool has_checksum) {
  if (!question.is_signed) return false;
  if (*question.options.payload_signing == "always") return true;
  if (*question.options.payload_signing == "never") return false;
  return !question.https || !has_checksum;
}

/// A stream that is read once and goes to a store of somebody's own. Such stores know chunks that
/// are signed one by one, and often no trailer: they refuse it, or keep its lines as bytes of the
/// object. So no checksum goes behind it that nobody asked for; the signatures cover the bytes.
bool leaves_trailer_out(const PayloadQuestion& question, bool algorithm_was_named) {
  return question.own_endpoint && question.symmetric && !algorithm_was_named &&
         !question.operation.checksum_required;
}

/// A stream with its digests behind it.
PayloadPlan in_chunks(const PayloadQuestion& question, bool covered,
                      std::optional<ChecksumAlgorithm> algorithm, net::Headers& headers,
                      std::uint64_t length) {
  const s3::Dialect dialect = question.dialect;
  PayloadPlan plan{.payload = Payload::chunked_unsigned_trailer,
                   .trailer = algorithm,
                   .chunked = true,
                   .length = length};
  // Chunks are signed with the key of sigv4 only.
  if (covered && question.symmetric)
    plan.payload = algorithm ? Payload::chunked_signed_trailer : Payload::chunked_signed;
  plan.hash = s3::value_name(s3::name_of(plan.payload), dialect);
  std::string coding = s3::value_name("aws-chunked", dialect);
  if (const auto own = headers.find("Content-Encoding")) coding += "," + std::string(*own);
  headers.set("Content-Encoding", coding);
  headers.set(s3::header_name("x-amz-decoded-content-length", dialect), std::to_string(length));
  if (algorithm)
    headers.set(s3::header_name("x-amz-trailer", dialect),
                s3::header_name(s3::header_of(*algorithm), dialect));
  return plan;
}

}  // namespace

std::optional<ChecksumAlgorithm> request_checksum(const s3::Operation& operation,
                                                  const ClientOptions& options, s3::Dialect dialect,
                                                  const net::Headers& headers) {
  if (has_checksum_field(headers, dialect)) return std::nullopt;
  if (const auto named = headers.find(s3::header_name("x-amz-sdk-checksum-algorithm", dialect)))
    return s3::checksum_algorithm_of(*named);
  const bool wanted =
      *options.request_checksum_calculation == "when_supported" && takes_checksum(operation);
  if (operation.checksum_required || wanted) return ChecksumAlgorithm::crc32;
  return std::nullopt;
}

Result<PayloadPlan> plan_payload(const PayloadQuestion& question, const Body& body,
                                 net::Headers& headers) {
  const s3::Dialect dialect = question.dialect;
  const auto length = body.length();
  if (!length) {
    // A file that is not there is a better reason than one without a length.
    CAIRN_TRY(const auto opened, body.open());
    return Error{ErrorKind::invalid_argument, "MissingContentLength",
                 "the length of the body is not known; give it, or upload in parts"};
  }
  const bool empty = *length == 0;
  const bool own_checksum = has_checksum_field(headers, dialect);
  auto algorithm = request_checksum(question.operation, question.options, dialect, headers);
  // A body that is not there has no checksum, unless the operation is about one.
  if (empty && !question.operation.stream_in) algorithm.reset();
  const bool stream = question.operation.stream_in;
  const bool once = stream && !body.rewindable() && !empty;
  const bool named = headers.has(s3::header_name("x-amz-sdk-checksum-algorithm", dialect));
  if (once && (!question.is_signed || leaves_trailer_out(question, named))) {
    algorithm.reset();
    headers.remove(s3::header_name("x-amz-sdk-checksum-algorithm", dialect));
  }
  if (algorithm && takes_checksum(question.operation))
    headers.set(s3::header_name("x-amz-sdk-checksum-algorithm", dialect), s3::name_of(*algorithm));

  const bool covered =
      stream ? covers_bytes(question, algorithm || own_checksum) : question.is_signed;
  const bool trailing = stream && question.https && !question.own_endpoint && algorithm && !empty &&
                        question.is_signed;
  const bool must_chunk = once && question.is_signed && (algorithm || covered);
  if (trailing || must_chunk) return in_chunks(question, covered, algorithm, headers, *length);

  PayloadPlan plan{.length = *length};
  CAIRN_TRY(const Digests digests, empty && !algorithm ? Result<Digests>(Digests{})
                                                       : digests_of(body, covered, algorithm));
  if (algorithm) headers.set(s3::header_name(s3::header_of(*algorithm), dialect), digests.checksum);
  if (!covered) {
    plan.payload = Payload::unsigned_;
    plan.hash = std::string(s3::name_of(Payload::unsigned_));
  } else {
    plan.hash = digests.sha256.empty() ? std::string(s3::empty_sha256) : digests.sha256;
  }
  return plan;
}

}  // namespace cairn::objectclient
