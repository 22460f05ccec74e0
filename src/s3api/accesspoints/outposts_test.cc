// SPDX-License-Identifier: Apache-2.0
// Outposts: their buckets, and the access points that are the only way to them.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "auth/policy/policy.h"
#include "base/encode.h"
#include "base/hash.h"
#include "s3/access_points.h"
#include "s3/operations/operation.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::outposts_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string domain = "objects.example.com";
const std::string outpost = "op-01ac5d28a6a232904", second = "op-0123456789abcdef0";
const std::string mine = "111111111111", theirs = "222222222222";
const std::string point_arn =
    "arn:aws:s3-outposts:us-east-1:" + mine + ":outpost/" + outpost + "/accesspoint/readers";
const std::string bucket_arn =
    "arn:aws:s3-outposts:us-east-1:" + mine + ":outpost/" + outpost + "/bucket/maps";

Options with_outposts() {
  Options options;
  options.domains = {domain};
  options.outposts = {outpost, second};
  return options;
}

std::string point_request(const std::string& bucket, const std::string& more = {}) {
  return "<CreateAccessPointRequest><Bucket>" + bucket + "</Bucket>" + more +
         "</CreateAccessPointRequest>";
}

struct Control {
  std::string body = {};
  std::string id = outpost;   // empty: no field
  std::string account = mine;  // empty: no field
  std::string service = "s3-outposts";
  Fields more = {};
};

struct Rig {
  Rig() : service(with_outposts()) {}
  Answer control(const std::string& method, const std::string& path, Control with = {}) {
    Fields headers = std::move(with.more);
    if (!with.id.empty()) headers.emplace_back("x-amz-outpost-id", with.id);
    if (!with.account.empty()) headers.emplace_back("x-amz-account-id", with.account);
    return service.ask({.method = method,
                        .target = "/v20180820" + path,
                        .headers = std::move(headers),
                        .body = with.body,
                        .credentials = with.account == theirs ? service.theirs : service.mine,
                        .service = with.service});
  }
  /// Bucket "maps" and its access point "readers"; the alias.
  std::string make() {
    const Answer bucket = control("PUT", "/bucket/maps");
    REQUIRE_MESSAGE(bucket.status == 200, bucket.body);
    const Answer point = control("PUT", "/accesspoint/readers", {.body = point_request("maps")});
    REQUIRE_MESSAGE(point.status == 200, point.body);
    return point.text("Alias");
  }
  Answer at(const std::string& host, const std::string& target) {
    return service.ask({.target = target, .service = "s3-outposts", .host = host});
  }
  Answer through(const std::string& method, const std::string& target,
                 const std::string& body = {}, Fields headers = {},
                 const s3::Credentials& who = {}) {
    return service.ask({.method = method,
                        .target = target,
                        .headers = std::move(headers),
                        .body = body,
                        .credentials = who,
                        .service = "s3-outposts",
                        .host = "readers-" + mine + "." + outpost + ".s3-outposts.us-east-1." +
                                domain});
  }
  ServiceRig service;
};

}  // namespace

TEST_CASE("outposts: a bucket is made, shown, listed and deleted by the control API") {
  Rig rig;
  const Answer made = rig.control("PUT", "/bucket/maps", {.account = ""});
  REQUIRE_MESSAGE(made.status == 200, made.body);
  CHECK(made.header("Location") == "/maps");
  CHECK(made.text("BucketArn") == bucket_arn);
  REQUIRE(rig.control("PUT", "/bucket/other").status == 200);
  REQUIRE(rig.control("PUT", "/bucket/far", {.id = second}).status == 200);
  REQUIRE(rig.service.put("/general").status == 200);
  for (int round = 0; round < 2; ++round) {
    const Answer shown = rig.control("GET", "/bucket/maps");
    CHECK(shown.text("Bucket") == "maps");
    CHECK(shown.text("PublicAccessBlockEnabled") == "true");
    CHECK(shown.text("CreationDate") == "2023-11-14T22:13:20.000Z");
    rig.service.restart(with_outposts());
  }
  const Answer page = rig.control("GET", "/bucket?maxResults=1");
  const std::string first = "RegionalBucketList/RegionalBucket/";
  CHECK(page.text(first + "Bucket") == "maps");
  CHECK(page.text(first + "BucketArn") == bucket_arn);
  CHECK(page.text(first + "OutpostId") == outpost);
  const Answer next = rig.control("GET", "/bucket?maxResults=1&nextToken=" + page.text("NextToken"));
  CHECK(next.text(first + "Bucket") == "other");
  CHECK(next.xml().child("NextToken") == nullptr);
  const std::string general = rig.service.get("/").body;
  CHECK(general.find("general") != std::string::npos);
  CHECK(general.find("maps") == std::string::npos);
  CHECK(rig.control("DELETE", "/bucket/maps").status == 204);
  CHECK(rig.control("GET", "/bucket/maps").text("Error/Code") == "NoSuchBucket");
  // A bucket stays one of its outpost where the settings name that no more; new ones there are none.
  rig.service.restart();
  CHECK(rig.control("GET", "/bucket/other").status == 200);
  CHECK(rig.control("PUT", "/bucket/new").status == 400);
}

