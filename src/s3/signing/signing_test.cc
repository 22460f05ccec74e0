// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/signing.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/signing/canonical.h"
#include "s3/wire/vendor_fields.h"

namespace cairn::s3::signing_test {
namespace {

using Case = std::map<std::string, std::string>;

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else {
      out += text[++i] == 'n' ? '\n' : text[i];
    }
  }
  return out;
}

std::vector<Case> read_cases(const char* path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    const std::string name = line.substr(0, colon);
    if (name == "case") cases.emplace_back();
    cases.back()[name] = unescaped(std::string_view(line).substr(colon + 2));
  }
  return cases;
}

// The request as a raw head: the target may hold spaces, a field may go on in the next line.
net::RequestHead head_of(const std::string& text) {
  net::RequestHead head;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  std::string name, value;
  const auto flush = [&] {
    if (!name.empty()) head.headers.add(name, value);
  };
  while (std::getline(in, line) && !line.empty()) {
    if (line[0] == ' ') {
      value += "\n" + line;
      continue;
    }
    flush();
    name = line.substr(0, line.find(':'));
    value = line.substr(line.find(':') + 1);
  }
  flush();
  return head;
}

TEST_CASE("signing: the cases of the protocol's test suite, in header fields and in queries") {
  const auto cases = read_cases("tests/data/s3/signing_v4.txt");
  REQUIRE(cases.size() == 16);
  for (const Case& c : cases) {
    CAPTURE(c.at("case"));
    const net::RequestHead head = head_of(c.at("request"));
    SigningParams params{.credentials = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"},
                         .region = "us-east-1",
                         .service = "service",
                         .time_ms = *parse_basic_iso8601("20150830T123600Z"),
                         .normalize_path = c.at("normalize") == "true",
                         .content_sha256_header = false};
    if (c.contains("token")) params.credentials.session_token = c.at("token");
    SigningKeys keys;
    net::Headers headers = head.headers;
    const Signature in_header =
        sign_headers(head.method, head.path(), head.query(), headers, empty_sha256, params, keys);
    CHECK(in_header.canonical_request == c.at("header_canonical"));
    CHECK(in_header.string_to_sign == c.at("header_text"));
    CHECK(in_header.signature == c.at("header_signature"));

    std::string query(head.query());
    const Signature in_query =
        sign_query(head.method, head.path(), query, head.headers, empty_sha256, 3600, params, keys);
    CHECK(in_query.canonical_request == c.at("query_canonical"));
    CHECK(in_query.string_to_sign == c.at("query_text"));
    CHECK(in_query.signature == c.at("query_signature"));
  }
}

