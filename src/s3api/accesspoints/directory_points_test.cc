// SPDX-License-Identifier: Apache-2.0
// Access points of directory buckets: names, scopes, sessions, policies, what goes through.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "auth/policy/policy.h"
#include "base/encode.h"
#include "base/hash.h"
#include "s3/access_points.h"
#include "s3api/access/directory_rows.h"
#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::directory_points_test {
namespace {

using namespace directory_rig;

const std::string point = "readers--use1-az1--xa-s3";
const std::string mine = "111111111111", theirs = "222222222222";
const std::string point_arn = "arn:aws:s3express:us-east-1:" + mine + ":accesspoint/" + point;

std::string scope_of(const std::vector<std::string>& prefixes,
                     const std::vector<std::string>& permissions) {
  std::string out = "<Scope>";
  if (!prefixes.empty()) {
    out += "<Prefixes>";
    for (const auto& each : prefixes) out += "<Prefix>" + each + "</Prefix>";
    out += "</Prefixes>";
  }
  if (!permissions.empty()) {
    out += "<Permissions>";
    for (const auto& each : permissions) out += "<Permission>" + each + "</Permission>";
    out += "</Permissions>";
  }
  return out + "</Scope>";
}

struct PointRig : Rig {
  PointRig() { make(); }
  Answer points(const std::string& method, const std::string& path, const std::string& body = {},
                const std::string& account = mine, const std::string& service_name = "s3express") {
    return service.ask({.method = method,
                        .target = "/v20180820/accesspoint" + path,
                        .headers = {{"x-amz-account-id", account}},
                        .body = body,
                        .credentials = account == theirs ? service.theirs : service.mine,
                        .service = service_name});
  }
  Answer create(const std::string& point_name, const std::string& bucket,
                const std::string& more = {}, const std::string& account = mine) {
    return points("PUT", "/" + point_name,
                  "<CreateAccessPointRequest><Bucket>" + bucket + "</Bucket>" + more +
                      "</CreateAccessPointRequest>",
                  account, s3::zone_id_of_access_point_name(point_name).empty() ? "s3" : "s3express");
  }
  void made(const std::string& more = {}) {
    const Answer answer = create(point, name, more);
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
  }
  Answer set_scope(const std::vector<std::string>& prefixes,
                   const std::vector<std::string>& permissions) {
    return points("PUT", "/" + point + "/scope",
                  "<PutAccessPointScopeRequest>" + scope_of(prefixes, permissions) +
                      "</PutAccessPointScopeRequest>");
  }
  Answer through(const std::string& method, const std::string& target,
                 const std::string& body = {}, Fields headers = {}, const Session& session = {}) {
    return zonal(method, target, body, std::move(headers), session, point);
  }
};

}  // namespace

