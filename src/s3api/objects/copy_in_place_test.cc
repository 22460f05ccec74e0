// SPDX-License-Identifier: Apache-2.0
// An object copied onto itself: what counts as a change, and what is judged first.
#include <doctest/doctest.h>

#include "s3api/service_rig.h"

namespace cairn::s3api::copy_in_place_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct InPlaceRig : ServiceRig {
  InPlaceRig() {
    REQUIRE(put("/bkt").status == 200);
    REQUIRE(put("/bkt/k", "bytes").status == 200);
  }
  Answer copy(Fields fields = {}) {
    fields.emplace_back("x-amz-copy-source", "bkt/k");
    return put("/bkt/k", "", std::move(fields));
  }
  void encrypt_with(const std::string& algorithm) {
    REQUIRE(put("/bkt?encryption",
                "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                "<SSEAlgorithm>" +
                    algorithm +
                    "</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule>"
                    "</ServerSideEncryptionConfiguration>")
                .status == 200);
  }
};

TEST_CASE("copy in place: a storage class that is named is a change, the same one too") {
  InPlaceRig rig;
  CHECK(rig.copy().code() == "InvalidRequest");
  CHECK(rig.copy({{"x-amz-storage-class", "STANDARD"}}).status == 200);
  CHECK(rig.copy({{"x-amz-storage-class", "STANDARD_IA"}}).status == 200);
  CHECK(rig.copy({{"x-amz-storage-class", "STANDARD_IA"}}).status == 200);
  CHECK(rig.get("/bkt/k").body == "bytes");
  CHECK(rig.copy({{"x-amz-checksum-algorithm", "SHA256"}}).code() == "InvalidRequest");
}

TEST_CASE("copy in place: so is a default encryption that is another one by now") {
  InPlaceRig rig;
  rig.encrypt_with("AES256");
  CHECK(rig.copy().header("x-amz-server-side-encryption") == "AES256");
  CHECK(rig.copy().code() == "InvalidRequest");
  rig.encrypt_with("aws:kms");
  CHECK(rig.copy().header("x-amz-server-side-encryption") == "aws:kms");
  CHECK(rig.copy().code() == "InvalidRequest");
  CHECK(rig.get("/bkt/k").body == "bytes");
  REQUIRE(rig.remove("/bkt?encryption").status == 204);
  CHECK(rig.copy().status == 200);
  CHECK(rig.copy().code() == "InvalidRequest");
}

TEST_CASE("copy in place: a condition on what is there is judged before that") {
  InPlaceRig rig;
  Answer answer = rig.copy({{"If-None-Match", "*"}});
  CHECK(answer.status == 412);
  CHECK(answer.text("Condition") == "If-None-Match");
  CHECK(rig.copy({{"If-Match", "\"other\""}}).status == 412);
  CHECK(rig.copy({{"If-Match", rig.head("/bkt/k").header("ETag")}}).code() == "InvalidRequest");
  CHECK(rig.copy({{"x-amz-copy-source-if-match", "\"other\""}}).status == 412);
}

TEST_CASE("copy source: a plus is a space, an escaped one is itself, and a URL is a name") {
  ServiceRig rig(Options{.domains = {"objects.example.com"}});
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt/a%20b", "space").status == 200);
  REQUIRE(rig.put("/bkt/a%2Bb", "plus").status == 200);
  const auto copied = [&](const char* source) {
    const Answer answer = rig.put("/bkt/copy", "", {{"x-amz-copy-source", source}});
    return answer.status == 200 ? rig.get("/bkt/copy").body : answer.code();
  };
  CHECK(copied("bkt/a+b") == "space");
  CHECK(copied("bkt/a%20b") == "space");
  CHECK(copied("bkt/a%2Bb") == "plus");
  CHECK(copied("http://127.0.0.1:9000/bkt/a+b") == "space");
  CHECK(copied("https://objects.example.com/bkt/a%2Bb") == "plus");
  CHECK(copied("https://bkt.objects.example.com/a%2Bb") == "plus");
  CHECK(copied("http://127.0.0.1:9000/bkt/a+b?versionId=null") == "space");
  CHECK(copied("http://127.0.0.1:9000/") == "InvalidArgument");
  CHECK(copied("http://127.0.0.1:9000") == "InvalidArgument");
  CHECK(copied("https://bkt.objects.example.com/") == "InvalidArgument");
  CHECK(copied("http:///b/a+b") == "InvalidArgument");
}

}  // namespace
}  // namespace cairn::s3api::copy_in_place_test
