// SPDX-License-Identifier: Apache-2.0
// create_bucket_metadata_configuration and the calls beside it, row by row; rows of the tables.
#include <doctest/doctest.h>

#include "auth/policy/policy.h"
#include "base/checksum.h"
#include "base/encode.h"
#include "base/hash.h"
#include "format/json.h"
#include "objectstore/core/inventory.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::tables_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string target = "/bucket?metadataConfiguration";

std::string md5_of(const std::string& body) { return to_base64(md5(body)); }
Fields sum(const std::string& body) { return {{"Content-MD5", md5_of(body)}}; }

std::string expiration(const std::string& state, const std::string& days = {}) {
  return "<RecordExpiration><Expiration>" + state + "</Expiration>" +
         (days.empty() ? "" : "<Days>" + days + "</Days>") + "</RecordExpiration>";
}
std::string encryption(const std::string& algorithm, const std::string& key = {}) {
  return "<EncryptionConfiguration><SseAlgorithm>" + algorithm + "</SseAlgorithm>" +
         (key.empty() ? "" : "<KmsKeyArn>" + key + "</KmsKeyArn>") + "</EncryptionConfiguration>";
}
std::string journal(const std::string& inside) {
  return "<JournalTableConfiguration>" + inside + "</JournalTableConfiguration>";
}
std::string inventory(const std::string& state, const std::string& inside = {}) {
  return "<InventoryTableConfiguration><ConfigurationState>" + state + "</ConfigurationState>" +
         inside + "</InventoryTableConfiguration>";
}
std::string configuration(const std::string& inside) {
  return "<MetadataConfiguration>" + inside + "</MetadataConfiguration>";
}
const std::string simple = configuration(journal(expiration("DISABLED")));
const std::string with_inventory =
    configuration(journal(expiration("ENABLED", "30")) + inventory("ENABLED"));

struct TablesRig : ServiceRig {
  TablesRig() { REQUIRE(put("/bucket").status == 200); }
  Answer create(const std::string& body) { return post(target, body, sum(body)); }
  Answer update(const std::string& part, const std::string& body) {
    return put("/bucket?" + part, body, sum(body));
  }
  std::string result(const std::string& path) {
    return get(target).text("MetadataConfigurationResult/" + path);
  }
  std::vector<Json> rows(const std::string& table) {
    const Answer answer = get("/bucket?metadataTableRows=" + table);
    REQUIRE(answer.status == 200);
    std::vector<Json> all;
    for (std::size_t at = 0; at < answer.body.size();) {
      const std::size_t end = answer.body.find('\n', at);
      all.push_back(*parse_json(answer.body.substr(at, end - at)));
      at = end + 1;
    }
    return all;
  }
  void keep_inventory() {
    auto found = objectstore::Inventory::find(*engine, "bucket");
    REQUIRE(found.ok());
    for (;;) {
      const auto more = found->step(1000, os::Deadline::never());
      REQUIRE(more.ok());
      if (!*more) return;
    }
  }
};

TEST_CASE("tables: create answers nothing, and get shows what is there") {
  TablesRig rig;
  CHECK(rig.get(target).status == 404);
  CHECK(rig.get(target).code() == "MetadataConfigurationNotFound");
  const Answer made = rig.create(with_inventory);
  CHECK(made.status == 200);
  CHECK(made.body.empty());
  CHECK(rig.get(target).xml().name == "GetBucketMetadataConfigurationResult");
  CHECK(rig.result("DestinationResult/TableBucketType") == "aws");
  CHECK(rig.result("DestinationResult/TableNamespace") == "b_bucket");
  CHECK(rig.result("DestinationResult/TableBucketArn") ==
        "arn:aws:s3tables:us-east-1:111111111111:bucket/aws-s3");
  CHECK(rig.result("JournalTableConfigurationResult/TableStatus") == "ACTIVE");
  CHECK(rig.result("JournalTableConfigurationResult/TableName") == "journal");
  CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Expiration") == "ENABLED");
  CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Days") == "30");
  CHECK(rig.result("InventoryTableConfigurationResult/ConfigurationState") == "ENABLED");
  CHECK(rig.result("InventoryTableConfigurationResult/TableStatus") == "CREATING");
  CHECK(rig.result("InventoryTableConfigurationResult/TableName") == "inventory");
  rig.restart();
  CHECK(rig.result("InventoryTableConfigurationResult/TableName") == "inventory");
}

