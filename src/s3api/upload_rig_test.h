// SPDX-License-Identifier: Apache-2.0
// For tests: a service with a bucket, and uploads of one key in it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "s3api/service_rig.h"

namespace cairn::s3api {

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string etag_of(std::string_view text) { return "\"" + to_hex(md5(text)) + "\""; }

// A service with one bucket and calls for one key.
struct UploadRig : ServiceRig {
  explicit UploadRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/photos").status == 200);
  }

  std::string begin(Fields fields = {}) {
    const Answer answer = post("/photos/k?uploads", "", fields);
    REQUIRE(answer.status == 200);
    return answer.text("UploadId");
  }
  static std::string at(const std::string& id, int number) {
    return "/photos/k?partNumber=" + std::to_string(number) + "&uploadId=" + id;
  }
  Answer part(const std::string& id, int number, std::string body, Fields fields = {}) {
    return put(at(id, number), std::move(body), std::move(fields));
  }
  Answer complete(const std::string& id, const std::string& parts, Fields fields = {}) {
    return post("/photos/k?uploadId=" + id,
                "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" +
                    parts + "</CompleteMultipartUpload>",
                std::move(fields));
  }
  static std::string entry(int number, std::string_view etag, const std::string& more = {}) {
    return "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" +
           std::string(etag) + "</ETag>" + more + "</Part>";
  }
};

}  // namespace cairn::s3api
