// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/body.h"

#include <algorithm>

#include "base/compress.h"
#include "base/encode.h"
#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

// The transport speaks of framing; clients of this protocol know one word for it.
Error as_body_error(Error error) {
  if (!error.code.empty() && s3::find_error(error.code) != nullptr) return error;
  if (error.kind == ErrorKind::invalid_argument) return s3::error("IncompleteBody");
  return error;
}

std::optional<std::uint64_t> decoded_length(const Call& call) {
  const auto text = call.header("x-amz-decoded-content-length");
  return text ? parse_number<std::uint64_t>(*text) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<IncomingBody>> IncomingBody::open(const Call& call,
                                                         s3::ChecksumAlgorithm otherwise) {
  std::unique_ptr<IncomingBody> body(new IncomingBody(call, call.bytes()));
  if (const auto text = call.headers().find("Content-MD5")) {
    body->content_md5_ = from_base64(*text);
    if (!body->content_md5_ || body->content_md5_->size() != 16)
      return s3::error("InvalidDigest").with_detail("Content-MD5", std::string(*text));
  }
  if (s3::is_chunked(call.identity.claim().payload)) {
    CAIRN_CHECK(body->open_chunks());
  } else if (call.form == nullptr && !call.headers().has("Content-Length") &&
             !call.headers().has("Transfer-Encoding")) {
    return s3::error("MissingContentLength");
  }
  if (call.identity.claim().payload == s3::Payload::hashed) body->sha256_.emplace(DigestKind::sha256);
  CAIRN_CHECK(body->choose_checksum(otherwise));
  return body;
}

Status IncomingBody::open_chunks() {
  const auto length = decoded_length(call_);
  if (!length) return s3::error("MissingContentLength");
  s3::ChunkedParams params{.payload = call_.identity.claim().payload, .decoded_length = *length};
  if (const auto name = call_.header("x-amz-trailer")) {
    trailer_name_ = lower_ascii(trim(*name));
    const auto known =
        std::any_of(std::begin(s3::all_checksum_algorithms), std::end(s3::all_checksum_algorithms),
                    [&](s3::ChecksumAlgorithm a) {
                      return s3::header_name(s3::header_of(a), call_.dialect) == trailer_name_;
                    });
    if (!known)
      return s3::error("InvalidRequest",
                       "The value specified in the x-amz-trailer header is not supported");
    params.trailer_name = trailer_name_;
  }
  if (call_.identity.claim().payload != s3::Payload::chunked_unsigned_trailer) {
    CAIRN_TRY(params.signing, chunk_signing());
  }
  chunks_ = std::make_unique<s3::ChunkedReader>(*reader_, std::move(params));
  reader_ = chunks_.get();
  return ok_status();
}

Result<s3::ChunkSigning> IncomingBody::chunk_signing() const {
  const s3::Claim& claim = call_.identity.claim();
  s3::SigningKeys& keys = call_.context.signing_keys;
  s3::ChunkSigning signing{.seed_signature = claim.signature,
                           .time_ms = claim.time_ms,
                           .scope = claim.scope,
                           .dialect = call_.dialect};
  if (!claim.asymmetric) {
    signing.key = keys.key(call_.identity.secret(), claim.scope, call_.dialect);
    return signing;
  }
  CAIRN_TRY(signing.pair, keys.pair(claim.access_key_id, call_.identity.secret(), call_.dialect));
  return signing;
}

Status IncomingBody::choose_checksum(s3::ChecksumAlgorithm otherwise) {
  // A document with checksum parameters of its own (a completion) is not what they are about.
  const s3::Operation& operation = *call_.operation;
  if (operation.stream_in || operation.input().find("checksum_crc32") == nullptr) {
    CAIRN_TRY(given_, s3::checksum_from_headers(call_.headers(), call_.dialect));
  }
  checksum_.algorithm = otherwise;
  if (given_) checksum_.algorithm = given_->algorithm;
  for (const s3::ChecksumAlgorithm algorithm : s3::all_checksum_algorithms) {
    if (trailer_name_ != s3::header_name(s3::header_of(algorithm), call_.dialect)) continue;
    if (given_)
      return s3::error("InvalidRequest",
                       "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                       "allowed.");
    checksum_.algorithm = algorithm;
  }
  summer_.emplace(checksum_.algorithm);
  return ok_status();
}

std::optional<std::uint64_t> IncomingBody::length() const { return reader_->length(); }

Result<std::size_t> IncomingBody::read(std::span<char> into) {
  if (ended_) return std::size_t{0};
  auto count = reader_->read(into);
  if (!count.ok()) return as_body_error(std::move(count).error());
  if (*count == 0) {
    CAIRN_CHECK(check_all());
    ended_ = true;
    return std::size_t{0};
  }
  const std::string_view bytes(into.data(), *count);
  if (sha256_) sha256_->update(bytes);
  summer_->update(bytes);
  return count;
}

Status IncomingBody::check_all() {
  if (sha256_) {
    const std::string computed = to_hex(sha256_->finish());
    if (computed != lower_ascii(call_.identity.claim().payload_hash))
      return s3::error("XAmzContentSHA256Mismatch")
          .with_detail("ClientComputedContentSHA256", call_.identity.claim().payload_hash)
          .with_detail("S3ComputedContentSHA256", computed);
  }
  checksum_.value = to_base64(summer_->finish());
  std::string expected = given_ ? given_->value : std::string();
  if (!trailer_name_.empty()) {
    expected = reader_->trailers().find(trailer_name_).value_or("");
    if (!s3::is_checksum_value(checksum_.algorithm, expected))
      return s3::error("InvalidRequest",
                       "Value for " + trailer_name_ + " trailing header is invalid.");
  }
  if (!expected.empty() && expected != checksum_.value)
    return s3::error("BadDigest", "The " + std::string(s3::name_of(checksum_.algorithm)) +
                                      " you specified did not match the calculated checksum.");
  return ok_status();
}

Status IncomingBody::check_md5(std::string_view md5_hex) const {
  if (!content_md5_ || to_hex(*content_md5_) == md5_hex) return ok_status();
  return s3::error("BadDigest")
      .with_detail("CalculatedDigest", to_base64(from_hex(md5_hex).value_or("")))
      .with_detail("ExpectedDigest", to_hex(*content_md5_));
}

namespace {

// Clients compress long configurations; "aws-chunked" says how a body is framed, not what it is.
bool says_gzip(const Call& call) {
  const auto encodings = call.headers().find("Content-Encoding");
  if (!encodings) return false;
  for (const auto& one : split(*encodings, ','))
    if (equals_ignore_case(trim(one), "gzip")) return true;
  return false;
}

}  // namespace

Result<std::string> read_document(const Call& call) {
  const bool announced = call.headers().has("Content-Length") ||
                         call.headers().has("Transfer-Encoding") ||
                         s3::is_chunked(call.identity.claim().payload);
  if (!announced && !call.operation->checksum_demanded) return std::string();
  CAIRN_TRY(const auto body, IncomingBody::open(call));
  const std::size_t limit = call.context.options.document_bytes_max;
  const auto too_long = [&] {
    return s3::error("MaxMessageLengthExceeded")
        .with_detail("MaxMessageLengthBytes", std::to_string(limit));
  };
  if (call.operation->checksum_demanded && !body->is_covered())
    return s3::error("InvalidRequest",
                     "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
  if (body->length().value_or(0) > limit) return too_long();
  std::string text;
  std::string buffer(64 << 10, '\0');
  while (true) {
    CAIRN_TRY(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    if (text.size() + count > limit) return too_long();
    text.append(buffer, 0, count);
  }
  CAIRN_CHECK(body->check_md5(to_hex(md5(text))));
  if (!says_gzip(call)) return text;
  auto plain = gunzip(text, limit);
  if (plain.ok()) return plain;
  if (plain.error().kind == ErrorKind::too_large) return too_long();
  return s3::error("InvalidRequest", "The body is not what Content-Encoding says it is: gzip");
}

}  // namespace cairn::s3api
