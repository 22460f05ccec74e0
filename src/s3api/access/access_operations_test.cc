// SPDX-License-Identifier: Apache-2.0
// Decisions as tables: which actions the operations ask for, and those with rules of their own.
#include "s3api/access/access.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "auth/policy/policy_action.h"
#include "s3api/access/access_actions.h"
#include "s3api/access/access_scene_test.h"
#include "s3api/access/directory_rows.h"

namespace cairn::s3api::access_operations_test {
namespace {

using namespace access_scene;

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
    CHECK((find_operation_row(operation->name) != nullptr ||
           find_directory_row(operation->name) != nullptr));
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

}  // namespace
}  // namespace cairn::s3api::access_operations_test
