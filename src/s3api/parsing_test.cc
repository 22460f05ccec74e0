// SPDX-License-Identifier: Apache-2.0
// Addresses, ranges, conditions and tokens: the parts of the service that only read text.
#include <doctest/doctest.h>

#include "s3/errors.h"
#include "s3api/wire/address.h"
#include "s3api/wire/conditions.h"
#include "s3api/wire/continuation.h"
#include "s3api/wire/range.h"

namespace cairn::s3api::parsing_test {
namespace {

net::RequestHead head_of(std::string target, std::string host = "127.0.0.1:9000") {
  net::RequestHead head;
  head.method = "GET";
  head.target = std::move(target);
  head.headers.add("Host", host);
  return head;
}

TEST_CASE("address: path style keeps every byte of the key") {
  struct {
    const char *target, *bucket, *key;
  } const rows[] = {{"/", "", ""},
                    {"/b", "b", ""},
                    {"/b/", "b", ""},
                    {"/b?x=/y", "b", ""},
                    {"/b/k", "b", "k"},
                    {"/b/k/", "b", "k/"},
                    {"/b//k", "b", "/k"},
                    {"/b/./../k", "b", "./../k"},
                    {"/b/a+b%2Bc%20d", "b", "a+b+c d"},
                    {"/b/a%252Fb", "b", "a%2Fb"},
                    {"/b/a%2Fb", "b", "a/b"},
                    {"/b/%C3%A9%01", "b", "\xC3\xA9\x01"}};
  for (const auto& row : rows) {
    CAPTURE(row.target);
    const auto address = read_address(head_of(row.target), {"example.com"});
    REQUIRE(address.ok());
    CHECK(address->bucket == row.bucket);
    CHECK(address->key == row.key);
    CHECK_FALSE(address->virtual_host);
    CHECK(address->target == (address->bucket.empty() ? s3::Target::service
                              : address->key.empty()  ? s3::Target::bucket
                                                      : s3::Target::object));
  }
  for (const char* bad : {"", "*", "/b/%", "/b/%zz", "/%4/k"})
    CHECK(read_address(head_of(bad), {}).error().code == "InvalidURI");
}

TEST_CASE("address: virtual hosts, where a domain is configured") {
  const std::vector<std::string> domains = {"objects.example.com", "localhost"};
  const auto at = [&](const char* host, const char* target) {
    const auto address = read_address(head_of(target, host), domains);
    REQUIRE(address.ok());
    return address->bucket + " " + address->key + (address->virtual_host ? " v" : "");
  };
  CHECK(at("photos.objects.example.com", "/a/b") == "photos a/b v");
  CHECK(at("my.photos.Objects.Example.com:9000", "/a/b") == "my.photos a/b v");
  CHECK(at("photos.localhost:9000", "/") == "photos  v");
  CHECK(at("objects.example.com", "/photos/a") == "photos a");
  CHECK(at("objects.example.com.evil.org", "/photos/a") == "photos a");
  CHECK(at("[::1]:9000", "/photos/a") == "photos a");
}

TEST_CASE("address: sources of copies") {
  const auto source = [](std::string_view text) {
    const auto read = read_copy_source(text);
    return read.ok() ? read->bucket + "|" + read->key + "|" + read->version_id : read.error().code;
  };
  CHECK(source("b/k") == "b|k|");
  CHECK(source("/b/k/l") == "b|k/l|");
  CHECK(source("b/a%2Fb+c%3FversionId=1") == "b|a/b c?versionId=1|");
  CHECK(source("/b/k?versionId=null") == "b|k|null");
  CHECK(source("b%2Fk") == "b|k|");
  for (const char* bad : {"", "/", "b", "/b/", "//k", "b/%zz", "?versionId=1"}) {
    CAPTURE(bad);
    CHECK(source(bad) == "InvalidArgument");
  }
}

TEST_CASE("range: what is asked of an object of ten bytes") {
  const auto read = [](std::string_view field) -> std::string {
    const auto asked = parse_range(field);
    if (!asked) return "all";
    const auto range = resolve_range(*asked, 10);
    return range ? content_range(*range, 10) : "416";
  };
  CHECK(read("bytes=0-8") == "bytes 0-8/10");
  CHECK(read("bytes=1-1") == "bytes 1-1/10");
  CHECK(read("bytes=1-") == "bytes 1-9/10");
  CHECK(read("bytes=-2") == "bytes 8-9/10");
  CHECK(read("bytes=-9") == "bytes 1-9/10");
  CHECK(read("bytes=-15") == "bytes 0-9/10");
  CHECK(read("bytes=0-100") == "bytes 0-9/10");
  CHECK(read("bytes=0-99999999999999999999999") == "bytes 0-9/10");
  CHECK(read("bytes=-99999999999999999999999") == "bytes 0-9/10");
  CHECK(read("bytes=10-") == "416");
  CHECK(read("bytes=10-20") == "416");
  CHECK(read("bytes=99999999999999999999999-") == "416");
  CHECK(read("bytes=-0") == "416");
  for (const char* nonsense : {"bytes=1-0", "bytes=--1", "bytes=0-1,3-4", "bytes=", "bytes=-",
                               "lines=0-1", "0-1", "bytes=a-b", "bytes=1", "", "bytes=0x1-2"})
    CHECK(read(nonsense) == "all");
  CHECK_FALSE(resolve_range(*parse_range("bytes=0-"), 0).has_value());
  CHECK_FALSE(resolve_range(*parse_range("bytes=-1"), 0).has_value());
  CHECK(parse_copy_range("bytes=5-9")->offset == 5);
  CHECK(parse_copy_range("bytes=5-9")->count == 5);
  for (const char* bad : {"bytes=5-", "bytes=-5", "bytes=9-5", "5-9", "bytes=0-1,2-3", "bytes=a-b"})
    CHECK_FALSE(parse_copy_range(bad).has_value());
}

constexpr std::int64_t modified = 1'700'000'000'000, now = modified + 3'600'000;

struct ConditionRow {
  const char* match;  // null: absent
  int unmodified;     // -1 false, 0 absent, 1 true
  const char* none_match;
  int modified;  // -1 false (not modified since), 0 absent, 1 true, 2 in the future
  const char* read;
  const char* copy;
};

TEST_CASE("conditions: the tables of reads and of copies") {
  const char *same = "\"e1\"", *other = "\"e2\"";
  const ConditionRow rows[] = {
      {nullptr, 0, nullptr, 0, "200", "200"},
      {other, 1, other, 1, "412 If-Match", "412 x-amz-copy-source-If-Match"},
      {other, 0, nullptr, 0, "412 If-Match", "412 x-amz-copy-source-If-Match"},
      {same, -1, nullptr, 0, "200", "200"},
      {same, 1, other, 1, "200", "200"},
      {nullptr, -1, nullptr, 0, "412 If-Unmodified-Since",
       "412 x-amz-copy-source-If-Unmodified-Since"},
      {nullptr, -1, same, -1, "412 If-Unmodified-Since",
       "412 x-amz-copy-source-If-Unmodified-Since"},
      {nullptr, 1, nullptr, 0, "200", "200"},
      {nullptr, 0, same, 1, "304 If-None-Match", "412 x-amz-copy-source-If-None-Match"},
      {same, 1, same, 1, "304 If-None-Match", "412 x-amz-copy-source-If-None-Match"},
      {nullptr, 0, other, -1, "200", "200"},
      {nullptr, 0, nullptr, -1, "304 If-Modified-Since", "412 x-amz-copy-source-If-Modified-Since"},
      {nullptr, 0, nullptr, 1, "200", "200"},
      {nullptr, 0, nullptr, 2, "200", "200"},
      {"e1", 0, nullptr, 0, "200", "200"},
      {"*", 0, nullptr, 0, "200", "200"},
      {"\"x\", \"e1\"", 0, nullptr, 0, "200", "200"},
      {nullptr, 0, "*", 0, "304 If-None-Match", "412 x-amz-copy-source-If-None-Match"},
      {nullptr, 0, "e1", 0, "304 If-None-Match", "412 x-amz-copy-source-If-None-Match"},
      {nullptr, 0, "W/\"e1\"", 0, "304 If-None-Match", "412 x-amz-copy-source-If-None-Match"},
  };
  const s3::Object object{.key = "k", .etag = "e1", .modified_ms = modified + 400};
  int number = 0;
  for (const ConditionRow& row : rows) {
    CAPTURE(++number);
    ReadConditions conditions;
    if (row.match != nullptr) conditions.if_match = row.match;
    if (row.none_match != nullptr) conditions.if_none_match = row.none_match;
    // Equal dates, at whole seconds, count as unmodified and as not modified.
    if (row.unmodified == 1) conditions.if_unmodified_since = s3::Time{modified};
    if (row.unmodified == -1) conditions.if_unmodified_since = s3::Time{modified - 1000};
    if (row.modified == -1) conditions.if_modified_since = s3::Time{modified};
    if (row.modified == 1) conditions.if_modified_since = s3::Time{modified - 1000};
    if (row.modified == 2) conditions.if_modified_since = s3::Time{now + 1000};
    const auto text = [](const Judgement& judgement) -> std::string {
      if (judgement.verdict == Verdict::proceed) return "200";
      return (judgement.verdict == Verdict::failed ? "412 " : "304 ") +
             std::string(judgement.condition);
    };
    CHECK(text(judge_read(conditions, object, now)) == row.read);
    CHECK(text(judge_copy_source(conditions, object, now)) == row.copy);
  }
}

TEST_CASE("conditions: of writes") {
  using Text = std::optional<std::string>;
  const auto fault = [](const Text& match, const Text& none) -> std::string {
    const auto condition = read_write_condition(match, none);
    return condition.ok() ? "" : condition.error().code + " " + condition.error().details[0].second;
  };
  CHECK(read_write_condition({}, Text("*")).value().if_none_match);
  CHECK(read_write_condition(Text("\"e\""), {}).value().if_match == "e");
  CHECK(read_write_condition(Text("e"), {}).value().if_match == "e");
  CHECK_FALSE(read_write_condition({}, {}).value().if_match.has_value());
  CHECK(fault({}, Text("\"e\"")) == "NotImplemented If-None-Match");
  CHECK(fault(Text("*"), {}) == "NotImplemented If-Match");
  CHECK(fault(Text("e"), Text("*")) == "NotImplemented If-Match,If-None-Match");
}

TEST_CASE("continuation: tokens come back, others do not") {
  for (const std::string& key :
       {std::string(), std::string("a"), std::string("k\0\xff/", 4), std::string(1024, 'x')})
    CHECK(read_continuation_token(continuation_token(key)) == key);
  for (const char* bad : {"", "abc", "!!!!", "MQ", "AAAAADE"})
    CHECK_FALSE(read_continuation_token(bad).has_value());
  std::string changed = continuation_token("key");
  changed[changed.size() - 2] ^= 1;
  CHECK_FALSE(read_continuation_token(changed).has_value());
}

}  // namespace
}  // namespace cairn::s3api::parsing_test