TEST_CASE("tables: a second configuration is refused, and the first one stays") {
  TablesRig rig;
  REQUIRE(rig.create(simple).status == 200);
  const Answer again = rig.create(with_inventory);
  CHECK(again.status == 409);
  CHECK(again.code() == "InvalidBucketState");
  CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Expiration") == "DISABLED");
  CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Days") == "(none)");
}

TEST_CASE("tables: parameters, row by row") {
  const std::string arn = "arn:aws:kms:us-east-1:111111111111:key/k";
  const struct {
    std::string body;
    const char* code;
  } rows[] = {
      {configuration(""), "MalformedXML"},
      {configuration(inventory("ENABLED")), "MalformedXML"},
      {configuration(journal("")), "MalformedXML"},
      {configuration(journal("<RecordExpiration/>")), "MalformedXML"},
      {configuration(journal(expiration("ON"))), "MalformedXML"},
      {configuration(journal(expiration("ENABLED"))), "InvalidArgument"},
      {configuration(journal(expiration("ENABLED", "0"))), "InvalidArgument"},
      {configuration(journal(expiration("ENABLED", "6"))), "InvalidArgument"},
      {configuration(journal(expiration("ENABLED", "-7"))), "InvalidArgument"},
      {configuration(journal(expiration("ENABLED", "2147483648"))), "InvalidArgument"},
      {configuration(journal(expiration("ENABLED", "x"))), "MalformedXML"},
      {configuration(journal(expiration("DISABLED", "7"))), "InvalidArgument"},
      {configuration(journal(expiration("DISABLED") + encryption("AES256", arn))),
       "InvalidArgument"},
      {configuration(journal(expiration("DISABLED") + encryption("aws:kms"))), "InvalidArgument"},
      {configuration(journal(expiration("DISABLED") + encryption("aws:kms", "alias/k"))),
       "InvalidArgument"},
      {configuration(journal(expiration("DISABLED") + encryption("DES"))), "MalformedXML"},
      {configuration(journal(expiration("DISABLED") + "<EncryptionConfiguration/>")),
       "MalformedXML"},
      {configuration(journal(expiration("DISABLED")) + inventory("MAYBE")), "MalformedXML"},
      {configuration(journal(expiration("DISABLED")) +
                     inventory("ENABLED", encryption("AES256", arn))),
       "InvalidArgument"},
      {configuration(journal(expiration("DISABLED")) +
                     inventory("DISABLED", encryption("aws:kms"))),
       "InvalidArgument"},
      {configuration(journal(expiration("DISABLED")) +
                     "<AnnotationTableConfiguration><ConfigurationState>ENABLED"
                     "</ConfigurationState></AnnotationTableConfiguration>"),
       "NotImplemented"},
  };
  TablesRig rig;
  for (const auto& row : rows) {
    CAPTURE(row.body);
    CHECK(rig.create(row.body).code() == row.code);
    CHECK(rig.get(target).status == 404);
  }
  for (const char* days : {"7", "2147483647"}) {
    CHECK(rig.create(configuration(journal(expiration("ENABLED", days)))).status == 200);
    CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Days") == days);
    CHECK(rig.remove(target).status == 204);
  }
}

