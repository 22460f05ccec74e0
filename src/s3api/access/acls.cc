// SPDX-License-Identifier: Apache-2.0
// Grants of buckets and objects, object ownership, and the block of public access.
#include "s3api/access/acls.h"
#include "s3/errors.h"
#include "s3/grants.h"
#include "s3api/access/account_book.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/handlers.h"

namespace cairn::s3api {
namespace {

Error acls_off() { return s3::error("AccessControlListNotSupported"); }

// With ACLs off only lists that give everything to the bucket's owner, and nothing to others.
bool is_owners_only(const s3::GrantList& list, const std::string& owner_id) {
  for (const s3::Grant& grant : list.grants)
    if (grant.kind != s3::GranteeKind::canonical_user || grant.name != owner_id ||
        grant.right != s3::GrantRight::full_control)
      return false;
  return !list.grants.empty();
}

Status check_list(const Call& call, const s3::GrantList& list) {
  if (call.rules.acls_off() && !is_owners_only(list, call.rules.bucket.owner.id)) return acls_off();
  if (call.rules.block.block_public_acls && s3::is_public(list)) return s3::error("AccessDenied");
  return ok_status();
}

template <class Input>
s3::GrantFields fields_of(const Input& in) {
  return {.full_control = in.grant_full_control,
          .read = in.grant_read,
          .write = in.grant_write,
          .read_acp = in.grant_read_acp,
          .write_acp = in.grant_write_acp};
}

// What a Put…Acl asks for: a canned name, header fields, or a body.
template <class Input>
Result<s3::GrantList> asked_list(const Call& call, const Input& in, const s3::GrantList& kept) {
  const s3::GrantFields fields = fields_of(in);
  if (in.access_control_policy && (in.acl || fields.any())) return s3::error("UnexpectedContent");
  const std::string region = region_of(call.bucket->bucket, call.context.options);
  if (in.access_control_policy) {
    CAIRN_TRY(s3::GrantList list, s3::grants_of_policy(*in.access_control_policy, kept,
                                                       email_grantees_of(call, region)));
    CAIRN_CHECK(check_grantees(call, list.grants, kept.grants));
    return list;
  }
  if (!in.acl && !fields.any())
    return s3::error("MissingSecurityHeader").with_detail("MissingHeaderName", "x-amz-acl");
  CAIRN_TRY(const GrantsRequest wanted, grants_of_request(call, region, in.acl, fields));
  return list_of(wanted, kept.owner_id, call.rules.bucket.owner.id);
}

s3::GetAclOutput shown(const Call& call, const s3::GrantList& list) {
  return {.owner = owner_element(call, list.owner_id), .grants = shown_grants(call, list)};
}

Result<s3::GrantList> list_of_object(const Call& call, const s3::Object& object) {
  if (call.rules.acls_off()) return s3::private_grants(call.rules.bucket.owner.id);
  return s3::grants_of_text(object.acl, object.owner.id);
}

}  // namespace

Result<GrantsRequest> grants_of_request(const Call& call, std::string_view region,
                                     const std::optional<std::string>& canned,
                                     const s3::GrantFields& fields) {
  if (canned && fields.any())
    return s3::error("InvalidRequest",
                     "Specifying both Canned ACLs and Header Grants is not allowed");
  GrantsRequest wanted{.canned = canned};
  if (fields.any()) {
    CAIRN_TRY(wanted.grants, s3::grants_of_fields(fields, email_grantees_of(call, region)));
    CAIRN_CHECK(check_grantees(call, *wanted.grants));
  }
  return wanted;
}

s3::GrantList list_of(const GrantsRequest& wanted, const std::string& owner_id,
                      const std::string& bucket_owner_id) {
  if (wanted.grants) return {.owner_id = owner_id, .grants = *wanted.grants};
  return s3::canned_grants(wanted.canned.value_or("private"), owner_id, bucket_owner_id)
      .value_or(s3::private_grants(owner_id));
}

s3::Owner owner_of_new(const Call& call, const GrantsRequest& wanted) {
  const s3::Bucket& bucket = call.rules.bucket;
  const bool given_away = bucket.ownership == s3::Ownership::bucket_owner_preferred &&
                          wanted.canned == "bucket-owner-full-control";
  if (call.rules.acls_off() || given_away || call.identity.account().id.empty()) return bucket.owner;
  return call.identity.account();
}

Result<std::string> acl_of_new(const Call& call, const GrantsRequest& wanted, const s3::Owner& owner) {
  if (!wanted.any()) return std::string();
  if (call.rules.acls_off()) {
    // Of another account's "private" its bucket's owner would have nothing.
    const bool of_owner = call.identity.account().id.empty() || call.identity.account().id == owner.id;
    const bool harmless = (wanted.canned == "private" && of_owner) ||
                          wanted.canned == "bucket-owner-full-control" ||
                          (wanted.grants && is_owners_only({.grants = *wanted.grants}, owner.id));
    if (harmless) return std::string();
    return acls_off();
  }
  const s3::GrantList list = list_of(wanted, owner.id, call.rules.bucket.owner.id);
  CAIRN_CHECK(check_list(call, list));
  return s3::text_of_grants(list);
}

Result<s3::EmptyOutput> put_bucket_acl(Call& call, const s3::PutBucketAclInput& in) {
  CAIRN_TRY(const s3::GrantList list, asked_list(call, in, grants_of(*call.bucket)));
  CAIRN_CHECK(check_list(call, list));
  return set_document(call, s3::document::acl, s3::text_of_grants(list));
}

Result<s3::GetAclOutput> get_bucket_acl(Call& call, const s3::BucketInput&) {
  if (call.rules.acls_off()) return shown(call, s3::private_grants(call.rules.bucket.owner.id));
  return shown(call, grants_of(*call.bucket));
}

Result<s3::ChargedOutput> put_object_acl(Call& call, const s3::PutObjectAclInput& in) {
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) {
    // A marker has no grants that could be set, whichever way it is named.
    Error fault = object.error();
    for (const auto& [name, value] : fault.details)
      if (name == objectstore::marker_detail) {
        fault.code = "MethodNotAllowed";
        break;
      }
    return object_fault(call, std::move(fault), in.key);
  }
  CAIRN_CHECK(allow(call, &*object));
  CAIRN_TRY(const s3::GrantList kept, list_of_object(call, *object));
  CAIRN_TRY(const s3::GrantList list, asked_list(call, in, kept));
  CAIRN_CHECK(check_list(call, list));
  objectstore::ObjectChange change{.acl = s3::text_of_grants(list)};
  change.judge = [&](const s3::Object& now) { return allow(call, &now); };
  const auto changed = call.engine().change_object(
      {call.address.bucket, call.address.key, object->version_id}, change, call.deadline());
  if (!changed.ok()) return object_fault(call, changed.error(), in.key);
  return s3::ChargedOutput{};
}

