// SPDX-License-Identifier: Apache-2.0
// create_bucket, row by row: parameters, response, the four rules.
#include <doctest/doctest.h>

#include "s3/errors.h"
#include "s3/operations/values.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::create_bucket_rows_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string usual_message(std::string_view code) {
  return std::string(s3::find_error(code)->message);
}
const std::string my_id(64, '1'), their_id(64, '2');
const Fields object_writer = {{"x-amz-object-ownership", "ObjectWriter"}};

Fields with(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::string configuration(const std::string& inside) {
  return "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + inside +
         "</CreateBucketConfiguration>";
}
std::string constraint(const std::string& region) {
  return configuration("<LocationConstraint>" + region + "</LocationConstraint>");
}

TEST_CASE("create rows: bucket is a name that a bucket may have") {
  ServiceRig rig;
  for (const std::string& good :
       {std::string("abc"), std::string(63, 'a'), std::string("a.b-c"), std::string("1a1")})
    CHECK(rig.put("/" + good).status == 200);
  for (const std::string& bad :
       {std::string("ab"), std::string(64, 'a'), std::string("Abc"), std::string("a_c"),
        std::string("-ab"), std::string("ab-"), std::string(".ab"), std::string("a..b"),
        std::string("1.2.3.4"), std::string("xn--abc"), std::string("sthree-abc"),
        std::string("amzn-s3-demo-abc"), std::string("abc-s3alias"), std::string("abc--ol-s3"),
        std::string("abc.mrap"), std::string("abc--table-s3"), std::string("base---x-s3"),
        std::string("base--x-s3")}) {
    CAPTURE(bad);
    const Answer answer = rig.put("/" + bad);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidBucketName");
    CHECK(answer.text("Message") == usual_message("InvalidBucketName"));
    CHECK(answer.text("BucketName") == bad);
  }
}

TEST_CASE("create rows: acl, each canned name") {
  const struct {
    const char* acl;
    const char* code;  // with an ownership that has ACLs
  } rows[] = {{"private", ""},
              {"public-read", "InvalidBucketAclWithBlockPublicAccessError"},
              {"public-read-write", "InvalidBucketAclWithBlockPublicAccessError"},
              {"authenticated-read", "InvalidBucketAclWithBlockPublicAccessError"},
              {"bucket-owner-read", "InvalidArgument"},
              {"everybody", "InvalidArgument"}};
  for (const auto& row : rows) {
    CAPTURE(row.acl);
    ServiceRig rig;
    for (const char* ownership : {"ObjectWriter", "BucketOwnerPreferred"}) {
      const Answer answer =
          rig.put("/new", "", {{"x-amz-object-ownership", ownership}, {"x-amz-acl", row.acl}});
      CHECK(answer.status == (*row.code == '\0' ? 200 : 400));
      if (*row.code != '\0') CHECK(answer.code() == row.code);
      CHECK(rig.head("/new").status == (*row.code == '\0' ? 200 : 404));
      if (*row.code == '\0') REQUIRE(rig.remove("/new").status == 204);
    }
    // The default ownership has none, not even the one that changes nothing.
    const Answer answer = rig.put("/new", "", {{"x-amz-acl", row.acl}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == (std::string_view(row.code) == "InvalidArgument"
                                ? "InvalidArgument"
                                : "InvalidBucketAclWithObjectOwnership"));
    CHECK(rig.head("/new").status == 404);
  }
}

TEST_CASE("create rows: buckets may be born with ACLs, where the settings say so") {
  ServiceRig rig(Options{.new_bucket_ownership = "ObjectWriter"});
  CHECK(rig.put("/new", "", {{"x-amz-acl", "private"}}).status == 200);
  CHECK(rig.get("/new?ownershipControls").text("Rule/ObjectOwnership") == "ObjectWriter");
  CHECK(rig.put("/other", "",
                {{"x-amz-acl", "private"}, {"x-amz-object-ownership", "BucketOwnerEnforced"}})
            .code() == "InvalidBucketAclWithObjectOwnership");
  CHECK(rig.put("/public", "", {{"x-amz-acl", "public-read"}}).code() ==
        "InvalidBucketAclWithBlockPublicAccessError");
  CHECK_FALSE(Options{.new_bucket_ownership = "Everybody"}.validate().ok());
}

TEST_CASE("create rows: each grant field") {
  const struct {
    const char *field, *right;
  } rows[] = {{"x-amz-grant-full-control", "FULL_CONTROL"},
              {"x-amz-grant-read", "READ"},
              {"x-amz-grant-read-acp", "READ_ACP"},
              {"x-amz-grant-write", "WRITE"},
              {"x-amz-grant-write-acp", "WRITE_ACP"}};
  for (const auto& row : rows) {
    CAPTURE(row.field);
    ServiceRig rig;
    const Answer off = rig.put("/new", "", {{row.field, "id=" + their_id}});
    CHECK(off.status == 400);
    CHECK(off.code() == "InvalidBucketAclWithObjectOwnership");
    CHECK(off.text("Message") == usual_message("InvalidBucketAclWithObjectOwnership"));
    const auto refused = [&](const std::string& value) {
      const Answer answer = rig.put("/new", "", with(object_writer, {{row.field, value}}));
      CHECK(answer.status == 400);
      CHECK(rig.head("/new").status == 404);
      return answer.code();
    };
    CHECK(refused("uri=\"http://acs.amazonaws.com/groups/global/AllUsers\"") ==
          "InvalidBucketAclWithBlockPublicAccessError");
    CHECK(refused("uri=\"http://example.org/\"") == "InvalidArgument");
    CHECK(refused("somebody") == "InvalidArgument");
    CHECK(refused("id=\"1\"") == "InvalidArgument");
    CHECK(refused("id=" + std::string(64, '3')) == "InvalidArgument");
    CHECK(refused("emailAddress=\"theirs@example.org\"") == "UnresolvableGrantByEmailAddress");
    REQUIRE(
        rig.put("/new", "", with(object_writer, {{row.field, "id=\"" + their_id + "\""}})).status ==
        200);
    const Answer acl = rig.get("/new?acl");
    if (acl.status == 200) {
      CHECK(acl.text("Owner/ID") == my_id);
      CHECK(acl.text("AccessControlList/Grant/Grantee/ID") == their_id);
      CHECK(acl.text("AccessControlList/Grant/Permission") == row.right);
    }
  }
}

TEST_CASE("create rows: object_ownership, enforced unless said otherwise") {
  ServiceRig rig;
  REQUIRE(rig.put("/default").status == 200);
  CHECK(rig.get("/default?ownershipControls").text("Rule/ObjectOwnership") ==
        "BucketOwnerEnforced");
  CHECK(rig.put("/default/k?acl", "", {{"x-amz-acl", "public-read"}}).status >= 400);
  for (const char* name : {"BucketOwnerPreferred", "ObjectWriter", "BucketOwnerEnforced"}) {
    CAPTURE(name);
    REQUIRE(rig.put("/new", "", {{"x-amz-object-ownership", name}}).status == 200);
    CHECK(rig.get("/new?ownershipControls").text("Rule/ObjectOwnership") == name);
    REQUIRE(rig.remove("/new").status == 204);
  }
  const Answer answer = rig.put("/new", "", {{"x-amz-object-ownership", "Nobody"}});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("Message").starts_with("Invalid x-amz-object-ownership header"));
}

TEST_CASE("create rows: object_lock_enabled_for_bucket turns versions on, for good") {
  ServiceRig rig;
  REQUIRE(rig.put("/vault", "", {{"x-amz-bucket-object-lock-enabled", "true"}}).status == 200);
  CHECK(rig.get("/vault?object-lock").text("ObjectLockEnabled") == "Enabled");
  CHECK(rig.get("/vault?versioning").text("Status") == "Enabled");
  const Answer answer =
      rig.put("/vault?versioning",
              "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>");
  CHECK(answer.status == 409);
  CHECK(answer.code() == "InvalidBucketState");
  REQUIRE(rig.put("/plain", "", {{"x-amz-bucket-object-lock-enabled", "false"}}).status == 200);
  CHECK(rig.get("/plain?object-lock").code() == "ObjectLockConfigurationNotFoundError");
  CHECK(rig.get("/plain?versioning").text("Status") == "(none)");
  CHECK(rig.put("/other", "", {{"x-amz-bucket-object-lock-enabled", "maybe"}}).status == 400);
}

TEST_CASE("create rows: every location constraint of the contract, at the global endpoint") {
  const char* const regions[] = {
      "af-south-1",     "ap-east-1",      "ap-northeast-1", "ap-northeast-2",
      "ap-northeast-3", "ap-south-1",     "ap-south-2",     "ap-southeast-1",
      "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5",
      "ca-central-1",   "cn-north-1",     "cn-northwest-1", "EU",
      "eu-central-1",   "eu-central-2",   "eu-north-1",     "eu-south-1",
      "eu-south-2",     "eu-west-1",      "eu-west-2",      "eu-west-3",
      "il-central-1",   "me-central-1",   "me-south-1",     "sa-east-1",
      "us-east-2",      "us-gov-east-1",  "us-gov-west-1",  "us-west-1",
      "us-west-2"};
  ServiceRig rig;
  for (const std::string region : regions) {
    CAPTURE(region);
    REQUIRE(rig.put("/there", constraint(region)).status == 200);
    CHECK(rig.get("/there?location").xml().text == region);
    CHECK(rig.head("/there").header("x-amz-bucket-region") ==
          (region == "EU" ? "eu-west-1" : region));
    REQUIRE(rig.remove("/there").status == 204);
  }
  for (const std::string bad : {"us-east-1", "eu", "mars-north-1"}) {
    CAPTURE(bad);
    const Answer answer = rig.put("/there", constraint(bad));
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidLocationConstraint");
    CHECK(answer.text("Message") == usual_message("InvalidLocationConstraint"));
    CHECK(answer.text("LocationConstraint") == bad);
    CHECK(rig.head("/there").status == 404);
  }
  // Nothing is us-east-1.
  for (const std::string& body : {std::string(), configuration(""), constraint("")}) {
    REQUIRE(rig.put("/there", body).status == 200);
    CHECK(rig.get("/there?location").xml().text.empty());
    CHECK(rig.head("/there").header("x-amz-bucket-region") == "us-east-1");
    REQUIRE(rig.remove("/there").status == 204);
  }
}

TEST_CASE("create rows: a regional endpoint makes its own buckets only") {
  ServiceRig rig(Options{.region = "eu-west-1"});
  const auto fault = [&](const std::string& body) {
    const Answer answer = rig.put("/there", body);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "IllegalLocationConstraintException");
    return answer.text("Message");
  };
  CHECK(fault("") ==
        "The unspecified location constraint is incompatible for the region specific endpoint this "
        "request was sent to.");
  for (const std::string other : {"eu-west-2", "us-east-1", "mars-north-1"})
    CHECK(fault(constraint(other)) ==
          "The " + other +
              " location constraint is incompatible for the region specific endpoint this request "
              "was sent to.");
  for (const std::string own : {"eu-west-1", "EU"}) {
    REQUIRE(rig.put("/there", constraint(own)).status == 200);
    CHECK(rig.get("/there?location").xml().text == own);
    REQUIRE(rig.remove("/there").status == 204);
  }
}

