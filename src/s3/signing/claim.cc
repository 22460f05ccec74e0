// SPDX-License-Identifier: Apache-2.0
// The service's half of signing.h: what a request claims, and whether it is true.
#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/errors.h"
#include "s3/signing/asymmetric.h"
#include "s3/signing/canonical.h"
#include "s3/signing/claim_parts.h"
#include "s3/signing/signing.h"
#include "s3/signing/version_two.h"

namespace cairn::s3 {
namespace {

using Query = net::QueryParameters;

const std::string* find_parameter(const Query& query, std::string_view name) {
  for (const auto& [field, value] : query)
    if (field == name) return &value;
  return nullptr;
}

void read_signed_headers(std::string_view text, Claim& claim) {
  for (std::string_view name : split(text, ';'))
    if (!name.empty()) claim.signed_headers.push_back(lower_ascii(name));
  std::sort(claim.signed_headers.begin(), claim.signed_headers.end());
  claim.signed_headers.erase(std::unique(claim.signed_headers.begin(), claim.signed_headers.end()),
                             claim.signed_headers.end());
}

bool is_signed(const Claim& claim, const std::string& name) {
  return std::binary_search(claim.signed_headers.begin(), claim.signed_headers.end(), name);
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && from_hex(text).has_value();
}

Status read_payload(std::string_view text, Claim& claim) {
  claim.payload_hash = text;
  const std::string named = value_from_wire(text, claim.dialect);
  for (const Payload payload :
       {Payload::unsigned_, Payload::chunked_signed, Payload::chunked_signed_trailer,
        Payload::chunked_unsigned_trailer, Payload::chunked_ecdsa_signed,
        Payload::chunked_ecdsa_signed_trailer}) {
    if (named != name_of(payload)) continue;
    const bool signs_chunks = is_chunked(payload) && payload != Payload::chunked_unsigned_trailer;
    if (signs_chunks && is_asymmetric(payload) != claim.asymmetric) break;  // two algorithms
    claim.payload = payload;
    return ok_status();
  }
  claim.payload = Payload::hashed;
  if (is_sha256_hex(text)) return ok_status();
  return error("InvalidArgument",
               "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
               "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, "
               "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, "
               "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a valid sha256 value.")
      .with_detail("ArgumentName", "x-amz-content-sha256")
      .with_detail("ArgumentValue", std::string(text));
}

Status read_header_date(const net::Headers& headers, Claim& claim) {
  std::optional<std::int64_t> ms;
  if (const auto text = headers.find(header_name("x-amz-date", claim.dialect))) {
    ms = parse_basic_iso8601(*text);
    if (!ms) ms = parse_http_date(*text);
  } else if (const auto date = headers.find("Date")) {
    ms = parse_http_date(*date);
    if (!ms) ms = parse_basic_iso8601(*date);
  }
  if (!ms)
    return error("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
  claim.time_ms = *ms;
  if (format_basic_iso8601(*ms).substr(0, 8) != claim.scope.date)
    return header_malformed("Invalid credential date. Date is not the same as X-Amz-Date.");
  return ok_status();
}

Result<std::optional<Claim>> read_header_claim(const net::RequestHead& head,
                                               std::string_view authorization) {
  Claim claim;
  const std::size_t space = authorization.find(' ');
  const std::string_view scheme = authorization.substr(0, space);
  if (scheme.starts_with("SVC4-")) claim.dialect = Dialect::svc;
  claim.asymmetric = scheme == value_name(ecdsa_algorithm, claim.dialect);
  if (scheme == "AWS") {
    return version_two_refused();
  } else if (!claim.asymmetric && scheme != value_name(hmac_algorithm, claim.dialect)) {
    return error("InvalidArgument", "Unsupported Authorization Type")
        .with_detail("ArgumentName", "Authorization")
        .with_detail("ArgumentValue", std::string(scheme));
  }
  std::string_view credential, names;
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : authorization.substr(space + 1);
  for (std::string_view piece : split(rest, ',')) {
    piece = trim(piece);
    const std::size_t equals = piece.find('=');
    if (piece.empty()) continue;
    if (equals == std::string_view::npos)
      return header_malformed("the authorization component \"" + std::string(piece) +
                              "\" is malformed.");
    const std::string_view name = piece.substr(0, equals), value = piece.substr(equals + 1);
    if (name == "Credential") credential = value;
    if (name == "SignedHeaders") names = value;
    if (name == "Signature") claim.signature = value;
  }
  if (credential.empty()) return header_malformed("missing Credential.");
  if (names.empty()) return header_malformed("missing SignedHeaders.");
  if (claim.signature.empty()) return header_malformed("missing Signature.");
  CAIRN_CHECK(read_credential(credential, claim));
  read_signed_headers(names, claim);
  if (const auto regions = head.headers.find(header_name("x-amz-region-set", claim.dialect)))
    claim.region_set = *regions;
  CAIRN_CHECK(read_header_date(head.headers, claim));
  const auto hash = head.headers.find(header_name("x-amz-content-sha256", claim.dialect));
  if (!hash)
    return error("InvalidRequest",
                 "Missing required header for this request: x-amz-content-sha256");
  CAIRN_CHECK(read_payload(*hash, claim));
  if (const auto token = head.headers.find(header_name("x-amz-security-token", claim.dialect)))
    claim.session_token = *token;
  if (const auto token = head.headers.find(header_name("x-amz-s3session-token", claim.dialect)))
    claim.directory_session = *token;
  return std::optional<Claim>(std::move(claim));
}

Status read_expiry(std::string_view text, Claim& claim) {
  const auto seconds = parse_number<std::int64_t>(text);
  if (!seconds) return query_malformed("X-Amz-Expires should be a number");
  if (*seconds < 0) return query_malformed("X-Amz-Expires must be non-negative");
  if (*seconds > presigned_seconds_max)
    return query_malformed(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires "
        "must be less than 604800 seconds");
  claim.expires_seconds = *seconds;
  return ok_status();
}

Result<std::optional<Claim>> read_query_claim(const net::RequestHead& head, const Query& query,
                                              Dialect dialect) {
  Claim claim;
  claim.in_query = true;
  claim.dialect = dialect;
  const auto find = [&](std::string_view name) {
    return find_parameter(query, query_name(name, dialect));
  };
  const std::string* algorithm = find("X-Amz-Algorithm");
  const std::string* credential = find("X-Amz-Credential");
  const std::string* date = find("X-Amz-Date");
  const std::string* expires = find("X-Amz-Expires");
  const std::string* names = find("X-Amz-SignedHeaders");
  const std::string* signature = find("X-Amz-Signature");
  if (!algorithm || !credential || !date || !expires || !names || !signature)
    return query_malformed();
  claim.asymmetric = *algorithm == value_name(ecdsa_algorithm, dialect);
  if (!claim.asymmetric && *algorithm != value_name(hmac_algorithm, dialect))
    return query_malformed(
        "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"");
  if (const std::string* regions = find("X-Amz-Region-Set")) claim.region_set = *regions;
  CAIRN_CHECK(read_credential(*credential, claim));
  const auto ms = parse_basic_iso8601(*date);
  if (!ms)
    return query_malformed(
        "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  claim.time_ms = *ms;
  if (date->substr(0, 8) != claim.scope.date)
    return query_malformed("Invalid credential date \"" + claim.scope.date +
                           "\". This date is not the same as X-Amz-Date: \"" + date->substr(0, 8) +
                           "\".");
  CAIRN_CHECK(read_expiry(*expires, claim));
  read_signed_headers(*names, claim);
  claim.signature = *signature;
  if (const std::string* token = find("X-Amz-Security-Token")) claim.session_token = *token;
  if (const std::string* token = find("X-Amz-S3session-Token")) claim.directory_session = *token;
  const std::string* in_query = find("X-Amz-Content-Sha256");
  const std::string field = header_name("x-amz-content-sha256", dialect);
  const auto in_header = head.headers.find(field);
  if (in_header && is_signed(claim, field)) {
    CAIRN_CHECK(read_payload(*in_header, claim));
  } else {
    CAIRN_CHECK(read_payload(in_query ? std::string_view(*in_query) : "UNSIGNED-PAYLOAD", claim));
  }
  return std::optional<Claim>(std::move(claim));
}

Status check_times(const Claim& claim, std::int64_t now_ms) {
  if (!claim.in_query) {
    const std::int64_t skew =
        claim.time_ms > now_ms ? claim.time_ms - now_ms : now_ms - claim.time_ms;
    if (skew <= skew_max_ms) return ok_status();
    return error("RequestTimeTooSkewed")
        .with_detail("RequestTime", format_basic_iso8601(claim.time_ms))
        .with_detail("ServerTime", format_iso8601(now_ms / 1000 * 1000))
        .with_detail("MaxAllowedSkewMilliseconds", std::to_string(skew_max_ms));
  }
  if (claim.time_ms > now_ms + skew_max_ms)
    return error("AccessDenied", "Request is not valid yet")
        .with_detail("X-Amz-Date", format_basic_iso8601(claim.time_ms))
        .with_detail("ServerTime", format_iso8601(now_ms / 1000 * 1000));
  const std::int64_t end_ms = claim.time_ms + claim.expires_seconds * 1000;
  if (now_ms <= end_ms) return ok_status();
  return error("AccessDenied", "Request has expired")
      .with_detail("X-Amz-Expires", std::to_string(claim.expires_seconds))
      .with_detail("Expires", format_iso8601(end_ms / 1000 * 1000))
      .with_detail("ServerTime", format_iso8601(now_ms / 1000 * 1000));
}

// Host and every field of the vendor must be under the signature.
Status check_coverage(const Claim& claim, const net::Headers& headers) {
  // SDKs send this one with whatever they send; a presigned request says it in its query.
  const std::string of_body =
      claim.in_query ? header_name("x-amz-content-sha256", claim.dialect) : std::string();
  std::vector<std::string> open;
  if (!is_signed(claim, "host")) open.emplace_back("host");
  for (const auto& [field, value] : headers.fields()) {
    std::string name = lower_ascii(field);
    const bool of_vendor = name.starts_with("x-amz-") || name.starts_with("x-svc-");
    if (of_vendor && name != of_body && !is_signed(claim, name)) open.push_back(std::move(name));
  }
  if (open.empty()) return ok_status();
  return error("AccessDenied", "There were headers present in the request which were not signed")
      .with_detail("HeadersNotSigned", join(open, ", "));
}

std::string spaced_hex(std::string_view bytes) {
  const std::string hex = to_hex(bytes);
  std::string out;
  out.reserve(hex.size() / 2 * 3);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    if (i > 0) out += ' ';
    out.append(hex, i, 2);
  }
  return out;
}

// Whether the claim's signature is that of a text.
class Verifier {
 public:
  static Result<Verifier> of(const Claim& claim, std::string_view secret, SigningKeys& keys) {
    Verifier verifier(claim);
    if (claim.asymmetric) {
      CAIRN_TRY(verifier.pair_, keys.pair(claim.access_key_id, secret, claim.dialect));
      verifier.der_ = from_hex(claim.signature).value_or("");
    } else {
      verifier.key_ = keys.key(secret, claim.scope, claim.dialect);
    }
    return verifier;
  }
  bool verifies(std::string_view text) const {
    if (pair_ != nullptr) return pair_->verifies(text, der_);
    return equals_constant_time(to_hex(hmac_sha256(key_, text)), signature_);
  }

 private:
  explicit Verifier(const Claim& claim) : signature_(claim.signature) {}
  std::string signature_;
  std::string key_;
  std::shared_ptr<const AsymmetricKey> pair_;
  std::string der_;
};

}  // namespace

Result<std::optional<Claim>> read_claim(const net::RequestHead& head) {
  const auto authorization = head.headers.find("Authorization");
  std::optional<Dialect> in_query;
  Query query;
  if (head.query().find("-Algorithm=") != std::string_view::npos ||
      head.query().find("Signature=") != std::string_view::npos) {
    CAIRN_TRY(query, net::parse_query(head.query()));
    for (const auto& [name, value] : query) {
      if (name == "X-Amz-Algorithm" || name == "X-Amz-Signature") in_query = Dialect::aws;
      if (name == "X-Svc-Algorithm" || name == "X-Svc-Signature") in_query = Dialect::svc;
    }
  }
  const bool second = is_version_two(query);
  // Of two fields somebody before this server may have looked at the other one.
  const bool is_twice = authorization && head.headers.joined("Authorization") != *authorization;
  if (authorization && (in_query || second || is_twice))
    return error("InvalidArgument",
                 "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, "
                 "Signature query string parameter or the Authorization header should be "
                 "specified")
        .with_detail("ArgumentName", "Authorization")
        .with_detail("ArgumentValue", std::string(*authorization));
  if (authorization) return read_header_claim(head, *authorization);
  if (second) {
    CAIRN_TRY(Claim claim, read_version_two(head, query));
    return std::optional<Claim>(std::move(claim));
  }
  if (in_query) return read_query_claim(head, query, *in_query);
  return std::optional<Claim>();
}

bool is_signed_for_directories(const net::RequestHead& head) {
  const std::string service = "/" + std::string(directory_service) + "/";
  if (const auto authorization = head.headers.find("Authorization"))
    return authorization->find(service) != std::string_view::npos;
  const auto query = net::parse_query(head.query());
  if (!query.ok()) return false;
  return std::any_of(query->begin(), query->end(), [&](const auto& parameter) {
    return parameter.first.ends_with("-Credential") &&
           parameter.second.find(service) != std::string::npos;
  });
}

Status verify_claim(const Claim& claim, const net::RequestHead& head, const VerifyParams& params,
                    SigningKeys& keys) {
  if (claim.version_two)
    return verify_version_two(claim, head, params.secret, params.bucket_of_host, params.now_ms);
  if (claim.scope.service != params.service)
    return wrong_service(claim, claim.scope.service, params.service);
  CAIRN_CHECK(check_region(claim, params.regions));
  CAIRN_CHECK(check_times(claim, params.now_ms));
  CAIRN_CHECK(check_coverage(claim, head.headers));
  CAIRN_TRY(const Verifier verifier, Verifier::of(claim, params.secret, keys));
  const std::string own_parameter =
      claim.in_query ? query_name("X-Amz-Signature", claim.dialect) : std::string();
  std::vector<std::string_view> hosts = {""};
  hosts.insert(hosts.end(), params.host_aliases.begin(), params.host_aliases.end());
  std::string first_canonical, first_text;
  for (const std::string_view host : hosts) {
    for (const Spelling spelling : {Spelling::encoded, Spelling::as_sent}) {
      std::string canonical = canonical_request({.method = head.method,
                                                 .path = head.path(),
                                                 .query = head.query(),
                                                 .headers = head.headers,
                                                 .signed_headers = claim.signed_headers,
                                                 .payload_hash = claim.payload_hash,
                                                 .without_parameter = own_parameter,
                                                 .spelling = spelling,
                                                 .host = host});
      std::string text = string_to_sign(canonical, claim.time_ms, claim.scope, claim.dialect,
                                        claim.asymmetric ? ecdsa_algorithm : hmac_algorithm);
      if (verifier.verifies(text)) return ok_status();
      if (first_text.empty()) first_canonical = std::move(canonical), first_text = std::move(text);
    }
  }
  return error("SignatureDoesNotMatch")
      .with_detail("AWSAccessKeyId", claim.access_key_id)
      .with_detail("StringToSign", first_text)
      .with_detail("SignatureProvided", claim.signature)
      .with_detail("StringToSignBytes", spaced_hex(first_text))
      .with_detail("CanonicalRequest", first_canonical)
      .with_detail("CanonicalRequestBytes", spaced_hex(first_canonical));
}

}  // namespace cairn::s3