TEST_CASE("outposts: what the control API refuses, and how") {
  Rig rig;
  rig.make();
  REQUIRE(rig.service.put("/general").status == 200);
  struct Row {
    std::string method, path;
    Control with;
    int status;
    std::string code;
  };
  const Row rows[] = {
      {"PUT", "/bucket/maps", {}, 409, "BucketAlreadyOwnedByYou"},
      {"PUT", "/bucket/maps", {.account = theirs}, 409, "BucketAlreadyExists"},
      {"PUT", "/bucket/general", {}, 409, "BucketAlreadyOwnedByYou"},
      {"PUT", "/bucket/Maps", {}, 400, "InvalidBucketName"},
      {"PUT", "/bucket/new", {.id = "op-0000000000000000a"}, 400, "InvalidRequest"},
      {"PUT", "/bucket/new", {.id = "op-1"}, 400, "InvalidRequest"},
      {"PUT", "/bucket/new", {.id = "", .service = "s3"}, 400, "InvalidRequest"},
      {"PUT", "/bucket/new", {.service = "s3"}, 400, "AuthorizationHeaderMalformed"},
      {"PUT", "/bucket/new", {.more = {{"x-amz-acl", "private"}}}, 400, "InvalidRequest"},
      {"PUT", "/bucket/new", {.more = {{"x-amz-grant-read", "id=x"}}}, 400, "InvalidRequest"},
      {"PUT", "/bucket/new", {.more = {{"x-amz-bucket-object-lock-enabled", "true"}}}, 400,
       "InvalidRequest"},
      {"GET", "/bucket/maps", {.id = second}, 404, "NoSuchBucket"},
      {"GET", "/bucket/maps", {.account = theirs}, 404, "NoSuchBucket"},
      {"GET", "/bucket/general", {}, 404, "NoSuchBucket"},
      {"DELETE", "/bucket/general", {}, 404, "NoSuchBucket"},
      {"DELETE", "/bucket/maps", {}, 400, "BucketHasAccessPointsAttached"},
      {"GET", "/bucket?maxResults=0", {}, 400, "InvalidArgument"},
      {"PUT", "/accesspoint/other", {.body = point_request("general")}, 404, "NoSuchBucket"},
      {"PUT", "/accesspoint/other", {.body = point_request("maps"), .id = second}, 404,
       "NoSuchBucket"},
      {"PUT", "/accesspoint/other", {.body = point_request("maps"), .id = "", .service = "s3"}, 404,
       "NoSuchBucket"},
      {"PUT", "/accesspoint/other",
       {.body = point_request("maps", "<BucketAccountId>" + mine + "</BucketAccountId>"),
        .account = theirs},
       400, "InvalidRequest"},
      {"PUT", "/accesspoint/other",
       {.body = point_request("maps", "<Scope><Prefixes><Prefix>a</Prefix></Prefixes></Scope>")},
       400, "InvalidRequest"},
      {"PUT", "/accesspoint/readers", {.body = point_request("maps")}, 409,
       "AccessPointAlreadyOwnedByYou"},
      {"GET", "/accesspoint/readers", {.id = second}, 404, "NoSuchAccessPoint"},
      {"GET", "/accesspoint/readers", {.id = "", .service = "s3"}, 404, "NoSuchAccessPoint"},
      {"GET", "/accessgrantsinstance", {}, 400, "InvalidRequest"},
      {"POST", "/bucket/maps", {}, 501, "NotImplemented"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.method);
    CAPTURE(row.path);
    const Answer answer = rig.control(row.method, row.path, row.with);
    CHECK(answer.status == row.status);
    CHECK(answer.text("Error/Code") == row.code);
  }
}

