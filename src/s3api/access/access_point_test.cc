// SPDX-License-Identifier: Apache-2.0
// Who may do what through an access point: it and its bucket must both allow.
#include "s3api/access/access_scene_test.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::s3api::access_point_test {
namespace {

using namespace access_scene;

const std::string arn = "arn:aws:s3:us-east-1:111111111111:accesspoint/readers";

struct PointScene : Scene {
  explicit PointScene(const std::string& account = "111111111111") {
    rules.through = AccessPointRules{
        .arn = "arn:aws:s3:us-east-1:" + account + ":accesspoint/readers", .account_id = account};
  }
  void point_policy(const std::string& principal, const std::string& effect = "Allow",
                    const std::string& more = "") {
    auto read = auth::Policy::of_access_point(
        R"({"Version":"2012-10-17","Statement":{"Effect":")" + effect + R"(","Principal":)" +
            principal + R"(,"Action":"s3:GetObject","Resource":")" + rules.through->arn +
            R"(/object/*")" + more + "}}",
        rules.through->arn);
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    rules.through->policy = *read;
  }
  /// What the bucket's owner writes who leaves all to the access points of an account.
  void delegate(const std::string& account = "111111111111") {
    policy(statement("Allow", everyone, R"("*")",
                     R"(,"Condition":{"StringEquals":{"s3:DataAccessPointAccount":")" + account +
                         R"("}})"));
  }
};

}  // namespace

// root_1 all_1 none_1 root_2 all_2 none_2 nobody
TEST_CASE("access through a point: whoever needs it is given by identity, or by both policies") {
  struct Row {
    const char* what;
    const char* point_for;    // whom the point's policy allows; null: it has none
    bool delegated;           // the bucket leaves it to the points
    const char* bucket_for;   // whom the bucket's policy allows; null: it has none of that kind
    const char* who;
  };
  const Row rows[] = {
      {"no policies", nullptr, false, nullptr, "yy-----"},
      {"the point alone", none_of_1, false, nullptr, "yy-----"},
      {"the bucket alone", nullptr, false, none_of_1, "yy-----"},
      {"the bucket leaves it to points that say nothing", nullptr, true, nullptr, "yy-----"},
      {"the point, and the bucket leaves it to it", none_of_1, true, nullptr, "yyy----"},
      {"the point, and the bucket names the same", none_of_1, false, none_of_1, "yyy----"},
      {"another account by both", account_2, false, account_2, "yy-yy--"},
      {"another account by the point, left to it", account_2, true, nullptr, "yy-yy--"},
      {"another account by the bucket alone", nullptr, false, account_2, "yy-----"},
      {"everybody by the point, left to it", everyone, true, nullptr, "yyyyy-y"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    PointScene scene;
    if (row.point_for != nullptr) scene.point_policy(row.point_for);
    if (row.delegated) scene.delegate();
    if (row.bucket_for != nullptr) scene.policy(statement("Allow", row.bucket_for, get));
    CHECK(scene.who("s3:GetObject") == row.who);
  }
}

TEST_CASE("access through a point: what the point denies stays denied, and only through it") {
  PointScene scene;
  scene.point_policy(everyone, "Deny");
  CHECK(scene.who("s3:GetObject") == "-------");
  CHECK(scene.who("s3:PutObject") == "yy-----");
  scene.rules.through.reset();
  CHECK(scene.who("s3:GetObject") == "yy-----");
}

TEST_CASE("access through a point: the bucket may leave it to one point, or to an account's") {
  PointScene scene;
  scene.point_policy(none_of_1);
  scene.delegate("222222222222");
  CHECK(scene.who("s3:GetObject") == "yy-----");
  scene.policy(statement("Allow", everyone, R"("*")",
                         R"(,"Condition":{"StringLike":{"s3:DataAccessPointArn":")" + arn +
                             R"("},"StringEquals":{"s3:AccessPointNetworkOrigin":"Internet"}})"));
  CHECK(scene.who("s3:GetObject") == "yyy----");
  CHECK_FALSE(scene.rules.policy->is_public());
  // Straight to the bucket the same statement gives nothing.
  scene.rules.through.reset();
  CHECK(scene.who("s3:GetObject") == "yy-----");
}

