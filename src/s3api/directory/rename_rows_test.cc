// SPDX-License-Identifier: Apache-2.0
// RenameObject, row by row.
#include <doctest/doctest.h>

#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::rename_rows_test {
namespace {

using namespace directory_rig;

TEST_CASE("directory buckets: renaming moves an object as it is") {
  Rig rig;
  rig.make();
  const auto rename = [&](const std::string& to, const std::string& from, Fields headers = {}) {
    headers.emplace_back("x-amz-rename-source", from);
    return rig.zonal("PUT", "/" + to + "?renameObject", {}, std::move(headers));
  };
  REQUIRE(rig.zonal("PUT", "/a/b%20c", "bytes", {{"x-amz-meta-color", "red"}}).status == 200);
  const Answer before = rig.zonal("HEAD", "/a/b%20c");
  rig.service.clock.advance_ms(60'000);
  REQUIRE(rename("new", "a/b%20c").status == 200);
  const Answer after = rig.zonal("GET", "/new");
  CHECK(after.body == "bytes");
  for (const char* field : {"ETag", "Last-Modified", "x-amz-meta-color", "x-amz-storage-class"})
    CHECK(after.header(field) == before.header(field));
  CHECK(rig.zonal("HEAD", "/a/b%20c").status == 404);
  // With the bucket before the key, over what is there.
  REQUIRE(rig.zonal("PUT", "/there", "old").status == 200);
  REQUIRE(rename("there", "/" + name + "/new").status == 200);
  CHECK(rig.zonal("GET", "/there").body == "bytes");
  const std::string etag = rig.zonal("HEAD", "/there").header("ETag");
  REQUIRE(rig.zonal("PUT", "/blocked", "x").status == 200);
  const struct {
    const char* what;
    std::string to, from;
    Fields headers;
    int status;
    const char* code;
  } rows[] = {
      {"nothing there", "x", "absent", {}, 404, "NoSuchKey"},
      {"a folder", "x", "there/", {}, 400, "InvalidArgument"},
      {"to a folder", "x/", "there", {}, 400, "InvalidArgument"},
      {"the target is there", "blocked", "there", {{"If-None-Match", "*"}}, 412,
       "PreconditionFailed"},
      {"another target", "blocked", "there", {{"If-Match", "\"other\""}}, 412,
       "PreconditionFailed"},
      {"no target", "x", "there", {{"If-Match", "*"}}, 412, "PreconditionFailed"},
      {"another source", "x", "there", {{"x-amz-rename-source-if-match", "\"other\""}}, 412,
       "PreconditionFailed"},
      {"that very source is not wanted", "x", "there",
       {{"x-amz-rename-source-if-none-match", etag}}, 412, "PreconditionFailed"},
      {"that very source", "x", "there", {{"x-amz-rename-source-if-match", etag}}, 200, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rename(row.to, row.from, row.headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (*row.code != '\0') CHECK(answer.code() == row.code);
    if (row.status != 200) CHECK(rig.zonal("HEAD", "/there").status == 200);
  }
  // Asked for again under one token it is done once; another one under it is refused.
  const Fields token = {{"x-amz-client-token", "0-1-2"}};
  CHECK(rename("y", "x", token).status == 200);
  CHECK(rename("y", "x", token).status == 200);
  CHECK(rename("z", "x", token).code() == "IdempotencyParameterMismatch");
  // General purpose buckets do not have it.
  REQUIRE(rig.service.put("/general").status == 200);
  CHECK(rig.service.put("/general/k?renameObject", {}, {{"x-amz-rename-source", "x"}}).code() ==
        "NotImplemented");
}

}  // namespace
}  // namespace cairn::s3api::rename_rows_test
