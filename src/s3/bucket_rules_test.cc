// SPDX-License-Identifier: Apache-2.0
#include "s3/bucket_rules.h"

#include <doctest/doctest.h>

#include "s3/wire/wire.h"

namespace cairn::s3::bucket_rules_test {
namespace {

// The code that a body of rules is refused with; empty where it is taken.
std::string refusal(const std::string& rules) {
  RequestParts parts{.method = "PUT", .bucket = "b"};
  parts.body = "<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>";
  const auto in = read_request(operations::put_bucket_lifecycle_configuration, parts, Dialect::aws);
  if (!in.ok()) return in.error().code;
  const Status status = check_lifecycle(*in->lifecycle_configuration);
  return status.ok() ? std::string() : status.error().code;
}

std::string rule(const std::string& inside, const std::string& filter = "<Filter/>") {
  return "<Rule><ID>r</ID><Status>Enabled</Status>" + filter + inside + "</Rule>";
}

std::string expire(const std::string& inside) { return "<Expiration>" + inside + "</Expiration>"; }

struct Case {
  const char* what;
  std::string rules;
  const char* code;
};

TEST_CASE("lifecycle: rules that are taken, and those that are not") {
  const std::string days = expire("<Days>1</Days>");
  const std::string tag = "<Tag><Key>a</Key><Value>1</Value></Tag>";
  const std::string abort =
      "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>"
      "</AbortIncompleteMultipartUpload>";
  const std::string noncurrent =
      "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
      "<NewerNoncurrentVersions>5</NewerNoncurrentVersions></NoncurrentVersionExpiration>";
  const auto filter = [](const std::string& inside) { return "<Filter>" + inside + "</Filter>"; };
  const Case cases[] = {
      {"days", rule(days), ""},
      {"the old prefix", rule(days, "<Prefix>a</Prefix>"), ""},
      {"prefix", rule(days, filter("<Prefix>a</Prefix>")), ""},
      {"tag", rule(days, filter(tag)), ""},
      {"size", rule(days, filter("<ObjectSizeGreaterThan>0</ObjectSizeGreaterThan>")), ""},
      {"and", rule(days, filter("<And><Prefix>a</Prefix>" + tag + "</And>")), ""},
      {"date", rule(expire("<Date>2030-01-01T00:00:00.000Z</Date>")), ""},
      {"markers", rule(expire("<ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>")), ""},
      {"all actions", rule(days + noncurrent + abort), ""},
      {"disabled", "<Rule><Status>Disabled</Status><Filter/>" + days + "</Rule>", ""},
      {"no rule", "", "MalformedXML"},
      {"no status", "<Rule><Filter/>" + days + "</Rule>", "MalformedXML"},
      {"bad status", "<Rule><Status>on</Status><Filter/>" + days + "</Rule>", "MalformedXML"},
      {"no filter", rule(days, ""), "MalformedXML"},
      {"prefix twice", rule(days, "<Prefix>a</Prefix><Filter/>"), "MalformedXML"},
      {"two predicates", rule(days, filter("<Prefix>a</Prefix>" + tag)), "MalformedXML"},
      {"and of one", rule(days, filter("<And>" + tag + "</And>")), "MalformedXML"},
      {"and of the same", rule(days, filter("<And>" + tag + tag + "</And>")), "InvalidTag"},
      {"long prefix", rule(days, filter("<Prefix>" + std::string(1025, 'p') + "</Prefix>")),
       "InvalidRequest"},
      {"sizes crossed",
       rule(days, filter("<And><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan>"
                         "<ObjectSizeLessThan>5</ObjectSizeLessThan></And>")),
       "InvalidRequest"},
      {"no action", rule(""), "InvalidRequest"},
      {"no days", rule(expire("")), "MalformedXML"},
      {"zero days", rule(expire("<Days>0</Days>")), "InvalidArgument"},
      {"words for days", rule(expire("<Days>one</Days>")), "MalformedXML"},
      {"days and date", rule(expire("<Days>1</Days><Date>2030-01-01T00:00:00Z</Date>")),
       "MalformedXML"},
      {"not midnight", rule(expire("<Date>2030-01-01T00:00:01Z</Date>")), "InvalidArgument"},
      {"markers by tag",
       rule(expire("<ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>"), filter(tag)),
       "InvalidRequest"},
      {"abort by tag", rule(abort, filter(tag)), "InvalidRequest"},
      {"abort of nothing", rule("<AbortIncompleteMultipartUpload/>"), "MalformedXML"},
      {"noncurrent of nothing", rule("<NoncurrentVersionExpiration/>"), "MalformedXML"},
      {"noncurrent zero",
       rule("<NoncurrentVersionExpiration><NoncurrentDays>0</NoncurrentDays>"
            "</NoncurrentVersionExpiration>"),
       "InvalidArgument"},
      {"too many newer",
       rule("<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
            "<NewerNoncurrentVersions>101</NewerNoncurrentVersions>"
            "</NoncurrentVersionExpiration>"),
       "InvalidArgument"},
      {"moves", rule("<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"),
       "NotImplemented"},
      {"same id", rule(days) + rule(days), "InvalidArgument"},
      {"long id",
       "<Rule><ID>" + std::string(256, 'i') + "</ID><Status>Enabled</Status><Filter/>" + days +
           "</Rule>",
       "InvalidArgument"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(refusal(c.rules) == c.code);
  }
  const std::string unnamed = "<Rule><Status>Enabled</Status><Filter/>" + days + "</Rule>";
  std::string many;
  for (int i = 0; i < 1000; ++i) many += unnamed;
  CHECK(refusal(many) == "");
  CHECK(refusal(many + unnamed) == "MalformedXML");
}

TEST_CASE("lifecycle: object lock needs a mode and one length") {
  const auto refused = [](ObjectLockConfigurationElement configuration) {
    const auto lock = object_lock_of(configuration);
    return lock.ok() ? std::string() : lock.error().code;
  };
  const auto with = [](DefaultRetentionElement retention) {
    return ObjectLockConfigurationElement{
        .object_lock_enabled = "Enabled",
        .rule = LockRuleElement{.default_retention = std::move(retention)}};
  };
  CHECK(refused({.object_lock_enabled = "Enabled"}) == "");
  CHECK(refused({}) == "MalformedXML");
  CHECK(refused({.object_lock_enabled = "Enabled", .rule = LockRuleElement{}}) == "MalformedXML");
  CHECK(refused(with({})) == "MalformedXML");
  CHECK(refused(with({.mode = "GOVERNANCE"})) == "MalformedXML");
  CHECK(refused(with({.mode = "GOVERNANCE", .days = 1, .years = 1})) == "MalformedXML");
  CHECK(refused(with({.days = 1})) == "MalformedXML");
  CHECK(refused(with({.mode = "GOVERNANCE", .days = 0})) == "InvalidArgument");
  CHECK(refused(with({.mode = "GOVERNANCE", .days = 36'500})) == "");
  CHECK(refused(with({.mode = "GOVERNANCE", .days = 36'501})) == "InvalidArgument");
  const auto lock = object_lock_of(with({.mode = "COMPLIANCE", .years = 2}));
  REQUIRE(lock.ok());
  CHECK(lock->rule == DefaultRetention{.mode = LockMode::compliance, .years = 2});
}

TEST_CASE("lifecycle: a bucket has one default encryption") {
  const auto refused = [](std::vector<EncryptionRuleElement> rules) {
    const Status status = check_encryption({.rules = std::move(rules)});
    return status.ok() ? std::string() : status.error().code;
  };
  const auto by = [](std::string algorithm, std::optional<std::string> key = {}) {
    return EncryptionRuleElement{
        .apply_server_side_encryption_by_default = EncryptionByDefaultElement{
            .sse_algorithm = std::move(algorithm), .kms_master_key_id = std::move(key)}};
  };
  CHECK(refused({by("AES256")}) == "");
  CHECK(refused({by("aws:kms", "k")}) == "");
  CHECK(refused({by("aws:kms:dsse")}) == "");
  CHECK(refused({by("AES256", "k")}) == "InvalidArgument");
  CHECK(refused({by("aws:fsx")}) == "MalformedXML");
  CHECK(refused({{}}) == "MalformedXML");
  CHECK(refused({}) == "MalformedXML");
  CHECK(refused({by("AES256"), by("AES256")}) == "MalformedXML");
}

}  // namespace
}  // namespace cairn::s3::bucket_rules_test
