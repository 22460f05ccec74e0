// SPDX-License-Identifier: Apache-2.0
#include "s3/access_points.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::s3::access_points_test {

TEST_CASE("access point names: as the field has them") {
  for (const char* good : {"abc", "a-1", "my-access-point", "0ab",
                           "a2345678901234567890123456789012345678901234567890"})
    CHECK_MESSAGE(is_access_point_name(good), good);
  for (const char* bad :
       {"", "ab", "-abc", "abc-", "Abc", "a_b", "a.b", "a b", "xn--abc", "abc-s3alias", "abc--ol-s3",
        "abc--x-s3", "abc--use1-az1--xa-s3", "abc--op-s3",
        "a23456789012345678901234567890123456789012345678901"})
    CHECK_MESSAGE(!is_access_point_name(bad), bad);
}

TEST_CASE("access point names: of directory buckets") {
  for (const char* good : {"abc--use1-az1--xa-s3", "a-b--c--use1-bos1-az1--xa-s3",
                           "a2345678901234567890123456789012345678901234567--z--xa-s3"})
    CHECK_MESSAGE(is_directory_access_point_name(good), good);
  for (const char* bad : {"", "--xa-s3", "abc--xa-s3", "ab--use1-az1--xa-s3", "-abc--use1-az1--xa-s3",
                          "abc---use1-az1--xa-s3", "Abc--use1-az1--xa-s3", "a.b--use1-az1--xa-s3",
                          "abc--use1-az1--x-s3", "abc",
                          "a23456789012345678901234567890123456789012345678901--z--xa-s3",
                          "a2345678901234567890123456789012345678901234567--use1-bos1-az1--xa-s3"})
    CHECK_MESSAGE(!is_directory_access_point_name(bad), bad);
  const AccessPoint point{.name = "abc--use1-az1--xa-s3",
                          .owner = {.id = "c", .account_id = "123456789012"},
                          .region = "us-east-1"};
  CHECK(arn_of(point) == "arn:aws:s3express:us-east-1:123456789012:accesspoint/" + point.name);
  CHECK(label_of(point) == point.name);
}

TEST_CASE("access points of outposts: ids, ARNs, aliases as clients read them from their end") {
  const std::string id = "op-01ac5d28a6a232904";
  CHECK(is_outpost_id(id));
  for (const char* bad : {"", "op-", "op-1", "op-01AC5D28A6A232904", "01ac5d28a6a232904",
                          "op-01ac5d28a6a2329041", "op-01ac5d28a6a23290g"})
    CHECK_MESSAGE(!is_outpost_id(bad), bad);
  const AccessPoint point{.name = "photos-of-the-year",
                          .owner = {.id = "c", .account_id = "123456789012"},
                          .region = "us-east-1",
                          .outpost_id = id};
  const std::string arn = arn_of(point);
  CHECK(arn == "arn:aws:s3-outposts:us-east-1:123456789012:outpost/" + id +
                   "/accesspoint/photos-of-the-year");
  const auto read = parse_access_point_arn(arn);
  REQUIRE(read);
  CHECK(read->point == AccessPointName{
                           .account_id = "123456789012", .name = point.name, .outpost_id = id});
  CHECK(key_of(id, "a") == id + "/a");
  CHECK(key_of("", "a") == "a");
  const std::string random(20, '\7');
  const std::string alias = outpost_alias(point, random);
  CHECK(alias == "photos-of-th-o01ac5d28a6a232904" + std::string(20, 'h') + "use10--op-s3");
  CHECK(is_outpost_alias(alias));
  CHECK(alias.size() == 63);
  CHECK(alias.substr(alias.size() - 49, 17) == id.substr(3));
  CHECK(alias[alias.size() - 50] == 'o');
  const AccessPoint far{.name = "abc", .region = "ap-northeast-1", .outpost_id = id};
  CHECK(outpost_alias(far, random).ends_with("apn10--op-s3"));
  CHECK(is_outpost_alias(outpost_alias({.name = "abc", .region = "x", .outpost_id = id}, random)));
  for (const char* bad : {"photos--op-s3", "mine", "x-s3alias"}) CHECK_FALSE(is_outpost_alias(bad));
}