TEST_CASE("directory access points: made, shown, listed apart, deleted") {
  PointRig rig;
  const Answer made = rig.create(point, name, scope_of({"a/"}, {"GetObject", "ListBucket"}));
  REQUIRE_MESSAGE(made.status == 200, made.body);
  CHECK(made.text("AccessPointArn") == point_arn);
  CHECK(made.text("Alias") == point);
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.points("PUT", "/plain",
                     "<CreateAccessPointRequest><Bucket>general</Bucket></CreateAccessPointRequest>",
                     mine, "s3")
              .status == 200);
  for (int round = 0; round < 2; ++round) {
    const Answer shown = rig.points("GET", "/" + point);
    CHECK(shown.text("Name") == point);
    CHECK(shown.text("Bucket") == name);
    CHECK(shown.text("AccessPointArn") == point_arn);
    CHECK(shown.text("PublicAccessBlockConfiguration/BlockPublicPolicy") == "true");
    const Answer scope = rig.points("GET", "/" + point + "/scope");
    CHECK(scope.body.find(scope_of({"a/"}, {"GetObject", "ListBucket"})) != std::string::npos);
    rig.service.restart(two_zones());
  }
  const Answer listed = rig.points("GET", "fordirectory?directoryBucket=" + name);
  REQUIRE_MESSAGE(listed.status == 200, listed.body);
  CHECK(listed.text("AccessPointList/AccessPoint/Name") == point);
  CHECK(listed.body.find("plain") == std::string::npos);
  const Answer general = rig.points("GET", "", {}, mine, "s3");
  CHECK(general.text("AccessPointList/AccessPoint/Name") == "plain");
  CHECK(general.body.find(point) == std::string::npos);
  REQUIRE(rig.create("zzz--use1-az1--xa-s3", name).status == 200);
  const Answer page = rig.points("GET", "fordirectory?maxResults=1");
  const Answer next = rig.points("GET", "fordirectory?maxResults=1&nextToken=" + page.text("NextToken"));
  CHECK(next.text("AccessPointList/AccessPoint/Name") == "zzz--use1-az1--xa-s3");
  CHECK(rig.points("DELETE", "/" + point + "/scope").status == 204);
  CHECK(rig.points("GET", "/" + point + "/scope").xml().child("Scope") == nullptr);
  CHECK(rig.control("DELETE", "/" + name).code() == "BucketHasAccessPointsAttached");
  for (const char* each : {"/readers--use1-az1--xa-s3", "/zzz--use1-az1--xa-s3"})
    CHECK(rig.points("DELETE", each).status == 204);
  CHECK(rig.through("GET", "/k").code() == "NoSuchAccessPoint");
  CHECK(rig.control("DELETE", "/" + name).status == 204);
}

TEST_CASE("directory access points: what cannot be made is refused by name") {
  PointRig rig;
  rig.make(local);
  rig.made();
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.service.put("/taken--use1-az1--xa-s3").status == 200);
  const std::string long_prefix(256, 'p');
  struct Row {
    std::string name, bucket, more, account;
    int status;
    std::string code;
  };
  const Row rows[] = {
      {point, name, "", mine, 409, "AccessPointAlreadyOwnedByYou"},
      {"plain", name, "", mine, 400, "InvalidRequest"},
      {"ab--use1-az1--xa-s3", name, "", mine, 400, "InvalidRequest"},
      {"readers--use1-bos1-az1--xa-s3", name, "", mine, 400, "InvalidRequest"},
      {"other--use1-az1--xa-s3", local, "", mine, 400, "InvalidRequest"},
      {"other--use1-az1--xa-s3", "general", "", mine, 400, "InvalidRequest"},
      {"other--use1-az1--xa-s3", "nowhere--use1-az1--x-s3", "", mine, 404, "NoSuchBucket"},
      {"taken--use1-az1--xa-s3", name, "", mine, 400, "InvalidRequest"},
      {point, name, "<BucketAccountId>" + mine + "</BucketAccountId>", theirs, 400,
       "InvalidRequest"},
      {"other--use1-az1--xa-s3", name, scope_of({long_prefix}, {}), mine, 400, "InvalidRequest"},
      {"other--use1-az1--xa-s3", name, scope_of({}, {"CreateSession"}), mine, 400,
       "InvalidRequest"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.more);
    const Answer answer = rig.create(row.name, row.bucket, row.more, row.account);
    CHECK(answer.status == row.status);
    CHECK(answer.text("Error/Code") == row.code);
  }
  CHECK(rig.set_scope({long_prefix}, {}).text("Error/Code") == "InvalidRequest");
  CHECK(rig.set_scope({std::string(255, 'p')}, {}).status == 200);
  CHECK(rig.set_scope({}, {"Other"}).text("Error/Code") == "InvalidRequest");
  CHECK(rig.points("PUT", "/" + point + "/scope", "<PutAccessPointScopeRequest/>").status == 400);
  CHECK(rig.points("GET", "/nobody--use1-az1--xa-s3/scope").text("Error/Code") ==
        "NoSuchAccessPoint");
  CHECK(rig.points("GET", "/" + point + "/policyStatus").text("Error/Code") == "MethodNotAllowed");
  // They are signed for the service of directory buckets, and others are not.
  CHECK(rig.points("GET", "/" + point, {}, mine, "s3").text("Error/Code") ==
        "AuthorizationHeaderMalformed");
  CHECK(rig.points("GET", "fordirectory", {}, mine, "s3").text("Error/Code") ==
        "AuthorizationHeaderMalformed");
  // A scope is for no other kind.
  REQUIRE(rig.points("PUT", "/plain",
                     "<CreateAccessPointRequest><Bucket>general</Bucket></CreateAccessPointRequest>",
                     mine, "s3")
              .status == 200);
  CHECK(rig.points("GET", "/plain/scope", {}, mine, "s3").text("Error/Code") == "InvalidRequest");
  CHECK(rig.points("PUT", "/other",
                   "<CreateAccessPointRequest><Bucket>general</Bucket>" + scope_of({"a"}, {}) +
                       "</CreateAccessPointRequest>",
                   mine, "s3")
            .text("Error/Code") == "InvalidRequest");
}