Result<s3::GetAclOutput> get_object_acl(Call& call, const s3::ObjectInput& in) {
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return object_fault(call, object.error(), in.key);
  CAIRN_CHECK(allow(call, &*object));
  CAIRN_TRY(const s3::GrantList list, list_of_object(call, *object));
  return shown(call, list);
}

Result<s3::EmptyOutput> put_bucket_ownership_controls(
    Call& call, const s3::PutBucketOwnershipControlsInput& in) {
  if (in.ownership_controls.rules.size() != 1) return s3::error("MalformedXML");
  const s3::Ownership ownership =
      ownership_of(in.ownership_controls.rules.front().object_ownership);
  // Grants to others would be lost without a word.
  if (ownership == s3::Ownership::bucket_owner_enforced &&
      !is_owners_only(grants_of(*call.bucket), call.rules.bucket.owner.id))
    return s3::error("InvalidBucketAclWithObjectOwnership");
  CAIRN_CHECK(call.engine().change_bucket(in.bucket, {.ownership = ownership}, call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::GetBucketOwnershipControlsOutput> get_bucket_ownership_controls(
    Call& call, const s3::BucketInput& in) {
  if (call.rules.bucket.ownership == s3::Ownership::none)
    return s3::error("OwnershipControlsNotFoundError").with_detail("BucketName", in.bucket);
  s3::OwnershipControlsElement controls;
  controls.rules.push_back({.object_ownership = std::string(name_of(call.rules.bucket.ownership))});
  return s3::GetBucketOwnershipControlsOutput{.ownership_controls = std::move(controls)};
}

// Without controls of its own a bucket is as buckets were before there were any.
Result<s3::EmptyOutput> delete_bucket_ownership_controls(Call& call, const s3::BucketInput& in) {
  CAIRN_CHECK(call.engine().change_bucket(in.bucket, {.ownership = s3::Ownership::none},
                                          call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::EmptyOutput> put_public_access_block(Call& call,
                                                const s3::PutPublicAccessBlockInput& in) {
  s3::PublicAccessBlockElement block = in.public_access_block_configuration;
  for (auto* one : {&block.block_public_acls, &block.ignore_public_acls, &block.block_public_policy,
                    &block.restrict_public_buckets})
    *one = one->value_or(false);
  return set_document(call, s3::document::public_access_block,
                      document_text("PublicAccessBlockConfiguration", block));
}

Result<s3::GetPublicAccessBlockOutput> get_public_access_block(Call& call,
                                                               const s3::BucketInput& in) {
  if (call.bucket->document(s3::document::public_access_block) == nullptr)
    return s3::error("NoSuchPublicAccessBlockConfiguration").with_detail("BucketName", in.bucket);
  return s3::GetPublicAccessBlockOutput{.public_access_block_configuration =
                                            public_access_block_of(*call.bucket)};
}

Result<s3::EmptyOutput> delete_public_access_block(Call& call, const s3::BucketInput&) {
  return set_document(call, s3::document::public_access_block, std::nullopt);
}

s3::Ownership ownership_of(std::string_view name) {
  if (name == "ObjectWriter") return s3::Ownership::object_writer;
  if (name == "BucketOwnerPreferred") return s3::Ownership::bucket_owner_preferred;
  return s3::Ownership::bucket_owner_enforced;
}

std::string_view name_of(s3::Ownership ownership) {
  constexpr std::string_view names[] = {"BucketOwnerEnforced", "BucketOwnerPreferred",
                                        "ObjectWriter"};
  return names[static_cast<std::size_t>(ownership)];
}

}  // namespace cairn::s3api
