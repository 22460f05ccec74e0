// SPDX-License-Identifier: Apache-2.0
// Every operator of conditions, as a table of values and what they come to.
#include "auth/policy/policy_condition.h"

#include <doctest/doctest.h>

#include <optional>

namespace cairn::auth::policy_condition_test {
namespace {

/// The same values for every key, and ann for the user's name.
class One final : public PolicyFacts {
 public:
  explicit One(std::optional<std::vector<std::string>> values) : values_(std::move(values)) {}
  bool find(const PolicyKey& key, std::vector<std::string>& values) const override {
    if (key.fact == Fact::username) {
      values.emplace_back("ann");
      return true;
    }
    if (!values_ || key.fact == Fact::user_id) return false;
    values.insert(values.end(), values_->begin(), values_->end());
    return true;
  }

 private:
  std::optional<std::vector<std::string>> values_;
};

bool holds(const std::string& operator_name, const std::string& json,
           std::optional<std::vector<std::string>> values) {
  const auto how = find_policy_operator(operator_name);
  REQUIRE(how);
  const auto value = parse_json(json);
  REQUIRE(value.ok());
  const auto condition =
      PolicyCondition::compile(*how, "aws:Referer", *find_policy_key("aws:Referer"), *value, true);
  if (!condition.ok()) FAIL_CHECK(condition.error().message);
  REQUIRE(condition.ok());
  return condition->holds(One(std::move(values)));
}

using Values = std::optional<std::vector<std::string>>;
const Values absent = std::nullopt;

TEST_CASE("policy condition: every operator, with one value") {
  const struct {
    const char* op;
    const char* json;
    const char* value;
    bool holds;
  } rows[] = {
      {"StringEquals", R"("a")", "a", true},
      {"StringEquals", R"("a")", "A", false},
      {"StringEquals", R"("a*")", "ab", false},
      {"StringEquals", R"("a*")", "a*", true},
      {"StringEquals", R"(["x","a"])", "a", true},
      {"StringEquals", R"(["x","y"])", "a", false},
      {"StringEquals", R"("")", "", true},
      {"StringEquals", R"("${aws:username}")", "ann", true},
      {"StringEquals", R"("${aws:username}")", "bob", false},
      {"StringEquals", R"("${aws:userid}")", "", false},
      {"StringEquals", R"(7)", "7", true},
      {"StringEquals", R"(true)", "true", true},
      {"StringNotEquals", R"("a")", "b", true},
      {"StringNotEquals", R"("a")", "a", false},
      {"StringNotEquals", R"(["a","b"])", "b", false},
      {"StringNotEquals", R"(["a","b"])", "c", true},
      {"StringEqualsIgnoreCase", R"("aBc")", "AbC", true},
      {"StringEqualsIgnoreCase", R"("aBc")", "AbD", false},
      {"StringNotEqualsIgnoreCase", R"("aBc")", "AbC", false},
      {"StringNotEqualsIgnoreCase", R"("aBc")", "AbD", true},
      {"StringLike", R"("a*")", "abc", true},
      {"StringLike", R"("a*")", "a", true},
      {"StringLike", R"("a?")", "a", false},
      {"StringLike", R"("a?")", "ab", true},
      {"StringLike", R"("*a*b*")", "xxaxxbxx", true},
      {"StringLike", R"("*a*b*")", "xxbxxaxx", false},
      {"StringLike", R"("*")", "", true},
      {"StringLike", R"("A*")", "abc", false},
      {"StringLike", R"("home/${aws:username}/*")", "home/ann/x", true},
      {"StringLike", R"("home/${aws:username}/*")", "home/bob/x", false},
      {"StringLike", R"("${*}x")", "*x", true},
      {"StringLike", R"("${*}x")", "yx", false},
      {"StringNotLike", R"("a*")", "abc", false},
      {"StringNotLike", R"("a*")", "bac", true},
      {"NumericEquals", "10", "10", true},
      {"NumericEquals", "10", "10.0", true},
      {"NumericEquals", R"("10")", "11", false},
      {"NumericEquals", "10", "ten", false},
      {"NumericNotEquals", "10", "11", true},
      {"NumericNotEquals", "10", "10", false},
      {"NumericLessThan", "10", "9.99", true},
      {"NumericLessThan", "10", "10", false},
      {"NumericLessThan", "10", "-1", true},
      {"NumericLessThan", "10", "nan", false},
      {"NumericLessThanEquals", "10", "10", true},
      {"NumericLessThanEquals", "10", "10.01", false},
      {"NumericGreaterThan", "10", "11", true},
      {"NumericGreaterThan", "10", "10", false},
      {"NumericGreaterThan", "10", "", false},
      {"NumericGreaterThanEquals", "10", "10", true},
      {"NumericGreaterThanEquals", "1e3", "1000", true},
      {"DateEquals", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:05Z", true},
      {"DateEquals", R"("2026-01-02T03:04:05Z")", "2026-01-02T04:04:05+01:00", true},
      {"DateEquals", R"("2026-01-02T03:04:05Z")", "1767323045", true},
      {"DateEquals", R"("1767323045")", "2026-01-02T03:04:05Z", true},
      {"DateEquals", R"("2026-01-02")", "2026-01-02T00:00:00Z", true},
      {"DateEquals", R"("2026")", "2026-01-01T00:00:00Z", true},
      {"DateNotEquals", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:06Z", true},
      {"DateLessThan", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:04.999Z", true},
      {"DateLessThan", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:05Z", false},
      {"DateLessThanEquals", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:05Z", true},
      {"DateGreaterThan", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:05.001Z", true},
      {"DateGreaterThan", R"("2026-01-02T03:04:05Z")", "yesterday", false},
      {"DateGreaterThanEquals", R"("2026-01-02T03:04:05Z")", "2026-01-02T03:04:05Z", true},
      {"Bool", "true", "true", true},
      {"Bool", R"("true")", "false", false},
      {"Bool", R"("FALSE")", "false", true},
      {"Bool", R"(["true","false"])", "false", true},
      {"Bool", R"("false")", "perhaps", false},
      {"BinaryEquals", R"("QUJD")", "QUJD", true},
      {"BinaryEquals", R"("QUJD")", "qujd", false},
      {"IpAddress", R"("203.0.113.0/24")", "203.0.113.7", true},
      {"IpAddress", R"("203.0.113.0/24")", "203.0.114.7", false},
      {"IpAddress", R"("203.0.113.7")", "203.0.113.7", true},
      {"IpAddress", R"("203.0.113.7")", "203.0.113.8", false},
      {"IpAddress", R"("203.0.113.7/31")", "203.0.113.6", true},
      {"IpAddress", R"("0.0.0.0/0")", "8.8.8.8", true},
      {"IpAddress", R"("0.0.0.0/0")", "2001:db8::1", false},
      {"IpAddress", R"("203.0.113.0/24")", "::ffff:203.0.113.9", true},
      {"IpAddress", R"("2001:db8::/32")", "2001:db8:1::1", true},
      {"IpAddress", R"("2001:db8::/32")", "2001:db9::1", false},
      {"IpAddress", R"("2001:db8::1")", "2001:0db8:0:0::1", true},
      {"IpAddress", R"("::/0")", "2001:db8::1", true},
      {"IpAddress", R"("203.0.113.0/24")", "not an address", false},
      {"NotIpAddress", R"("203.0.113.0/24")", "203.0.114.7", true},
      {"NotIpAddress", R"("203.0.113.0/24")", "203.0.113.7", false},
      {"NotIpAddress", R"(["203.0.113.0/24","10.0.0.0/8"])", "10.1.2.3", false},
      {"ArnEquals", R"("arn:aws:iam::1:user/a")", "arn:aws:iam::1:user/a", true},
      {"ArnEquals", R"("arn:aws:iam::1:user/*")", "arn:aws:iam::1:user/a", true},
      {"ArnLike", R"("arn:aws:iam::*:user/a")", "arn:aws:iam::1:user/a", true},
      {"ArnLike", R"("arn:aws:iam:*:user/a")", "arn:aws:iam::1:user/a", false},
      {"ArnLike", R"("arn:*:iam::1:*")", "arn:aws:iam::1:user/a:b", true},
      {"ArnLike", R"("arn:aws:iam::1:user/${aws:username}")", "arn:aws:iam::1:user/ann", true},
      {"ArnLike", R"("*")", "arn:aws:iam::1:user/a", true},
      {"ArnLike", R"("arn:aws:iam::1:user/a")", "something", false},
      {"ArnNotEquals", R"("arn:aws:iam::1:user/a")", "arn:aws:iam::1:user/b", true},
      {"ArnNotLike", R"("arn:aws:iam::1:user/*")", "arn:aws:iam::1:user/b", false},
      {"Null", "true", "x", false},
      {"Null", "false", "x", true},
      {"Null", R"(["true","false"])", "x", true},
  };
  for (const auto& row : rows) {
    INFO((std::string(row.op) + " " + row.json + " against " + row.value));
    CHECK(holds(row.op, row.json, Values{{row.value}}) == row.holds);
  }
}

TEST_CASE("policy condition: a key that the request does not have") {
  const struct {
    const char* op;
    const char* json;
    bool holds;
  } rows[] = {
      {"StringEquals", R"("a")", false},
      {"StringLike", R"("*")", false},
      {"StringNotEquals", R"("a")", true},
      {"StringNotLike", R"("*")", true},
      {"StringNotEqualsIgnoreCase", R"("a")", true},
      {"NumericEquals", "1", false},
      {"NumericNotEquals", "1", true},
      {"NumericLessThan", "1", false},
      {"DateLessThan", R"("2030-01-01")", false},
      {"DateNotEquals", R"("2030-01-01")", true},
      {"Bool", "false", false},
      {"IpAddress", R"("0.0.0.0/0")", false},
      {"NotIpAddress", R"("10.0.0.0/8")", true},
      {"ArnLike", R"("*")", false},
      {"ArnNotLike", R"("*")", true},
      {"Null", "true", true},
      {"Null", "false", false},
      {"StringEqualsIfExists", R"("a")", true},
      {"StringLikeIfExists", R"("a")", true},
      {"BoolIfExists", "true", true},
      {"NumericLessThanIfExists", "1", true},
      {"IpAddressIfExists", R"("10.0.0.0/8")", true},
      {"StringNotEqualsIfExists", R"("a")", true},
      {"ForAllValues:StringEquals", R"("a")", true},
      {"ForAnyValue:StringEquals", R"("a")", false},
      {"ForAnyValue:StringNotEquals", R"("a")", false},
      {"ForAnyValue:StringEqualsIfExists", R"("a")", true},
  };
  for (const auto& row : rows) {
    INFO((std::string(row.op) + " " + row.json));
    CHECK(holds(row.op, row.json, absent) == row.holds);
    CHECK(holds(row.op, row.json, std::vector<std::string>{}) ==
          row.holds);  // there, and with no value
  }
}

TEST_CASE("policy condition: IfExists asks as usual where the key is there") {
  CHECK(holds("StringEqualsIfExists", R"("a")", Values{{"a"}}));
  CHECK(!holds("StringEqualsIfExists", R"("a")", Values{{"b"}}));
  CHECK(!holds("BoolIfExists", "true", Values{{"false"}}));
}

TEST_CASE("Z06: several values in the request, of which the condition names some") {
  const struct {
    const char* op;
    const char* json;
    std::vector<std::string> values;
    bool holds;
  } rows[] = {
      {"StringEquals", R"(["a","b"])", {"a", "z"}, true},
      {"StringEquals", R"(["a","b"])", {"y", "z"}, false},
      {"StringNotEquals", R"(["a","b"])", {"a", "z"}, false},
      {"StringNotEquals", R"(["a","b"])", {"y", "z"}, true},
      {"ForAnyValue:StringEquals", R"(["a","b"])", {"z", "b"}, true},
      {"ForAnyValue:StringEquals", R"(["a","b"])", {"y", "z"}, false},
      {"ForAnyValue:StringNotEquals", R"(["a","b"])", {"a", "z"}, true},
      {"ForAnyValue:StringNotEquals", R"(["a","b"])", {"a", "b"}, false},
      {"ForAllValues:StringEquals", R"(["a","b"])", {"a", "b"}, true},
      {"ForAllValues:StringEquals", R"(["a","b"])", {"a", "z"}, false},
      {"ForAllValues:StringNotEquals", R"(["a","b"])", {"y", "z"}, true},
      {"ForAllValues:StringNotEquals", R"(["a","b"])", {"a", "z"}, false},
      {"ForAnyValue:StringNotEqualsIgnoreCase", R"(["A","B"])", {"a", "z"}, true},
      {"ForAllValues:StringNotEqualsIgnoreCase", R"(["A","B"])", {"a", "z"}, false},
      {"ForAnyValue:StringNotLike", R"(["a*","b*"])", {"a1", "z"}, true},
      {"ForAnyValue:StringNotLike", R"(["a*","b*"])", {"a1", "b2"}, false},
      {"ForAllValues:StringNotLike", R"(["a*","b*"])", {"a1", "z"}, false},
      {"ForAllValues:StringNotLike", R"(["a*","b*"])", {"y", "z"}, true},
      {"StringNotLike", R"(["a*","b*"])", {"a1", "z"}, false},
      {"ForAnyValue:NumericNotEquals", "[1,2]", {"1", "3"}, true},
      {"ForAllValues:NumericNotEquals", "[1,2]", {"1", "3"}, false},
      {"ForAllValues:NumericNotEquals", "[1,2]", {"3", "4"}, true},
      {"ForAnyValue:ArnNotLike", R"("a:b:c:d:e:*")", {"a:b:c:d:e:f", "a:b:c:d:x:f"}, true},
      {"ForAllValues:ArnNotLike", R"("a:b:c:d:e:*")", {"a:b:c:d:e:f", "a:b:c:d:x:f"}, false},
      {"ForAnyValue:NotIpAddress", R"("10.0.0.0/8")", {"10.1.1.1", "8.8.8.8"}, true},
      {"ForAllValues:NotIpAddress", R"("10.0.0.0/8")", {"10.1.1.1", "8.8.8.8"}, false},
      {"ForAllValues:StringLike", R"("a*")", {"a1", "a2"}, true},
      {"ForAllValues:StringLike", R"("a*")", {"a1", "b2"}, false},
  };
  for (const auto& row : rows) {
    INFO((std::string(row.op) + " " + row.json + " " + row.values[0] + " " + row.values[1]));
    CHECK(holds(row.op, row.json, row.values) == row.holds);
  }
}

TEST_CASE("policy condition: keys are found without case, tags keep theirs") {
  CHECK(find_policy_key("AWS:SourceIP")->fact == Fact::source_ip);
  CHECK(find_policy_key("S3:X-AMZ-ACL")->name == "x-amz-acl");
  CHECK(find_policy_key("s3:existingobjecttag/Team")->name == "Team");
  CHECK(find_policy_key("s3:RequestObjectTagKeys")->fact == Fact::request_tag_names);
  CHECK(!find_policy_key("aws:"));
  CHECK(!find_policy_key("s3:ExistingObjectTag/"));
  CHECK(!find_policy_key(""));
}

}  // namespace
}  // namespace cairn::auth::policy_condition_test