TEST_CASE("tables: content_md5 and each checksum algorithm are verified, and one must be there") {
  TablesRig rig;
  CHECK(rig.post(target, simple).code() == "InvalidRequest");
  CHECK(rig.post(target, simple, {{"Content-MD5", md5_of("other")}}).code() == "BadDigest");
  const auto big_endian = [](std::uint64_t value, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
    return to_base64(out);
  };
  const std::pair<const char*, std::string> sums[] = {
      {"crc32", big_endian(crc32(simple), 4)},
      {"crc32c", big_endian(crc32c(simple), 4)},
      {"crc64nvme", big_endian(crc64nvme(simple), 8)},
      {"sha1", to_base64(sha1(simple))},
      {"sha256", to_base64(sha256(simple))}};
  for (const auto& [name, value] : sums) {
    CAPTURE(name);
    std::string wrong = value;
    wrong[0] = wrong[0] == 'A' ? 'B' : 'A';
    const std::string field = std::string("x-amz-checksum-") + name;
    CHECK(rig.post(target, simple, {{field, wrong}}).code() == "BadDigest");
    CHECK(rig.get(target).status == 404);
    CHECK(rig.post(target, simple, {{field, value}}).status == 200);
    CHECK(rig.remove(target).status == 204);
  }
}

TEST_CASE("tables: the expected owner is heeded by each call") {
  TablesRig rig;
  const Fields theirs = {{"x-amz-expected-bucket-owner", "222222222222"}};
  Fields with_sum = sum(simple);
  with_sum.push_back(theirs.front());
  CHECK(rig.post(target, simple, with_sum).status == 403);
  REQUIRE(rig.create(simple).status == 200);
  CHECK(rig.get(target, theirs).status == 403);
  CHECK(rig.get("/bucket?metadataTableRows=journal", theirs).status == 403);
  CHECK(rig.ask({.method = "DELETE", .target = target, .headers = theirs}).status == 403);
  CHECK(rig.get(target).status == 200);
}

TEST_CASE("tables: another account may neither configure nor read") {
  TablesRig rig;
  const auto asked = [&](const std::string& method, const std::string& what,
                         const std::string& body = {}) {
    return rig.ask({.method = method,
                    .target = what,
                    .headers = body.empty() ? Fields{} : sum(body),
                    .body = body,
                    .credentials = rig.theirs}).code();
  };
  CHECK(asked("POST", target, simple) == "AccessDenied");
  REQUIRE(rig.create(simple).status == 200);
  CHECK(asked("GET", target) == "AccessDenied");
  CHECK(asked("DELETE", target) == "AccessDenied");
  CHECK(asked("GET", "/bucket?metadataTableRows=journal") == "AccessDenied");
  const std::string update = journal(expiration("DISABLED"));
  CHECK(asked("PUT", "/bucket?metadataJournalTable", update) == "AccessDenied");
}

TEST_CASE("tables: a user needs each right of the contract, and the one on the rows to read them") {
  TablesRig rig;
  const std::vector<std::string> needed = {
      "s3:CreateBucketMetadataTableConfiguration", "s3tables:CreateTableBucket",
      "s3tables:CreateNamespace",                  "s3tables:GetTable",
      "s3tables:CreateTable",                      "s3tables:PutTablePolicy",
      "s3tables:PutTableEncryption"};
  const auto act_with = [&](const std::vector<std::string>& actions) {
    std::string list;
    for (const std::string& action : actions)
      list += (list.empty() ? "\"" : ",\"") + action + "\"";
    const auto policy = auth::Policy::of_identity(
        R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Resource":"*","Action":[)" +
        list + "]}}");
    REQUIRE(policy.ok());
    rig.whose = [policy = *policy](const auth::ObjectKey&) {
      auto caller = std::make_shared<auth::ObjectCaller>();
      caller->account_id = "111111111111";
      caller->canonical_id = std::string(64, '1');
      caller->arn = "arn:aws:iam::111111111111:user/ann";
      caller->username = "ann";
      caller->policies = {policy};
      return caller;
    };
  };
  for (std::size_t without = 0; without < needed.size(); ++without) {
    CAPTURE(needed[without]);
    std::vector<std::string> others = needed;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
    act_with(others);
    CHECK(rig.create(simple).code() == "AccessDenied");
  }
  act_with(needed);
  CHECK(rig.create(simple).status == 200);
  act_with({"s3:GetBucketMetadataTableConfiguration"});
  CHECK(rig.get(target).status == 200);
  CHECK(rig.get("/bucket?metadataTableRows=journal").code() == "AccessDenied");
  act_with({"s3:GetBucketMetadataTableConfiguration", "s3tables:GetTableData"});
  CHECK(rig.get("/bucket?metadataTableRows=journal").status == 200);
}

