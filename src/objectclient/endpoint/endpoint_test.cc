// SPDX-License-Identifier: Apache-2.0
// Kinds of bucket names, options and what they may not be combined with, as tables.
#include "objectclient/endpoint/endpoint.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "objectclient/endpoint/arn.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/partition.h"

namespace cairn::objectclient::endpoint_test {
namespace {

/// "https://… sigv4:s3:eu-west-1", or "error: …".
std::string shown(const EndpointParams& params) {
  const auto endpoint = resolve_endpoint(params);
  if (!endpoint.ok()) return "error: " + endpoint.error().message;
  std::string out = endpoint->url;
  for (const AuthScheme& scheme : endpoint->auth_schemes) {
    out += " " + scheme.name + ":" + scheme.signing_name + ":" + scheme.signing_region;
    for (const auto& region : scheme.signing_region_set) out += region;
  }
  return out;
}

struct Case {
  EndpointParams params;
  std::string expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    CAPTURE(each.params.bucket.value_or("-"));
    CAPTURE(each.params.region.value_or("-"));
    CHECK(shown(each.params) == each.expected);
  }
}

const std::string lambda = "arn:aws:s3-object-lambda:eu-west-1:111122223333:accesspoint/resize";
const std::string point = "arn:aws:s3:eu-west-1:111122223333:accesspoint:sales";
const std::string mrap = "arn:aws:s3::111122223333:accesspoint:m1x.mrap";
const std::string outpost =
    "arn:aws:s3-outposts:eu-west-1:111122223333:outpost/op-0123456789abcdef0/accesspoint/site";

/// Counted from the end: suffix, one character, the region's place, 20 of the bucket, the outpost,
/// the hardware.
std::string alias(const std::string& hardware, const std::string& place) {
  return "site-" + hardware + "0123456789abcdef0" + "abcdefghij0123456789" + place + "0--op-s3";
}

}  // namespace

