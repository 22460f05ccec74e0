// SPDX-License-Identifier: Apache-2.0
// Settings of buckets through the service: grants, policies, CORS, lifecycle, who pays, where.
#include <doctest/doctest.h>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::settings_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields md5_of(const std::string& body, Fields more = {}) {
  more.emplace_back("Content-MD5", to_base64(md5(body)));
  return more;
}

const std::string my_id(64, '1'), their_id(64, '2');
const std::string open_block =
    "<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
    "</PublicAccessBlockConfiguration>";

struct BucketRig : ServiceRig {
  explicit BucketRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt").status == 200);
  }
  Answer theirs_ask(std::string method, std::string target, Fields fields = {}) {
    return ask({.method = std::move(method),
                .target = std::move(target),
                .headers = std::move(fields),
                .credentials = theirs});
  }
  Answer nobody(std::string method, std::string target, Fields fields = {}) {
    return ask({.method = std::move(method),
                .target = std::move(target),
                .headers = std::move(fields),
                .sign = false});
  }
};

TEST_CASE("documents: gzip is taken off, within the limit of what is not compressed") {
  BucketRig rig;
  const std::string tags =
      "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
  const auto send = [&](const std::string& body, const char* encoding) {
    return rig.put("/bkt?tagging", body, md5_of(body, {{"Content-Encoding", encoding}}));
  };
  CHECK(send(gzip(tags), "gzip").status == 204);
  CHECK(rig.get("/bkt?tagging").body.find("<Key>a</Key>") != std::string::npos);
  CHECK(send(tags, "gzip").code() == "InvalidRequest");
  CHECK(send(gzip(tags).substr(0, 30), "gzip").code() == "InvalidRequest");
  CHECK(send(gzip(std::string(64 << 20, ' ')), "gzip").code() == "MaxMessageLengthExceeded");
  CHECK(send(gzip(tags), "identity").code() == "MalformedXML");
  CHECK(send(tags, "identity").status == 204);
}

TEST_CASE("create: grants need an ownership with ACLs, and are never public") {
  ServiceRig rig;
  const Fields writer = {{"x-amz-object-ownership", "ObjectWriter"}};
  const auto with = [&](Fields fields, Fields more = {}) {
    fields.insert(fields.end(), more.begin(), more.end());
    return rig.put("/new", "", std::move(fields));
  };
  CHECK(with({{"x-amz-acl", "public-read"}}).code() == "InvalidBucketAclWithObjectOwnership");
  CHECK(with({{"x-amz-grant-read", "id=" + their_id}}).code() ==
        "InvalidBucketAclWithObjectOwnership");
  CHECK(with(writer, {{"x-amz-acl", "public-read"}}).code() ==
        "InvalidBucketAclWithBlockPublicAccessError");
  CHECK(with(writer, {{"x-amz-acl", "private"}, {"x-amz-grant-read", "id=" + their_id}}).code() ==
        "InvalidRequest");
  CHECK(with({{"x-amz-object-ownership", "Robots"}}).code() == "InvalidArgument");
  CHECK(rig.head("/new").status == 404);
  REQUIRE(with(writer, {{"x-amz-grant-read", "id=" + their_id}}).status == 200);
  CHECK(rig.get("/new?acl").text("AccessControlList/Grant/Grantee/ID") == their_id);
  CHECK(rig.get("/new?ownershipControls").text("Rule/ObjectOwnership") == "ObjectWriter");
  CHECK(rig.ask({.target = "/new", .credentials = rig.theirs}).status == 200);
  const std::string tagged =
      "<CreateBucketConfiguration><Tags><Tag><Key>a</Key><Value>1</Value></Tag></Tags>"
      "</CreateBucketConfiguration>";
  REQUIRE(rig.put("/tagged", tagged).status == 200);
  CHECK(rig.get("/tagged?tagging").text("TagSet/Tag/Key") == "a");
  CHECK(rig.ask({.method = "PUT", .target = "/anon", .sign = false}).status == 403);
  CHECK(rig.head("/anon").status == 404);
}

