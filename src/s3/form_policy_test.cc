// SPDX-License-Identifier: Apache-2.0
#include "s3/form_policy.h"

#include <doctest/doctest.h>

#include "base/encode.h"

namespace cairn::s3::form_policy_test {
namespace {

constexpr std::int64_t now_ms = 1'700'000'000'000;  // 2023-11-14T22:13:20Z
constexpr std::string_view later = "2023-11-14T22:13:21Z";

std::string policy_text(std::string_view conditions) {
  return to_base64(R"({"expiration": ")" + std::string(later) +
                   R"(", "conditions": [{"bucket":"b"})" +
                   std::string(conditions.empty() ? "" : ", ") + std::string(conditions) + "]}");
}

// "ok", or what is said.
std::string judged(std::string_view base64, const FormFields& fields, std::string_view bucket = "b",
                   std::int64_t at_ms = now_ms) {
  const auto policy = parse_form_policy(base64);
  if (!policy.ok()) return policy.error().code + ": " + policy.error().message;
  const Status checked = check_form_policy(*policy, fields, bucket, at_ms);
  return checked.ok() ? "ok" : checked.error().code + ": " + checked.error().message;
}

constexpr std::string_view denied = "AccessDenied: Invalid according to Policy: ";

TEST_CASE("form policy: conditions hold, or the first that does not is shown") {
  const std::string failed = std::string(denied) + "Policy Condition failed: ";
  const struct {
    std::string conditions;
    FormFields fields;
    std::string said;
  } rows[] = {
      {R"({"key":"a"})", {{"key", "a"}}, "ok"},
      {R"({"key":"a"})", {{"key", "A"}}, failed + R"(["eq", "$key", "a"])"},
      {R"({"key":"a"})", {}, failed + R"(["eq", "$key", "a"])"},
      {R"(["eq","$key","a"])", {{"key", "a"}}, "ok"},
      {R"(["eq","$key","a"])", {{"key", "ab"}}, failed + R"(["eq", "$key", "a"])"},
      {R"(["EQ","$KeY","a"])", {{"key", "a"}}, "ok"},
      {R"(["starts-with","$key","user/"])", {{"key", "user/x"}}, "ok"},
      {R"(["starts-with","$key","user/"])",
       {{"key", "users/x"}},
       failed + R"(["starts-with", "$key", "user/"])"},
      {R"(["starts-with","$key",""])", {{"key", ""}}, "ok"},
      // A field that a condition names must be there, even if it may be anything.
      {R"(["starts-with","$key",""])", {}, failed + R"(["starts-with", "$key", ""])"},
      {R"({"acl":"private"},["starts-with","$acl","pri"])", {{"acl", "private"}}, "ok"},
      {R"({"acl":"private"},["starts-with","$acl","pub"])",
       {{"acl", "private"}},
       failed + R"(["starts-with", "$acl", "pub"])"},
      // Of several types each is looked at.
      {R"(["starts-with","$Content-Type","image/"])",
       {{"content-type", "image/png, image/gif"}},
       "ok"},
      {R"(["starts-with","$Content-Type","image/"])",
       {{"content-type", "image/png,text/html"}},
       failed + R"(["starts-with", "$content-type", "image/"])"},
      {R"(["starts-with","$x-amz-meta-a","1"])", {{"x-amz-meta-a", "1,2"}}, "ok"},
      // A dollar sign may be escaped, as the documents of policies say.
      {R"(["starts-with","$key","\$foo"])", {{"key", "$foo.txt"}}, "ok"},
      {R"(["starts-with","$key","\\$foo"])", {{"key", "\\$foo.txt"}}, "ok"},
      {R"(["eq","$x-amz-meta-a","\u00e9\"\\\n"])", {{"x-amz-meta-a", "\xc3\xa9\"\\\n"}}, "ok"},
      {R"({"bucket":"other"})", {}, failed + R"(["eq", "$bucket", "other"])"},
      {R"(["starts-with","$bucket",""])", {}, "ok"},
      {"", {{"bucket", "b"}}, "ok"},
      {"", {{"bucket", "other"}}, failed + R"(["eq", "$bucket", "b"])"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.conditions);
    CHECK(judged(policy_text(row.conditions), row.fields) == row.said);
  }
}

TEST_CASE("form policy: every field is named, but for those of the signature and ignored ones") {
  const std::string extra = std::string(denied) + "Extra input fields: ";
  const FormFields free = {
      {"awsaccesskeyid", "A"}, {"signature", "S"},       {"policy", "P"},         {"file", "F"},
      {"x-ignore-this", "1"},  {"x-amz-signature", "S"}, {"x-svc-signature", "S"}};
  CHECK(judged(policy_text(""), free) == "ok");
  for (const char* name : {"key", "acl", "submit", "x-amz-meta-a", "x-amz-date", "x-amz-credential",
                           "x-amz-algorithm", "x-amz-security-token", "success_action_status",
                           "redirect", "content-type", "tagging", "x-ignored"})
    CHECK(judged(policy_text(""), {{name, "1"}}) == extra + name);
  CHECK(judged(policy_text(R"({"a":"1"})"), {{"a", "1"}, {"b", "1"}, {"c", "1"}}) ==
        extra + "b, c");
  const std::string without_bucket =
      to_base64(R"({"expiration": "2030-01-01T00:00:00.000Z", "conditions": [{"key":"a"}]})");
  CHECK(judged(without_bucket, {{"key", "a"}}) == extra + "bucket");
}

