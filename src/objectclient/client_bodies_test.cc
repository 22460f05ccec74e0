// SPDX-License-Identifier: Apache-2.0
// Bodies of calls: their checksums, and where they come from and go.
#include <doctest/doctest.h>

#include <atomic>

#include "base/encode.h"
#include "base/hash.h"
#include "objectclient/client.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"
#include "s3/checksum.h"
#include "s3/errors.h"

namespace cairn::objectclient::client_bodies_test {
namespace {

TEST_CASE("client: checksums of bodies, in fields, computed or given") {
  ScriptedService service({{}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  client.put_object({.bucket = "b", .key = "k"}, "123456789").or_throw();
  CHECK(service.last().header("x-amz-checksum-crc32") == "y/Q5Jg==");
  CHECK(service.last().header("x-amz-sdk-checksum-algorithm") == "CRC32");
  client.put_object({.bucket = "b", .key = "k", .checksum_algorithm = "CRC64NVME"}, "123456789")
      .or_throw();
  CHECK(service.last().header("x-amz-checksum-crc64nvme") == "rosUhgp5mIg=");
  CHECK_FALSE(service.last().headers.has("x-amz-checksum-crc32"));
  client.put_object({.bucket = "b", .key = "k", .checksum_sha256 = "given"}, "123456789")
      .or_throw();
  CHECK_FALSE(service.last().headers.has("x-amz-checksum-crc32"));
  CHECK_FALSE(service.last().headers.has("x-amz-sdk-checksum-algorithm"));
  client.delete_bucket({.bucket = "b"}).or_throw();
  CHECK_FALSE(service.last().headers.has("x-amz-checksum-crc32"));
}

TEST_CASE("client: the bytes of objects are compared with the checksum beside them") {
  std::string value = "y/Q5Jg==";
  std::string name = "x-amz-checksum-crc32";
  int wrong = 0;
  ScriptedService service([&](const Seen& seen) -> Answer {
    CHECK(seen.header("x-amz-checksum-mode") == "ENABLED");
    if (wrong-- > 0) return {.body = "123456780", .headers = {{name, value}}};
    return {.body = "123456789", .headers = {{name, value}}};
  });
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  const auto get = [&] { return client.get_object({.bucket = "b", .key = "k"}); };
  CHECK(get().body() == "123456789");
  CHECK(get().call().checksum_validated == "CRC32");
  wrong = 1;
  CHECK(get().body() == "123456789");  // the second attempt
  wrong = 9;
  const auto failed = get();
  CHECK(failed.error().code == "ChecksumError");
  CHECK(failed.error().message.find(
            "Checksum validation failed on x-amz-checksum-crc32 computed: ") != std::string::npos);
  CHECK(failed.error().message.find("expected: y/Q5Jg==") != std::string::npos);
  wrong = 0;
  value = "y/Q5Jg==-3";  // of three parts: nothing that the bytes could be compared with
  CHECK(get().call().checksum_validated.empty());
  value = to_base64(sha256("123456789"));
  name = "x-amz-checksum-sha256";
  CHECK(get().call().checksum_validated == "SHA256");
}

TEST_CASE("client: an object goes into memory, a file or a function, and comes from them") {
  const std::string big(300'000, 'b');
  ScriptedService service({{.body = big, .headers = {{"ETag", "\"e\""}}}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  CHECK(client.get_object({.bucket = "b", .key = "k"}).body() == big);
  std::string taken;
  std::uint64_t told = 0;
  client
      .get_object({.bucket = "b", .key = "k"}, Target::function([&](std::string_view bytes) {
                    taken += bytes;
                    return ok_status();
                  }),
                  {.progress =
                       [&](std::uint64_t bytes, std::optional<std::uint64_t> total) {
                         told = bytes;
                         CHECK(total == 300'000);
                       }})
      .or_throw();
  CHECK(taken == big);
  CHECK(told == 300'000);
  const std::string path = "/tmp/client-test-" + std::to_string(::getpid());
  client.get_object({.bucket = "b", .key = "k"}, Target::file(path)).or_throw();
  client.put_object({.bucket = "b", .key = "k"}, Body::file(path)).or_throw();
  CHECK(service.last().body == big);
  client
      .upload_part({.bucket = "b", .key = "k", .upload_id = "u", .part_number = 2},
                   Body::file(path, 299'999))
      .or_throw();
  CHECK(service.last().body == "b");
  CHECK(service.last().target == "/b/k?uploadId=u&partNumber=2");
  ::unlink(path.c_str());
  client.put_object({.bucket = "b", .key = "k"}, Body::file("/dev/zero", 0, 300'000)).or_throw();
  CHECK(service.last().body == std::string(300'000, '\0'));
  net::StringBody once(big);
  client.put_object({.bucket = "b", .key = "k"}, Body::reader(once)).or_throw();
  // It cannot be read before it is sent: its signatures come with it. No checksum behind it, which
  // stores of one's own refuse, or keep as bytes of the object.
  CHECK(service.last().header("x-amz-content-sha256") == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  CHECK(service.last().header("x-amz-trailer") == "");
  CHECK(service.last().header("x-amz-sdk-checksum-algorithm") == "");
  CHECK(service.last().body.find("x-amz-checksum-crc32:") == std::string::npos);
  net::StringBody named(big);
  client.put_object({.bucket = "b", .key = "k", .checksum_algorithm = "CRC32"}, Body::reader(named))
      .or_throw();
  // Who names the algorithm knows the store.
  CHECK(service.last().header("x-amz-content-sha256") ==
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER");
  CHECK(service.last().header("x-amz-trailer") == "x-amz-checksum-crc32");
  CHECK(service.last().header("x-amz-decoded-content-length") == "300000");
  CHECK(service.last().header("content-encoding") == "aws-chunked");
  CHECK(service.last().body.find("x-amz-checksum-crc32:") != std::string::npos);
}

TEST_CASE("client: a file that could not be had is not there afterwards") {
  ScriptedService service({{.body = "half", .cut_off = true}});
  MadeUp environment;
  const std::string path = "/tmp/client-test-none-" + std::to_string(::getpid());
  const Client client = environment.client(quiet(at(service)));
  CHECK(code_of_failure(client.get_object({.bucket = "b", .key = "k"}, Target::file(path))) ==
        "NetworkingError");
  CHECK(::access(path.c_str(), F_OK) != 0);
  CHECK(client.put_object({.bucket = "b", .key = "k"}, Body::file(path)).error().kind ==
        ErrorKind::not_found);
}

TEST_CASE("client: what a function has taken is not given again, but gone on from") {
  const std::string whole = "0123456789";
  ScriptedService service([&](const Seen& seen) -> Answer {
    const std::string range = seen.header("range");
    if (range.empty())
      return {.body = whole.substr(0, 4),
              .headers = {{"ETag", "\"e\""}, {"x-amz-checksum-crc32", "poTHxg=="}},
              .cut_off = true,
              .missing = 6};
    CHECK(range == "bytes=4-");
    CHECK(seen.header("if-match") == "\"e\"");
    return {.status = 206,
            .body = whole.substr(4),
            .headers = {{"ETag", "\"e\""}, {"Content-Range", "bytes 4-9/10"}}};
  });
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  std::string taken;
  const auto response =
      client.get_object({.bucket = "b", .key = "k"}, Target::function([&](std::string_view bytes) {
                          taken += bytes;
                          return ok_status();
                        }));
  CHECK(taken == whole);
  CHECK(code_of_failure(response) == "");
  CHECK(response.call().checksum_validated == "CRC32");
}

TEST_CASE("client: a body that can be read once is not sent twice") {
  ScriptedService service({{.status = 503, .body = error_xml("SlowDown")}});
  MadeUp environment;
  net::StringBody once("bytes");
  const auto response = environment.client(quiet(at(service)))
                            .put_object({.bucket = "b", .key = "k"}, Body::reader(once));
  CHECK(code_of_failure(response) == "SlowDown");
  CHECK(service.count() == 1);
  CHECK(environment.slept_s.empty());
}

}  // namespace
}  // namespace cairn::objectclient::client_bodies_test