TEST_CASE("directory access points: stand for the bucket by name, in a host alone") {
  PointRig rig;
  rig.made();
  REQUIRE(rig.through("PUT", "/k", "bytes").status == 200);
  CHECK(rig.zonal("GET", "/k").body == "bytes");
  for (const std::string& host : {point + "." + domain, point + ".use1-az1.us-east-1." + domain,
                                  point + ".s3express-use1-az1.us-east-1." + domain})
    CHECK(rig.service.ask({.target = "/k", .service = "s3express", .host = host}).body == "bytes");
  CHECK(rig.through("GET", "/?list-type=2").text("Name") == name);
  const Answer head = rig.through("HEAD", "/");
  CHECK(head.status == 200);
  CHECK(head.header("x-amz-access-point-alias") == "false");
  CHECK(rig.control("GET", "/" + point + "/k").code() == "InvalidRequest");  // by path
  CHECK(rig.service.get("/" + point + "/k").code() == "AuthorizationHeaderMalformed");
  for (const char* query : {"/?policy", "/?encryption", "/?lifecycle"})
    CHECK_MESSAGE(rig.through("GET", query).code() == "MethodNotAllowed", query);
  CHECK(rig.through("GET", "/?versioning").code() == "NotImplemented");
  CHECK(rig.zonal("GET", "/k", {}, {}, {}, "nobody--use1-az1--xa-s3").code() ==
        "NoSuchAccessPoint");
  // Nobody makes a bucket of its name.
  CHECK(rig.service.put("/" + point).code() == "BucketAlreadyExists");
}

TEST_CASE("directory access points: a session is for the name that it was asked by") {
  PointRig rig;
  rig.made();
  const Session there = rig.session({}, point);
  const Session bucket = rig.session();
  CHECK(rig.through("PUT", "/k", "bytes", {}, there).status == 200);
  CHECK(rig.through("GET", "/k", {}, {}, there).body == "bytes");
  CHECK(rig.zonal("GET", "/k", {}, {}, there).code() == "AccessDenied");
  CHECK(rig.through("GET", "/k", {}, {}, bucket).code() == "AccessDenied");
  const Session reading = rig.session({{"x-amz-create-session-mode", "ReadOnly"}}, point);
  CHECK(rig.through("GET", "/k", {}, {}, reading).body == "bytes");
  CHECK(rig.through("PUT", "/k", "x", {}, reading).status == 403);
  // A scope holds from when it is set, in sessions that are there.
  REQUIRE(rig.set_scope({"a/"}, {}).status == 200);
  CHECK(rig.through("GET", "/k", {}, {}, there).status == 403);
  CHECK(rig.through("PUT", "/a/k", "x", {}, there).status == 200);
  CHECK(rig.points("DELETE", "/" + point).status == 204);
  CHECK(rig.through("GET", "/k", {}, {}, there).code() == "NoSuchAccessPoint");
}