TEST_CASE("form policy: it ends when it says") {
  const std::string expired = std::string(denied) + "Policy expired.";
  CHECK(judged(policy_text(""), {}, "b", now_ms + 999) == "ok");
  CHECK(judged(policy_text(""), {}, "b", now_ms + 1000) == expired);
  const auto until = [](std::string_view expiration) {
    return judged(to_base64(R"({"expiration":")" + std::string(expiration) +
                            R"(","conditions":[{"bucket":"b"}]})"),
                  {});
  };
  CHECK(until("2030-12-01T12:00:00.000Z") == "ok");
  CHECK(until("2030-12-01T12:00:00Z") == "ok");
  CHECK(until("2007-12-01T12:00:00.000Z") == expired);
}

TEST_CASE("form policy: ranges of lengths, the narrowest of several") {
  const auto range = [](std::string_view conditions) {
    const auto policy = parse_form_policy(policy_text(conditions));
    if (!policy.ok()) return policy.error().code;
    return std::to_string(policy->bytes_min) + ".." + std::to_string(policy->bytes_max);
  };
  CHECK(range("") == "0..18446744073709551615");
  CHECK(range(R"(["content-length-range", 0, 1024])") == "0..1024");
  CHECK(range(R"(["content-length-range", "5", "10"])") == "5..10");
  CHECK(range(R"(["content-length-range", 0, 100], ["content-length-range", 50, 200])") ==
        "50..100");
  for (const char* bad :
       {R"(["content-length-range", 0])", R"(["content-length-range"])",
        R"(["content-length-range", -1, 0])", R"(["content-length-range", 2, 1])",
        R"(["content-length-range", 0, 1, 2])", R"(["content-length-range", 0.5, 1])",
        R"(["content-length-range", "a", "b"])", R"(["content-length-range", null, 1])"}) {
    CAPTURE(bad);
    CHECK(range(bad) == "InvalidPolicyDocument");
  }
}

TEST_CASE("form policy: what is no policy is refused, with what is wrong") {
  const auto fault = [](std::string_view base64) {
    const auto policy = parse_form_policy(base64);
    return policy.ok() ? "" : policy.error().code + ": " + policy.error().message;
  };
  const auto of_json = [&](std::string_view json) { return fault(to_base64(json)); };
  const std::string start = "InvalidPolicyDocument: Invalid Policy: ";
  CHECK(fault("%%%") == start + "Invalid base64.");
  CHECK(of_json("{\"expiration\"").starts_with(start + "Invalid JSON: "));
  CHECK(of_json("[]") == start + "Invalid JSON: it must be an object.");
  CHECK(of_json(std::string(10'000, '[')).starts_with(start + "Invalid JSON: "));
  CHECK(of_json(R"({"conditions":[]})") == start + "Policy document missing expiration.");
  CHECK(of_json(R"({"expiration":"2030-01-01T00:00:00Z"})") ==
        start + "Policy document missing conditions.");
  CHECK(of_json(R"({"EXPIRATION":"2030-01-01T00:00:00Z","conditions":[]})") ==
        start + "Unexpected: 'EXPIRATION'.");
  CHECK(
      of_json(
          R"({"expiration":"2030-01-01T00:00:00Z","expiration":"2031-01-01T00:00:00Z","conditions":[]})")
          .starts_with(start + "Invalid JSON: "));
  for (const char* time :
       {"\"tomorrow\"", "1700000000", "null", "\"2023-11-14 22:13:20.123456+00:00\""})
    CHECK(of_json(R"({"conditions":[],"expiration":)" + std::string(time) + "}")
              .starts_with(start + "Invalid 'expiration' value: "));
  const auto of_condition = [&](std::string_view condition) {
    return of_json(R"({"expiration":"2030-01-01T00:00:00Z","conditions":)" +
                   std::string(condition) + "}");
  };
  for (const char* bad :
       {"{}", "\"a\"", "[1]", "[null]", "[{}]", "[[]]", R"([{"a":"1","b":"2"}])", R"([{"a":1}])",
        R"([{"":"1"}])", R"([["eq","$a"]])", R"([["eq","a","b"]])", R"([["eq","$","b"]])",
        R"([["eq","$a",1]])", R"([["eq","$a","b","c"]])", R"([["ends-with","$a","b"]])",
        R"([[1,"$a","b"]])"}) {
    CAPTURE(bad);
    CHECK(of_condition(bad).starts_with(start + "Invalid "));
  }
}

TEST_CASE("form policy: what is written is read") {
  const FormPolicy policy{.expires_ms = now_ms,
                          .conditions = {{.field = "bucket", .value = "b"},
                                         {.match = FormCondition::Match::beginning,
                                          .field = "key",
                                          .value = "a\"\xc3\xa9/"}},
                          .bytes_min = 1,
                          .bytes_max = 10};
  const auto read = parse_form_policy(write_form_policy(policy));
  REQUIRE(read.ok());
  CHECK(read->expires_ms == policy.expires_ms);
  CHECK(read->bytes_min == 1);
  CHECK(read->bytes_max == 10);
  REQUIRE(read->conditions.size() == 2);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(read->conditions[i].text() == policy.conditions[i].text());
  CHECK(parse_form_policy(write_form_policy({.expires_ms = now_ms}))->bytes_max ==
        FormPolicy().bytes_max);
}

}  // namespace
}  // namespace cairn::s3::form_policy_test
