// SPDX-License-Identifier: Apache-2.0
// Uploads, downloads, pages and waits against a small store that a test can trouble.
#include "objectclient/transfer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "objectclient/pages.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"
#include "objectclient/testing_store.h"
#include "objectclient/waiters.h"

namespace cairn::objectclient::transfer_test {
namespace {

constexpr std::uint64_t mib = 1 << 20;

bool is_completion(const Seen& seen) {
  return seen.method == "POST" && seen.target.find("uploadId=") != std::string::npos;
}

UploadOptions in_parts() {
  return {.multipart_threshold_bytes = 1, .part_bytes = 5 * mib, .threads = 3};
}

}  // namespace

TEST_CASE("upload: small bodies in one piece, large ones in parts, byte for byte") {
  Rig rig;
  const std::string bytes = bytes_of(11 * mib);
  const auto whole = upload(rig.client(), {.bucket = "b", .key = "k"}, bytes);
  REQUIRE(whole.ok());
  CHECK(whole->parts == 0);
  CHECK(rig.store.object == bytes);
  rig.store.object.clear();
  std::uint64_t told = 0;
  UploadOptions options = in_parts();
  options.progress = [&](std::uint64_t done, std::optional<std::uint64_t> total) {
    CHECK(total == bytes.size());
    told = done;
  };
  const auto parted = upload(rig.client(), {.bucket = "b", .key = "k"}, bytes, options);
  REQUIRE_MESSAGE(parted.ok(), (parted.ok() ? "" : parted.error().message));
  CHECK(parted->parts == 3);
  CHECK(rig.store.object == bytes);
  CHECK(parted->etag == rig.store.etag);
  CHECK(told == bytes.size());
  net::StringBody stream(bytes, {}, false);
  rig.store.object.clear();
  const auto streamed =
      upload_stream(rig.client(), {.bucket = "b", .key = "k"}, stream, in_parts());
  REQUIRE(streamed.ok());
  CHECK(streamed->parts == 3);
  CHECK(rig.store.object == bytes);
  net::StringBody small("small", {}, false);
  CHECK(upload_stream(rig.client(), {.bucket = "b", .key = "k"}, small)->parts == 0);
  CHECK(rig.store.object == "small");
}

TEST_CASE("upload: a part that fails for good takes the upload back, until no part is left") {
  Rig rig;
  int listed = 0;
  rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
    if (seen.target.find("partNumber=2") != std::string::npos)
      return Answer{.status = 403, .body = error_xml("AccessDenied")};
    // A part was on its way when the upload was aborted.
    if (seen.method == "GET" && ++listed == 1)
      return Answer{.body =
                        "<ListPartsResult><Part><PartNumber>1</PartNumber></Part>"
                        "</ListPartsResult>"};
    if (seen.method == "DELETE") rig.store.open = true;
    return std::nullopt;
  };
  const auto failed =
      upload(rig.client(), {.bucket = "b", .key = "k"}, bytes_of(11 * mib), in_parts());
  CHECK(code_of_failure(failed) == "AccessDenied");
  CHECK(failed.error().message.find("multipart upload failed: part 2: ") != std::string::npos);
  CHECK(rig.store.aborted == 2);
  CHECK(rig.store.etag.empty());
}

TEST_CASE("upload: a service that completes without an ETag in its answer does not take it away") {
  Rig rig;
  rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
    if (!is_completion(seen)) return std::nullopt;
    rig.store.trouble = {};
    static_cast<void>(rig.store.answer(seen));
    return Answer{.body =
                      "<CompleteMultipartUploadResult><ETag></ETag>"
                      "</CompleteMultipartUploadResult>"};
  };
  const auto done =
      upload(rig.client(), {.bucket = "b", .key = "k"}, bytes_of(6 * mib), in_parts());
  REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
  CHECK(done->etag == rig.store.etag);
}

TEST_CASE("upload: a completion whose answer is lost is looked up, not repeated") {
  for (const bool was_done : {true, false}) {
    Rig rig;
    int completions = 0;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      if (!is_completion(seen) || ++completions > 1) return std::nullopt;
      if (was_done) {
        rig.store.trouble = {};
        const Answer done = rig.store.answer(seen);
        return Answer{.body = done.body.substr(0, 10), .cut_off = true};
      }
      return Answer{.status = 500, .body = error_xml("InternalError")};
    };
    const std::string bytes = bytes_of(6 * mib);
    const auto done = upload(rig.client(), {.bucket = "b", .key = "k"}, bytes, in_parts());
    REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
    CHECK(done->found_afterwards == was_done);
    CHECK(rig.store.object == bytes);
    CHECK(completions == (was_done ? 1 : 2));
    CHECK(rig.store.aborted == 0);
  }
}

