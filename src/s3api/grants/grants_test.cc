// SPDX-License-Identifier: Apache-2.0
// Access grants through the service: made by the control API, and what their credentials open.
#include <doctest/doctest.h>

#include <memory>

#include "auth/policy/policy.h"
#include "s3api/service_rig.h"
#include "store/memory_store.h"

namespace cairn::s3api::grants_test {
namespace {

const std::string account(12, '1');
const std::string path = "/v20180820/accessgrantsinstance";

/// Of an error of the control API.
std::string code_of(const Answer& answer) { return answer.text("Error/Code"); }

std::string element(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "<" + name + ">" + value + "</" + name + ">";
}

struct Rig {
  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  os::FakeClock clock{ServiceRig::start_ms};
  std::unique_ptr<auth::AccessGrants> grants = std::move(
      auth::AccessGrants::open(*store, clock, *random, os::Deadline::never()).value());
  std::map<std::string, std::vector<std::string>> users;  // statements by name
  std::string asks;                                      // the user that signs; empty: the root
  ServiceRig service;

  Rig() {
    service.grants = {.grants = grants.get(),
                      .find_user = [this](std::string_view of, std::string_view user) {
                        return of == account ? caller(std::string(user)) : nullptr;
                      }};
    service.whose = [this](const auth::ObjectKey& key) {
      return key.account_id == account ? caller(asks) : root_of(key);
    };
    service.restart();
    REQUIRE(service.put("/bkt").status == 200);
    for (const char* key : {"a/1", "a/2", "c/1"})
      REQUIRE(service.put("/bkt/" + std::string(key), key).status == 200);
  }
  std::shared_ptr<const auth::ObjectCaller> caller(const std::string& name) {
    auth::ObjectCaller out{.account_id = account,
                           .canonical_id = std::string(64, '1'),
                           .email = {},
                           .arn = auth::principal_arn(account, name),
                           .user_id = "AIDA1",
                           .username = name};
    if (name.empty()) return std::make_shared<const auth::ObjectCaller>(std::move(out));
    const auto found = users.find(name);
    if (found == users.end()) return nullptr;
    for (const std::string& statement : found->second)
      out.policies.push_back(
          auth::Policy::of_identity(R"({"Version":"2012-10-17","Statement":)" + statement + "}")
              .value());
    return std::make_shared<const auth::ObjectCaller>(std::move(out));
  }
  Answer control(const std::string& method, const std::string& target, const std::string& body = {},
                 const std::string& of = account) {
    return service.ask({.method = method,
                        .target = path + target,
                        .headers = {{"x-amz-account-id", of}},
                        .body = body});
  }
  std::string location(const std::string& where, const std::string& user = {}) {
    const Answer made = control(
        "POST", "/location",
        "<CreateAccessGrantsLocationRequest>" + element("LocationScope", where) +
            element("IAMRoleArn", auth::principal_arn(account, user)) +
            "</CreateAccessGrantsLocationRequest>");
    REQUIRE_MESSAGE(made.status == 200, made.body);
    return made.text("AccessGrantsLocationId");
  }
  Answer make_grant(const std::string& location, const std::string& prefix,
                    const std::string& permission, const std::string& user,
                    const std::string& type = {}) {
    return control("POST", "/grant",
                   "<CreateAccessGrantRequest>" + element("AccessGrantsLocationId", location) +
                       "<AccessGrantsLocationConfiguration>" + element("S3SubPrefix", prefix) +
                       "</AccessGrantsLocationConfiguration><Grantee><GranteeType>IAM</GranteeType>" +
                       element("GranteeIdentifier", auth::principal_arn(account, user)) +
                       "</Grantee>" + element("Permission", permission) +
                       element("S3PrefixType", type) + "</CreateAccessGrantRequest>");
  }
  std::string grant(const std::string& location, const std::string& prefix,
                    const std::string& permission, const std::string& user) {
    const Answer made = make_grant(location, prefix, permission, user);
    REQUIRE_MESSAGE(made.status == 200, made.body);
    return made.text("AccessGrantId");
  }
  Answer data_access(const std::string& target, const std::string& permission,
                     const std::string& more = {}) {
    return control("GET", "/dataaccess?permission=" + permission + "&target=" + target + more);
  }
  s3::Credentials credentials(const std::string& target, const std::string& permission,
                              const std::string& more = {}) {
    const Answer given = data_access(target, permission, more);
    REQUIRE_MESSAGE(given.status == 200, given.body);
    return {.access_key_id = given.text("Credentials/AccessKeyId"),
            .secret_access_key = given.text("Credentials/SecretAccessKey"),
            .session_token = given.text("Credentials/SessionToken")};
  }
  Answer by(const s3::Credentials& credentials, const std::string& method, const std::string& target,
            std::vector<std::pair<std::string, std::string>> headers = {},
            const std::string& body = {}) {
    return service.ask({.method = method,
                        .target = target,
                        .headers = std::move(headers),
                        .body = body,
                        .credentials = credentials});
  }
};

const std::string asks_access =
    R"({"Effect":"Allow","Action":"s3:GetDataAccess","Resource":"*"})";

/// An instance with a location of the root's rights, and a user ann who may ask.
struct Ready : Rig {
  std::string all;
  Ready() {
    users["ann"] = {asks_access};
    users["bob"] = {asks_access};
    REQUIRE(control("POST", "").status == 200);
    all = location("s3://bkt/*");
  }
};

}  // namespace

TEST_CASE("access grants: instance, locations and grants, made, shown, listed and deleted") {
  Rig rig;
  rig.users["ann"] = {};
  CHECK(code_of(rig.control("GET", "")) == "AccessGrantsInstanceNotExistsError");
  const Answer made = rig.control("POST", "", "<CreateAccessGrantsInstanceRequest/>");
  REQUIRE_MESSAGE(made.status == 200, made.body);
  const std::string arn = "arn:aws:s3:us-east-1:111111111111:access-grants/default";
  CHECK(made.text("AccessGrantsInstanceArn") == arn);
  CHECK(code_of(rig.control("POST", "")) == "AccessGrantsInstanceAlreadyExists");
  CHECK(rig.control("GET", "s").text("AccessGrantsInstancesList/AccessGrantsInstance/"
                                     "AccessGrantsInstanceId") == "default");
  CHECK(code_of(rig.control("GET", "/prefix?s3prefix=s3://bkt/*")) ==
        "AccessGrantsInstanceNotExistsError");
  const std::string id = rig.location("s3://bkt/a/*");
  CHECK(rig.control("GET", "/prefix?s3prefix=s3://bkt/*").text("AccessGrantsInstanceArn") == arn);
  CHECK(rig.control("GET", "/location/" + id).text("LocationScope") == "s3://bkt/a/*");
  const std::string grant = rig.grant(id, "x*", "READ", "ann");
  const Answer shown = rig.control("GET", "/grant/" + grant);
  CHECK(shown.text("GrantScope") == "s3://bkt/a/x*");
  CHECK(shown.text("AccessGrantArn") == arn + "/grant/" + grant);
  CHECK(shown.text("Grantee/GranteeIdentifier") == "arn:aws:iam::111111111111:user/ann");
  CHECK(code_of(rig.make_grant(id, "x*", "READ", "ann")) == "AccessGrantAlreadyExists");
  rig.grant(id, "y*", "READ", "ann");
  const Answer page = rig.control("GET", "/grants?maxResults=1");
  CHECK(page.xml().child("AccessGrantsList")->children.size() == 1);
  const Answer next =
      rig.control("GET", "/grants?maxResults=1&nextToken=" + page.text("NextToken"));
  CHECK(next.text("AccessGrantsList/AccessGrant/AccessGrantId") !=
        page.text("AccessGrantsList/AccessGrant/AccessGrantId"));
  CHECK(next.text("NextToken") == "(none)");
  CHECK(code_of(rig.control("DELETE", "/location/" + id)) == "AccessGrantsLocationNotEmptyError");
  CHECK(code_of(rig.control("DELETE", "")) == "AccessGrantsInstanceNotEmptyError");
  CHECK(rig.control("DELETE", "/grant/" + grant).status == 204);
  CHECK(code_of(rig.control("DELETE", "/grant/" + grant)) == "NoSuchAccessGrantError");
  CHECK(code_of(rig.control("DELETE", "/location/none")) == "NoSuchAccessGrantsLocationError");
}

TEST_CASE("access grants: what is refused makes nothing") {
  Ready rig;
  const auto code = [](const Answer& answer) { return code_of(answer); };
  CHECK(code(rig.make_grant(rig.all, "x", "READ", "ann")) == "InvalidRequest");
  CHECK(code(rig.make_grant(rig.all, "x*", "READ", "ann", "Object")) == "InvalidRequest");
  CHECK(code(rig.make_grant(rig.all, "", "READ", "ann", "Object")) == "InvalidRequest");
  CHECK(code(rig.make_grant(rig.all, "x*", "READ", "carl")) == "InvalidRequest");
  CHECK(code(rig.make_grant("none", "x*", "READ", "ann")) == "NoSuchAccessGrantsLocationError");
  CHECK(rig.make_grant(rig.all, "x*", "ALL", "ann").status == 400);
  const auto location = [&](const char* scope, const std::string& arn) {
    return code_of(
        rig.control("POST", "/location",
                    "<CreateAccessGrantsLocationRequest>" + element("LocationScope", scope) +
                        element("IAMRoleArn", arn) + "</CreateAccessGrantsLocationRequest>"));
  };
  const std::string root = auth::principal_arn(account);
  CHECK(location("s3://none/*", root) == "NoSuchBucket");
  CHECK(location("b/*", root) == "InvalidRequest");
  CHECK(location("s3://bkt/c/*", "arn:aws:iam::222222222222:user/x") == "InvalidRequest");
  CHECK(location("s3://bkt/c/*", "arn:aws:iam::111111111111:user/carl") == "InvalidRequest");
  CHECK(location("s3://bkt/*", root) == "AccessGrantsLocationAlreadyExistsError");
  const std::string all = rig.location("s3://");
  CHECK(all == "default");
  CHECK(code(rig.make_grant(all, "", "READ", "ann")) == "InvalidRequest");
  CHECK(code(rig.make_grant(all, "none/*", "READ", "ann")) == "NoSuchBucket");
  CHECK(rig.grants->find(account)->grants.empty());
  CHECK(code_of(rig.control("GET", "", {}, "222222222222")) == "AccessDenied");
  CHECK(code_of(rig.control("GET", "", {}, "1")) == "InvalidRequest");
}

TEST_CASE("access grants: credentials open what was granted, each action, and no more") {
  Ready rig;
  rig.grant(rig.all, "a/*", "READ", "ann");
  rig.grant(rig.all, "a/*", "WRITE", "bob");
  rig.asks = "ann";
  const s3::Credentials reading = rig.credentials("s3://bkt/a/*", "READ");
  rig.asks = "bob";
  const s3::Credentials writing = rig.credentials("s3://bkt/a/*", "WRITE");
  const struct {
    const char* method;
    const char* target;
    std::vector<std::pair<std::string, std::string>> headers;
    int reading, writing;
  } rows[] = {
      {"GET", "/bkt/a/1", {}, 200, 403},
      {"HEAD", "/bkt/a/1", {}, 200, 403},
      {"GET", "/bkt/a/1?attributes", {{"x-amz-object-attributes", "ETag"}}, 200, 403},
      {"GET", "/bkt/a/1?tagging", {}, 403, 403},
      {"GET", "/bkt/c/1", {}, 403, 403},
      {"GET", "/bkt/a", {}, 403, 403},
      {"GET", "/bkt?list-type=2&prefix=a/", {}, 200, 403},
      {"GET", "/bkt?list-type=2&prefix=a/1", {}, 200, 403},
      {"GET", "/bkt?list-type=2", {}, 403, 403},
      {"GET", "/bkt?list-type=2&prefix=", {}, 403, 403},
      {"GET", "/bkt?list-type=2&prefix=a/&prefix=", {}, 403, 403},
      {"GET", "/bkt?list-type=2&prefix=&prefix=a/", {}, 403, 403},
      {"GET", "/bkt?versions&prefix=a/", {}, 200, 403},
      {"GET", "/bkt?policy", {}, 403, 403},
      {"GET", "/bkt?acl", {}, 403, 403},
      {"PUT", "/bkt?policy", {}, 403, 403},
      {"GET", "/", {}, 403, 403},
      {"PUT", "/new", {}, 403, 403},
      {"DELETE", "/bkt", {}, 403, 403},
      {"PUT", "/bkt/a/3", {}, 403, 200},
      {"PUT", "/bkt/a/3", {{"x-amz-tagging", "k=v"}}, 403, 403},
      {"PUT", "/bkt/c/3", {}, 403, 403},
      {"PUT", "/bkt/a/4", {{"x-amz-copy-source", "/bkt/a/1"}}, 403, 403},
      {"PUT", "/bkt/a/4", {{"x-amz-copy-source", "/bkt/c/1"}}, 403, 403},
      {"POST", "/bkt/a/5?uploads", {}, 403, 200},
      {"DELETE", "/bkt/a/3", {}, 403, 204},
      {"DELETE", "/bkt/c/1", {}, 403, 403},
      {"GET", "/v20180820/accessgrantsinstance/grants", {{"x-amz-account-id", account}}, 403, 403},
      {"GET", "/v20180820/accessgrantsinstance/dataaccess?permission=READ&target=s3://bkt/a/*",
       {{"x-amz-account-id", account}}, 403, 403},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.method) + " " + row.target);
    rig.asks = "ann";
    CHECK(rig.by(reading, row.method, row.target, row.headers).status == row.reading);
    rig.asks = "bob";
    CHECK(rig.by(writing, row.method, row.target, row.headers).status == row.writing);
  }
  CHECK(rig.by(writing, "GET", "/bkt/c/1").code() == "AccessDenied");
}

