// SPDX-License-Identifier: Apache-2.0
#include "s3api/objects/source.h"

#include "s3/errors.h"
#include "s3api/access/access_point_rules.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/accesspoints/resolve.h"
#include "s3api/objects/expirations.h"

namespace cairn::s3api {

namespace {

Error source_fault(const Call& call, const BucketRules& rules, const CopySource& name,
                   Error error) {
  if (error.code == "MethodNotAllowed")
    return s3::error("InvalidRequest",
                     "The source of a copy request may not specifically refer to a delete marker "
                     "by version id.");
  if (error.code != "NoSuchKey" && error.code != "NoSuchVersion") return error;
  AccessSubject subject{.rules = rules, .key = name.key};
  if (!name.version_id.empty()) subject.version_id = name.version_id;
  Error out = missing_object(access_of(call), subject);
  if (out.code == "AccessDenied") return out;
  // That a delete marker hides it, as reads say it.
  for (auto& detail : error.details)
    if (is_header_detail(detail.first)) out.details.push_back(std::move(detail));
  return out;
}

// The bucket, or what the name stands for.
Status open_source(const Call& call, const std::optional<std::string>& expected_owner,
                   Source& source) {
  CAIRN_TRY(source.access_point, find_access_point(call, source.name.bucket));
  if (source.access_point != nullptr) source.name.bucket = source.access_point->point.bucket;
  CAIRN_TRY(source.bucket, find_bucket(call, source.name.bucket, expected_owner,
                                         source.access_point != nullptr));
  if ((source.bucket->bucket.is_of_outpost() || call.bucket->bucket.is_of_outpost()) &&
      source.name.bucket != call.address.bucket)
    return s3::error("InvalidRequest", "A copy on an outpost stays within one bucket.");
  source.rules = rules_of(*source.bucket);
  const bool any_point = source.access_point != nullptr || call.access_point != nullptr;
  if (source.access_point != nullptr) {
    if (source.bucket->bucket.is_directory() || call.directory)
      return s3::error("InvalidRequest",
                       "Where a directory bucket takes part no access point is the source of a copy: "
                       "name the bucket.");
    CAIRN_CHECK(check_leads_to(*source.access_point, source.bucket->bucket));
    go_through(*source.access_point, source.rules);
  }
  const Options& options = call.context.options;
  if (any_point &&
      region_of(source.bucket->bucket, options) != region_of(call.bucket->bucket, options))
    return s3::error("InvalidRequest", "A copy by way of an access point stays within its region.");
  return ok_status();
}

Status allow_source(const Call& call, const BucketRules& rules, const Source& source,
                    bool with_tags) {
  AccessSubject subject{.rules = rules, .key = source.name.key, .object = &source.object};
  if (!source.name.version_id.empty()) subject.version_id = source.name.version_id;
  return decide_source(access_of(call), subject, with_tags && !source.object.tags.empty());
}

}  // namespace

Result<Source> find_source(const Call& call, const SourceRequest& wanted) {
  Source source;
  CAIRN_TRY(source.name, read_copy_source(wanted.copy_source, call.context.options.domains));
  CAIRN_CHECK(open_source(call, wanted.expected_owner, source));
  CAIRN_CHECK(check_key(source.name.key));
  const BucketRules& rules = source.rules;
  auto object = call.engine().head(source.object_name(), call.deadline());
  if (!object.ok()) return source_fault(call, rules, source.name, std::move(object).error());
  source.object = std::move(*object);
  CAIRN_CHECK(allow_source(call, rules, source, wanted.with_tags));
  const Judgement judgement =
      judge_copy_source(wanted.conditions, source.object, call.context.clock.unix_ms());
  if (judgement.verdict == Verdict::failed) return precondition_failed(judgement.condition);
  CAIRN_CHECK(check_readable(call, source.object));
  return source;
}

Status check_copy_size(std::uint64_t bytes) {
  if (bytes <= s3::put_bytes_max) return ok_status();
  return s3::error("InvalidRequest",
                   "The specified copy source is larger than the maximum allowable size for a copy "
                   "source: " +
                       std::to_string(s3::put_bytes_max));
}

void note_charge(Call& call, const Source& source) {
  if (is_requester_charged(access_of(call), source.rules))
    call.extra.set(s3::header_name("x-amz-request-charged", call.dialect), "requester");
}

}  // namespace cairn::s3api