TEST_CASE("create rows: bodies that are none, and parts of directory buckets") {
  ServiceRig rig;
  for (const std::string& body : {std::string("nonsense"), std::string("<Other/>"),
                                  configuration("<LocationConstraint>eu-west-1")}) {
    CAPTURE(body);
    const Answer answer = rig.put("/new", body);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "MalformedXML");
    CHECK(rig.head("/new").status == 404);
  }
  for (const char* part :
       {"<Location><Type>AvailabilityZone</Type><Name>use1-az4</Name></Location>",
        "<Bucket><DataRedundancy>SingleAvailabilityZone</DataRedundancy><Type>Directory</Type>"
        "</Bucket>"}) {
    const Answer answer = rig.put("/new", configuration(part));
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidRequest");
  }
  CHECK(rig.head("/new").status == 404);
}

TEST_CASE("create rows: tags, each with key and value") {
  const auto tag = [](const std::string& key, const std::string& value) {
    return "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>";
  };
  ServiceRig rig;
  REQUIRE(
      rig.put("/new", configuration("<Tags>" + tag("team", "blue") + tag("empty", "") + "</Tags>"))
          .status == 200);
  const XmlElement root = rig.get("/new?tagging").xml();
  const auto& tags = root.child("TagSet")->children;
  REQUIRE(tags.size() == 2);
  CHECK(tags[0].text_of("Key") == "team");
  CHECK(tags[0].text_of("Value") == "blue");
  CHECK(tags[1].text_of("Value").empty());
  REQUIRE(rig.remove("/new").status == 204);
  std::string many;
  for (int i = 0; i < 51; ++i) many += tag("k" + std::to_string(i), "v");
  const struct {
    const char* what;
    std::string tags;
    const char* code;
  } rows[] = {{"no value", "<Tag><Key>a</Key></Tag>", "MalformedXML"},
              {"no key", "<Tag><Value>a</Value></Tag>", "MalformedXML"},
              {"twice", tag("a", "1") + tag("a", "2"), "InvalidTag"},
              {"of the system", tag("aws:a", "1"), "InvalidTag"},
              {"an empty key", tag("", "1"), "InvalidTag"},
              {"a long key", tag(std::string(129, 'k'), "1"), "InvalidTag"},
              {"a long value", tag("k", std::string(257, 'v')), "InvalidTag"},
              {"fifty-one", many, nullptr}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rig.put("/new", configuration("<Tags>" + row.tags + "</Tags>"));
    CHECK(answer.status == 400);
    if (row.code != nullptr) CHECK(answer.code() == row.code);
    CHECK(rig.head("/new").status == 404);
  }
  CHECK(rig.put("/new", configuration("<Tags>" + many.substr(0, many.rfind("<Tag>")) + "</Tags>"))
            .status == 200);
  REQUIRE(rig.put("/untagged").status == 200);
  CHECK(rig.get("/untagged?tagging").code() == "NoSuchTagSet");
}

