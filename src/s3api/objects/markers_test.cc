// SPDX-License-Identifier: Apache-2.0
// Where pages of listings begin and end: objects, versions, uploads.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::markers_test {
namespace {

constexpr const char* enabled =
    "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

// Keys and prefixes as they stand in the page: "k:" and "p:".
std::string shown(const Answer& page) {
  std::string out;
  for (const XmlElement& child : page.xml().children) {
    const bool entry = child.name == "Contents" || child.name == "Version" ||
                       child.name == "DeleteMarker" || child.name == "Upload";
    if (entry) out += "k:" + std::string(child.text_of("Key")) + " ";
    if (child.name == "CommonPrefixes") out += "p:" + std::string(child.text_of("Prefix")) + " ";
  }
  return out;
}

TEST_CASE("markers: one inside a common prefix leaves that prefix behind") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt?versioning", enabled).status == 200);
  for (const char* key : {"a/1", "a/2", "a/3", "b/1", "c"}) {
    REQUIRE(rig.put(std::string("/bkt/") + key, "x").status == 200);
    REQUIRE(rig.post(std::string("/bkt/") + key + "?uploads", "").status == 200);
  }
  const struct {
    const char *list, *marker;
  } lists[] = {{"/bkt?delimiter=/", "&marker="},
               {"/bkt?list-type=2&delimiter=/", "&start-after="},
               {"/bkt?versions&delimiter=/", "&key-marker="},
               {"/bkt?uploads&delimiter=/", "&key-marker="}};
  for (const auto& [list, marker] : lists) {
    CAPTURE(list);
    const auto after = [&](const std::string& text) {
      return shown(rig.get(std::string(list) + marker + percent_encode(text)));
    };
    CHECK(after("") == "k:c p:a/ p:b/ ");
    CHECK(after("a") == "k:c p:a/ p:b/ ");
    for (const char* inside : {"a/", "a/1", "a/2", "a/3", "a/9"}) {
      CAPTURE(inside);
      CHECK(after(inside) == "k:c p:b/ ");
    }
    CHECK(after("b/0") == "k:c ");
    CHECK(after("c") == "");
    CHECK(shown(rig.get(std::string(list) + marker + "a/1&prefix=a/")) == "k:a/2 k:a/3 ");
  }
  const std::string id = rig.get("/bkt?uploads&prefix=a/1").text("Upload/UploadId");
  CHECK(shown(rig.get("/bkt?uploads&delimiter=/&key-marker=a/1&upload-id-marker=" + id)) ==
        "k:c p:b/ ");
}

TEST_CASE("markers: the latest version is told by what is there, not by the page before") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt?versioning", enabled).status == 200);
  for (const char* body : {"1", "2", "3"}) REQUIRE(rig.put("/bkt/k", body).status == 200);
  const Answer first = rig.get("/bkt?versions&max-keys=1");
  CHECK(first.text("Version/IsLatest") == "true");
  const std::string newest = first.text("NextVersionIdMarker");
  const std::string next = "/bkt?versions&max-keys=1&key-marker=k&version-id-marker=" + newest;
  CHECK(rig.get(next).text("Version/IsLatest") == "false");
  REQUIRE(rig.remove("/bkt/k?versionId=" + newest).status == 204);
  CHECK(rig.get(next).text("Version/IsLatest") == "true");
  REQUIRE(rig.remove("/bkt/k").status == 204);  // a marker on top of it
  CHECK(rig.get(next).text("Version/IsLatest") == "false");
}

TEST_CASE("markers: a page of uploads tells where it ends, the last one too") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  Answer page = rig.get("/bkt?uploads");
  CHECK(page.text("NextKeyMarker") == "");
  CHECK(page.text("NextUploadIdMarker") == "");
  REQUIRE(rig.post("/bkt/a?uploads", "").status == 200);
  const std::string id = rig.post("/bkt/k?uploads", "").text("UploadId");
  page = rig.get("/bkt?uploads");
  CHECK(page.text("IsTruncated") == "false");
  CHECK(page.text("NextKeyMarker") == "k");
  CHECK(page.text("NextUploadIdMarker") == id);
  REQUIRE(rig.post("/bkt/z/1?uploads", "").status == 200);
  page = rig.get("/bkt?uploads&delimiter=/");
  CHECK(page.text("NextKeyMarker") == "z/");
  CHECK(page.text("NextUploadIdMarker") == "");
  page = rig.get("/bkt?uploads&prefix=z&delimiter=/");
  CHECK(page.text("NextKeyMarker") == "z/");
}

TEST_CASE("markers: listings tell the bucket's region") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  for (const char* list : {"/bkt", "/bkt?list-type=2", "/bkt?versions"}) {
    CAPTURE(list);
    CHECK(rig.get(list).header("x-amz-bucket-region") == "us-east-1");
  }
}

}  // namespace
}  // namespace cairn::s3api::markers_test
