// SPDX-License-Identifier: Apache-2.0
// Directory buckets by the client library, against `cairn serve`.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/client/client.h"
#include "objectclient/client.h"
#include "objectclient/environment.h"
#include "objectclient/service_errors.h"
#include "own_service.h"

namespace {

using namespace cairn;
using namespace cairn::objectclient;
using namespace cairn::objectclient_e2e;

/// Writes down where its client went.
struct Directory {
  explicit Directory(ClientOptions given = options()) {
    client.emplace(client_by_names(std::move(given), &hosts));
  }
  s3::CreateBucketInput of_zone(const std::string& bucket) const {
    const bool local = bucket.find("bos1") != std::string::npos;
    s3::CreateBucketInput in{.bucket = bucket};
    auto& configuration = in.create_bucket_configuration.emplace();
    configuration.location = {.type = local ? "LocalZone" : "AvailabilityZone",
                              .name = local ? "use1-bos1-az1" : "use1-az4"};
    configuration.bucket = {
        .data_redundancy = local ? "SingleLocalZone" : "SingleAvailabilityZone",
        .type = "Directory"};
    return in;
  }
  std::string made(const std::string& base) const {
    const std::string bucket = base + "--use1-az4--x-s3";
    client->create_bucket(of_zone(bucket)).or_throw();
    return bucket;
  }
  std::vector<std::string> hosts;
  std::optional<Client> client;
};

TEST_CASE("e2e directory: made by path, used by host, in a session of their own") {
  if (!is_own()) return;
  const Directory directory;
  const Client& client = *directory.client;
  const std::string bucket = directory.made("lib-first");
  client.put_object({.bucket = bucket, .key = "a/b"}, "bytes").or_throw();
  CHECK(client.get_object({.bucket = bucket, .key = "a/b"}).body() == "bytes");
  CHECK(directory.hosts.front() == domain);
  CHECK(directory.hosts.back() == bucket + "." + std::string(domain));
  const auto head = client.head_object({.bucket = bucket, .key = "a/b"});
  CHECK(head->storage_class == "EXPRESS_ONEZONE");
  const auto session = client.create_session({.bucket = bucket, .session_mode = "ReadOnly"});
  REQUIRE(session->credentials);
  CHECK_FALSE(session->credentials->session_token.empty());
  const auto there = client.head_bucket({.bucket = bucket});
  CHECK(there->bucket_location_type == "AvailabilityZone");
  CHECK(there->bucket_location_name == "use1-az4");
  CHECK_THROWS_AS(client.delete_bucket({.bucket = bucket}).or_throw(), errors::BucketNotEmpty);
  client.delete_object({.bucket = bucket, .key = "a/b"}).or_throw();
  client.delete_bucket({.bucket = bucket}).or_throw();
}

TEST_CASE("e2e directory: without sessions, where the client wants that") {
  if (!is_own()) return;
  ClientOptions plain = options();
  plain.disable_s3_express_session_auth = true;
  const Directory directory(plain);
  const std::string bucket = directory.made("lib-plain");
  directory.client->put_object({.bucket = bucket, .key = "k"}, "bytes").or_throw();
  CHECK(directory.client->get_object({.bucket = bucket, .key = "k"}).body() == "bytes");
}

TEST_CASE("e2e directory: listed apart from the others") {
  if (!is_own()) return;
  const Directory directory;
  const std::string bucket = directory.made("lib-listed");
  directory.client->create_bucket({.bucket = "lib-general"}).or_throw();
  bool there = false;
  const auto listed = directory.client->list_directory_buckets();
  for (const auto& each : listed->buckets) {
    CHECK(each.name != "lib-general");
    there = there || each.name == bucket;
  }
  CHECK(there);
  const auto general = directory.client->list_buckets();
  for (const auto& each : general->buckets) CHECK(each.name != bucket);
}

TEST_CASE("e2e directory: objects are renamed, copied and uploaded in parts") {
  if (!is_own()) return;
  const Directory directory;
  const Client& client = *directory.client;
  const std::string bucket = directory.made("lib-objects");
  client.put_object({.bucket = bucket, .key = "part", .metadata = {{"color", "red"}}}, "bytes")
      .or_throw();
  client.rename_object({.bucket = bucket, .key = "whole", .rename_source = "part"}).or_throw();
  CHECK(client.head_object({.bucket = bucket, .key = "whole"})->metadata.at("color") == "red");
  CHECK_THROWS_AS(
      client.rename_object({.bucket = bucket, .key = "x", .rename_source = "part"}).or_throw(),
      errors::NoSuchKey);
  client.copy_object({.bucket = bucket, .key = "copy", .copy_source = bucket + "/whole"})
      .or_throw();
  CHECK(client.get_object({.bucket = bucket, .key = "copy"}).body() == "bytes");
  const auto upload = client.create_multipart_upload({.bucket = bucket, .key = "big"});
  const std::string id = *upload->upload_id;
  const auto part =
      client.upload_part({.bucket = bucket, .key = "big", .upload_id = id, .part_number = 1}, "x");
  s3::CompleteMultipartUploadInput complete{.bucket = bucket, .key = "big", .upload_id = id};
  complete.multipart_upload.emplace().parts = {{.etag = *part->etag, .part_number = 1}};
  client.complete_multipart_upload(complete).or_throw();
  CHECK(client.get_object({.bucket = bucket, .key = "big"}).body() == "x");
  const auto other = client.create_multipart_upload({.bucket = bucket, .key = "open"});
  const auto listed = client.list_multipart_uploads({.bucket = bucket});
  REQUIRE(listed->uploads.size() == 1);
  s3::AbortMultipartUploadInput abort{
      .bucket = bucket, .key = "open", .upload_id = *other->upload_id};
  abort.if_match_initiated_time = s3::Time{listed->uploads[0].initiated->unix_ms + 60'000};
  CHECK_THROWS_AS(client.abort_multipart_upload(abort).or_throw(), errors::PreconditionFailed);
  abort.if_match_initiated_time = listed->uploads[0].initiated;
  client.abort_multipart_upload(abort).or_throw();
}

TEST_CASE("e2e directory: a presigned URL carries the session") {
  if (!is_own()) return;
  const Directory directory;
  const std::string bucket = directory.made("lib-urls");
  directory.client->put_object({.bucket = bucket, .key = "k"}, "bytes").or_throw();
  const std::string text =
      directory.client->presigned_url("get_object", {{"bucket", bucket}, {"key", "k"}});
  CHECK(text.find("X-Amz-S3session-Token=") != std::string::npos);
  net::Client anybody({.resolve = [](const std::string&, std::uint16_t port,
                                     const os::Deadline& deadline) {
    return net::resolve("127.0.0.1", port, deadline);
  }});
  net::ClientRequest request;
  const auto url = net::parse_url(text);
  REQUIRE(url.ok());
  request.url = *url;
  const auto reply = anybody.send(request, os::Deadline::in_ms(60'000));
  REQUIRE(reply.ok());
  CHECK(reply->status == 200);
  CHECK(reply->body == "bytes");
}

}  // namespace
