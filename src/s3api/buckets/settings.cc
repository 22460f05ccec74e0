// SPDX-License-Identifier: Apache-2.0
// Settings of buckets: versioning, policy, CORS, lifecycle, encryption, who pays; and those that
// are only asked for.
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "s3/bucket_rules.h"
#include "s3/cors.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/buckets/checks.h"
#include "s3api/directory/directory.h"
#include "s3api/handlers.h"
#include "s3api/objects/encryption.h"

namespace cairn::s3api {

Result<s3::EmptyOutput> set_document(Call& call, std::string_view name,
                                     std::optional<std::string> text) {
  objectstore::BucketChange change;
  change.documents[std::string(name)] = std::move(text);
  CAIRN_CHECK(call.engine().change_bucket(call.address.bucket, change, call.deadline()));
  return s3::EmptyOutput{};
}

namespace {

Error of_bucket(Error error, const std::string& bucket) {
  return std::move(error).with_detail("BucketName", bucket);
}

// Rules that were given no name get one, so that x-amz-expiration can tell which it was.
void name_rules(s3::LifecycleConfigurationElement& configuration) {
  std::size_t number = 0;
  for (s3::LifecycleRuleElement& rule : configuration.rules) {
    ++number;
    if (rule.id && !rule.id->empty()) continue;
    const std::string text = document_text("Rule", rule) + std::to_string(number);
    rule.id = to_hex(md5(text));
  }
}

// Whoever sets a policy may set the next one, unless the request says that this is not wanted.
Status check_way_back(const Call& call, const std::shared_ptr<const auth::Policy>& policy) {
  BucketRules later = call.rules;
  later.policy = policy;
  if (decide("s3:PutBucketPolicy", access_of(call), {.rules = later}).ok()) return ok_status();
  return s3::error(
      "MalformedPolicy",
      "The new bucket policy will not allow you to update the bucket policy in the "
      "future. Send x-amz-confirm-remove-self-bucket-access: true where that is meant.");
}

constexpr std::string_view transition_minimum = "all_storage_classes_128K";

}  // namespace

Result<s3::EmptyOutput> put_bucket_versioning(Call& call, const s3::PutBucketVersioningInput& in) {
  const s3::VersioningConfigurationElement& asked = in.versioning_configuration;
  if (!asked.status) return s3::error("IllegalVersioningConfigurationException");
  if (asked.mfa_delete == "Enabled")
    return s3::error("NotImplemented", "Deleting with a second factor is not offered here")
        .with_detail("Header", "x-amz-mfa");
  const bool on = *asked.status == "Enabled";
  if (!on && call.bucket->bucket.object_lock.enabled)
    return s3::error("InvalidBucketState",
                     "An Object Lock configuration is present on this bucket, so the versioning "
                     "state cannot be changed.");
  CAIRN_CHECK(call.engine().change_bucket(
      in.bucket, {.versioning = on ? s3::Versioning::enabled : s3::Versioning::suspended},
      call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::GetBucketVersioningOutput> get_bucket_versioning(Call& call, const s3::BucketInput&) {
  s3::GetBucketVersioningOutput out;
  const s3::Versioning now = call.bucket->bucket.versioning;
  if (now != s3::Versioning::off)
    out.status = now == s3::Versioning::enabled ? "Enabled" : "Suspended";
  return out;
}

Result<std::shared_ptr<const auth::Policy>> checked_policy(Call& call,
                                                           const s3::PutBucketPolicyInput& in) {
  CAIRN_TRY(auto policy, policy_of_text(in.policy, call.bucket->bucket));
  if (call.rules.block.block_public_policy && policy->is_public())
    return s3::error("AccessDenied",
                     "The policy is public, and the bucket's block of public access forbids "
                     "public policies.");
  if (!in.confirm_remove_self_bucket_access.value_or(false))
    CAIRN_CHECK(check_way_back(call, policy));
  return policy;
}

Result<s3::EmptyOutput> put_bucket_policy(Call& call, const s3::PutBucketPolicyInput& in) {
  CAIRN_CHECK(checked_policy(call, in));
  return set_document(call, s3::document::policy, in.policy);
}

Result<s3::GetBucketPolicyOutput> get_bucket_policy(Call& call, const s3::BucketInput& in) {
  const auto policy = call.bucket->document(s3::document::policy);
  if (policy == nullptr) return of_bucket(s3::error("NoSuchBucketPolicy"), in.bucket);
  return s3::GetBucketPolicyOutput{.policy = policy->text()};
}

Result<s3::EmptyOutput> delete_bucket_policy(Call& call, const s3::BucketInput&) {
  return set_document(call, s3::document::policy, std::nullopt);
}

Result<s3::GetBucketPolicyStatusOutput> get_bucket_policy_status(Call& call,
                                                                 const s3::BucketInput& in) {
  if (call.rules.policy == nullptr) return of_bucket(s3::error("NoSuchBucketPolicy"), in.bucket);
  return s3::GetBucketPolicyStatusOutput{
      .policy_status = s3::PolicyStatusElement{.is_public = call.rules.policy->is_public()}};
}

Result<s3::EmptyOutput> put_bucket_cors(Call& call, const s3::PutBucketCorsInput& in) {
  CAIRN_CHECK(s3::check_cors(in.cors_configuration));
  return set_document(call, s3::document::cors,
                      document_text("CORSConfiguration", in.cors_configuration));
}

Result<s3::GetBucketCorsOutput> get_bucket_cors(Call& call, const s3::BucketInput& in) {
  const auto cors = cors_of(*call.bucket);
  if (cors == nullptr) return of_bucket(s3::error("NoSuchCORSConfiguration"), in.bucket);
  return s3::GetBucketCorsOutput{.cors_rules = cors->cors_rules};
}

Result<s3::EmptyOutput> delete_bucket_cors(Call& call, const s3::BucketInput&) {
  return set_document(call, s3::document::cors, std::nullopt);
}

Result<s3::LifecycleConfigurationElement> checked_lifecycle(
    const s3::PutBucketLifecycleConfigurationInput& in) {
  if (!in.lifecycle_configuration) return s3::error("MissingRequestBodyError");
  CAIRN_CHECK(s3::check_lifecycle(*in.lifecycle_configuration));
  s3::LifecycleConfigurationElement configuration = *in.lifecycle_configuration;
  name_rules(configuration);
  return configuration;
}

Result<s3::PutBucketLifecycleConfigurationOutput> put_bucket_lifecycle_configuration(
    Call& call, const s3::PutBucketLifecycleConfigurationInput& in) {
  CAIRN_TRY(const auto configuration, checked_lifecycle(in));
  CAIRN_CHECK(set_document(call, s3::document::lifecycle,
                           document_text("LifecycleConfiguration", configuration)));
  return s3::PutBucketLifecycleConfigurationOutput{.transition_default_minimum_object_size =
                                                       std::string(transition_minimum)};
}

Result<s3::GetBucketLifecycleConfigurationOutput> get_bucket_lifecycle_configuration(
    Call& call, const s3::BucketInput& in) {
  const auto lifecycle = lifecycle_of(*call.bucket);
  if (lifecycle == nullptr) return of_bucket(s3::error("NoSuchLifecycleConfiguration"), in.bucket);
  return s3::GetBucketLifecycleConfigurationOutput{
      .transition_default_minimum_object_size = std::string(transition_minimum),
      .rules = lifecycle->configuration.rules};
}

Result<s3::EmptyOutput> delete_bucket_lifecycle(Call& call, const s3::BucketInput&) {
  return set_document(call, s3::document::lifecycle, std::nullopt);
}

Result<s3::EmptyOutput> put_bucket_encryption(Call& call, const s3::PutBucketEncryptionInput& in) {
  const s3::EncryptionConfigurationElement& asked = in.server_side_encryption_configuration;
  CAIRN_CHECK(s3::check_encryption(asked));
  const auto& how = *asked.rules.front().apply_server_side_encryption_by_default;
  if (call.directory) CAIRN_CHECK(check_directory_encryption(how));
  if (how.sse_algorithm != "AES256" && call.context.key_names == nullptr)
    return s3::error("NotImplemented", "There is no key service here; encrypt with AES256");
  return set_document(call, s3::document::encryption,
                      document_text("ServerSideEncryptionConfiguration", asked));
}

Result<s3::GetBucketEncryptionOutput> get_bucket_encryption(Call& call, const s3::BucketInput& in) {
  const auto rule = encryption_of(*call.bucket);
  if (rule == nullptr)
    return of_bucket(s3::error("ServerSideEncryptionConfigurationNotFoundError"), in.bucket);
  s3::EncryptionConfigurationElement configuration;
  configuration.rules.push_back(*rule);
  if (!rule->bucket_key_enabled) configuration.rules.back().bucket_key_enabled = false;
  return s3::GetBucketEncryptionOutput{.server_side_encryption_configuration =
                                           std::move(configuration)};
}

Result<s3::EmptyOutput> delete_bucket_encryption(Call& call, const s3::BucketInput&) {
  return set_document(call, s3::document::encryption, std::nullopt);
}

Result<s3::EmptyOutput> put_bucket_request_payment(Call& call,
                                                   const s3::PutBucketRequestPaymentInput& in) {
  return set_document(
      call, s3::document::request_payment,
      document_text("RequestPaymentConfiguration", in.request_payment_configuration));
}

Result<s3::GetBucketRequestPaymentOutput> get_bucket_request_payment(Call& call,
                                                                     const s3::BucketInput&) {
  return s3::GetBucketRequestPaymentOutput{.payer = call.rules.requester_pays ? "Requester"
                                                                              : "BucketOwner"};
}

}  // namespace cairn::s3api