TEST_CASE("outposts: access points are made, shown, listed and deleted with the outpost named") {
  Rig rig;
  const std::string alias = rig.make();
  CHECK(s3::is_outpost_alias(alias));
  CHECK(alias.starts_with("readers-o" + outpost.substr(3)));
  const Answer by_arn =
      rig.control("PUT", "/accesspoint/writers", {.body = point_request(bucket_arn)});
  REQUIRE_MESSAGE(by_arn.status == 200, by_arn.body);
  // As Debian's boto3 has it; an ARN of elsewhere is no name.
  const auto encoded = [](const std::string& arn) { return percent_encode(arn); };
  CHECK(rig.control("GET", "/accesspoint/" + encoded(point_arn)).text("Name") == "readers");
  CHECK(rig.control("GET", "/bucket/" + encoded(bucket_arn)).text("Bucket") == "maps");
  for (const auto& [was, is] : Fields{{mine, theirs}, {"us-east-1", "eu-west-1"}, {outpost, second}}) {
    std::string elsewhere = point_arn;
    elsewhere.replace(elsewhere.find(was), was.size(), is);
    CHECK(rig.control("GET", "/accesspoint/" + encoded(elsewhere)).text("Error/Code") ==
          "NoSuchAccessPoint");
  }
  const Answer shown = rig.control("GET", "/accesspoint/readers");
  CHECK(shown.text("Bucket") == "maps");
  CHECK(shown.text("AccessPointArn") == point_arn);
  CHECK(shown.text("Alias") == alias);
  const Answer listed = rig.control("GET", "/accesspoint?bucket=maps&maxResults=1");
  CHECK(listed.text("AccessPointList/AccessPoint/Name") == "readers");
  CHECK(rig.control("GET", "/accesspoint?maxResults=1&nextToken=" + listed.text("NextToken"))
            .text("AccessPointList/AccessPoint/Name") == "writers");
  CHECK(rig.control("GET", "/accesspoint", {.id = "", .service = "s3"})
            .body.find("<AccessPoint>") == std::string::npos);
  for (const char* path : {"/accesspoint/readers", "/accesspoint/writers", "/bucket/maps"})
    CHECK(rig.control("DELETE", path).status == 204);
  CHECK(rig.control("DELETE", "/accesspoint/readers").status == 404);
}

