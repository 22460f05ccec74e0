// SPDX-License-Identifier: Apache-2.0
// Conditions on writes and copies: made once, changed only as it was read, copied only as it was
// seen. With them several programs share objects without losing each other's work.
#include <iostream>
#include <string>

#include <cairn/objects/client.h>
#include <cairn/objects/service_errors.h>

using namespace cairn::objectclient;

namespace {

// Only one of all who try this succeeds.
bool claim(const Client& client, const std::string& bucket, const std::string& key) {
  try {
    client.put_object({.bucket = bucket, .key = key, .if_none_match = "*"}, "0").or_throw();
    return true;
  } catch (const errors::PreconditionFailed&) {
    return false;
  }
}

// Read, change, write back if nobody else has written meanwhile; else once more.
int add_one(const Client& client, const std::string& bucket, const std::string& key) {
  for (;;) {
    const auto now = client.get_object({.bucket = bucket, .key = key});
    const int next = std::stoi(now.body()) + 1;
    try {
      client
          .put_object({.bucket = bucket, .key = key, .if_match = *now->etag}, std::to_string(next))
          .or_throw();
      return next;
    } catch (const errors::PreconditionFailed&) {
      continue;
    }
  }
}

void copy(const Client& client, const std::string& bucket, const std::string& key) {
  const auto seen = client.head_object({.bucket = bucket, .key = key});
  client
      .copy_object({.bucket = bucket,
                    .key = key + ".copy",
                    .copy_source = bucket + "/" + key,
                    .copy_source_if_match = *seen->etag})
      .or_throw();
  std::cout << "copied what was seen\n";

  add_one(client, bucket, key);
  try {
    client
        .copy_object({.bucket = bucket,
                      .key = key + ".copy",
                      .copy_source = bucket + "/" + key,
                      .copy_source_if_match = *seen->etag})
        .or_throw();
  } catch (const errors::PreconditionFailed& changed) {
    std::cout << "not copied, as it has changed: " << changed.code() << "\n";
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: copy_with_conditions BUCKET\n";
    return 64;
  }
  try {
    const Client client;
    const std::string bucket = words[1];
    const std::string key = "counter";
    client.delete_object({.bucket = bucket, .key = key}).or_throw();
    std::cout << "first claim: " << (claim(client, bucket, key) ? "ours" : "taken") << "\n";
    std::cout << "second claim: " << (claim(client, bucket, key) ? "ours" : "taken") << "\n";
    std::cout << "counted to " << add_one(client, bucket, key) << "\n";
    copy(client, bucket, key);
  } catch (const ClientError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
