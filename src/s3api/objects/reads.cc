// SPDX-License-Identifier: Apache-2.0
// GetObject and HeadObject: conditions, ranges, parts, and the bytes.
#include <algorithm>

#include "base/encode.h"
#include "base/strings.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/objects/attributes.h"
#include "s3api/wire/conditions.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"
#include "s3api/objects/locks.h"
#include "s3api/wire/range.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

ReadConditions conditions_of(const s3::GetObjectInput& in) {
  return {.if_match = in.if_match,
          .if_none_match = in.if_none_match,
          .if_modified_since = in.if_modified_since,
          .if_unmodified_since = in.if_unmodified_since};
}

// What goes out and how: the whole, or a stretch of it.
struct Selection {
  ByteRange bytes = {};
  bool partial = false;            // 206
  const s3::Part* part = nullptr;  // asked for by its number
  std::optional<std::int64_t> parts_count = {};
};

Error range_not_there(const s3::Object& object, std::string_view range) {
  return s3::error("InvalidRange")
      .with_detail("ActualObjectSize", std::to_string(object.size_bytes))
      .with_detail("RangeRequested", std::string(range));
}

Result<Selection> select_part(const s3::Object& object, std::int64_t number) {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(object.parts.size(), 1));
  const auto missing = [&] {
    return s3::error("InvalidPartNumber")
        .with_detail("ActualPartCount", std::to_string(count))
        .with_detail("PartNumberRequested", std::to_string(number));
  };
  if (object.parts.empty()) {
    if (number != 1) return missing();
    return Selection{.bytes = {0, object.size_bytes}, .partial = object.size_bytes > 0};
  }
  // Parts keep the numbers that they were uploaded with only until the completion: they count on
  // from one.
  if (number > count) return missing();
  Selection selection{.parts_count = count};
  for (std::int64_t i = 0; i + 1 < number; ++i)
    selection.bytes.offset += object.parts[static_cast<std::size_t>(i)].size_bytes;
  selection.part = &object.parts[static_cast<std::size_t>(number - 1)];
  selection.bytes.count = selection.part->size_bytes;
  selection.partial = selection.bytes.count > 0;
  return selection;
}

Result<Selection> select(const s3::GetObjectInput& in, const s3::Object& object) {
  if (in.part_number) {
    if (in.range)
      return s3::error("InvalidRequest",
                       "Cannot specify both Range header and partNumber query parameter");
    return select_part(object, *in.part_number);
  }
  Selection whole{.bytes = {0, object.size_bytes}};
  if (!in.range) return whole;
  const auto asked = parse_range(*in.range);
  if (!asked) return whole;
  const auto range = resolve_range(*asked, object.size_bytes);
  if (!range) return range_not_there(object, *in.range);
  return Selection{.bytes = *range, .partial = true};
}

void set_checksum(s3::GetObjectOutput& out, const s3::Checksum& checksum) {
  set_checksum_fields(out, checksum);
  out.checksum_type = s3::name_of(checksum.type);
}

// The value of one part says something of a composite object, or where the part is the object.
void set_part_checksum(s3::GetObjectOutput& out, const s3::Object& object, const s3::Part& part) {
  if (!object.checksum) return;
  const bool composite = object.checksum->type == s3::ChecksumType::composite;
  if (composite && part.checksum) {
    set_checksum_fields(out, *part.checksum);
    out.checksum_type = s3::name_of(s3::ChecksumType::composite);
  } else if (!composite && object.parts.size() == 1) {
    set_checksum(out, *object.checksum);
  }
}

// A field that is not ASCII goes out as an encoded word (RFC 2047).
std::string field_text(std::string_view value) {
  const bool plain =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  return plain ? std::string(value) : "=?UTF-8?B?" + to_base64(value) + "?=";
}

void set_text(std::optional<std::string>& field, const std::string& value) {
  if (!value.empty()) field = value;
}

