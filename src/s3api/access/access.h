// SPDX-License-Identifier: Apache-2.0
// May this caller do this? The one decision of every request: account, policies of the user and of
// the bucket, grants, ownership, the block of public access, and who pays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/accounts/accounts.h"
#include "auth/policy/policy.h"
#include "base/result.h"
#include "net/http/message.h"
#include "s3/access_points.h"
#include "s3/grants.h"
#include "s3/model.h"
#include "s3/operations/operation.h"
#include "s3/signing/signing.h"
#include "s3/wire/dialect.h"
#include "s3api/access/directory_sessions.h"
#include "s3api/access/granted_access.h"

namespace cairn::s3api {

/// The four switches of a bucket against access by everybody.
struct PublicAccessBlock {
  bool block_public_acls = false;
  bool ignore_public_acls = false;
  bool block_public_policy = false;
  bool restrict_public_buckets = false;
  friend bool operator==(const PublicAccessBlock&, const PublicAccessBlock&) = default;
};
inline constexpr PublicAccessBlock public_access_blocked{true, true, true, true};  // new buckets

/// The access point that a request comes through.
struct AccessPointRules {
  std::string arn;
  std::string account_id;                            // whose it is
  std::shared_ptr<const auth::Policy> policy = {};   // null: it has none
  std::string name = {};  // of a directory bucket: what sessions through it are for
  s3::AccessPointScope scope = {};
};

/// What a bucket says about who may do what. Immutable; kept until one of its parts changes.
struct BucketRules {
  s3::Bucket bucket;
  std::shared_ptr<const auth::Policy> policy = {};  // null: it has none
  std::optional<s3::GrantList> grants = {};         // none: all to its owner
  PublicAccessBlock block = {};
  bool requester_pays = false;
  /// Then both must allow: the bucket, and the access point.
  std::optional<AccessPointRules> through = {};

  bool acls_off() const { return bucket.ownership == s3::Ownership::bucket_owner_enforced; }
};

/// What spoke for or against an action, for people who want to know why.
struct AccessReason {
  enum class Where : std::uint8_t {
    owner,  // the caller is the root of the owner's account
    acl,
    bucket_policy,
    identity_policy,
    access_point_policy,
    public_access_block,  // takes something away that was given to everybody
    access_grant,         // beyond its limits
    requester_pays,       // who asks has not said that it pays
  };
  Where where = Where::owner;
  bool allows = false;
  std::string action = {};                    // that was asked for
  std::size_t policy = 0;                     // of an identity: which of the caller's
  std::optional<std::size_t> statement = {};  // of a policy
  std::string sid = {};
};

/// The request as a whole. The views and pointers live as long as the decision.
struct AccessContext {
  const auth::ObjectCaller* caller = nullptr;  // null: nobody signed
  const net::RequestHead& head;
  const net::QueryParameters& query;
  s3::Dialect dialect = s3::Dialect::aws;
  const s3::Claim* claim = nullptr;
  std::int64_t now_ms = 0;
  std::string_view region = {};
  bool directory = false;  // about a directory bucket, or all of them
  const DirectorySession* session = nullptr;  // that it was signed in
  const GrantedAccess* granted = nullptr;     // whose limits it has besides the caller's rights
  std::string_view session_mode = {};         // "ReadWrite": what is asked of a session
  bool* body_asked = nullptr;  // set where a policy asks for what a body may say, not read yet
  std::vector<AccessReason>* reasons = nullptr;  // gets what each decision was made of
};

/// What one decision is about.
struct AccessSubject {
  const BucketRules& rules;
  std::string_view key = {};           // empty: the bucket itself
  const s3::Object* object = nullptr;  // what is there under the key, where that is known
  std::optional<std::string_view> version_id = {};  // that the request names
  const s3::Owner* initiator = nullptr;             // who began the upload that this is about
  const s3::Tags* new_tags = nullptr;               // that will be written
  const s3::Retention* new_retention = nullptr;     // from a body
  std::optional<bool> new_legal_hold = {};          // from a body
};

/// One action, by its full name ("s3:GetObject"). For what depends on the body: the keys of
/// DeleteObjects, or whether a missing key may be told from a hidden one.
/// Errors: AccessDenied; NoSuchBucket for Cairn's own.
Status decide(std::string_view action, const AccessContext& context, const AccessSubject& subject);

/// Everything that an operation on a bucket or key needs: its actions, and those that its header
/// fields add; and that the requester pays where the bucket wants that.
/// Errors: AccessDenied; MethodNotAllowed (a bucket's policy in the hands of another account);
/// NoSuchBucket for Cairn's own.
Status decide(const s3::Operation& operation, const AccessContext& context,
              const AccessSubject& subject);

/// The same for ListBuckets and CreateBucket, which are about no bucket that is there: the rights
/// of the caller's own account. `bucket`: the name of the new one.
/// Errors: AccessDenied, also for nobody.
Status decide_without_bucket(const s3::Operation& operation, const AccessContext& context,
                             std::string_view bucket, std::string_view location_constraint = {});

/// Whether the caller may have a session with the subject's directory bucket. Errors: AccessDenied.
Status decide_session(const AccessContext& context, const AccessSubject& subject, bool read_only);

/// An action on what is no bucket, which policies of the caller alone allow. Errors: AccessDenied,
/// also for nobody, and in a session.
Status decide_by_caller(std::string_view action, const AccessContext& context,
                        std::string_view resource);

/// An action of the caller's own account on a directory bucket of that name that need not be there,
/// or on all of them where it is empty. Errors: AccessDenied, also for nobody.
Status decide_directory_action(std::string_view action, const AccessContext& context,
                               std::string_view bucket);

/// Reading the source of a copy, with its tags where `with_tags`.
Status decide_source(const AccessContext& context, const AccessSubject& source, bool with_tags);

/// What a caller hears about a key or version that is not there: NoSuchKey (or NoSuchVersion) who
/// may list the bucket, AccessDenied who may not.
Error missing_object(const AccessContext& context, const AccessSubject& subject);

/// Errors: InvalidBucketOwnerAWSAccountID (no account id); AccessDenied (another).
Status check_expected_owner(const s3::Bucket& bucket,
                            const std::optional<std::string>& expected_owner);

/// True where the caller, not the bucket's owner, is charged: `x-amz-request-charged: requester`.
bool is_requester_charged(const AccessContext& context, const BucketRules& rules);

}  // namespace cairn::s3api
