// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/access_facts.h"

#include "base/encode.h"
#include "format/time.h"

namespace cairn::s3api {
namespace {

using auth::Fact;

bool give(std::vector<std::string>& values, std::string_view value) {
  values.emplace_back(value);
  return true;
}

/// A text that may be empty for "there is none".
bool give_unless_empty(std::vector<std::string>& values, std::string_view value) {
  return !value.empty() && give(values, value);
}

}  // namespace

std::optional<std::string_view> header_of(const AccessContext& context, std::string_view aws_name) {
  const net::Headers& headers = context.head.headers;
  if (context.dialect == s3::Dialect::aws) return headers.find(aws_name);
  return headers.find(s3::header_name(aws_name, context.dialect));
}

bool RequestFacts::find(const auth::PolicyKey& key, std::vector<std::string>& values) const {
  switch (key.fact) {
    case Fact::principal_account:
    case Fact::principal_arn:
    case Fact::principal_type:
    case Fact::user_id:
    case Fact::username:
      return find_of_caller(key.fact, values);
    case Fact::epoch_seconds:
    case Fact::referer:
    case Fact::region:
    case Fact::secure_transport:
    case Fact::source_ip:
    case Fact::time:
    case Fact::tls_version:
    case Fact::user_agent:
      return find_of_connection(key.fact, values);
    case Fact::auth_type:
    case Fact::signature_age_ms:
    case Fact::signature_version:
      return find_of_signature(key.fact, values);
    case Fact::header:
      return find_header(key.name, values);
    case Fact::query:
      return find_query(key.name, values);
    case Fact::lock_legal_hold:
    case Fact::lock_mode:
    case Fact::lock_remaining_days:
    case Fact::lock_retain_until:
      note_body_asked();
      return find_lock(key.fact, values);
    case Fact::existing_tag:
      return find_tags(key, values);
    case Fact::request_tag:
    case Fact::request_tag_names:
      note_body_asked();
      return find_tags(key, values);
    case Fact::location_constraint:
      note_body_asked();
      return give_unless_empty(values, location_constraint_);
    case Fact::resource_account:
      return subject_ != nullptr
                 ? give_unless_empty(values, subject_->rules.bucket.owner.account_id)
                 : context_.caller != nullptr && give(values, context_.caller->account_id);
    case Fact::access_point_account:
    case Fact::access_point_arn:
    case Fact::access_point_origin:
      return find_of_access_point(key.fact, values);
    case Fact::session_mode:
      return give_unless_empty(values, context_.session_mode);
    case Fact::location_name:
      return subject_ != nullptr && subject_->rules.bucket.zone &&
             give(values, subject_->rules.bucket.zone->id);
    case Fact::version_id:
      return subject_ != nullptr && subject_->version_id && give(values, *subject_->version_id);
    case Fact::never:
      return false;
  }
  return false;
}

bool RequestFacts::find_of_caller(Fact fact, std::vector<std::string>& values) const {
  const auth::ObjectCaller* caller = context_.caller;
  if (caller == nullptr) {
    if (fact == Fact::principal_type) return give(values, "Anonymous");
    return fact == Fact::user_id && give(values, "anonymous");
  }
  switch (fact) {
    case Fact::principal_account:
      return give(values, caller->account_id);
    case Fact::principal_arn:
      return give(values, caller->arn);
    case Fact::principal_type:
      return give(values, caller->is_root() ? "Account" : "User");
    case Fact::user_id:
      return give(values, caller->user_id);
    default:
      return give_unless_empty(values, caller->username);
  }
}

bool RequestFacts::find_of_access_point(Fact fact, std::vector<std::string>& values) const {
  if (subject_ == nullptr || !subject_->rules.through) return false;
  if (fact == Fact::access_point_origin) return give(values, "Internet");  // there is no other
  return give(values, fact == Fact::access_point_arn ? subject_->rules.through->arn
                                                     : subject_->rules.through->account_id);
}

bool RequestFacts::find_of_connection(Fact fact, std::vector<std::string>& values) const {
  const auto field = [&](std::string_view name) {
    const auto value = context_.head.headers.find(name);
    return value && give(values, *value);
  };
  switch (fact) {
    case Fact::epoch_seconds:
      return give(values, std::to_string(context_.now_ms / 1000));
    case Fact::referer:
      return field("Referer");
    case Fact::region:
      return give_unless_empty(values, context_.region);
    case Fact::secure_transport:
      return give(values, context_.head.tls ? "true" : "false");
    case Fact::source_ip:
      return give_unless_empty(values, context_.head.peer_address);
    case Fact::time:
      return give(values, format_iso8601(context_.now_ms));
    case Fact::tls_version:
      return give_unless_empty(values, context_.head.tls_version);
    default:
      return field("User-Agent");
  }
}

bool RequestFacts::find_of_signature(Fact fact, std::vector<std::string>& values) const {
  if (context_.caller == nullptr || context_.claim == nullptr) return false;
  if (fact == Fact::auth_type)
    return give(values, context_.claim->in_form    ? "POST"
                        : context_.claim->in_query ? "REST-QUERY-STRING"
                                                   : "REST-HEADER");
  if (fact == Fact::signature_version)
    return give(values, context_.claim->version_two ? "AWS" : "AWS4-HMAC-SHA256");
  if (context_.claim->version_two) return false;  // it does not say when it was made
  return give(values, std::to_string(context_.now_ms - context_.claim->time_ms));
}

void RequestFacts::note_body_asked() const {
  if (context_.body_asked != nullptr) *context_.body_asked = true;
}

// Values as policies have them, whatever the dialect of the request.
bool RequestFacts::find_header(std::string_view name, std::vector<std::string>& values) const {
  const auto value = header_of(context_, name);
  if (!value) return false;
  if (name == "x-amz-copy-source") {
    auto decoded = percent_decode(*value).value_or(std::string(*value));
    if (decoded.starts_with('/')) decoded.erase(0, 1);
    return give(values, decoded);
  }
  return give(values, s3::value_from_wire(*value, context_.dialect));
}

bool RequestFacts::find_query(std::string_view name, std::vector<std::string>& values) const {
  for (const auto& [parameter, value] : context_.query)
    if (parameter == name) return give(values, value);
  return false;
}

bool RequestFacts::find_lock(Fact fact, std::vector<std::string>& values) const {
  const s3::Retention* retention = subject_ != nullptr ? subject_->new_retention : nullptr;
  if (fact == Fact::lock_legal_hold) {
    if (subject_ != nullptr && subject_->new_legal_hold)
      return give(values, *subject_->new_legal_hold ? "ON" : "OFF");
    return find_header("x-amz-object-lock-legal-hold", values);
  }
  if (fact == Fact::lock_mode) {
    if (retention == nullptr) return find_header("x-amz-object-lock-mode", values);
    return give(values, retention->mode == s3::LockMode::compliance ? "COMPLIANCE" : "GOVERNANCE");
  }
  std::optional<std::int64_t> until_ms;
  if (retention != nullptr)
    until_ms = retention->until_ms;
  else if (const auto text = header_of(context_, "x-amz-object-lock-retain-until-date"))
    until_ms = parse_iso8601(*text);
  if (!until_ms) return false;
  if (fact == Fact::lock_retain_until) return give(values, format_iso8601(*until_ms));
  const std::int64_t left_ms = *until_ms - context_.now_ms;
  return give(values, std::to_string((left_ms + s3::day_ms - 1) / s3::day_ms));
}

std::optional<s3::Tags> RequestFacts::new_tags() const {
  if (subject_ != nullptr && subject_->new_tags != nullptr) return *subject_->new_tags;
  const auto field = header_of(context_, "x-amz-tagging");
  if (!field) return std::nullopt;
  const auto parameters = net::parse_query(*field);
  if (!parameters.ok()) return std::nullopt;  // the request is refused for it elsewhere
  s3::Tags tags;
  for (const auto& [name, value] : *parameters) tags[name] = value;
  return tags;
}

bool RequestFacts::find_tags(const auth::PolicyKey& key, std::vector<std::string>& values) const {
  if (key.fact == Fact::existing_tag) {
    if (subject_ == nullptr || subject_->object == nullptr) return false;
    const auto tag = subject_->object->tags.find(key.name);
    return tag != subject_->object->tags.end() && give(values, tag->second);
  }
  const auto tags = new_tags();
  if (!tags) return false;
  if (key.fact == Fact::request_tag_names) {
    for (const auto& [name, value] : *tags) values.push_back(name);
    return true;
  }
  const auto tag = tags->find(key.name);
  return tag != tags->end() && give(values, tag->second);
}

}  // namespace cairn::s3api
