// SPDX-License-Identifier: Apache-2.0
// Grants to accounts, by id and by e-mail address, where those are still taken, and display names.
#include <doctest/doctest.h>

#include "s3api/service_rig.h"

namespace cairn::s3api::account_book_test {
namespace {

const std::string my_id(64, '1'), their_id(64, '2');

Options mail_until_west() { return Options{.email_grants_end_in = {"us-west-1", "us-west-2"}}; }

struct MailRig : ServiceRig {
  explicit MailRig(Options options) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt", "", {{"x-amz-object-ownership", "ObjectWriter"}}).status == 200);
  }
  Answer grant(const std::string& grantee) {
    return put("/bkt?acl", "", {{"x-amz-grant-read", grantee}});
  }
  int they_list() { return ask({.target = "/bkt", .credentials = theirs}).status; }
};

const std::string mail_body =
    "<AccessControlPolicy><Owner><ID>" + my_id +
    "</ID></Owner><AccessControlList><Grant><Grantee "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:type=\"AmazonCustomerByEmail\"><EmailAddress>theirs@example.org</EmailAddress></Grantee>"
    "<Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>";

TEST_CASE("accounts: e-mail grantees are refused everywhere, unless the settings say less") {
  MailRig rig{Options{}};
  for (const Answer& answer :
       {rig.grant("emailAddress=\"theirs@example.org\""), rig.put("/bkt?acl", mail_body)}) {
    CHECK(answer.status == 400);
    CHECK(answer.code() == "UnresolvableGrantByEmailAddress");
    CHECK(answer.text("Message") ==
          "The e-mail address you provided does not match any account on record.");
  }
  CHECK(rig.they_list() == 403);
}

TEST_CASE("accounts: e-mail grantees of other regions are taken, and work for that account") {
  MailRig rig(mail_until_west());
  CHECK(rig.grant("emailAddress=\"theirs@example.org\"").status == 200);
  CHECK(rig.they_list() == 200);
  CHECK(rig.put("/bkt?acl", mail_body).status == 200);
  CHECK(rig.they_list() == 200);
  CHECK(rig.grant("emailAddress=\"nobody@example.org\"").code() ==
        "UnresolvableGrantByEmailAddress");
  // The bucket's region counts, not the endpoint's.
  REQUIRE(rig.put("/west",
                  "<CreateBucketConfiguration><LocationConstraint>us-west-2</LocationConstraint>"
                  "</CreateBucketConfiguration>",
                  {{"x-amz-object-ownership", "ObjectWriter"}})
              .status == 200);
  CHECK(rig.put("/west?acl", "", {{"x-amz-grant-read", "emailAddress=\"theirs@example.org\""}})
            .code() == "UnresolvableGrantByEmailAddress");
  CHECK(rig.get("/west?acl").text("Owner/DisplayName") == "(none)");
}

TEST_CASE("accounts: a grant by e-mail that is there keeps working where new ones are refused") {
  MailRig rig(mail_until_west());
  REQUIRE(rig.grant("emailAddress=\"theirs@example.org\"").status == 200);
  rig.restart();
  CHECK(rig.they_list() == 200);
  CHECK(rig.get("/bkt?acl").text("AccessControlList/Grant/Grantee/EmailAddress") ==
        "theirs@example.org");
  CHECK(rig.put("/bkt?acl", mail_body).status == 200);  // the same again is not new
  CHECK(rig.grant("emailAddress=\"mine@example.org\"").code() == "UnresolvableGrantByEmailAddress");
}

TEST_CASE("accounts: a canonical id must be an account's") {
  MailRig rig{Options{}};
  CHECK(rig.grant("id=" + their_id).status == 200);
  const Answer answer = rig.grant("id=" + std::string(64, '3'));
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("Message") == "Invalid id");
  CHECK(answer.text("ArgumentValue") == std::string(64, '3'));
  CHECK(rig.they_list() == 200);
}

TEST_CASE("accounts: display names are shown where e-mail grantees are, and nowhere else") {
  for (const bool shown : {false, true}) {
    CAPTURE(shown);
    MailRig rig(shown ? mail_until_west() : Options{});
    const std::string mine = shown ? "mine" : "(none)";
    REQUIRE(rig.put("/bkt/k", "x").status == 200);
    const std::string id = rig.post("/bkt/up?uploads", "").text("UploadId");
    CHECK(rig.get("/").text("Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt?acl").text("Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt?acl").text("AccessControlList/Grant/Grantee/DisplayName") == mine);
    CHECK(rig.get("/bkt/k?acl").text("Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt").text("Contents/Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt?list-type=2&fetch-owner=true").text("Contents/Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt?versions").text("Version/Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt?uploads").text("Upload/Owner/DisplayName") == mine);
    CHECK(rig.get("/bkt/up?uploadId=" + id).text("Initiator/DisplayName") == mine);
  }
}

}  // namespace
}  // namespace cairn::s3api::account_book_test