TEST_CASE("upload: a conflict begins the upload again, a bounded number of times") {
  for (const int conflicts : {2, 9}) {
    Rig rig;
    int left = conflicts;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      if (!is_completion(seen) || left-- <= 0) return std::nullopt;
      return Answer{.status = 409, .body = error_xml("ConditionalRequestConflict")};
    };
    const auto done = upload(rig.client(), {.bucket = "b", .key = "k", .if_none_match = "*"},
                             bytes_of(6 * mib), in_parts());
    CHECK(done.ok() == (conflicts == 2));
    CHECK(rig.store.begun == 3);
    if (conflicts == 9) CHECK(done.error().code == "ConditionalRequestConflict");
  }
}

TEST_CASE("download: a device stays what it is") {
  Rig rig;
  REQUIRE(rig.client().put_object({.bucket = "b", .key = "k"}, "bytes").ok());
  const std::string pipe = "/tmp/client-pipe-" + std::to_string(::getpid());
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  char bytes[16];
  REQUIRE(download(rig.client(), {.bucket = "b", .key = "k"}, pipe).ok());
  CHECK(::read(reader, bytes, sizeof bytes) == 5);
  REQUIRE(rig.client().get_object({.bucket = "b", .key = "k"}, Target::file(pipe)).ok());
  CHECK(::read(reader, bytes, sizeof bytes) == 5);
  struct stat there {};
  REQUIRE(::stat(pipe.c_str(), &there) == 0);
  CHECK(S_ISFIFO(there.st_mode));
  ::close(reader);
  ::unlink(pipe.c_str());
  CHECK_FALSE(download(rig.client(), {.bucket = "b", .key = "k"}, "/tmp").ok());
}

TEST_CASE("download: ranges of one object, into a file that appears at the end") {
  Rig rig;
  const std::string path = "/tmp/client-download-" + std::to_string(::getpid());
  const auto read = [&] {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  for (const std::size_t size : {0u, 5u, 1'000'000u, 3'000'001u}) {
    rig.store.object = bytes_of(size);
    rig.store.etag = "\"e\"";
    const auto got = download(rig.client(), {.bucket = "b", .key = "k"}, path,
                              {.part_bytes = 1'000'000, .threads = 3});
    REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
    CHECK(read() == rig.store.object);
    ::unlink(path.c_str());
  }
  // It changes while it is read.
  rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
    if (seen.header("if-match").empty()) return std::nullopt;
    rig.store.etag = "\"other\"";
    return std::nullopt;
  };
  const auto mixed = download(rig.client(), {.bucket = "b", .key = "k"}, path,
                              {.part_bytes = 1'000'000, .threads = 1});
  CHECK(code_of_failure(mixed) == "PreconditionFailed");
  CHECK(::access(path.c_str(), F_OK) != 0);
}

TEST_CASE("pages: all of a listing, one call a page") {
  ScriptedService service([](const Seen& seen) -> Answer {
    if (seen.target.find("continuation-token=T") == std::string::npos)
      return {.body =
                  "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>T"
                  "</NextContinuationToken><Contents><Key>a</Key></Contents>"
                  "</ListBucketResult>"};
    return {.body =
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>b</Key>"
                "</Contents></ListBucketResult>"};
  });
  MadeUp environment;
  const Client client = environment.client(at(service));
  auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = "bucket"});
  std::string keys;
  while (const auto page = pages.next())
    for (const auto& object : (*page)->contents) keys += object.key;
  CHECK(keys == "ab");
  CHECK(service.count() == 2);
}

TEST_CASE("waiters: until it is there, until it is gone, and not for ever") {
  ScriptedService service({{.status = 404}, {.status = 404}, {.status = 200}});
  MadeUp environment;
  const Client raising = environment.client(at(service));
  const Client client = raising.without_exceptions();
  CHECK(wait_until_object_exists(client, {.bucket = "b", .key = "k"})->attempts == 3);
  CHECK(environment.slept_s == std::vector<double>{5, 5});
  CHECK(wait_until_bucket_not_exists(client, "b", {.attempts = 2}).error().code ==
        "TooManyAttemptsError");
  CHECK_THROWS_AS(wait_until_bucket_not_exists(raising, "b", {.attempts = 2}).or_throw(),
                  TooManyAttemptsError);
  ScriptedService denied({{.status = 403}});
  const Client other = environment.client(at(denied)).without_exceptions();
  CHECK(wait_until_bucket_exists(other, "b").ok());
  CHECK(wait_until_object_exists(other, {.bucket = "b", .key = "k"}).error().code == "Forbidden");
}

}  // namespace cairn::objectclient::transfer_test
