// SPDX-License-Identifier: Apache-2.0
// The client library against `cairn serve`: what it sends is taken, and what it gets is right.
// CAIRN_E2E_ENDPOINT, _ACCESS and _SECRET name another service instead; what that cannot do is
// found out and said, and the rest must hold.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "net/client/client.h"
#include "objectclient/client.h"
#include "objectclient/pages.h"
#include "objectclient/service_errors.h"
#include "objectclient/transfer.h"
#include "objectclient/waiters.h"
#include "os/deadline.h"
#include "own_service.h"

namespace {

using namespace cairn;
using namespace cairn::objectclient;
using namespace cairn::objectclient_e2e;

std::string bytes_of(std::size_t count) {
  std::string out(count, '\0');
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<char>(i * 2'654'435'761u >> 13);
  return out;
}

bool is_cairn() { return std::getenv("CAIRN_E2E_ENDPOINT") == nullptr; }

/// What services of others may lack. Cairn's must have all of it.
struct Lacks {
  bool checksums = false;               // none are kept, nor taken behind a body
  bool conditional_completion = false;  // the conditions of a completion do not count
};

Lacks find_out() {
  Lacks out;
  const Client client(options());
  const std::string bucket = "e2e-facts-" + std::to_string(::getpid());
  client.create_bucket({.bucket = bucket}).or_throw();
  const auto put = client.put_object({.bucket = bucket, .key = "k"}, "bytes");
  out.checksums = !put->checksum_crc32.has_value();
  const std::string id = *client.create_multipart_upload({.bucket = bucket, .key = "k"})->upload_id;
  const auto part = client.upload_part(
      {.bucket = bucket, .key = "k", .upload_id = id, .part_number = 1}, "small");
  s3::CompleteMultipartUploadInput input{.bucket = bucket, .key = "k", .upload_id = id};
  input.multipart_upload.emplace().parts = {{.etag = *part->etag, .part_number = 1}};
  input.if_none_match = "*";
  out.conditional_completion = client.without_exceptions().complete_multipart_upload(input).ok();
  if (out.checksums) MESSAGE("this service keeps no checksums");
  if (out.conditional_completion) MESSAGE("this service completes uploads against conditions");
  if (is_cairn()) REQUIRE_FALSE((out.checksums || out.conditional_completion));
  return out;
}

const Lacks& lacks() {
  static const Lacks found = find_out();
  return found;
}

/// A new bucket with a name of its own.
std::string new_bucket(const Client& client) {
  static std::atomic<int> number = 0;
  const std::string name = "e2e-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
  client.create_bucket({.bucket = name}).or_throw();
  return name;
}

}  // namespace

TEST_CASE("e2e: an object goes there and comes back, in both dialects") {
  for (const char* const dialect : {"aws", "svc"}) {
    if (!is_cairn() && std::string_view(dialect) == "svc") continue;  // the neutral one is Cairn's
    CAPTURE(dialect);
    ClientOptions given = options();
    given.dialect = dialect;
    const Client client(given);
    const std::string bucket = new_bucket(client);
    const std::string bytes = bytes_of(100'000);
    const auto put = client.put_object({.bucket = bucket,
                                        .key = "a/é +//b",
                                        .content_type = "text/plain",
                                        .metadata = {{"colour", "blue"}}},
                                       bytes);
    CHECK(put->etag == "\"" + to_hex(md5(bytes)) + "\"");
    if (!lacks().checksums) CHECK(put->checksum_crc32.has_value());
    const auto got = client.get_object({.bucket = bucket, .key = "a/é +//b"});
    CHECK(got.body() == bytes);
    CHECK(got->metadata.at("colour") == "blue");
    if (!lacks().checksums) CHECK(got.call().checksum_validated == "CRC32");
    const auto part =
        client.get_object({.bucket = bucket, .key = "a/é +//b", .range = "bytes=5-9"});
    CHECK(part.body() == bytes.substr(5, 5));
    CHECK_THROWS_AS(client.get_object({.bucket = bucket, .key = "none"}).or_throw(),
                    errors::NoSuchKey);
    CHECK_THROWS_AS(client.head_object({.bucket = bucket, .key = "none"}).or_throw(),
                    errors::NotFound);
    client
        .copy_object(
            {.bucket = bucket, .key = "copy", .copy_source = bucket + "/a/%C3%A9%20%2B//b"})
        .or_throw();
    CHECK(client.head_object({.bucket = bucket, .key = "copy"})->content_length == 100'000);
    const auto listed = client.list_objects_v2({.bucket = bucket});
    REQUIRE(listed->contents.size() == 2);
    CHECK(listed->contents[0].key == "a/é +//b");
    s3::Delete both;
    both.objects = {{.key = "copy"}, {.key = "a/é +//b"}};
    CHECK(client.delete_objects({.bucket = bucket, .delete_ = both})->deleted.size() == 2);
    client.delete_bucket({.bucket = bucket}).or_throw();
    CHECK(wait_until_bucket_not_exists(client, bucket, {.delay_s = 0.01}).ok());
  }
}

TEST_CASE("e2e: checksums in fields and behind the body, of every algorithm") {
  const Client client(options());
  const std::string bucket = new_bucket(client);
  const std::string bytes = bytes_of(200'001);
  for (const char* const algorithm : {"CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"}) {
    CAPTURE(algorithm);
    const s3::PutObjectInput params{.bucket = bucket, .key = "k", .checksum_algorithm = algorithm};
    client.put_object(params, bytes).or_throw();
    const auto kept = client.get_object({.bucket = bucket, .key = "k"});
    CHECK(kept.body() == bytes);
    if (lacks().checksums) continue;
    CHECK(kept.call().checksum_validated == algorithm);
    net::StringBody once(bytes);  // signed in chunks, with its checksum behind it
    client.put_object(params, Body::reader(once)).or_throw();
    const auto got = client.get_object({.bucket = bucket, .key = "k"});
    CHECK(got.body() == bytes);
    CHECK(got.call().checksum_validated == algorithm);
  }
  if (!lacks().checksums)
    CHECK_THROWS_AS(
        client.put_object({.bucket = bucket, .key = "k", .checksum_crc32 = "AAAAAA=="}, bytes)
            .or_throw(),
        errors::BadDigest);
  net::StringBody plain(bytes);  // as every service takes it: nothing behind it that nobody named
  client.put_object({.bucket = bucket, .key = "k"}, Body::reader(plain)).or_throw();
  CHECK(client.get_object({.bucket = bucket, .key = "k"}).body() == bytes);
  ClientOptions without = options();
  without.request_checksum_calculation = "when_required";
  net::StringBody alone(bytes);  // signed in chunks, with nothing behind it
  Client(without).put_object({.bucket = bucket, .key = "k"}, Body::reader(alone)).or_throw();
  CHECK(client.get_object({.bucket = bucket, .key = "k"}).body() == bytes);
  for (const char* const signing : {"never", "always"}) {
    ClientOptions given = options();
    given.payload_signing = signing;
    CHECK(Client(given).put_object({.bucket = bucket, .key = "k"}, bytes).ok());
  }
  if (!is_cairn()) return;  // few services know sigv4a
  ClientOptions several = options();
  several.auth_scheme_preference = {std::string("sigv4a")};
  CHECK(Client(several).put_object({.bucket = bucket, .key = "k"}, bytes).ok());
}

TEST_CASE("e2e: uploads in parts, conditions, and what the specification's errors are") {
  const Client client(options());
  const std::string bucket = new_bucket(client);
  const std::string bytes = bytes_of((11 << 20) + 5);
  const auto done = upload(client, {.bucket = bucket, .key = "large", .if_none_match = "*"}, bytes,
                           {.multipart_threshold_bytes = 1, .part_bytes = 5 << 20, .threads = 2});
  CHECK(done->parts == 3);
  CHECK(done->etag.ends_with("-3\""));
  const std::string path = "/tmp/objectclient-e2e-" + std::to_string(::getpid());
  download(client, {.bucket = bucket, .key = "large"}, path, {.part_bytes = 3 << 20, .threads = 2})
      .or_throw();
  CHECK(text_of(path) == bytes);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(
      client.put_object({.bucket = bucket, .key = "large", .if_none_match = "*"}, "x").or_throw(),
      errors::PreconditionFailed);
  if (!lacks().conditional_completion)
    CHECK_THROWS_AS(upload(client, {.bucket = bucket, .key = "large", .if_none_match = "*"}, bytes,
                           {.multipart_threshold_bytes = 1})
                        .or_throw(),
                    errors::PreconditionFailed);
  CHECK(client.list_multipart_uploads({.bucket = bucket})->uploads.empty());

  const std::string id = *client.create_multipart_upload({.bucket = bucket, .key = "k"})->upload_id;
  const auto part = client.upload_part(
      {.bucket = bucket, .key = "k", .upload_id = id, .part_number = 1}, "small");
  const auto complete = [&](std::vector<s3::CompletedPart> parts) {
    s3::CompleteMultipartUploadInput input{.bucket = bucket, .key = "k", .upload_id = id};
    input.multipart_upload.emplace().parts = std::move(parts);
    return client.complete_multipart_upload(input);
  };
  CHECK_THROWS_AS(complete({{.etag = "wrong", .part_number = 1}}).or_throw(), errors::InvalidPart);
  // Services may look at the parts first, and may answer the same completion as before.
  const auto disordered = [&] {
    complete({{.etag = *part->etag, .part_number = 2}, {.etag = *part->etag, .part_number = 1}})
        .or_throw();
  };
  if (is_cairn())
    CHECK_THROWS_AS(disordered(), errors::InvalidPartOrder);
  else
    CHECK_THROWS_AS(disordered(), ServiceError);
  CHECK(complete({{.etag = *part->etag, .part_number = 1}})->etag.has_value());
  if (is_cairn())
    CHECK_THROWS_AS(complete({{.etag = *part->etag, .part_number = 1}}).or_throw(),
                    errors::NoSuchUpload);
  CHECK_THROWS_AS(
      client.abort_multipart_upload({.bucket = bucket, .key = "k", .upload_id = id}).or_throw(),
      errors::NoSuchUpload);
}

TEST_CASE("e2e: listings page by page, and calls by name") {
  const Client client(options());
  const std::string bucket = new_bucket(client);
  for (int i = 0; i < 7; ++i)
    client.call("put_object", {{"bucket", bucket}, {"key", "k" + std::to_string(i)}, {"body", "x"}})
        .or_throw();
  auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = bucket, .max_keys = 3});
  std::string keys;
  int count = 0;
  while (const auto page = pages.next()) {
    ++count;
    for (const auto& object : (*page)->contents) keys += object.key;
  }
  CHECK(keys == "k0k1k2k3k4k5k6");
  CHECK(count == 3);
  const auto named = client.call("list_objects_v2", {{"bucket", bucket}, {"max_keys", "2"}});
  CHECK((*named)["contents"].elements()->size() == 2);
}

TEST_CASE("e2e: a presigned URL works for whoever has it, as long as it says") {
  const Client client(options());
  const std::string bucket = new_bucket(client);
  client.put_object({.bucket = bucket, .key = "k"}, "bytes").or_throw();
  net::Client anybody;
  net::ClientRequest request;
  const auto url =
      net::parse_url(client.presigned_url("get_object", {{"bucket", bucket}, {"key", "k"}}));
  REQUIRE(url.ok());
  request.url = *url;
  const auto reply = anybody.send(request, os::Deadline::in_ms(60'000));
  REQUIRE(reply.ok());
  CHECK(reply->status == 200);
  CHECK(reply->body == "bytes");
  request.url.target += "0";
  CHECK(anybody.send(request, os::Deadline::in_ms(60'000))->status == 403);
}

TEST_CASE("e2e: a wrong secret, and a wrong region, are told as what they are") {
  ClientOptions given = options();
  given.secret_access_key = "wrong";
  CHECK_THROWS_AS(Client(given).list_buckets().or_throw(), errors::SignatureDoesNotMatch);
  given.access_key_id = "UNKNOWN";
  CHECK_THROWS_AS(Client(given).list_buckets().or_throw(), errors::InvalidAccessKeyId);
}

TEST_CASE("e2e: many threads, one client") {
  const Client client(options());
  const std::string bucket = new_bucket(client);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string key = std::to_string(t) + "/" + std::to_string(i);
          client.put_object({.bucket = bucket, .key = key}, key).or_throw();
          if (client.get_object({.bucket = bucket, .key = key}).body() == key) ++good;
        }
      });
  }
  CHECK(good == 80);
}