TEST_CASE("create rows: the response has location and bucket_arn") {
  ServiceRig rig;
  const Answer answer = rig.put("/new");
  CHECK(answer.status == 200);
  CHECK(answer.header("Location") == "/new");
  CHECK(answer.header("x-amz-bucket-arn") == "arn:aws:s3:::new");
  CHECK(answer.body.empty());
}

TEST_CASE("create rule 1: nobody creates a bucket without credentials") {
  ServiceRig rig;
  const Answer answer = rig.ask({.method = "PUT", .target = "/anon", .sign = false});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "AccessDenied");
  CHECK(answer.text("Message") == "Access Denied");
  CHECK(rig.ask({.method = "PUT",
                 .target = "/anon",
                 .headers = {{"x-amz-acl", "public-read-write"}},
                 .sign = false})
            .status == 403);
  CHECK(rig.head("/anon").status == 404);
}

TEST_CASE("create rule 2: the caller becomes the owner") {
  ServiceRig rig;
  REQUIRE(rig.put("/mine").status == 200);
  REQUIRE(rig.ask({.method = "PUT", .target = "/theirs", .credentials = rig.theirs}).status == 200);
  CHECK(rig.get("/mine?acl").text("Owner/ID") == my_id);
  CHECK(rig.ask({.target = "/theirs?acl", .credentials = rig.theirs}).text("Owner/ID") == their_id);
  CHECK(rig.get("/theirs").status == 403);
  const Answer again = rig.ask({.method = "PUT", .target = "/mine", .credentials = rig.theirs});
  CHECK(again.status == 409);
  CHECK(again.code() == "BucketAlreadyExists");
  CHECK(again.text("Message") == usual_message("BucketAlreadyExists"));
  CHECK(again.text("BucketName") == "mine");
}