// What is said of a version beside its bytes and what its creator said.
void set_state(const Call& call, const s3::GetObjectInput& in, const s3::Object& object,
               s3::GetObjectOutput& out) {
  out.version_id = shown_version(*call.bucket, object);
  // It says when the current version goes, whichever that is then; not of one that is named.
  if (!call.named_version()) out.expiration = expiration_of(call, object);
  const std::int64_t now_ms = call.context.clock.unix_ms();
  out.restore = restore_text(object, now_ms);
  if (s3::is_archived(object, now_ms)) set_text(out.archive_status, object.archive_tier);
  set_text(out.replication_status, object.replication_status);
  if (!object.tags.empty()) out.tag_count = static_cast<std::int64_t>(object.tags.size());
  set_lock(out, object);
  set_encryption(out, object.encryption);
  set_customer_key(out, object.encryption, in.sse_customer_key_md5);
}

s3::GetObjectOutput describe(const Call& call, const s3::GetObjectInput& in,
                             const s3::Object& object, const Selection& selection) {
  s3::GetObjectOutput out;
  set_state(call, in, object, out);
  const s3::ObjectAttributes& attributes = object.attributes;
  out.accept_ranges = "bytes";
  out.last_modified = s3::Time{object.modified_ms};
  out.content_length = static_cast<std::int64_t>(selection.bytes.count);
  out.etag = quoted(object.etag);
  out.content_type = attributes.content_type;
  set_text(out.cache_control, attributes.cache_control);
  set_text(out.content_disposition, attributes.content_disposition);
  set_text(out.content_encoding, attributes.content_encoding);
  set_text(out.content_language, attributes.content_language);
  set_text(out.expires, attributes.expires);
  set_text(out.website_redirect_location, attributes.website_redirect_location);
  if (attributes.storage_class != "STANDARD") out.storage_class = attributes.storage_class;
  for (const auto& [name, value] : attributes.metadata) out.metadata[name] = field_text(value);
  out.parts_count = selection.parts_count;
  if (selection.partial) out.content_range = content_range(selection.bytes, object.size_bytes);
  const bool whole = selection.bytes.count == object.size_bytes;
  if (in.checksum_mode == "ENABLED") {
    if (whole && selection.part == nullptr && object.checksum) set_checksum(out, *object.checksum);
    if (selection.part != nullptr) set_part_checksum(out, object, *selection.part);
  }
  return out;
}

// Texts of the query that stand in for the object's own fields.
void apply_overrides(const s3::GetObjectInput& in, s3::GetObjectOutput& out) {
  const auto apply = [](const std::optional<std::string>& text, std::optional<std::string>& field) {
    if (text) field = *text;
  };
  apply(in.response_cache_control, out.cache_control);
  apply(in.response_content_disposition, out.content_disposition);
  apply(in.response_content_encoding, out.content_encoding);
  apply(in.response_content_language, out.content_language);
  apply(in.response_content_type, out.content_type);
  apply(in.response_expires, out.expires);
}

Status check_overrides(const Call& call, const s3::GetObjectInput& in) {
  const std::pair<const char*, const std::optional<std::string>*> fields[] = {
      {"response-cache-control", &in.response_cache_control},
      {"response-content-disposition", &in.response_content_disposition},
      {"response-content-encoding", &in.response_content_encoding},
      {"response-content-language", &in.response_content_language},
      {"response-content-type", &in.response_content_type},
      {"response-expires", &in.response_expires}};
  for (const auto& [name, text] : fields) {
    if (!*text) continue;
    if (call.identity.is_nobody())
      return s3::error("InvalidRequest",
                       "Request specific response headers cannot be used for anonymous GET "
                       "requests.");
    const auto& value = **text;
    if (std::any_of(value.begin(), value.end(), [](char c) { return c < 0x20 || c == 0x7f; }))
      return bad_argument(name, value, "Header value cannot be represented using ISO-8859-1.");
  }
  return ok_status();
}

Result<Selection> judge(Call& call, const s3::GetObjectInput& in, const s3::Object& object) {
  const Judgement judgement = judge_read(conditions_of(in), object, call.context.clock.unix_ms());
  if (judgement.verdict == Verdict::failed) return precondition_failed(judgement.condition);
  if (judgement.verdict == Verdict::not_modified) {
    CAIRN_CHECK(send_not_modified(call, object));
    return Selection{};
  }
  return select(in, object);
}