TEST_CASE("acl: two steps make a bucket public") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt/k", "x").status == 200);
  CHECK(rig.get("/bkt?acl").text("AccessControlList/Grant/Permission") == "FULL_CONTROL");
  CHECK(rig.get("/bkt?acl").text("Owner/ID") == my_id);
  CHECK(rig.get("/bkt?publicAccessBlock").text("BlockPublicAcls") == "true");
  CHECK(rig.put("/bkt?acl", "", {{"x-amz-acl", "public-read"}}).code() ==
        "AccessControlListNotSupported");
  CHECK(rig.put("/bkt?acl", "", {{"x-amz-acl", "private"}}).status == 200);
  const std::string writer =
      "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule>"
      "</OwnershipControls>";
  REQUIRE(rig.put("/bkt?ownershipControls", writer).status == 200);
  CHECK(rig.put("/bkt?acl", "", {{"x-amz-acl", "public-read"}}).status == 403);
  REQUIRE(rig.put("/bkt?publicAccessBlock", open_block).status == 200);
  CHECK(rig.put("/bkt?acl", "", {{"x-amz-acl", "public-read"}}).status == 200);
  CHECK(rig.nobody("GET", "/bkt").status == 200);
  CHECK(rig.nobody("GET", "/bkt/k").status == 403);
  CHECK(rig.put("/bkt/k?acl", "", {{"x-amz-acl", "public-read"}}).status == 200);
  CHECK(rig.nobody("GET", "/bkt/k").body == "x");
  CHECK(rig.nobody("GET", "/bkt/k?response-content-type=a%2Fb").code() == "InvalidRequest");
  CHECK(rig.nobody("PUT", "/bkt/k").status == 403);
  CHECK(rig.get("/bkt/k?acl").body.find("global/AllUsers") != std::string::npos);
  CHECK(rig.put("/bkt/k?acl", "").code() == "MissingSecurityHeader");
  CHECK(rig.put("/bkt/k?acl", "", {{"x-amz-acl", "everybody"}}).code() == "InvalidArgument");
  // Grants to everybody would be lost: they must go first.
  const std::string enforced =
      "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>"
      "</OwnershipControls>";
  CHECK(rig.put("/bkt?ownershipControls", enforced).code() ==
        "InvalidBucketAclWithObjectOwnership");
  CHECK(rig.remove("/bkt?publicAccessBlock").status == 204);
  CHECK(rig.get("/bkt?publicAccessBlock").code() == "NoSuchPublicAccessBlockConfiguration");
}

TEST_CASE("acl: a document that is none, and one of another owner") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt?ownershipControls",
                  "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule>"
                  "</OwnershipControls>")
              .status == 200);
  REQUIRE(rig.put("/bkt/k", "x").status == 200);
  const auto document = [](const std::string& owner, const std::string& right) {
    return "<AccessControlPolicy><Owner><ID>" + owner +
           "</ID></Owner><AccessControlList><Grant><Grantee "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"CanonicalUser\">"
           "<ID>" + std::string(64, '1') + "</ID></Grantee><Permission>" + right +
           "</Permission></Grant></AccessControlList></AccessControlPolicy>";
  };
  const std::string mine(64, '1');
  for (const char* target : {"/bkt?acl", "/bkt/k?acl"}) {
    CAPTURE(target);
    CHECK(rig.put(target, document(mine, "READ")).status == 200);
    CHECK(rig.put(target, document(mine, "EVERYTHING")).code() == "MalformedACLError");
    CHECK(rig.put(target, "<AccessControlPolicy/>").code() == "MalformedACLError");
    CHECK(rig.put(target, "<AccessControlPolicy>").code() == "MalformedACLError");
    const Answer answer = rig.put(target, document("nobody", "READ"));
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("ArgumentName") == "CanonicalUser/ID");
    CHECK(rig.put(target, document(their_id, "READ")).code() == "AccessDenied");
  }
}

TEST_CASE("acl: deleted ownership controls are not there, and grants work as before them") {
  BucketRig rig;
  CHECK(rig.get("/bkt?ownershipControls").text("Rule/ObjectOwnership") == "BucketOwnerEnforced");
  REQUIRE(rig.remove("/bkt?ownershipControls").status == 204);
  const Answer answer = rig.get("/bkt?ownershipControls");
  CHECK(answer.status == 404);
  CHECK(answer.code() == "OwnershipControlsNotFoundError");
  CHECK(answer.text("BucketName") == "bkt");
  CHECK(rig.put("/bkt?acl", "", {{"x-amz-grant-read", "id=" + their_id}}).status == 200);
  rig.restart();
  CHECK(rig.get("/bkt?ownershipControls").status == 404);
}