const Credentials example{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
const std::int64_t example_ms = *parse_basic_iso8601("20130524T000000Z");

net::RequestHead request(std::string method, std::string target,
                         std::initializer_list<std::pair<const char*, const char*>> fields) {
  net::RequestHead head;
  head.method = std::move(method);
  head.target = std::move(target);
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

SigningParams example_params() {
  return {.credentials = example, .region = "us-east-1", .time_ms = example_ms};
}

TEST_CASE("signing: the worked examples of the object storage's documentation") {
  SigningKeys keys;
  const auto signature_of = [&](net::RequestHead head, std::string_view hash) {
    return sign_headers(head.method, head.path(), head.query(), head.headers, hash,
                        example_params(), keys)
        .signature;
  };
  const char* host = "examplebucket.s3.amazonaws.com";
  CHECK(signature_of(request("GET", "/test.txt", {{"Host", host}, {"Range", "bytes=0-9"}}),
                     empty_sha256) ==
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(signature_of(request("PUT", "/test%24file.text",
                             {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                              {"Host", host},
                              {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}),
                     to_hex(sha256("Welcome to Amazon S3."))) ==
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  CHECK(signature_of(request("GET", "/?lifecycle", {{"Host", host}}), empty_sha256) ==
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  CHECK(signature_of(request("GET", "/?max-keys=2&prefix=J", {{"Host", host}}), empty_sha256) ==
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  std::string query;
  const net::RequestHead head = request("GET", "/test.txt", {{"Host", host}});
  CHECK(sign_query("GET", "/test.txt", query, head.headers, "UNSIGNED-PAYLOAD", 86400,
                   example_params(), keys)
            .signature == "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

// A signed request and the claim that it makes.
struct Signed {
  net::RequestHead head;
  Claim claim;
};

Signed signed_request(net::RequestHead head, Dialect dialect = Dialect::aws,
                      std::string_view hash = empty_sha256) {
  SigningKeys keys;
  SigningParams params = example_params();
  params.dialect = dialect;
  sign_headers(head.method, head.path(), head.query(), head.headers, hash, params, keys);
  auto claim = read_claim(head);
  REQUIRE(claim.ok());
  REQUIRE(claim->has_value());
  return {std::move(head), std::move(**claim)};
}

std::string code_of_status(const Status& status) { return status.ok() ? "" : status.error().code; }

TEST_CASE("claim: what was signed verifies, in both dialects, and any change does not") {
  for (const Dialect dialect : {Dialect::aws, Dialect::svc}) {
    const Signed s = signed_request(request("PUT", "/b/key%20with%2Bsigns?x=1&a=2",
                                            {{"Host", "h:9000"}, {"Content-Type", "t"}}),
                                    dialect, "UNSIGNED-PAYLOAD");
    CHECK(s.claim.dialect == dialect);
    CHECK(dialect_of(s.head) == dialect);
    CHECK(s.claim.payload == Payload::unsigned_);
    SigningKeys keys;
    const VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms};
    CHECK(verify_claim(s.claim, s.head, params, keys).ok());

    auto changed = s.head;
    changed.method = "GET";
    CHECK(code_of_status(verify_claim(s.claim, changed, params, keys)) == "SignatureDoesNotMatch");
    changed = s.head;
    changed.target = "/b/key%20with%2Bsigns?x=2&a=2";
    CHECK(code_of_status(verify_claim(s.claim, changed, params, keys)) == "SignatureDoesNotMatch");
    changed = s.head;
    changed.headers.set("Content-Type", "u");
    CHECK(code_of_status(verify_claim(s.claim, changed, params, keys)) == "SignatureDoesNotMatch");
    auto other = params;
    other.secret = "another";
    CHECK(code_of_status(verify_claim(s.claim, s.head, other, keys)) == "SignatureDoesNotMatch");
    auto forged = s.claim;
    forged.payload_hash = "other";
    CHECK(code_of_status(verify_claim(forged, s.head, params, keys)) == "SignatureDoesNotMatch");
  }
}

TEST_CASE("claim: a target that arrives in another spelling still verifies") {
  const Signed s = signed_request(request("GET", "/b/a%2Bb~c%20d", {{"Host", "h"}}));
  SigningKeys keys;
  const VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms};
  for (const char* target : {"/b/a%2bb%7Ec%20d", "/b/a+b~c%20d"}) {
    auto head = s.head;
    head.target = target;
    CAPTURE(target);
    CHECK(verify_claim(s.claim, head, params, keys).ok());
  }
}

TEST_CASE("claim: fields of the vendor that were not signed are refused by name") {
  Signed s = signed_request(request("GET", "/b/k", {{"Host", "h"}}));
  SigningKeys keys;
  const VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms};
  s.head.headers.add("X-Amz-Acl", "public-read");
  const Status status = verify_claim(s.claim, s.head, params, keys);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == "AccessDenied");
  REQUIRE(status.error().details.size() == 1);
  CHECK(status.error().details[0].second == "x-amz-acl");
}

TEST_CASE("claim: clocks may differ by a quarter of an hour") {
  const Signed s = signed_request(request("GET", "/b/k", {{"Host", "h"}}));
  SigningKeys keys;
  for (const std::int64_t off : {-skew_max_ms, std::int64_t{0}, skew_max_ms}) {
    const VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms + off};
    CHECK(verify_claim(s.claim, s.head, params, keys).ok());
  }
  for (const std::int64_t off : {-skew_max_ms - 1, skew_max_ms + 1}) {
    const VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms + off};
    const Status status = verify_claim(s.claim, s.head, params, keys);
    CHECK(code_of_status(status) == "RequestTimeTooSkewed");
    CHECK(status.error().details.back().second == "900000");
  }
}

TEST_CASE("claim: a region that is not served is refused with the right one") {
  const Signed s = signed_request(request("GET", "/b/k", {{"Host", "h"}}));
  SigningKeys keys;
  VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms};
  params.regions = {"eu-west-1", "us-east-1"};
  CHECK(verify_claim(s.claim, s.head, params, keys).ok());
  params.regions = {"eu-west-1"};
  const Status status = verify_claim(s.claim, s.head, params, keys);
  CHECK(code_of_status(status) == "AuthorizationHeaderMalformed");
  CHECK(status.error().message ==
        "The authorization header is malformed; the region 'us-east-1' is wrong; expecting "
        "'eu-west-1'");
  CHECK(status.error().details[0] == std::pair<std::string, std::string>("Region", "eu-west-1"));
}

TEST_CASE("claim: a host that a proxy changed verifies by an alias") {
  Signed s = signed_request(request("GET", "/b/k", {{"Host", "objects.example.com"}}));
  s.head.headers.set("Host", "127.0.0.1:9000");
  SigningKeys keys;
  VerifyParams params{.secret = example.secret_access_key, .now_ms = example_ms};
  CHECK_FALSE(verify_claim(s.claim, s.head, params, keys).ok());
  params.host_aliases = {"other.example.com", "objects.example.com"};
  CHECK(verify_claim(s.claim, s.head, params, keys).ok());
}

TEST_CASE("claim: presigned queries verify until they expire") {
  for (const Dialect dialect : {Dialect::aws, Dialect::svc}) {
    SigningKeys keys;
    SigningParams params = example_params();
    params.dialect = dialect;
    params.credentials.session_token = "token/with+signs=";
    net::RequestHead head = request("GET", "", {{"Host", "h"}});
    std::string query = "response-content-type=text%2Fplain";
    sign_query("GET", "/b/k", query, head.headers, "UNSIGNED-PAYLOAD", 60, params, keys);
    head.target = "/b/k?" + query;
    const auto claim = read_claim(head);
    REQUIRE(claim.ok());
    REQUIRE(claim->has_value());
    const Claim& c = **claim;
    CHECK(c.in_query);
    CHECK(c.session_token == "token/with+signs=");
    CHECK(c.expires_seconds == 60);
    CHECK(dialect_of(head) == dialect);
    VerifyParams verify{.secret = example.secret_access_key, .now_ms = example_ms + 60'000};
    CHECK(verify_claim(c, head, verify, keys).ok());
    verify.now_ms += 1;
    const Status late = verify_claim(c, head, verify, keys);
    CHECK(code_of_status(late) == "AccessDenied");
    CHECK(late.error().message == "Request has expired");
    verify.now_ms = example_ms - skew_max_ms - 1;
    CHECK(verify_claim(c, head, verify, keys).error().message == "Request is not valid yet");
  }
}

TEST_CASE("claim: an unsigned word about the body beside a presigned query is no part of it") {
  SigningKeys keys;
  const SigningParams params = example_params();
  net::RequestHead head = request("PUT", "", {{"Host", "h"}});
  std::string query;
  sign_query("PUT", "/b/k", query, head.headers, "UNSIGNED-PAYLOAD", 60, params, keys);
  head.target = "/b/k?" + query;
  head.headers.add("x-amz-content-sha256", std::string(64, 'a'));
  const auto claim = read_claim(head);
  REQUIRE(claim.ok());
  CHECK((**claim).payload == Payload::unsigned_);
  VerifyParams verify{.secret = example.secret_access_key, .now_ms = example_ms};
  CHECK(verify_claim(**claim, head, verify, keys).ok());
  // Signed, it is heeded.
  net::RequestHead told = request("PUT", "", {{"Host", "h"}});
  told.headers.add("x-amz-content-sha256", std::string(64, 'a'));
  query.clear();
  sign_query("PUT", "/b/k", query, told.headers, std::string(64, 'a'), 60, params, keys);
  told.target = "/b/k?" + query;
  const auto heeded = read_claim(told);
  REQUIRE(heeded.ok());
  CHECK((**heeded).payload == Payload::hashed);
  CHECK(verify_claim(**heeded, told, verify, keys).ok());
}

TEST_CASE("claim: malformed credentials each hear what is wrong") {
  const auto fault_of = [](net::RequestHead head) {
    const auto claim = read_claim(head);
    REQUIRE_FALSE(claim.ok());
    return claim.error().code + ": " + claim.error().message;
  };
  const auto with = [](const std::string& authorization) {
    auto head = request("GET", "/",
                        {{"Host", "h"},
                         {"x-amz-date", "20130524T000000Z"},
                         {"x-amz-content-sha256", "UNSIGNED-PAYLOAD"}});
    head.headers.add("Authorization", authorization);
    return head;
  };
  const std::string good = "Credential=AK/20130524/us-east-1/s3/aws4_request";
  const std::string start = "AuthorizationHeaderMalformed: The authorization header is malformed; ";
  CHECK(fault_of(with("AWS4-HMAC-SHA256")) == start + "missing Credential.");
  CHECK(fault_of(with("AWS4-HMAC-SHA256 " + good)) == start + "missing SignedHeaders.");
  CHECK(fault_of(with("AWS4-HMAC-SHA256 " + good + ", SignedHeaders=host")) ==
        start + "missing Signature.");
  CHECK(fault_of(with("AWS4-HMAC-SHA256 nonsense")) ==
        start + "the authorization component \"nonsense\" is malformed.");
  const std::string rest = ",SignedHeaders=host,Signature=00";
  CHECK(
      fault_of(with("AWS4-HMAC-SHA256 Credential=AK/20130524/us-east-1/s3/aws5_request" + rest)) ==
      start + "incorrect terminal \"aws5_request\". This endpoint uses \"aws4_request\".");
  CHECK(
      fault_of(with("AWS4-HMAC-SHA256 Credential=AK/20130524/us-east-1/sts/aws4_request" + rest)) ==
      start + "incorrect service \"sts\". This endpoint belongs to \"s3\".");
  CHECK(
      fault_of(with("AWS4-HMAC-SHA256 Credential=AK/20130525/us-east-1/s3/aws4_request" + rest)) ==
      start + "Invalid credential date. Date is not the same as X-Amz-Date.");
  CHECK(fault_of(with("AWS4-HMAC-SHA256 Credential=AK/2013/us-east-1/s3/aws4_request" + rest))
            .starts_with(start + "incorrect date format"));
  CHECK(
      fault_of(with("AWS4-HMAC-SHA256 Credential=x" + rest)).starts_with(start + "the Credential"));
  CHECK(fault_of(with("AWS AK:sig")).starts_with("InvalidRequest: "));
  CHECK(fault_of(with("Basic abc")) == "InvalidArgument: Unsupported Authorization Type");

  auto head = with("AWS4-HMAC-SHA256 " + good + rest);
  CHECK(read_claim(head).ok());
  head.headers.set("x-amz-content-sha256", "short");
  CHECK(fault_of(head).starts_with("InvalidArgument: x-amz-content-sha256 must be"));
  head.headers.remove("x-amz-content-sha256");
  CHECK(fault_of(head) ==
        "InvalidRequest: Missing required header for this request: x-amz-content-sha256");
  head.headers.remove("x-amz-date");
  CHECK(fault_of(head).starts_with("AccessDenied: AWS authentication requires a valid Date"));
  head.headers.add("Date", "Fri, 24 May 2013 00:00:00 GMT");
  head.headers.add("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
  CHECK(read_claim(head).ok());
  head.target = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256";
  CHECK(fault_of(head).starts_with("InvalidArgument: Only one auth mechanism allowed"));
  head.target = "/";
  CHECK(read_claim(head).ok());
  head.headers.add("authorization", *head.headers.find("Authorization"));
  CHECK(fault_of(head).starts_with("InvalidArgument: Only one auth mechanism allowed"));
  CHECK_FALSE(read_claim(request("GET", "/", {{"Host", "h"}})).value().has_value());
}

TEST_CASE("claim: malformed presigned queries each hear what is wrong") {
  std::map<std::string, std::string> good = {{"X-Amz-Algorithm", "AWS4-HMAC-SHA256"},
                                             {"X-Amz-Credential", "AK/20130524/r/s3/aws4_request"},
                                             {"X-Amz-Date", "20130524T000000Z"},
                                             {"X-Amz-Expires", "60"},
                                             {"X-Amz-SignedHeaders", "host"},
                                             {"X-Amz-Signature", "00"}};
  const auto answer = [](const std::map<std::string, std::string>& parameters) -> std::string {
    std::string query;
    for (const auto& [name, value] : parameters)
      query += (query.empty() ? "" : "&") + name + "=" + percent_encode(value);
    const auto claim = read_claim(request("GET", "/b/k?" + query, {{"Host", "h"}}));
    return claim.ok() ? "" : claim.error().code + ": " + claim.error().message;
  };
  CHECK(answer(good).empty());
  const std::string code = "AuthorizationQueryParametersError: ";
  for (const auto& [name, value] : good) {
    auto less = good;
    less.erase(name);
    CAPTURE(name);
    CHECK(answer(less).starts_with(code + "Query-string authentication version 4 requires"));
  }
  const auto with = [&](const char* name, const char* value) {
    auto changed = good;
    changed[name] = value;
    return answer(changed);
  };
  CHECK(with("X-Amz-Expires", "604800").empty());
  CHECK(
      with("X-Amz-Expires", "604801").starts_with(code + "X-Amz-Expires must be less than a week"));
  CHECK(with("X-Amz-Expires", "-1") == code + "X-Amz-Expires must be non-negative");
  CHECK(with("X-Amz-Expires", "soon") == code + "X-Amz-Expires should be a number");
  CHECK(with("X-Amz-Date", "today").starts_with(code + "X-Amz-Date must be in the ISO8601"));
  CHECK(with("X-Amz-Algorithm", "MD5").starts_with(code + "X-Amz-Algorithm only supports"));
  CHECK(
      with("X-Amz-Credential", "AK")
          .starts_with(
              code + "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed"));
}

TEST_CASE("claim: an access key id may hold slashes, and names of payloads are known") {
  auto head = request("PUT", "/b/k", {{"Host", "h"}, {"x-amz-date", "20130524T000000Z"}});
  head.headers.add("Authorization",
                   "AWS4-HMAC-SHA256 Credential=a/b/20130524/us-east-1/s3/aws4_request, "
                   "SignedHeaders=Host;X-Amz-Date, Signature=00");
  for (const Payload payload :
       {Payload::unsigned_, Payload::chunked_signed, Payload::chunked_signed_trailer,
        Payload::chunked_unsigned_trailer}) {
    head.headers.set("x-amz-content-sha256", name_of(payload));
    const auto claim = read_claim(head);
    REQUIRE(claim.ok());
    CHECK((*claim)->access_key_id == "a/b");
    CHECK((*claim)->payload == payload);
    CHECK((*claim)->signed_headers == std::vector<std::string>{"host", "x-amz-date"});
  }
}

TEST_CASE("signing keys: kept per secret, scope and dialect") {
  SigningKeys keys;
  const Scope scope{.date = "20130524", .region = "us-east-1"};
  const std::string key = keys.key(example.secret_access_key, scope, Dialect::aws);
  CHECK(to_hex(key) == "dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378");
  CHECK(keys.key(example.secret_access_key, scope, Dialect::aws) == key);
  CHECK(keys.key("other", scope, Dialect::aws) != key);
  CHECK(keys.key(example.secret_access_key, scope, Dialect::svc) != key);
  Scope later = scope;
  later.date = "20130525";
  CHECK(keys.key(example.secret_access_key, later, Dialect::aws) != key);
  for (int i = 0; i < 2000; ++i) keys.key("secret " + std::to_string(i), scope, Dialect::aws);
  CHECK(keys.key(example.secret_access_key, scope, Dialect::aws) == key);
}

}  // namespace
}  // namespace cairn::s3::signing_test
