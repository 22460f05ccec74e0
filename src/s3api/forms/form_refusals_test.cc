// SPDX-License-Identifier: Apache-2.0
// Forms that are refused, and who may send one.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "base/hmac_sha1.h"
#include "s3api/forms/form_rig_test.h"

namespace cairn::s3api::form_refusals_test {
namespace {

using namespace form_rig_test;

TEST_CASE("forms: what their policy forbids leaves nothing behind") {
  FormRig rig;
  const struct {
    const char* what;
    Fields fields;
    std::string more;
    std::string bytes;
    int status;
    std::string code;
  } rows[] = {
      {"another key", {{"key", "a"}}, R"(,{"key":"b"})", "x", 403, "AccessDenied"},
      {"another bucket", {{"key", "a"}}, R"(,{"bucket":"other"})", "x", 403, "AccessDenied"},
      {"a field that is not there",
       {{"key", "a"}},
       R"(,["starts-with","$acl",""])",
       "x",
       403,
       "AccessDenied"},
      {"too large",
       {{"key", "a"}},
       R"(,["content-length-range",0,4])",
       "12345",
       400,
       "EntityTooLarge"},
      {"too small",
       {{"key", "a"}},
       R"(,["content-length-range",6,10])",
       "12345",
       400,
       "EntityTooSmall"},
      {"no condition", {{"key", "a"}}, R"(,{})", "x", 400, "InvalidPolicyDocument"},
      {"not JSON", {{"key", "a"}}, ",", "x", 400, "InvalidPolicyDocument"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rig.send(rig.signed_form(row.fields, row.more), row.bytes);
    CHECK(answer.status == row.status);
    CHECK(answer.code() == row.code);
    CHECK(rig.get("/bkt/a").status == 404);
  }
  Fields extra = rig.signed_form({{"key", "a"}});
  extra.emplace_back("acl", "private");
  CHECK(rig.send(extra).text("Message") == "Invalid according to Policy: Extra input fields: acl");
  const Fields good = rig.signed_form({{"key", "a"}}, R"(,["content-length-range",5,5])");
  CHECK(rig.send(good, "12345").status == 204);
  rig.clock.advance_ms(60'000);
  CHECK(rig.send(good, "12345").text("Message") == "Invalid according to Policy: Policy expired.");
}

TEST_CASE("forms: who signs must be somebody who may put") {
  FormRig rig;
  Fields tampered = rig.signed_form({{"key", "a"}});
  for (auto& [name, value] : tampered)
    if (name == "Policy")
      value = to_base64(R"({"expiration":"2030-01-01T00:00:00Z","conditions":[]})");
  const Answer mismatch = rig.send(tampered);
  CHECK(mismatch.status == 403);
  CHECK(mismatch.code() == "SignatureDoesNotMatch");
  const s3::Credentials nobody{.access_key_id = "NOSUCHKEY", .secret_access_key = "s"};
  CHECK(rig.send(rig.signed_form({{"key", "a"}}, {}, &nobody)).code() == "InvalidAccessKeyId");
  s3::Credentials with_token = rig.mine;
  with_token.session_token = "none";
  CHECK(rig.send(rig.signed_form({{"key", "a"}}, {}, &with_token)).code() == "InvalidToken");
  CHECK(rig.send(rig.signed_form({{"key", "a"}}, {}, &rig.theirs)).code() == "AccessDenied");
  CHECK(rig.send({{"key", "a"}}).code() == "AccessDenied");
  CHECK(rig.get("/bkt/a").status == 404);
  // The bucket's policy has its say, by the key and by how the request is signed.
  const auto allow = [&](const std::string& who, const std::string& condition) {
    return rig
        .put(
            "/bkt?policy",
            R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":)" + who +
                R"(,"Action":["s3:PutObject","s3:PutObjectTagging"],"Resource":"arn:aws:s3:::bkt/in/*")" +
                condition + "}]}")
        .status;
  };
  REQUIRE(allow(R"({"AWS":"222222222222"})",
                R"(,"Condition":{"StringEquals":{"s3:authType":"POST"}})") == 204);
  CHECK(rig.send(rig.signed_form({{"key", "in/a"}}, {}, &rig.theirs)).status == 204);
  CHECK(rig.send(rig.signed_form({{"key", "out/a"}}, {}, &rig.theirs)).code() == "AccessDenied");
  CHECK(rig.ask({.method = "PUT", .target = "/bkt/in/b", .body = "x", .credentials = rig.theirs})
            .code() == "AccessDenied");
  // A form of nobody needs no policy where everybody may put.
  REQUIRE(rig.put("/bkt?publicAccessBlock",
                  "<PublicAccessBlockConfiguration><BlockPublicPolicy>false</BlockPublicPolicy>"
                  "</PublicAccessBlockConfiguration>")
              .status == 200);
  REQUIRE(allow("\"*\"", "") == 204);
  CHECK(rig.send({{"key", "in/c"}, {"any", "field"}}).status == 204);
  CHECK(rig.send({{"key", "in/d"},
                  {"tagging",
                   "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>"}})
            .status == 204);
  CHECK(rig.get("/bkt/in/d?tagging").text("TagSet/Tag/Key") == "a");
  CHECK(rig.send({{"key", "out/c"}}).code() == "AccessDenied");
}

TEST_CASE("forms: version 2 of the signature, where it is taken") {
  FormRig rig;
  const auto second = [&] {
    const std::string policy = to_base64(R"({"expiration":")" + rig.expiration() +
                                         R"(","conditions":[{"bucket":"bkt"},{"key":"a"}]})");
    return Fields{{"key", "a"},
                  {"AWSAccessKeyId", rig.mine.access_key_id},
                  {"policy", policy},
                  {"signature", to_base64(hmac_sha1(rig.mine.secret_access_key, policy))}};
  };
  CHECK(rig.send(second()).status == 204);
  rig.restart({.accept_version_two = false});
  const Answer refused = rig.send(second());
  CHECK(refused.code() == "InvalidRequest");
  CHECK(refused.text("Message").find("AWS4-HMAC-SHA256") != std::string::npos);
}

TEST_CASE("forms: what is no form, or not a whole one") {
  FormRig rig;
  const Fields fields = rig.signed_form({{"key", "a"}});
  std::string before;
  for (const auto& [name, value] : fields) before += part_of(name, value);
  const std::string file = part_of("file", "x", "f");
  const auto code = [&](const std::string& body) {
    const Answer answer = rig.send_body(body);
    CHECK(answer.status == 400);
    CHECK(rig.get("/bkt/a").status == 404);
    return answer.code();
  };
  CHECK(code("") == "MalformedPOSTRequest");
  CHECK(code("key=a") == "MalformedPOSTRequest");
  CHECK(code(before + file) == "MalformedPOSTRequest");
  CHECK(code(before + "--" + std::string(boundary) + "\r\n\r\n") == "MalformedPOSTRequest");
  CHECK(code(before + file + file + end_of_form()) == "IncorrectNumberOfFilesInPostRequest");
  CHECK(code(before + end_of_form()) == "InvalidArgument");
  CHECK(code(file + before + end_of_form()) == "InvalidArgument");  // what stands behind is ignored
  CHECK(code(before + part_of("KEY", "b") + file + end_of_form()) == "InvalidArgument");
  CHECK(code(before + part_of("x-ignore-1", std::string(21 << 10, 'x')) + file + end_of_form()) ==
        "MaxPostPreDataLengthExceededError");
  CHECK(code(before + part_of("x-ignore-" + std::string(9000, 'x'), "1") + file + end_of_form()) ==
        "MaxPostPreDataLengthExceededError");
  std::string many = before;
  for (int i = 0; i < 300; ++i) many += part_of("x-ignore-" + std::to_string(i), "1");
  CHECK(code(many + file + end_of_form()) == "MaxPostPreDataLengthExceededError");
  CHECK(rig.send_body(before + file + part_of("submit", "x") + end_of_form()).status == 204);

  const Answer other = rig.ask({.method = "POST",
                                .target = "/bkt",
                                .headers = {{"Content-Type", "text/plain"}},
                                .body = "x",
                                .sign = false});
  CHECK(other.status == 412);
  CHECK(other.code() == "PreconditionFailed");
  CHECK(other.text("Condition") == "Bucket POST must be of the enclosure-type multipart/form-data");
  const std::string type = "multipart/form-data; boundary=" + std::string(boundary);
  CHECK(rig.ask({.method = "POST",
                 .target = "/bkt",
                 .headers = {{"Content-Type", "multipart/form-data"}},
                 .body = before + file + end_of_form(),
                 .sign = false})
            .code() == "MalformedPOSTRequest");
  CHECK(rig.ask({.method = "POST",
                 .target = "/bkt",
                 .headers = {{"Content-Type", type}},
                 .body = before + file + end_of_form()})
            .code() == "InvalidArgument");  // signed besides
  CHECK(rig.ask({.method = "POST",
                 .target = "/bkt",
                 .headers = {{"Content-Type", type}},
                 .sign = false,
                 .send_length = false})
            .status == 411);
  CHECK(rig.send_body(before + file + end_of_form(), {}, "/none").code() == "AccessDenied");
  CHECK(rig.send_body(before + file + end_of_form(), {}, "/bkt?nosuch").status == 204);
  CHECK(rig.send_body(before + file + end_of_form(), {}, "/bkt?torrent").status == 501);
  CHECK(rig.send_body(before + file + end_of_form(), {}, "/bkt/a").status == 405);
}

TEST_CASE("forms: a directory bucket takes none") {
  FormRig rig;
  const Answer answer = rig.send_body(
      part_of("key", "k") + part_of("file", "x", "f") + end_of_form(), {}, "/dir--use1-az1--x-s3");
  CHECK(answer.status == 501);
  CHECK(answer.code() == "NotImplemented");
  CHECK(!rig.body_was_read);
}

TEST_CASE("forms: fields that cannot be, and sums of the file") {
  FormRig rig;
  const auto code = [&](Fields fields) {
    const Answer answer = rig.send(rig.signed_form(std::move(fields)));
    return answer.status == 204 ? std::string("ok") : answer.code();
  };
  CHECK(code({}) == "InvalidArgument");
  CHECK(code({{"key", ""}}) == "InvalidArgument");
  CHECK(code({{"key", std::string(1025, 'k')}}) == "KeyTooLongError");
  CHECK(code({{"key", "a"}, {"x-amz-meta-a", "1\r\n2"}}) == "InvalidArgument");
  CHECK(code({{"key", "a"}, {"x-svc-meta-a", "1"}}) == "InvalidArgument");
  CHECK(code({{"key", "a"}, {"acl", "no such"}}) == "InvalidArgument");
  CHECK(code({{"key", "a"}, {"x-amz-storage-class", "NONE"}}) == "InvalidStorageClass");
  CHECK(code({{"key", "a"}, {"tagging", "<Tagging>"}}) == "MalformedXML");
  CHECK(code({{"key", "a"}, {"tagging", "<Other/>"}}) == "MalformedXML");
  CHECK(code({{"key", "a"}, {"Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="}}) == "BadDigest");
  CHECK(code({{"key", "a"}, {"Content-MD5", "AAAA"}}) == "InvalidDigest");
  CHECK(code({{"key", "a"}, {"x-amz-checksum-crc32", "AAAAAA=="}}) == "BadDigest");
  CHECK(code({{"key", "a"}, {"x-amz-checksum-none", "AAAAAA=="}}) == "InvalidRequest");
  CHECK(rig.get("/bkt/a").status == 404);
  CHECK(code({{"key", "a"},
              {"Content-MD5", to_base64(md5("bytes"))},
              {"x-amz-checksum-algorithm", "SHA256"},
              {"x-amz-checksum-sha256", to_base64(sha256("bytes"))}}) == "ok");
  CHECK(rig.ask({.method = "HEAD",
                 .target = "/bkt/a",
                 .headers = {{"x-amz-checksum-mode", "ENABLED"}}})
            .header("x-amz-checksum-sha256") == to_base64(sha256("bytes")));
  CHECK(code({{"key", "s"}, {"x-amz-server-side-encryption", "AES256"}}) == "ok");
  CHECK(rig.head("/bkt/s").header("x-amz-server-side-encryption") == "AES256");
}

}  // namespace
}  // namespace cairn::s3api::form_refusals_test
