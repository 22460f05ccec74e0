// SPDX-License-Identifier: Apache-2.0
// Puts an object, reads it back in memory and into a file, and lists the bucket.
#include <iostream>
#include <string>

#include <cairn/objects/client.h>
#include <cairn/objects/pages.h>
#include <cairn/objects/service_errors.h>

using namespace cairn::objectclient;

namespace {

void put_and_get(const Client& client, const std::string& bucket) {
  const auto put = client.put_object({.bucket = bucket,
                                      .key = "greetings/hello.txt",
                                      .content_type = "text/plain",
                                      .metadata = {{"language", "en"}}},
                                     "Hello, storage!");
  std::cout << "put greetings/hello.txt, etag " << *put->etag << "\n";

  // Small objects come into memory; their checksum has been compared when the call returns.
  const auto got = client.get_object({.bucket = bucket, .key = "greetings/hello.txt"});
  std::cout << "got \"" << got.body() << "\", language " << got->metadata.at("language")
            << ", checked by " << got.call().checksum_validated << "\n";

  // Others go to a file, which appears when all of it is there, or piece by piece to a function.
  std::size_t counted = 0;
  client
      .get_object({.bucket = bucket, .key = "greetings/hello.txt"},
                  Target::function([&](std::string_view piece) {
                    counted += piece.size();
                    return cairn::ok_status();
                  }))
      .or_throw();
  std::cout << "counted " << counted << " bytes\n";
}

void list(const Client& client, const std::string& bucket) {
  auto pages =
      pages_of(client, &Client::list_objects_v2, {.bucket = bucket, .prefix = "greetings/"});
  while (const auto page = pages.next())
    for (const auto& object : (*page)->contents)
      std::cout << "listed " << object.key << ", " << object.size.value_or(0) << " bytes\n";
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: put_get BUCKET\n";
    return 64;
  }
  try {
    // Region, endpoint and credentials come from the environment or the shared profile files.
    const Client client;
    put_and_get(client, words[1]);
    list(client, words[1]);
    client.delete_object({.bucket = words[1], .key = "greetings/hello.txt"}).or_throw();
    std::cout << "deleted\n";
  } catch (const ClientError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
