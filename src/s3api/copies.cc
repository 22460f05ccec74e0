// SPDX-License-Identifier: Apache-2.0
// CopyObject: by reference where etag and checksum carry over, else through the bytes.
#include "base/encode.h"
#include "s3/errors.h"
#include "s3api/attributes.h"
#include "s3api/conditions.h"
#include "s3api/handlers.h"
#include "s3api/offered.h"
#include "s3api/pump.h"
#include "s3api/source.h"

namespace cairn::s3api {
namespace {

// Storage class and redirect are never copied; the rest is unless the request says REPLACE.
Result<s3::ObjectAttributes> target_attributes(const Call& call, const s3::CopyObjectInput& in,
                                               const s3::Object& source) {
  if (in.metadata_directive == "REPLACE") return attributes_of(in, call.around.options);
  s3::ObjectAttributes attributes = source.attributes;
  attributes.storage_class = in.storage_class.value_or("STANDARD");
  attributes.website_redirect_location = in.website_redirect_location.value_or("");
  return attributes;
}

Status check_changes_something(const Call& call, const s3::CopyObjectInput& in,
                               const Source& source) {
  const bool itself =
      source.name.bucket == call.address.bucket && source.name.key == call.address.key;
  const bool changes =
      in.metadata_directive == "REPLACE" || in.website_redirect_location ||
      (in.storage_class && *in.storage_class != source.object.attributes.storage_class);
  if (!itself || changes) return ok_status();
  return s3::error("InvalidRequest",
                   "This copy request is illegal because it is trying to copy an object to itself "
                   "without changing the object's metadata, storage class, website redirect "
                   "location or encryption attributes.");
}

// A copy is a single-part object with the MD5 as etag and a checksum of the whole.
bool needs_bytes(const s3::Object& source, std::optional<s3::ChecksumAlgorithm> wanted) {
  if (!source.parts.empty() || source.etag.find('-') != std::string::npos) return true;
  if (!source.checksum || source.checksum->type != s3::ChecksumType::full_object) return true;
  return wanted && *wanted != source.checksum->algorithm;
}

struct CopyPlan {
  const Source& source;
  s3::ObjectAttributes attributes;
  s3::WriteCondition condition;
  std::optional<s3::ChecksumAlgorithm> algorithm;
};

// Takes the checksum of what goes by.
class SummingWriter {
 public:
  SummingWriter(objectstore::ObjectWriter& writer, s3::ChecksumAlgorithm algorithm)
      : writer_(writer), summer_(algorithm) {}
  Status write(std::string_view bytes) {
    summer_.update(bytes);
    return writer_.write(bytes);
  }
  s3::Checksum checksum() {
    return {.algorithm = summer_.algorithm(), .value = to_base64(summer_.finish())};
  }

 private:
  objectstore::ObjectWriter& writer_;
  s3::Checksummer summer_;
};

Result<s3::Object> copy_bytes(Call& call, const CopyPlan& plan) {
  CAIRN_TRY(const auto reader, call.engine().get(plan.source.object_name(), {}, call.deadline()));
  if (reader->object().etag != plan.source.object.etag)
    return precondition_failed("x-amz-copy-source-If-Match");
  CAIRN_TRY(const auto writer,
            call.engine().begin_put(call.object(), reader->size_bytes(), call.deadline()));
  const auto& kept = plan.source.object.checksum;
  SummingWriter summing(
      *writer, plan.algorithm.value_or(kept ? kept->algorithm : s3::ChecksumAlgorithm::crc64nvme));
  CAIRN_CHECK(pump_copy(call, *reader, summing));
  return writer->finish({.attributes = plan.attributes,
                         .owner = call.caller,
                         .checksum = summing.checksum(),
                         .condition = plan.condition},
                        call.deadline());
}

Result<s3::Object> copy_now(Call& call, const CopyPlan& plan) {
  if (needs_bytes(plan.source.object, plan.algorithm)) return copy_bytes(call, plan);
  return call.engine().copy(plan.source.object_name(), call.object(),
                            {.attributes = plan.attributes,
                             .owner = call.caller,
                             .source_if_match = plan.source.object.etag,
                             .condition = plan.condition},
                            call.deadline());
}

bool source_changed(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "Condition" && value == "x-amz-copy-source-If-Match") return true;
  return false;
}

s3::CopyObjectOutput describe(const s3::Object& object) {
  s3::CopyObjectResult result{.last_modified = s3::Time{object.modified_ms / 1000 * 1000},
                              .etag = quoted(object.etag)};
  if (object.checksum) {
    set_checksum_fields(result, *object.checksum);
    result.checksum_type = s3::name_of(object.checksum->type);
  }
  s3::CopyObjectOutput out;
  out.copy_object_result = std::move(result);
  return out;
}

}  // namespace

Result<s3::CopyObjectOutput> copy_object(Call& call, const s3::CopyObjectInput& in) {
  constexpr int attempts = 8;
  CAIRN_CHECK(own_bucket(call, in.expected_bucket_owner));
  CAIRN_CHECK(check_key(in.key));
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const s3::WriteCondition condition,
            read_write_condition(in.if_match, in.if_none_match));
  std::optional<s3::ChecksumAlgorithm> algorithm;
  if (in.checksum_algorithm) algorithm = s3::checksum_algorithm_of(*in.checksum_algorithm);
  for (int attempt = 1;; ++attempt) {
    CAIRN_TRY(const Source source, find_source(call, in));
    CAIRN_CHECK(check_copy_size(source.object.size_bytes));
    CAIRN_CHECK(check_changes_something(call, in, source));
    CAIRN_TRY(s3::ObjectAttributes attributes, target_attributes(call, in, source.object));
    CAIRN_CHECK(check_condition_now(call, condition));
    const auto object = copy_now(call, {source, std::move(attributes), condition, algorithm});
    if (object.ok()) return describe(*object);
    // Replaced between the look and the copy: look again, judge again.
    if (!source_changed(object.error()) || attempt == attempts)
      return write_fault(call, object.error());
  }
}

}  // namespace cairn::s3api