TEST_CASE("access point scopes: what lies within") {
  const AccessPointScope all;
  CHECK(all.covers_path("any"));
  CHECK(all.covers_permission("GetObject"));
  const AccessPointScope some{.prefixes = {"a/", "b*"}, .permissions = {"GetObject"}};
  for (const char* within : {"a/", "a/x", "b", "bc/d"}) CHECK(some.covers_path(within));
  for (const char* beyond : {"", "a", "c", "x/a/"}) CHECK_FALSE(some.covers_path(beyond));
  CHECK(some.covers_permission("GetObject"));
  CHECK_FALSE(some.covers_permission("GetObjectAttributes"));
  CHECK(is_scope_permission("ListMultipartUploadParts"));
  CHECK_FALSE(is_scope_permission("CreateSession"));
}

TEST_CASE("access point aliases: a label that begins like the name, and tells nothing else") {
  const std::string random(34, '\7');
  const std::string alias = access_point_alias("photos", random);
  CHECK(alias == "photos-" + std::string(34, 'h') + "-s3alias");
  CHECK(is_access_point_alias(alias));
  CHECK_FALSE(is_bucket_name(alias));
  const std::string longest = access_point_alias(std::string(50, 'n'), random);
  CHECK(longest.size() == 63);
  CHECK(is_access_point_alias(longest));
  CHECK(access_point_alias("a2345678901234567-9-x", random).starts_with("a2345678901234567-9-hhh"));
  for (const char* bad : {"-s3alias", "Photos-x-s3alias", "photos", "a.b-s3alias"})
    CHECK_FALSE(is_access_point_alias(bad));
}

TEST_CASE("access point labels: name and account in front of a host") {
  CHECK(access_point_of_label("photos-123456789012") ==
        AccessPointName{.account_id = "123456789012", .name = "photos"});
  CHECK(access_point_of_label("a-b-123456789012")->name == "a-b");
  for (const char* bad : {"", "123456789012", "-123456789012", "photos123456789012",
                          "photos-12345678901", "photos-12345678901x"})
    CHECK_FALSE(access_point_of_label(bad));
}

TEST_CASE("access point ARNs: read piece by piece, and written") {
  const AccessPoint point{.name = "photos",
                          .owner = {.id = "c", .account_id = "123456789012"},
                          .region = "eu-west-1"};
  const std::string arn = arn_of(point);
  CHECK(arn == "arn:aws:s3:eu-west-1:123456789012:accesspoint/photos");
  CHECK(label_of(point) == "photos-123456789012");
  const auto read = parse_access_point_arn(arn);
  REQUIRE(read);
  CHECK(read->service == "s3");
  CHECK(read->region == "eu-west-1");
  CHECK(read->point == AccessPointName{.account_id = "123456789012", .name = "photos"});
  CHECK_FALSE(read->key);
  CHECK(parse_access_point_arn(arn + "/object/a/b c")->key == "a/b c");
  CHECK(parse_access_point_arn(arn + "/object/")->key == "");
  CHECK(parse_access_point_arn("arn:aws:s3:r:123456789012:accesspoint:photos")->point.name ==
        "photos");
  const auto outpost = parse_access_point_arn(
      "arn:aws:s3-outposts:r:123456789012:outpost/op-1/accesspoint/photos/object/k");
  REQUIRE(outpost);
  CHECK(outpost->service == "s3-outposts");
  CHECK(outpost->outpost_id == "op-1");
  CHECK(outpost->point.name == "photos");
  CHECK(outpost->key == "k");
  for (const char* bad :
       {"", "photos", "arn", "arn:aws:s3:::photos", "arn:aws:s3:r:1234:accesspoint/photos",
        "arn:aws:s3:r:123456789012:accesspoint/", "arn:aws:s3:r:123456789012:accesspoint",
        "arn:aws:s3:r:123456789012:bucket/photos", "arn::s3:r:123456789012:accesspoint/photos",
        "arn:aws:s3-outposts:r:123456789012:outpost//accesspoint/photos",
        "arn:aws:s3:r:123456789012:accesspoint/photos/other/k"})
    CHECK_MESSAGE(!parse_access_point_arn(bad), bad);
}

}  // namespace cairn::s3::access_points_test