TEST_CASE("create rows: the owner asks again") {
  ServiceRig global;
  REQUIRE(global.put("/mine").status == 200);
  CHECK(global.put("/mine").status == 200);
  CHECK(global.put("/mine", constraint("eu-west-1")).code() == "BucketAlreadyOwnedByYou");
  // Other settings than it has are not taken for done.
  const Fields writer = {{"x-amz-object-ownership", "ObjectWriter"}};
  const Fields locked = {{"x-amz-bucket-object-lock-enabled", "true"}};
  CHECK(global.put("/mine", "", writer).code() == "BucketAlreadyOwnedByYou");
  CHECK(global.put("/mine", "", locked).code() == "BucketAlreadyOwnedByYou");
  const std::string tagged =
      "<CreateBucketConfiguration><Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>"
      "</CreateBucketConfiguration>";
  CHECK(global.put("/mine", tagged).code() == "BucketAlreadyOwnedByYou");
  REQUIRE(global.put("/other", tagged, locked).status == 200);
  CHECK(global.put("/other", tagged, locked).status == 200);
  CHECK(global.put("/other").status == 200);
  Fields granted = writer;
  granted.emplace_back("x-amz-grant-read", "id=" + their_id);
  REQUIRE(global.put("/granted", "", granted).status == 200);
  CHECK(global.put("/granted", "", granted).status == 200);
  granted.back().first = "x-amz-grant-write";
  CHECK(global.put("/granted", "", granted).status == 409);
  CHECK(global.put("/granted", "", writer).status == 200);
  ServiceRig regional(Options{.region = "eu-west-1"});
  REQUIRE(regional.put("/mine", constraint("eu-west-1")).status == 200);
  const Answer answer = regional.put("/mine", constraint("eu-west-1"));
  CHECK(answer.status == 409);
  CHECK(answer.code() == "BucketAlreadyOwnedByYou");
  CHECK(answer.text("Message") == usual_message("BucketAlreadyOwnedByYou"));
}

