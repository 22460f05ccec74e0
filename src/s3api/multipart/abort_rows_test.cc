// SPDX-License-Identifier: Apache-2.0
// abort_multipart_upload, row by row: parameters, response, states, races.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "objectstore/core/core.h"
#include "objectstore/extents/extents.h"
#include "s3/errors.h"
#include "s3api/upload_rig_test.h"

namespace cairn::s3api::abort_rows_test {
namespace {

Answer remove_with(ServiceRig& rig, const std::string& target, Fields fields,
                   const s3::Credentials& who = {}) {
  return rig.ask(
      {.method = "DELETE", .target = target, .headers = std::move(fields), .credentials = who});
}

TEST_CASE("abort rows: bucket, key and upload_id name the upload") {
  UploadRig rig;
  const std::string id = rig.begin();
  REQUIRE(rig.put("/albums").status == 200);
  const struct {
    std::string target;
    const char* code;
  } rows[] = {{"/none/k?uploadId=" + id, "NoSuchBucket"},
              {"/albums/k?uploadId=" + id, "NoSuchUpload"},
              {"/photos/other?uploadId=" + id, "NoSuchUpload"},
              {"/photos/k?uploadId=nonsense", "NoSuchUpload"},
              {"/photos/k?uploadId=", "NoSuchUpload"}};
  for (const auto& row : rows) {
    CAPTURE(row.target);
    const Answer answer = rig.remove(row.target);
    CHECK(answer.status == 404);
    CHECK(answer.code() == row.code);
    CHECK(answer.text("Message") == s3::find_error(row.code)->message);
  }
  CHECK(rig.get("/photos/k?uploadId=" + id).status == 200);
  CHECK(rig.remove("/photos/k?uploadId=" + id).status == 204);
}

TEST_CASE("abort rows: expected_bucket_owner") {
  UploadRig rig;
  const std::string target = "/photos/k?uploadId=" + rig.begin();
  const Answer answer = remove_with(rig, target, {{"x-amz-expected-bucket-owner", "222222222222"}});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "AccessDenied");
  CHECK(remove_with(rig, target, {{"x-amz-expected-bucket-owner", "me"}}).code() ==
        "InvalidBucketOwnerAWSAccountID");
  CHECK(rig.get(target).status == 200);
  CHECK(remove_with(rig, target, {{"x-amz-expected-bucket-owner", "111111111111"}}).status == 204);
}

TEST_CASE("abort rows: request_payer and request_charged") {
  UploadRig rig;
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"222222222222"},)"
      R"("Action":"s3:*","Resource":["arn:aws:s3:::photos","arn:aws:s3:::photos/*"]}]})";
  REQUIRE(rig.put("/photos?policy", policy).status == 204);
  REQUIRE(rig.put("/photos?requestPayment",
                  "<RequestPaymentConfiguration><Payer>Requester</Payer>"
                  "</RequestPaymentConfiguration>")
              .status == 200);
  const std::string target = "/photos/k?uploadId=" + rig.begin();
  CHECK(remove_with(rig, target, {{"x-amz-request-payer", "somebody"}}).code() ==
        "InvalidArgument");
  CHECK(remove_with(rig, target, {}, rig.theirs).code() == "AccessDenied");
  const Answer answer =
      remove_with(rig, target, {{"x-amz-request-payer", "requester"}}, rig.theirs);
  CHECK(answer.status == 204);
  CHECK(answer.header("x-amz-request-charged") == "requester");
  const Answer own = rig.remove("/photos/k?uploadId=" + rig.begin());
  CHECK(own.status == 204);
  CHECK_FALSE(own.headers.has("x-amz-request-charged"));
}

TEST_CASE("abort rows: the time of the initiation is asked of directory buckets only") {
  UploadRig rig;
  const std::string target = "/photos/k?uploadId=" + rig.begin();
  const Answer answer = remove_with(
      rig, target, {{"x-amz-if-match-initiated-time", "Tue, 14 Nov 2023 22:13:20 GMT"}});
  CHECK(answer.status == 501);
  CHECK(answer.code() == "NotImplemented");
  CHECK(answer.text("Header") == "x-amz-if-match-initiated-time");
  CHECK(rig.get(target).status == 200);
}

TEST_CASE("abort rows: the answer is 204 without a body") {
  UploadRig rig;
  const Answer answer = rig.remove("/photos/k?uploadId=" + rig.begin());
  CHECK(answer.status == 204);
  CHECK(answer.body.empty());
  CHECK(answer.complete);
}

TEST_CASE(
    "abort states: an aborted upload takes no part, is not completed, and frees its storage") {
  UploadRig rig;
  const std::string large(5'242'880, 'l');
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, large).status == 200);
  REQUIRE(rig.part(id, 2, large).status == 200);
  CHECK(rig.remove("/photos/k?uploadId=" + id).status == 204);
  const struct {
    const char* what;
    Answer answer;
  } rows[] = {
      {"a part", rig.part(id, 3, "x")},
      {"a copied part", rig.put(UploadRig::at(id, 3), "", {{"x-amz-copy-source", "/photos/k"}})},
      {"a completion", rig.complete(id, UploadRig::entry(1, etag_of(large)))},
      {"the list of parts", rig.get("/photos/k?uploadId=" + id)},
      {"another abort", rig.remove("/photos/k?uploadId=" + id)}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(row.answer.status == 404);
    CHECK(row.answer.code() == "NoSuchUpload");
    CHECK(row.answer.text("UploadId") == id);
  }
  CHECK(rig.get("/photos?uploads").xml().child("Upload") == nullptr);
  REQUIRE(rig.engine->wait_collected(os::Deadline::in_ms(10'000)).ok());
  std::size_t extents = 0;
  REQUIRE(rig.engine->core().extents().for_each([&](std::uint64_t) { return ++extents > 0; }).ok());
  CHECK(extents == 0);
}

TEST_CASE("abort states: a completed upload is not aborted") {
  UploadRig rig;
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, "abc").status == 200);
  REQUIRE(rig.complete(id, UploadRig::entry(1, etag_of("abc"))).status == 200);
  CHECK(rig.remove("/photos/k?uploadId=" + id).code() == "NoSuchUpload");
  CHECK(rig.get("/photos/k").body == "abc");
}

TEST_CASE("abort states: other uploads of the key go on") {
  UploadRig rig;
  const std::string one = rig.begin(), two = rig.begin();
  REQUIRE(rig.part(two, 1, "abc").status == 200);
  CHECK(rig.remove("/photos/k?uploadId=" + one).status == 204);
  CHECK(rig.complete(two, UploadRig::entry(1, etag_of("abc"))).status == 200);
}

TEST_CASE("abort rows: who may") {
  UploadRig rig;
  const std::string target = "/photos/k?uploadId=" + rig.begin();
  CHECK(remove_with(rig, target, {}, rig.theirs).code() == "AccessDenied");
  CHECK(rig.ask({.method = "DELETE", .target = target, .sign = false}).code() == "AccessDenied");
  CHECK(rig.remove(target).status == 204);
}

// A part that is on its way while its upload is aborted: whichever is first, nothing is left, and
// the list of parts says that there is no upload.
TEST_CASE("abort races: parts that are on their way leave nothing") {
  UploadRig rig;
  const std::string body(300'000, 'p');
  for (int round = 0; round < 8; ++round) {
    const std::string id = rig.begin();
    std::atomic<int> odd{0};
    std::vector<std::thread> writers;
    for (int number = 1; number <= 3; ++number)
      writers.emplace_back([&, number] {
        const Answer answer = rig.part(id, number, body);
        if (answer.status != 200 && answer.code() != "NoSuchUpload") ++odd;
      });
    const int status = rig.remove("/photos/k?uploadId=" + id).status;
    for (std::thread& writer : writers) writer.join();
    CHECK(status == 204);
    CHECK(odd == 0);
    CHECK(rig.get("/photos/k?uploadId=" + id).code() == "NoSuchUpload");
  }
  REQUIRE(rig.engine->wait_collected(os::Deadline::in_ms(10'000)).ok());
  CHECK(rig.get("/photos?uploads").xml().child("Upload") == nullptr);
  std::size_t extents = 0;
  REQUIRE(rig.engine->core().extents().for_each([&](std::uint64_t) { return ++extents > 0; }).ok());
  CHECK(extents == 0);
}

}  // namespace
}  // namespace cairn::s3api::abort_rows_test
