// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/access.h"

#include <algorithm>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3api/access/access_actions.h"
#include "s3api/access/access_facts.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/access/directory_rows.h"

namespace cairn::s3api {
namespace {

Error denied() { return s3::error("AccessDenied"); }

std::string resource_of(std::string_view bucket, std::string_view key) {
  std::string arn = "arn:aws:s3:::";
  arn.reserve(arn.size() + bucket.size() + key.size() + 1);
  arn += bucket;
  if (!key.empty()) (arn += '/') += key;
  return arn;
}

// Of a directory bucket there is one resource: the bucket.
std::string resource_of(const AccessSubject& subject) {
  const s3::Bucket& bucket = subject.rules.bucket;
  return bucket.is_directory() ? arn_of(bucket) : resource_of(bucket.name, subject.key);
}

/// What lists of grants say.
enum class Granted : std::uint8_t {
  no,
  account,  // the caller's account is named
  everybody
};

Granted granted(const s3::GrantList& list, s3::GrantRight wanted, const auth::ObjectCaller* caller,
                bool ignore_public) {
  Granted best = Granted::no;
  for (const s3::Grant& grant : list.grants) {
    if (!s3::gives(grant.right, wanted)) continue;
    switch (grant.kind) {
      case s3::GranteeKind::group: {
        const bool fits = grant.group == s3::Group::all_users ||
                          (grant.group == s3::Group::authenticated_users && caller != nullptr);
        if (fits && !ignore_public) return Granted::everybody;
        break;
      }
      case s3::GranteeKind::canonical_user:
        if (caller != nullptr && grant.name == caller->canonical_id) best = Granted::account;
        break;
      case s3::GranteeKind::email:
        if (caller != nullptr && !caller->email.empty() &&
            equals_ignore_case(grant.name, caller->email))
          best = Granted::account;
        break;
    }
  }
  return best;
}

bool is_about_policy(std::string_view action) {
  const std::string_view name = action.substr(action.find(':') + 1);
  return name == "PutBucketPolicy" || name == "GetBucketPolicy" || name == "DeleteBucketPolicy";
}

/// One action on one subject, weighed.
class Weighing {
 public:
  Weighing(std::string_view action, const AccessContext& context, const AccessSubject& subject)
      : row_(find_action(action)), action_(action), context_(context), subject_(subject) {
    const RequestFacts facts(context, &subject);
    if (subject.rules.bucket.is_of_outpost()) {
      weigh_outpost(facts);
      return;
    }
    const std::string resource = resource_of(subject);
    auth::PolicyQuestion question{.action = action, .resource = resource, .facts = facts};
    if (const auth::ObjectCaller* caller = context.caller; caller != nullptr) {
      question.caller = caller->named();
      identity_ = ask_identity(*caller, question);
    }
    if (subject.rules.policy != nullptr)
      by_policy_ = ask(*subject.rules.policy, question, AccessReason::Where::bucket_policy);
    if (subject.rules.through) ask_access_point(*subject.rules.through, question);
    weigh_policy();
    weigh_limits();
  }

  bool is_denied() const {
    return beyond_limits_ || identity_.denied || by_policy_.denied || identity_there_.denied || by_point_.denied;
  }

  bool is_allowed() const {
    if (is_denied()) return false;
    if (subject_.rules.through && !is_allowed_there(*subject_.rules.through)) return false;
    if (subject_.rules.bucket.is_of_outpost()) return subject_.rules.through.has_value();
    const Granted by_grant = by_grants();
    note_what_allows(by_grant);
    if (context_.caller == nullptr) return by_policy_.allowed || by_grant == Granted::everybody;
    const bool by_identity = context_.caller->is_root() || identity_.allowed;
    const bool given = by_policy_.allowed || by_grant == Granted::everybody;
    if (context_.caller->account_id == owner().account_id) return by_identity || given;
    // Both accounts must agree: whose it is, and who asks.
    const bool given_to_account = by_policy_.allowed_account || by_grant == Granted::account;
    return (by_identity || identity_there_.allowed) && (given || given_to_account);
  }

  /// By a grant alone, whatever policies say.
  bool is_granted() const { return !beyond_limits_ && by_grants() != Granted::no; }

