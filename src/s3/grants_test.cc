// SPDX-License-Identifier: Apache-2.0
#include "s3/grants.h"

#include <doctest/doctest.h>

namespace cairn::s3::grants_test {
namespace {

const std::string me(64, 'a'),
    you(64, 'b'), all = "http://acs.amazonaws.com/groups/global/AllUsers";

std::string shown(const GrantList& list) {
  std::string out;
  for (const Grant& grant : list.grants) {
    if (!out.empty()) out += " ";
    out += grant.kind == GranteeKind::group ? std::string(uri_of(grant.group)).substr(31)
                                            : grant.name.substr(0, 1);
    out += ":" + std::string(name_of(grant.right));
  }
  return out;
}

TEST_CASE("grants: canned names") {
  const auto canned = [](std::string_view name, const std::string& bucket_owner) {
    const auto list = canned_grants(name, me, bucket_owner);
    return list ? shown(*list) : "(none)";
  };
  CHECK(canned("private", me) == "a:FULL_CONTROL");
  CHECK(canned("public-read", me) == "a:FULL_CONTROL /global/AllUsers:READ");
  CHECK(canned("public-read-write", me) ==
        "a:FULL_CONTROL /global/AllUsers:READ /global/AllUsers:WRITE");
  CHECK(canned("authenticated-read", me) == "a:FULL_CONTROL /global/AuthenticatedUsers:READ");
  CHECK(canned("bucket-owner-read", you) == "a:FULL_CONTROL b:READ");
  CHECK(canned("bucket-owner-full-control", you) == "a:FULL_CONTROL b:FULL_CONTROL");
  CHECK(canned("bucket-owner-full-control", me) == "a:FULL_CONTROL");
  CHECK(canned("log-delivery-write", me) ==
        "a:FULL_CONTROL /s3/LogDelivery:WRITE /s3/LogDelivery:READ_ACP");
  CHECK(canned("everybody", me) == "(none)");
  CHECK(is_public(*canned_grants("authenticated-read", me, me)));
  CHECK_FALSE(is_public(*canned_grants("log-delivery-write", me, me)));
}

TEST_CASE("grants: header fields") {
  const auto grants = grants_of_fields(
      {.full_control = "id=\"" + me + "\"", .read = "uri=\"" + all + "\", id=" + you});
  REQUIRE(grants.ok());
  CHECK(shown({.grants = *grants}) == "a:FULL_CONTROL /global/AllUsers:READ b:READ");
  const auto fault = [](std::string text) {
    const auto read = grants_of_fields({.write_acp = std::move(text)});
    REQUIRE_FALSE(read.ok());
    return read.error().code + ": " + read.error().message;
  };
  CHECK(fault("somebody") == "InvalidArgument: Argument format not recognized");
  CHECK(fault("name=\"x\"") == "InvalidArgument: Argument format not recognized");
  CHECK(fault("id=\"x\"") == "InvalidArgument: Invalid id");
  CHECK(fault("uri=\"http://a.org/\"") == "InvalidArgument: Invalid group uri");
  CHECK(fault("emailAddress=\"a@b.org\"").starts_with("UnresolvableGrantByEmailAddress"));
  CHECK(grants_of_fields({})->empty());
  CHECK_FALSE(GrantFields{}.any());
}

AccessControlPolicyElement policy_of(const std::string& owner, std::vector<GrantElement> grants) {
  return {.owner = OwnerElement{.id = owner}, .grants = std::move(grants)};
}

TEST_CASE("grants: bodies, and what was kept of them") {
  const GrantList kept = private_grants(me);
  const auto user = GrantElement{.grantee = GranteeElement{.type = "CanonicalUser", .id = you},
                                 .permission = "WRITE"};
  const auto group = GrantElement{.grantee = GranteeElement{.type = "Group", .uri = all},
                                  .permission = "READ_ACP"};
  const auto list = grants_of_policy(policy_of(me, {user, group}), kept);
  REQUIRE(list.ok());
  CHECK(shown(*list) == "b:WRITE /global/AllUsers:READ_ACP");
  const std::string text = text_of_grants(*list);
  CHECK(*grants_of_text(text, "other") == *list);
  CHECK(*grants_of_text("", me) == kept);
  CHECK(grants_of_text("<", me).ok() == false);
  CHECK(grants_of_policy(policy_of(you, {user}), kept).error().code == "AccessDenied");
  CHECK(grants_of_policy({.grants = {user}}, kept).error().code == "MalformedACLError");
  CHECK(grants_of_policy(policy_of(me, {{.permission = "READ"}}), kept).error().code ==
        "MalformedACLError");
  CHECK(grants_of_policy(policy_of(me, std::vector<GrantElement>(101, user)), kept).error().code ==
        "MalformedACLError");
  CHECK(gives(GrantRight::full_control, GrantRight::write_acp));
  CHECK_FALSE(gives(GrantRight::read, GrantRight::write));
}

TEST_CASE("grants: e-mail addresses are refused when new, and kept when they were there") {
  const auto mail = GrantElement{
      .grantee = GranteeElement{.type = "AmazonCustomerByEmail", .email_address = "a@b.org"},
      .permission = "READ"};
  GrantList kept = private_grants(me);
  CHECK(grants_of_policy(policy_of(me, {mail}), kept).error().code ==
        "UnresolvableGrantByEmailAddress");
  kept.grants.push_back(
      {.kind = GranteeKind::email, .name = "a@b.org", .right = GrantRight::write});
  const GrantList read = *grants_of_text(text_of_grants(kept), me);
  CHECK(read == kept);
  const auto again = grants_of_policy(policy_of(me, {mail}), read);
  REQUIRE(again.ok());
  CHECK(again->grants.at(0).name == "a@b.org");
  CHECK_FALSE(grant_elements(read).at(1).grantee->display_name.has_value());
}

}  // namespace
}  // namespace cairn::s3::grants_test
