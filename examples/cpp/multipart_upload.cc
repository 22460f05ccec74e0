// SPDX-License-Identifier: Apache-2.0
// A large object in parts: by one call that does everything, and by hand.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

#include <cairn/objects/client.h>
#include <cairn/objects/service_errors.h>
#include <cairn/objects/transfer.h>

using namespace cairn::objectclient;

namespace {

constexpr std::uint64_t part_bytes = 5 << 20;  // the least that a part may have, but for the last

// Several parts at once; all or nothing: where a part fails for good, none is left behind.
void by_one_call(const Client& client, const std::string& bucket, const std::string& path) {
  std::uint64_t sent = 0;
  const auto done = upload(
      client, {.bucket = bucket, .key = "large/one-call"}, Body::file(path),
      {.multipart_threshold_bytes = part_bytes,
       .part_bytes = part_bytes,
       .threads = 4,
       .progress = [&](std::uint64_t bytes, std::optional<std::uint64_t>) { sent = bytes; }});
  std::cout << "uploaded " << sent << " bytes in " << done->parts << " parts, etag " << done->etag
            << "\n";

  const auto got = download(client, {.bucket = bucket, .key = "large/one-call"}, path + ".copy",
                            {.part_bytes = part_bytes});
  std::cout << "downloaded " << *got->content_length << " bytes\n";
}

// The same in single steps, for programs that decide themselves what is sent when.
void by_hand(const Client& client, const std::string& bucket, const std::string& path) {
  const Body file = Body::file(path);
  const std::uint64_t total = *file.length();
  const auto upload = client.create_multipart_upload({.bucket = bucket, .key = "large/by-hand"});
  const std::string id = *upload->upload_id;
  try {
    cairn::s3::CompletedMultipartUpload all;
    for (std::uint64_t at = 0; at < total; at += part_bytes) {
      const auto number = static_cast<std::int64_t>(all.parts.size()) + 1;
      const auto part = client.upload_part(
          {.bucket = bucket, .key = "large/by-hand", .upload_id = id, .part_number = number},
          file.slice(at, std::min(part_bytes, total - at)));
      all.parts.push_back({.etag = *part->etag, .part_number = number});
      std::cout << "sent part " << number << "\n";
    }
    const auto done = client.complete_multipart_upload(
        {.bucket = bucket, .key = "large/by-hand", .multipart_upload = all, .upload_id = id});
    std::cout << "completed, etag " << *done->etag << "\n";
  } catch (const ClientError&) {
    // Parts without a completion cost space until they are taken back.
    const auto aborted = client.without_exceptions().abort_multipart_upload(
        {.bucket = bucket, .key = "large/by-hand", .upload_id = id});
    if (!aborted.ok()) std::cerr << aborted.error().message << "\n";
    throw;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: multipart_upload BUCKET FILE\n";
    return 64;
  }
  try {
    const Client client;
    by_one_call(client, words[1], words[2]);
    by_hand(client, words[1], words[2]);
  } catch (const ClientError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
