// SPDX-License-Identifier: Apache-2.0
// Decisions as tables: policies, grants, switches, and what conditions see.
#include "s3api/access/access.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "s3api/access/access_scene_test.h"

namespace cairn::s3api::access_test {
namespace {

using namespace access_scene;

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
