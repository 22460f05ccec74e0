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
  CAIRN_TRY(const ToldChange told, told_objects(*parse_json(text), "papers", prefix));
  CHECK(told.concerns == !told.paths.empty());
  return told.concerns;
}

std::string keys(const std::string& text, const std::string& prefix = {}) {
  const auto told = told_objects(*parse_json(text), "papers", prefix);
  REQUIRE_MESSAGE(told.ok(), (told.ok() ? std::string() : told.error().message));
  std::string out;
  for (const std::string& key : told->paths) out += (out.empty() ? "" : " | ") + key;
  return out;
}

/// As MinIO's webhook sends it.
std::string minio(const std::string& event, const std::string& key) {
  return R"({"EventName":")" + event +
         R"(","Key":"papers/x","Records":[{"eventVersion":"2.0",)"
         R"("eventSource":"minio:s3","awsRegion":"","eventTime":"2019-10-22T09:27:27Z","eventName":")" +
         event +
         R"(","userIdentity":{"principalId":"u"},"requestParameters":{"region":"",)"
         R"("sourceIPAddress":"172.16.0.1"},"responseElements":{"x-amz-request-id":"15CF"},"s3":{)"
         R"("s3SchemaVersion":"1.0","configurationId":"Config","bucket":{"name":"papers",)"
         R"("ownerIdentity":{"principalId":"u"},"arn":"arn:aws:s3:::papers"},"object":{"key":")" +
         key +
         R"(","size":224662,"eTag":"5fc7-1","versionId":"1","sequencer":"15CFEDF8D5304D1A"}},)"
         R"("source":{"host":"172.16.0.1","port":"","userAgent":"m"}}]})";
}

/// As Ceph's object gateway posts it to a topic's endpoint.
std::string ceph(const std::string& event, const std::string& key) {
  return R"({"Records":[{"eventVersion":"2.2","eventSource":"ceph:s3","awsRegion":"default",)"
         R"("eventTime":"2024-04-21T10:03:18.419013Z","eventName":")" +
         event +
         R"(","userIdentity":{"principalId":"user"},"requestParameters":{"sourceIPAddress":""},)"
         R"("responseElements":{"x-amz-request-id":"8975","x-amz-id-2":"3821-default-default"},)"
         R"("s3":{"s3SchemaVersion":"1.0","configurationId":"n","bucket":{"name":"papers",)"
         R"("ownerIdentity":{"principalId":"user"},"arn":"arn:aws:s3:default::papers","id":"8.2"},)"
         R"("object":{"key":")" +
         key +
         R"(","size":177,"eTag":"a600","versionId":"","sequencer":"66E42466712CA919","metadata":[],)"
         R"("tags":[]}},"eventId":"1713.18.a600","opaqueData":""}]})";
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

TEST_CASE("bucket events: the keys of what MinIO and Ceph send") {
  CHECK(keys(minio("s3:ObjectCreated:Put", "a+b%2Fc%25.txt")) == "a b/c%.txt");
  CHECK(keys(minio("s3:ObjectRemoved:Delete", "gone.txt")) == "gone.txt");
  CHECK(keys(minio("s3:ObjectAccessed:Get", "a.txt")).empty());
  CHECK(keys(ceph("ObjectCreated:Put", "a+b/100%.txt")) == "a+b/100%.txt");
  CHECK(keys(ceph("ObjectRemoved:DeleteMarkerCreated", "gone.txt")) == "gone.txt");
  CHECK(keys(ceph("ObjectLifecycle:Expiration:Current", "old.txt"), "o") == "old.txt");
  CHECK(keys(ceph("ObjectCreated:Put", "a.txt"), "b/").empty());
  // What holds no text, and markers of folders.
  CHECK(keys(ceph("ObjectCreated:Put", "picture.png")).empty());
  CHECK(keys(ceph("ObjectCreated:Put", "folder/")).empty());
  // Each once, in any order of the records.
  CHECK(keys(message(record("papers", "b") + "," + record("papers", "a") + "," +
                     record("papers", "b"))) == "a | b");
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