TEST_CASE("tables: updates change what they name, and need a configuration") {
  TablesRig rig;
  const std::string days = journal(expiration("ENABLED", "9"));
  CHECK(rig.update("metadataJournalTable", days).code() == "MetadataConfigurationNotFound");
  CHECK(rig.update("metadataInventoryTable", inventory("ENABLED")).code() ==
        "MetadataConfigurationNotFound");
  REQUIRE(rig.create(simple).status == 200);
  CHECK(rig.update("metadataJournalTable", days).status == 200);
  CHECK(rig.result("JournalTableConfigurationResult/RecordExpiration/Days") == "9");
  CHECK(rig.update("metadataJournalTable", journal(expiration("ENABLED", "1"))).code() ==
        "InvalidArgument");
  CHECK(rig.result("InventoryTableConfigurationResult/ConfigurationState") == "(none)");
  CHECK(rig.update("metadataInventoryTable", inventory("ENABLED")).status == 200);
  CHECK(rig.result("InventoryTableConfigurationResult/TableStatus") == "CREATING");
  rig.keep_inventory();
  CHECK(rig.result("InventoryTableConfigurationResult/TableStatus") == "ACTIVE");
  CHECK(rig.result("InventoryTableConfigurationResult/TableArn") ==
        "arn:aws:s3tables:us-east-1:111111111111:bucket/aws-s3/table/b_bucket/inventory");
  CHECK(rig.update("metadataInventoryTable", inventory("ENABLED")).status == 200);
  CHECK(rig.result("InventoryTableConfigurationResult/TableStatus") == "ACTIVE");
  CHECK(rig.update("metadataInventoryTable", inventory("ENABLED", encryption("AES256"))).code() ==
        "InvalidRequest");
  CHECK(rig.update("metadataInventoryTable", inventory("DISABLED")).status == 200);
  CHECK(rig.result("InventoryTableConfigurationResult/ConfigurationState") == "DISABLED");
  CHECK(rig.get("/bucket?metadataTableRows=inventory").status == 404);
}

TEST_CASE("tables: what searches do not see is told") {
  TablesRig rig;
  const auto state = [&](const std::string& what) {
    return rig.result("JournalTableConfigurationResult/" + what) + " " +
           rig.result("InventoryTableConfigurationResult/" + what);
  };
  std::optional<TableCopy> copy;
  rig.table_copy = [&](std::string_view bucket, std::string_view) {
    CHECK(bucket == "bucket");
    return copy;
  };
  REQUIRE(rig.create(with_inventory).status == 200);
  CHECK(state("TableStatus") == "ACTIVE CREATING");
  rig.keep_inventory();
  CHECK(state("TableStatus") == "ACTIVE BACKFILLING");
  copy = TableCopy{.filled = false};
  CHECK(state("TableStatus") == "ACTIVE BACKFILLING");
  copy = TableCopy{.filled = true};
  CHECK(state("TableStatus") == "ACTIVE ACTIVE");
  CHECK(state("Error/ErrorCode") == "(none) (none)");
  copy = TableCopy{.filled = true, .fault = "the key is disabled"};
  CHECK(state("TableStatus") == "FAILED FAILED");
  CHECK(state("Error/ErrorCode") == "ServerInternalError ServerInternalError");
  CHECK(state("Error/ErrorMessage") ==
        "searches do not see new rows: the key is disabled "
        "searches do not see new rows: the key is disabled");
}

TEST_CASE("tables: delete takes the tables along") {
  TablesRig rig;
  CHECK(rig.remove(target).code() == "MetadataConfigurationNotFound");
  REQUIRE(rig.create(with_inventory).status == 200);
  REQUIRE(rig.put("/bucket/k", "1").status == 200);
  CHECK(rig.remove(target).status == 204);
  CHECK(rig.get(target).status == 404);
  CHECK(rig.get("/bucket?metadataTableRows=journal").status == 404);
  REQUIRE(rig.create(simple).status == 200);
  CHECK(rig.rows("journal").empty());
}

