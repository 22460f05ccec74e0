// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/bucket_events.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::connectors::bucket_events_test {
namespace {

std::string record(const std::string& bucket, const std::string& key) {
  return R"({"eventVersion":"2.1","eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{)"
         R"("s3SchemaVersion":"1.0","bucket":{"name":")" +
         bucket + R"(","ownerIdentity":{}},"object":{"key":")" + key +
         R"(","size":3,"eTag":"900150983cd24fb0d6963f7d28e17f72"}}})";
}

std::string message(const std::string& records) { return R"({"Records":[)" + records + "]}"; }

Result<bool> concerns(const std::string& text, const std::string& prefix = {}) {
  return event_concerns(*parse_json(text), "papers", prefix);
}

}  // namespace

TEST_CASE("bucket events: a record of the bucket concerns it, as far as its prefix goes") {
  struct Case {
    std::string key, prefix;
    bool concerns;
  };
  for (const auto& [key, prefix, wanted] :
       {Case{"a.txt", "", true}, Case{"a.txt", "b/", false}, Case{"b/a.txt", "b/", true},
        Case{"two+words%2Fa.txt", "two words/", true}, Case{"a%2Bb", "a+", true}}) {
    CAPTURE(key);
    CHECK(*concerns(message(record("papers", key)), prefix) == wanted);
  }
  CHECK(*concerns(message(record("papers", "x") + "," + record("papers", "b/y")), "b/"));
  // MinIO has members of its own around the records.
  CHECK(*concerns(R"({"EventName":"s3:ObjectRemoved:Delete","Key":"papers/a","Records":[)" +
                  record("papers", "a") + "]}"));
}

TEST_CASE("bucket events: the message of a set-up is about nothing") {
  CHECK_FALSE(*concerns(R"({"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"papers"})"));
}

TEST_CASE("bucket events: other messages are refused, and the refusal says why") {
  struct Case {
    std::string text, word;
  };
  for (const auto& [text, word] :
       {Case{"[]", "no object"}, Case{"{}", "[Records]"}, Case{R"({"Records":{}})", "[Records]"},
        Case{message(""), "[Records]"}, Case{message("1"), "[Records]"},
        Case{message("{}"), "s3.bucket.name"}, Case{message(R"({"s3":{"bucket":3}})"), "s3.bucket"},
        Case{message(R"({"s3":{"bucket":{"name":"papers"},"object":{}}})"), "s3.object.key"},
        Case{message(record("papers", "a%zz")), "percent-encoded"},
        Case{message(record("others", "a")), "[others]"}}) {
    CAPTURE(text);
    const auto found = concerns(text);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().kind == ErrorKind::invalid_argument);
    CHECK(found.error().message.find(word) != std::string::npos);
  }
}

}  // namespace cairn::connectors::bucket_events_test
