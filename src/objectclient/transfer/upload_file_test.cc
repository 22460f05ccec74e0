// SPDX-License-Identifier: Apache-2.0
// Files in parts, by several processes after each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "objectclient/testing.h"
#include "objectclient/testing_store.h"
#include "objectclient/transfer.h"
#include "os/files/test_folder.h"

namespace cairn::objectclient::upload_file_test {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t file_part_bytes = 5u << 20;

/// A folder with a file of four parts, and a state file.
struct Source {
  Source() { write(bytes); }

  void write(const std::string& text) const { folder.write("file", text); }
  UploadOptions options() const {
    return {.multipart_threshold_bytes = 1,
            .part_bytes = file_part_bytes,
            .threads = 2,
            .resume_path = state};
  }
  bool nothing_left() const { return !fs::exists(state) && !fs::exists(state + ".lock"); }

  const os::TestFolder folder;
  const std::string path = folder / "file";
  const std::string state = folder / "state/file.json";
  std::string bytes = bytes_of(3 * file_part_bytes + 1'000);
};

/// Parts from `number` on do not get through.
void trouble_from_part(Rig& rig, int number) {
  rig.store.trouble = [number](const Seen& seen) -> std::optional<Answer> {
    const auto at = seen.target.find("partNumber=");
    if (at == std::string::npos || std::stoi(seen.target.substr(at + 11)) < number)
      return std::nullopt;
    return Answer{.status = 503, .body = error_xml("ServiceUnavailable")};
  };
}

std::ptrdiff_t parts_sent(const Rig& rig) {
  const auto seen = rig.service.seen();
  return std::count_if(seen.begin(), seen.end(), [](const Seen& one) {
    return one.target.find("partNumber=") != std::string::npos;
  });
}

const s3::PutObjectInput file_object{.bucket = "b", .key = "k"};

}  // namespace

TEST_CASE("upload_file: a second call goes on where the first one stopped") {
  Rig rig;
  const Source source;
  trouble_from_part(rig, 3);
  const auto failed = upload_file(rig.client(), file_object, source.path, source.options());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("the same call goes on with it") != std::string::npos);
  CHECK(rig.store.open);
  CHECK(rig.store.aborted == 0);
  CHECK(rig.store.parts.size() == 2);
  REQUIRE(fs::exists(source.state));
  CHECK((fs::status(source.state).permissions() & fs::perms::others_all) == fs::perms::none);

  rig.store.trouble = {};
  const auto before = parts_sent(rig);
  std::uint64_t told = 0;
  UploadOptions options = source.options();
  options.progress = [&](std::uint64_t done, std::optional<std::uint64_t>) { told = done; };
  const auto done = upload_file(rig.client(), file_object, source.path, options);
  REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
  CHECK(done->parts == 4);
  CHECK(done->parts_reused == 2);
  CHECK(parts_sent(rig) - before == 2);
  CHECK(told == source.bytes.size());
  CHECK(rig.store.object == source.bytes);
  CHECK(rig.store.begun == 1);
  CHECK(source.nothing_left());
}

