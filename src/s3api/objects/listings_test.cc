// SPDX-License-Identifier: Apache-2.0
// Listings through the service.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::listings_test {
namespace {

// A service with one bucket.
struct ListingRig : ServiceRig {
  ListingRig() { REQUIRE(put("/photos").status == 200); }
};

std::string listed(const Answer& answer) {
  const XmlElement root = answer.xml();
  std::string all;
  for (const XmlElement& child : root.children) {
    if (child.name == "Contents") all += std::string(child.text_of("Key")) + " ";
    if (child.name == "CommonPrefixes") all += "[" + std::string(child.text_of("Prefix")) + "] ";
  }
  return all;
}

TEST_CASE("listings: pages, prefixes, delimiters, in both versions") {
  ListingRig rig;
  for (const char* key : {"a", "dir/one", "dir/two", "dir2/x", "z"})
    REQUIRE(rig.put("/photos/" + std::string(key), "1").status == 200);
  CHECK(listed(rig.get("/photos")) == "a dir/one dir/two dir2/x z ");
  CHECK(listed(rig.get("/photos/?prefix=dir/")) == "dir/one dir/two ");
  CHECK(listed(rig.get("/photos?delimiter=/")) == "a z [dir/] [dir2/] ");
  CHECK(listed(rig.get("/photos?delimiter=/&prefix=dir/")) == "dir/one dir/two ");
  CHECK(listed(rig.get("/photos?marker=dir/one")) == "dir/two dir2/x z ");
  CHECK(listed(rig.get("/photos?list-type=2&start-after=dir/one")) == "dir/two dir2/x z ");

  Answer answer = rig.get("/photos?max-keys=2");
  CHECK(listed(answer) == "a dir/one ");
  CHECK(answer.text("IsTruncated") == "true");
  CHECK(answer.text("NextMarker") == "(none)");
  CHECK(answer.text("MaxKeys") == "2");
  CHECK(answer.text("Marker").empty());
  answer = rig.get("/photos?max-keys=2&delimiter=/");
  CHECK(listed(answer) == "a [dir/] ");
  CHECK(answer.text("NextMarker") == "dir/");
  CHECK(listed(rig.get("/photos?delimiter=/&marker=dir/")) == "z [dir2/] ");

  answer = rig.get("/photos?list-type=2&max-keys=1&delimiter=/&prefix=d");
  CHECK(listed(answer) == "[dir/] ");
  CHECK(answer.text("KeyCount") == "1");
  CHECK(answer.text("IsTruncated") == "true");
  const std::string token = answer.text("NextContinuationToken");
  answer = rig.get("/photos?list-type=2&max-keys=1&delimiter=/&prefix=d&continuation-token=" +
                   percent_encode(token));
  CHECK(listed(answer) == "[dir2/] ");
  CHECK(answer.text("ContinuationToken") == token);
  CHECK(answer.text("NextContinuationToken") == "(none)");
  CHECK(answer.text("IsTruncated") == "false");

  answer = rig.get("/photos?list-type=2&max-keys=0");
  CHECK(listed(answer).empty());
  CHECK(answer.text("IsTruncated") == "false");
  CHECK(answer.text("KeyCount") == "0");
  CHECK(rig.get("/photos?max-keys=5000").text("MaxKeys") == "1000");
  for (const char* bad :
       {"max-keys=-1", "max-keys=x", "max-keys=99999999999", "encoding-type=", "encoding-type=URL",
        "list-type=2&continuation-token=x", "list-type=2&continuation-token="}) {
    CAPTURE(bad);
    CHECK(rig.get("/photos?" + std::string(bad)).code() == "InvalidArgument");
  }
}

TEST_CASE("listings: what they tell of an object") {
  ListingRig rig;
  REQUIRE(rig.put("/photos/a%20b", "abc").status == 200);
  XmlElement root = rig.get("/photos?encoding-type=url&prefix=a%20").xml();
  CHECK(root.name == "ListBucketResult");
  CHECK(root.text_of("Name") == "photos");
  CHECK(root.text_of("Prefix") == "a+");
  CHECK(root.text_of("EncodingType") == "url");
  const XmlElement* object = root.child("Contents");
  REQUIRE(object != nullptr);
  CHECK(object->text_of("Key") == "a+b");
  CHECK(object->text_of("LastModified") == "2023-11-14T22:13:20.000Z");
  CHECK(object->text_of("ETag") == "\"" + to_hex(md5("abc")) + "\"");
  CHECK(object->text_of("Size") == "3");
  CHECK(object->text_of("StorageClass") == "STANDARD");
  CHECK(object->text_of("ChecksumAlgorithm") == "CRC64NVME");
  CHECK(object->text_of("ChecksumType") == "FULL_OBJECT");
  CHECK(object->child("Owner")->text_of("ID") == std::string(64, '1'));
  root = rig.get("/photos?list-type=2").xml();
  CHECK(root.child("Contents")->child("Owner") == nullptr);
  CHECK(root.child("Contents")->text_of("Key") == "a b");
  root = rig.get("/photos?list-type=2&fetch-owner=true").xml();
  CHECK(root.child("Contents")->child("Owner") != nullptr);
}

}  // namespace
}  // namespace cairn::s3api::listings_test
