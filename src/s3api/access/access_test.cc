// SPDX-License-Identifier: Apache-2.0
// Decisions as tables: two accounts with their roots and users, and nobody.
#include "s3api/access/access.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "auth/policy_action.h"
#include "s3api/access/access_actions.h"

namespace cairn::s3api::access_test {
namespace {

const s3::Owner owner_1{std::string(64, '1'), "111111111111"};
const s3::Owner owner_2{std::string(64, '2'), "222222222222"};

auth::ObjectCaller caller_of(const s3::Owner& owner, const std::string& user,
                             const std::string& policy = {}) {
  auth::ObjectCaller caller{.account_id = owner.account_id,
                            .canonical_id = owner.id,
                            .email = "mail-" + owner.account_id + "@example.org",
                            .arn = auth::principal_arn(owner.account_id, user),
                            .user_id = user.empty() ? owner.account_id : "AIDA" + user,
                            .username = user};
  if (!policy.empty()) {
    auto read = auth::Policy::of_identity(policy);
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    caller.policies.push_back(*read);
  }
  return caller;
}

std::string allow(const std::string& actions, const std::string& resource = "*") {
  return R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":)" + actions +
         R"(,"Resource":")" + resource + R"("}})";
}

/// Everybody who appears in the tables.
struct Cast {
  auth::ObjectCaller root_1 = caller_of(owner_1, "");
  auth::ObjectCaller all_1 = caller_of(owner_1, "all", allow(R"("s3:*")"));
  auth::ObjectCaller none_1 = caller_of(owner_1, "none");
  auth::ObjectCaller root_2 = caller_of(owner_2, "");
  auth::ObjectCaller all_2 = caller_of(owner_2, "all", allow(R"("s3:*")"));
  auth::ObjectCaller none_2 = caller_of(owner_2, "none");
  std::vector<const auth::ObjectCaller*> everybody() const {
    return {&root_1, &all_1, &none_1, &root_2, &all_2, &none_2, nullptr};
  }
};

net::RequestHead a_head() {
  net::RequestHead head;
  head.method = "GET";
  head.target = "/b/k";
  head.peer_address = "203.0.113.7";
  return head;
}

/// A request, and the bucket of account 1 that it is about.
struct Scene {
  Cast cast;
  BucketRules rules{.bucket = {.name = "b", .owner = owner_1}};
  net::RequestHead head = a_head();
  net::QueryParameters query;
  s3::Claim claim;
  std::optional<s3::Object> object;
  std::optional<std::string> version;
  s3::Dialect dialect = s3::Dialect::aws;
  static constexpr std::int64_t now_ms = 1'767'323'045'000;