TEST_CASE("outposts: nobody reaches a bucket but through its access points") {
  Rig rig;
  const std::string alias = rig.make();
  REQUIRE(rig.through("PUT", "/k", "bytes").status == 200);
  for (const char* target : {"/maps", "/maps/k", "/maps?versioning", "/maps?policy"})
    CHECK_MESSAGE(rig.service.get(target).code() == "NoSuchBucket", target);
  CHECK(rig.service.put("/maps/k", "x").code() == "NoSuchBucket");
  CHECK(rig.service.remove("/maps").code() == "NoSuchBucket");
  CHECK(rig.service.put("/maps").code() == "BucketAlreadyOwnedByYou");
  CHECK(rig.service.ask({.target = "/k", .host = "maps." + domain}).code() == "NoSuchBucket");
  REQUIRE(rig.service.put("/general").status == 200);
  CHECK(rig.service.put("/general/k", {}, {{"x-amz-copy-source", "maps/k"}}).code() ==
        "NoSuchBucket");
  for (const std::string& host :
       {"readers-" + mine + "." + outpost + "." + domain,
        "readers-" + mine + "." + outpost + ".objects-outposts.us-east-1." + domain,
        alias + "." + outpost + ".s3-outposts.us-east-1." + domain, alias + "." + domain}) {
    CAPTURE(host);
    CHECK(rig.at(host, "/k").body == "bytes");
    CHECK(rig.service.ask({.target = "/k", .host = host}).code() == "AuthorizationHeaderMalformed");
  }
  CHECK(rig.at("127.0.0.1:9000", "/" + alias + "/k").body == "bytes");
  for (const std::string& host :
       {"nobody-" + mine + "." + outpost + ".s3-outposts.us-east-1." + domain,
        "readers-" + theirs + "." + outpost + "." + domain,
        "readers-" + mine + "." + second + ".s3-outposts.us-east-1." + domain,
        "readers." + outpost + ".s3-outposts.us-east-1." + domain,
        "readers-" + mine + ".op-1.objects-outposts.us-east-1." + domain,
        "x" + alias.substr(1) + "." + outpost + ".s3-outposts.us-east-1." + domain}) {
    CAPTURE(host);
    CHECK(rig.at(host, "/k").code() == "NoSuchAccessPoint");
  }
  // The control API has that host as well.
  CHECK(rig.service
            .ask({.target = "/v20180820/bucket/maps",
                  .headers = {{"x-amz-outpost-id", outpost}},
                  .service = "s3-outposts",
                  .host = "s3-outposts.us-east-1." + domain})
            .text("Bucket") == "maps");
}

TEST_CASE("outposts: objects have one storage class, and no grants, locks or keys of others") {
  Rig rig;
  rig.make();
  CHECK(rig.through("PUT", "/k", "bytes").status == 200);
  CHECK(rig.through("GET", "/k").header("x-amz-storage-class") == "OUTPOSTS");
  CHECK(rig.through("GET", "/?list-type=2").text("Contents/StorageClass") == "OUTPOSTS");
  CHECK(rig.through("PUT", "/k", "bytes", {{"x-amz-storage-class", "OUTPOSTS"}}).status == 200);
  CHECK(rig.through("PUT", "/e", "bytes", {{"x-amz-server-side-encryption", "AES256"}}).status ==
        200);
  for (const char* other : {"STANDARD", "GLACIER", "EXPRESS_ONEZONE", "SNOW"}) {
    CAPTURE(std::string(other));
    CHECK(rig.through("PUT", "/none", "x", {{"x-amz-storage-class", other}}).code() ==
          "InvalidStorageClass");
    CHECK(rig.through("POST", "/none?uploads", {}, {{"x-amz-storage-class", other}}).code() ==
          "InvalidStorageClass");
    CHECK(rig.through("PUT", "/none", {},
                      {{"x-amz-storage-class", other}, {"x-amz-copy-source", point_arn + "/object/k"}})
              .code() == "InvalidStorageClass");
  }
  CHECK(rig.through("PUT", "/none", "x", {{"x-amz-server-side-encryption", "aws:kms"}}).code() ==
        "InvalidEncryptionAlgorithmError");
  for (const auto& [name, value] : Fields{{"x-amz-acl", "private"},
                                          {"x-amz-grant-full-control", "id=x"},
                                          {"x-amz-grant-read", "id=x"},
                                          {"x-amz-grant-read-acp", "id=x"},
                                          {"x-amz-grant-write-acp", "id=x"},
                                          {"x-amz-object-lock-mode", "GOVERNANCE"},
                                          {"x-amz-object-lock-legal-hold", "ON"},
                                          {"x-amz-request-payer", "requester"},
                                          {"x-amz-website-redirect-location", "/x"},
                                          {"x-amz-write-offset-bytes", "0"}}) {
    CAPTURE(name);
    const Answer put = rig.through("PUT", "/none", "x", {{name, value}});
    CHECK(put.status == 501);
    CHECK(put.text("Header") == name);
    CHECK(rig.through("PUT", "/none", {}, {{name, value}, {"x-amz-copy-source", point_arn + "/object/k"}})
              .status == 501);
  }
  CHECK(rig.through("HEAD", "/none").status == 404);
  // Elsewhere there is no such class.
  REQUIRE(rig.service.put("/general").status == 200);
  CHECK(rig.service.put("/general/k", "x", {{"x-amz-storage-class", "OUTPOSTS"}}).code() ==
        "InvalidStorageClass");
}

