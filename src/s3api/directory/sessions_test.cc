// SPDX-License-Identifier: Apache-2.0
// Sessions with directory buckets, and who may have one.
#include <doctest/doctest.h>

#include <memory>

#include "auth/policy/policy.h"
#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::sessions_test {
namespace {

using namespace directory_rig;

TEST_CASE("directory sessions: each mode, and its end") {
  Rig rig;
  rig.make();
  const Session writing = rig.session();
  const Session reading = rig.session({{"x-amz-create-session-mode", "ReadOnly"}});
  CHECK(rig.zonal("PUT", "/k", "bytes", {}, writing).status == 200);
  CHECK(rig.zonal("GET", "/k", {}, {}, writing).body == "bytes");
  CHECK(rig.zonal("GET", "/k", {}, {}, reading).body == "bytes");
  CHECK(rig.zonal("GET", "/?list-type=2", {}, {}, reading).status == 200);
  for (const char* method : {"PUT", "DELETE"}) {
    const Answer answer = rig.zonal(method, "/k", {}, {}, reading);
    CHECK(answer.status == 403);
    CHECK(answer.code() == "AccessDenied");
  }
  CHECK(rig.zonal("PUT", "/other?renameObject", {}, {{"x-amz-rename-source", "k"}}, reading)
            .status == 403);
  // Good for its bucket alone, and for no control operation.
  rig.make(local);
  CHECK(rig.zonal("GET", "/k", {}, {}, writing, local).code() == "AccessDenied");
  // The token is the session: another one, or one that was touched, is none.
  Session mixed = writing;
  mixed.token = reading.token;
  CHECK(rig.zonal("GET", "/k", {}, {}, mixed).code() == "InvalidToken");
  mixed.token = writing.token;
  mixed.token[10] = mixed.token[10] == 'A' ? 'B' : 'A';
  CHECK(rig.zonal("GET", "/k", {}, {}, mixed).code() == "InvalidToken");
  mixed.token.clear();
  CHECK(rig.zonal("GET", "/k", {}, {}, mixed).code() == "InvalidAccessKeyId");
  // It stands over a restart, and ends after five minutes.
  rig.service.restart(two_zones());
  rig.service.clock.advance_ms(299'000);
  CHECK(rig.zonal("GET", "/k", {}, {}, writing).status == 200);
  rig.service.clock.advance_ms(1'000);
  const Answer expired = rig.zonal("GET", "/k", {}, {}, writing);
  CHECK(expired.status == 400);
  CHECK(expired.code() == "ExpiredToken");
}

TEST_CASE("directory sessions: signed for either service, as an SDK does that has seen both") {
  Rig rig;
  rig.make();
  const Session session = rig.session();
  const auto get = [&](const std::string& service, const Session& in) {
    return rig.service.ask({.target = "/k",
                            .credentials = in.credentials,
                            .service = service,
                            .session_token = in.token,
                            .host = name + "." + domain});
  };
  REQUIRE(rig.zonal("PUT", "/k", "bytes", {}, session).status == 200);
  CHECK(get("s3express", session).body == "bytes");
  CHECK(get("s3", session).body == "bytes");
  CHECK(get("s3-other", session).code() == "AuthorizationHeaderMalformed");
  CHECK(get("s3", {}).code() == "AuthorizationHeaderMalformed");
}

TEST_CASE("directory buckets: another account needs a policy, and manages nothing") {
  Rig rig;
  rig.make();
  const auto theirs = [&](const std::string& method, const std::string& target,
                          Fields headers = {}) {
    return rig.zonal(method, target, {}, std::move(headers),
                     {.credentials = rig.service.theirs, .token = {}});
  };
  CHECK(theirs("GET", "/?session").code() == "AccessDenied");
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"222222222222"},)"
      R"("Action":"s3express:CreateSession",)"
      R"("Resource":"arn:aws:s3express:us-east-1:111111111111:bucket/)" +
      name +
      R"(","Condition":{"StringEquals":{"s3express:SessionMode":"ReadOnly"}}},)"
      R"({"Effect":"Allow","Principal":{"AWS":"222222222222"},"Action":"s3express:DeleteBucket",)"
      R"("Resource":"*"}]})";
  const Answer kept = rig.control("PUT", "/" + name + "?policy", policy);
  REQUIRE_MESSAGE(kept.status == 204, kept.body);
  // The most that is allowed, unless the caller wants more.
  const Answer session = theirs("GET", "/?session");
  REQUIRE(session.status == 200);
  CHECK(theirs("GET", "/?session", {{"x-amz-create-session-mode", "ReadWrite"}}).code() ==
        "AccessDenied");
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  const Session reading{.credentials = {session.text("Credentials/AccessKeyId"),
                                        session.text("Credentials/SecretAccessKey")},
                        .token = session.text("Credentials/SessionToken")};
  CHECK(rig.zonal("GET", "/k", {}, {}, reading).body == "bytes");
  CHECK(rig.zonal("PUT", "/k", "x", {}, reading).status == 403);
  // Without a session the same policy decides.
  CHECK(theirs("GET", "/k").body == "bytes");
  CHECK(theirs("PUT", "/k").status == 403);
  CHECK(rig.control("DELETE", "/" + name, {}, {}, rig.service.theirs).code() == "AccessDenied");
  CHECK(rig.control("GET", "/" + name + "?policy", {}, {}, rig.service.theirs).code() ==
        "AccessDenied");
  // Actions of the other kind of bucket do not stand in such a policy.
  std::string wrong = policy;
  wrong.replace(wrong.find("s3express:CreateSession"), 23, "s3:GetObject");
  CHECK(rig.control("PUT", "/" + name + "?policy", wrong).code() == "MalformedPolicy");
  // And a policy for everybody is blocked, for good.
  std::string open = policy;
  open.replace(open.find("{\"AWS\":\"222222222222\"}"), 22, "\"*\"");
  CHECK(rig.control("PUT", "/" + name + "?policy", open).code() == "AccessDenied");
}

