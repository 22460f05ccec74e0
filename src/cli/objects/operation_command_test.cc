// SPDX-License-Identifier: Apache-2.0
// Operations by name: parameters, faults, results, help.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/exit_codes.h"
#include "cli/objects/parameters.h"
#include "cli/objects/result_text.h"
#include "cli/objects/testing.h"
#include "objectclient/client.h"

using namespace cairn;
using namespace cairn::cli;
using objectclient::Stub;
using objectclient::Value;

TEST_CASE("operation: parameters become what the client takes") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const std::string tags = folder.write("tags.json", R"({"TagSet":[{"Key":"a","Value":"b"}]})");
  CHECK(objects({"put-object-tagging", "--bucket", "b", "--key", "k", "--tagging", "@" + tags}) ==
        success);
  auto call = objects.calls("put_object_tagging").back();
  CHECK(*call["tagging"]["tag_set"][0]["key"].text() == "a");

  CHECK(objects({"list-objects-v2", "--Bucket=b", "--max_keys", "5", "--fetch-owner",
                 "--optional-object-attributes", "RestoreStatus"}) == success);
  call = objects.calls("list_objects_v2").back();
  CHECK(*call["max_keys"].integer() == 5);
  CHECK(*call["fetch_owner"].boolean());
  CHECK(*call["optional_object_attributes"][0].text() == "RestoreStatus");

  CHECK(objects({"copy-object", "--bucket", "b", "--key", "@k", "--copy-source", "file://x/y",
                 "--metadata", "a=b,c=d=e", "--no-bucket-key-enabled", "--expires",
                 "2026-01-31T12:00:00Z", "--copy-source-if-modified-since", "0"}) == success);
  call = objects.calls("copy_object").back();
  CHECK(*call["key"].text() == "@k");
  CHECK(*call["copy_source"].text() == "file://x/y");
  CHECK(*call["metadata"]["c"].text() == "d=e");
  CHECK_FALSE(*call["bucket_key_enabled"].boolean());
  CHECK(call["copy_source_if_modified_since"].text() != nullptr);
  const std::string policy = folder.write("policy.json", "{\"Version\":\"2012-10-17\"}");
  CHECK(objects({"put-bucket-policy", "--bucket", "b", "--policy", "file://" + policy}) == success);
  CHECK(*objects.calls("put_bucket_policy").back()["policy"].text() ==
        "{\"Version\":\"2012-10-17\"}");
}

TEST_CASE("operation: every parameter that is wrong is named with its path") {
  StubbedObjects objects;
  CHECK(objects({"put-bucket-tagging", "--tagging", "{\"tag_set\":[{\"key\":\"a\"}]}",
                 "--expected-bucket-owner", "1"}) == usage_error);
  CHECK(contains(objects.err, "missing required parameter params[:bucket]"));
  CHECK(contains(objects.err, "missing required parameter params[:tagging][:tag_set][0][:value]"));
  CHECK(objects({"put-bucket-tagging", "--tagging", "{\"tag_set\":"}) == usage_error);
  CHECK(contains(objects.err, "missing required parameter params[:bucket]"));
  CHECK(contains(objects.err, "--tagging: ["));
  CHECK(objects.calls("put_bucket_tagging").empty());
  CHECK(objects({"list-objects-v2", "--bucket", "b", "--max-keys", "many"}) == usage_error);
  CHECK(contains(objects.err, "expected params[:max_keys] to be an Integer"));
  CHECK(objects({"create-multipart-upload", "--bucket", "b", "--key", "k", "--expires", "soon"}) ==
        usage_error);
  CHECK(contains(objects.err, "expected params[:expires] to be a Time object"));
  CHECK(objects({"head-object", "--bucket", "b", "--kee", "k"}) == usage_error);
  CHECK(contains(objects.err, "did you mean --key?"));
  CHECK(objects({"get-objct"}) == usage_error);
  CHECK(contains(objects.err, "did you mean get-object?"));
  CHECK(objects({"put-bucket-tagging", "--bucket", "b", "--tagging", "@/nonexistent"}) == no_input);
}