TEST_CASE("outposts: uploads, tags, listings and deletes go through, and nothing else") {
  Rig rig;
  rig.make();
  const std::string id = rig.through("POST", "/up?uploads").text("UploadId");
  const Answer part = rig.through("PUT", "/up?partNumber=1&uploadId=" + id, "part");
  CHECK(part.status == 200);
  CHECK(rig.through("GET", "/up?uploadId=" + id).text("Part/PartNumber") == "1");
  CHECK(rig.through("GET", "/?uploads").text("Upload/Key") == "up");
  CHECK(rig.through("POST", "/up?uploadId=" + id,
                    "<CompleteMultipartUpload><Part><ETag>" + part.header("ETag") +
                        "</ETag><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>")
            .status == 200);
  CHECK(rig.through("HEAD", "/up").header("x-amz-storage-class") == "OUTPOSTS");
  const std::string tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
  CHECK(rig.through("PUT", "/up?tagging", tags, {{"Content-MD5", to_base64(md5(tags))}}).status ==
        200);
  CHECK(rig.through("GET", "/up?tagging").text("TagSet/Tag/Key") == "a");
  CHECK(rig.through("HEAD", "/").status == 200);
  for (const char* target : {"/up?acl", "/up?retention", "/up?attributes", "/?location", "/?cors",
                             "/?versions", "/?policy", "/?versioning"})
    CHECK_MESSAGE(rig.through("GET", target).code() == "MethodNotAllowed", target);
  const std::string batch = "<Delete><Object><Key>up</Key></Object></Delete>";
  CHECK(rig.through("POST", "/?delete", batch, {{"Content-MD5", to_base64(md5(batch))}})
            .body.find("<Deleted>") != std::string::npos);
  CHECK(rig.through("GET", "/up").code() == "NoSuchKey");
}

TEST_CASE("outposts: copies stay inside one bucket") {
  Rig rig;
  const std::string alias = rig.make();
  REQUIRE(rig.control("PUT", "/bucket/other").status == 200);
  const Answer other =
      rig.control("PUT", "/accesspoint/others", {.body = point_request("other")});
  REQUIRE(other.status == 200);
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.service.put("/general/k", "bytes").status == 200);
  REQUIRE(rig.through("PUT", "/a b", "bytes").status == 200);
  REQUIRE(rig.service
              .ask({.method = "PUT", .target = "/k", .body = "x", .service = "s3-outposts",
                    .host = other.text("Alias") + "." + domain})
              .status == 200);
  struct Row {
    std::string source;
    bool within;
  };
  const Row rows[] = {
      {"arn%3Aaws%3As3-outposts%3Aus-east-1%3A111111111111%3Aoutpost%2F" + outpost +
           "%2Faccesspoint%2Freaders%2Fobject%2Fa%20b",
       true},
      {alias + "/a%20b", true},
      {other.text("AccessPointArn") + "/object/k", false},
      {other.text("Alias") + "/k", false},
      {"general/k", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    const Fields from = {{"x-amz-copy-source", row.source}};
    const Answer copied = rig.through("PUT", "/copy", {}, from);
    const std::string id = rig.through("POST", "/parts?uploads").text("UploadId");
    const Answer part = rig.through("PUT", "/parts?partNumber=1&uploadId=" + id, {}, from);
    if (row.within) {
      CHECK(copied.status == 200);
      CHECK(rig.through("GET", "/copy").header("x-amz-storage-class") == "OUTPOSTS");
      CHECK(part.status == 200);
    } else {
      CHECK(copied.code() == "InvalidRequest");
      CHECK(part.code() == "InvalidRequest");
    }
    if (row.source != "general/k")
      CHECK(rig.service.put("/general/copy", {}, from).code() == "InvalidRequest");
  }
  CHECK(rig.through("PUT", "/copy", {},
                    {{"x-amz-copy-source", "arn:aws:s3-outposts:eu-west-1:" + mine + ":outpost/" +
                                               outpost + "/accesspoint/readers/object/k"}})
            .code() == "NoSuchAccessPoint");
}