  void policy(const std::string& statements) {
    auto read = auth::Policy::of_bucket(
        R"({"Version":"2012-10-17","Statement":[)" + statements + "]}", "b");
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    rules.policy = *read;
  }
  void ownership(s3::Ownership ownership) { rules.bucket.ownership = ownership; }
  void put_object(const s3::Owner& owner, const std::string& canned = "private") {
    object = s3::Object{.key = "k", .owner = owner};
    object->acl = s3::text_of_grants(*s3::canned_grants(canned, owner.id, owner_1.id));
  }
  AccessContext context(const auth::ObjectCaller* caller) const {
    return {.caller = caller,
            .head = head,
            .query = query,
            .dialect = dialect,
            .claim = caller != nullptr ? &claim : nullptr,
            .now_ms = now_ms,
            .region = "us-east-1"};
  }
  AccessSubject subject(std::string_view key = "k") const {
    AccessSubject out{.rules = rules, .key = key};
    out.object = !key.empty() && object ? &*object : nullptr;
    if (version) out.version_id = *version;
    return out;
  }
  bool may(const auth::ObjectCaller* caller, std::string_view action,
           std::string_view key = "k") const {
    return decide(action, context(caller), subject(key)).ok();
  }
  /// One sign for each of the cast: y or -.
  std::string who(std::string_view action, std::string_view key = "k") const {
    std::string out;
    for (const auto* caller : cast.everybody()) out += may(caller, action, key) ? 'y' : '-';
    return out;
  }
  Status does(const auth::ObjectCaller* caller, std::string_view operation,
              std::string_view key = "k") const {
    s3::Operation named;
    named.name = operation;
    return decide(named, context(caller), subject(key));
  }
};

std::string statement(const std::string& effect, const std::string& principal,
                      const std::string& actions, const std::string& more = "") {
  return R"({"Effect":")" + effect + R"(","Principal":)" + principal + R"(,"Action":)" + actions +
         R"(,"Resource":["arn:aws:s3:::b","arn:aws:s3:::b/*"])" + more + "}";
}

constexpr const char* everyone = R"("*")";
constexpr const char* account_2 = R"({"AWS":"222222222222"})";
constexpr const char* none_of_1 = R"({"AWS":"arn:aws:iam::111111111111:user/none"})";
constexpr const char* none_of_2 = R"({"AWS":"arn:aws:iam::222222222222:user/none"})";
constexpr const char* get = R"("s3:GetObject")";

// In the order of the cast: root, all and none of account 1, then of 2, then nobody.
TEST_CASE("access: without any rule a bucket is its account's, as far as the users may") {
  Scene scene;
  scene.put_object(owner_1);
  for (const char* action : {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:GetObjectAcl"})
    CHECK(scene.who(action) == "yy-----");
  for (const char* action : {"s3:ListBucket", "s3:DeleteBucket", "s3:PutBucketPolicy"})
    CHECK(scene.who(action, "") == "yy-----");
}

TEST_CASE("access: the bucket's policy and policies of users") {
  const struct {
    std::string statements;
    const char* action;
    const char* who;
  } rows[] = {
      // Everybody: also users of the own account without a right of their own, and nobody; of other
      // accounts only who may there.
      {statement("Allow", everyone, get), "s3:GetObject", "yyyyy-y"},
      {statement("Allow", everyone, get), "s3:PutObject", "yy-----"},
      {statement("Allow", account_2, get), "s3:GetObject", "yy-yy--"},
      {statement("Allow", R"({"AWS":"111111111111"})", get), "s3:GetObject", "yy-----"},
      {statement("Allow", none_of_1, get), "s3:GetObject", "yyy----"},
      {statement("Allow", none_of_2, get), "s3:GetObject", "yy-----"},
      {statement("Allow", R"({"AWS":"arn:aws:iam::222222222222:user/all"})", get), "s3:GetObject",
       "yy--y--"},
      {statement("Allow", R"({"CanonicalUser":")" + owner_2.id + R"("})", get), "s3:GetObject",
       "yy-yy--"},
      {statement("Deny", everyone, get), "s3:GetObject", "-------"},
      {statement("Deny", everyone, get), "s3:PutObject", "yy-----"},
      {statement("Deny", none_of_1, get) + "," + statement("Allow", everyone, get), "s3:GetObject",
       "yy-yy-y"},
      {statement("Allow", everyone, get) + "," + statement("Deny", account_2, get), "s3:GetObject",
       "yyy---y"},
      {R"({"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws:iam::111111111111:user/all"},)"
       R"("Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"})",
       "s3:GetObject", "-y-----"},
      {statement("Allow", everyone, get,
                 R"(,"Condition":{"IpAddress":{"aws:SourceIp":"203.0.113.0/24"}})"),
       "s3:GetObject", "yyyyy-y"},
      {statement("Allow", everyone, get,
                 R"(,"Condition":{"IpAddress":{"aws:SourceIp":"198.51.100.0/24"}})"),
       "s3:GetObject", "yy-----"},
      {statement("Deny", everyone, R"("s3:*")",
                 R"(,"Condition":{"Bool":{"aws:SecureTransport":"false"}})"),
       "s3:GetObject", "-------"},
  };
  for (const auto& row : rows) {
    INFO((row.statements + " " + row.action));
    Scene scene;
    scene.put_object(owner_1);
    scene.policy(row.statements);
    CHECK(scene.who(row.action) == row.who);
  }
}

TEST_CASE("access: a user's own policy bounds it, and its denial counts everywhere") {
  Scene scene;
  const auto reader = caller_of(owner_1, "reader", allow(get, "arn:aws:s3:::b/public/*"));
  CHECK(scene.may(&reader, "s3:GetObject", "public/x"));
  CHECK(!scene.may(&reader, "s3:GetObject", "private/x"));
  CHECK(!scene.may(&reader, "s3:PutObject", "public/x"));
  const auto own = caller_of(owner_1, "ann", allow(get, "arn:aws:s3:::b/home/${aws:username}/*"));
  CHECK(scene.may(&own, "s3:GetObject", "home/ann/x"));
  CHECK(!scene.may(&own, "s3:GetObject", "home/bob/x"));
  const auto shut = caller_of(owner_1, "shut",
                              R"({"Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"},
                       {"Effect":"Deny","Action":"s3:DeleteObject","Resource":"*"}]})");
  scene.policy(statement("Allow", everyone, R"("s3:*")"));
  CHECK(scene.may(&shut, "s3:PutObject"));
  CHECK(!scene.may(&shut, "s3:DeleteObject"));
}

TEST_CASE("access: the root of the bucket's account gets out of a policy that shuts it out") {
  Scene scene;
  scene.policy(statement("Deny", everyone, R"("s3:*")"));
  for (const char* action : {"s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy"})
    CHECK(scene.who(action, "") == "y------");
  CHECK(scene.who("s3:ListBucket", "") == "-------");
}

TEST_CASE("access: another account never holds a bucket's policy") {
  Scene scene;
  scene.policy(statement("Allow", account_2, R"("s3:*")"));
  for (const char* operation : {"GetBucketPolicy", "PutBucketPolicy", "DeleteBucketPolicy"}) {
    CHECK(scene.does(&scene.cast.root_2, operation, "").error().code == "MethodNotAllowed");
    CHECK(scene.does(&scene.cast.none_2, operation, "").error().code == "AccessDenied");
    CHECK(scene.does(&scene.cast.root_1, operation, "").ok());
  }
  CHECK(scene.does(&scene.cast.root_2, "ListObjectsV2", "").ok());
}

TEST_CASE("access: grants of the bucket") {
  const struct {
    const char* canned;
    const char* list;
    const char* put;
    const char* remove;
    const char* get_acl;
  } rows[] = {
      {"private", "yy-----", "yy-----", "yy-----", "yy-----"},
      {"public-read", "yyyyy-y", "yy-----", "yy-----", "yy-----"},
      {"public-read-write", "yyyyy-y", "yyyyy-y", "yyyyy-y", "yy-----"},
      {"authenticated-read", "yyyyy--", "yy-----", "yy-----", "yy-----"},
      {"log-delivery-write", "yy-----", "yy-----", "yy-----", "yy-----"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.canned));
    Scene scene;
    scene.ownership(s3::Ownership::object_writer);
    scene.rules.grants = s3::canned_grants(row.canned, owner_1.id, owner_1.id);
    REQUIRE(scene.rules.grants);
    CHECK(scene.who("s3:ListBucket", "") == row.list);
    CHECK(scene.who("s3:ListBucketVersions", "") == row.list);
    CHECK(scene.who("s3:PutObject") == row.put);
    CHECK(scene.who("s3:DeleteObject") == row.remove);
    CHECK(scene.who("s3:GetBucketAcl", "") == row.get_acl);
    CHECK(scene.who("s3:PutBucketAcl", "") == "yy-----");
    CHECK(scene.who("s3:DeleteObjectVersion") == "yy-----");
    CHECK(scene.who("s3:GetBucketTagging", "") == "yy-----");
    // Nothing of it counts where ACLs are off.
    scene.ownership(s3::Ownership::bucket_owner_enforced);
    CHECK(scene.who("s3:ListBucket", "") == "yy-----");
    CHECK(scene.who("s3:PutObject") == "yy-----");
  }
}

TEST_CASE("access: grants of an object, one by one") {
  using s3::GrantRight;
  const struct {
    GrantRight right;
    const char* get;
    const char* get_acl;
    const char* put_acl;
  } rows[] = {
      {GrantRight::read, "yy-yy--", "yy-----", "yy-----"},
      {GrantRight::read_acp, "yy-----", "yy-yy--", "yy-----"},
      {GrantRight::write_acp, "yy-----", "yy-----", "yy-yy--"},
      {GrantRight::write, "yy-----", "yy-----", "yy-----"},
      {GrantRight::full_control, "yy-yy--", "yy-yy--", "yy-yy--"},
  };
  for (const bool by_email : {false, true})
    for (const auto& row : rows) {
      Scene scene;
      scene.ownership(s3::Ownership::object_writer);
      s3::GrantList list = s3::private_grants(owner_1.id);
      list.grants.push_back(
          {.kind = by_email ? s3::GranteeKind::email : s3::GranteeKind::canonical_user,
           .name = by_email ? "Mail-222222222222@example.org" : owner_2.id,
           .right = row.right});
      scene.object = s3::Object{.key = "k", .owner = owner_1, .acl = s3::text_of_grants(list)};
      CHECK(scene.who("s3:GetObject") == row.get);
      CHECK(scene.who("s3:GetObjectVersion") == row.get);
      CHECK(scene.who("s3:GetObjectAcl") == row.get_acl);
      CHECK(scene.who("s3:PutObjectAcl") == row.put_acl);
      CHECK(scene.who("s3:PutObject") == "yy-----");  // that is the bucket's to give
      CHECK(scene.who("s3:GetObjectTagging") == "yy-----");
    }
}

TEST_CASE(
    "access: an object of another account is that account's, and the bucket's owner may delete") {
  Scene scene;
  scene.ownership(s3::Ownership::object_writer);
  scene.put_object(owner_2);
  CHECK(scene.who("s3:GetObject") == "---yy--");
  CHECK(scene.who("s3:GetObjectAcl") == "---yy--");
  CHECK(scene.who("s3:GetObjectTagging") == "---yy--");
  CHECK(scene.who("s3:DeleteObject") == "yy-----");
  CHECK(scene.who("s3:DeleteObjectVersion") == "yy-----");
  // The bucket's policy gives nothing of it away, but it can deny.
  scene.policy(statement("Allow", everyone, R"("s3:*")"));
  CHECK(scene.who("s3:GetObject") == "---yy--");
  scene.policy(statement("Deny", account_2, get));
  CHECK(scene.who("s3:GetObject") == "-------");
  scene.rules.policy = nullptr;
  scene.put_object(owner_2, "bucket-owner-read");
  CHECK(scene.who("s3:GetObject") == "yy-yy--");
  CHECK(scene.who("s3:PutObjectAcl") == "---yy--");
  scene.put_object(owner_2, "bucket-owner-full-control");
  CHECK(scene.who("s3:PutObjectAcl") == "yy-yy--");
  // With ACLs off it is the bucket's all the same.
  scene.put_object(owner_2);
  scene.ownership(s3::Ownership::bucket_owner_enforced);
  CHECK(scene.who("s3:GetObject") == "yy-----");
}

TEST_CASE("access: the four switches against everybody") {
  Scene scene;
  scene.ownership(s3::Ownership::object_writer);
  scene.put_object(owner_1, "public-read");
  scene.rules.grants = s3::canned_grants("public-read-write", owner_1.id, owner_1.id);
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");
  CHECK(scene.who("s3:PutObject") == "yyyyy-y");
  scene.rules.block = {.ignore_public_acls = true};
  CHECK(scene.who("s3:GetObject") == "yy-----");
  CHECK(scene.who("s3:PutObject") == "yy-----");
  // The two that block what is being set change nothing of what was.
  scene.rules.block = {.block_public_acls = true, .block_public_policy = true};
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");

  scene.put_object(owner_1);
  scene.rules.grants.reset();
  scene.rules.block = {};
  scene.policy(statement("Allow", everyone, get) + "," + statement("Allow", account_2, get));
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");
  scene.rules.block = {.restrict_public_buckets = true};
  CHECK(scene.who("s3:GetObject") == "yyy----");
  scene.policy(statement("Allow", account_2, get));  // not public
  CHECK(scene.who("s3:GetObject") == "yy-yy--");
  scene.policy(statement("Allow", everyone, get,
                         R"(,"Condition":{"IpAddress":{"aws:SourceIp":"203.0.113.0/24"}})"));
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");
}

TEST_CASE("access: operations ask for their actions") {
  const struct {
    const char* operation;
    const char* key;
    const char* version;
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> actions;  // all are needed, and they are enough
  } rows[] = {
      {"GetObject", "k", "", {}, {"s3:GetObject"}},
      {"GetObject", "k", "v", {}, {"s3:GetObjectVersion"}},
      {"HeadObject", "k", "", {}, {"s3:GetObject"}},
      {"HeadObject", "k", "v", {}, {"s3:GetObjectVersion"}},
      {"GetObjectAttributes", "k", "", {}, {"s3:GetObject", "s3:GetObjectAttributes"}},
      {"GetObjectAttributes",
       "k",
       "v",
       {},
       {"s3:GetObjectVersion", "s3:GetObjectVersionAttributes"}},
      {"PutObject", "k", "", {}, {"s3:PutObject"}},
      {"PutObject", "k", "", {{"x-amz-acl", "private"}}, {"s3:PutObject", "s3:PutObjectAcl"}},
      {"PutObject", "k", "", {{"x-amz-grant-read", "id=x"}}, {"s3:PutObject", "s3:PutObjectAcl"}},
      {"PutObject", "k", "", {{"x-amz-tagging", "a=b"}}, {"s3:PutObject", "s3:PutObjectTagging"}},
      {"PutObject",
       "k",
       "",
       {{"x-amz-object-lock-mode", "GOVERNANCE"}, {"x-amz-object-lock-legal-hold", "ON"}},
       {"s3:PutObject", "s3:PutObjectRetention", "s3:PutObjectLegalHold"}},
      {"CopyObject", "k", "", {{"x-amz-copy-source", "/b/s"}}, {"s3:PutObject"}},
      {"CreateMultipartUpload", "k", "", {}, {"s3:PutObject"}},
      {"CreateMultipartUpload",
       "k",
       "",
       {{"x-amz-tagging", "a=b"}},
       {"s3:PutObject", "s3:PutObjectTagging"}},
      {"UploadPart", "k", "", {}, {"s3:PutObject"}},
      {"UploadPartCopy", "k", "", {}, {"s3:PutObject"}},
      {"CompleteMultipartUpload", "k", "", {}, {"s3:PutObject"}},
      {"AbortMultipartUpload", "k", "", {}, {"s3:AbortMultipartUpload"}},
      {"ListParts", "k", "", {}, {"s3:ListMultipartUploadParts"}},
      {"DeleteObject", "k", "", {}, {"s3:DeleteObject"}},
      {"DeleteObject", "k", "v", {}, {"s3:DeleteObjectVersion"}},
      {"DeleteObject",
       "k",
       "v",
       {{"x-amz-bypass-governance-retention", "true"}},
       {"s3:DeleteObjectVersion", "s3:BypassGovernanceRetention"}},
      {"GetObjectAcl", "k", "", {}, {"s3:GetObjectAcl"}},
      {"GetObjectAcl", "k", "v", {}, {"s3:GetObjectVersionAcl"}},
      {"PutObjectAcl", "k", "v", {}, {"s3:PutObjectVersionAcl"}},
      {"PutObjectAcl", "k", "", {{"x-amz-acl", "private"}}, {"s3:PutObjectAcl"}},
      {"GetObjectTagging", "k", "v", {}, {"s3:GetObjectVersionTagging"}},
      {"PutObjectTagging", "k", "", {}, {"s3:PutObjectTagging"}},
      {"DeleteObjectTagging", "k", "v", {}, {"s3:DeleteObjectVersionTagging"}},
      {"GetObjectRetention", "k", "v", {}, {"s3:GetObjectRetention"}},
      {"PutObjectRetention", "k", "", {}, {"s3:PutObjectRetention"}},
      {"PutObjectLegalHold", "k", "", {}, {"s3:PutObjectLegalHold"}},
      {"RestoreObject", "k", "", {}, {"s3:RestoreObject"}},
      {"HeadBucket", "", "", {}, {"s3:ListBucket"}},
      {"ListObjects", "", "", {}, {"s3:ListBucket"}},
      {"ListObjectsV2", "", "", {}, {"s3:ListBucket"}},
      {"ListObjectVersions", "", "", {}, {"s3:ListBucketVersions"}},
      {"ListMultipartUploads", "", "", {}, {"s3:ListBucketMultipartUploads"}},
      {"DeleteBucket", "", "", {}, {"s3:DeleteBucket"}},
      {"GetBucketLocation", "", "", {}, {"s3:GetBucketLocation"}},
      {"DeleteBucketTagging", "", "", {}, {"s3:PutBucketTagging"}},
      {"DeleteBucketCors", "", "", {}, {"s3:PutBucketCORS"}},
      {"GetBucketCors", "", "", {}, {"s3:GetBucketCORS"}},
      {"DeleteBucketEncryption", "", "", {}, {"s3:PutEncryptionConfiguration"}},
      {"DeleteBucketLifecycle", "", "", {}, {"s3:PutLifecycleConfiguration"}},
      {"GetPublicAccessBlock", "", "", {}, {"s3:GetBucketPublicAccessBlock"}},
      {"DeleteBucketOwnershipControls", "", "", {}, {"s3:PutBucketOwnershipControls"}},
      {"PutObjectLockConfiguration", "", "", {}, {"s3:PutBucketObjectLockConfiguration"}},
  };
  for (const auto& row : rows) {
    INFO((std::string(row.operation) + " " + row.version));
    Scene scene;
    scene.object = s3::Object{.key = "k", .owner = owner_1};
    if (*row.version != 0) scene.version = row.version;
    for (const auto& [name, value] : row.headers) scene.head.headers.add(name, value);
    const auto with = [&](const std::vector<std::string>& actions) {
      std::string list;
      for (const auto& action : actions) list += (list.empty() ? "\"" : ",\"") + action + '"';
      const auto user = caller_of(owner_1, "u", actions.empty() ? "" : allow("[" + list + "]"));
      return scene.does(&user, row.operation, row.key).ok();
    };
    CHECK(with(row.actions));
    for (std::size_t i = 0; i < row.actions.size(); ++i) {
      auto fewer = row.actions;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK(!with(fewer));
    }
    CHECK(scene.does(&scene.cast.root_1, row.operation, row.key).ok());
    CHECK(!scene.does(&scene.cast.root_2, row.operation, row.key).ok());
    CHECK(!scene.does(nullptr, row.operation, row.key).ok());
  }
}

TEST_CASE("access: every operation of the wire has its row, and every action is one of policies") {
  for (const s3::Operation* operation : s3::all_operations()) {
    INFO(std::string(operation->name));
    CHECK(find_operation_row(operation->name) != nullptr);
  }
  for (const OperationRow& row : operation_rows())
    for (const auto action : {row.action, row.of_version, row.besides, row.besides_version}) {
      if (action.empty()) continue;
      INFO(std::string(action));
      CHECK(find_action(action) != nullptr);
      CHECK(auth::find_policy_action(action) != nullptr);
      CHECK(row.of_version.empty() ==
            (row.besides.empty() ? row.of_version.empty() : row.besides_version.empty()));
    }
  CHECK(find_operation_row("SelectObjectContent") == nullptr);
}

TEST_CASE("access: who writes by a grant may say who sees what it writes") {
  Scene scene;
  scene.ownership(s3::Ownership::object_writer);
  scene.rules.grants = s3::private_grants(owner_1.id);
  scene.rules.grants->grants.push_back({.name = owner_2.id, .right = s3::GrantRight::write});
  scene.head.headers.add("x-amz-acl", "bucket-owner-full-control");
  CHECK(scene.does(&scene.cast.root_2, "PutObject").ok());
  CHECK(scene.does(&scene.cast.all_2, "PutObject").ok());
  CHECK(!scene.does(&scene.cast.none_2, "PutObject").ok());
  scene.policy(statement("Deny", account_2, R"("s3:PutObjectAcl")"));
  CHECK(!scene.does(&scene.cast.root_2, "PutObject").ok());
}

TEST_CASE("access: buckets are made and listed by who has an account and may") {
  Scene scene;
  const auto may = [&](const auth::ObjectCaller* caller, const char* operation,
                       std::string_view bucket = {}, std::string_view location = {}) {
    s3::Operation named;
    named.name = operation;
    return decide_without_bucket(named, scene.context(caller), bucket, location).ok();
  };
  for (const char* operation : {"ListBuckets", "CreateBucket"}) {
    CHECK(may(&scene.cast.root_1, operation, "new"));
    CHECK(may(&scene.cast.all_2, operation, "new"));
    CHECK(!may(&scene.cast.none_1, operation, "new"));
    CHECK(!may(nullptr, operation, "new"));  // anonymous requests never create
  }
  const auto maker =
      caller_of(owner_1, "maker", allow(R"("s3:CreateBucket")", "arn:aws:s3:::own-*"));
  CHECK(may(&maker, "CreateBucket", "own-1"));
  CHECK(!may(&maker, "CreateBucket", "other"));
  CHECK(!may(&maker, "ListBuckets"));
  const auto lister = caller_of(owner_1, "l", allow(R"("s3:ListAllMyBuckets")", "arn:aws:s3:::*"));
  CHECK(may(&lister, "ListBuckets"));
  const auto local =
      caller_of(owner_1, "local",
                R"({"Statement":{"Effect":"Allow","Action":"s3:CreateBucket","Resource":"*",
          "Condition":{"StringEquals":{"s3:LocationConstraint":"eu-west-1"}}}})");
  CHECK(may(&local, "CreateBucket", "new", "eu-west-1"));
  CHECK(!may(&local, "CreateBucket", "new", "us-west-2"));
  CHECK(!may(&local, "CreateBucket", "new"));
  scene.head.headers.add("x-amz-object-ownership", "ObjectWriter");
  CHECK(!may(&maker, "CreateBucket", "own-1"));
  CHECK(may(&scene.cast.all_1, "CreateBucket", "own-1"));
}

TEST_CASE("access: copies read their source, and its tags where they go along") {
  Scene scene;
  scene.put_object(owner_1);
  scene.policy(statement("Allow", everyone, get));
  CHECK(decide_source(scene.context(&scene.cast.root_2), scene.subject(), false).ok());
  CHECK(!decide_source(scene.context(&scene.cast.root_2), scene.subject(), true).ok());
  scene.policy(statement("Allow", everyone, R"(["s3:GetObject","s3:GetObjectTagging"])"));
  CHECK(decide_source(scene.context(&scene.cast.root_2), scene.subject(), true).ok());
  scene.version = "v";
  CHECK(!decide_source(scene.context(&scene.cast.root_2), scene.subject(), false).ok());
  // The target wants the right to tag where tags come along.
  scene.version.reset();
  const s3::Tags tags{{"a", "b"}};
  AccessSubject target = scene.subject();
  target.new_tags = &tags;
  s3::Operation copy;
  copy.name = "CopyObject";
  const auto writer = caller_of(owner_1, "w", allow(R"("s3:PutObject")"));
  CHECK(!decide(copy, scene.context(&writer), target).ok());
  target.new_tags = nullptr;
  CHECK(decide(copy, scene.context(&writer), target).ok());
}

TEST_CASE("access: who began an upload may end and see it") {
  Scene scene;
  scene.policy(statement("Allow", account_2, R"("s3:PutObject")"));
  AccessSubject subject = scene.subject();
  for (const char* action : {"s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"}) {
    subject.initiator = nullptr;
    CHECK(!decide(action, scene.context(&scene.cast.root_2), subject).ok());
    subject.initiator = &owner_2;
    CHECK(decide(action, scene.context(&scene.cast.root_2), subject).ok());
    CHECK(decide(action, scene.context(&scene.cast.all_2), subject).ok());
    CHECK(!decide(action, scene.context(&scene.cast.none_2), subject).ok());
    CHECK(decide(action, scene.context(&scene.cast.root_1), subject).ok());
    CHECK(!decide(action, scene.context(nullptr), subject).ok());
  }
}

TEST_CASE("access: the requester pays") {
  Scene scene;
  scene.put_object(owner_1);
  scene.policy(statement("Allow", everyone, get));
  scene.rules.requester_pays = true;
  const auto gets = [&](const auth::ObjectCaller* caller) {
    return scene.does(caller, "GetObject").ok();
  };
  CHECK(gets(&scene.cast.root_1));
  CHECK(gets(&scene.cast.none_1));
  CHECK(!gets(&scene.cast.root_2));
  CHECK(!gets(nullptr));
  scene.head.headers.add("x-amz-request-payer", "requester");
  CHECK(gets(&scene.cast.root_2));
  CHECK(!gets(nullptr));
  CHECK(is_requester_charged(scene.context(&scene.cast.root_2), scene.rules));
  CHECK(!is_requester_charged(scene.context(&scene.cast.root_1), scene.rules));
  scene.head.headers.clear();
  scene.query = {{"x-amz-request-payer", "requester"}};
  CHECK(gets(&scene.cast.root_2));
  scene.query = {{"x-amz-request-payer", "owner"}};
  CHECK(!gets(&scene.cast.root_2));
  scene.query.clear();
  scene.dialect = s3::Dialect::svc;
  scene.head.headers.add("x-svc-request-payer", "requester");
  CHECK(gets(&scene.cast.root_2));
}

TEST_CASE("access: what is not there is named only to who may list") {
  Scene scene;
  const auto code = [&](const auth::ObjectCaller* caller) {
    return missing_object(scene.context(caller), scene.subject()).code;
  };
  CHECK(code(&scene.cast.root_1) == "NoSuchKey");
  CHECK(code(&scene.cast.none_1) == "AccessDenied");
  CHECK(code(nullptr) == "AccessDenied");
  scene.policy(statement("Allow", everyone, get));
  CHECK(code(nullptr) == "AccessDenied");
  scene.policy(statement("Allow", everyone, R"("s3:ListBucket")"));
  CHECK(code(nullptr) == "NoSuchKey");
  scene.version = "v";
  CHECK(code(nullptr) == "NoSuchVersion");
}

TEST_CASE("access: the expected owner") {
  const s3::Bucket bucket{.name = "b", .owner = owner_1};
  CHECK(check_expected_owner(bucket, std::nullopt).ok());
  CHECK(check_expected_owner(bucket, "111111111111").ok());
  CHECK(check_expected_owner(bucket, "222222222222").error().code == "AccessDenied");
  for (const char* bad : {"", "11111111111", "1111111111111", "11111111111a"})
    CHECK(check_expected_owner(bucket, bad).error().code == "InvalidBucketOwnerAWSAccountID");
}

TEST_CASE("access: Cairn's own buckets are not there") {
  Scene scene;
  scene.rules.bucket.name = ".cairn-auth";
  scene.rules.bucket.owner = owner_1;
  CHECK(scene.does(&scene.cast.root_1, "GetObject").error().code == "NoSuchBucket");
  CHECK(decide("s3:GetObject", scene.context(&scene.cast.root_1), scene.subject()).error().code ==
        "NoSuchBucket");
}

TEST_CASE("access: what conditions see of a request") {
  const struct {
    const char* condition;
    bool admits;
  } rows[] = {
      {R"({"StringEquals":{"aws:username":"all"}})", true},
      {R"({"StringEquals":{"aws:userid":"AIDAall"}})", true},
      {R"({"StringEquals":{"aws:PrincipalAccount":"222222222222"}})", true},
      {R"({"ArnEquals":{"aws:PrincipalArn":"arn:aws:iam::222222222222:user/all"}})", true},
      {R"({"StringEquals":{"aws:PrincipalType":"User"}})", true},
      {R"({"IpAddress":{"aws:SourceIp":"203.0.113.7"}})", true},
      {R"({"Bool":{"aws:SecureTransport":"false"}})", true},
      {R"({"DateEquals":{"aws:CurrentTime":"2026-01-02T03:04:05Z"}})", true},
      {R"({"NumericEquals":{"aws:EpochTime":1767323045}})", true},
      {R"({"DateLessThan":{"aws:EpochTime":"2026-01-02T03:04:05Z"}})", false},
      {R"({"StringLike":{"aws:UserAgent":"tool/*"}})", true},
      {R"({"StringLike":{"aws:Referer":"https://example.org/*"}})", true},
      {R"({"StringEquals":{"aws:RequestedRegion":"us-east-1"}})", true},
      {R"({"StringEquals":{"s3:authType":"REST-HEADER"}})", true},
      {R"({"StringEquals":{"s3:signatureversion":"AWS4-HMAC-SHA256"}})", true},
      {R"({"NumericLessThan":{"s3:signatureAge":60001}})", true},
      {R"({"NumericLessThan":{"s3:signatureAge":60000}})", false},
      {R"({"StringEquals":{"s3:ResourceAccount":"111111111111"}})", true},
      {R"({"NumericGreaterThanEquals":{"s3:TlsVersion":"1.2"}})", true},
      {R"({"NumericLessThan":{"s3:TlsVersion":"1.3"}})", false},
      {R"({"StringEquals":{"s3:x-amz-acl":"public-read"}})", true},
      {R"({"StringEquals":{"s3:x-amz-server-side-encryption":"aws:kms"}})", true},
      {R"({"StringEquals":{"s3:x-amz-server-side-encryption-aws-kms-key-id":"key"}})", true},
      {R"({"StringEquals":{"s3:x-amz-storage-class":"STANDARD_IA"}})", true},
      {R"({"StringLike":{"s3:x-amz-copy-source":"source/a b*"}})", true},
      {R"({"StringEquals":{"s3:x-amz-metadata-directive":"REPLACE"}})", true},
      {R"({"StringLike":{"s3:x-amz-grant-read":"*id=*"}})", true},
      {R"({"StringEquals":{"s3:x-amz-content-sha256":"UNSIGNED-PAYLOAD"}})", true},
      {R"({"StringEquals":{"s3:RequestObjectTag/team":"blue"}})", true},
      {R"({"StringEquals":{"s3:RequestObjectTag/Team":"blue"}})", false},
      {R"({"ForAllValues:StringEquals":{"s3:RequestObjectTagKeys":["team","a b"]}})", true},
      {R"({"ForAllValues:StringEquals":{"s3:RequestObjectTagKeys":["team"]}})", false},
      {R"({"StringEquals":{"s3:ExistingObjectTag/old":"yes"}})", true},
      {R"({"StringEquals":{"s3:ExistingObjectTag/new":"yes"}})", false},
      {R"({"StringEquals":{"s3:object-lock-mode":"COMPLIANCE"}})", true},
      {R"({"StringEquals":{"s3:object-lock-legal-hold":"ON"}})", true},
      {R"({"NumericLessThanEquals":{"s3:object-lock-remaining-retention-days":"10"}})", true},
      {R"({"NumericLessThan":{"s3:object-lock-remaining-retention-days":"10"}})", false},
      {R"({"DateLessThan":{"s3:object-lock-retain-until-date":"2027-01-01"}})", true},
      {R"({"StringEquals":{"aws:SourceVpce":"vpce-1"}})", false},
      {R"({"Bool":{"aws:MultiFactorAuthPresent":"true"}})", false},
  };
  for (const s3::Dialect dialect : {s3::Dialect::aws, s3::Dialect::svc})
    for (const auto& row : rows) {
      INFO(std::string(row.condition));
      Scene scene;
      scene.dialect = dialect;
      scene.put_object(owner_1);
      scene.object->tags = {{"old", "yes"}};
      scene.claim.time_ms = Scene::now_ms - 60'000;
      const auto field = [&](std::string_view name, std::string_view value) {
        scene.head.headers.add(s3::header_name(name, dialect), s3::value_name(value, dialect));
      };
      scene.head.tls_version = "1.3";
      scene.head.headers.add("User-Agent", "tool/1.0");
      scene.head.headers.add("Referer", "https://example.org/x");
      field("x-amz-acl", "public-read");
      field("x-amz-server-side-encryption", "aws:kms");
      field("x-amz-server-side-encryption-aws-kms-key-id", "key");
      field("x-amz-storage-class", "STANDARD_IA");
      field("x-amz-copy-source", "/source/a%20b/c");
      field("x-amz-metadata-directive", "REPLACE");
      field("x-amz-grant-read", "id=1");
      field("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
      field("x-amz-tagging", "team=blue&a%20b=c");
      field("x-amz-object-lock-mode", "COMPLIANCE");
      field("x-amz-object-lock-legal-hold", "ON");
      field("x-amz-object-lock-retain-until-date", "2026-01-12T03:04:05Z");
      scene.policy(statement("Allow", account_2, R"("s3:PutObject*")",
                             R"(,"Condition":)" + std::string(row.condition)));
      CHECK(scene.may(&scene.cast.all_2, "s3:PutObject") == row.admits);
    }
}

TEST_CASE("access: listings by prefix") {
  Scene scene;
  scene.policy(statement("Allow", everyone, R"("s3:ListBucket")",
                         R"(,"Condition":{"StringLike":{"s3:prefix":["","public/*"]},)"
                         R"("NumericLessThanEquals":{"s3:max-keys":"100"}})"));
  const auto lists = [&](net::QueryParameters query) {
    scene.query = std::move(query);
    return scene.does(nullptr, "ListObjectsV2", "").ok();
  };
  CHECK(lists({{"list-type", "2"}, {"prefix", ""}, {"max-keys", "100"}}));
  CHECK(lists({{"list-type", "2"}, {"prefix", "public/x"}, {"max-keys", "1"}}));
  CHECK(!lists({{"list-type", "2"}, {"prefix", "private/"}, {"max-keys", "1"}}));
  CHECK(!lists({{"list-type", "2"}, {"prefix", ""}, {"max-keys", "101"}}));
  CHECK(!lists({{"list-type", "2"}, {"prefix", ""}}));
  CHECK(!lists({{"list-type", "2"}, {"max-keys", "1"}}));
}

}  // namespace
}  // namespace cairn::s3api::access_test
