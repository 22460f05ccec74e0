// SPDX-License-Identifier: Apache-2.0
// Policies by tables: what is refused and how it is worded, and what is allowed to whom.
#include "auth/policy/policy.h"

#include <doctest/doctest.h>

#include <map>

namespace cairn::auth::policy_test {
namespace {

/// Values by the name of their key.
class Told final : public PolicyFacts {
 public:
  Told() = default;
  Told(std::initializer_list<std::pair<std::string, std::vector<std::string>>> told) {
    for (const auto& [name, values] : told)
      told_.emplace_back(find_policy_key(name).value(), values);
  }
  bool find(const PolicyKey& key, std::vector<std::string>& values) const override {
    for (const auto& [told, of] : told_)
      if (told == key) {
        values.insert(values.end(), of.begin(), of.end());
        return true;
      }
    return false;
  }

 private:
  std::vector<std::pair<PolicyKey, std::vector<std::string>>> told_;
};

const std::string canonical_of_1(64, 'a');
const std::string canonical_of_2(64, 'b');
const PolicyCaller root_1{"111111111111", canonical_of_1, "arn:aws:iam::111111111111:root"};
const PolicyCaller ann_1{"111111111111", canonical_of_1, "arn:aws:iam::111111111111:user/ann"};
const PolicyCaller bob_1{"111111111111", canonical_of_1, "arn:aws:iam::111111111111:user/bob"};
const PolicyCaller root_2{"222222222222", canonical_of_2, "arn:aws:iam::222222222222:root"};
const PolicyCaller eve_2{"222222222222", canonical_of_2, "arn:aws:iam::222222222222:user/eve"};
const PolicyCaller nobody{};

std::string document(const std::string& statement) {
  return R"({"Version":"2012-10-17","Statement":[)" + statement + "]}";
}

/// A statement with the usual members, of which those given replace or add to.
std::string statement(const std::map<std::string, std::string>& members) {
  std::map<std::string, std::string> all{{"Effect", R"("Allow")"},
                                         {"Principal", R"("*")"},
                                         {"Action", R"("s3:GetObject")"},
                                         {"Resource", R"("arn:aws:s3:::b/*")"}};
  for (const auto& [name, value] : members) {
    if (name == "NotAction") all.erase("Action");
    if (name == "NotResource") all.erase("Resource");
    if (name == "NotPrincipal") all.erase("Principal");
    all[name] = value;
  }
  std::string out = "{";
  for (const auto& [name, value] : all) {
    if (value.empty()) continue;
    if (out.size() > 1) out += ',';
    out += '"' + name + "\":" + value;
  }
  return out + "}";
}

std::shared_ptr<const Policy> of_bucket(const std::string& text) {
  auto policy = Policy::of_bucket(text, "b");
  INFO(text);
  if (!policy.ok()) FAIL_CHECK(policy.error().message);
  REQUIRE(policy.ok());
  return *policy;
}

enum class Said { nothing, allow, allow_account, deny };

Said ask(const Policy& policy, std::string_view action, std::string_view resource,
         const PolicyCaller& caller, const PolicyFacts& facts) {
  const PolicyAnswer answer =
      policy.answer({.action = action, .resource = resource, .caller = caller, .facts = facts});
  if (answer.denied) return Said::deny;
  if (answer.allowed) return Said::allow;
  return answer.allowed_account ? Said::allow_account : Said::nothing;
}

std::string fault(const std::string& text) {
  const auto policy = Policy::of_bucket(text, "b");
  if (policy.ok()) return "accepted";
  CHECK(policy.error().code == "MalformedPolicy");
  CHECK(policy.error().kind == ErrorKind::invalid_argument);
  return policy.error().message;
}

TEST_CASE("policy: documents that are none are refused, with the words of the service") {
  const std::string first_byte = "Policies must be valid JSON and the first byte must be '{'";
  CHECK(fault("") == first_byte);
  CHECK(fault(" {}") == first_byte);
  CHECK(fault("[]") == first_byte);
  CHECK(fault("<xml/>") == first_byte);
  CHECK(fault("{") == "This policy contains invalid Json");
  CHECK(fault("{\"Statement\":[}") == "This policy contains invalid Json");
  CHECK(fault("{} {}") == "This policy contains invalid Json");
  CHECK(fault("{}") == "Missing required field Statement");
  CHECK(fault(R"({"Version":"2012-10-17"})") == "Missing required field Statement");
  CHECK(fault(R"({"Statement":[]})") == "Could not parse the policy: Statement is empty!");
  CHECK(fault(R"({"Statement":"x"})") == "Invalid policy syntax.");
  CHECK(fault(R"({"Statement":[1]})") == "Invalid policy syntax.");
  CHECK(fault(R"({"Version":"2013-01-01","Statement":[]})") ==
        "The policy must contain a valid version string");
  CHECK(fault(R"({"Version":2012,"Statement":[]})") ==
        "The policy must contain a valid version string");
  CHECK(fault(R"({"Id":7,"Statement":[]})") == "Invalid policy syntax.");
  CHECK(fault(R"({"Statements":[]})") == "Unknown field Statements");
  std::string deep = R"({"Statement":)";
  for (int i = 0; i < 50; ++i) deep += '[';
  for (int i = 0; i < 50; ++i) deep += ']';
  CHECK(fault(deep + "}") == "This policy contains invalid Json");
}

TEST_CASE("policy: 20 KiB fit and one byte more does not") {
  std::string text = document(statement({}));
  text.insert(text.size() - 1, policy_bytes_max - text.size(), ' ');
  REQUIRE(text.size() == policy_bytes_max);
  CHECK(Policy::of_bucket(text, "b").ok());
  text.insert(text.size() - 1, " ");
  const auto over = Policy::of_bucket(text, "b");
  REQUIRE(!over.ok());
  CHECK(over.error().code == "PolicyTooLarge");
}

TEST_CASE("policy: statements that are none are refused, with the words of the service") {
  const std::string syntax = "Invalid policy syntax.";
  const std::string principal = "Invalid principal in policy";
  const std::string resource = "Policy has invalid resource";
  const std::string action = "Policy has invalid action";
  const std::string no_fit = "Action does not apply to any resource(s) in statement";
  const std::string address = "Invalid IP address in Conditions";
  const struct {
    std::map<std::string, std::string> members;
    std::string message;
  } rows[] = {
      {{}, "accepted"},
      {{{"Effect", ""}}, "Missing required field Effect"},
      {{{"Effect", R"("allow")"}}, "Invalid effect: allow"},
      {{{"Effect", R"("hello")"}}, "Invalid effect: hello"},
      {{{"Effect", "true"}}, syntax},
      {{{"Extra", "1"}}, "Unknown field Extra"},
      {{{"Sid", "1"}}, syntax},
      {{{"Sid", R"("with spaces and signs!")"}}, "accepted"},
      {{{"Principal", ""}}, "Missing required field Principal"},
      {{{"Principal", R"("ann")"}}, principal},
      {{{"Principal", "{}"}}, principal},
      {{{"Principal", "1"}}, principal},
      {{{"Principal", R"({"AWS":[]})"}}, principal},
      {{{"Principal", R"({"AWS":[1]})"}}, principal},
      {{{"Principal", R"({"AWS":""})"}}, principal},
      {{{"Principal", R"({"AWS":"11111111111"})"}}, principal},
      {{{"Principal", R"({"AWS":"1111111111111"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:iam::11111111111a:root"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:iam::111111111111:user/*"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:iam::111111111111:user/"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:iam::111111111111:group/x"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:s3:::b"})"}}, principal},
      {{{"Principal", R"({"AWS":"arn:aws:iam:::root"})"}}, principal},
      {{{"Principal", R"({"Azure":"*"})"}}, principal},
      {{{"Principal", R"({"CanonicalUser":"abc"})"}}, principal},
      {{{"Principal", R"({"Service":"logging.s3.amazonaws.com"})"}}, "accepted"},
      {{{"Principal", R"({"Federated":"cognito-identity.amazonaws.com"})"}}, "accepted"},
      {{{"Principal", R"({"AWS":"*"})"}}, "accepted"},
      {{{"Principal", R"({"AWS":["111111111111","arn:aws:iam::222222222222:root"]})"}}, "accepted"},
      {{{"Principal", R"({"AWS":"arn:aws:iam::111111111111:user/team/ann"})"}}, "accepted"},
      {{{"Principal", R"({"AWS":"arn:aws-cn:iam::111111111111:role/x"})"}}, "accepted"},
      {{{"Principal", R"({"AWS":"arn:svc:iam::111111111111:user/x"})"}}, "accepted"},
      {{{"NotPrincipal", R"({"AWS":"111111111111"})"}}, "Allow with NotPrincipal is not allowed."},
      {{{"NotPrincipal", R"({"AWS":"111111111111"})"}, {"Effect", R"("Deny")"}}, "accepted"},
      {{{"Action", ""}}, "Missing required field Action"},
      {{{"Action", "[]"}}, "Missing required field Action"},
      {{{"Action", "{}"}}, syntax},
      {{{"Action", "[1]"}}, syntax},
      {{{"Action", R"("GetObject")"}}, action},
      {{{"Action", R"("s3:GetObjekt")"}}, action},
      {{{"Action", R"("s3:Fetch*")"}}, action},
      {{{"Action", R"("ec2:RunInstances")"}}, action},
      {{{"Action", R"("")"}}, action},
      {{{"Action", R"("S3:getobject")"}}, "accepted"},
      {{{"Action", R"("s3:Get*")"}}, "accepted"},
      {{{"Action", R"("s3:?etObject")"}}, "accepted"},
      {{{"Action", R"("*")"}}, "accepted"},
      {{{"Action", R"(["s3:GetObject","s3:PutObject"])"}}, "accepted"},
      {{{"Action", R"("s3:ListBucket")"}}, no_fit},
      {{{"Action", R"(["s3:GetObject","s3:ListBucket"])"}}, no_fit},
      {{{"Action", R"("s3:GetObject")"}, {"Resource", R"("arn:aws:s3:::b")"}}, no_fit},
      {{{"Action", R"("s3:ListBucket")"}, {"Resource", R"("arn:aws:s3:::b")"}}, "accepted"},
      {{{"Action", R"("s3:ListAllMyBuckets")"}, {"Resource", R"("arn:aws:s3:::b")"}}, no_fit},
      {{{"Action", R"("s3:CreateBucket")"}, {"Resource", R"("arn:aws:s3:::b")"}}, no_fit},
      {{{"Action", R"(["s3:GetObject","s3:ListBucket"])"},
        {"Resource", R"(["arn:aws:s3:::b","arn:aws:s3:::b/*"])"}},
       "accepted"},
      {{{"Action", R"("s3:*")"}, {"Resource", R"("arn:aws:s3:::b")"}}, "accepted"},
      {{{"NotAction", R"("s3:DeleteObject")"}}, "accepted"},
      {{{"NotAction", R"("s3:Nothing")"}}, action},
      {{{"Resource", ""}}, "Missing required field Resource"},
      {{{"Resource", R"("b/*")"}}, resource},
      {{{"Resource", R"("arn:aws:s3:::other/*")"}}, resource},
      {{{"Resource", R"("arn:aws:s3:::bb/*")"}}, resource},
      {{{"Resource", R"("arn:aws:s3:::b/x")"}}, "accepted"},
      {{{"Resource", R"("arn:aws:s3:::b*")"}}, "accepted"},
      {{{"Resource", R"("arn:aws:s3:::*")"}}, "accepted"},
      {{{"Resource", R"("arn:aws:s3:::?/*")"}}, "accepted"},
      {{{"Resource", R"("*")"}}, "accepted"},
      {{{"Resource", R"("arn:aws-cn:s3:::b/*")"}}, "accepted"},
      {{{"Resource", R"("arn:svc:s3:::b/*")"}}, "accepted"},
      {{{"Resource", R"("arn:aws:sqs:::b/*")"}}, resource},
      {{{"Resource", R"("arn:aws:s3:::b/${aws:username}/*")"}}, "accepted"},
      {{{"NotResource", R"("arn:aws:s3:::b/private/*")"}}, "accepted"},
      {{{"Condition", "[]"}}, syntax},
      {{{"Condition", "{}"}}, "accepted"},
      {{{"Condition", R"({"StringEquals":1})"}}, syntax},
      {{{"Condition", R"({"StringEquals":{}})"}}, syntax},
      {{{"Condition", R"({"StringEquals":{"aws:Referer":[]}})"}}, syntax},
      {{{"Condition", R"({"StringEquals":{"aws:Referer":{"a":1}}})"}}, syntax},
      {{{"Condition", R"({"StringEquals":{"aws:Referer":null}})"}}, syntax},
      {{{"Condition", R"({"StringMatches":{"aws:Referer":"x"}})"}},
       "Invalid Condition type : StringMatches"},
      {{{"Condition", R"({"stringequals":{"aws:Referer":"x"}})"}},
       "Invalid Condition type : stringequals"},
      {{{"Condition", R"({"NullIfExists":{"aws:Referer":"true"}})"}},
       "Invalid Condition type : NullIfExists"},
      {{{"Condition", R"({"ForSomeValues:StringEquals":{"aws:Referer":"x"}})"}},
       "Invalid Condition type : ForSomeValues:StringEquals"},
      {{{"Condition", R"({"ForAllValues:StringLikeIfExists":{"aws:Referer":"x"}})"}}, "accepted"},
      {{{"Condition", R"({"StringEquals":{"aws:Nonsense":"x"}})"}},
       "Policy has an invalid condition key"},
      {{{"Condition", R"({"StringEquals":{"s3:nonsense":"x"}})"}},
       "Policy has an invalid condition key"},
      {{{"Condition", R"({"StringEquals":{"s3:ExistingObjectTag/":"x"}})"}},
       "Policy has an invalid condition key"},
      {{{"Condition", R"({"StringEquals":{"AWS:SOURCEVPCE":"vpce-1"}})"}}, "accepted"},
      {{{"Condition", R"({"StringEquals":{"aws:PrincipalTag/team":"x"}})"}}, "accepted"},
      {{{"Condition", R"({"StringEquals":{"s3:prefix":"x"}})"}},
       "Conditions do not apply to combination of actions and resources in statement"},
      {{{"Condition", R"({"StringEquals":{"s3:x-amz-acl":"public-read"}})"}},
       "Conditions do not apply to combination of actions and resources in statement"},
      {{{"Condition", R"({"StringEquals":{"s3:VersionId":"v"}})"}},
       "Conditions do not apply to combination of actions and resources in statement"},
      {{{"Action", R"("s3:*")"}, {"Condition", R"({"StringEquals":{"s3:x-amz-acl":"private"}})"}},
       "accepted"},
      {{{"Action", R"("s3:GetObjectVersion")"},
        {"Condition", R"({"StringEquals":{"s3:VersionId":"v"}})"}},
       "accepted"},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"10.0.0.0/33"}})"}}, address},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"10.0.0"}})"}}, address},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"10.0.0.0/x"}})"}}, address},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"2001:db8::/129"}})"}}, address},
      {{{"Condition", R"({"StringEquals":{"aws:SourceIp":"here"}})"}}, address},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":["10.0.0.0/8","2001:db8::/32"]}})"}},
       "accepted"},
      {{{"Condition", R"({"NumericLessThan":{"s3:signatureAge":"soon"}})"}},
       "Invalid number in Conditions: soon"},
      {{{"Condition", R"({"NumericLessThan":{"s3:signatureAge":"inf"}})"}},
       "Invalid number in Conditions: inf"},
      {{{"Condition", R"({"NumericLessThan":{"s3:signatureAge":600000}})"}}, "accepted"},
      {{{"Condition", R"({"DateLessThan":{"aws:CurrentTime":"tomorrow"}})"}},
       "Invalid date in Conditions: tomorrow"},
      {{{"Condition", R"({"DateLessThan":{"aws:CurrentTime":"2030-01-01T00:00:00Z"}})"}},
       "accepted"},
      {{{"Condition", R"({"DateLessThan":{"aws:EpochTime":1893456000}})"}}, "accepted"},
      {{{"Condition", R"({"Bool":{"aws:SecureTransport":"yes"}})"}},
       "Invalid boolean in Conditions: yes"},
      {{{"Condition", R"({"Bool":{"aws:SecureTransport":false}})"}}, "accepted"},
      {{{"Condition", R"({"Null":{"aws:Referer":"maybe"}})"}},
       "Invalid boolean in Conditions: maybe"},
  };
  for (const auto& row : rows) {
    const std::string text = document(statement(row.members));
    INFO(text);
    CHECK(fault(text) == row.message);
  }
}

TEST_CASE("policy: what contradicts itself is refused") {
  const auto with = [](const std::string& extra) {
    std::string text = statement({});
    text.insert(text.size() - 1, "," + extra);
    return fault(document(text));
  };
  CHECK(with(R"("NotAction":"s3:PutObject")") == "Invalid policy syntax.");
  CHECK(with(R"("NotResource":"arn:aws:s3:::b/x")") == "Invalid policy syntax.");
  CHECK(with(R"("NotPrincipal":"*")") == "Invalid policy syntax.");
  const std::string one = statement({{"Sid", R"("same")"}});
  CHECK(fault(document(one + "," + one)) ==
        "Statement IDs (SID) in a single policy must be unique.");
  const std::string unnamed = statement({{"Sid", R"("")"}});
  CHECK(fault(document(unnamed + "," + unnamed)) == "accepted");
}

TEST_CASE("policy: one statement may stand without a list, and documents without a version") {
  const auto bare = of_bucket(R"({"Statement":)" + statement({}) + "}");
  CHECK(ask(*bare, "s3:GetObject", "arn:aws:s3:::b/k", nobody, Told{}) == Said::allow);
  const auto old =
      of_bucket(R"({"Version":"2008-10-17","Id":"x","Statement":[)" + statement({}) + "]}");
  CHECK(ask(*old, "s3:GetObject", "arn:aws:s3:::b/k", nobody, Told{}) == Said::allow);
}

TEST_CASE("policy: principals") {
  const struct {
    const char* principal;
    Said root_1, ann_1, bob_1, eve_2, nobody;
  } rows[] = {
      {R"("*")", Said::allow, Said::allow, Said::allow, Said::allow, Said::allow},
      {R"({"AWS":"*"})", Said::allow, Said::allow, Said::allow, Said::allow, Said::allow},
      {R"({"AWS":["*"]})", Said::allow, Said::allow, Said::allow, Said::allow, Said::allow},
      {R"({"AWS":"111111111111"})", Said::allow, Said::allow_account, Said::allow_account,
       Said::nothing, Said::nothing},
      {R"({"AWS":"arn:aws:iam::111111111111:root"})", Said::allow, Said::allow_account,
       Said::allow_account, Said::nothing, Said::nothing},
      {R"({"AWS":"arn:aws:iam::111111111111:user/ann"})", Said::nothing, Said::allow, Said::nothing,
       Said::nothing, Said::nothing},
      {R"({"AWS":"arn:aws:iam::111111111111:user/Ann"})", Said::nothing, Said::nothing,
       Said::nothing, Said::nothing, Said::nothing},
      {R"({"AWS":["arn:aws:iam::111111111111:user/ann","222222222222"]})", Said::nothing,
       Said::allow, Said::nothing, Said::allow_account, Said::nothing},
      {R"({"CanonicalUser":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"})",
       Said::nothing, Said::nothing, Said::nothing, Said::allow_account, Said::nothing},
      {R"({"Service":"cloudfront.amazonaws.com"})", Said::nothing, Said::nothing, Said::nothing,
       Said::nothing, Said::nothing},
      {R"({"AWS":"arn:aws:iam::111111111111:role/ann"})", Said::nothing, Said::nothing,
       Said::nothing, Said::nothing, Said::nothing},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.principal));
    const auto policy = of_bucket(document(statement({{"Principal", row.principal}})));
    const auto said = [&](const PolicyCaller& caller) {
      return ask(*policy, "s3:GetObject", "arn:aws:s3:::b/k", caller, Told{});
    };
    CHECK(said(root_1) == row.root_1);
    CHECK(said(ann_1) == row.ann_1);
    CHECK(said(bob_1) == row.bob_1);
    CHECK(said(eve_2) == row.eve_2);
    CHECK(said(nobody) == row.nobody);
  }
}

TEST_CASE("policy: NotPrincipal denies all but those named") {
  const auto policy = of_bucket(document(statement(
      {{"Effect", R"("Deny")"},
       {"NotPrincipal",
        R"({"AWS":["arn:aws:iam::111111111111:user/ann","arn:aws:iam::222222222222:root"]})"}})));
  const auto said = [&](const PolicyCaller& caller) {
    return ask(*policy, "s3:GetObject", "arn:aws:s3:::b/k", caller, Told{});
  };
  CHECK(said(ann_1) == Said::nothing);
  CHECK(said(bob_1) == Said::deny);
  CHECK(said(root_1) == Said::deny);
  CHECK(said(root_2) == Said::nothing);
  CHECK(said(eve_2) == Said::nothing);  // her account is named
  CHECK(said(nobody) == Said::deny);
}

TEST_CASE("policy: actions and resources, with wildcards") {
  const struct {
    std::map<std::string, std::string> members;
    const char* action;
    const char* resource;
    bool allowed;
  } rows[] = {
      {{}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{}, "s3:GetObjectVersion", "arn:aws:s3:::b/k", false},
      {{}, "s3:PutObject", "arn:aws:s3:::b/k", false},
      {{}, "s3:GetObject", "arn:aws:s3:::b", false},
      {{}, "s3:GetObject", "arn:aws:s3:::b/a/b/c", true},
      {{{"Action", R"("s3:getobject")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"Action", R"("s3:Get*")"}}, "s3:GetObjectVersion", "arn:aws:s3:::b/k", true},
      {{{"Action", R"("s3:Get*")"}}, "s3:PutObject", "arn:aws:s3:::b/k", false},
      {{{"Action", R"("s3:*Object")"}}, "s3:DeleteObject", "arn:aws:s3:::b/k", true},
      {{{"Action", R"("s3:*Object")"}}, "s3:GetObjectAcl", "arn:aws:s3:::b/k", false},
      {{{"Action", R"("s3:?etObject")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"Action", R"("s3:?etObject")"}}, "s3:PutObject", "arn:aws:s3:::b/k", false},
      {{{"Action", R"("*")"}}, "s3:PutObject", "arn:aws:s3:::b/k", true},
      {{{"Action", R"(["s3:PutObject","s3:DeleteObject"])"}},
       "s3:DeleteObject",
       "arn:aws:s3:::b/k",
       true},
      {{{"NotAction", R"("s3:Delete*")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"NotAction", R"("s3:Delete*")"}}, "s3:DeleteObject", "arn:aws:s3:::b/k", false},
      {{{"Resource", R"("arn:aws:s3:::b/a?c")"}}, "s3:GetObject", "arn:aws:s3:::b/abc", true},
      {{{"Resource", R"("arn:aws:s3:::b/a?c")"}}, "s3:GetObject", "arn:aws:s3:::b/ac", false},
      {{{"Resource", R"("arn:aws:s3:::b/a?c")"}}, "s3:GetObject", "arn:aws:s3:::b/a\u00e9c", true},
      {{{"Resource", R"("arn:aws:s3:::b/*/x")"}}, "s3:GetObject", "arn:aws:s3:::b/1/2/x", true},
      {{{"Resource", R"("arn:aws:s3:::b/*/x")"}}, "s3:GetObject", "arn:aws:s3:::b/x", false},
      {{{"Resource", R"("arn:aws:s3:::b/*.jpg")"}}, "s3:GetObject", "arn:aws:s3:::b/a.jpg", true},
      {{{"Resource", R"("arn:aws:s3:::b/*.jpg")"}}, "s3:GetObject", "arn:aws:s3:::b/a.jpgx", false},
      {{{"Resource", R"("arn:aws:s3:::b/*.jpg")"}},
       "s3:GetObject",
       "arn:aws:s3:::b/.jpg.jpg",
       true},
      {{{"Resource", R"("arn:aws:s3:::b/K")"}}, "s3:GetObject", "arn:aws:s3:::b/k", false},
      {{{"Resource", R"("arn:aws:s3:::b/${*}")"}}, "s3:GetObject", "arn:aws:s3:::b/k", false},
      {{{"Resource", R"("arn:aws:s3:::b/${*}")"}}, "s3:GetObject", "arn:aws:s3:::b/*", true},
      {{{"Resource", R"("arn:aws:s3:::b/${?}${$}")"}}, "s3:GetObject", "arn:aws:s3:::b/?$", true},
      {{{"Resource", R"("arn:aws:s3:::b/${unclosed")"}},
       "s3:GetObject",
       "arn:aws:s3:::b/${unclosed",
       true},
      {{{"Resource", R"("*")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"Resource", R"("arn:aws-us-gov:s3:::b/*")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"Resource", R"("arn:svc:s3:::b/*")"}}, "s3:GetObject", "arn:aws:s3:::b/k", true},
      {{{"Resource", R"("arn:svc:s3:::b/*")"}}, "s3:GetObject", "arn:aws:s3:::c/k", false},
      {{{"NotResource", R"("arn:aws:s3:::b/private/*")"}},
       "s3:GetObject",
       "arn:aws:s3:::b/k",
       true},
      {{{"NotResource", R"("arn:aws:s3:::b/private/*")"}},
       "s3:GetObject",
       "arn:aws:s3:::b/private/k",
       false},
      {{{"Action", R"("s3:ListBucket")"}, {"Resource", R"("arn:aws:s3:::b")"}},
       "s3:ListBucket",
       "arn:aws:s3:::b",
       true},
  };
  for (const auto& row : rows) {
    const std::string text = document(statement(row.members));
    INFO((text + " " + row.action + " " + row.resource));
    const auto policy = of_bucket(text);
    CHECK((ask(*policy, row.action, row.resource, nobody, Told{}) == Said::allow) == row.allowed);
  }
}

TEST_CASE("policy: a denial outweighs every allowance, in any order") {
  const std::string allow = statement({{"Action", R"("s3:*")"}});
  const std::string deny = statement({{"Effect", R"("Deny")"},
                                      {"Principal", R"({"AWS":"222222222222"})"},
                                      {"Action", R"("s3:DeleteObject")"}});
  for (const auto& text : {document(allow + "," + deny), document(deny + "," + allow)}) {
    const auto policy = of_bucket(text);
    CHECK(ask(*policy, "s3:DeleteObject", "arn:aws:s3:::b/k", eve_2, Told{}) == Said::deny);
    CHECK(ask(*policy, "s3:DeleteObject", "arn:aws:s3:::b/k", ann_1, Told{}) == Said::allow);
    CHECK(ask(*policy, "s3:GetObject", "arn:aws:s3:::b/k", eve_2, Told{}) == Said::allow);
    CHECK(ask(*policy, "s3:DeleteObject", "arn:aws:s3:::b/k", nobody, Told{}) == Said::allow);
  }
}

TEST_CASE(
    "policy: variables stand for values of the request, and for nothing where there is none") {
  const auto policy =
      of_bucket(document(statement({{"Resource", R"("arn:aws:s3:::b/home/${aws:username}/*")"}})));
  const auto may = [&](std::string_view resource, const PolicyFacts& facts) {
    return ask(*policy, "s3:GetObject", resource, ann_1, facts) == Said::allow;
  };
  const Told ann{{"aws:username", {"ann"}}};
  CHECK(may("arn:aws:s3:::b/home/ann/x", ann));
  CHECK(!may("arn:aws:s3:::b/home/bob/x", ann));
  CHECK(!may("arn:aws:s3:::b/home//x", Told{}));
  CHECK(!may("arn:aws:s3:::b/home/${aws:username}/x", Told{}));
  // A value with wildcards stands for itself.
  CHECK(!may("arn:aws:s3:::b/home/bob/x", Told{{"aws:username", {"*"}}}));
  CHECK(may("arn:aws:s3:::b/home/*/x", Told{{"aws:username", {"*"}}}));

  const auto otherwise = of_bucket(
      document(statement({{"Resource", R"("arn:aws:s3:::b/${aws:username, 'guest'}/*")"}})));
  CHECK(ask(*otherwise, "s3:GetObject", "arn:aws:s3:::b/guest/x", nobody, Told{}) == Said::allow);
  CHECK(ask(*otherwise, "s3:GetObject", "arn:aws:s3:::b/ann/x", ann_1, ann) == Said::allow);
  CHECK(ask(*otherwise, "s3:GetObject", "arn:aws:s3:::b/guest/x", ann_1, ann) == Said::nothing);

  // Before 2012-10-17 they were plain text.
  const auto old =
      of_bucket(R"({"Version":"2008-10-17","Statement":[)" +
                statement({{"Resource", R"("arn:aws:s3:::b/${aws:username}")"}}) + "]}");
  CHECK(ask(*old, "s3:GetObject", "arn:aws:s3:::b/ann", ann_1, ann) == Said::nothing);
  CHECK(ask(*old, "s3:GetObject", "arn:aws:s3:::b/${aws:username}", ann_1, ann) == Said::allow);
}

TEST_CASE("policy: who is public") {
  const struct {
    std::map<std::string, std::string> members;
    bool is_public;
  } rows[] = {
      {{}, true},
      {{{"Principal", R"({"AWS":"*"})"}}, true},
      {{{"Principal", R"({"AWS":["111111111111","*"]})"}}, true},
      {{{"Principal", R"({"AWS":"111111111111"})"}}, false},
      {{{"Principal", R"({"Service":"logging.s3.amazonaws.com"})"}}, false},
      {{{"Effect", R"("Deny")"}}, false},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"203.0.113.0/24"}})"}}, false},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"11.0.0.0/8"}})"}}, false},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"11.0.0.0/7"}})"}}, true},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"0.0.0.0/0"}})"}}, true},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":["203.0.113.0/24","0.0.0.0/1"]}})"}}, true},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"2001:db8::/32"}})"}}, false},
      {{{"Condition", R"({"IpAddress":{"aws:SourceIp":"2001:db8::/31"}})"}}, true},
      {{{"Condition", R"({"NotIpAddress":{"aws:SourceIp":"203.0.113.0/24"}})"}}, true},
      {{{"Condition", R"({"IpAddressIfExists":{"aws:SourceIp":"203.0.113.0/24"}})"}}, true},
      {{{"Condition", R"({"StringEquals":{"aws:PrincipalOrgID":"o-1"}})"}}, false},
      {{{"Condition", R"({"StringEquals":{"aws:SourceVpce":"vpce-1"}})"}}, false},
      {{{"Condition", R"({"StringLike":{"aws:SourceVpce":"vpce-*"}})"}}, true},
      {{{"Condition", R"({"StringLike":{"aws:SourceVpce":"vpce-1"}})"}}, false},
      {{{"Condition", R"({"StringNotEquals":{"aws:SourceVpce":"vpce-1"}})"}}, true},
      {{{"Condition", R"({"ForAllValues:StringEquals":{"aws:SourceVpce":"vpce-1"}})"}}, true},
      {{{"Condition", R"({"StringEquals":{"aws:PrincipalAccount":"111111111111"}})"}}, false},
      {{{"Condition", R"({"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::111111111111:user/a"}})"}},
       false},
      {{{"Condition", R"({"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::111111111111:user/*"}})"}},
       true},
      {{{"Condition", R"({"StringLike":{"aws:Referer":"https://example.org/"}})"}}, true},
      {{{"Condition", R"({"Bool":{"aws:SecureTransport":"true"}})"}}, true},
      {{{"Condition",
         R"({"Bool":{"aws:SecureTransport":"true"},"IpAddress":{"aws:SourceIp":"1.2.3.4"}})"}},
       false},
  };
  for (const auto& row : rows) {
    const std::string text = document(statement(row.members));
    INFO(text);
    CHECK(of_bucket(text)->is_public() == row.is_public);
  }
  const std::string narrow = statement({{"Principal", R"({"AWS":"111111111111"})"}});
  CHECK(of_bucket(document(narrow + "," + statement({})))->is_public());
  CHECK(!of_bucket(document(narrow))->is_public());
}

TEST_CASE("policy: of an identity: no principals, actions of other services pass") {
  const auto text = [](const std::string& statement) {
    return R"({"Version":"2012-10-17","Statement":)" + statement + "}";
  };
  const auto fault_of = [&](const std::string& statement) {
    const auto policy = Policy::of_identity(text(statement));
    if (policy.ok()) return std::string("accepted");
    CHECK(policy.error().code == "MalformedPolicyDocument");
    return policy.error().message;
  };
  CHECK(fault_of(R"({"Effect":"Allow","Action":"s3:*","Resource":"*"})") == "accepted");
  CHECK(
      fault_of(R"({"Effect":"Allow","Action":["ec2:Describe*","s3:GetObject"],"Resource":"*"})") ==
      "accepted");
  CHECK(fault_of(R"({"Effect":"Allow","Action":"s3:GetObject","Resource":"b/*"})") ==
        "Resource b/* must be in ARN format or \"*\".");
  CHECK(fault_of(R"({"Effect":"Allow","Action":"GetObject","Resource":"*"})") ==
        "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
  CHECK(fault_of(R"({"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":"*"})") ==
        "Policy document should not specify a principal.");
  CHECK(fault_of(R"({"Sid":"no-dashes","Effect":"Allow","Action":"s3:*","Resource":"*"})") ==
        "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular "
        "expression [0-9A-Za-z]*");
  CHECK(fault_of(R"({"Effect":"Allow","Action":"s3:*","Resource":"*",
                     "Condition":{"StringEquals":{"ec2:Region":"x"}}})") == "accepted");
  CHECK(fault_of(R"({"Effect":"Allow","Action":"s3:*","Resource":"*",
                     "Condition":{"StringEquals":{"region":"x"}}})") ==
        "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
  const auto policy = Policy::of_identity(
      text(R"({"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"})"));
  REQUIRE(policy.ok());
  CHECK(ask(**policy, "s3:GetObject", "arn:aws:s3:::b/k", nobody, Told{}) == Said::allow);
  CHECK(ask(**policy, "s3:GetObject", "arn:aws:s3:::c/k", nobody, Told{}) == Said::nothing);
}

/// Says nothing, and counts how often it is asked.
class Counting final : public PolicyFacts {
 public:
  bool find(const PolicyKey&, std::vector<std::string>& values) const override {
    ++asked;
    values.emplace_back("here");
    return true;
  }
  mutable std::size_t asked = 0;
};

TEST_CASE("complexity: an answer looks at each statement once, whoever asks") {
  const auto asked = [](std::size_t n, const std::string& principals) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i)
      all += (i == 0 ? "" : ",") +
             statement({{"Sid", "\"s" + std::to_string(i) + "\""},
                        {"Principal", principals},
                        {"Condition", R"({"StringEquals":{"aws:Referer":"here"}})"}});
    const auto policy = of_bucket(document(all));
    const Counting facts;
    CHECK(ask(*policy, "s3:GetObject", "arn:aws:s3:::b/k", ann_1, facts) == Said::allow);
    const std::size_t by_ann = facts.asked;
    ask(*policy, "s3:PutObject", "arn:aws:s3:::b/k", ann_1, facts);
    CHECK(facts.asked == by_ann);  // no statement is about that
    return by_ann;
  };
  std::string many = R"({"AWS":[)";
  for (int i = 0; i < 4; ++i)
    many += "\"arn:aws:iam::33333333333" + std::to_string(i) + ":root\",";
  many += R"("arn:aws:iam::111111111111:user/ann"]})";
  for (const std::string& principals : {std::string(R"("*")"), many})
    for (const std::size_t n : {12u, 24u, 48u}) CHECK(asked(n, principals) == n);
}

}  // namespace
}  // namespace cairn::auth::policy_test