TEST_CASE("operation: bytes from and to files and streams; results for people and programs") {
  StubbedObjects objects;
  const ScratchFolder folder;
  objects.client.stub("get_object", {Stub::data({{"body", "bytes"}, {"etag", "\"e\""}})});
  CHECK(objects({"get-object", "--bucket", "b", "--key", "k", folder / "out"}) == success);
  CHECK(folder.read("out") == "bytes");
  CHECK(contains(objects.out, "etag"));
  CHECK(objects({"get-object", "--bucket", "b", "--key", "k", "-"}) == success);
  CHECK(objects.out == "bytes");
  CHECK(objects({"get-object", "--bucket", "b", "--key", "k"}) == usage_error);
  const std::string body = folder.write("in", "sent");
  CHECK(objects({"put-object", "--bucket", "b", "--key", "k", "--body", body}) == success);
  CHECK(objects({"put-object", "--bucket", "b", "--key", "k", "--body", folder.path}) ==
        usage_error);
  CHECK(objects({"put-object", "--bucket", "b", "--key", "k", "--body", body + "x"}) == no_input);
  CHECK(objects({"put-object", "--bucket", "b", "--key", "k", "--dry-run"}) == success);
  CHECK(contains(objects.out, "(dryrun) put_object {\"bucket\":\"b\",\"key\":\"k\"}"));

  objects.client.stub("head_bucket", {Stub::error("NoSuchBucket", "no such thing", 404)});
  CHECK(objects({"head-bucket", "--bucket", "b"}) == failed);
  CHECK(contains(objects.err, "no such thing"));
  CHECK(objects({"head-bucket", "--bucket", "b", "--json"}) == failed);
  const auto error = parse_json(objects.err);
  REQUIRE(error.ok());
  CHECK(error->find("error")->string_or("code") == "NoSuchBucket");
  CHECK(error->find("error")->int_or("status") == 404);
  objects.client.stub("head_bucket", {Stub::error("AccessDenied", "no", 403)});
  CHECK(objects({"head-bucket", "--bucket", "b"}) == no_permission);
  objects.client.stub("get_object", {Stub::data({{"body", "bytes"}})});
  CHECK(objects({"get-object", "--bucket", "b", "--key", "k", "/dev/full"}) == cannot_create);
  objects.client.stub("head_bucket", {Stub::error("SlowDown", "no", 503)});
  CHECK(objects({"head-bucket", "--bucket", "b"}) == temporary);
}

TEST_CASE("operation: help names every parameter, the required ones first") {
  StubbedObjects objects;
  const auto names = objectclient::Client::operation_names();
  CHECK(names.size() >= 72);
  CHECK(objects({"--help"}) == success);
  const std::string all = objects.out;
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '_', '-');
    CAPTURE(name);
    CHECK(contains(all, name));
    REQUIRE(objects({name, "--help"}) == success);
    CHECK(contains(objects.out, "usage: cairn objects " + name));
    const auto required = objects.out.find("\nrequired:\n");
    const auto optional = objects.out.find("\noptional:\n");
    if (required != std::string::npos && optional != std::string::npos) CHECK(required < optional);
    // Each line fits a terminal, but for words that are longer.
    std::istringstream lines(objects.out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 160, line);
  }
  CHECK(objects({"create-bucket", "--help"}) == success);
  CHECK(contains(objects.out, "--bucket"));
  CHECK(contains(objects.out, "BucketOwnerEnforced"));
  CHECK(contains(objects.out, "location_constraint"));
  for (const char* command : {"cp", "mv", "sync", "ls", "rm", "rb", "mb", "presign"}) {
    CHECK(objects({command, "--help"}) == success);
    CHECK(contains(objects.out, "usage: cairn objects " + std::string(command)));
    CHECK(contains(objects.out, "--endpoint-url"));
    CHECK(objects({command, "--nonsense"}) == usage_error);
  }
}

TEST_CASE("result: columns for people") {
  const Value result =
      Value::map({{"name", "b"},
                  {"is_truncated", false},
                  {"kinds", Value::list({"x", "y"})},
                  {"owner", Value::map({{"id", "1"}})},
                  {"contents", Value::list({Value::map({{"key", "a"}, {"size", 5}}),
                                            Value::map({{"key", "long/name"}, {"etag", "e"}})})}});
  CHECK(result_text(result) ==
        "name          b\n"
        "is_truncated  false\n"
        "kinds         x, y\n"
        "owner\n"
        "  id  1\n"
        "contents\n"
        "  KEY        SIZE  ETAG\n"
        "  a          5     \n"
        "  long/name        e\n");
  CHECK(result_text(Value::map({})).empty());
}

TEST_CASE("names: any spelling is the same name") {
  CHECK(is_same_name("MaxKeys", "max-keys"));
  CHECK(is_same_name("SSEKMSKeyId", "ssekms_key_id"));
  CHECK_FALSE(is_same_name("key", "keys"));
  CHECK(option_of_parameter("max_keys") == "--max-keys");
}
