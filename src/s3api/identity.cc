// SPDX-License-Identifier: Apache-2.0
#include "s3api/identity.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3/signing/form_claim.h"
#include "s3/signing/version_two.h"
#include "s3/wire/vendor_fields.h"
#include "s3api/call.h"

namespace cairn::s3api {
namespace {

Error unknown_key(const std::string& access_key_id) {
  return s3::error("InvalidAccessKeyId").with_detail("AWSAccessKeyId", access_key_id);
}

// The operation is known by the head. A source that nobody reads would make an empty object.
Status check_copy_in_head(const ParsedCall& call) {
  const std::string field = s3::header_name("x-amz-copy-source", call.dialect);
  if (call.exchange.head.headers.has(field)) return ok_status();
  for (const auto& [name, value] : call.query)
    if (equals_ignore_case(name, field))
      return bad_argument(field, value,
                          "The source of a copy is read in the head only: sign it as a header "
                          "field, and send it.");
  return ok_status();
}

// In a query stand characters that no field can have, and that would come back in one.
Status check_field(std::string_view name, std::string_view value) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const auto ends_name = [](unsigned char c) { return c <= 0x20 || c >= 0x7f || c == ':'; };
  if (std::any_of(name.begin(), name.end(), ends_name) ||
      std::any_of(value.begin(), value.end(), is_control))
    return bad_argument(name, value, "A header field cannot have these characters.");
  return ok_status();
}

}  // namespace

Result<Identity> Identity::verify(ParsedCall& call, const FindKey& find_key,
                                  const FindCaller& find_caller) {
  Identity out;
  CAIRN_TRY(auto claim, call.form != nullptr ? s3::read_form_claim(call.form->fields)
                                             : s3::read_claim(call.exchange.head));
  if (!claim) return out;  // nobody: what the bucket and the object say decides
  if (claim->version_two && (call.directory || call.of_outpost() || !call.context.options.accept_version_two))
    return s3::version_two_refused();
  out.claim_ = std::move(*claim);
  call.named_key = out.claim_.access_key_id;
  if (!out.claim_.directory_session.empty()) CAIRN_CHECK(out.take_session(call));
  if (!out.claim_.session_token.empty()) CAIRN_CHECK(out.take_granted(call, find_key));
  const auto key = find_key(call.named_key);
  if (key == nullptr || !key->active) return unknown_key(call.named_key);
  out.secret_ = out.granted_ ? out.granted_->secret
                : out.session_ ? out.session_->secret
                               : key->secret;
  CAIRN_CHECK(out.check(call, out.secret_));
  out.holder_ = find_caller(*key);
  if (out.holder_ == nullptr) return unknown_key(call.named_key);
  CAIRN_CHECK(out.take_rights(call, *key));
  out.user_ = key->user;
  out.last_use_ = key->last_use;
  out.counted_as_ = auth::counted_as(*key, *out.holder_);
  if (out.claim_.in_query) CAIRN_CHECK(out.take_fields_of_query(call));
  return out;
}

// Who signs in a session is who made it, for as long as its own key is good.
Status Identity::take_session(ParsedCall& call) {
  const std::string& token = claim_.directory_session;
  const auto invalid = [&] { return s3::error("InvalidToken").with_detail("Token-0", token); };
  if (call.context.sessions == nullptr) return invalid();
  CAIRN_TRY(session_, call.context.sessions->open(token));
  if (session_->access_key_id != claim_.access_key_id) return invalid();
  if (session_->expires_ms <= call.context.clock.unix_ms())
    return s3::error("ExpiredToken").with_detail("Token-0", token);
  if (session_->bucket != call.session_name()) return s3::error("AccessDenied");
  call.named_key = session_->parent_key_id;
  return ok_status();
}

// Who signs with credentials of a grant is who asked for them, for as long as its own key is good.
Status Identity::take_granted(ParsedCall& call, const FindKey& find_key) {
  const std::string& token = claim_.session_token;
  const auto invalid = [&]() -> Status {
    if (find_key(claim_.access_key_id) == nullptr && !is_key_of_grant(claim_.access_key_id))
      return unknown_key(claim_.access_key_id);
    return s3::error("InvalidToken").with_detail("Token-0", token);
  };
  if (session_ || call.context.grant_tokens == nullptr) return invalid();
  auto opened = call.context.grant_tokens->open(token);
  if (!opened.ok() || opened->access_key_id != claim_.access_key_id) return invalid();
  if (opened->expires_ms <= call.context.clock.unix_ms())
    return s3::error("ExpiredToken").with_detail("Token-0", token);
  granted_ = std::move(*opened);
  call.named_key = granted_->parent_key_id;
  return ok_status();
}

// After the signature: whether there is a grant is told to nobody else.
Status Identity::take_rights(const ParsedCall& call, const auth::ObjectKey& key) {
  who_ = holder_;
  account_ = {.id = key.canonical_id, .account_id = key.account_id};
  if (!granted_) return ok_status();
  who_ = rights_of(*granted_, *holder_, call.context.grants);
  if (who_ == nullptr)
    return s3::error("InvalidToken", "The access grant of these credentials is no more.")
        .with_detail("Token-0", claim_.session_token);
  account_ = {.id = who_->canonical_id, .account_id = who_->account_id};
  return ok_status();
}

Status Identity::check(ParsedCall& call, std::string_view secret) const {
  const Options& options = call.context.options;
  s3::VerifyParams params{.secret = secret,
                          .now_ms = call.context.clock.unix_ms(),
                          .host_aliases = options.host_aliases};
  if (call.address.virtual_host) params.bucket_of_host = call.address.host_label;
  // The SDK for JavaScript signs in a session for the service of the first bucket that it ever asked.
  const bool as_general = session_ && claim_.scope.service == s3::general_service;
  if (call.directory && !as_general) params.service = s3::directory_service;
  if (call.of_outpost()) params.service = s3::outposts_service;
  if (!options.accept_any_region) params.regions = {options.region};
  s3::SigningKeys& keys = call.context.signing_keys;
  Status verified = call.form != nullptr
                        ? s3::verify_form_claim(claim_, call.form->fields, params, keys)
                        : s3::verify_claim(claim_, call.exchange.head, params, keys);
  if (verified.ok()) return verified;
  for (const auto& [name, value] : verified.error().details)
    if (name == "Region")
      call.extra.add(s3::header_name("x-amz-bucket-region", call.dialect), value);
  return verified;
}

// Who presigns a URL cannot send header fields with it: its query says them. What was signed stands
// against what comes beside it unsigned.
Status Identity::take_fields_of_query(const ParsedCall& call) {
  CAIRN_CHECK(check_copy_in_head(call));
  const auto fields = s3::fields_of_query(call.query, call.dialect,
                                          claim_.version_two ? s3::Moved::all : s3::Moved::usual);
  if (fields.empty()) return ok_status();
  net::RequestHead head = call.exchange.head;
  for (const auto& [name, value] : fields) {
    CAIRN_CHECK(check_field(name, value));
    const auto said = head.headers.find(name);
    if (said && *said != value)
      return bad_argument(name, value,
                          "The presigned query says another value of this field; leave one out.");
    if (!said) head.headers.add(name, value);
  }
  presigned_ = std::move(head);
  return ok_status();
}

}  // namespace cairn::s3api
