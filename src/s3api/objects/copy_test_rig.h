// SPDX-License-Identifier: Apache-2.0
// A service with something to copy, for the rows of copy_object.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "s3api/service_rig.h"

namespace cairn::s3api {

/// A source "photos/k" with everything that a copy may take along, and a bucket "albums".
struct CopyRig : ServiceRig {
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit CopyRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/photos").status == 200);
    REQUIRE(put("/albums").status == 200);
    REQUIRE(put("/photos/k", "abc",
                {{"Cache-Control", "no-cache"},
                 {"Content-Disposition", "attachment"},
                 {"Content-Encoding", "gzip"},
                 {"Content-Language", "de"},
                 {"Content-Type", "text/plain"},
                 {"Expires", "Thu, 01 Dec 2033 16:00:00 GMT"},
                 {"x-amz-meta-color", "red"},
                 {"x-amz-tagging", "a=1"},
                 {"x-amz-storage-class", "STANDARD_IA"},
                 {"x-amz-website-redirect-location", "/elsewhere"}})
                .status == 200);
  }
  Answer copy(Fields fields = {}, const std::string& source = "/photos/k",
              const std::string& target = "/albums/c") {
    fields.emplace_back("x-amz-copy-source", source);
    return put(target, "", std::move(fields));
  }
};

}  // namespace cairn::s3api