// How it is encrypted was said when it was written: who says it again means something else.
Status check_no_encryption_asked(const Call& call) {
  for (const std::string_view name :
       {"x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id",
        "x-amz-server-side-encryption-context",
        "x-amz-server-side-encryption-bucket-key-enabled"}) {
    const std::string field = s3::header_name(name, call.dialect);
    if (const auto value = call.headers().find(field))
      return bad_argument(field, *value, field + " header is not supported for this operation.");
  }
  return ok_status();
}

Status check_input(Call& call, const s3::GetObjectInput& in) {
  if (in.part_number && (*in.part_number < 1 || *in.part_number > s3::part_number_max))
    return bad_argument("partNumber", std::to_string(*in.part_number),
                        "Part number must be an integer between 1 and 10000, inclusive");
  CAIRN_CHECK(check_no_encryption_asked(call));
  return check_overrides(call, in);
}

struct Opened {
  std::unique_ptr<objectstore::ObjectReader> reader;
  Selection selection;
};

// Why there is no reader, in the order of the checks: a right that lacks and a condition that does
// not hold are told before a range that is not there and a key that does not fit.
Result<Opened> not_opened(Call& call, const s3::GetObjectInput& in, const Error& fault) {
  auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return object_fault(call, std::move(object).error(), in.key);
  CAIRN_CHECK(allow(call, &*object));
  if (fault.code != "InvalidRange" && fault.code != "InvalidPartNumber") return fault;
  CAIRN_CHECK(judge(call, in, *object));
  if (call.answered) return Opened{};
  return fault.code == "InvalidRange" ? range_not_there(*object, in.range.value_or("")) : fault;
}

// One look at the metadata, and everything is judged on the version that is open.
Result<Opened> open_object(Call& call, const s3::GetObjectInput& in) {
  objectstore::ReadParams params;
  CAIRN_TRY(params.customer_key, customer_key(call, in));
  if (in.part_number && in.range)
    return s3::error("InvalidRequest",
                     "Cannot specify both Range header and partNumber query parameter");
  if (in.part_number) params.part_number = static_cast<int>(*in.part_number);
  if (const auto asked = in.range ? parse_range(*in.range) : std::nullopt) {
    params.first = asked->first;
    params.last = asked->last;
  }
  auto reader = call.engine().get(call.object(), params, call.deadline());
  if (!reader.ok()) return not_opened(call, in, reader.error());
  const s3::Object& object = (*reader)->object();
  CAIRN_CHECK(allow(call, &object));
  CAIRN_TRY(const Selection selection, judge(call, in, object));
  if (!call.answered) CAIRN_CHECK(check_readable(call, object));
  return Opened{std::move(*reader), selection};
}

}  // namespace

Result<s3::GetObjectOutput> get_object(Call& call, const s3::GetObjectInput& in) {
  CAIRN_CHECK(check_input(call, in));
  CAIRN_TRY(Opened opened, open_object(call, in));
  if (call.answered) return s3::GetObjectOutput{};
  s3::GetObjectOutput out = describe(call, in, opened.reader->object(), opened.selection);
  apply_overrides(in, out);
  CAIRN_CHECK(send_object(call, out, opened.selection.partial ? 206 : 200, *opened.reader));
  return out;
}

Result<s3::GetObjectOutput> head_object(Call& call, const s3::GetObjectInput& in) {
  CAIRN_CHECK(check_input(call, in));
  CAIRN_TRY(const auto customer, customer_key(call, in));
  auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return object_fault(call, std::move(object).error(), in.key);
  CAIRN_CHECK(allow(call, &*object));
  CAIRN_CHECK(check_customer_key(call, *object, customer));
  CAIRN_TRY(const Selection selection, judge(call, in, *object));
  if (call.answered) return s3::GetObjectOutput{};
  s3::GetObjectOutput out = describe(call, in, *object, selection);
  apply_overrides(in, out);
  CAIRN_CHECK(send_head(call, out, selection.partial ? 206 : 200));
  return out;
}

}  // namespace cairn::s3api