TEST_CASE("access through a point: another account's point needs the bucket's word") {
  PointScene scene("222222222222");
  CHECK(scene.who("s3:GetObject") == "-------");
  scene.delegate("222222222222");
  CHECK(scene.who("s3:GetObject") == "---yy--");
  scene.point_policy(none_of_2);
  CHECK(scene.who("s3:GetObject") == "---yy--");
  scene.point_policy(R"({"AWS":"111111111111"})");
  CHECK(scene.who("s3:GetObject") == "yy-yy--");
}

TEST_CASE("access through a point: policies of users name the point, and the bucket") {
  const auto user = [](const std::string& resources) {
    return caller_of(owner_1, "u", R"({"Version":"2012-10-17","Statement":{"Effect":"Allow",)"
                                   R"("Action":"s3:GetObject","Resource":[)" +
                                       resources + "]}}");
  };
  const std::string object = "\"" + arn + "/object/*\"";
  const PointScene scene;
  const auto of_point = user(object), of_bucket = user("\"arn:aws:s3:::b/*\""),
             of_both = user(object + ",\"arn:aws:s3:::b/*\""),
             of_other = user("\"" + arn + "x/object/*\",\"arn:aws:s3:::b/*\"");
  CHECK_FALSE(scene.may(&of_point, "s3:GetObject"));
  CHECK_FALSE(scene.may(&of_bucket, "s3:GetObject"));
  CHECK(scene.may(&of_both, "s3:GetObject"));
  CHECK_FALSE(scene.may(&of_other, "s3:GetObject"));
  PointScene left;
  left.delegate();
  CHECK(left.may(&of_point, "s3:GetObject"));
  CHECK_FALSE(left.may(&of_bucket, "s3:GetObject"));
}

TEST_CASE("access through a point: a public policy of either reaches nobody outside, where blocked") {
  PointScene scene;
  scene.point_policy(everyone);
  scene.delegate();
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");
  scene.rules.block.restrict_public_buckets = true;
  CHECK(scene.who("s3:GetObject") == "yyy----");
}

TEST_CASE("access through a point: grants of the bucket do not pass it") {
  PointScene scene;
  scene.ownership(s3::Ownership::object_writer);
  scene.put_object(owner_1, "public-read");
  CHECK(scene.who("s3:GetObject") == "yy-----");
  scene.point_policy(everyone);
  CHECK(scene.who("s3:GetObject") == "yyyyy-y");
  scene.rules.block.ignore_public_acls = true;
  CHECK(scene.who("s3:GetObject") == "yy-----");
}

TEST_CASE("access point policies: name the point and its objects, and nothing else") {
  const auto outcome = [](const std::string& action, const std::string& resource) {
    const auto read = auth::Policy::of_access_point(
        R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":")" +
            action + R"(","Resource":")" + resource + R"("}})",
        arn);
    return read.ok() ? std::string("ok") : read.error().message;
  };
  CHECK(outcome("s3:GetObject", arn + "/object/*") == "ok");
  CHECK(outcome("s3:ListBucket", arn) == "ok");
  CHECK(outcome("s3:*", arn + "/object/a/*") == "ok");
  CHECK(outcome("s3:GetObject", arn) ==
        "Action does not apply to any resource(s) in statement");
  CHECK(outcome("s3:GetObject", arn + "/k") == "Policy has invalid resource");
  CHECK(outcome("s3:GetObject", "arn:aws:s3:::b/*") == "Policy has invalid resource");
  CHECK(outcome("s3:GetObject", arn + "2/object/*") == "Policy has invalid resource");
}

}  // namespace cairn::s3api::access_point_test