TEST_CASE("endpoint: a plain bucket is part of the host where its name allows it") {
  check({
      {{.bucket = "photos", .region = "eu-west-1"},
       "https://photos.s3.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = "my.photos", .region = "eu-west-1"},
       "https://s3.eu-west-1.amazonaws.com/my.photos sigv4:s3:eu-west-1"},
      {{.bucket = "Photos", .region = "eu-west-1"},
       "https://s3.eu-west-1.amazonaws.com/Photos sigv4:s3:eu-west-1"},
      {{.bucket = "10.0.0.1", .region = "eu-west-1"},
       "https://s3.eu-west-1.amazonaws.com/10.0.0.1 sigv4:s3:eu-west-1"},
      {{.bucket = "ab", .region = "eu-west-1"},
       "https://s3.eu-west-1.amazonaws.com/ab sigv4:s3:eu-west-1"},
      {{.bucket = "a b", .region = "eu-west-1"},
       "https://s3.eu-west-1.amazonaws.com/a%20b sigv4:s3:eu-west-1"},
      {{.bucket = "photos", .region = "eu-west-1", .force_path_style = true},
       "https://s3.eu-west-1.amazonaws.com/photos sigv4:s3:eu-west-1"},
      {{.bucket = "photos", .region = "cn-north-1"},
       "https://photos.s3.cn-north-1.amazonaws.com.cn sigv4:s3:cn-north-1"},
      {{.bucket = "photos", .region = "us-gov-west-1", .use_fips = true},
       "https://photos.s3-fips.us-gov-west-1.amazonaws.com sigv4:s3:us-gov-west-1"},
      {{.region = "eu-west-1"}, "https://s3.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
  });
}

TEST_CASE("endpoint: the oldest host stands for us-east-1 where it is asked for") {
  check({
      {{.bucket = "photos", .region = "us-east-1"},
       "https://photos.s3.us-east-1.amazonaws.com sigv4:s3:us-east-1"},
      {{.bucket = "photos", .region = "us-east-1", .use_global_endpoint = true},
       "https://photos.s3.amazonaws.com sigv4:s3:us-east-1"},
      {{.bucket = "photos", .region = "us-west-2", .use_global_endpoint = true},
       "https://photos.s3.us-west-2.amazonaws.com sigv4:s3:us-west-2"},
      {{.bucket = "photos", .region = "aws-global"},
       "https://photos.s3.amazonaws.com sigv4:s3:us-east-1"},
      {{.region = "us-east-1", .use_fips = true, .use_global_endpoint = true},
       "https://s3-fips.us-east-1.amazonaws.com sigv4:s3:us-east-1"},
  });
}

TEST_CASE("endpoint: dual stack, FIPS and acceleration") {
  check({
      {{.bucket = "photos", .region = "eu-west-1", .use_dualstack = true},
       "https://photos.s3.dualstack.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = "photos", .region = "ca-central-1", .use_fips = true, .use_dualstack = true},
       "https://photos.s3-fips.dualstack.ca-central-1.amazonaws.com sigv4:s3:ca-central-1"},
      {{.bucket = "photos", .region = "eu-west-1", .accelerate = true},
       "https://photos.s3-accelerate.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = "photos", .region = "eu-west-1", .use_dualstack = true, .accelerate = true},
       "https://photos.s3-accelerate.dualstack.amazonaws.com sigv4:s3:eu-west-1"},
      {{.region = "eu-west-1", .accelerate = true},
       "https://s3.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = "photos", .region = "eu-west-1", .use_fips = true, .accelerate = true},
       "error: Accelerate cannot be used with FIPS"},
      {{.bucket = "photos", .region = "cn-north-1", .accelerate = true},
       "error: S3 Accelerate cannot be used in this region"},
      {{.bucket = "Photos", .region = "eu-west-1", .accelerate = true},
       "error: Path-style addressing cannot be used with S3 Accelerate"},
      {{.region = "cn-north-1", .use_fips = true}, "error: Partition does not support FIPS"},
  });
}

TEST_CASE("endpoint: an endpoint of one's own") {
  check({
      {{.bucket = "photos", .region = "x", .endpoint = "https://store.example:9000/base/"},
       "https://photos.store.example:9000/base sigv4:s3:x"},
      {{.bucket = "photos", .region = "x", .endpoint = "http://127.0.0.1:9000"},
       "http://127.0.0.1:9000/photos sigv4:s3:x"},
      {{.bucket = "photos", .region = "x", .endpoint = "http://[::1]:9000"},
       "http://[::1]:9000/photos sigv4:s3:x"},
      {{.bucket = "my.photos", .region = "x", .endpoint = "http://store.example"},
       "http://my.photos.store.example sigv4:s3:x"},
      {{.bucket = "my.photos", .region = "x", .endpoint = "https://store.example"},
       "https://store.example/my.photos sigv4:s3:x"},
      {{.bucket = "photos",
        .region = "x",
        .endpoint = "https://store.example",
        .force_path_style = true},
       "https://store.example/photos sigv4:s3:x"},
      {{.region = "x", .endpoint = "https://store.example"}, "https://store.example sigv4:s3:x"},
      {{.bucket = "photos", .region = "x", .endpoint = "store.example"},
       "error: Custom endpoint `store.example` was not a valid URI"},
      {{.bucket = "photos", .region = "x", .endpoint = "https://a", .use_fips = true},
       "error: A custom endpoint cannot be combined with FIPS"},
      {{.bucket = "photos", .region = "x", .endpoint = "https://a", .use_dualstack = true},
       "error: Cannot set dual-stack in combination with a custom endpoint."},
      {{.bucket = "photos", .region = "x", .endpoint = "https://a", .accelerate = true},
       "error: A custom endpoint cannot be combined with S3 Accelerate"},
  });
}

TEST_CASE("endpoint: a region is needed, and has a form") {
  check({
      {{.bucket = "photos"}, "error: A region must be set when sending requests to S3."},
      {{.bucket = "photos", .region = ""},
       "error: A region must be set when sending requests to S3."},
      {{.region = "a b"}, "error: Invalid region: region was not a valid DNS name."},
      {{.bucket = "photos", .region = "a b"},
       "error: Invalid region: region was not a valid DNS name."},
  });
}

TEST_CASE("endpoint: directory buckets name their zone") {
  check({
      {{.bucket = "logs--usw2-az1--x-s3", .region = "us-west-2"},
       "https://logs--usw2-az1--x-s3.s3express-usw2-az1.us-west-2.amazonaws.com "
       "sigv4-s3express:s3express:us-west-2"},
      {{.bucket = "logs--usw2-az12--xa-s3", .region = "us-west-2", .use_fips = true},
       "https://logs--usw2-az12--xa-s3.s3express-fips-usw2-az12.us-west-2.amazonaws.com "
       "sigv4-s3express:s3express:us-west-2"},
      {{.bucket = "logs--usw2-az1--x-s3",
        .region = "us-west-2",
        .disable_s3_express_session_auth = true},
       "https://logs--usw2-az1--x-s3.s3express-usw2-az1.us-west-2.amazonaws.com "
       "sigv4:s3express:us-west-2"},
      {{.bucket = "logs--usw2-az1--x-s3",
        .region = "us-west-2",
        .use_s3_express_control_endpoint = true},
       "https://s3express-control.us-west-2.amazonaws.com/logs--usw2-az1--x-s3 "
       "sigv4:s3express:us-west-2"},
      {{.region = "us-west-2", .use_s3_express_control_endpoint = true},
       "https://s3express-control.us-west-2.amazonaws.com sigv4:s3express:us-west-2"},
      {{.bucket = "logs--usw2-az1--x-s3", .region = "x", .endpoint = "https://z.example"},
       "https://logs--usw2-az1--x-s3.z.example sigv4-s3express:s3express:x"},
      {{.bucket = "logs--usw2-az1--x-s3", .region = "x", .endpoint = "http://127.0.0.1:1"},
       "http://127.0.0.1:1/logs--usw2-az1--x-s3 sigv4-s3express:s3express:x"},
      {{.bucket = "logs--az--x-s3", .region = "us-west-2"},
       "error: Unrecognized S3Express bucket name format."},
      {{.bucket = "my.logs--usw2-az1--x-s3", .region = "us-west-2"},
       "error: S3Express bucket name is not a valid virtual hostable name."},
      {{.bucket = "logs--usw2-az1--x-s3", .region = "us-west-2", .accelerate = true},
       "error: S3Express does not support S3 Accelerate."},
  });
}

TEST_CASE("endpoint: access points") {
  check({
      {{.bucket = point, .region = "eu-west-1"},
       "https://sales-111122223333.s3-accesspoint.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = point, .region = "us-east-1"},
       "https://sales-111122223333.s3-accesspoint.eu-west-1.amazonaws.com sigv4:s3:eu-west-1"},
      {{.bucket = point, .region = "eu-west-1", .endpoint = "http://store.example/x"},
       "http://sales-111122223333.store.example/x sigv4:s3:eu-west-1"},
      {{.bucket = point, .region = "us-east-1", .use_arn_region = false},
       "error: Invalid configuration: region from ARN `eu-west-1` does not match client region "
       "`us-east-1` and UseArnRegion is `false`"},
      {{.bucket = point, .region = "cn-north-1"},
       "error: Client was configured for partition `aws-cn` but ARN (`" + point + "`) has `aws`"},
      {{.bucket = point, .region = "eu-west-1", .accelerate = true},
       "error: Access Points do not support S3 Accelerate"},
      {{.bucket = point, .region = "eu-west-1", .disable_access_points = true},
       "error: Access points are not supported for this operation"},
      {{.bucket = point, .region = "eu-west-1", .force_path_style = true},
       "error: Path-style addressing cannot be used with ARN buckets"},
      {{.bucket = point + ":more", .region = "eu-west-1"},
       "error: Invalid ARN: The ARN may only contain a single resource component after "
       "`accesspoint`."},
      {{.bucket = "arn:aws:s3:eu-west-1:1111.2:accesspoint:sales", .region = "eu-west-1"},
       "error: Invalid ARN: The account id may only contain a-z, A-Z, 0-9 and `-`. Found: "
       "`1111.2`"},
      {{.bucket = "arn:aws:s3:eu-west-1:111122223333:accesspoint:a_b", .region = "eu-west-1"},
       "error: Invalid ARN: The access point name may only contain a-z, A-Z, 0-9 and `-`. Found: "
       "`a_b`"},
      {{.bucket = "arn:aws:s3:eu-west-1:111122223333:accesspoint", .region = "eu-west-1"},
       "error: Invalid ARN: Expected a resource of the format `accesspoint:<accesspoint name>` but "
       "no name was provided"},
      {{.bucket = "arn:aws:sns:eu-west-1:111122223333:accesspoint:a", .region = "eu-west-1"},
       "error: Invalid ARN: The ARN was not for the S3 service, found: sns"},
      {{.bucket = "arn:aws:sns:eu-west-1:1:topic", .region = "eu-west-1"},
       "error: Invalid ARN: Unrecognized format: arn:aws:sns:eu-west-1:1:topic (type: topic)"},
      {{.bucket = "arn:aws:s3:eu west:1:accesspoint:a", .region = "eu-west-1"},
       "error: Invalid region in ARN: `eu west` (invalid DNS name)"},
      {{.bucket = "arn:aws:s3", .region = "eu-west-1"},
       "error: Invalid ARN: `arn:aws:s3` was not a valid ARN"},
  });
}

TEST_CASE("endpoint: multi-region access points") {
  check({
      {{.bucket = mrap, .region = "eu-west-1"},
       "https://m1x.mrap.accesspoint.s3-global.amazonaws.com sigv4a:s3:*"},
      {{.bucket = mrap, .region = "eu-west-1", .disable_multiregion_access_points = true},
       "error: Invalid configuration: Multi-Region Access Point ARNs are disabled."},
      {{.bucket = mrap, .region = "eu-west-1", .use_dualstack = true},
       "error: S3 MRAP does not support dual-stack"},
      {{.bucket = mrap, .region = "eu-west-1", .use_fips = true},
       "error: S3 MRAP does not support FIPS"},
      {{.bucket = mrap, .region = "eu-west-1", .accelerate = true},
       "error: S3 MRAP does not support S3 Accelerate"},
      {{.bucket = mrap, .region = "cn-north-1"},
       "error: Client was configured for partition `aws-cn` but bucket referred to partition "
       "`aws`"},
  });
}

TEST_CASE("endpoint: object lambda and outposts") {
  check({
      {{.bucket = lambda, .region = "eu-west-1"},
       "https://resize-111122223333.s3-object-lambda.eu-west-1.amazonaws.com "
       "sigv4:s3-object-lambda:eu-west-1"},
      {{.bucket = lambda, .region = "eu-west-1", .use_dualstack = true},
       "error: S3 Object Lambda does not support Dual-stack"},
      {{.bucket = "arn:aws:s3-object-lambda:eu-west-1:1:bucket/x", .region = "eu-west-1"},
       "error: Invalid ARN: Object Lambda ARNs only support `accesspoint` arn types, but found: "
       "`bucket`"},
      {{.region = "eu-west-1", .use_fips = true, .use_object_lambda_endpoint = true},
       "https://s3-object-lambda-fips.eu-west-1.amazonaws.com sigv4:s3-object-lambda:eu-west-1"},
      {{.bucket = outpost, .region = "eu-west-1"},
       "https://site-111122223333.op-0123456789abcdef0.s3-outposts.eu-west-1.amazonaws.com "
       "sigv4a:s3-outposts:* sigv4:s3-outposts:eu-west-1"},
      {{.bucket = outpost + "/x", .region = "eu-west-1"},
       "error: Invalid Arn: Outpost Access Point ARN contains sub resources"},
      {{.bucket = outpost, .region = "eu-west-1", .use_fips = true},
       "error: S3 Outposts does not support FIPS"},
      {{.bucket = "arn:aws:s3-outposts:eu-west-1:1:outpost/op-1/bucket/x", .region = "eu-west-1"},
       "error: Expected an outpost type `accesspoint`, found bucket"},
      {{.bucket = "arn:aws:s3-outposts:eu-west-1:1:outpost", .region = "eu-west-1"},
       "error: Invalid ARN: The Outpost Id was not set"},
      {{.bucket = alias("o", "euw1"), .region = "eu-west-1"},
       "https://" + alias("o", "euw1") +
           ".op-0123456789abcdef0.s3-outposts.eu-west-1.amazonaws.com sigv4a:s3-outposts:* "
           "sigv4:s3-outposts:eu-west-1"},
      {{.bucket = alias("e", "euw1"), .region = "eu-west-1"},
       "https://" + alias("e", "euw1") +
           ".ec2.s3-outposts.eu-west-1.amazonaws.com sigv4a:s3-outposts:* "
           "sigv4:s3-outposts:eu-west-1"},
      {{.bucket = alias("x", "euw1"), .region = "eu-west-1"},
       "error: Unrecognized hardware type: \"Expected hardware type o or e but got x\""},
      {{.bucket = alias("o", "beta"), .region = "eu-west-1"},
       "error: Expected a endpoint to be specified but no endpoint was found"},
      {{.bucket = alias("o", "beta"), .region = "eu-west-1", .endpoint = "https://lab.example"},
       "https://" + alias("o", "beta") +
           ".op-0123456789abcdef0.lab.example sigv4a:s3-outposts:* "
           "sigv4:s3-outposts:eu-west-1"},
  });
}

TEST_CASE("endpoint: hosts without a vendor") {
  const HostNames hosts = HostNames::neutral("cloud.example");
  check({
      {{.bucket = "photos", .region = "north", .hosts = hosts},
       "https://photos.objects.north.cloud.example sigv4:s3:north"},
      {{.bucket = "logs--usw2-az1--x-s3", .region = "north", .hosts = hosts},
       "https://logs--usw2-az1--x-s3.usw2-az1.north.objects-zonal.cloud.example "
       "sigv4-s3express:s3express:north"},
      {{.bucket = point, .region = "eu-west-1", .hosts = hosts},
       "https://sales-111122223333.objects-accesspoint.eu-west-1.cloud.example "
       "sigv4:s3:eu-west-1"},
  });
}

TEST_CASE("endpoint: names in hosts") {
  for (const auto* good : {"a", "a-b", "A1", "0"}) CHECK(is_host_label(good, false));
  for (const auto* bad : {"", "-a", "a-", "a.b", "a_b", "ä"})
    CHECK_FALSE(is_host_label(bad, false));
  CHECK(is_host_label("a.b-c.d", true));
  for (const auto* bad : {"a..b", ".a", "a.", "a.-b"}) CHECK_FALSE(is_host_label(bad, true));
  CHECK_FALSE(is_host_label(std::string(64, 'a'), false));
  CHECK(is_ip_address("255.0.0.1"));
  for (const auto* bad : {"256.0.0.1", "1.2.3", "1.2.3.4.5", "a.b.c.d", "-1.2.3.4", "0001.2.3.4"})
    CHECK_FALSE(is_ip_address(bad));
}

TEST_CASE("endpoint: partitions by name, by form, and the first for all others") {
  const std::vector<std::pair<std::string, std::string>> cases{{"us-east-1", "aws"},
                                                               {"aws-global", "aws"},
                                                               {"cn-northwest-1", "aws-cn"},
                                                               {"us-gov-east-1", "aws-us-gov"},
                                                               {"us-iso-east-1", "aws-iso"},
                                                               {"us-isob-east-1", "aws-iso-b"},
                                                               {"eu-isoe-west-1", "aws-iso-e"},
                                                               {"eusc-de-east-1", "aws-eusc"},
                                                               {"my-lab", "aws"},
                                                               {"eu-south-2", "aws"}};
  for (const auto& [region, name] : cases) {
    CAPTURE(region);
    CHECK(partition_of(region).name == name);
  }
}

TEST_CASE("endpoint: ARNs are taken apart at both separators") {
  const auto arn = parse_arn("arn:aws:s3:r:1:accesspoint/a:b");
  REQUIRE(arn);
  CHECK(arn->resource == std::vector<std::string>{"accesspoint", "a", "b"});
  CHECK_FALSE(arn->part(3));
  for (const auto* bad :
       {"", "arn:", "arn:aws:s3:r:1:", "arn::s3:r:1:x", "arn:aws::r:1:x", "x:aws:s3:r:1:y"})
    CHECK_FALSE(parse_arn(bad));
}

TEST_CASE("endpoint: the control API, of directory buckets, of outposts, at an endpoint of one's own") {
  struct Row {
    ControlEndpointParams params;
    std::string url, service;
  };
  const std::string account = "123456789012";
  const Row rows[] = {
      {{.region = "us-west-2", .account_id = account},
       "https://123456789012.s3-control.us-west-2.amazonaws.com", "s3"},
      {{.region = "us-west-2", .account_id = account, .use_fips = true, .use_dualstack = true},
       "https://123456789012.s3-control-fips.dualstack.us-west-2.amazonaws.com", "s3"},
      {{.region = "us-west-2", .endpoint = "http://o:1/", .account_id = account}, "http://o:1", "s3"},
      {{.region = "us-west-2", .account_id = account, .of_directories = true},
       "https://s3express-control.us-west-2.amazonaws.com", "s3express"},
      {{.region = "us-west-2", .endpoint = "http://o:1", .of_directories = true}, "http://o:1",
       "s3express"},
      {{.region = "us-west-2", .of_outposts = true},
       "https://s3-outposts.us-west-2.amazonaws.com", "s3-outposts"},
      {{.region = "us-west-2", .use_fips = true, .of_outposts = true},
       "https://s3-outposts-fips.us-west-2.amazonaws.com", "s3-outposts"},
      {{.region = "us-west-2", .endpoint = "http://o:1", .of_outposts = true}, "http://o:1",
       "s3-outposts"},
  };
  for (const Row& row : rows) {
    const auto endpoint = resolve_control_endpoint(row.params);
    REQUIRE(endpoint.ok());
    CHECK(endpoint->url == row.url);
    REQUIRE(endpoint->auth_schemes.size() == 1);
    CHECK(endpoint->auth_schemes[0].name == "sigv4");
    CHECK(endpoint->auth_schemes[0].signing_name == row.service);
    CHECK(endpoint->auth_schemes[0].signing_region == "us-west-2");
  }
  CHECK_FALSE(resolve_control_endpoint({.region = "us-west-2", .account_id = "a b"}).ok());
  CHECK_FALSE(resolve_control_endpoint(
                  {.region = "us-west-2", .use_dualstack = true, .of_outposts = true})
                  .ok());
}

}  // namespace cairn::objectclient::endpoint_test
