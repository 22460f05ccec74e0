// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/form_claim.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/hmac_sha1.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/errors.h"
#include "s3/signing/claim_parts.h"

namespace cairn::s3 {
namespace {

Error bad_form_field(std::string_view name, std::string_view value, std::string message) {
  return error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

Result<std::string> needed(const FormFields& fields, const std::string& name) {
  const std::string* value = find_field(fields, name);
  if (value != nullptr && !value->empty()) return *value;
  return bad_form_field(name, "",
                        "Bucket POST must contain a field named '" + name +
                            "'.  If it is specified, please check the order of the fields.");
}

bool has(const FormFields& fields, std::string_view aws_name, Dialect dialect) {
  return find_field(fields, header_name(aws_name, dialect)) != nullptr;
}

bool claims_version_four(const FormFields& fields, Dialect dialect) {
  return has(fields, "x-amz-algorithm", dialect) || has(fields, "x-amz-credential", dialect) ||
         has(fields, "x-amz-signature", dialect);
}

void read_token(const FormFields& fields, Claim& claim) {
  if (const std::string* token =
          find_field(fields, header_name("x-amz-security-token", claim.dialect)))
    claim.session_token = *token;
}

Result<std::optional<Claim>> read_version_four(const FormFields& fields, Dialect dialect) {
  Claim claim;
  claim.in_form = true;
  claim.dialect = dialect;
  const auto field = [&](std::string_view name) { return header_name(name, dialect); };
  CAIRN_CHECK(needed(fields, "policy"));
  CAIRN_TRY(const std::string algorithm, needed(fields, field("x-amz-algorithm")));
  CAIRN_TRY(const std::string credential, needed(fields, field("x-amz-credential")));
  CAIRN_TRY(const std::string date, needed(fields, field("x-amz-date")));
  CAIRN_TRY(claim.signature, needed(fields, field("x-amz-signature")));
  if (algorithm != value_name(hmac_algorithm, dialect))
    return bad_form_field(
        field("x-amz-algorithm"), algorithm,
        "A form is signed with " + value_name(hmac_algorithm, dialect) + " only.");
  CAIRN_CHECK(read_credential(credential, claim));
  const auto ms = parse_basic_iso8601(date);
  if (!ms)
    return bad_form_field(field("x-amz-date"), date,
                          "The date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  claim.time_ms = *ms;
  if (date.substr(0, 8) != claim.scope.date)
    return query_malformed("Invalid credential date \"" + claim.scope.date +
                           "\". This date is not the same as the form's: \"" + date.substr(0, 8) +
                           "\".");
  read_token(fields, claim);
  return std::optional<Claim>(std::move(claim));
}

Result<std::optional<Claim>> read_form_version_two(const FormFields& fields) {
  Claim claim;
  claim.in_form = claim.version_two = true;
  CAIRN_CHECK(needed(fields, "policy"));
  CAIRN_TRY(claim.access_key_id, needed(fields, "awsaccesskeyid"));
  CAIRN_TRY(claim.signature, needed(fields, "signature"));
  read_token(fields, claim);
  return std::optional<Claim>(std::move(claim));
}

}  // namespace

Result<std::optional<Claim>> read_form_claim(const FormFields& fields) {
  const bool aws = claims_version_four(fields, Dialect::aws);
  const bool svc = claims_version_four(fields, Dialect::svc);
  const bool second =
      find_field(fields, "awsaccesskeyid") != nullptr || find_field(fields, "signature") != nullptr;
  if (int(aws) + int(svc) + int(second) > 1)
    return bad_form_field("x-amz-algorithm", "", "Only one auth mechanism allowed");
  if (second) return read_form_version_two(fields);
  // A policy that nobody has signed says nothing; who sends one means to be known.
  if (aws || svc || find_field(fields, "policy") != nullptr)
    return read_version_four(fields, svc ? Dialect::svc : Dialect::aws);
  return std::optional<Claim>();
}

Status verify_form_claim(const Claim& claim, const FormFields& fields, const VerifyParams& params,
                         SigningKeys& keys) {
  const std::string* policy = find_field(fields, "policy");
  const std::string text = policy == nullptr ? std::string() : *policy;
  const auto mismatch = [&] {
    return error("SignatureDoesNotMatch")
        .with_detail("AWSAccessKeyId", claim.access_key_id)
        .with_detail("StringToSign", text)
        .with_detail("SignatureProvided", claim.signature);
  };
  if (claim.version_two) {
    if (!equals_constant_time(to_base64(hmac_sha1(params.secret, text)), claim.signature))
      return mismatch();
    return ok_status();
  }
  if (claim.scope.service != params.service)
    return wrong_service(claim, claim.scope.service, params.service);
  CAIRN_CHECK(check_region(claim, params.regions));
  if (!equals_constant_time(sign_form(text, params.secret, claim.scope, claim.dialect, keys),
                            claim.signature))
    return mismatch();
  return ok_status();
}

}  // namespace cairn::s3
