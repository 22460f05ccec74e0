// SPDX-License-Identifier: Apache-2.0
// Signature Version 4: making signatures (client) and judging them (service), in header fields and
// in queries. Pure: the time comes in, nothing is read or sent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "net/http/message.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

inline constexpr std::int64_t skew_max_ms = 15 * 60 * 1000;
inline constexpr std::int64_t presigned_seconds_max = 7 * 24 * 3600;
inline constexpr std::string_view empty_sha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// The services of signatures: of general purpose buckets, of directory buckets, of outposts.
inline constexpr std::string_view general_service = "s3";
inline constexpr std::string_view directory_service = "s3express";
inline constexpr std::string_view outposts_service = "s3-outposts";

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token = {};
};

/// What a signing key is good for: one day, one region, one service.
struct Scope {
  std::string date;    // yyyymmdd
  std::string region;  // empty: of SigV4A, which names regions elsewhere
  std::string service = "s3";
  std::string text(Dialect dialect) const;  // 20260131/us-east-1/s3/aws4_request
};

/// How the body of a request is covered: the meaning of x-amz-content-sha256.
enum class Payload {
  hashed,                        // the field is the body's SHA-256
  unsigned_,                     // UNSIGNED-PAYLOAD
  chunked_signed,                // STREAMING-AWS4-HMAC-SHA256-PAYLOAD
  chunked_signed_trailer,        // STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER
  chunked_unsigned_trailer,      // STREAMING-UNSIGNED-PAYLOAD-TRAILER
  chunked_ecdsa_signed,          // STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD
  chunked_ecdsa_signed_trailer,  // STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER
};
/// The word of the field in dialect aws; empty for `hashed`.
std::string_view name_of(Payload payload);
inline bool is_chunked(Payload payload) {
  return payload != Payload::hashed && payload != Payload::unsigned_;
}
/// Chunks that are signed as SigV4A signs.
inline bool is_asymmetric(Payload payload) {
  return payload == Payload::chunked_ecdsa_signed ||
         payload == Payload::chunked_ecdsa_signed_trailer;
}

class AsymmetricKey;

/// Signing keys, derived once and kept for as long as they are asked for. Safe from any thread.
class SigningKeys {
 public:
  std::string key(std::string_view secret, const Scope& scope, Dialect dialect);
  /// The pair of SigV4A. Errors: internal.
  Result<std::shared_ptr<const AsymmetricKey>> pair(std::string_view access_key_id,
                                                    std::string_view secret, Dialect dialect);

 private:
  struct Entry {
    std::string secret;
    std::string key = {};
    std::shared_ptr<const AsymmetricKey> pair = {};
  };
  Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ CAIRN_GUARDED_BY(mutex_);
};

inline constexpr std::string_view hmac_algorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view ecdsa_algorithm = "AWS4-ECDSA-P256-SHA256";  // SigV4A

std::string string_to_sign(std::string_view canonical_request, std::int64_t time_ms,
                           const Scope& scope, Dialect dialect,
                           std::string_view algorithm = hmac_algorithm);

struct SigningParams {
  Credentials credentials;
  std::string region;
  std::string service = "s3";
  Dialect dialect = Dialect::aws;
  std::int64_t time_ms = 0;
  bool normalize_path = false;
  bool content_sha256_header = true;  // as object storage wants it
};

struct Signature {
  std::string canonical_request;
  std::string string_to_sign;
  std::string signature;      // 64 hexadecimal digits; the seed of chunk signatures
  std::string authorization;  // of header signing
  Scope scope;
};

/// Adds the date, the token, the payload hash and Authorization to `headers`. Host must be there.
Signature sign_headers(std::string_view method, std::string_view path, std::string_view query,
                       net::Headers& headers, std::string_view payload_hash,
                       const SigningParams& params, SigningKeys& keys);
/// SigV4A: the same, good in every region of `region_set` ("us-east-1,eu-*", or "*").
/// Errors: internal.
Result<Signature> sign_headers_for_regions(std::string_view method, std::string_view path,
                                           std::string_view query, net::Headers& headers,
                                           std::string_view payload_hash,
                                           std::string_view region_set, const SigningParams& params,
                                           SigningKeys& keys);
/// Appends the X-Amz-* parameters to `query`. All of `headers` are signed; Host must be there.
Signature sign_query(std::string_view method, std::string_view path, std::string& query,
                     const net::Headers& headers, std::string_view payload_hash,
                     std::int64_t expires_seconds, const SigningParams& params, SigningKeys& keys);

/// The signature of a form: over its policy as the form has it.
std::string sign_form(std::string_view policy, std::string_view secret, const Scope& scope,
                      Dialect dialect, SigningKeys& keys);

/// What a request claims about its signature, before anything is believed.
struct Claim {
  bool in_query = false;
  bool in_form = false;             // form_claim.h; then without signed_headers
  bool version_two = false;         // version_two.h; then without scope and signed_headers
  std::int64_t expires_at_ms = 0;   // of that version
  bool asymmetric = false;  // SigV4A
  std::string region_set;   // then: where it is good, "us-east-1,eu-*"
  Dialect dialect = Dialect::aws;
  std::string access_key_id;
  Scope scope;
  std::vector<std::string> signed_headers;  // lower case, ascending
  std::string signature;
  std::int64_t time_ms = 0;
  std::int64_t expires_seconds = 0;  // in a query
  std::string session_token;
  std::string directory_session;  // the token of a session with a directory bucket
  std::string payload_hash;  // as it stands in the canonical request
  Payload payload = Payload::unsigned_;
};

/// Nothing for a request without credentials. Errors: AuthorizationHeaderMalformed,
/// AuthorizationQueryParametersError, InvalidRequest, InvalidArgument, AccessDenied (no date).
/// Version 2 of the signature is read in queries; of header fields it is refused.
Result<std::optional<Claim>> read_claim(const net::RequestHead& head);

struct VerifyParams {
  std::string_view secret;
  std::int64_t now_ms = 0;
  std::vector<std::string> regions = {};       // accepted; empty: any
  std::vector<std::string> host_aliases = {};  // names under which clients know this service
  std::string_view bucket_of_host = {};        // where the host name carries one
  std::string_view service = general_service;  // that the request must be signed for
};

/// Whether the request says that it is signed for directory buckets: what tells the listing of them
/// from that of the others. Nothing is verified.
bool is_signed_for_directories(const net::RequestHead& head);

/// Errors: AuthorizationHeaderMalformed (service, region), RequestTimeTooSkewed, AccessDenied (expired; not
/// yet valid; header fields that were not signed), SignatureDoesNotMatch with both texts. A
/// x-amz-content-sha256 that stands unsigned beside a signed query is no part of the request.
Status verify_claim(const Claim& claim, const net::RequestHead& head, const VerifyParams& params,
                    SigningKeys& keys);

}  // namespace cairn::s3
