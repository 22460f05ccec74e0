// SPDX-License-Identifier: Apache-2.0
// Access points of general purpose buckets: the control API, the three names, what goes through.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objectstore/core/access_points.h"
#include "s3/access_points.h"
#include "s3/operations/operation.h"
#include "s3api/accesspoints/resolve.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::access_points_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string domain = "objects.example.com";
const std::string mine = "111111111111", theirs = "222222222222";

Options with_domain() {
  Options options;
  options.domains = {domain};
  return options;
}

std::string request_for(const std::string& bucket, const std::string& more = {}) {
  return "<CreateAccessPointRequest xmlns=\"http://awss3control.amazonaws.com/doc/2018-08-20/\">"
         "<Bucket>" + bucket + "</Bucket>" + more + "</CreateAccessPointRequest>";
}
std::string policy_request(const std::string& policy) {
  return "<PutAccessPointPolicyRequest><Policy>" + policy + "</Policy></PutAccessPointPolicyRequest>";
}
std::string policy_for(const std::string& principal, const std::string& account = mine,
                       const std::string& name = "readers") {
  const std::string arn = "arn:aws:s3:us-east-1:" + account + ":accesspoint/" + name;
  return R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":)" + principal +
         R"(,"Action":["s3:GetObject","s3:PutObject"],"Resource":")" + arn +
         R"(/object/*"},{"Effect":"Allow","Principal":)" + principal +
         R"(,"Action":"s3:ListBucket","Resource":")" + arn + R"("}]})";
}
std::string delegation_to(const std::string& account) {
  return R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":"*",)"
         R"("Resource":["arn:aws:s3:::photos","arn:aws:s3:::photos/*"],)"
         R"("Condition":{"StringEquals":{"s3:DataAccessPointAccount":")" + account + R"("}}}})";
}

struct PointRig {
  explicit PointRig(Options options = with_domain()) : service(std::move(options)) {
    REQUIRE(service.put("/photos").status == 200);
    REQUIRE(service.put("/photos/k", "bytes").status == 200);
  }
  /// The control API, by path.
  Answer control(const std::string& method, const std::string& path, const std::string& body = {},
                 const std::string& account = mine, const std::string& host = "127.0.0.1:9000") {
    return service.ask({.method = method,
                        .target = "/v20180820/accesspoint" + path,
                        .headers = {{"x-amz-account-id", account}},
                        .body = body,
                        .credentials = account == theirs ? service.theirs : service.mine,
                        .host = host});
  }
  std::string make(const std::string& name = "readers", const std::string& more = {}) {
    const Answer made = control("PUT", "/" + name, request_for("photos", more));
    REQUIRE_MESSAGE(made.status == 200, made.body);
    return made.text("Alias");
  }
  /// Through the host of the access point.
  Answer through(const std::string& method, const std::string& target,
                 const std::string& body = {}, Fields headers = {},
                 const std::string& name = "readers", const s3::Credentials& who = {}) {
    return service.ask({.method = method,
                        .target = target,
                        .headers = std::move(headers),
                        .body = body,
                        .credentials = who,
                        .host = name + "-" + mine + ".s3-accesspoint.us-east-1." + domain});
  }
  ServiceRig service;
};

}  // namespace

TEST_CASE("access points: made, shown, listed in pages, deleted") {
  PointRig rig;
  const Answer made = rig.control("PUT", "/readers", request_for("photos"));
  REQUIRE_MESSAGE(made.status == 200, made.body);
  CHECK(made.text("AccessPointArn") == "arn:aws:s3:us-east-1:111111111111:accesspoint/readers");
  const std::string alias = made.text("Alias");
  CHECK(s3::is_access_point_alias(alias));
  CHECK(alias.starts_with("readers-"));
  for (int round = 0; round < 2; ++round) {
    const Answer shown = rig.control("GET", "/readers");
    REQUIRE(shown.status == 200);
    CHECK(shown.text("Name") == "readers");
    CHECK(shown.text("Bucket") == "photos");
    CHECK(shown.text("NetworkOrigin") == "Internet");
    CHECK(shown.text("BucketAccountId") == mine);
    CHECK(shown.text("Alias") == alias);
    CHECK(shown.text("CreationDate") == "2023-11-14T22:13:20.000Z");
    for (const char* each : {"BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy",
                             "RestrictPublicBuckets"})
      CHECK(shown.text("PublicAccessBlockConfiguration/" + std::string(each)) == "true");
    rig.service.restart(with_domain());
  }
  rig.make("writers", "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>"
                      "</PublicAccessBlockConfiguration>");
  const Answer open = rig.control("GET", "/writers");
  CHECK(open.text("PublicAccessBlockConfiguration/BlockPublicAcls") == "true");
  CHECK(open.text("PublicAccessBlockConfiguration/BlockPublicPolicy") == "false");
  const Answer first = rig.control("GET", "?maxResults=1&bucket=photos");
  CHECK(first.text("AccessPointList/AccessPoint/Name") == "readers");
  CHECK(first.text("AccessPointList/AccessPoint/Alias") == alias);
  const Answer second =
      rig.control("GET", "?maxResults=1&nextToken=" + first.text("NextToken"));
  CHECK(second.text("AccessPointList/AccessPoint/Name") == "writers");
  CHECK(second.xml().child("NextToken") == nullptr);
  CHECK(rig.control("GET", "", {}, theirs).body.find("<AccessPoint>") == std::string::npos);
  CHECK(rig.service.remove("/photos/k").status == 204);
  CHECK(rig.service.remove("/photos").code() == "BucketHasAccessPointsAttached");
  for (const char* name : {"/readers", "/writers"})
    CHECK(rig.control("DELETE", name).status == 204);
  CHECK(rig.control("DELETE", "/readers").status == 404);
  CHECK(rig.service.remove("/photos").status == 204);
}

TEST_CASE("access points: what cannot be made is refused by name") {
  PointRig rig;
  rig.make();
  struct Row {
    std::string name, body, account;
    int status;
    std::string code;
  };
  const Row rows[] = {
      {"readers", request_for("photos"), mine, 409, "AccessPointAlreadyOwnedByYou"},
      {"ab", request_for("photos"), mine, 400, "InvalidRequest"},
      {"Readers", request_for("photos"), mine, 400, "InvalidRequest"},
      {"x-s3alias", request_for("photos"), mine, 400, "InvalidRequest"},
      {"other", request_for("nowhere"), mine, 404, "NoSuchBucket"},
      {"other", request_for("photos"), theirs, 404, "NoSuchBucket"},
      {"other", request_for("photos", "<BucketAccountId>111</BucketAccountId>"), theirs, 400,
       "InvalidRequest"},
      {"other",
       request_for("photos", "<VpcConfiguration><VpcId>vpc-1</VpcId></VpcConfiguration>"), mine,
       501, "NotImplemented"},
      {"other",
       request_for("photos", "<Scope><Prefixes><Prefix>a</Prefix></Prefixes></Scope>"), mine, 400,
       "InvalidRequest"},
      {"other", "<CreateAccessPointRequest>", mine, 400, "MalformedXML"},
      {"other", "", mine, 400, "MissingRequestBodyError"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.body);
    const Answer answer = rig.control("PUT", "/" + row.name, row.body, row.account);
    CHECK(answer.status == row.status);
    CHECK(answer.text("Error/Code") == row.code);
    CHECK_FALSE(answer.text("RequestId").empty());
  }
  CHECK(rig.control("GET", "?maxResults=0").text("Error/Code") == "InvalidArgument");
  CHECK(rig.control("GET", "/nobody").text("Error/Code") == "NoSuchAccessPoint");
  CHECK(rig.control("GET", "/readers/policy").text("Error/Code") == "NoSuchAccessPointPolicy");
  CHECK(rig.control("GET", "/readers/policyStatus").text("Error/Code") ==
        "NoSuchAccessPointPolicy");
  CHECK(rig.control("PUT", "/readers/policy", policy_request("{}")).text("Error/Code") ==
        "MalformedPolicy");
  CHECK(rig.control("GET", "/readers/other").text("Error/Code") == "NotImplemented");
}

TEST_CASE("control API: for callers of the account, and for no other") {
  PointRig rig;
  rig.make();
  const auto ask = [&](Fields headers, const s3::Credentials& who, bool sign) {
    return rig.service.ask({.target = "/v20180820/accesspoint/readers",
                            .headers = std::move(headers),
                            .credentials = who,
                            .sign = sign});
  };
  CHECK(ask({{"x-amz-account-id", mine}}, {}, true).status == 200);
  CHECK(ask({{"x-amz-account-id", mine}}, rig.service.theirs, true).status == 403);
  CHECK(ask({{"x-amz-account-id", theirs}}, {}, true).status == 403);
  CHECK(ask({{"x-amz-account-id", mine}}, {}, false).status == 403);
  CHECK(ask({{"x-amz-account-id", "1"}}, {}, true).status == 400);
  // Without an account it is an object of a bucket of that name.
  CHECK(ask({}, {}, true).code() == "NoSuchBucket");
}

TEST_CASE("control API: by path, by the account before the domain, by its own host") {
  PointRig rig;
  rig.make();
  for (const std::string& host :
       {domain, mine + "." + domain, mine + ".s3-control.us-east-1." + domain + ":9000",
        "s3-control.us-east-1." + domain})
    CHECK_MESSAGE(rig.control("GET", "/readers", {}, mine, host).status == 200, host);
  // A bucket before the domain keeps its keys.
  CHECK(rig.control("GET", "/readers", {}, mine, "photos." + domain).code() == "NoSuchKey");
  // A bucket of that name, too.
  REQUIRE(rig.service.put("/v20180820").status == 200);
  REQUIRE(rig.service.put("/v20180820/accesspoint/readers", "an object").status == 200);
  CHECK(rig.service.get("/v20180820/accesspoint/readers").body == "an object");
}

TEST_CASE("access points: asked by host, alias and, in sources of copies, ARN") {
  PointRig rig;
  const std::string alias = rig.make();
  for (const std::string& host : {"readers-" + mine + ".s3-accesspoint.us-east-1." + domain,
                                  "readers-" + mine + ".objects-accesspoint.us-east-1." + domain,
                                  "readers-" + mine + "." + domain, alias + "." + domain})
    CHECK_MESSAGE(rig.service.ask({.target = "/k", .host = host}).body == "bytes", host);
  CHECK(rig.service.get("/" + alias + "/k").body == "bytes");
  CHECK(rig.service.get("/arn%3Aaws%3As3%3Aus-east-1%3A111111111111%3Aaccesspoint%2Freaders/k")
            .body == "bytes");
  const Answer head = rig.service.head("/" + alias);
  CHECK(head.header("x-amz-access-point-alias") == "true");
  CHECK(rig.through("HEAD", "/").header("x-amz-access-point-alias") == "false");
  CHECK(rig.through("GET", "/?list-type=2").text("Contents/Key") == "k");
  const std::string source = "arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/k";
  for (const std::string& each : {source, alias + "/k", "/" + alias + "/k"}) {
    CAPTURE(each);
    CHECK(rig.service.put("/photos/copy", {}, {{"x-amz-copy-source", each}}).status == 200);
    CHECK(rig.through("PUT", "/copy", {}, {{"x-amz-copy-source", each}}).status == 200);
  }
  CHECK(rig.service.get("/photos/copy").body == "bytes");
}

TEST_CASE("access points: what names none is told so") {
  PointRig rig;
  rig.make();
  const std::string other = "readers-" + theirs + ".s3-accesspoint.us-east-1." + domain;
  CHECK(rig.service.ask({.target = "/k", .host = other}).code() == "NoSuchAccessPoint");
  CHECK(rig.service.ask({.target = "/k", .host = "readers.s3-accesspoint.us-east-1." + domain})
            .code() == "NoSuchAccessPoint");
  CHECK(rig.service.get("/readers-abc-s3alias/k").code() == "NoSuchAccessPoint");
  CHECK(rig.service.put("/readers-abc-s3alias").code() == "InvalidBucketName");
  // Told an endpoint, SDKs send such a host; where there is no such access point it is a bucket's.
  CHECK(rig.service.ask({.target = "/k", .host = "readers-" + theirs + "." + domain}).code() ==
        "NoSuchBucket");
  struct Row {
    std::string source, code;
  };
  const Row rows[] = {
      {"arn:aws:s3:us-east-1:111111111111:accesspoint/nobody/object/k", "NoSuchAccessPoint"},
      {"arn:aws:s3:eu-west-1:111111111111:accesspoint/readers/object/k", "NoSuchAccessPoint"},
      {"arn:aws:s3::111111111111:accesspoint/x.mrap/object/k", "NotImplemented"},
      {"arn:aws:s3-object-lambda:us-east-1:111111111111:accesspoint/readers/object/k",
       "NotImplemented"},
      {"arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/", "InvalidArgument"},
      {"arn:aws:s3:us-east-1:111111111111:accesspoint/readers", "InvalidArgument"},
      {"arn:aws:s3:::photos/k", "InvalidArgument"},
      {"arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/nothing", "NoSuchKey"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    CHECK(rig.service.put("/photos/copy", {}, {{"x-amz-copy-source", row.source}}).code() ==
          row.code);
  }
}

TEST_CASE("access points: every operation either goes through, or is refused by name") {
  PointRig rig;
  const std::string alias = rig.make();
  std::set<std::string> refused;
  for (const s3::Operation* operation : s3::all_operations()) {
    if (operation->target == s3::Target::service || operation->name == "CreateBucket") continue;
    CAPTURE(operation->name);
    std::string target = "/" + alias + (operation->target == s3::Target::object ? "/k" : "");
    Fields headers;
    for (const auto& [name, marked] : {std::pair(operation->marker, true)}) {
      if (name.empty() || !marked) continue;
      const std::size_t space = name.find(' ');
      const std::string_view first = name.substr(0, space);
      if (!first.ends_with(':')) target += "?" + std::string(first);
      for (const std::string_view piece : {first, space == std::string_view::npos
                                                      ? std::string_view()
                                                      : name.substr(space + 1)})
        if (piece.ends_with(':'))
          headers.emplace_back(piece.substr(0, piece.size() - 1), "photos/k");
    }
    const Answer answer = rig.service.ask(
        {.method = std::string(operation->method), .target = target, .headers = headers});
    const bool is_refused = answer.status == 405;
    CHECK(is_refused == !works_through_access_points(operation->name));
    if (is_refused && operation->method != "HEAD")
      CHECK(answer.body.find(operation->name) != std::string::npos);
    if (is_refused) refused.insert(std::string(operation->name));
  }
  CHECK(refused.contains("PutBucketPolicy"));
  CHECK(refused.contains("DeleteBucket"));
  CHECK(refused.contains("PutBucketVersioning"));
  CHECK(refused.contains("RenameObject"));
  CHECK_FALSE(refused.contains("GetObject"));
}

TEST_CASE("access points: objects are written, read, uploaded in parts and deleted through one") {
  PointRig rig;
  rig.make();
  CHECK(rig.through("PUT", "/new", "fresh").status == 200);
  CHECK(rig.service.get("/photos/new").body == "fresh");
  const Answer begun = rig.through("POST", "/parts?uploads");
  REQUIRE(begun.status == 200);
  CHECK(begun.text("Bucket") == "photos");
  const std::string id = begun.text("UploadId");
  const Answer part = rig.through("PUT", "/parts?partNumber=1&uploadId=" + id, "part");
  CHECK(rig.through("GET", "/parts?uploadId=" + id).text("Part/PartNumber") == "1");
  const Answer done = rig.through(
      "POST", "/parts?uploadId=" + id,
      "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + part.header("ETag") +
          "</ETag></Part></CompleteMultipartUpload>");
  CHECK(done.status == 200);
  CHECK(rig.service.get("/photos/parts").body == "part");
  CHECK(rig.through("DELETE", "/parts").status == 204);
  CHECK(rig.service.get("/photos/parts").status == 404);
}

TEST_CASE("access points: the bucket and the policy of the point must both allow") {
  PointRig rig;
  rig.make();
  const auto theirs_get = [&] { return rig.through("GET", "/k", {}, {}, "readers", rig.service.theirs); };
  CHECK(theirs_get().status == 403);
  REQUIRE(rig.control("PUT", "/readers/policy",
                      policy_request(policy_for(R"({"AWS":"222222222222"})")))
              .status == 200);
  CHECK(rig.control("GET", "/readers/policy").text("Policy").find("222222222222") !=
        std::string::npos);
  CHECK(rig.control("GET", "/readers/policyStatus").text("PolicyStatus/IsPublic") == "false");
  CHECK(theirs_get().status == 403);
  REQUIRE(rig.service.put("/photos?policy", delegation_to(mine)).status == 204);
  CHECK(theirs_get().body == "bytes");
  // Straight to the bucket that gives them nothing.
  CHECK(rig.service.ask({.target = "/photos/k", .credentials = rig.service.theirs}).status == 403);
  const Answer copied = rig.service.ask(
      {.method = "PUT",
       .target = "/photos/theirs",
       .headers = {{"x-amz-copy-source",
                    "arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/k"}},
       .credentials = rig.service.theirs});
  CHECK(copied.status == 403);
  CHECK(rig.through("PUT", "/theirs", {}, {{"x-amz-copy-source", "photos/k"}}, "readers",
                    rig.service.theirs)
            .status == 403);
  CHECK(rig.through("PUT", "/theirs", {},
                    {{"x-amz-copy-source",
                      "arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/k"}},
                    "readers", rig.service.theirs)
            .status == 200);
  CHECK(rig.control("DELETE", "/readers/policy").status == 204);
  CHECK(theirs_get().status == 403);
}

TEST_CASE("access points: a public policy is refused where the point blocks it") {
  PointRig rig;
  rig.make();
  rig.make("open", "<PublicAccessBlockConfiguration/>");
  const Answer refused =
      rig.control("PUT", "/readers/policy", policy_request(policy_for(R"("*")")));
  CHECK(refused.text("Error/Code") == "AccessDenied");
  REQUIRE(rig.control("PUT", "/open/policy",
                      policy_request(policy_for(R"("*")", mine, "open")))
              .status == 200);
  CHECK(rig.control("GET", "/open/policyStatus").text("PolicyStatus/IsPublic") == "true");
  REQUIRE(rig.service.put("/photos?policy", delegation_to(mine)).status == 204);
  const auto nobody = [&] {
    return rig.service.ask({.target = "/k",
                            .sign = false,
                            .host = "open-" + mine + ".s3-accesspoint.us-east-1." + domain});
  };
  CHECK(nobody().status == 403);  // the bucket blocks public access, as new ones do
  REQUIRE(rig.service.remove("/photos?publicAccessBlock").status == 204);
  CHECK(nobody().body == "bytes");
}

TEST_CASE("access points: of another account's bucket, by its word, and not of who comes after it") {
  PointRig rig;
  const Answer made = rig.control(
      "PUT", "/guests", request_for("photos", "<BucketAccountId>" + mine + "</BucketAccountId>"),
      theirs);
  REQUIRE_MESSAGE(made.status == 200, made.body);
  const std::string target = "/" + made.text("Alias") + "/k";
  const auto get = [&] {
    return rig.service.ask({.target = target, .credentials = rig.service.theirs});
  };
  CHECK(get().status == 403);
  REQUIRE(rig.service.put("/photos?policy", delegation_to(theirs)).status == 204);
  CHECK(get().body == "bytes");
  REQUIRE(rig.service.remove("/photos/k").status == 204);
  REQUIRE(rig.service.remove("/photos").status == 204);
  CHECK(get().code() == "NoSuchBucket");
  REQUIRE(rig.service.ask({.method = "PUT", .target = "/photos", .credentials = rig.service.theirs})
              .status == 200);
  CHECK(get().code() == "NoSuchBucket");
}

TEST_CASE("access points: a bucket never takes the host name of one, nor one that of a bucket") {
  PointRig rig;
  rig.make();
  CHECK(rig.service.put("/readers-" + mine).code() == "BucketAlreadyExists");
  REQUIRE(rig.service.put("/logs-" + mine).status == 200);
  CHECK(rig.control("PUT", "/logs", request_for("photos")).text("Error/Code") == "InvalidRequest");
}

TEST_CASE("access points: copies by way of one stay within a region") {
  PointRig rig;
  rig.make();
  const auto located = [](const std::string& region) {
    return "<CreateBucketConfiguration><LocationConstraint>" + region +
           "</LocationConstraint></CreateBucketConfiguration>";
  };
  REQUIRE(rig.service.put("/abroad", located("eu-west-1")).status == 200);
  const std::string source = "arn:aws:s3:us-east-1:111111111111:accesspoint/readers/object/k";
  CHECK(rig.service.put("/abroad/k", {}, {{"x-amz-copy-source", "photos/k"}}).status == 200);
  CHECK(rig.service.put("/abroad/k", {}, {{"x-amz-copy-source", source}}).code() ==
        "InvalidRequest");
  CHECK(rig.through("PUT", "/back", {}, {{"x-amz-copy-source", "abroad/k"}}).code() ==
        "InvalidRequest");
  const Answer made = rig.control("PUT", "/far", request_for("abroad"));
  CHECK(made.text("AccessPointArn") == "arn:aws:s3:eu-west-1:111111111111:accesspoint/far");
}

}  // namespace cairn::s3api::access_points_test
