// SPDX-License-Identifier: Apache-2.0
// What can go wrong, how a program tells it apart, and what the library has tried before.
#include <iostream>
#include <string>

#include <cairn/objects/client.h>
#include <cairn/objects/service_errors.h>

using namespace cairn::objectclient;

namespace {

// The class of an exception is the service's code; its bases are for all others.
void with_exceptions(const Client& client, const std::string& bucket) {
  try {
    client.get_object({.bucket = bucket, .key = "no/such/key"}).or_throw();
  } catch (const errors::NoSuchKey& missing) {
    std::cout << "no object " << missing.call().key << " (status " << missing.status() << ")\n";
  }
  try {
    client.get_object({.bucket = "no-such-bucket-anywhere", .key = "a"}).or_throw();
  } catch (const ServiceError& refused) {
    std::cout << "the service says " << refused.code() << "\n";
  }
  try {
    client.put_object({.bucket = bucket, .key = ""}, "bytes").or_throw();
  } catch (const ArgumentError&) {
    std::cout << "nothing was sent: an argument is wrong\n";
  }
}

// Where a failure is nothing unusual, the response holds it.
void without_exceptions(const Client& client, const std::string& bucket) {
  const auto head =
      client.without_exceptions().head_object({.bucket = bucket, .key = "no/such/key"});
  std::cout << "head: " << (head.ok() ? "there" : head.error().code) << "\n";
}

// Nobody listens there: each attempt fails, and all of them are made before the call does.
void attempts(const std::string& region) {
  const Client client({.region = region,
                       .endpoint = "http://127.0.0.1:1",
                       .http_open_timeout = 1.0,
                       .retry_mode = "standard",
                       .max_attempts = 4});
  try {
    client.list_buckets().or_throw();
  } catch (const NetworkingError& error) {
    std::cout << "no answer after " << error.call().attempts << " attempts\n";
  }
}

// A deadline bounds a call with all its retries and waits.
void deadline(const Client& client, const std::string& bucket) {
  const CallOptions at_once{.deadline = cairn::os::Deadline::in_ms(0)};
  try {
    client.get_object({.bucket = bucket, .key = "a"}, {}, at_once).or_throw();
  } catch (const DeadlineError&) {
    std::cout << "the deadline passed\n";
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: retry_and_errors BUCKET\n";
    return 64;
  }
  try {
    const Client client;
    with_exceptions(client, words[1]);
    without_exceptions(client, words[1]);
    attempts(*client.options().region);
    deadline(client, words[1]);
  } catch (const ClientError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
