// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/bucket_documents.h"

#include <algorithm>
#include <utility>

namespace cairn::s3api {
namespace {

using PolicyPointer = std::shared_ptr<const auth::Policy>;

std::optional<int> as_int(const std::optional<std::int64_t>& number) {
  if (!number) return std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(*number, 0, INT32_MAX));
}

std::optional<std::uint64_t> as_size(const std::optional<std::int64_t>& number) {
  if (!number) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 0));
}

template <class Predicates>
void set_predicates(const Predicates& from, objectstore::LifecycleRule& rule) {
  if (from.prefix) rule.prefix = *from.prefix;
  if (from.object_size_greater_than) rule.size_over = as_size(from.object_size_greater_than);
  if (from.object_size_less_than) rule.size_under = as_size(from.object_size_less_than);
}

void set_filter(const s3::LifecycleRuleElement& element, objectstore::LifecycleRule& rule) {
  rule.prefix = element.prefix.value_or("");
  if (!element.filter) return;
  set_predicates(*element.filter, rule);
  if (element.filter->tag) rule.tags[element.filter->tag->key] = element.filter->tag->value;
  if (!element.filter->and_) return;
  set_predicates(*element.filter->and_, rule);
  for (const s3::TagElement& tag : element.filter->and_->tags) rule.tags[tag.key] = tag.value;
}

objectstore::LifecycleRule rule_of(const s3::LifecycleRuleElement& element) {
  objectstore::LifecycleRule rule{.id = element.id.value_or("")};
  set_filter(element, rule);
  if (element.expiration) {
    rule.expire_days = as_int(element.expiration->days);
    if (element.expiration->date) rule.expire_date_ms = element.expiration->date->unix_ms;
    rule.expire_markers = element.expiration->expired_object_delete_marker.value_or(false);
  }
  if (element.noncurrent_version_expiration) {
    rule.noncurrent_days = as_int(element.noncurrent_version_expiration->noncurrent_days);
    rule.newer_noncurrent =
        as_int(element.noncurrent_version_expiration->newer_noncurrent_versions).value_or(0);
  }
  if (element.abort_incomplete_multipart_upload)
    rule.abort_days = as_int(element.abort_incomplete_multipart_upload->days_after_initiation);
  return rule;
}

LifecycleDocument parse_lifecycle(const std::string& text) {
  LifecycleDocument document{.configuration = element_of<s3::LifecycleConfigurationElement>(text)};
  document.rules = enabled_rules(document.configuration);
  return document;
}

s3::EncryptionRuleElement parse_encryption(const std::string& text) {
  auto configuration = element_of<s3::EncryptionConfigurationElement>(text);
  if (configuration.rules.empty()) return {};
  return std::move(configuration.rules.front());
}

}  // namespace

std::vector<objectstore::LifecycleRule> enabled_rules(
    const s3::LifecycleConfigurationElement& configuration) {
  std::vector<objectstore::LifecycleRule> rules;
  for (const s3::LifecycleRuleElement& rule : configuration.rules)
    if (rule.status == "Enabled") rules.push_back(rule_of(rule));
  return rules;
}

std::shared_ptr<const s3::CorsConfigurationElement> cors_of(
    const objectstore::BucketState& bucket) {
  return document_of<s3::CorsConfigurationElement>(bucket, s3::document::cors);
}

std::shared_ptr<const LifecycleDocument> lifecycle_of(const objectstore::BucketState& bucket) {
  const auto document = bucket.document(s3::document::lifecycle);
  return document == nullptr ? nullptr : document->parsed<LifecycleDocument>(parse_lifecycle);
}

std::string encryption_text(std::string_view algorithm) {
  s3::EncryptionConfigurationElement encryption;
  encryption.rules.push_back(
      {.apply_server_side_encryption_by_default =
           s3::EncryptionByDefaultElement{.sse_algorithm = std::string(algorithm)},
       .bucket_key_enabled = false});
  return document_text("ServerSideEncryptionConfiguration", encryption);
}

std::shared_ptr<const s3::EncryptionRuleElement> encryption_of(
    const objectstore::BucketState& bucket) {
  const auto document = bucket.document(s3::document::encryption);
  return document == nullptr ? nullptr
                             : document->parsed<s3::EncryptionRuleElement>(parse_encryption);
}

s3::PublicAccessBlockElement public_access_block_of(const objectstore::BucketState& bucket) {
  const auto found =
      document_of<s3::PublicAccessBlockElement>(bucket, s3::document::public_access_block);
  return found == nullptr ? s3::PublicAccessBlockElement{} : *found;
}

s3::GrantList grants_of(const objectstore::BucketState& bucket) {
  const std::string& owner = bucket.bucket.owner.id;
  const auto document = bucket.document(s3::document::acl);
  if (document == nullptr) return s3::private_grants(owner);
  return *document->parsed<s3::GrantList>([&](const std::string& text) {
    auto list = s3::grants_of_text(text, owner);
    return list.ok() ? std::move(*list) : s3::private_grants(owner);
  });
}

std::string arn_of(const s3::Bucket& bucket) {
  if (bucket.is_of_outpost())
    return "arn:aws:s3-outposts:" + bucket.location_constraint + ":" + bucket.owner.account_id +
           ":outpost/" + bucket.outpost_id + "/bucket/" + bucket.name;
  if (!bucket.is_directory()) return "arn:aws:s3:::" + bucket.name;
  return "arn:aws:s3express:" + bucket.location_constraint + ":" + bucket.owner.account_id +
         ":bucket/" + bucket.name;
}

Result<std::shared_ptr<const auth::Policy>> policy_of_text(std::string_view text,
                                                           const s3::Bucket& bucket) {
  return bucket.is_directory() ? auth::Policy::of_directory_bucket(text, arn_of(bucket))
                               : auth::Policy::of_bucket(text, bucket.name);
}

BucketRules rules_of(const objectstore::BucketState& bucket) {
  BucketRules rules{.bucket = bucket.bucket};
  if (const auto policy = bucket.document(s3::document::policy))
    rules.policy = *policy->parsed<PolicyPointer>([&](const std::string& text) {
      auto parsed = policy_of_text(text, bucket.bucket);
      return parsed.ok() ? std::move(*parsed) : nullptr;
    });
  if (bucket.document(s3::document::acl) != nullptr) rules.grants = grants_of(bucket);
  const s3::PublicAccessBlockElement block = public_access_block_of(bucket);
  rules.block = {.block_public_acls = block.block_public_acls.value_or(false),
                 .ignore_public_acls = block.ignore_public_acls.value_or(false),
                 .block_public_policy = block.block_public_policy.value_or(false),
                 .restrict_public_buckets = block.restrict_public_buckets.value_or(false)};
  const auto payment =
      document_of<s3::RequestPaymentElement>(bucket, s3::document::request_payment);
  rules.requester_pays = payment != nullptr && payment->payer == "Requester";
  return rules;
}

}  // namespace cairn::s3api
