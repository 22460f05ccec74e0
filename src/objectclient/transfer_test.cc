// SPDX-License-Identifier: Apache-2.0
// Uploads, downloads, pages and waits against a small store that a test can trouble.
#include "objectclient/transfer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectclient/pages.h"
#include "objectclient/testing.h"
#include "objectclient/waiters.h"

namespace cairn::objectclient {
namespace {

/// One bucket with one key, and one upload at a time. `trouble` may answer instead.
class SmallStore {
 public:
  using Trouble = std::function<std::optional<Answer>(const Seen& seen)>;

  Answer answer(const Seen& seen) {
    const Trouble now = trouble;  // which may take itself away
    if (now)
      if (auto given = now(seen)) return *given;
    const std::string query = seen.target.find('?') == std::string::npos
                                  ? ""
                                  : seen.target.substr(seen.target.find('?') + 1);
    if (seen.method == "POST" && query == "uploads") return begin();
    if (seen.method == "PUT" && query.find("partNumber=") != std::string::npos)
      return part(seen, query);
    if (query.find("uploadId=") != std::string::npos && !open)
      return {.status = 404, .body = error_xml("NoSuchUpload")};
    if (seen.method == "POST") return complete();
    if (seen.method == "DELETE") return abort();
    if (seen.method == "GET" && !query.empty()) return list();
    if (seen.method == "PUT") return put(seen);
    return get(seen);
  }

  Trouble trouble = {};
  bool open = false;
  int begun = 0;
  int aborted = 0;
  std::map<int, std::string> parts = {};
  std::string object = {};
  std::string etag = {};

 private:
  Answer begin() {
    open = true;
    ++begun;
    parts.clear();
    return {.body = "<InitiateMultipartUploadResult><UploadId>U" + std::to_string(begun) +
                    "</UploadId></InitiateMultipartUploadResult>"};
  }
  Answer part(const Seen& seen, const std::string& query) {
    const int number = std::stoi(query.substr(query.find("partNumber=") + 11));
    parts[number] = seen.body;
    return {.headers = {{"ETag", "\"" + to_hex(md5(seen.body)) + "\""},
                        {"x-amz-checksum-crc32", seen.header("x-amz-checksum-crc32")}}};
  }
  Answer complete() {
    std::string digests;
    object.clear();
    for (const auto& [number, bytes] : parts) {
      object += bytes;
      digests += md5(bytes);
    }
    etag = "\"" + to_hex(md5(digests)) + "-" + std::to_string(parts.size()) + "\"";
    open = false;
    return {.body = "<CompleteMultipartUploadResult><ETag>" + etag +
                    "</ETag></CompleteMultipartUploadResult>"};
  }
  Answer abort() {
    ++aborted;
    open = false;
    return {.status = 204};
  }
  Answer list() const { return {.body = "<ListPartsResult></ListPartsResult>"}; }
  Answer put(const Seen& seen) {
    object = seen.body;
    etag = "\"" + to_hex(md5(object)) + "\"";
    return {.headers = {{"ETag", etag}}};
  }
  Answer get(const Seen& seen) const {
    if (etag.empty()) return {.status = 404, .body = error_xml("NoSuchKey")};
    const std::string range = seen.header("range");
    if (range.empty() || seen.method == "HEAD")
      return {.body = object, .headers = {{"ETag", etag}}};
    const std::string wanted = seen.header("if-match");
    if (!wanted.empty() && wanted != etag)
      return {.status = 412, .body = error_xml("PreconditionFailed")};
    const auto dash = range.find('-');
    const std::size_t first = *parse_number<std::size_t>(range.substr(6, dash - 6));
    if (first >= object.size()) return {.status = 416, .body = error_xml("InvalidRange")};
    const std::size_t last =
        std::min(*parse_number<std::size_t>(range.substr(dash + 1)), object.size() - 1);
    return {.status = 206,
            .body = object.substr(first, last - first + 1),
            .headers = {
                {"ETag", etag},
                {"Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(last) +
                                      "/" + std::to_string(object.size())}}};
  }
};

struct Rig {
  SmallStore store;
  ScriptedService service{[this](const Seen& seen) { return store.answer(seen); }};
  MadeUp around;
  Client client() {
    ClientOptions options = at(service);
    options.raise_response_errors = false;
    return around.client(options);
  }
};

constexpr std::uint64_t mib = 1 << 20;

std::string bytes_of(std::size_t count) {
  std::string out(count, '\0');
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<char>(i * 2'654'435'761u >> 13);
  return out;
}

bool is_completion(const Seen& seen) {
  return seen.method == "POST" && seen.target.find("uploadId=") != std::string::npos;
}

UploadOptions in_parts() { return {.multipart_threshold_bytes = 1, .threads = 3}; }

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
  MadeUp around;
  const Client client = around.client(at(service));
  auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = "bucket"});
  std::string keys;
  while (const auto page = pages.next())
    for (const auto& object : (*page)->contents) keys += object.key;
  CHECK(keys == "ab");
  CHECK(service.count() == 2);
}

TEST_CASE("waiters: until it is there, until it is gone, and not for ever") {
  ScriptedService service({{.status = 404}, {.status = 404}, {.status = 200}});
  MadeUp around;
  const Client client = around.client(at(service));
  CHECK(wait_until_object_exists(client, {.bucket = "b", .key = "k"}).ok());
  CHECK(around.slept_s == std::vector<double>{5, 5});
  CHECK(wait_until_bucket_not_exists(client, "b", {.attempts = 2}).error().code ==
        "TooManyAttemptsError");
  ScriptedService denied({{.status = 403}});
  const Client other = around.client(at(denied));
  CHECK(wait_until_bucket_exists(other, "b").ok());
  CHECK(wait_until_object_exists(other, {.bucket = "b", .key = "k"}).error().code == "Forbidden");
}

}  // namespace cairn::objectclient