TEST_CASE("acl: another account's private object is refused where there are no ACLs") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt?policy",
                  R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
                      "Principal":{"AWS":"222222222222"},
                      "Action":["s3:PutObject","s3:PutObjectAcl"],
                      "Resource":"arn:aws:s3:::bkt/*"}]})")
              .status == 204);
  const auto put = [&](const s3::Credentials& who, const char* acl) {
    return rig.ask({.method = "PUT",
                    .target = "/bkt/theirs",
                    .headers = {{"x-amz-acl", acl}},
                    .body = "x",
                    .credentials = who});
  };
  const Answer answer = put(rig.theirs, "private");
  CHECK(answer.status == 400);
  CHECK(answer.code() == "AccessControlListNotSupported");
  CHECK(rig.get("/bkt/theirs").status == 404);
  CHECK(put(rig.theirs, "bucket-owner-full-control").status == 200);
  CHECK(put(rig.mine, "private").status == 200);
}

TEST_CASE("cors: the method that a browser means counts with the request itself, too") {
  BucketRig rig;
  const std::string rules =
      "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>"
      "<AllowedOrigin>https://a.example</AllowedOrigin></CORSRule></CORSConfiguration>";
  REQUIRE(rig.put("/bkt?cors", rules, {{"Content-MD5", to_base64(md5(rules))}}).status == 200);
  const auto allowed = [&](const char* method, Fields fields) {
    fields.emplace_back("Origin", "https://a.example");
    return rig.ask({.method = method, .target = "/bkt/k", .headers = fields, .body = "x"})
        .headers.has("Access-Control-Allow-Origin");
  };
  CHECK(allowed("GET", {}));
  CHECK_FALSE(allowed("PUT", {}));
  CHECK(allowed("PUT", {{"Access-Control-Request-Method", "GET"}}));
  CHECK_FALSE(allowed("GET", {{"Access-Control-Request-Method", "PUT"}}));
}

TEST_CASE("acl: new grants by e-mail address are refused") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt?ownershipControls",
                  "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule>"
                  "</OwnershipControls>")
              .status == 200);
  const Answer answer = rig.put("/bkt?acl", "", {{"x-amz-grant-read", "emailAddress=\"a@b.org\""}});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "UnresolvableGrantByEmailAddress");
}

TEST_CASE("policy: kept as it was given, judged, and shown to be public or not") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt/k", "x").status == 200);
  const auto policy = [](const std::string& principal) {
    return "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":" +
           principal + ",\"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::bkt/*\"}]}";
  };
  CHECK(rig.put("/bkt?policy", "").code() == "MalformedPolicy");
  CHECK(rig.put("/bkt?policy", "nonsense").code() == "MalformedPolicy");
  CHECK(rig.put("/bkt?policy", "{}").text("Message") == "Missing required field Statement");
  CHECK(rig.put("/bkt?policy", std::string(20'481, ' ')).status == 400);
  const std::string to_them = policy("{\"AWS\":\"222222222222\"}");
  CHECK(rig.theirs_ask("GET", "/bkt/k").status == 403);
  CHECK(rig.put("/bkt?policy", to_them).status == 204);
  CHECK(rig.theirs_ask("GET", "/bkt/k").body == "x");
  CHECK(rig.theirs_ask("GET", "/bkt/none").status == 403);  // who may not list does not learn
  const Answer shown = rig.get("/bkt?policy");
  CHECK(shown.body == to_them);
  CHECK(shown.header("Content-Type") == "application/json");
  CHECK(rig.get("/bkt?policyStatus").text("IsPublic") == "false");
  CHECK(rig.put("/bkt?policy", policy("\"*\"")).status == 403);  // the block stands
  REQUIRE(rig.put("/bkt?publicAccessBlock", open_block).status == 200);
  CHECK(rig.put("/bkt?policy", policy("\"*\"")).status == 204);
  CHECK(rig.get("/bkt?policyStatus").text("IsPublic") == "true");
  CHECK(rig.nobody("GET", "/bkt/k").body == "x");
  CHECK(rig.remove("/bkt?policy").status == 204);
  CHECK(rig.get("/bkt?policy").code() == "NoSuchBucketPolicy");
}

TEST_CASE("policy: who would lose the way back must say that it is meant") {
  BucketRig rig;
  const auto key = std::make_shared<const auth::ObjectKey>(
      auth::ObjectKey{.access_key_id = rig.mine.access_key_id,
                      .secret = rig.mine.secret_access_key,
                      .account_id = std::string(12, '1'),
                      .canonical_id = my_id,
                      .user = "ann",
                      .active = true,
                      .creation_ms = 0});
  auth::ObjectCaller ann{.account_id = key->account_id,
                         .canonical_id = key->canonical_id,
                         .email = {},
                         .arn = "arn:aws:iam::111111111111:user/ann",
                         .user_id = "AIDAANN",
                         .username = "ann"};
  ann.policies.push_back(auth::Policy::of_identity(
                             R"({"Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]})")
                             .value());
  const auto caller = std::make_shared<const auth::ObjectCaller>(ann);
  rig.service =
      std::make_unique<Service>(ServiceParams{.engine = *rig.engine,
                                              .find_key = [&](std::string_view) { return key; },
                                              .find_caller = [&](const auto&) { return caller; },
                                              .clock = rig.clock});
  const auto denies = [](const std::string& action) {
    return R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":{"AWS":)"
           R"("arn:aws:iam::111111111111:user/ann"},"Action":")" +
           action + R"(","Resource":["arn:aws:s3:::bkt","arn:aws:s3:::bkt/*"]}]})";
  };
  CHECK(rig.put("/bkt?policy", denies("s3:GetObject")).status == 204);
  const Answer answer = rig.put("/bkt?policy", denies("s3:*"));
  CHECK(answer.status == 400);
  CHECK(answer.code() == "MalformedPolicy");
  CHECK(answer.text("Message").starts_with("The new bucket policy will not allow you to update"));
  CHECK(rig.get("/bkt?policy").body == denies("s3:GetObject"));
  CHECK(
      rig.put("/bkt?policy", denies("s3:*"), {{"x-amz-confirm-remove-self-bucket-access", "true"}})
          .status == 204);
  CHECK(rig.put("/bkt?policy", denies("s3:GetObject")).status == 403);
}