TEST_CASE("upload_file: parts that are not the file's are sent again") {
  Rig rig;
  const Source source;
  trouble_from_part(rig, 4);
  CHECK_FALSE(upload_file(rig.client(), file_object, source.path, source.options()).ok());
  REQUIRE(rig.store.parts.size() == 3);
  rig.store.trouble = {};
  rig.store.parts[1][7] ^= 1;        // the same size, other bytes
  rig.store.parts[2].resize(1'000);  // cut short
  const auto done = upload_file(rig.client(), file_object, source.path, source.options());
  REQUIRE(done.ok());
  CHECK(done->parts_reused == 1);
  CHECK(rig.store.object == source.bytes);
}

TEST_CASE("upload_file: a changed file, or other parameters, begin anew") {
  for (const bool file_changes : {true, false}) {
    Rig rig;
    Source source;
    trouble_from_part(rig, 3);
    CHECK_FALSE(upload_file(rig.client(), file_object, source.path, source.options()).ok());
    rig.store.trouble = {};
    s3::PutObjectInput params = file_object;
    if (file_changes) {
      source.bytes[0] ^= 1;
      source.write(source.bytes);
      const auto later = fs::last_write_time(source.path) + std::chrono::seconds(2);
      fs::last_write_time(source.path, later);
    } else {
      params.content_type = "text/plain";
    }
    const auto done = upload_file(rig.client(), params, source.path, source.options());
    REQUIRE(done.ok());
    CHECK(done->parts_reused == 0);
    CHECK(rig.store.begun == 2);
    CHECK(rig.store.aborted == 1);
    CHECK(rig.store.object == source.bytes);
    CHECK(source.nothing_left());
  }
}

TEST_CASE("upload_file: an upload that is gone begins anew; a finished one is found") {
  for (const bool finished : {true, false}) {
    Rig rig;
    const Source source;
    rig.store.trouble = [&](const Seen& seen) -> std::optional<Answer> {
      if (seen.method != "POST" || seen.target.find("uploadId=") == std::string::npos)
        return std::nullopt;
      return Answer{.status = 500, .body = error_xml("InternalError")};
    };
    CHECK_FALSE(upload_file(rig.client(), file_object, source.path, source.options()).ok());
    REQUIRE(fs::exists(source.state));
    rig.store.trouble = {};
    if (finished) {  // by a completion whose answer nobody saw
      const auto late = rig.store.answer(
          {.method = "POST", .target = "/b/k?uploadId=U1", .headers = {}, .body = {}});
      CHECK(late.status == 200);
    } else {
      rig.store.open = false;
    }
    const auto before = parts_sent(rig);
    const auto done = upload_file(rig.client(), file_object, source.path, source.options());
    REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
    CHECK(done->found_afterwards == finished);
    CHECK(done->parts == 4);
    CHECK(parts_sent(rig) - before == (finished ? 0 : 4));
    CHECK(rig.store.object == source.bytes);
    CHECK(source.nothing_left());
  }
}

TEST_CASE("upload_file: what cannot go away takes the upload back, also one that may be resumed") {
  Rig rig;
  const Source source;
  rig.store.trouble = [](const Seen& seen) -> std::optional<Answer> {
    if (seen.method != "POST" || seen.target.find("uploadId=") == std::string::npos)
      return std::nullopt;
    return Answer{.status = 412, .body = error_xml("PreconditionFailed")};
  };
  const auto failed = upload_file(rig.client(), file_object, source.path, source.options());
  CHECK(code_of_failure(failed) == "PreconditionFailed");
  CHECK(rig.store.aborted == 1);
  CHECK(source.nothing_left());
}

TEST_CASE("upload_file: a file that changes meanwhile is an error, not a mixture") {
  Rig rig;
  const Source source;
  UploadOptions options = source.options();
  options.resume_path = {};
  options.progress = [&](std::uint64_t, std::optional<std::uint64_t>) {
    fs::last_write_time(source.path, fs::last_write_time(source.path) + std::chrono::seconds(2));
  };
  const auto failed = upload_file(rig.client(), file_object, source.path, options);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::conflict);
  CHECK(failed.error().message.find("changed while it was sent") != std::string::npos);
  CHECK(rig.store.aborted == 1);
  CHECK(rig.store.etag.empty());
}

TEST_CASE("upload_file: two at once with one state are one too many; small files go whole") {
  Rig rig;
  const Source source;
  UploadOptions options = source.options();
  std::optional<Error> second;
  options.progress = [&](std::uint64_t, std::optional<std::uint64_t>) {
    if (second) return;
    const auto other = upload_file(rig.client(), file_object, source.path, source.options());
    second = other.ok() ? Error{} : other.error();
  };
  CHECK(upload_file(rig.client(), file_object, source.path, options).ok());
  REQUIRE(second.has_value());
  CHECK(second->kind == ErrorKind::conflict);
  source.write("small");
  options = source.options();
  options.multipart_threshold_bytes = file_part_bytes;
  const auto whole = upload_file(rig.client(), file_object, source.path, options);
  REQUIRE(whole.ok());
  CHECK(whole->parts == 0);
  CHECK(rig.store.object == "small");
  CHECK(source.nothing_left());
  const auto missing = upload_file(rig.client(), file_object, source.path + "x", options);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == ErrorKind::not_found);
}

}  // namespace cairn::objectclient::upload_file_test