TEST_CASE("access grants: who may ask, for what, how long and how narrow") {
  Ready rig;
  rig.users["mute"] = {};
  rig.grant(rig.all, "a/*", "READ", "ann");
  rig.grant(rig.all, "a/*", "READ", "mute");
  const auto code = [&](const std::string& user, const std::string& target,
                        const std::string& permission, const std::string& more = {}) {
    rig.asks = user;
    const Answer answer = rig.data_access(target, permission, more);
    return answer.status == 200 ? answer.text("MatchedGrantTarget") : code_of(answer);
  };
  CHECK(code("ann", "s3://bkt/a/*", "READ") == "s3://bkt/a/*");
  CHECK(code("ann", "s3://bkt/a/1", "READ", "&targetType=Object") == "s3://bkt/a/*");
  CHECK(code("ann", "s3://bkt/a/1", "READ", "&targetType=Object&privilege=Minimal") == "s3://bkt/a/1");
  CHECK(code("ann", "s3://bkt/a/x/*", "READ", "&privilege=Minimal") == "s3://bkt/a/x/*");
  CHECK(code("ann", "s3://bkt/a/1", "READ") == "InvalidRequest");
  CHECK(code("ann", "s3://bkt/a/*", "WRITE") == "AccessDenied");
  CHECK(code("ann", "s3://bkt/a/*", "READWRITE") == "AccessDenied");
  CHECK(code("ann", "s3://bkt/*", "READ") == "AccessDenied");
  CHECK(code("ann", "s3://c/a/*", "READ") == "AccessDenied");
  CHECK(code("ann", "s3://bkt/a/*", "READ", "&durationSeconds=899") == "InvalidArgument");
  CHECK(code("ann", "s3://bkt/a/*", "READ", "&durationSeconds=43201") == "InvalidArgument");
  CHECK(code("bob", "s3://bkt/a/*", "READ") == "AccessDenied");
  CHECK(code("", "s3://bkt/a/*", "READ") == "AccessDenied");
  CHECK(code("mute", "s3://bkt/a/*", "READ") == "AccessDenied");  // no policy lets it ask
  rig.asks = "ann";
  const auto narrow =
      rig.credentials("s3://bkt/a/1", "READ", "&targetType=Object&privilege=Minimal");
  CHECK(rig.by(narrow, "GET", "/bkt/a/1").status == 200);
  CHECK(rig.by(narrow, "GET", "/bkt/a/2").status == 403);
  CHECK(rig.by(narrow, "GET", "/bkt/a/12").status == 403);
  CHECK(rig.by(narrow, "GET", "/bkt?list-type=2&prefix=a/").status == 403);
}