namespace {

struct ScopeRow {
  std::string operation, permission, method, target;
  std::string body = {};
  Fields headers = {};
};

// One request of each operation. "{id}" is an upload of "a/up", "{sink}" one that may end.
std::vector<ScopeRow> scope_rows() {
  return {
      {"GetObject", "GetObject", "GET", "/a/k"},
      {"HeadObject", "GetObject", "HEAD", "/a/k"},
      {"GetObjectAttributes", "GetObjectAttributes", "GET", "/a/k?attributes", {},
       {{"x-amz-object-attributes", "ETag"}}},
      {"ListObjectsV2", "ListBucket", "GET", "/?list-type=2&prefix=a/"},
      {"HeadBucket", "ListBucket", "HEAD", "/"},
      {"ListMultipartUploads", "ListBucketMultipartUploads", "GET", "/?uploads&prefix=a/"},
      {"ListParts", "ListMultipartUploadParts", "GET", "/a/up?uploadId={id}"},
      {"PutObject", "PutObject", "PUT", "/a/new", "bytes"},
      {"CopyObject", "PutObject", "PUT", "/a/copy", {}, {{"x-amz-copy-source", name + "/a/k"}}},
      {"CreateMultipartUpload", "PutObject", "POST", "/a/other?uploads"},
      {"UploadPart", "PutObject", "PUT", "/a/up?partNumber=1&uploadId={id}", "part"},
      {"UploadPartCopy", "PutObject", "PUT", "/a/up?partNumber=2&uploadId={id}", {},
       {{"x-amz-copy-source", name + "/a/k"}}},
      {"CompleteMultipartUpload", "PutObject", "POST", "/a/up?uploadId={id}",
       "<CompleteMultipartUpload><Part><ETag>{etag}</ETag><PartNumber>1</PartNumber></Part>"
       "</CompleteMultipartUpload>"},
      {"AbortMultipartUpload", "AbortMultipartUpload", "DELETE", "/a/up?uploadId={id}"},
      {"RenameObject", "PutObject", "PUT", "/a/to?renameObject", {},
       {{"x-amz-rename-source", "a/from"}}},
      {"DeleteObject", "DeleteObject", "DELETE", "/a/gone"},
      {"DeleteObjects", "DeleteObject", "POST", "/?delete",
       "<Delete><Object><Key>a/gone</Key></Object></Delete>"},
  };
}

const std::vector<std::string> all_permissions = {
    "AbortMultipartUpload", "DeleteObject", "GetObject", "GetObjectAttributes", "ListBucket",
    "ListBucketMultipartUploads", "ListMultipartUploadParts", "PutObject"};

void replace(std::string& text, const std::string& what, const std::string& with) {
  if (const auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

// Asks with what it needs there: an upload of its own, and an object that can be renamed.
Answer ask_row(PointRig& rig, ScopeRow row, const std::string& other_key = {}) {
  REQUIRE(rig.zonal("PUT", "/a/from", "x").status == 200);
  if (row.target.find("{id}") != std::string::npos) {
    const std::string id = rig.zonal("POST", "/a/up?uploads").text("UploadId");
    replace(row.target, "{id}", id);
    const Answer part = rig.zonal("PUT", "/a/up?partNumber=1&uploadId=" + id, "part");
    replace(row.body, "{etag}", part.header("ETag"));
  }
  if (!other_key.empty()) {
    replace(row.target, "a/", other_key);
    replace(row.body, "a/gone", other_key + "gone");
  }
  if (row.operation == "DeleteObjects") {
    row.headers = {{"Content-MD5", to_base64(md5(row.body))}};
    Answer answer = rig.through(row.method, row.target, row.body, row.headers);
    if (answer.body.find("AccessDenied") != std::string::npos) answer.status = 403;
    return answer;
  }
  return rig.through(row.method, row.target, row.body, row.headers);
}

}  // namespace

TEST_CASE("directory access points: the scope's permissions, operation by operation") {
  PointRig rig;
  rig.made();
  REQUIRE(rig.zonal("PUT", "/a/k", "bytes").status == 200);
  std::size_t zonal_operations = 0;
  for (const DirectoryRow& row : directory_rows())
    zonal_operations += row.endpoint == DirectoryEndpoint::zonal && row.operation != "CreateSession";
  CHECK(scope_rows().size() == zonal_operations);
  for (const ScopeRow& row : scope_rows()) {
    CAPTURE(row.operation);
    REQUIRE(find_directory_row(row.operation) != nullptr);
    CHECK(find_directory_row(row.operation)->permission == row.permission);
    std::vector<std::string> needed = {row.permission}, others;
    if (row.operation == "RenameObject") needed = {"PutObject", "GetObject", "DeleteObject"};
    for (const std::string& each : all_permissions)
      if (each != row.permission) others.push_back(each);
    REQUIRE(rig.set_scope({}, needed).status == 200);
    CHECK(ask_row(rig, row).status / 100 == 2);
    REQUIRE(rig.set_scope({"a/"}, needed).status == 200);
    CHECK(ask_row(rig, row).status / 100 == 2);
    REQUIRE(rig.set_scope({}, others).status == 200);
    CHECK(ask_row(rig, row).status == 403);
    if (row.operation == "HeadBucket") continue;
    REQUIRE(rig.set_scope({"a/"}, {}).status == 200);
    CHECK(ask_row(rig, row, "b/").status == 403);
  }
}

TEST_CASE("directory access points: a listing and a rename stay within the scope") {
  PointRig rig;
  rig.made(scope_of({"a/"}, {}));
  for (const char* key : {"/a/k", "/b/k"}) REQUIRE(rig.zonal("PUT", key, "x").status == 200);
  CHECK(rig.through("GET", "/?list-type=2").status == 403);
  CHECK(rig.through("GET", "/?list-type=2&prefix=").status == 403);
  CHECK(rig.through("GET", "/?list-type=2&prefix=a/&prefix=b/").status == 403);
  CHECK(rig.through("GET", "/?list-type=2&prefix=a/").text("Contents/Key") == "a/k");
  CHECK(rig.through("PUT", "/a/in?renameObject", {}, {{"x-amz-rename-source", "b/k"}}).status == 403);
  CHECK(rig.through("PUT", "/b/out?renameObject", {}, {{"x-amz-rename-source", "a/k"}}).status == 403);
  CHECK(rig.through("PUT", "/a/in?renameObject", {}, {{"x-amz-rename-source", point + "/a/k"}})
            .status == 200);
  CHECK(rig.zonal("HEAD", "/a/in").status == 200);
  // What is not there is told within it.
  CHECK(rig.through("GET", "/a/none").code() == "NoSuchKey");
  CHECK(rig.through("GET", "/b/none").code() == "AccessDenied");
}

TEST_CASE("directory access points: no source of copies") {
  PointRig rig;
  rig.made();
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.service.put("/general/k", "bytes").status == 200);
  const Answer plain = rig.points(
      "PUT", "/plain", "<CreateAccessPointRequest><Bucket>general</Bucket></CreateAccessPointRequest>",
      mine, "s3");
  for (const std::string& source :
       {point + "/k", point_arn + "/object/k", plain.text("Alias") + "/k",
        plain.text("AccessPointArn") + "/object/k"}) {
    CAPTURE(source);
    CHECK(rig.zonal("PUT", "/copy", {}, {{"x-amz-copy-source", source}}).code() == "InvalidRequest");
    CHECK(rig.through("PUT", "/copy", {}, {{"x-amz-copy-source", source}}).code() ==
          "InvalidRequest");
  }
  CHECK(rig.service.put("/general/copy", {}, {{"x-amz-copy-source", point + "/k"}}).code() ==
        "InvalidRequest");
  // But a target of them.
  CHECK(rig.through("PUT", "/copy", {}, {{"x-amz-copy-source", "general/k"}}).status == 200);
  CHECK(rig.through("PUT", "/copy", {}, {{"x-amz-copy-source", name + "/k"}}).status == 200);
}

TEST_CASE("directory access points: both must allow, the bucket and the access point") {
  PointRig rig;
  rig.made();
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  const auto get = [&] {
    return rig.through("GET", "/k", {}, {}, {.credentials = rig.service.theirs, .token = {}});
  };
  const auto statement = [](const std::string& principal, const std::string& resource,
                            const std::string& condition = {}) {
    return R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":)" + principal +
           R"(,"Action":"s3express:CreateSession","Resource":")" + resource + "\"" + condition + "}}";
  };
  const std::string them = "{\"AWS\":\"" + theirs + "\"}";
  CHECK(get().status == 403);
  const auto put_policy = [&](const std::string& text) {
    return rig.points("PUT", "/" + point + "/policy",
                      "<PutAccessPointPolicyRequest><Policy>" + text +
                          "</Policy></PutAccessPointPolicyRequest>");
  };
  CHECK(put_policy(statement(them, point_arn)).status == 200);
  CHECK(get().status == 403);
  const std::string bucket_arn = "arn:aws:s3express:us-east-1:" + mine + ":bucket/" + name;
  const Answer delegated = rig.control(
      "PUT", "/" + name + "?policy",
      statement("\"*\"", bucket_arn,
                R"(,"Condition":{"StringEquals":{"s3express:DataAccessPointAccount":")" + mine +
                    R"("}})"));
  CHECK_MESSAGE(delegated.status == 204, delegated.body);
  CHECK(get().body == "bytes");
  CHECK(rig.zonal("GET", "/k", {}, {}, {.credentials = rig.service.theirs, .token = {}}).status ==
        403);
  CHECK(rig.points("GET", "/" + point + "/policy").text("Policy") == statement(them, point_arn));
  CHECK(rig.points("DELETE", "/" + point + "/policy").status == 204);
  CHECK(get().status == 403);
  // Other resources, other actions, everybody: none of them stands in its policy.
  CHECK(put_policy(statement(them, bucket_arn)).text("Error/Code") == "MalformedPolicy");
  std::string general = statement(them, point_arn);
  replace(general, "s3express:CreateSession", "s3:GetObject");
  CHECK(put_policy(general).text("Error/Code") == "MalformedPolicy");
  CHECK(put_policy(statement("\"*\"", point_arn)).text("Error/Code") == "AccessDenied");
}

