// SPDX-License-Identifier: Apache-2.0
// Downloads from services that answer ranges wrongly: an error, and no file.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "base/encode.h"
#include "base/strings.h"
#include "objectclient/testing_store.h"
#include "objectclient/transfer.h"
#include "os/files/test_folder.h"
#include "s3/checksum.h"

namespace cairn::objectclient::download_test {
namespace {

constexpr std::size_t range_bytes = 1'000;

/// A store with one object of three and a half ranges, and a folder to put it into.
struct Download : Rig {
  Download() {
    store.object = bytes_of(3 * range_bytes + 500);
    store.etag = "\"e\"";
  }
  Response<s3::GetObjectOutput> run() {
    return download(client(), {.bucket = "b", .key = "k"}, folder / "file",
                    {.part_bytes = range_bytes, .threads = 3});
  }
  /// What lies in the folder afterwards: also parts of files.
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder.path))
      ++count;
    return count;
  }
  std::string text() const {
    std::ifstream in(folder / "file", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  os::TestFolder folder;
};

bool is_range_from(const Seen& seen, std::size_t first) {
  return seen.method == "GET" &&
         seen.header("range").starts_with("bytes=" + std::to_string(first) + "-");
}

std::string content_range(std::size_t first, std::size_t last, std::size_t total) {
  return "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
         std::to_string(total);
}

}  // namespace

TEST_CASE("download: a range that is not the one asked for ends with an error and no file") {
  struct Row {
    const char* name;
    std::size_t of_range;
    std::function<Answer(const std::string& object)> answer;
  };
  const auto good = [](const std::string& object, std::size_t first, std::size_t count) {
    return Answer{
        .status = 206,
        .body = object.substr(first, count),
        .headers = {{"ETag", "\"e\""},
                    {"Content-Range", content_range(first, first + count - 1, object.size())}}};
  };
  const auto with = [](Answer answer, const std::string& name, const std::string& value) {
    std::erase_if(answer.headers, [&](const auto& field) { return field.first == name; });
    if (!value.empty()) answer.headers.emplace_back(name, value);
    return answer;
  };
  const Row rows[] = {
      {"shifted, and says so", 1'000, [&](const auto& o) { return good(o, 1'001, 1'000); }},
      {"short, and says so", 1'000, [&](const auto& o) { return good(o, 1'000, 999); }},
      {"long, and says so", 1'000, [&](const auto& o) { return good(o, 1'000, 1'001); }},
      {"without a Content-Range", 2'000,
       [&](const auto& o) { return with(good(o, 2'000, 1'000), "Content-Range", ""); }},
      {"without a Content-Range, the first", 0,
       [&](const auto& o) { return with(good(o, 0, 1'000), "Content-Range", ""); }},
      {"a Content-Range that contradicts itself", 1'000,
       [&](const auto& o) {
         return with(good(o, 1'000, 1'000), "Content-Range", "bytes 1999-1000/3500");
       }},
      {"fewer bytes than its Content-Range says", 1'000,
       [&](const auto& o) {
         Answer answer = good(o, 1'000, 1'000);
         answer.body.pop_back();
         return answer;
       }},
      {"fewer bytes than its Content-Range says, without a length", 1'000,
       [&](const auto& o) {
         Answer answer = good(o, 1'000, 1'000);
         answer.body.pop_back();
         answer.without_length = true;
         return answer;
       }},
      {"more bytes than its Content-Range says, without a length", 1'000,
       [&](const auto& o) {
         Answer answer = good(o, 1'000, 1'000);
         answer.body += "more";
         answer.without_length = true;
         return answer;
       }},
      {"another ETag", 2'000,
       [&](const auto& o) { return with(good(o, 2'000, 1'000), "ETag", "\"other\""); }},
      {"no ETag", 2'000, [&](const auto& o) { return with(good(o, 2'000, 1'000), "ETag", ""); }},
      {"another size of the object", 2'000,
       [&](const auto& o) {
         return with(good(o, 2'000, 1'000), "Content-Range", content_range(2'000, 2'999, 9'999));
       }},
      {"all of the object instead of a later range", 2'000,
       [&](const auto& o) {
         return Answer{.body = o, .headers = {{"ETag", "\"e\""}}};
       }},
      {"a size that is not told", 0,
       [&](const auto& o) { return with(good(o, 0, 1'000), "Content-Range", "bytes 0-999/*"); }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Download rig;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      if (!is_range_from(seen, row.of_range)) return std::nullopt;
      return row.answer(rig.store.object);
    };
    const auto got = rig.run();
    CHECK(code_of_failure(got) == "UnexpectedReplyError");
    CHECK(rig.files() == 0);
  }
}

TEST_CASE("download: a service that knows no ranges, or gives no ETag, gives all of it at once") {
  for (const bool knows_ranges : {false, true}) {
    Download rig;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      if (!knows_ranges) return Answer{.body = rig.store.object, .headers = {{"ETag", "\"e\""}}};
      if (!is_range_from(seen, 0)) return Answer{.body = rig.store.object};
      return Answer{.status = 206,
                    .body = rig.store.object.substr(0, range_bytes),
                    .headers = {{"Content-Range", content_range(0, 999, 3'500)}}};
    };
    const auto got = rig.run();
    REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
    CHECK(rig.text() == rig.store.object);
  }
}

TEST_CASE("download: the checksum of the object is compared, in whatever ranges it came") {
  for (const s3::ChecksumAlgorithm algorithm : s3::all_checksum_algorithms)
    for (const bool right : {true, false}) {
      Download rig;
      CAPTURE(s3::name_of(algorithm));
      rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
        if (seen.method != "HEAD") return std::nullopt;
        CHECK(seen.header("x-amz-checksum-mode") == "ENABLED");
        std::string bytes = rig.store.object;
        if (!right) bytes.back() ^= 1;
        return Answer{.headers = {{"ETag", "\"e\""},
                                  {"x-amz-checksum-type", "FULL_OBJECT"},
                                  {std::string(s3::header_of(algorithm)),
                                   to_base64(s3::checksum(algorithm, bytes))}}};
      };
      const auto got = rig.run();
      CHECK(code_of_failure(got) == (right ? "" : "ChecksumError"));
      CHECK(rig.files() == (right ? 1 : 0));
      if (right) CHECK(got.call().checksum_validated == s3::name_of(algorithm));
      if (right) CHECK(rig.text() == rig.store.object);
    }
}

TEST_CASE("download: checksums of parts, and services without HEAD, are no reason to fail") {
  for (const Answer& answer :
       {Answer{.status = 403},
        Answer{.headers = {{"ETag", "\"e\""}, {"x-amz-checksum-crc32", "AAAAAA==-3"}}},
        Answer{.headers = {{"ETag", "\"e\""},
                           {"x-amz-checksum-type", "COMPOSITE"},
                           {"x-amz-checksum-crc32", "AAAAAA=="}}}}) {
    Download rig;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      return seen.method == "HEAD" ? std::optional(answer) : std::nullopt;
    };
    const auto got = rig.run();
    CHECK(code_of_failure(got) == "");
    CHECK(rig.text() == rig.store.object);
  }
}

TEST_CASE("download: an object that HEAD knows by another ETag has changed") {
  Download rig;
  rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
    if (seen.method != "HEAD") return std::nullopt;
    return Answer{.headers = {{"ETag", "\"other\""}}};
  };
  CHECK(code_of_failure(rig.run()) == "UnexpectedReplyError");
  CHECK(rig.files() == 0);
}

}  // namespace cairn::objectclient::download_test
