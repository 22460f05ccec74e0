// SPDX-License-Identifier: Apache-2.0
#include "s3api/call.h"

#include <algorithm>

#include "s3/errors.h"
#include "s3api/access/access_point_rules.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/accesspoints/resolve.h"

namespace cairn::s3api {
namespace {

// Buckets of regions that another endpoint serves are asked for there.
Status check_region(Call& call) {
  const Options& options = call.context.options;
  const std::string region = region_of(call.bucket->bucket, options);
  const std::string elsewhere(options.endpoint_of(region));
  if (region == options.region || elsewhere.empty()) return ok_status();
  call.extra.set(s3::header_name("x-amz-bucket-region", call.dialect), region);
  Error fault = options.region == global_region ? s3::error("TemporaryRedirect")
                                                : s3::error("PermanentRedirect");
  if (options.region == global_region)
    call.extra.set("Location", elsewhere + call.exchange.head.target);
  const std::size_t scheme = elsewhere.find("://");
  return std::move(fault)
      .with_detail("Endpoint", elsewhere.substr(scheme + 3))
      .with_detail("Bucket", call.address.bucket);
}

bool tells_region(const s3::Operation& operation) {
  namespace ops = s3::operations;
  return &operation == &ops::head_bucket || &operation == &ops::list_objects ||
         &operation == &ops::list_objects_v2 || &operation == &ops::list_object_versions;
}

}  // namespace

std::string region_of(const s3::Bucket& bucket, const Options& options) {
  if (bucket.location_constraint.empty()) return options.region;
  return bucket.location_constraint == "EU" ? "eu-west-1" : bucket.location_constraint;
}

std::optional<std::string_view> Call::header(std::string_view aws_name) const {
  if (dialect == s3::Dialect::aws) return headers().find(aws_name);
  return headers().find(s3::header_name(aws_name, dialect));
}

Status open_bucket(Call& call) {
  const std::optional<std::string> expected_owner(call.header("x-amz-expected-bucket-owner"));
  CAIRN_TRY(call.bucket, find_bucket(call, call.address.bucket, expected_owner, call.access_point != nullptr));
  call.rules = rules_of(*call.bucket);
  if (call.access_point != nullptr) {
    CAIRN_CHECK(check_leads_to(*call.access_point, call.bucket->bucket));
    go_through(*call.access_point, call.rules);
  }
  if (is_requester_charged(access_of(call), call.rules))
    call.extra.set(s3::header_name("x-amz-request-charged", call.dialect), "requester");
  if (tells_region(*call.operation))
    call.extra.set(s3::header_name("x-amz-bucket-region", call.dialect),
                   region_of(call.bucket->bucket, call.context.options));
  return check_region(call);
}

Result<objectstore::BucketView> find_bucket(const Call& call, std::string_view name,
                                            const std::optional<std::string>& expected_owner,
                                            bool through) {
  const auto missing = [&] {
    return s3::error("NoSuchBucket").with_detail("BucketName", std::string(name));
  };
  if (s3::is_reserved_bucket(name)) return missing();
  auto view = call.engine().bucket(name);
  if (!view.ok()) return view.error().code == "NoSuchBucket" ? missing() : std::move(view).error();
  if ((*view)->bucket.is_of_outpost() && !through) return missing();
  CAIRN_CHECK(check_expected_owner((*view)->bucket, expected_owner));
  return view;
}

AccessContext access_of(const Call& call) {
  return {.caller = call.identity.who().get(),
          .head = call.head(),
          .query = call.query,
          .dialect = call.dialect,
          .claim = call.identity.is_nobody() ? nullptr : &call.identity.claim(),
          .now_ms = call.context.clock.unix_ms(),
          .region = call.context.options.region,
          .directory = call.directory,
          .session = call.identity.session() ? &*call.identity.session() : nullptr,
          .granted = call.identity.granted() ? &*call.identity.granted() : nullptr};
}

AccessSubject subject_of(const Call& call, const s3::Object* object) {
  return {.rules = call.rules,
          .key = call.address.key,
          .object = object,
          .version_id = call.named_version()};
}

Status allow(const Call& call, const s3::Object* object) {
  return decide(*call.operation, access_of(call), subject_of(call, object));
}

objectstore::ChangeOrigin origin_of(const Call& call) {
  return {.requester = call.identity.account().account_id,
          .source_ip = call.exchange.head.peer_address,
          .request_id = call.exchange.request_id};
}

std::optional<std::string> shown_version(const objectstore::BucketState& bucket,
                                         const s3::Object& object) {
  if (bucket.bucket.versioning == s3::Versioning::off) return std::nullopt;
  return object.version_id;
}

Error object_fault(const Call& call, Error error, std::string_view key) {
  const bool missing = error.code == "NoSuchKey" || error.code == "NoSuchVersion";
  if (!missing && error.code != "MethodNotAllowed") return error;
  AccessSubject subject = subject_of(call);
  subject.key = key;
  // Who may not list the bucket does not learn what is not in it.
  Error out = missing_object(access_of(call), subject);
  if (out.code == "AccessDenied") return out;
  if (!missing)
    out = s3::error("MethodNotAllowed")
              .with_detail("Method", call.exchange.head.method)
              .with_detail("ResourceType", "DeleteMarker")
              .with_detail("Allow", "DELETE");
  for (auto& detail : error.details)
    if (is_header_detail(detail.first)) out.details.push_back(std::move(detail));
  return out;
}

bool is_header_detail(std::string_view name) {
  return name == objectstore::marker_detail || name == objectstore::version_detail ||
         name == objectstore::modified_detail || name == "Allow";
}

Status check_key(std::string_view key) {
  if (key.size() <= s3::key_bytes_max) return ok_status();
  return s3::error("KeyTooLongError")
      .with_detail("Size", std::to_string(key.size()))
      .with_detail("MaxSizeAllowed", std::to_string(s3::key_bytes_max));
}

Error bad_argument(std::string_view name, std::string_view value, std::string message) {
  return s3::error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

Result<std::int64_t> page_limit(std::string_view name, const std::optional<std::int64_t>& asked) {
  const std::int64_t most = static_cast<std::int64_t>(s3::list_limit_max);
  const std::int64_t limit = asked.value_or(most);
  if (limit < 0 || limit > INT32_MAX)
    return bad_argument(
        name, std::to_string(limit),
        "Argument " + std::string(name) + " must be an integer between 0 and 2147483647");
  return std::min(limit, most);
}

std::string quoted(std::string_view etag) { return "\"" + std::string(etag) + "\""; }

}  // namespace cairn::s3api
