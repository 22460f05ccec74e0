// SPDX-License-Identifier: Apache-2.0
// Uploads by forms: what is put, and what the browser is answered.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "s3api/forms/form_answer.h"
#include "s3api/forms/form_rig_test.h"

namespace cairn::s3api::post_object_test {
namespace {

using namespace form_rig_test;

TEST_CASE("forms: names of files that stand in many places take no more room than fields may") {
  FormRig rig;
  std::string many = "user/";
  for (int i = 0; i < 1'000; ++i) many += "${filename}";
  const auto send = [&](std::size_t name_bytes) {
    return rig.send(rig.signed_form({{"key", "k"}, {"x-ignore-names", many}}), "bytes", {},
                    std::string(name_bytes, 'n'));
  };
  CHECK(send(10).status == 204);
  const Answer refused = send(5'000);
  CHECK(refused.status == 400);
  CHECK(refused.code() == "MaxPostPreDataLengthExceededError");
}

TEST_CASE("forms: a signed form puts its file, with what its fields say") {
  FormRig rig;
  const Answer answer = rig.send(rig.signed_form(
      {{"kEy", "user/${filename}"},
       {"Content-Type", "image/png"},
       {"Cache-Control", "max-age=5"},
       {"Content-Disposition", "inline"},
       {"Content-Language", "de"},
       {"Expires", "Wed, 21 Oct 2026 07:28:00 GMT"},
       {"x-amz-meta-Color", "red"},
       {"x-amz-meta-file", "${filename}"},
       {"x-amz-storage-class", "STANDARD_IA"},
       {"x-amz-website-redirect-location", "/there"},
       {"tagging",
        "<Tagging><TagSet><Tag><Key>a b</Key><Value>1+2=3</Value></Tag></TagSet></Tagging>"},
       {"acl", ""}}));
  CHECK(answer.status == 204);
  CHECK(answer.body.empty());
  CHECK(answer.header("ETag") == "\"4b3a6218bb3e3a7303e8a171a60fcf92\"");
  CHECK(answer.header("Location") == "http://127.0.0.1:9000/bkt/user%2Fa%20photo.png");
  const Answer got = rig.get("/bkt/user/a%20photo.png");
  CHECK(got.body == "bytes");
  CHECK(got.header("Content-Type") == "image/png");
  CHECK(got.header("Cache-Control") == "max-age=5");
  CHECK(got.header("Content-Disposition") == "inline");
  CHECK(got.header("Content-Language") == "de");
  CHECK(got.header("Expires") == "Wed, 21 Oct 2026 07:28:00 GMT");
  CHECK(got.header("x-amz-meta-color") == "red");
  CHECK(got.header("x-amz-meta-file") == "a photo.png");
  CHECK(got.header("x-amz-storage-class") == "STANDARD_IA");
  CHECK(got.header("x-amz-website-redirect-location") == "/there");
  CHECK(got.header("x-amz-tagging-count") == "1");
  const Answer tags = rig.get("/bkt/user/a%20photo.png?tagging");
  CHECK(tags.text("TagSet/Tag/Key") == "a b");
  CHECK(tags.text("TagSet/Tag/Value") == "1+2=3");
}

TEST_CASE("forms: what the head says of an object is not heard, conditions are") {
  FormRig rig;
  CHECK(rig.send(rig.signed_form({{"key", "k"}}), "one", {}, "f",
                 {{"Cache-Control", "max-age=0"}, {"x-amz-meta-a", "1"}, {"x-amz-acl", "no such"}})
            .status == 204);
  const Answer got = rig.get("/bkt/k");
  CHECK(got.header("Cache-Control").empty());
  CHECK(got.header("x-amz-meta-a").empty());
  CHECK(got.header("Content-Type") == "binary/octet-stream");
  CHECK(
      rig.send(rig.signed_form({{"key", "k"}}), "two", {}, "f", {{"If-None-Match", "*"}}).status ==
      412);
  CHECK(rig.send(rig.signed_form({{"key", "k"}, {"If-None-Match", "*"}}), "two").status == 412);
  CHECK(rig.get("/bkt/k").body == "one");
}

TEST_CASE("forms: the answer that the form asks for") {
  FormRig rig;
  const auto sent = [&](Fields fields) {
    fields.emplace_back("key", "a/b");
    return rig.send(rig.signed_form(std::move(fields)));
  };
  for (const auto& [said, status] :
       {std::pair{"200", 200}, {"204", 204}, {"404", 204}, {"", 204}}) {
    const Answer answer = sent({{"success_action_status", said}});
    CHECK(answer.status == status);
    CHECK(answer.body.empty());
  }
  const Answer created = sent({{"success_action_status", "201"}});
  CHECK(created.status == 201);
  CHECK(created.header("Content-Type") == "application/xml");
  CHECK(created.xml().name == "PostResponse");
  CHECK(created.text("Location") == "http://127.0.0.1:9000/bkt/a%2Fb");
  CHECK(created.text("Bucket") == "bkt");
  CHECK(created.text("Key") == "a/b");
  CHECK(created.text("ETag") == created.header("ETag"));
  const std::string next = "bucket=bkt&key=a%2Fb&etag=%224b3a6218bb3e3a7303e8a171a60fcf92%22";
  const Answer moved = sent({{"success_action_redirect", "https://example.com/done?x=1#top"},
                             {"success_action_status", "201"}});
  CHECK(moved.status == 303);
  CHECK(moved.header("Location") == "https://example.com/done?x=1&" + next + "#top");
  CHECK(sent({{"redirect", "http://example.com"}}).header("Location") ==
        "http://example.com?" + next);
  CHECK(sent({{"success_action_redirect", "javascript:alert(1)"}}).status == 204);
}

TEST_CASE("forms: which addresses a browser is sent to") {
  const auto next = [](std::string_view url) { return redirection(url, "b", "k", "e"); };
  CHECK(next("http://h/") == "http://h/?bucket=b&key=k&etag=e");
  CHECK(next("HTTPS://h:8/p?") == "HTTPS://h:8/p?bucket=b&key=k&etag=e");
  CHECK(next("http://h/?a=1&") == "http://h/?a=1&bucket=b&key=k&etag=e");
  for (const char* bad :
       {"", "/there", "//h/", "ftp://h/", "http://", "http:///p", "http://?a", "http://h/ p",
        "http://h/\r\nSet-Cookie: a", "http://h/\xc3\xa9", "data:text/html,x"})
    CHECK(next(bad).empty());
  CHECK(redirection("http://h/", "b", "a&b#c\r\n", "\"e\"") ==
        "http://h/?bucket=b&key=a%26b%23c%0D%0A&etag=%22e%22");
}

TEST_CASE("forms: locks, and keys of customers") {
  FormRig rig;
  REQUIRE(rig.put("/lck", {}, {{"x-amz-bucket-object-lock-enabled", "true"}}).status == 200);
  const std::string until = format_iso8601(rig.clock.unix_ms() + 3 * 86'400'000);
  const auto lock = [&](Fields more) {
    Fields fields = {{"key", "k"},
                     {"x-amz-object-lock-mode", "GOVERNANCE"},
                     {"x-amz-object-lock-retain-until-date", until},
                     {"x-amz-object-lock-legal-hold", "ON"}};
    fields.insert(fields.end(), more.begin(), more.end());
    std::string body;
    for (const auto& [name, value] : rig.signed_form(fields, {}, nullptr, "lck"))
      body += part_of(name, value);
    return rig.send_body(body + part_of("file", "bytes", "f") + end_of_form(), {}, "/lck");
  };
  CHECK(lock({}).code() == "InvalidRequest");  // as of a put: no checksum covers it
  const Answer locked = lock({{"Content-MD5", to_base64(md5("bytes"))}});
  CHECK(locked.status == 204);
  CHECK(!locked.header("x-amz-version-id").empty());
  const Answer head = rig.head("/lck/k");
  CHECK(head.header("x-amz-object-lock-mode") == "GOVERNANCE");
  CHECK(head.header("x-amz-object-lock-legal-hold") == "ON");
  CHECK(!head.header("x-amz-object-lock-retain-until-date").empty());

  const std::string key(32, 'k');
  const Fields sealed = {{"key", "c"},
                         {"x-amz-server-side-encryption-customer-algorithm", "AES256"},
                         {"x-amz-server-side-encryption-customer-key", to_base64(key)},
                         {"x-amz-server-side-encryption-customer-key-MD5", to_base64(md5(key))}};
  CHECK(rig.send(rig.signed_form(sealed)).code() == "InvalidRequest");  // not over TLS
  rig.restart({.customer_keys_over_http = true});
  CHECK(rig.send(rig.signed_form(sealed)).status == 204);
  CHECK(rig.get("/bkt/c").status == 400);
  const Fields opened(sealed.begin() + 1, sealed.end());
  CHECK(rig.get("/bkt/c", opened).body == "bytes");
}

TEST_CASE("forms: a large file, and pages of other origins") {
  FormRig rig;
  const std::string large(3 << 20, 'x');
  CHECK(rig.send(rig.signed_form({{"key", "large"}}), large).status == 204);
  CHECK(rig.get("/bkt/large").body == large);
  REQUIRE(
      rig.put("/bkt?cors",
              "<CORSConfiguration><CORSRule><AllowedOrigin>https://page.example</AllowedOrigin>"
              "<AllowedMethod>POST</AllowedMethod><ExposeHeader>ETag</ExposeHeader>"
              "</CORSRule></CORSConfiguration>",
              {{"Content-MD5",
                to_base64(md5("<CORSConfiguration><CORSRule><AllowedOrigin>https://page.example</"
                              "AllowedOrigin>"
                              "<AllowedMethod>POST</AllowedMethod><ExposeHeader>ETag</ExposeHeader>"
                              "</CORSRule></CORSConfiguration>"))}})
          .status == 200);
  const Fields origin = {{"Origin", "https://page.example"}};
  const Answer good = rig.send(rig.signed_form({{"key", "c"}}), "x", {}, "f", origin);
  CHECK(good.status == 204);
  CHECK(good.header("Access-Control-Allow-Origin") == "https://page.example");
  // A page learns what was wrong, too.
  for (const Fields& fields : {Fields{}, rig.signed_form({{"key", "c"}}, R"(,{"key":"d"})")}) {
    const Answer bad = rig.send(fields, "x", {}, "f", origin);
    CHECK(bad.status >= 400);
    CHECK(bad.header("Access-Control-Allow-Origin") == "https://page.example");
  }
}

}  // namespace
}  // namespace cairn::s3api::post_object_test
