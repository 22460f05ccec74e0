// SPDX-License-Identifier: Apache-2.0
// What clients hear when the disk is full, will not sync, or has no descriptor left; and that all
// is well again once it is not.
#include <doctest/doctest.h>

#include <atomic>

#include "os/log.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::faults_test {
namespace {

const std::string large(200'000, 'b');

struct FaultyRig : ServiceRig {
  FaultyRig() {
    os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
    REQUIRE(put("/bkt").status == 200);
    REQUIRE(put("/bkt/old", large).status == 200);
    REQUIRE(put("/bkt/small", "small").status == 200);
  }
  ~FaultyRig() { files.on_call(nullptr); }

  /// Calls of those names, on paths that hold `where`, fail with `kind`.
  void fail(std::vector<std::string> calls, std::string where, ErrorKind kind) {
    files.on_call([=](std::string_view call, const std::string& path) -> Status {
      for (const std::string& one : calls)
        if (call.starts_with(one) && path.find(where) != std::string::npos)
          return Error{.kind = kind, .message = "a fault of the test"};
      return ok_status();
    });
  }
  /// Until one works again: recovery goes on behind the requests.
  void put_until_well(const std::string& target) {
    const auto limit = os::Deadline::in_ms(60'000);
    while (put(target, large).status != 200) REQUIRE(os::sleep_ms(5, limit));
  }
  void check_kept() {
    CHECK((get("/bkt/old").body == large));
    CHECK(get("/bkt/small").body == "small");
  }
  std::string upload() {
    const Answer begun = post("/bkt/parts?uploads", "");
    REQUIRE(begun.status == 200);
    return begun.text("UploadId");
  }
};

TEST_CASE("faults: a full disk is 503 with what to do, deletes go on, and writes resume") {
  FaultyRig rig;
  const std::string id = rig.upload();
  const std::uint64_t reserve = 256 << 20;
  rig.files.set_capacity(rig.files.used_bytes() + reserve + 1000);
  rig.clock.advance_ms(1000);
  for (const Answer& answer :
       {rig.put("/bkt/new", large), rig.put("/bkt/tiny", std::string(2000, 'x')),
        rig.put("/bkt/parts?partNumber=1&uploadId=" + id, large)}) {
    CHECK(answer.status == 503);
    CHECK(answer.code() == "ServiceUnavailable");
    CHECK(answer.text("Message").find("space") != std::string::npos);
  }
  CHECK(rig.get("/bkt/new").code() == "NoSuchKey");
  rig.check_kept();
  CHECK(rig.remove("/bkt/small").status == 204);
  rig.files.set_capacity(1ull << 40);
  rig.clock.advance_ms(1000);
  CHECK(rig.put("/bkt/small", "small").status == 200);
  CHECK(rig.put("/bkt/new", large).status == 200);
  CHECK(rig.put("/bkt/parts?partNumber=1&uploadId=" + id, large).status == 200);
  rig.check_kept();
}

TEST_CASE("faults: no descriptor left is 503 for large bodies, and passes") {
  FaultyRig rig;
  const std::string id = rig.upload();
  rig.fail({"open", "unnamed"}, "/", ErrorKind::unavailable);
  for (const Answer& answer : {rig.put("/bkt/new", large), rig.get("/bkt/old"),
                               rig.put("/bkt/parts?partNumber=1&uploadId=" + id, large)}) {
    CHECK(answer.status == 503);
    CHECK(answer.code() == "ServiceUnavailable");
  }
  CHECK(rig.put("/bkt/tiny", "x").status == 200);
  CHECK(rig.get("/bkt/tiny").body == "x");
  rig.files.on_call(nullptr);
  CHECK(rig.put("/bkt/new", large).status == 200);
  rig.check_kept();
}

TEST_CASE("faults: a sync that fails is 500 and no acknowledgement, wherever it was") {
  for (const char* where : {"/data/tmp", "/data/objects/extents", "/data/objects/meta"}) {
    CAPTURE(where);
    FaultyRig rig;
    rig.fail({"sync"}, where, ErrorKind::internal);
    const Answer put = rig.put("/bkt/new", std::string(200'000, 'n'));
    CHECK(put.status >= 500);
    CHECK((put.code() == "InternalError" || put.code() == "ServiceUnavailable"));
    rig.check_kept();
    rig.files.on_call(nullptr);
    rig.put_until_well("/bkt/next");
    rig.check_kept();
  }
}

TEST_CASE("faults: completions, copies and deletions fail whole, and work again") {
  FaultyRig rig;
  REQUIRE(rig.put("/bkt/gone", large).status == 200);
  const std::string id = rig.upload();
  const std::string part = rig.put("/bkt/parts?partNumber=1&uploadId=" + id, large).header("ETag");
  const std::string list = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" +
                           part + "</ETag></Part></CompleteMultipartUpload>";
  rig.fail({"sync", "write", "allocate"}, "/data/objects/meta", ErrorKind::internal);
  CHECK(rig.post("/bkt/parts?uploadId=" + id, list).status >= 500);
  CHECK(rig.put("/bkt/copy", "", {{"x-amz-copy-source", "/bkt/old"}}).status >= 500);
  CHECK(rig.remove("/bkt/gone").status >= 500);
  rig.check_kept();
  rig.files.on_call(nullptr);
  rig.put_until_well("/bkt/next");
  rig.check_kept();
  // What was not acknowledged was done or not, and whole.
  if (rig.get("/bkt/parts").status == 404)
    CHECK(rig.post("/bkt/parts?uploadId=" + id, list).status == 200);
  CHECK((rig.get("/bkt/parts").body == large));
  const Answer copy = rig.get("/bkt/copy");
  CHECK((copy.status == 404 || copy.body == large));
  CHECK(rig.put("/bkt/copy", "", {{"x-amz-copy-source", "/bkt/old"}}).status == 200);
  CHECK((rig.get("/bkt/copy").body == large));
  CHECK(rig.remove("/bkt/gone").status == 204);
  CHECK(rig.get("/bkt/gone").status == 404);
}

}  // namespace
}  // namespace cairn::s3api::faults_test
