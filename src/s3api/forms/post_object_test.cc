// SPDX-License-Identifier: Apache-2.0
// Uploads by forms, asked as a browser asks.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "base/hmac_sha1.h"
#include "format/time.h"
#include "s3/form_policy.h"
#include "s3api/forms/form_answer.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::post_object_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view boundary = "----FormBoundaryX7";

std::string part_of(std::string_view name, std::string_view value,
                    std::string_view file_name = {}) {
  std::string out = "--" + std::string(boundary) + "\r\nContent-Disposition: form-data; name=\"" +
                    std::string(name) + "\"";
  if (!file_name.empty()) out += "; filename=\"" + std::string(file_name) + "\"";
  return out + "\r\n\r\n" + std::string(value) + "\r\n";
}

std::string end_of_form() { return "--" + std::string(boundary) + "--\r\n"; }

struct FormRig : ServiceRig {
  explicit FormRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt").status == 200);
  }
  std::string expiration() const { return format_iso8601(clock.unix_ms() + 60'000); }
  // Fields, then the file, then what follows it.
  Answer send(const Fields& fields, std::string_view bytes = "bytes", std::string_view rest = {},
              std::string_view file_name = "a photo.png", Fields headers = {}) {
    std::string body;
    for (const auto& [name, value] : fields) body += part_of(name, value);
    body += part_of("file", bytes, file_name) + std::string(rest) + end_of_form();
    return send_body(std::move(body), std::move(headers));
  }
  Answer send_body(std::string body, Fields headers = {}, std::string target = "/bkt") {
    headers.emplace_back("Content-Type", "multipart/form-data; boundary=" + std::string(boundary));
    return ask({.method = "POST",
                .target = std::move(target),
                .headers = std::move(headers),
                .body = std::move(body),
                .sign = false});
  }
  // The fields with a policy that names each of them, and `more` conditions, signed.
  Fields signed_form(Fields fields, std::string_view more = {},
                     const s3::Credentials* who = nullptr, std::string_view bucket = "bkt") {
    const s3::Credentials& key = who == nullptr ? mine : *who;
    const std::string date = format_basic_iso8601(clock.unix_ms());
    const s3::Scope scope{.date = date.substr(0, 8), .region = "us-east-1"};
    fields.emplace_back("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
    fields.emplace_back("X-Amz-Credential", key.access_key_id + "/" + scope.text(s3::Dialect::aws));
    fields.emplace_back("X-Amz-Date", date);
    if (!key.session_token.empty()) fields.emplace_back("X-Amz-Security-Token", key.session_token);
    std::string policy = R"({"expiration":")" + expiration() + R"(","conditions":[{"bucket":")" +
                         std::string(bucket) + "\"}";
    for (const auto& [name, value] : fields) policy += R"(,["starts-with","$)" + name + R"(",""])";
    policy += std::string(more) + "]}";
    return with_policy(std::move(fields), to_base64(policy), key, scope);
  }
  Fields with_policy(Fields fields, const std::string& policy, const s3::Credentials& key,
                     const s3::Scope& scope) {
    fields.emplace_back("Policy", policy);
    fields.emplace_back("X-Amz-Signature", s3::sign_form(policy, key.secret_access_key, scope,
                                                         s3::Dialect::aws, keys));
    return fields;
  }
};

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
