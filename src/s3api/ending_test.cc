// SPDX-License-Identifier: Apache-2.0
// Copies and listings end soon after their time: their deadline passes half-way, counted in steps of
// 64 bytes that are copied, and of a sixteenth of a row that is listed.
#include <doctest/doctest.h>

#include <map>

#include "os/step_clock.h"
#include "s3api/upload_rig_test.h"

namespace cairn::s3api::ending_test {
namespace {

constexpr std::size_t object_bytes = 8 << 20;
constexpr int many_keys = 1'000;

Ask copy_of(std::string target, const std::string& source, Fields more = {}) {
  Ask ask{.method = "PUT", .target = std::move(target)};
  ask.headers = std::move(more);
  ask.headers.emplace_back("x-amz-copy-source", source);
  return ask;
}

/// A whole object, one of two parts, and a bucket of many small ones, with versions and uploads.
struct Filled : UploadRig {
  Filled() {
    REQUIRE(put("/photos/whole", std::string(object_bytes, 'x')).status == 200);
    upload = begin();
    const std::string text(object_bytes, 'y');
    for (const int number : {1, 2}) REQUIRE(part(upload, number, text).status == 200);
    REQUIRE(complete(upload, entry(1, etag_of(text)) + entry(2, etag_of(text))).status == 200);
    upload = begin();
  }
  void fill_many() {
    REQUIRE(put("/many").status == 200);
    for (int i = 0; i < many_keys; ++i) {
      const std::string key = "/many/" + std::to_string(i) + "/k";
      REQUIRE(put(key, "x").status == 200);
      REQUIRE(post(key + "?uploads", "").status == 200);
    }
  }
  std::string upload;
};

void check_ends_soon(ServiceRig& rig, const std::string& name, Ask ask, std::int64_t least_us) {
  const os::HalfWay half = os::cut_half_way([&](const os::Deadline& deadline) -> Status {
    ask.deadline = deadline;
    const Answer answer = rig.ask(ask);
    if (answer.status == 200) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = answer.body};
  });
  INFO(name << ": " << half.whole_us << " steps in all, " << half.late_us << " too late "
            << (half.whole.ok() ? std::string() : half.whole.error().message));
  CHECK(half.whole_us >= least_us);
  CHECK(half.ends_soon());
}

TEST_CASE("ending: copies of objects and parts end where their deadline passes half-way") {
  Filled rig;
  const Fields sealed{{"x-amz-server-side-encryption", "AES256"}};
  const std::map<std::string, Ask> asks = {
      {"a copy that is encrypted", copy_of("/photos/sealed", "/photos/whole", sealed)},
      {"a copy that reads for its checksum", copy_of("/photos/summed", "/photos/k")},
      {"a copy of a part", copy_of(UploadRig::at(rig.upload, 1), "/photos/whole")}};
  for (const auto& [name, ask] : asks) check_ends_soon(rig, name, ask, object_bytes / 64);
}

TEST_CASE("ending: listings end where their deadline passes half-way") {
  Filled rig;
  rig.fill_many();
  for (const std::string kind : {"list-type=2", "prefix=", "versions", "uploads"})
    for (const std::string folds : {"", "&delimiter=%2F"})
      check_ends_soon(rig, kind + folds, {.target = "/many?" + kind + folds}, many_keys * 16);
}

}  // namespace
}  // namespace cairn::s3api::ending_test