namespace {

std::string statement(const std::string& principal, const std::string& action,
                      const std::string& resource) {
  return R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":)" + principal +
         R"(,"Action":")" + action + R"(","Resource":")" + resource + "\"}}";
}

}  // namespace

TEST_CASE("outposts: the access point's policy lets others in, and the bucket leaves it that") {
  Rig rig;
  rig.make();
  REQUIRE(rig.through("PUT", "/k", "bytes").status == 200);
  const auto get = [&] { return rig.through("GET", "/k", {}, {}, rig.service.theirs); };
  CHECK(get().status == 403);
  const std::string them = "{\"AWS\":\"" + theirs + "\"}";
  const auto put_policy = [&](const std::string& text) {
    return rig.control("PUT", "/accesspoint/readers/policy",
                       {.body = "<PutAccessPointPolicyRequest><Policy>" + text +
                                "</Policy></PutAccessPointPolicyRequest>"});
  };
  const std::string text = statement(them, "s3-outposts:GetObject", point_arn + "/object/*");
  CHECK(put_policy(text).status == 200);
  CHECK(get().body == "bytes");
  CHECK(rig.through("PUT", "/k", "x", {}, rig.service.theirs).status == 403);
  CHECK(rig.through("GET", "/none", {}, {}, rig.service.theirs).code() == "AccessDenied");
  CHECK(rig.control("GET", "/accesspoint/readers/policy").text("Policy") == text);
  CHECK(rig.control("GET", "/accesspoint/readers/policyStatus").text("PolicyStatus/IsPublic") ==
        "false");
  CHECK(rig.control("DELETE", "/accesspoint/readers/policy").status == 204);
  CHECK(get().status == 403);
  CHECK(put_policy(statement(them, "s3:GetObject", point_arn + "/object/*")).text("Error/Code") ==
        "MalformedPolicy");
  CHECK(put_policy(statement(them, "s3-outposts:GetObject", bucket_arn)).text("Error/Code") ==
        "MalformedPolicy");
  CHECK(put_policy(statement("\"*\"", "s3-outposts:GetObject", point_arn + "/object/*"))
            .text("Error/Code") == "AccessDenied");
}

TEST_CASE("outposts: users of the account by their own policies") {
  Rig rig;
  rig.make();
  REQUIRE(rig.through("PUT", "/k", "bytes").status == 200);
  std::string allowed;
  const auto may = [&](const std::string& action, const std::string& resource) {
    auth::ObjectCaller user;
    user.account_id = mine;
    user.canonical_id = std::string(64, '1');
    user.arn = "arn:aws:iam::" + mine + ":user/ann";
    user.username = "ann";
    user.policies = {auth::Policy::of_identity(
                         R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":")" +
                         action + R"(","Resource":")" + resource + "\"}}")
                         .value()};
    const auto shared = std::make_shared<const auth::ObjectCaller>(std::move(user));
    rig.service.whose = [shared](const auth::ObjectKey&) { return shared; };
  };
  may("s3-outposts:GetObject", point_arn + "/object/*");
  CHECK(rig.through("GET", "/k").body == "bytes");
  CHECK(rig.through("PUT", "/k", "x").status == 403);
  CHECK(rig.through("GET", "/?list-type=2").status == 403);
  may("s3-outposts:ListBucket", point_arn);
  CHECK(rig.through("GET", "/?list-type=2").status == 200);
  may("s3:GetObject", "*");
  CHECK(rig.through("GET", "/k").status == 403);
  may("s3-outposts:CreateBucket", "*");
  CHECK(rig.control("PUT", "/bucket/second").status == 200);
  CHECK(rig.control("DELETE", "/bucket/second").status == 403);
  may("s3:*", "*");
  CHECK(rig.control("PUT", "/bucket/third").status == 403);
  may("s3-outposts:DeleteBucket", bucket_arn.substr(0, bucket_arn.rfind('/')) + "/second");
  CHECK(rig.control("DELETE", "/bucket/second").status == 204);
  may("s3-outposts:GetAccessPoint", point_arn);
  CHECK(rig.control("GET", "/accesspoint/readers").status == 200);
}

}  // namespace cairn::s3api::outposts_test
