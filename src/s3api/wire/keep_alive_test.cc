// SPDX-License-Identifier: Apache-2.0
// Requests that last show that they live, and tell in the body what became of them.
#include "s3api/wire/keep_alive.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "s3api/upload_rig_test.h"

namespace cairn::s3api::keep_alive_test {
namespace {

/// A disk whose commits wait until the client has seen so many signs of life. What the engine does
/// in the background, to other files than its log, does not wait: it holds locks meanwhile.
struct SlowDisk {
  SlowDisk(ServiceRig& a_rig, int a_signs, bool a_fails)
      : rig(a_rig), signs(a_signs), fails(a_fails) {
    rig.on_flush = [this] {
      const std::lock_guard lock(mutex);
      ++seen;
      changed.notify_all();
    };
    rig.files.on_call([this](std::string_view call, const std::string& path) -> Status {
      if (call != "sync" || !path.ends_with(".log")) return ok_status();
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return seen >= signs; });
      if (!fails) return ok_status();
      return Error{.kind = ErrorKind::internal, .message = "the disk says no"};
    });
  }
  ~SlowDisk() {
    rig.files.on_call({});
    rig.on_flush = {};
  }
  ServiceRig& rig;
  const int signs;
  const bool fails;
  std::mutex mutex;
  std::condition_variable changed;
  int seen = 0;
};

TEST_CASE("keep_alive: a slow completion is a 200 with white space, and then its result") {
  UploadRig rig(Options{.keep_alive_ms = 1});
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, "abc").status == 200);
  Answer answer;
  {
    SlowDisk disk(rig, 3, false);
    answer = rig.complete(id, UploadRig::entry(1, etag_of("abc")));
    CHECK(disk.seen >= 3);
  }
  CHECK(answer.status == 200);
  CHECK_FALSE(answer.length.has_value());
  CHECK(answer.header("Content-Type") == "application/xml");
  CHECK(answer.headers.has("x-amz-request-id"));
  CHECK(answer.body.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n   "));
  CHECK(answer.complete);
  CHECK(answer.xml().name == "CompleteMultipartUploadResult");
  CHECK(answer.text("Key") == "k");
  CHECK(rig.get("/photos/k").body == "abc");
}

TEST_CASE("keep_alive: a completion that fails after its 200 carries the error in its body") {
  UploadRig rig(Options{.keep_alive_ms = 1});
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, "abc").status == 200);
  Answer answer;
  {
    SlowDisk disk(rig, 1, true);
    answer = rig.complete(id, UploadRig::entry(1, etag_of("abc")));
  }
  CHECK(answer.status == 200);
  CHECK(answer.complete);
  CHECK(answer.xml().name == "Error");
  CHECK(answer.code() == "InternalError");
  CHECK(answer.text("Message") == "We encountered an internal error. Please try again.");
  CHECK(answer.text("RequestId") == "0123456789ABCDEF");
}

TEST_CASE("keep_alive: what is known to fail before the first byte has its own status") {
  UploadRig rig(Options{.keep_alive_ms = 60'000});  // however long the judging takes here
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, "abc").status == 200);
  const SlowDisk disk(rig, 1, true);
  const Answer answer = rig.complete(id, UploadRig::entry(2, "x"));
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidPart");
  CHECK(disk.seen == 0);
}

TEST_CASE("keep_alive: copies of objects and of parts show it too, in either dialect") {
  for (const s3::Dialect dialect : {s3::Dialect::aws, s3::Dialect::svc}) {
    UploadRig rig(Options{.keep_alive_ms = 1});
    REQUIRE(rig.put("/photos/k", std::string(100'000, 'x')).status == 200);
    const std::string id = rig.begin();
    const auto copy = [&](const std::string& target) {
      return rig.ask({.method = "PUT",
                      .target = target,
                      .headers = {{s3::header_name("x-amz-copy-source", dialect), "/photos/k"}},
                      .dialect = dialect});
    };
    SlowDisk disk(rig, 2, false);
    Answer answer = copy("/photos/copy");
    CHECK(answer.status == 200);
    CHECK(answer.body.find("?>\n  ") != std::string::npos);
    CHECK(answer.headers.has(s3::header_name("x-amz-request-id", dialect)));
    CHECK(answer.xml().name == "CopyObjectResult");
    disk.seen = 0;
    answer = copy(UploadRig::at(id, 1));
    CHECK(answer.body.find("?>\n  ") != std::string::npos);
    CHECK(answer.xml().name == "CopyPartResult");
  }
}

TEST_CASE("keep_alive: work that is done in time is answered as usual") {
  UploadRig rig(Options{.keep_alive_ms = 60'000});
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, "abc").status == 200);
  const Answer answer = rig.complete(id, UploadRig::entry(1, etag_of("abc")));
  CHECK(answer.status == 200);
  CHECK(answer.length == answer.body.size());
}

}  // namespace
}  // namespace cairn::s3api::keep_alive_test
