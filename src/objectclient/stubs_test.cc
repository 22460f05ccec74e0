// SPDX-License-Identifier: Apache-2.0
#include "objectclient/stubs.h"

#include <doctest/doctest.h>

#include "objectclient/service_errors.h"
#include "objectclient/testing.h"

namespace cairn::objectclient::stubs_test {
namespace {

Client stubbed(MadeUp& environment) {
  return environment.client({.raise_response_errors = false, .stub_responses = true});
}

}  // namespace

TEST_CASE("stubs: results have plain values where none are given") {
  MadeUp environment;
  const Client client = stubbed(environment);
  const auto head = client.head_object({.bucket = "b", .key = "k"});
  CHECK(head->content_type == "content_type");
  CHECK(head->content_length == 0);
  CHECK(head->delete_marker == false);
  CHECK(head->last_modified->unix_ms == environment.clock.unix_ms());
  CHECK(head->metadata.empty());
  CHECK(client.list_objects_v2({.bucket = "b"})->contents.empty());
  CHECK(client.get_object({.bucket = "b", .key = "k"}).body().empty());
}

TEST_CASE("stubs: data, errors, failures, replies and functions, in turn") {
  MadeUp environment;
  const Client client = stubbed(environment);
  const auto get = [&] { return client.get_object({.bucket = "b", .key = "k"}); };
  client.stub("get_object",
              {Stub::data({{"body", "bytes"}, {"etag", "\"e\""}, {"content_length", 5}}),
               Stub::error("NoSuchKey", "gone", 404),
               Stub::failure({ErrorKind::unavailable, "NetworkingError", "no way there"}),
               Stub::reply({.status = 200, .headers = {}, .body = "raw"}),
               Stub::reply({.status = 412, .headers = {}, .body = error_xml("PreconditionFailed")}),
               Stub::function([](const StubbedCall& call) {
                 return Stub::data({{"body", *call.params[1].second.text()}});
               })});
  const auto first = get();
  CHECK(first.body() == "bytes");
  CHECK(first->etag == "\"e\"");
  CHECK(first->content_length == 5);
  CHECK(get().error().message.find("gone (status 404, NoSuchKey") != std::string::npos);
  CHECK(get().error().code == "NetworkingError");
  CHECK(get().body() == "raw");
  CHECK(get().error().code == "PreconditionFailed");
  CHECK(get().body() == "k");
  CHECK(get().body() == "k");  // the last one stays
  CHECK(client.stubbed_calls().size() == 7);
  CHECK(client.stubbed_calls()[0].operation == "get_object");
  CHECK(environment.slept_s.empty());
}

TEST_CASE(
    "stubs: lists, structures, unknown members, and parameters that are checked all the same") {
  MadeUp environment;
  const Client client = stubbed(environment);
  client.stub("list_objects_v2",
              {Stub::data({{"contents", Value::list({Value::map({{"key", "a"}, {"size", 3}})})},
                           {"is_truncated", false}})});
  const auto page = client.list_objects_v2({.bucket = "b"});
  REQUIRE(page->contents.size() == 1);
  CHECK(page->contents[0].key == "a");
  CHECK(page->contents[0].size == 3);
  client.stub("list_buckets", {Stub::data({{"colour", 1}})});
  CHECK(client.list_buckets().error().message == "unexpected value at stub[:colour]");
  CHECK(client.head_object({.bucket = "b"}).error().code == "ArgumentError");
}

TEST_CASE("stubs: every operation has a plain result") {
  MadeUp environment;
  const Client client = environment.client(
      {.validate_params = false, .raise_response_errors = false, .stub_responses = true});
  for (const std::string& name : Client::operation_names()) {
    CAPTURE(name);
    CHECK(client.call(name).ok());
  }
}

}  // namespace cairn::objectclient::stubs_test