 private:
  auth::PolicyAnswer ask(const auth::Policy& policy, const auth::PolicyQuestion& question,
                         AccessReason::Where where, std::size_t number = 0) {
    if (context_.reasons == nullptr) return policy.answer(question);
    std::vector<auth::PolicyReason> statements;
    const auth::PolicyAnswer answer = policy.answer(question, &statements);
    for (auth::PolicyReason& statement : statements)
      context_.reasons->push_back({.where = where,
                                   .allows = statement.allows,
                                   .action = std::string(action_),
                                   .policy = number,
                                   .statement = statement.statement,
                                   .sid = std::move(statement.sid)});
    return answer;
  }
  auth::PolicyAnswer ask_identity(const auth::ObjectCaller& caller,
                                  const auth::PolicyQuestion& question) {
    auth::PolicyAnswer answer;
    for (std::size_t i = 0; i < caller.policies.size(); ++i)
      answer |= ask(*caller.policies[i], question, AccessReason::Where::identity_policy, i);
    return answer;
  }
  // What no policy says.
  void note(AccessReason::Where where, bool allows) const {
    if (context_.reasons != nullptr)
      context_.reasons->push_back(
          {.where = where, .allows = allows, .action = std::string(action_)});
  }
  void note_what_allows(Granted by_grant) const {
    if (context_.reasons == nullptr) return;
    if (context_.caller != nullptr && context_.caller->is_root() &&
        context_.caller->account_id == owner().account_id)
      note(AccessReason::Where::owner, true);
    if (by_grant != Granted::no) note(AccessReason::Where::acl, true);
    const bool hidden = by_grant == Granted::no && subject_.rules.block.ignore_public_acls &&
                        grants_give(false) == Granted::everybody;
    if (hidden) note(AccessReason::Where::public_access_block, false);
  }

  // Credentials of an access grant reach no further than it. Of a prefix that is said twice each
  // must lie within.
  void weigh_limits() {
    if (context_.granted == nullptr) return;
    const auto within = [&](std::string_view prefix) {
      return covers(*context_.granted, action_, subject_.rules.bucket.name, subject_.key, prefix);
    };
    bool any = false;
    for (const auto& [name, value] : context_.query)
      if (name == "prefix") {
        any = true;
        beyond_limits_ |= !within(value);
      }
    if (!any) beyond_limits_ = !within({});
    if (beyond_limits_) note(AccessReason::Where::access_grant, false);
  }

  // A bucket of an outpost leaves all to its access points, and no grant reaches it.
  void weigh_outpost(const RequestFacts& facts) {
    beyond_limits_ = context_.granted != nullptr;
    if (!subject_.rules.through) return;
    const std::string action =
        std::string(s3::outposts_service) + std::string(action_.substr(action_.find(':')));
    auth::PolicyQuestion question{.action = action, .resource = {}, .facts = facts};
    if (context_.caller != nullptr) question.caller = context_.caller->named();
    ask_access_point(*subject_.rules.through, question);
  }

  // The same question once more, about what the access point calls it.
  void ask_access_point(const AccessPointRules& point, auth::PolicyQuestion question) {
    std::string resource = point.arn;
    if (!subject_.key.empty() && !subject_.rules.bucket.is_directory())
      (resource += "/object/") += subject_.key;
    question.resource = resource;
    if (const auth::ObjectCaller* caller = context_.caller; caller != nullptr)
      identity_there_ = ask_identity(*caller, question);
    if (point.policy == nullptr) return;
    by_point_ = ask(*point.policy, question, AccessReason::Where::access_point_policy);
    const bool restricted = subject_.rules.block.restrict_public_buckets &&
                            point.policy->is_public() && !is_of_account(point.account_id);
    // Of an object that another account owns nobody here can give anything away.
    if (restricted || owner().id != subject_.rules.bucket.owner.id)
      by_point_.allowed = by_point_.allowed_account = false;
  }

  bool is_allowed_there(const AccessPointRules& point) const {
    if (context_.caller == nullptr) return by_point_.allowed;
    const bool by_identity = context_.caller->is_root() || identity_there_.allowed;
    if (is_of_account(point.account_id)) return by_identity || by_point_.allowed;
    return by_identity && (by_point_.allowed || by_point_.allowed_account);
  }

  bool is_of_account(std::string_view account_id) const {
    return context_.caller != nullptr && context_.caller->account_id == account_id;
  }

  bool same_account_as_bucket() const {
    return context_.caller != nullptr &&
           context_.caller->account_id == subject_.rules.bucket.owner.account_id;
  }

  // Of an object that another account owns, the bucket's owner cannot give anything away.
  const s3::Owner& owner() const {
    const bool of_object = row_ != nullptr && row_->owner == ActionOwner::object &&
                           subject_.object != nullptr && !subject_.rules.acls_off();
    return of_object ? subject_.object->owner : subject_.rules.bucket.owner;
  }

