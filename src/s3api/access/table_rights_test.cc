// SPDX-License-Identifier: Apache-2.0
// Who may read the tables of a bucket.
#include "s3api/access/table_rights.h"

#include <doctest/doctest.h>

namespace cairn::s3api::table_rights_test {
namespace {

const std::string mine(12, '1');

s3::Bucket bucket(const char* name = "books") {
  return {.name = name, .owner = {.id = std::string(64, '1'), .account_id = mine}};
}

auth::ObjectCaller user(const std::vector<std::string>& statements) {
  auth::ObjectCaller caller{.account_id = mine,
                            .canonical_id = std::string(64, '1'),
                            .email = {},
                            .arn = auth::principal_arn(mine, "ann"),
                            .user_id = "AIDA1",
                            .username = "ann"};
  for (const auto& statement : statements)
    caller.policies.push_back(
        auth::Policy::of_identity(R"({"Version":"2012-10-17","Statement":[)" + statement + "]}")
            .value());
  return caller;
}

std::string allow(const std::string& action, const std::string& resource,
                  const std::string& more = {}) {
  return R"({"Effect":"Allow","Action":")" + action + R"(","Resource":")" + resource + "\"" + more +
         "}";
}

const std::string journal =
    "arn:aws:s3tables:us-east-1:111111111111:bucket/aws-s3/table/b_books/journal";

}  // namespace

TEST_CASE("table rights: which indices are tables") {
  const auto shown = [](std::string_view index) {
    const auto found = table_of_index(index);
    return found ? std::string(found->table) + " of " + std::string(found->bucket) : "none";
  };
  CHECK(shown(".objects-journal-books") == "journal of books");
  CHECK(shown(".objects-inventory-a-b.c") == "inventory of a-b.c");
  CHECK(index_of_table("journal", "books") == ".objects-journal-books");
  for (const char* other :
       {"books", ".objects-", ".objects-journal", ".objects-journal-", ".objects-journal-*",
        ".objects-journalbooks", ".objects-history-books", "objects-journal-books",
        ".objects-journal-Books", ".objects-*-books", ".objects-journal-books,x"})
    CHECK_MESSAGE(shown(other) == "none", other);
}

TEST_CASE("table rights: the root of the account, and users by their policies") {
  const auto may = [](const auth::ObjectCaller& caller, const s3::Bucket& of = bucket(),
                      std::string_view table = "journal") {
    return may_read_table(caller, of, table, "us-east-1", 1'700'000'000'000);
  };
  auth::ObjectCaller root = user({});
  root.username.clear();
  CHECK(may(root));
  auth::ObjectCaller other_root = root;
  other_root.account_id = std::string(12, '2');
  CHECK_FALSE(may(other_root));

  const std::string deny =
      R"({"Effect":"Deny","Action":"s3tables:*","Resource":"*")";
  const struct {
    const char* what;
    std::vector<std::string> statements;
    bool journal, inventory;
  } rows[] = {
      {"nothing", {}, false, false},
      {"this table", {allow("s3tables:GetTableData", journal)}, true, false},
      {"letters of an action", {allow("S3TABLES:gettabledata", journal)}, true, false},
      {"all tables of the bucket",
       {allow("s3tables:Get*", "arn:aws:s3tables:*:*:bucket/aws-s3/table/b_books/*")}, true, true},
      {"everything", {allow("*", "*")}, true, true},
      {"tables of another bucket",
       {allow("s3tables:*", "arn:aws:s3tables:*:*:bucket/aws-s3/table/b_book/*")}, false, false},
      {"another region",
       {allow("s3tables:*", "arn:aws:s3tables:eu-west-1:*:bucket/aws-s3/table/*")}, false, false},
      {"all objects, no tables", {allow("s3:*", "*")}, false, false},
      {"another action", {allow("s3tables:GetTable", journal)}, false, false},
      {"a denial outweighs", {allow("*", "*"), deny + "}"}, false, false},
      {"a condition that holds",
       {allow("s3tables:*", "*", R"(,"Condition":{"StringEquals":{"aws:username":"ann"}})")}, true,
       true},
      {"a condition that does not",
       {allow("s3tables:*", "*", R"(,"Condition":{"StringEquals":{"aws:username":"bob"}})")}, false,
       false},
      {"a denial by what is not known here",
       {allow("*", "*"), deny + R"(,"Condition":{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}})"},
       false, false},
      {"a right by what is not known here",
       {allow("*", "*", R"(,"Condition":{"NotIpAddress":{"aws:SourceIp":"192.0.2.0/24"}})")}, false,
       false},
      {"a denial of another service that asks for it",
       {allow("*", "*"),
        R"({"Effect":"Deny","Action":"s3:*","Resource":"*",
            "Condition":{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}})"},
       true, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(may(user(row.statements)) == row.journal);
    CHECK(may(user(row.statements), bucket(), "inventory") == row.inventory);
  }
  // Neither Cairn's own buckets have tables for anybody, nor directory buckets, nor others' accounts.
  CHECK_FALSE(may(root, bucket(".cairn-auth")));
  s3::Bucket zonal = bucket("books--z1--x-s3");
  zonal.zone = s3::Zone{};
  CHECK_FALSE(may(root, zonal));
  auth::ObjectCaller stranger = user({allow("*", "*")});
  stranger.account_id = std::string(12, '2');
  CHECK_FALSE(may(stranger));
}

}  // namespace cairn::s3api::table_rights_test