TEST_CASE("directory sessions: one is good for its bucket and nothing else") {
  Rig rig;
  rig.make();
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.service.put("/general/secret", "bytes").status == 200);
  const Session session = rig.session();
  // No more sessions come of it.
  CHECK(rig.zonal("GET", "/?session", {}, {}, session).code() == "AccessDenied");
  // It reads no other bucket as the source of a copy, whatever its maker may read.
  const Fields from = {{"x-amz-copy-source", "/general/secret"}};
  CHECK(rig.zonal("PUT", "/copy", {}, from, session).code() == "AccessDenied");
  CHECK(rig.zonal("PUT", "/copy", {}, from).status == 200);
  const std::string id = rig.zonal("POST", "/parts?uploads", {}, {}, session).text("UploadId");
  CHECK(rig.zonal("PUT", "/parts?partNumber=1&uploadId=" + id, {}, from, session).code() ==
        "AccessDenied");
}

TEST_CASE("directory buckets: zonal calls signed without a session, each policy of a user") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  const std::string bucket = "arn:aws:s3express:us-east-1:111111111111:bucket/" + name;
  const auto allow = [](const std::string& action, const std::string& resource,
                        const std::string& more = {}) {
    return R"({"Effect":"Allow","Action":")" + action + R"(","Resource":")" + resource + "\"" + more +
           "}";
  };
  const auto mode = [](const char* value) {
    return R"(,"Condition":{"StringEquals":{"s3express:SessionMode":")" + std::string(value) +
           R"("}})";
  };
  const std::string action = "s3express:CreateSession";
  const std::string deny_writing =
      R"({"Effect":"Deny","Action":"s3express:CreateSession","Resource":"*")" + mode("ReadWrite") +
      "}";
  const struct {
    const char* what;
    std::string statements;
    bool reads, writes;
  } rows[] = {
      {"sessions", allow(action, bucket), true, true},
      {"all of the zone's actions", allow("s3express:*", "*"), true, true},
      {"sessions that read", allow(action, bucket, mode("ReadOnly")), true, false},
      {"sessions that write", allow(action, bucket, mode("ReadWrite")), false, true},
      {"all, but none that writes", allow("*", "*") + "," + deny_writing, true, false},
      {"actions of the other kind of bucket", allow("s3:*", "*"), false, false},
      {"another bucket", allow(action, bucket + "x"), false, false},
      {"another of the zone's actions", allow("s3express:GetBucketPolicy", bucket), false, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    auth::ObjectCaller user{.account_id = std::string(12, '1'),
                            .canonical_id = std::string(64, '1'),
                            .email = {},
                            .arn = "arn:aws:iam::111111111111:user/ann",
                            .user_id = "AIDA1",
                            .username = "ann"};
    user.policies = {auth::Policy::of_identity(R"({"Version":"2012-10-17","Statement":[)" +
                                               row.statements + "]}")
                         .value()};
    const auto shared = std::make_shared<const auth::ObjectCaller>(std::move(user));
    rig.service.whose = [shared](const auth::ObjectKey&) { return shared; };
    CHECK(rig.zonal("GET", "/k").status == (row.reads ? 200 : 403));
    CHECK(rig.zonal("GET", "/?list-type=2").status == (row.reads ? 200 : 403));
    CHECK(rig.zonal("PUT", "/k", "bytes").status == (row.writes ? 200 : 403));
    CHECK(rig.zonal("PUT", "/k?renameObject", {}, {{"x-amz-rename-source", "none"}}).status ==
          (row.reads && row.writes ? 404 : 403));
  }
}

TEST_CASE("directory buckets: what a policy asks of the request is judged before one is made") {
  Rig rig;
  const auto user_with = [&](const std::string& condition) {
    auth::ObjectCaller user;
    user.account_id = std::string(12, '1');
    user.canonical_id = std::string(64, '1');
    user.arn = "arn:aws:iam::111111111111:user/maker";
    user.username = "maker";
    const auto policy = auth::Policy::of_identity(
        R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"s3express:CreateBucket",)"
        R"("Resource":"*","Condition":{"StringEquals":{)" +
        condition + "}}}}");
    REQUIRE(policy.ok());
    user.policies = {*policy};
    const auto shared = std::make_shared<const auth::ObjectCaller>(std::move(user));
    rig.service.whose = [shared](const auth::ObjectKey&) { return shared; };
  };
  user_with(R"("s3:LocationConstraint":"eu-west-1")");
  CHECK(rig.control("PUT", "/" + name, available).code() == "AccessDenied");
  CHECK_FALSE(rig.service.engine->bucket(name).ok());
  user_with(R"("aws:PrincipalAccount":"111111111111")");
  CHECK(rig.control("PUT", "/" + name, available).status == 200);
}

}  // namespace
}  // namespace cairn::s3api::sessions_test
