// SPDX-License-Identifier: Apache-2.0
// Copies to, from and between directory buckets, row by row.
#include <doctest/doctest.h>

#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::directory_copies_test {
namespace {

using namespace directory_rig;

TEST_CASE("directory buckets: copies, each row of their own") {
  Rig rig;
  rig.make();
  rig.make(local);
  REQUIRE(rig.service.put("/general").status == 200);
  REQUIRE(rig.service.put("/general/tagged", "bytes", {{"x-amz-tagging", "a=b"}}).status == 200);
  REQUIRE(rig.service.put("/general/plain", "bytes").status == 200);
  const auto copy = [&](const std::string& from, Fields headers) {
    headers.emplace_back("x-amz-copy-source", from);
    return rig.zonal("PUT", "/copy", {}, std::move(headers));
  };
  const Fields replace = {{"x-amz-tagging-directive", "REPLACE"}};
  const struct {
    const char* what;
    std::string from;
    Fields headers;
    int status;
    const char* code;
  } rows[] = {
      {"without tags", "/general/plain", {}, 200, ""},
      {"tags of the source, by default", "/general/tagged", {}, 501, "NotImplemented"},
      {"tags of the source, asked for", "/general/tagged",
       {{"x-amz-tagging-directive", "COPY"}}, 501, "NotImplemented"},
      {"tags replaced by none", "/general/tagged", replace, 200, ""},
      {"tags replaced by some", "/general/plain",
       {{"x-amz-tagging-directive", "REPLACE"}, {"x-amz-tagging", "a=b"}}, 501, "NotImplemented"},
      {"bucket key", "/general/plain",
       {{"x-amz-server-side-encryption", "AES256"},
        {"x-amz-server-side-encryption-bucket-key-enabled", "true"}},
       501, "NotImplemented"},
      {"a customer's key", "/general/plain",
       {{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}, 501, "NotImplemented"},
      {"a customer's key of the source", "/general/plain",
       {{"x-amz-copy-source-server-side-encryption-customer-algorithm", "AES256"}}, 501,
       "NotImplemented"},
      {"another class", "/general/plain", {{"x-amz-storage-class", "STANDARD"}}, 400,
       "InvalidStorageClass"},
      {"a grant", "/general/plain", {{"x-amz-grant-read", "id=\"x\""}}, 501, "NotImplemented"},
      {"an encoding", "/general/plain",
       {{"x-amz-metadata-directive", "REPLACE"}, {"Content-Encoding", "gzip"}}, 400,
       "InvalidArgument"},
      {"chunks", "/general/plain",
       {{"x-amz-metadata-directive", "REPLACE"}, {"Content-Encoding", "aws-chunked"}}, 200, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = copy(row.from, row.headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (*row.code != '\0') CHECK(answer.code() == row.code);
    CHECK(rig.zonal("HEAD", "/copy").status == (row.status == 200 ? 200 : 404));
    rig.zonal("DELETE", "/copy");
  }
  // CRC32 unless another is asked for.
  CHECK(copy("/general/plain", {}).text("ChecksumCRC32") != "(none)");
  CHECK(copy("/general/plain", {{"x-amz-checksum-algorithm", "SHA256"}}).text("ChecksumSHA256") !=
        "(none)");
  // Between directory buckets, and back; never with a bucket key or a customer's key.
  REQUIRE(rig.zonal("PUT", "/there", {}, {{"x-amz-copy-source", "/" + name + "/copy"}}, {}, local)
              .status == 200);
  CHECK(rig.zonal("GET", "/there", {}, {}, {}, local).body == "bytes");
  CHECK(rig.service.put("/general/back", {}, {{"x-amz-copy-source", "/" + name + "/copy"}})
            .status == 200);
  CHECK(rig.service
            .put("/general/back", {},
                 {{"x-amz-copy-source", "/" + name + "/copy"},
                  {"x-amz-server-side-encryption", "aws:kms"},
                  {"x-amz-server-side-encryption-bucket-key-enabled", "true"}})
            .code() == "NotImplemented");
  // A Local Zone keeps to its region.
  REQUIRE(rig.service
              .put("/far", "<CreateBucketConfiguration><LocationConstraint>eu-west-1"
                           "</LocationConstraint></CreateBucketConfiguration>")
              .status == 200);
  REQUIRE(rig.service.put("/far/k", "bytes").status == 200);
  const Answer far =
      rig.zonal("PUT", "/there", {}, {{"x-amz-copy-source", "/far/k"}}, {}, local);
  CHECK(far.status == 400);
  CHECK(far.code() == "InvalidRequest");
  CHECK(rig.zonal("PUT", "/there", {}, {{"x-amz-copy-source", "/far/k"}}).status == 200);
}

}  // namespace
}  // namespace cairn::s3api::directory_copies_test
