// SPDX-License-Identifier: Apache-2.0
// For tests: the service with two zones, asked at its two endpoints for directory buckets.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "s3/model.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::directory_rig {

using Fields = std::vector<std::pair<std::string, std::string>>;

inline const std::string name = "photos--use1-az1--x-s3";
inline const std::string local = "maps--use1-bos1-az1--x-s3";
inline const std::string domain = "objects.example.com";

inline Options two_zones() {
  Options options;
  options.domains = {domain};
  options.zones = {{.id = "use1-az1"}, {.id = "use1-bos1-az1", .type = s3::ZoneType::local_zone}};
  return options;
}

inline std::string configuration(const std::string& type, const std::string& zone,
                                 const std::string& redundancy, const std::string& more = {}) {
  return "<CreateBucketConfiguration><Location><Name>" + zone + "</Name><Type>" + type +
         "</Type></Location><Bucket><DataRedundancy>" + redundancy +
         "</DataRedundancy><Type>Directory</Type></Bucket>" + more + "</CreateBucketConfiguration>";
}
inline const std::string available =
    configuration("AvailabilityZone", "use1-az1", "SingleAvailabilityZone");
inline const std::string localized = configuration("LocalZone", "use1-bos1-az1", "SingleLocalZone");

/// Of a directory bucket's name, or of that of its access point.
inline std::string zone_of(const std::string& bucket) {
  const std::string_view zone = s3::zone_id_of_bucket_name(bucket);
  return std::string(zone.empty() ? s3::zone_id_of_access_point_name(bucket) : zone);
}

struct Session {
  s3::Credentials credentials;
  std::string token;
};

class Rig {
 public:
  explicit Rig(Options options = two_zones()) : service(std::move(options)) {}

  Answer control(const std::string& method, const std::string& target, const std::string& body = {},
                 Fields headers = {}, const s3::Credentials& who = {}) {
    return service.ask({.method = method,
                        .target = target,
                        .headers = std::move(headers),
                        .body = body,
                        .credentials = who,
                        .service = "s3express"});
  }
  Answer zonal(const std::string& method, const std::string& target, const std::string& body = {},
               Fields headers = {}, const Session& session = {}, const std::string& bucket = name) {
    return service.ask({.method = method,
                        .target = target,
                        .headers = std::move(headers),
                        .body = body,
                        .credentials = session.credentials,
                        .service = "s3express",
                        .session_token = session.token,
                        .host = bucket + ".s3express-" +
                                zone_of(bucket) + ".us-east-1." + domain});
  }
  void make(const std::string& bucket = name) {
    const Answer made = control("PUT", "/" + bucket, bucket == name ? available : localized);
    REQUIRE_MESSAGE(made.status == 200, made.body);
  }
  Session session(Fields headers = {}, const std::string& bucket = name) {
    const Answer answer = zonal("GET", "/?session", {}, std::move(headers), {}, bucket);
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
    return {.credentials = {.access_key_id = answer.text("Credentials/AccessKeyId"),
                            .secret_access_key = answer.text("Credentials/SecretAccessKey")},
            .token = answer.text("Credentials/SessionToken")};
  }

  ServiceRig service;
};

}  // namespace cairn::s3api::directory_rig