TEST_CASE("create rule 3: the global endpoint signs as us-east-1, whatever the constraint") {
  ServiceRig rig(Options{.accept_any_region = false,
                         .region_endpoints = {"eu-west-1=http://eu.example.com:9000"}});
  const auto create = [&](const std::string& region) {
    return rig.ask(
        {.method = "PUT", .target = "/there", .body = constraint("eu-west-1"), .region = region});
  };
  const Answer refused = create("eu-west-1");
  CHECK(refused.status == 400);
  CHECK(refused.code() == "AuthorizationHeaderMalformed");
  CHECK(refused.text("Message") ==
        "The authorization header is malformed; the region 'eu-west-1' is wrong; expecting "
        "'us-east-1'");
  CHECK(refused.text("Region") == "us-east-1");
  CHECK(refused.header("x-amz-bucket-region") == "us-east-1");
  CHECK(create("us-east-1").status == 200);
  // What is in it is looked for where it is.
  const Answer moved = rig.get("/there/k?tagging=");
  CHECK(moved.status == 307);
  CHECK(moved.code() == "TemporaryRedirect");
  CHECK(moved.text("Message") == usual_message("TemporaryRedirect"));
  CHECK(moved.text("Endpoint") == "eu.example.com:9000");
  CHECK(moved.text("Bucket") == "there");
  CHECK(moved.header("Location") == "http://eu.example.com:9000/there/k?tagging=");
  CHECK(moved.header("x-amz-bucket-region") == "eu-west-1");
}

TEST_CASE("create rows: buckets of other regions, asked for at a regional endpoint") {
  ServiceRig rig(Options{.region_endpoints = {"eu-west-1=http://eu.example.com:9000"}});
  REQUIRE(rig.put("/there", constraint("eu-west-1")).status == 200);
  rig.restart(
      Options{.region = "us-west-2", .region_endpoints = {"eu-west-1=http://eu.example.com:9000"}});
  const Answer moved = rig.get("/there/k");
  CHECK(moved.status == 301);
  CHECK(moved.code() == "PermanentRedirect");
  CHECK(moved.text("Message") == usual_message("PermanentRedirect"));
  CHECK(moved.text("Endpoint") == "eu.example.com:9000");
  CHECK(moved.header("x-amz-bucket-region") == "eu-west-1");
  CHECK_FALSE(moved.headers.has("Location"));
}

TEST_CASE("create rule 4: public in two steps, never in one") {
  ServiceRig rig;
  REQUIRE(rig.put("/new", "", object_writer).status == 200);
  const Answer blocked = rig.put("/new?acl", "", {{"x-amz-acl", "public-read"}});
  CHECK(blocked.status == 403);
  CHECK(blocked.code() == "AccessDenied");
  for (const char* part :
       {"BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"})
    CHECK(rig.get("/new?publicAccessBlock").text(part) == "true");
  REQUIRE(rig.put("/new?publicAccessBlock",
                  "<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
                  "<IgnorePublicAcls>false</IgnorePublicAcls></PublicAccessBlockConfiguration>")
              .status == 200);
  CHECK(rig.put("/new?acl", "", {{"x-amz-acl", "public-read"}}).status == 200);
  CHECK(rig.ask({.target = "/new", .sign = false}).status == 200);
}

}  // namespace
}  // namespace cairn::s3api::create_bucket_rows_test