  void weigh_policy() {
    const BucketRules& rules = subject_.rules;
    if (rules.policy == nullptr) return;
    // Whoever owns the account gets out of a policy that locks everybody out.
    if (is_about_policy(action_) && same_account_as_bucket() && context_.caller->is_root())
      by_policy_.denied = false;
    const bool restricted = rules.block.restrict_public_buckets && rules.policy->is_public() &&
                            !same_account_as_bucket();
    if (restricted && (by_policy_.allowed || by_policy_.allowed_account))
      note(AccessReason::Where::public_access_block, false);
    if (restricted || owner().id != rules.bucket.owner.id)
      by_policy_.allowed = by_policy_.allowed_account = false;
  }

  Granted by_grants() const { return grants_give(subject_.rules.block.ignore_public_acls); }

  Granted grants_give(bool ignore_public) const {
    const BucketRules& rules = subject_.rules;
    if (subject_.initiator != nullptr && context_.caller != nullptr &&
        subject_.initiator->id == context_.caller->canonical_id &&
        (action_ == "s3:AbortMultipartUpload" || action_ == "s3:ListMultipartUploadParts"))
      return Granted::account;
    if (rules.acls_off() || row_ == nullptr || !row_->granted_by) return Granted::no;
    if (!row_->granted_by->of_object)
      return rules.grants
                 ? granted(*rules.grants, row_->granted_by->right, context_.caller, ignore_public)
                 : Granted::no;
    if (subject_.object == nullptr) return Granted::no;
    const auto list = s3::grants_of_text(subject_.object->acl, subject_.object->owner.id);
    if (!list.ok()) return Granted::no;
    return granted(*list, row_->granted_by->right, context_.caller, ignore_public);
  }

