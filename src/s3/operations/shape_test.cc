// SPDX-License-Identifier: Apache-2.0
// What a structure lacks.
#include "s3/operations/shape.h"

#include <doctest/doctest.h>

#include "s3/operations/operation.h"

namespace cairn::s3 {

TEST_CASE("shape: faults are named with their path; a list that may be empty is no fault") {
  std::vector<std::string> faults;
  PutObjectTaggingInput tags{.bucket = "b", .key = "k", .tagging = {}};
  find_faults(shape_of<PutObjectTaggingInput>(), &tags, faults);
  CHECK(faults.empty());
  tags.tagging.tag_set.emplace_back();
  find_faults(shape_of<PutObjectTaggingInput>(), &tags, faults);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0] == "missing required parameter params[:tagging][:tag_set][0][:key]");
  CHECK(faults[1] == "missing required parameter params[:tagging][:tag_set][0][:value]");
  faults.clear();
  const DeleteObjectsInput none{.bucket = "b"};
  find_faults(shape_of<DeleteObjectsInput>(), &none, faults);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "missing required parameter params[:delete][:objects]");
}

}  // namespace cairn::s3
