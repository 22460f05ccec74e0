// SPDX-License-Identifier: Apache-2.0
// A test of code that uses the library, without a service: stubs answer, and tell who asked what.
#include <cstdint>
#include <iostream>
#include <string>

#include <cairn/objects/client.h>
#include <cairn/objects/pages.h>
#include <cairn/objects/service_errors.h>

using namespace cairn::objectclient;

namespace {

// The code that is tested: how many bytes are in a bucket; -1 where there is no bucket.
std::int64_t bytes_in(const Client& client, const std::string& bucket) {
  std::int64_t total = 0;
  try {
    auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = bucket});
    while (const auto page = pages.next())
      for (const auto& object : (*page)->contents) total += object.size.value_or(0);
  } catch (const errors::NoSuchBucket&) {
    return -1;
  }
  return total;
}

Value object(const std::string& key, std::int64_t size) {
  return Value::map({{"key", key}, {"size", size}});
}

int failures = 0;
void expect(bool holds, const std::string& what) {
  std::cout << (holds ? "ok      " : "FAILED  ") << what << "\n";
  if (!holds) ++failures;
}

}  // namespace

int main() {
  const Client client({.stub_responses = true});  // neither region nor credentials are needed

  client.stub(
      "list_objects_v2",
      {Stub::data({{"contents", Value::list({object("a", 10), object("b", 20)})},
                   {"is_truncated", true},
                   {"next_continuation_token", "more"}}),
       Stub::data({{"contents", Value::list({object("c", 12)})}, {"is_truncated", false}})});
  expect(bytes_in(client, "books") == 42, "the sizes of all pages are added");

  const auto calls = client.stubbed_calls();
  expect(calls.size() == 2, "two pages were asked for");

  client.stub("list_objects_v2", {Stub::error("NoSuchBucket", "no such bucket", 404)});
  expect(bytes_in(client, "nowhere") == -1, "a bucket that is not there is no failure");

  return failures == 0 ? 0 : 1;
}