TEST_CASE("cors: pages are asked for and told") {
  BucketRig rig;
  const Fields asks = {{"Origin", "https://a.org"}, {"Access-Control-Request-Method", "PUT"}};
  CHECK(rig.nobody("OPTIONS", "/bkt/k").code() == "BadRequest");
  CHECK(rig.nobody("OPTIONS", "/bkt/k", asks).text("Message") ==
        "CORSResponse: CORS is not enabled for this bucket.");
  CHECK(rig.nobody("OPTIONS", "/none/k", asks).text("Message") == "CORSResponse: Bucket not found");
  const std::string rules =
      "<CORSConfiguration><CORSRule><AllowedOrigin>https://*.org</AllowedOrigin>"
      "<AllowedMethod>PUT</AllowedMethod><AllowedMethod>GET</AllowedMethod>"
      "<AllowedHeader>x-amz-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>"
      "<MaxAgeSeconds>60</MaxAgeSeconds></CORSRule></CORSConfiguration>";
  CHECK(rig.put("/bkt?cors", rules, md5_of(rules)).status == 200);
  CHECK(rig.get("/bkt?cors").text("CORSRule/MaxAgeSeconds") == "60");
  Answer answer = rig.nobody("OPTIONS", "/bkt/k", asks);
  CHECK(answer.status == 200);
  CHECK(answer.header("Access-Control-Allow-Origin") == "https://a.org");
  CHECK(answer.header("Access-Control-Allow-Methods") == "PUT, GET");
  CHECK(answer.header("Access-Control-Max-Age") == "60");
  Fields more = asks;
  more.emplace_back("Access-Control-Request-Headers", "X-Amz-Date, content-type");
  answer = rig.nobody("OPTIONS", "/bkt/k", more);
  CHECK(answer.status == 403);
  CHECK(answer.text("ResourceType") == "OBJECT");
  more.back().second = "X-Amz-Date";
  CHECK(rig.nobody("OPTIONS", "/bkt/k", more).header("Access-Control-Allow-Headers") ==
        "x-amz-date");
  // What the page is told with every answer, refusals too.
  CHECK(rig.get("/bkt", {{"Origin", "https://a.org"}}).header("Access-Control-Expose-Headers") ==
        "ETag");
  CHECK(rig.nobody("GET", "/bkt", {{"Origin", "https://a.org"}})
            .header("Access-Control-Allow-Origin") == "https://a.org");
  CHECK_FALSE(rig.get("/bkt", {{"Origin", "http://a.com"}}).headers.has("Vary"));
  CHECK(rig.remove("/bkt?cors").status == 204);
  CHECK(rig.get("/bkt?cors").code() == "NoSuchCORSConfiguration");
}

