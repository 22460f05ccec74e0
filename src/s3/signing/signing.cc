// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/signing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/signing/asymmetric.h"
#include "s3/signing/canonical.h"

namespace cairn::s3 {
namespace {

constexpr std::size_t entries_max = 512;

// Fields that proxies and transports change, or that carry the signature itself.
constexpr std::string_view never_signed[] = {
    "authorization", "connection",        "content-length", "expect",     "keep-alive",     "te",
    "trailer",       "transfer-encoding", "upgrade",        "user-agent", "x-amzn-trace-id"};

std::vector<std::string> names_to_sign(const net::Headers& headers) {
  std::vector<std::string> names;
  for (const auto& [field, value] : headers.fields()) {
    std::string name = lower_ascii(field);
    if (std::find(std::begin(never_signed), std::end(never_signed), name) != std::end(never_signed))
      continue;
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Scope scope_at(const SigningParams& params) {
  return {.date = format_basic_iso8601(params.time_ms).substr(0, 8),
          .region = params.region,
          .service = params.service};
}

void append_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (!query.empty()) query += '&';
  query.append(name).append("=").append(percent_encode(value));
}

}  // namespace

std::string Scope::text(Dialect dialect) const {
  const std::string place = region.empty() ? region : region + "/";
  return date + "/" + place + service + "/" + value_name("aws4_request", dialect);
}

std::string_view name_of(Payload payload) {
  constexpr std::array<std::string_view, 7> names = {
      "",
      "UNSIGNED-PAYLOAD",
      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
      "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
      "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"};
  return names[static_cast<std::size_t>(payload)];
}

std::string SigningKeys::key(std::string_view secret, const Scope& scope, Dialect dialect) {
  // Found by the name of the secret's hash, never by the secret; the entry decides.
  std::string name = scope.text(dialect) + "/" + std::to_string(fast_hash(secret));
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found != entries_.end() && equals_constant_time(found->second.secret, secret))
      return found->second.key;
  }
  std::string key = hmac_sha256(value_name("AWS4", dialect) + std::string(secret), scope.date);
  key = hmac_sha256(key, scope.region);
  key = hmac_sha256(key, scope.service);
  key = hmac_sha256(key, value_name("aws4_request", dialect));
  MutexLock lock(mutex_);
  if (entries_.size() >= entries_max) entries_.clear();
  entries_.insert_or_assign(std::move(name), Entry{.secret = std::string(secret), .key = key});
  return key;
}

Result<std::shared_ptr<const AsymmetricKey>> SigningKeys::pair(std::string_view access_key_id,
                                                               std::string_view secret,
                                                               Dialect dialect) {
  std::string name = "pair/" + std::string(access_key_id) + "/" + value_name("AWS4A", dialect) +
                     "/" + std::to_string(fast_hash(secret));
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found != entries_.end() && equals_constant_time(found->second.secret, secret))
      return found->second.pair;
  }
  CAIRN_TRY(AsymmetricKey derived, AsymmetricKey::derive(access_key_id, secret, dialect));
  auto shared = std::make_shared<const AsymmetricKey>(std::move(derived));
  MutexLock lock(mutex_);
  if (entries_.size() >= entries_max) entries_.clear();
  entries_.insert_or_assign(std::move(name), Entry{.secret = std::string(secret), .pair = shared});
  return shared;
}

std::string string_to_sign(std::string_view canonical_request, std::int64_t time_ms,
                           const Scope& scope, Dialect dialect, std::string_view algorithm) {
  return value_name(algorithm, dialect) + "\n" + format_basic_iso8601(time_ms) + "\n" +
         scope.text(dialect) + "\n" + to_hex(sha256(canonical_request));
}

namespace {

// The fields that say when, with what token and over which body.
void add_signing_fields(net::Headers& headers, std::string_view payload_hash,
                        const SigningParams& params) {
  const Dialect dialect = params.dialect;
  headers.set(header_name("x-amz-date", dialect), format_basic_iso8601(params.time_ms));
  if (!params.credentials.session_token.empty())
    headers.set(header_name("x-amz-security-token", dialect), params.credentials.session_token);
  if (params.content_sha256_header)
    headers.set(header_name("x-amz-content-sha256", dialect), payload_hash);
}

void set_authorization(net::Headers& headers, std::string_view algorithm,
                       const std::vector<std::string>& names, const SigningParams& params,
                       Signature& out) {
  out.authorization = value_name(algorithm, params.dialect) +
                      " Credential=" + params.credentials.access_key_id + "/" +
                      out.scope.text(params.dialect) + ", SignedHeaders=" + join(names, ";") +
                      ", Signature=" + out.signature;
  headers.set("Authorization", out.authorization);
}

}  // namespace

