// SPDX-License-Identifier: Apache-2.0
// A form that is signed for a page, instead of a call that is made.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "format/time.h"
#include "objectclient/call/call.h"
#include "objectclient/faults.h"
#include "s3/form_policy.h"

namespace cairn::objectclient {
namespace {

using Field = PresignedPostOptions::Field;

constexpr std::string_view file_name_variable = "${filename}";

Status check_form_options(const std::string& key, const PresignedPostOptions& options) {
  if (key.empty()) return argument_error("a form needs a key, such as \"incoming/${filename}\"");
  if (options.expires_in_s < 1) return argument_error("expires_in must be 1 second or more");
  if (options.expires_in_s > s3::presigned_seconds_max)
    return argument_error("expires_in value of " + std::to_string(options.expires_in_s) +
                          " exceeds one-week maximum.");
  const auto& range = options.content_length_range;
  if (range && range->bytes_min > range->bytes_max)
    return argument_error("content_length_range: the minimum " + std::to_string(range->bytes_min) +
                          " is above the maximum " + std::to_string(range->bytes_max));
  constexpr std::string_view own[] = {"key",
                                      "file",
                                      "policy",
                                      "bucket",
                                      "x-amz-algorithm",
                                      "x-amz-credential",
                                      "x-amz-date",
                                      "x-amz-security-token",
                                      "x-amz-signature"};
  for (const auto* fields : {&options.fields, &options.starts_with})
    for (const auto& [name, value] : *fields) {
      const std::string lower = s3::aws_header_name(lower_ascii(name), s3::Dialect::svc);
      if (name.empty() || std::find(std::begin(own), std::end(own), lower) != std::end(own))
        return argument_error("the field \"" + name + "\" of a form is set by the library");
    }
  return ok_status();
}

// Each field is a condition: as it stands, or, of the key, what stands before the file's name.
void add_form_conditions(const PresignedPostOptions& options, const std::vector<Field>& fields,
                         s3::FormPolicyWriter& policy) {
  for (const auto& [name, value] : fields) {
    const std::size_t variable = value.find(file_name_variable);
    if (variable != std::string::npos)
      policy.begins(name, std::string_view(value).substr(0, variable));
    else
      policy.equal(name, value);
  }
  for (const auto& [name, beginning] : options.starts_with) policy.begins(name, beginning);
  if (const auto& range = options.content_length_range)
    policy.length(range->bytes_min, range->bytes_max);
}

// Once, not wherever it is called: the library has a bound.
[[gnu::noinline]] void add_form_field(std::vector<Field>& fields, std::string_view name,
                                      std::string_view value) {
  fields.emplace_back(std::string(name), std::string(value));
}

}  // namespace

Result<PresignedPost> presign_form(ClientState& state, const CallParts& parts,
                                   const std::string& key, const PresignedPostOptions& options,
                                   CallInfo& info) {
  std::string none;
  Sink sink(parts.target, none);
  const std::string called = info.operation;
  name_call(parts, info);
  info.operation = called;
  OperationCall call(state, parts, sink, info);
  return call.presign_form(key, options);
}

Result<PresignedPost> OperationCall::presign_form(const std::string& key,
                                                  const PresignedPostOptions& options) {
  CAIRN_CHECK(check_form_options(key, options));
  CAIRN_CHECK(prepare());
  const Signing signing = choose_signing(endpoint_, state_.options, false);
  if (signing.scheme != Scheme::sigv4 || signing.service != s3::general_service)
    return argument_error("forms are taken by general purpose buckets only");
  CAIRN_TRY(const auto credentials, credentials_for(signing));
  std::int64_t now_ms = state_.now_ms();
  std::int64_t seconds = options.expires_in_s;
  if (credentials->expiration_ms)
    seconds = std::clamp<std::int64_t>((*credentials->expiration_ms - now_ms) / 1'000, 1, seconds);
  if (*state_.options.correct_clock_skew) now_ms += state_.skew.ahead_ms(address_.url.authority());
  const s3::Dialect dialect = state_.dialect;
  const std::string date = format_basic_iso8601(now_ms);
  const s3::Scope scope{
      .date = date.substr(0, 8), .region = signing.region, .service = signing.service};
  PresignedPost out{.url = address_.url.scheme + "://" + address_.url.authority() + address_.path};
  const auto add = [&](std::string_view name, std::string_view value) {
    add_form_field(out.fields, s3::header_name(name, dialect), value);
  };
  add("key", key);
  for (const auto& [name, value] : options.fields) add_form_field(out.fields, name, value);
  add("x-amz-algorithm", s3::value_name(s3::hmac_algorithm, dialect));
  add("x-amz-credential", credentials->access_key_id + "/" + scope.text(dialect));
  add("x-amz-date", date);
  if (!credentials->session_token.empty()) add("x-amz-security-token", credentials->session_token);
  s3::FormPolicyWriter policy(now_ms + seconds * 1'000);
  policy.equal("bucket", request_.bucket);
  add_form_conditions(options, out.fields, policy);
  const std::string text = policy.finish();
  add("policy", text);
  add("x-amz-signature",
      s3::sign_form(text, credentials->secret_access_key, scope, dialect, state_.keys));
  return out;
}

}  // namespace cairn::objectclient
