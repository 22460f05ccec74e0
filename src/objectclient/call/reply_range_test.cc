// SPDX-License-Identifier: Apache-2.0
// Replies with a part of an object: only those that were asked for, and only the rest of this one.
#include <doctest/doctest.h>

#include <string>

#include "objectclient/testing.h"

namespace cairn::objectclient::reply_range_test {
namespace {

const std::string whole = "0123456789";

ClientOptions quiet_at(const ScriptedService& service) {
  ClientOptions options = at(service);
  options.raise_response_errors = false;
  return options;
}

struct Got {
  std::string taken;
  std::string code;
  std::string message;
};

/// The object into a function, from a service whose first reply breaks after four bytes.
Got resumed_with(const Answer& rest, const s3::GetObjectInput& input = {.bucket = "b", .key = "k"},
                 const Answer& first = {.body = "0123",
                                        .headers = {{"ETag", "\"e\""}},
                                        .cut_off = true,
                                        .missing = 6}) {
  ScriptedService service({first, rest});
  MadeUp environment;
  Got got;
  const auto response = environment.client(quiet_at(service))
                            .get_object(input, Target::function([&](std::string_view bytes) {
                                          got.taken += bytes;
                                          return ok_status();
                                        }));
  got.code = code_of_failure(response);
  if (!response.ok()) got.message = response.error().message;
  return got;
}

Answer part(const std::string& bytes, const std::string& range, const std::string& etag = "\"e\"") {
  Answer out{.status = 206, .body = bytes};
  if (!range.empty()) out.headers.emplace_back("Content-Range", range);
  if (!etag.empty()) out.headers.emplace_back("ETag", etag);
  return out;
}

}  // namespace

TEST_CASE("resume: only the rest of this very object goes on") {
  CHECK(resumed_with(part("456789", "bytes 4-9/10")).taken == whole);
  CHECK(resumed_with(part("456789", "bytes 4-9/*")).taken == whole);
  struct Row {
    const char* name;
    Answer rest;
  };
  for (const Row& row : {Row{"other bytes, as it says", part("345678", "bytes 3-8/10")},
                         Row{"no Content-Range", part("456789", "")},
                         Row{"another object's size", part("456789", "bytes 4-9/11")},
                         Row{"an object that ends later", part("456789x", "bytes 4-10/11")},
                         Row{"not all of the rest", part("45678", "bytes 4-8/10")},
                         Row{"fewer bytes than it says", part("45678", "bytes 4-9/10")},
                         Row{"another ETag", part("456789", "bytes 4-9/10", "\"f\"")},
                         Row{"no ETag", part("456789", "bytes 4-9/10", "")}}) {
    CAPTURE(row.name);
    const Got got = resumed_with(row.rest);
    CHECK(got.code == "UnexpectedReplyError");
    CHECK(got.taken == "0123");
  }
}

TEST_CASE("resume: a range goes on to its own end") {
  const s3::GetObjectInput input{.bucket = "b", .key = "k", .range = "bytes=2-7"};
  Answer first = part("2345", "bytes 2-7/10");
  first.cut_off = true;
  first.missing = 2;
  CHECK(resumed_with(part("67", "bytes 6-7/10"), input, first).taken == "234567");
  CHECK(resumed_with(part("6789", "bytes 6-9/10"), input, first).code == "UnexpectedReplyError");
  CHECK(resumed_with(part("6", "bytes 6-6/10"), input, first).code == "UnexpectedReplyError");
}

TEST_CASE("reply: a part of an object that nobody asked for is an error") {
  ScriptedService service({part("0123", "bytes 0-3/10")});
  MadeUp environment;
  const Client client = environment.client(quiet_at(service));
  const auto response = client.get_object({.bucket = "b", .key = "k"});
  CHECK(code_of_failure(response) == "UnexpectedReplyError");
  CHECK(response.error().message.find("which nobody asked for") != std::string::npos);
  CHECK(service.count() == 1);
  CHECK(client.get_object({.bucket = "b", .key = "k", .range = "bytes=0-3"}).body() == "0123");
  CHECK(client.get_object({.bucket = "b", .key = "k", .part_number = 1}).body() == "0123");
  for (const char* const other : {"bytes=0-4", "bytes=1-4", "bytes=-4", "bytes=0-"}) {
    CAPTURE(other);
    CHECK(code_of_failure(client.get_object({.bucket = "b", .key = "k", .range = other})) ==
          "UnexpectedReplyError");
  }
}

TEST_CASE("reply: a range that is all of the object is compared with the object's checksum") {
  for (const bool right : {true, false}) {
    Answer answer = part(whole, "bytes 0-9/10");
    answer.headers.emplace_back("x-amz-checksum-crc32", right ? "poTHxg==" : "AAAAAA==");
    ScriptedService service({answer});
    MadeUp environment;
    ClientOptions options = quiet_at(service);
    options.retry_limit = 0;
    const auto response =
        environment.client(options).get_object({.bucket = "b", .key = "k", .range = "bytes=0-99"});
    CHECK(code_of_failure(response) == (right ? "" : "ChecksumError"));
  }
}

}  // namespace cairn::objectclient::reply_range_test