  const ActionRow* row_;
  std::string_view action_;
  const AccessContext& context_;
  const AccessSubject& subject_;
  bool beyond_limits_ = false;
  auth::PolicyAnswer identity_, by_policy_;        // about the bucket
  auth::PolicyAnswer identity_there_, by_point_;  // about the access point
};

Status check_payer(const AccessContext& context, const BucketRules& rules) {
  if (!rules.requester_pays) return ok_status();
  const auto refused = [&]() -> Status {
    if (context.reasons != nullptr)
      context.reasons->push_back({.where = AccessReason::Where::requester_pays});
    return denied();
  };
  if (context.caller == nullptr) return refused();
  if (context.caller->account_id == rules.bucket.owner.account_id) return ok_status();
  constexpr std::string_view name = "x-amz-request-payer";
  auto payer = header_of(context, name);
  for (const auto& [parameter, value] : context.query)  // presigned
    if (!payer && equals_ignore_case(parameter, s3::header_name(name, context.dialect)))
      payer = value;
  return payer && *payer == "requester" ? ok_status() : refused();
}

// A writer who owns what it writes may say who else sees it.
bool may_set_acl_of_new(const AccessContext& context, const AccessSubject& fresh) {
  const Weighing acl("s3:PutObjectAcl", context, fresh);
  if (acl.is_allowed()) return true;
  if (acl.is_denied() || context.caller == nullptr || fresh.rules.acls_off()) return false;
  return Weighing("s3:PutObject", context, fresh).is_granted();
}

/// What header fields of a write ask for besides.
Status decide_extras(const AccessContext& context, const AccessSubject& subject) {
  AccessSubject fresh = subject;
  fresh.object = nullptr;  // what is written does not belong to whom it replaces
  const auto has = [&](std::string_view name) { return header_of(context, name).has_value(); };
  constexpr std::string_view acl_fields[] = {"x-amz-acl", "x-amz-grant-full-control",
                                             "x-amz-grant-read", "x-amz-grant-read-acp",
                                             "x-amz-grant-write-acp"};
  if (std::any_of(std::begin(acl_fields), std::end(acl_fields), has) &&
      !may_set_acl_of_new(context, fresh))
    return denied();
  if (has("x-amz-tagging") || (subject.new_tags != nullptr && !subject.new_tags->empty()))
    CAIRN_CHECK(decide("s3:PutObjectTagging", context, fresh));
  if (has("x-amz-object-lock-mode") || has("x-amz-object-lock-retain-until-date"))
    CAIRN_CHECK(decide("s3:PutObjectRetention", context, fresh));
  if (has("x-amz-object-lock-legal-hold"))
    CAIRN_CHECK(decide("s3:PutObjectLegalHold", context, fresh));
  return ok_status();
}

bool wants_bypass(const AccessContext& context) {
  const auto field = header_of(context, "x-amz-bypass-governance-retention");
  return field && equals_ignore_case(*field, "true");
}

// What the scope of an access point lets through of a listing: each prefix that is asked for.
Status check_listing_scope(const AccessContext& context, const s3::AccessPointScope& scope) {
  bool any = false;
  for (const auto& [name, value] : context.query) {
    if (name != "prefix") continue;
    any = true;
    if (!scope.covers_path(value)) return denied();
  }
  return any || scope.covers_path({}) ? ok_status() : Status(denied());
}

// No policy gives more than the scope. Of the keys in a body each is asked for on its own.
Status check_scope(std::string_view permission, const AccessSubject& subject) {
  if (!subject.rules.through || permission.empty()) return ok_status();
  const s3::AccessPointScope& scope = subject.rules.through->scope;
  const bool covered = scope.covers_permission(permission) &&
                       (subject.key.empty() || scope.covers_path(subject.key));
  return covered ? ok_status() : Status(denied());
}

// A directory bucket is managed by its own account alone.
Status decide_directory(const DirectoryRow* row, const AccessContext& context,
                        const AccessSubject& subject) {
  if (row == nullptr) return denied();
  if (row->operation == "CreateSession") {
    if (context.session != nullptr) return denied();  // none comes of another
    const auto mode = header_of(context, "x-amz-create-session-mode");
    if (mode) return decide_session(context, subject, *mode == "ReadOnly");
    return decide_session(context, subject, false).ok() ? ok_status()
                                                        : decide_session(context, subject, true);
  }
  if (row->endpoint == DirectoryEndpoint::zonal) {
    CAIRN_CHECK(check_scope(row->permission, subject));
    if (subject.rules.through && row->operation.starts_with("List") && subject.key.empty())
      CAIRN_CHECK(check_listing_scope(context, subject.rules.through->scope));
    return decide_session(context, subject, row->reads);
  }
  if (context.caller == nullptr ||
      context.caller->account_id != subject.rules.bucket.owner.account_id)
    return denied();
  return Weighing(row->action, context, subject).is_allowed() ? ok_status() : Status(denied());
}

}  // namespace

Status decide(std::string_view action, const AccessContext& context, const AccessSubject& subject) {
  const std::string& bucket = subject.rules.bucket.name;
  if (s3::is_reserved_bucket(bucket))
    return s3::error("NoSuchBucket").with_detail("BucketName", bucket);
  if (subject.rules.bucket.is_directory()) {
    CAIRN_CHECK(check_scope(action.substr(action.find(':') + 1), subject));
    return decide_session(context, subject, action_reads(action));
  }
  if (context.session != nullptr) return denied();  // whatever its maker may do elsewhere
  return Weighing(action, context, subject).is_allowed() ? ok_status() : Status(denied());
}

Status decide(const s3::Operation& operation, const AccessContext& context,
              const AccessSubject& subject) {
  if (subject.rules.bucket.is_directory())
    return decide_directory(find_directory_row(operation.name), context, subject);
  if (context.session != nullptr) return denied();
  const OperationRow* row = find_operation_row(operation.name);
  if (row == nullptr) return denied();
  if (s3::is_reserved_bucket(subject.rules.bucket.name))
    return s3::error("NoSuchBucket").with_detail("BucketName", subject.rules.bucket.name);
  const bool versioned = subject.version_id && !row->of_version.empty();
  if (!row->action.empty())
    CAIRN_CHECK(decide(versioned ? row->of_version : row->action, context, subject));
  if (!row->besides.empty())
    CAIRN_CHECK(decide(versioned ? row->besides_version : row->besides, context, subject));
  if (row->writes_object) CAIRN_CHECK(decide_extras(context, subject));
  if (row->may_bypass_lock && wants_bypass(context))
    CAIRN_CHECK(decide("s3:BypassGovernanceRetention", context, subject));
  if (is_about_policy(row->action) && context.caller != nullptr &&
      context.caller->account_id != subject.rules.bucket.owner.account_id)
    return s3::error("MethodNotAllowed");
  return check_payer(context, subject.rules);
}

Status decide_session(const AccessContext& context, const AccessSubject& subject, bool read_only) {
  if (context.session != nullptr) {
    const BucketRules& rules = subject.rules;
    const bool covers = context.session->bucket ==
                            (rules.through ? rules.through->name : rules.bucket.name) &&
                        (read_only || !context.session->read_only);
    return covers ? ok_status() : Status(denied());
  }
  AccessContext asked = context;
  asked.session_mode = read_only ? "ReadOnly" : "ReadWrite";
  return Weighing(create_session_action, asked, subject).is_allowed() ? ok_status()
                                                                      : Status(denied());
}

Status decide_by_caller(std::string_view action, const AccessContext& context,
                        std::string_view resource) {
  if (context.caller == nullptr || context.session != nullptr || context.granted != nullptr)
    return denied();
  if (context.caller->is_root()) return ok_status();
  const RequestFacts facts(context, nullptr);
  auth::PolicyAnswer answer;
  for (const auto& policy : context.caller->policies)
    answer |= policy->answer({.action = action, .resource = resource, .facts = facts});
  return answer.allowed && !answer.denied ? ok_status() : Status(denied());
}

Status decide_directory_action(std::string_view action, const AccessContext& context,
                               std::string_view bucket) {
  if (context.caller == nullptr) return denied();
  const std::string resource =
      arn_of(s3::Bucket{.name = std::string(bucket.empty() ? "*" : bucket),
                        .location_constraint = std::string(context.region),
                        .owner = {.id = {}, .account_id = context.caller->account_id},
                        .zone = s3::Zone{}});
  return decide_by_caller(action, context, resource);
}

Status decide_without_bucket(const s3::Operation& operation, const AccessContext& context,
                             std::string_view bucket, std::string_view location_constraint) {
  if (context.directory) {
    const DirectoryRow* row = find_directory_row(operation.name);
    return row == nullptr ? Status(denied())
                          : decide_directory_action(row->action, context, bucket);
  }
  const OperationRow* row = find_operation_row(operation.name);
  if (row == nullptr || context.caller == nullptr || context.granted != nullptr) return denied();
  if (context.caller->is_root()) return ok_status();
  const RequestFacts facts(context, nullptr, location_constraint);
  const std::string resource = resource_of(bucket.empty() ? "*" : bucket, {});
  const auto check = [&](std::string_view action) -> Status {
    auth::PolicyAnswer answer;
    for (const auto& policy : context.caller->policies)
      answer |= policy->answer({.action = action, .resource = resource, .facts = facts});
    return answer.allowed && !answer.denied ? ok_status() : Status(denied());
  };
  CAIRN_CHECK(check(row->action));
  if (row->action != "s3:CreateBucket") return ok_status();
  const auto field = [&](std::string_view name) { return header_of(context, name); };
  const bool acl = field("x-amz-acl") || field("x-amz-grant-full-control") ||
                   field("x-amz-grant-read") || field("x-amz-grant-read-acp") ||
                   field("x-amz-grant-write") || field("x-amz-grant-write-acp");
  if (acl) CAIRN_CHECK(check("s3:PutBucketAcl"));
  if (field("x-amz-object-ownership")) CAIRN_CHECK(check("s3:PutBucketOwnershipControls"));
  const auto lock = field("x-amz-bucket-object-lock-enabled");
  if (lock && equals_ignore_case(*lock, "true")) {
    CAIRN_CHECK(check("s3:PutBucketObjectLockConfiguration"));
    CAIRN_CHECK(check("s3:PutBucketVersioning"));
  }
  return ok_status();
}

Status decide_source(const AccessContext& context, const AccessSubject& source, bool with_tags) {
  const bool versioned = source.version_id.has_value();
  CAIRN_CHECK(decide(versioned ? "s3:GetObjectVersion" : "s3:GetObject", context, source));
  if (with_tags)
    CAIRN_CHECK(
        decide(versioned ? "s3:GetObjectVersionTagging" : "s3:GetObjectTagging", context, source));
  return check_payer(context, source.rules);
}

Error missing_object(const AccessContext& context, const AccessSubject& subject) {
  AccessSubject bucket{.rules = subject.rules};
  if (!decide("s3:ListBucket", context, bucket).ok()) return denied();
  if (!subject.version_id)
    return s3::error("NoSuchKey").with_detail("Key", std::string(subject.key));
  return s3::error("NoSuchVersion")
      .with_detail("Key", std::string(subject.key))
      .with_detail("VersionId", std::string(*subject.version_id));
}

Status check_expected_owner(const s3::Bucket& bucket,
                            const std::optional<std::string>& expected_owner) {
  if (!expected_owner) return ok_status();
  const bool is_account =
      expected_owner->size() == 12 && std::all_of(expected_owner->begin(), expected_owner->end(),
                                                  [](char c) { return c >= '0' && c <= '9'; });
  if (!is_account) return s3::error("InvalidBucketOwnerAWSAccountID");
  return *expected_owner == bucket.owner.account_id ? ok_status() : Status(denied());
}

bool is_requester_charged(const AccessContext& context, const BucketRules& rules) {
  return rules.requester_pays && context.caller != nullptr &&
         context.caller->account_id != rules.bucket.owner.account_id;
}

}  // namespace cairn::s3api
