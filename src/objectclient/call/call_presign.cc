// SPDX-License-Identifier: Apache-2.0
// A call that is signed and not made.
#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "objectclient/call/call.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

/// Fields that may stand in the query instead: the vendor's own, but for those that a service
/// reads from header fields only.
bool may_be_in_query(std::string_view name, s3::Dialect dialect) {
  const std::string lower = lower_ascii(name);
  const std::string prefix = s3::header_name("x-amz-", dialect);
  return lower.starts_with(prefix) && !lower.starts_with(prefix + "server-side-encryption") &&
         !lower.starts_with(prefix + "copy-source") && !lower.starts_with(prefix + "meta-") &&
         !lower.starts_with(prefix + "checksum-");
}

}  // namespace

Result<PresignedRequest> presign_call(ClientState& state, const CallParts& parts,
                                      const PresignOptions& options, CallInfo& info) {
  std::string none;
  Sink sink(parts.target, none);
  name_call(parts, info);
  OperationCall call(state, parts, sink, info);
  return call.presign(options);
}

Result<PresignedRequest> OperationCall::presign(const PresignOptions& options) {
  if (options.expires_in_s < 1) return argument_error("expires_in must be 1 second or more");
  if (options.expires_in_s > s3::presigned_seconds_max)
    return argument_error("expires_in value of " + std::to_string(options.expires_in_s) +
                          " exceeds one-week maximum.");
  CAIRN_CHECK(prepare());
  const Signing signing = choose_signing(endpoint_, state_.options, false);
  if (signing.scheme != Scheme::sigv4 && signing.scheme != Scheme::session)
    return argument_error("URLs are presigned with sigv4 only, which this request does not take");
  CAIRN_TRY(const auto credentials, credentials_for(signing));
  const std::int64_t now_ms = state_.now_ms();
  std::int64_t seconds = options.expires_in_s;
  if (credentials->expiration_ms)
    seconds = std::clamp<std::int64_t>((*credentials->expiration_ms - now_ms) / 1'000, 1, seconds);
  PresignedRequest out{.method = std::string(parts_.operation.method)};
  net::Headers to_sign;
  to_sign.add("Host", address_.url.authority());
  std::string query = address_.query;
  const auto append = [&query](std::string_view name, std::string_view value) {
    if (!query.empty()) query += '&';
    query += percent_encode(name) + "=" + percent_encode(value);
  };
  for (const auto& [name, value] : request_.headers.fields()) {
    // Nobody asked for a checksum: who uses the URL need not know of one.
    if (lower_ascii(name).ends_with("-checksum-mode") && !asked_for_checksum_) continue;
    if (may_be_in_query(name, state_.dialect)) {
      append(lower_ascii(name), value);
    } else {
      to_sign.add(name, value);
      out.headers.add(name, value);
    }
  }
  s3::SigningParams params{
      .credentials = {credentials->access_key_id, credentials->secret_access_key,
                      credentials->session_token},
      .region = signing.region,
      .service = signing.service,
      .dialect = state_.dialect,
      .time_ms = now_ms};
  if (*state_.options.correct_clock_skew)
    params.time_ms += state_.skew.ahead_ms(address_.url.authority());
  if (signing.scheme == Scheme::session) {
    append(s3::query_name("X-Amz-S3session-Token", state_.dialect), credentials->session_token);
    params.credentials.session_token.clear();
  }
  s3::sign_query(parts_.operation.method, address_.path, query, to_sign,
                 s3::name_of(s3::Payload::unsigned_), seconds, params, state_.keys);
  out.url = address_.url.scheme + "://" + address_.url.authority() + address_.path + "?" + query;
  return out;
}

}  // namespace cairn::objectclient