TEST_CASE("access grants: credentials end with their time, their grant, their maker and the rights") {
  Ready rig;
  rig.users["role"] = {R"({"Effect":"Allow","Action":"s3:*","Resource":"*"})"};
  const std::string location = rig.location("s3://bkt/a/*", "role");
  const std::string grant = rig.grant(location, "*", "READ", "ann");
  rig.asks = "ann";
  const s3::Credentials given = rig.credentials("s3://bkt/a/*", "READ", "&durationSeconds=900");
  CHECK(rig.by(given, "GET", "/bkt/a/1").status == 200);
  // The rights are those of the location's user besides.
  rig.users["role"] = {R"({"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::bkt/a/2"})"};
  CHECK(rig.by(given, "GET", "/bkt/a/1").code() == "AccessDenied");
  CHECK(rig.by(given, "GET", "/bkt/a/2").status == 200);
  const auto gone = rig.users.extract("role");
  CHECK(rig.by(given, "GET", "/bkt/a/2").code() == "InvalidToken");
  rig.users["role"] = {R"({"Effect":"Allow","Action":"s3:*","Resource":"*"})"};
  // Nobody else's key makes them good, and each part belongs to the others.
  rig.asks = "bob";
  CHECK(rig.by(given, "GET", "/bkt/a/1").code() == "InvalidToken");
  rig.asks = "ann";
  s3::Credentials other = rig.credentials("s3://bkt/a/*", "READ");
  other.session_token = given.session_token;
  CHECK(rig.by(other, "GET", "/bkt/a/1").code() == "InvalidToken");
  other = given;
  other.session_token[20] = other.session_token[20] == 'A' ? 'B' : 'A';
  CHECK(rig.by(other, "GET", "/bkt/a/1").code() == "InvalidToken");
  other = given;
  other.secret_access_key[3] = other.secret_access_key[3] == 'A' ? 'B' : 'A';
  CHECK(rig.by(other, "GET", "/bkt/a/1").code() == "SignatureDoesNotMatch");
  other = given;
  other.session_token.clear();
  CHECK(rig.by(other, "GET", "/bkt/a/1").code() == "InvalidAccessKeyId");
  // Over a restart they stand; with the grant, or their time, they end.
  rig.service.restart();
  CHECK(rig.by(given, "GET", "/bkt/a/1").status == 200);
  rig.asks.clear();
  REQUIRE(rig.control("DELETE", "/grant/" + grant).status == 204);
  rig.asks = "ann";
  CHECK(rig.by(given, "GET", "/bkt/a/1").code() == "InvalidToken");
  rig.asks.clear();
  rig.grant(location, "*", "READ", "ann");
  rig.asks = "ann";
  CHECK(rig.by(given, "GET", "/bkt/a/1").code() == "InvalidToken");  // another grant
  const s3::Credentials late = rig.credentials("s3://bkt/a/*", "READ", "&durationSeconds=900");
  rig.service.clock.advance_ms(899'000);
  CHECK(rig.by(late, "GET", "/bkt/a/1").status == 200);
  rig.service.clock.advance_ms(1'000);
  CHECK(rig.by(late, "GET", "/bkt/a/1").code() == "ExpiredToken");
}

TEST_CASE("access grants: whoever manages them needs each right, and passes no rights that are not its") {
  Ready rig;
  rig.users["role"] = {R"({"Effect":"Allow","Action":"s3:*","Resource":"*"})"};
  const std::string makes =
      R"({"Effect":"Allow","Action":"s3:CreateAccessGrantsLocation","Resource":"*"})";
  const auto location = [&](const std::string& user, const std::string& role) {
    rig.asks = user;
    static int number = 0;
    return rig
        .control("POST", "/location",
                 "<CreateAccessGrantsLocationRequest>" +
                     element("LocationScope", "s3://bkt/" + std::to_string(++number) + "/*") +
                     element("IAMRoleArn", role) + "</CreateAccessGrantsLocationRequest>")
        .status;
  };
  const std::string role = "arn:aws:iam::111111111111:role/role";
  rig.users["none"] = {};
  CHECK(location("none", role) == 403);
  rig.users["maker"] = {makes};
  CHECK(location("maker", role) == 403);
  CHECK(location("maker", auth::principal_arn(account, "maker")) == 200);
  CHECK(location("maker", auth::principal_arn(account)) == 403);
  rig.users["maker"] = {makes, R"({"Effect":"Allow","Action":"iam:PassRole","Resource":"arn:aws:iam::*:user/role"})"};
  CHECK(location("maker", role) == 200);
  CHECK(location("maker", auth::principal_arn(account, "ann")) == 403);
  rig.users["maker"] = {R"({"Effect":"Allow","Action":"*","Resource":"*"})"};
  CHECK(location("maker", auth::principal_arn(account)) == 403);  // nobody passes the root's on
  CHECK(location("", auth::principal_arn(account)) == 200);
}

TEST_CASE("access grants: none of directory buckets, and none of outposts") {
  Ready rig;
  Options options;
  options.domains = {"objects.example.com"};
  options.outposts = {"op-01ac5d28a6a232904"};
  rig.service.restart(options);
  const s3::Owner owner{.id = std::string(64, '1'), .account_id = account};
  // A grant of a bucket that had the name before.
  REQUIRE(rig.service.put("/maps").status == 200);
  rig.grant(rig.location("s3://maps/*"), "*", "READWRITE", "");
  const s3::Credentials given = rig.credentials("s3://maps/*", "READWRITE");
  REQUIRE(rig.service.remove("/maps").status == 204);
  const s3::Bucket others[] = {
      {.name = "maps--use1-az1--x-s3", .owner = owner, .zone = s3::Zone{.id = "use1-az1"}},
      {.name = "maps", .location_constraint = "us-east-1", .owner = owner,
       .outpost_id = options.outposts[0]}};
  for (const s3::Bucket& bucket : others) {
    REQUIRE(rig.service.engine->create_bucket(bucket, os::Deadline::never()).ok());
    CAPTURE(bucket.name);
    const Answer refused = rig.control(
        "POST", "/location",
        "<CreateAccessGrantsLocationRequest>" + element("LocationScope", "s3://" + bucket.name + "/*") +
            element("IAMRoleArn", auth::principal_arn(account)) +
            "</CreateAccessGrantsLocationRequest>");
    CHECK(refused.status == 400);
    CHECK(refused.body.find("have no access grants") != std::string::npos);
  }
  const Answer point = rig.service.ask(
      {.method = "PUT",
       .target = "/v20180820/accesspoint/readers",
       .headers = {{"x-amz-account-id", account}, {"x-amz-outpost-id", options.outposts[0]}},
       .body = "<CreateAccessPointRequest><Bucket>maps</Bucket></CreateAccessPointRequest>",
       .service = "s3-outposts"});
  REQUIRE_MESSAGE(point.status == 200, point.body);
  const auto ask = [&](const std::string& method, const s3::Credentials& who) {
    return rig.service.ask({.method = method,
                            .target = "/k",
                            .body = method == "PUT" ? "bytes" : "",
                            .credentials = who,
                            .service = "s3-outposts",
                            .host = point.text("Alias") + ".objects.example.com"});
  };
  REQUIRE(ask("PUT", {}).status == 200);
  CHECK(ask("GET", {}).body == "bytes");
  CHECK(ask("GET", given).status == 403);
  CHECK(ask("PUT", given).status == 403);
}

}  // namespace cairn::s3api::grants_test