TEST_CASE("tables: the journal tells what requests did, who asked, and from where") {
  TablesRig rig;
  REQUIRE(rig.create(simple).status == 200);
  REQUIRE(rig.put("/bucket/k", "body", {{"x-amz-meta-color", "red"}, {"x-amz-tagging", "a=b"}})
              .status == 200);
  REQUIRE(rig.ask({.method = "PUT",
                   .target = "/bucket/copy",
                   .headers = {{"x-amz-copy-source", "/bucket/k"}}}).status == 200);
  REQUIRE(rig.remove("/bucket/k").status == 204);
  const auto rows = rig.rows("journal");
  REQUIRE(rows.size() == 3);
  const auto text = [&](std::size_t row, const char* column) {
    const Json* value = rows[row].find(column);
    REQUIRE(value != nullptr);
    return value->is_string() ? value->as_string() : value->dump();
  };
  CHECK(text(0, "record_type") == "CREATE");
  CHECK(text(0, "bucket") == "bucket");
  CHECK(text(0, "key") == "k");
  CHECK(text(0, "version_id") == "null");
  CHECK(text(0, "is_delete_marker") == "false");
  CHECK(text(0, "size") == "4");
  CHECK(text(0, "e_tag") == to_hex(md5("body")));
  CHECK(text(0, "storage_class") == "STANDARD");
  CHECK(text(0, "is_multipart") == "false");
  CHECK(text(0, "checksum_algorithm") == "CRC64NVME");
  CHECK(text(0, "object_tags") == R"({"a":"b"})");
  CHECK(text(0, "user_metadata") == R"({"color":"red"})");
  CHECK(text(0, "requester") == "111111111111");
  CHECK(text(0, "request_id").size() == 16);
  CHECK(text(1, "record_type") == "CREATE");
  CHECK(text(1, "key") == "copy");
  CHECK(text(2, "record_type") == "DELETE");
  CHECK(text(2, "is_delete_marker") == "null");
  CHECK(text(2, "size") == "null");
  CHECK(text(0, "sequence_number") < text(1, "sequence_number"));
}

TEST_CASE("tables: pages of rows go on by their token; what is no token is refused") {
  TablesRig rig;
  REQUIRE(rig.create(with_inventory).status == 200);
  for (int i = 0; i < 5; ++i) REQUIRE(rig.put("/bucket/k" + std::to_string(i), "").status == 200);
  rig.keep_inventory();
  for (const std::string table : {"journal", "inventory"}) {
    const std::string ask = "/bucket?metadataTableRows=" + table + "&max-rows=2";
    std::string token;
    std::size_t lines = 0, pages = 0;
    do {
      const Answer answer =
          rig.get(ask + (token.empty() ? "" : "&continuation-token=" + percent_encode(token)));
      REQUIRE(answer.status == 200);
      lines += static_cast<std::size_t>(std::count(answer.body.begin(), answer.body.end(), '\n'));
      token = answer.header("x-amz-next-continuation-token");
    } while (!token.empty() && ++pages < 10);
    CHECK(lines == 5);
    CHECK(pages == 2);
    CHECK(rig.get(ask + "&continuation-token=x").code() == "InvalidArgument");
  }
  CHECK(rig.get("/bucket?metadataTableRows=other").code() == "InvalidArgument");
  CHECK(rig.get("/bucket?metadataTableRows=journal&max-rows=0").code() == "InvalidArgument");
}

TEST_CASE("tables: directory buckets have none") {
  TablesRig rig;
  const std::string name = "base--use1-az1--x-s3";
  const Answer answer = rig.ask({.method = "POST",
                                 .target = "/" + name + "?metadataConfiguration",
                                 .headers = sum(simple),
                                 .body = simple,
                                 .service = "s3express"});
  CHECK(answer.status >= 400);
}

}  // namespace
}  // namespace cairn::s3api::tables_test