Signature sign_headers(std::string_view method, std::string_view path, std::string_view query,
                       net::Headers& headers, std::string_view payload_hash,
                       const SigningParams& params, SigningKeys& keys) {
  const Dialect dialect = params.dialect;
  add_signing_fields(headers, payload_hash, params);
  const std::vector<std::string> names = names_to_sign(headers);
  Signature out;
  out.scope = scope_at(params);
  out.canonical_request = canonical_request({.method = method,
                                             .path = path,
                                             .query = query,
                                             .headers = headers,
                                             .signed_headers = names,
                                             .payload_hash = payload_hash,
                                             .normalize_path = params.normalize_path});
  out.string_to_sign = string_to_sign(out.canonical_request, params.time_ms, out.scope, dialect);
  out.signature = to_hex(hmac_sha256(
      keys.key(params.credentials.secret_access_key, out.scope, dialect), out.string_to_sign));
  set_authorization(headers, hmac_algorithm, names, params, out);
  return out;
}

Result<Signature> sign_headers_for_regions(std::string_view method, std::string_view path,
                                           std::string_view query, net::Headers& headers,
                                           std::string_view payload_hash,
                                           std::string_view region_set, const SigningParams& params,
                                           SigningKeys& keys) {
  const Dialect dialect = params.dialect;
  CAIRN_TRY(const auto pair, keys.pair(params.credentials.access_key_id,
                                       params.credentials.secret_access_key, dialect));
  add_signing_fields(headers, payload_hash, params);
  headers.set(header_name("x-amz-region-set", dialect), region_set);
  const std::vector<std::string> names = names_to_sign(headers);
  Signature out;
  out.scope = scope_at(params);
  out.scope.region.clear();
  out.canonical_request = canonical_request({.method = method,
                                             .path = path,
                                             .query = query,
                                             .headers = headers,
                                             .signed_headers = names,
                                             .payload_hash = payload_hash,
                                             .normalize_path = params.normalize_path});
  out.string_to_sign =
      string_to_sign(out.canonical_request, params.time_ms, out.scope, dialect, ecdsa_algorithm);
  out.signature = to_hex(pair->sign(out.string_to_sign));
  set_authorization(headers, ecdsa_algorithm, names, params, out);
  return out;
}

Signature sign_query(std::string_view method, std::string_view path, std::string& query,
                     const net::Headers& headers, std::string_view payload_hash,
                     std::int64_t expires_seconds, const SigningParams& params, SigningKeys& keys) {
  const Dialect dialect = params.dialect;
  const std::vector<std::string> names = names_to_sign(headers);
  Signature out;
  out.scope = scope_at(params);
  append_parameter(query, query_name("X-Amz-Algorithm", dialect),
                   value_name("AWS4-HMAC-SHA256", dialect));
  append_parameter(query, query_name("X-Amz-Credential", dialect),
                   params.credentials.access_key_id + "/" + out.scope.text(dialect));
  append_parameter(query, query_name("X-Amz-Date", dialect), format_basic_iso8601(params.time_ms));
  append_parameter(query, query_name("X-Amz-Expires", dialect), std::to_string(expires_seconds));
  if (!params.credentials.session_token.empty())
    append_parameter(query, query_name("X-Amz-Security-Token", dialect),
                     params.credentials.session_token);
  append_parameter(query, query_name("X-Amz-SignedHeaders", dialect), join(names, ";"));
  out.canonical_request = canonical_request({.method = method,
                                             .path = path,
                                             .query = query,
                                             .headers = headers,
                                             .signed_headers = names,
                                             .payload_hash = payload_hash,
                                             .normalize_path = params.normalize_path});
  out.string_to_sign = string_to_sign(out.canonical_request, params.time_ms, out.scope, dialect);
  out.signature = to_hex(hmac_sha256(
      keys.key(params.credentials.secret_access_key, out.scope, dialect), out.string_to_sign));
  append_parameter(query, query_name("X-Amz-Signature", dialect), out.signature);
  return out;
}

std::string sign_form(std::string_view policy, std::string_view secret, const Scope& scope,
                      Dialect dialect, SigningKeys& keys) {
  return to_hex(hmac_sha256(keys.key(secret, scope, dialect), policy));
}

}  // namespace cairn::s3