TEST_CASE("lifecycle: rules are kept with names, and answers tell what they will do") {
  BucketRig rig;
  const std::string rules =
      "<LifecycleConfiguration><Rule><ID>old logs</ID><Status>Enabled</Status><Filter><Prefix>log"
      "</Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule><Rule><Status>Enabled"
      "</Status><Filter/><AbortIncompleteMultipartUpload><DaysAfterInitiation>3"
      "</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";
  CHECK(rig.put("/bkt?lifecycle", rules).code() == "InvalidRequest");  // without a checksum
  CHECK(rig.put("/bkt?lifecycle", rules, md5_of(rules)).status == 200);
  Answer answer = rig.get("/bkt?lifecycle");
  CHECK(answer.text("Rule/ID") == "old logs");
  CHECK(answer.xml().children.at(1).text_of("ID").size() == 32);
  CHECK(answer.header("x-amz-transition-default-minimum-object-size") ==
        "all_storage_classes_128K");
  answer = rig.put("/bkt/log1", "x");
  CHECK(answer.header("x-amz-expiration") ==
        "expiry-date=\"Thu, 16 Nov 2023 00:00:00 GMT\", rule-id=\"old%20logs\"");
  CHECK(rig.head("/bkt/log1").header("x-amz-expiration") == answer.header("x-amz-expiration"));
  CHECK_FALSE(rig.put("/bkt/other", "x").headers.has("x-amz-expiration"));
  CHECK_FALSE(rig.head("/bkt/log1?versionId=null").headers.has("x-amz-expiration"));
  answer = rig.post("/bkt/other?uploads", "", {});
  CHECK(answer.header("x-amz-abort-date") == "Sat, 18 Nov 2023 00:00:00 GMT");
  CHECK(answer.header("x-amz-abort-rule-id").size() == 32);
  CHECK(rig.remove("/bkt?lifecycle").status == 204);
  CHECK_FALSE(rig.head("/bkt/log1").headers.has("x-amz-expiration"));
}

TEST_CASE("payment: requesters say that they pay") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt/k", "x").status == 200);
  const std::string policy =
      "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"222222222222\"},"
      "\"Action\":\"s3:*\",\"Resource\":[\"arn:aws:s3:::bkt\",\"arn:aws:s3:::bkt/*\"]}}";
  REQUIRE(rig.put("/bkt?policy", policy).status == 204);
  CHECK(rig.theirs_ask("GET", "/bkt/k").status == 200);
  CHECK(
      rig.put("/bkt?requestPayment",
              "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>")
          .status == 200);
  CHECK(rig.get("/bkt?requestPayment").text("Payer") == "Requester");
  CHECK(rig.theirs_ask("GET", "/bkt/k").status == 403);
  const Answer paid = rig.theirs_ask("GET", "/bkt/k", {{"x-amz-request-payer", "requester"}});
  CHECK(paid.status == 200);
  CHECK(paid.header("x-amz-request-charged") == "requester");
  const Answer own = rig.get("/bkt/k");
  CHECK(own.status == 200);
  CHECK_FALSE(own.headers.has("x-amz-request-charged"));
}

TEST_CASE("owner: the expected one, or nobody is answered") {
  BucketRig rig;
  REQUIRE(rig.put("/bkt/k", "x").status == 200);
  const auto with = [&](const std::string& account) {
    return rig.get("/bkt/k", {{"x-amz-expected-bucket-owner", account}});
  };
  CHECK(with("111111111111").status == 200);
  CHECK(with("222222222222").status == 403);
  CHECK(with("abcd").code() == "InvalidBucketOwnerAWSAccountID");
  CHECK(with("0000000000020").status == 400);
}

TEST_CASE("regions: buckets of another region are looked for at its endpoint") {
  const std::string eu =
      "<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint>"
      "</CreateBucketConfiguration>";
  Options options;
  options.region_endpoints = {"eu-west-1=http://eu.example.com:9000"};
  ServiceRig rig(options);
  REQUIRE(rig.put("/bkt", eu).status == 200);
  CHECK(rig.put("/bad",
                "<CreateBucketConfiguration><LocationConstraint>us-east-1"
                "</LocationConstraint></CreateBucketConfiguration>")
            .code() == "InvalidLocationConstraint");
  Answer answer = rig.get("/bkt/k?versionId=null");
  CHECK(answer.status == 307);
  CHECK(answer.code() == "TemporaryRedirect");
  CHECK(answer.header("Location") == "http://eu.example.com:9000/bkt/k?versionId=null");
  CHECK(answer.header("x-amz-bucket-region") == "eu-west-1");
  CHECK(answer.text("Endpoint") == "eu.example.com:9000");
  answer = rig.head("/bkt");
  CHECK(answer.status == 307);
  CHECK(answer.header("x-amz-bucket-region") == "eu-west-1");
  ServiceRig here;
  REQUIRE(here.put("/bkt", eu).status == 200);  // one endpoint for all regions
  CHECK(here.head("/bkt").header("x-amz-bucket-region") == "eu-west-1");
  CHECK(here.get("/bkt?location").xml().text == "EU");
}

}  // namespace
}  // namespace cairn::s3api::settings_test