TEST_CASE("directory access points: users of the account by their own policies") {
  PointRig rig;
  rig.made();
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  std::string allowed;
  rig.service.whose = [&](const auth::ObjectKey& key) -> std::shared_ptr<const auth::ObjectCaller> {
    auth::ObjectCaller caller;
    caller.account_id = key.account_id;
    caller.canonical_id = key.canonical_id;
    caller.arn = "arn:aws:iam::" + key.account_id + ":user/ann";
    caller.user_id = "ann";
    caller.username = "ann";
    auto policy = auth::Policy::of_identity(allowed);
    REQUIRE(policy.ok());
    caller.policies = {*policy};
    return std::make_shared<const auth::ObjectCaller>(std::move(caller));
  };
  rig.service.restart(two_zones());
  const std::string bucket_arn = "arn:aws:s3express:us-east-1:" + mine + ":bucket/" + name;
  const auto may = [&](const std::string& action, const std::string& resources) {
    allowed = R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":")" + action +
              R"(","Resource":)" + resources + "}}";
  };
  const auto both = "[\"" + point_arn + "\",\"" + bucket_arn + "\"]";
  may("s3express:CreateSession", both);
  CHECK(rig.through("GET", "/k").body == "bytes");
  CHECK(rig.points("GET", "/" + point).status == 403);
  may("s3express:CreateSession", "\"" + bucket_arn + "\"");
  CHECK(rig.through("GET", "/k").status == 403);
  may("s3express:GetAccessPointScope", "\"" + point_arn + "\"");
  CHECK(rig.points("GET", "/" + point + "/scope").status == 200);
  CHECK(rig.points("DELETE", "/" + point + "/scope").status == 403);
  may("s3:GetAccessPointScope", "\"*\"");
  CHECK(rig.points("GET", "/" + point + "/scope").status == 403);
  may("s3express:ListAccessPointsForDirectoryBuckets", "\"*\"");
  CHECK(rig.points("GET", "fordirectory").status == 200);
}

}  // namespace cairn::s3api::directory_points_test
