// SPDX-License-Identifier: Apache-2.0
// GetObjectAttributes, and RestoreObject.
#include <algorithm>

#include "s3/errors.h"
#include "s3api/objects/attributes.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view attribute_names[] = {"ETag", "Checksum", "ObjectParts", "StorageClass",
                                                "ObjectSize"};

Status check_attributes(const std::vector<std::string>& asked) {
  if (asked.empty())
    return s3::error("InvalidRequest",
                     "The x-amz-object-attributes header specifying the attributes to be retrieved "
                     "is either missing or empty");
  for (const std::string& name : asked)
    if (std::find(std::begin(attribute_names), std::end(attribute_names), name) ==
        std::end(attribute_names))
      return bad_argument("x-amz-object-attributes", name, "Invalid attribute name specified.");
  return ok_status();
}

s3::ChecksumElement checksum_of(const s3::Checksum& checksum) {
  s3::Checksum shown = checksum;
  if (shown.type == s3::ChecksumType::composite)
    shown.value.resize(std::min(shown.value.size(), shown.value.rfind('-')));
  s3::ChecksumElement out;
  set_checksum_fields(out, shown);
  out.checksum_type = s3::name_of(checksum.type);
  return out;
}

// Each part is shown where the parts have checksums that mean something by themselves.
Result<s3::ObjectPartsElement> parts_of(const s3::GetObjectAttributesInput& in,
                                        const s3::Object& object) {
  s3::ObjectPartsElement out{.total_parts_count = static_cast<std::int64_t>(object.parts.size())};
  if (!object.checksum || object.checksum->type != s3::ChecksumType::composite) return out;
  CAIRN_TRY(const std::int64_t limit, page_limit("max-parts", in.max_parts));
  const std::int64_t marker = in.part_number_marker.value_or(0);
  out.part_number_marker = marker;
  out.max_parts = limit;
  std::int64_t number = 0;
  out.is_truncated = false;
  for (const s3::Part& part : object.parts) {
    if (++number <= marker) continue;
    if (static_cast<std::int64_t>(out.parts.size()) == limit) {
      out.is_truncated = true;
      break;
    }
    s3::ObjectPartElement element{.part_number = number,
                                  .size = static_cast<std::int64_t>(part.size_bytes)};
    if (part.checksum) set_checksum_fields(element, *part.checksum);
    out.parts.push_back(std::move(element));
    out.next_part_number_marker = number;
  }
  if (!out.next_part_number_marker) out.next_part_number_marker = 0;
  return out;
}

constexpr std::int64_t restore_days_max = 1'000'000;

// Until the end of the day on which so many days have passed. What comes back from an archive tier
// stays.
std::int64_t restore_end_ms(std::int64_t ready_ms, std::optional<std::int64_t> days) {
  if (!days) return s3::Restore::never;
  return (ready_ms / s3::day_ms + *days + 1) * s3::day_ms;
}

Status check_restore(const s3::RestoreObjectInput& in) {
  if (!in.restore_request) return s3::error("MalformedXML");
  const s3::RestoreRequestElement& request = *in.restore_request;
  if (request.type)
    return s3::error("NotImplemented", "Queries over archived objects are not offered here")
        .with_detail("Type", *request.type);
  if (request.days && (*request.days < 1 || *request.days > restore_days_max))
    return bad_argument("Days", std::to_string(*request.days),
                        "restoration days should be at least 1");
  return ok_status();
}

}  // namespace

Result<s3::GetObjectAttributesOutput> get_object_attributes(
    Call& call, const s3::GetObjectAttributesInput& in) {
  CAIRN_TRY(const auto customer, customer_key(call, in));
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return object_fault(call, object.error(), in.key);
  CAIRN_CHECK(allow(call, &*object));
  CAIRN_CHECK(check_attributes(in.object_attributes));
  CAIRN_CHECK(check_customer_key(call, *object, customer));
  const auto asked = [&](std::string_view name) {
    return std::find(in.object_attributes.begin(), in.object_attributes.end(), name) !=
           in.object_attributes.end();
  };
  s3::GetObjectAttributesOutput out{.last_modified = s3::Time{object->modified_ms},
                                    .version_id = shown_version(*call.bucket, *object)};
  if (asked("ETag")) out.etag = object->etag;
  if (asked("Checksum") && object->checksum) out.checksum = checksum_of(*object->checksum);
  if (asked("ObjectParts") && !object->parts.empty()) {
    CAIRN_TRY(out.object_parts, parts_of(in, *object));
  }
  if (asked("StorageClass")) out.storage_class = object->attributes.storage_class;
  if (asked("ObjectSize")) out.object_size = static_cast<std::int64_t>(object->size_bytes);
  return out;
}

namespace {

// Days for a storage class, none for a tier.
Status check_days(const s3::Object& object, const std::optional<std::int64_t>& days) {
  if (object.archive_tier.empty()) return days ? ok_status() : Status(s3::error("MalformedXML"));
  if (!days) return ok_status();
  return bad_argument("Days", std::to_string(*days),
                      "Days must not be given for objects of the storage class "
                      "INTELLIGENT_TIERING");
}

}  // namespace

// All classes lie on the same disks: how long it takes is a setting.
Result<s3::RestoreObjectOutput> restore_object(Call& call, const s3::RestoreObjectInput& in) {
  CAIRN_CHECK(check_restore(in));
  const std::int64_t now_ms = call.context.clock.unix_ms();
  const auto days = in.restore_request->days;
  bool again = false;
  objectstore::ObjectChange change{.origin = origin_of(call)};
  // Which copy there will be follows from what is there in the very step.
  change.judge = [&](const s3::Object& object) -> Status {
    CAIRN_CHECK(allow(call, &object));
    const bool archived = s3::is_archived(object, now_ms);
    if (archived && object.restore && object.restore->is_ongoing(now_ms))
      return s3::error("RestoreAlreadyInProgress");
    again = !archived && object.restore && object.archive_tier.empty();
    if (!archived && !again)
      return s3::error("InvalidObjectState",
                       "Restore is not allowed for the object's current storage class")
          .with_detail("StorageClass", object.attributes.storage_class);
    CAIRN_CHECK(check_days(object, days));
    const std::int64_t ready_ms = again ? now_ms : now_ms + call.context.options.restore_ms;
    change.restore =
        s3::Restore{.ready_ms = ready_ms, .expires_ms = restore_end_ms(ready_ms, days)};
    return ok_status();
  };
  const auto changed = call.engine().change_object(call.object(), change, call.deadline());
  if (!changed.ok()) return object_fault(call, changed.error(), in.key);
  if (!again) call.status = 202;
  return s3::RestoreObjectOutput{};
}

}  // namespace cairn::s3api
