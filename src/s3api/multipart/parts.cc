// SPDX-License-Identifier: Apache-2.0
// Parts of multipart uploads: sent, copied, listed.
#include "base/encode.h"
#include "base/strings.h"
#include "os/steps.h"
#include "objectstore/core/multipart.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/access/account_book.h"
#include "s3api/objects/attributes.h"
#include "s3api/wire/body.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"
#include "s3api/wire/offered.h"
#include "s3api/objects/pump.h"
#include "s3api/wire/range.h"
#include "s3api/directory/directory_copies.h"
#include "s3api/objects/source.h"
#include "s3api/access/upload_rights.h"
#include "s3api/wire/keep_alive.h"

namespace cairn::s3api {
namespace {

using OptionalKey = std::optional<std::string>;

constexpr std::size_t copied_bytes_of_a_step = 64;
constexpr s3::ChecksumAlgorithm default_algorithm = s3::ChecksumAlgorithm::crc64nvme;

Status check_part_number(std::int64_t number) {
  if (number >= 1 && number <= s3::part_number_max) return ok_status();
  return bad_argument("partNumber", std::to_string(number),
                      "Part number must be an integer between 1 and 10000, inclusive");
}

// Takes a checksum of what goes into the part, where the body's own is of another algorithm.
class SummingPart {
 public:
  SummingPart(objectstore::PartWriter& writer, std::optional<s3::ChecksumAlgorithm> algorithm)
      : writer_(writer) {
    if (algorithm) summer_.emplace(*algorithm);
  }
  Status write(std::string_view bytes) {
    if (summer_) summer_->update(bytes);
    return writer_.write(bytes);
  }
  Status write_async(std::string_view bytes) {
    if (summer_) summer_->update(bytes);
    return writer_.write_async(bytes);
  }
  void wait() { writer_.wait(); }
  std::uint64_t size_bytes() const { return writer_.size_bytes(); }
  const std::string& md5() { return writer_.md5(); }
  s3::Checksum checksum() {
    return {.algorithm = summer_->algorithm(), .value = to_base64(summer_->finish())};
  }

 private:
  objectstore::PartWriter& writer_;
  std::optional<s3::Checksummer> summer_;
};

// A part of an upload with an algorithm brings that one or none.
Status check_part_algorithm(const s3::MultipartUpload& upload, const IncomingBody& body) {
  if (!upload.checksum_algorithm || !body.has_own_checksum() ||
      *upload.checksum_algorithm == body.checksum().algorithm)
    return ok_status();
  return s3::error("InvalidRequest", "Checksum Type mismatch occurred, expected checksum Type: " +
                                         lower_ascii(s3::name_of(*upload.checksum_algorithm)) +
                                         ", actual checksum Type: " +
                                         lower_ascii(s3::name_of(body.checksum().algorithm)));
}

Result<ByteRange> copied_range(const std::optional<std::string>& field, std::uint64_t size) {
  if (!field) {
    CAIRN_CHECK(check_copy_size(size));
    return ByteRange{.offset = 0, .count = size};
  }
  const auto range = parse_copy_range(*field);
  if (!range)
    return bad_argument("x-amz-copy-source-range", *field,
                        "The x-amz-copy-source-range value must be of the form bytes=first-last "
                        "where first and last are the zero-based offsets of the first and last "
                        "bytes to copy");
  if (range->offset >= size)
    return s3::error("InvalidRequest",
                     "The specified copy range is invalid for the source object size");
  if (range->offset + range->count > size)
    return bad_argument(
        "x-amz-copy-source-range", *field,
        "Range specified is not valid for source object of size: " + std::to_string(size));
  CAIRN_CHECK(check_copy_size(range->count));
  return *range;
}

Result<std::unique_ptr<objectstore::ObjectReader>> open_source(Call& call, const Source& source,
                                                               const ByteRange& range,
                                                               const OptionalKey& customer_key) {
  objectstore::ReadParams params;
  if (range.count > 0) params = {.first = range.offset, .last = range.offset + range.count - 1};
  params.customer_key = customer_key;
  CAIRN_TRY(auto reader, call.engine().get(source.object_name(), params, call.deadline()));
  if (reader->object().etag != source.object.etag)
    return s3::error("OperationAborted");  // replaced after it was judged
  return reader;
}

// Reads the source into the part, while the client is shown that work goes on.
Result<s3::Part> copy_part(Call& call, objectstore::ObjectReader& reader,
                           objectstore::PartWriter& writer, s3::ChecksumAlgorithm algorithm) {
  const KeepAlive keep_alive(call);
  SummingPart summing(writer, algorithm);
  os::Steps steps(call.deadline(), "copy a part");
  while (true) {
    CAIRN_TRY(const std::string_view piece, reader.next());
    if (piece.empty()) break;
    CAIRN_CHECK(steps.take(1 + piece.size() / copied_bytes_of_a_step));
    CAIRN_CHECK(summing.write(piece));
    CAIRN_CHECK(keep_alive.check());
  }
  return writer.finish(summing.checksum(), call.deadline());
}

}  // namespace

Result<s3::UploadPartOutput> upload_part(Call& call, const s3::UploadPartInput& in) {
  CAIRN_CHECK(check_part_number(in.part_number));
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const auto customer, customer_key(call, in));
  auto& uploads = call.engine().uploads();
  CAIRN_TRY(const s3::MultipartUpload upload, uploads.find(call.object(), in.upload_id));
  CAIRN_TRY(const auto body,
            IncomingBody::open(call, upload.checksum_algorithm.value_or(default_algorithm)));
  CAIRN_CHECK(check_part_algorithm(upload, *body));
  CAIRN_CHECK(check_put_size(body->length()));
  CAIRN_TRY(const auto writer,
            uploads.begin_part(call.object(), in.upload_id, static_cast<int>(in.part_number),
                               objectstore::BeginPartParams{.expected_bytes = body->length(),
                                                            .customer_key = customer},
                               call.deadline()));
  // Without an algorithm the object gets the default one: every part has to have it.
  const bool needs_default =
      !upload.checksum_algorithm && body->checksum().algorithm != default_algorithm;
  SummingPart summing(*writer, needs_default ? std::optional(default_algorithm) : std::nullopt);
  CAIRN_CHECK(pump(call, *body, summing));
  CAIRN_TRY(const s3::Part part,
            writer->finish(needs_default ? summing.checksum() : body->checksum(), call.deadline()));
  s3::UploadPartOutput out;
  out.etag = quoted(part.etag);
  set_encryption(out, upload.encryption);
  set_customer_key(out, upload.encryption, in.sse_customer_key_md5);
  if (upload.checksum_algorithm || body->has_own_checksum())
    set_checksum_fields(out, body->checksum());
  return out;
}

Result<s3::UploadPartCopyOutput> upload_part_copy(Call& call, const s3::UploadPartCopyInput& in) {
  CAIRN_CHECK(check_part_number(in.part_number));
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const auto customer, customer_key(call, in));
  auto& uploads = call.engine().uploads();
  CAIRN_TRY(const s3::MultipartUpload upload, uploads.find(call.object(), in.upload_id));
  CAIRN_TRY(const auto source_key, source_customer_key(call, in));
  CAIRN_TRY(const Source source, find_source(call, in, false));
  CAIRN_CHECK(check_directory_copy(call, *source.bucket));
  CAIRN_TRY(const ByteRange range, copied_range(in.copy_source_range, source.object.size_bytes));
  note_charge(call, source);
  CAIRN_TRY(const auto reader, open_source(call, source, range, source_key));
  CAIRN_TRY(const auto writer,
            uploads.begin_part(call.object(), in.upload_id, static_cast<int>(in.part_number),
                               objectstore::BeginPartParams{.expected_bytes = range.count,
                                                            .customer_key = customer},
                               call.deadline()));
  CAIRN_TRY(const s3::Part part, copy_part(call, *reader, *writer,
                                           upload.checksum_algorithm.value_or(default_algorithm)));
  s3::CopyPartResult result{.last_modified = s3::Time{part.modified_ms / 1000 * 1000},
                            .etag = quoted(part.etag)};
  if (upload.checksum_algorithm && part.checksum) set_checksum_fields(result, *part.checksum);
  s3::UploadPartCopyOutput out;
  out.copy_part_result = std::move(result);
  if (source.bucket->bucket.versioning != s3::Versioning::off)
    out.copy_source_version_id = source.object.version_id;
  set_encryption(out, upload.encryption);
  set_customer_key(out, upload.encryption, in.sse_customer_key_md5);
  return out;
}

Result<s3::ListPartsOutput> list_parts(Call& call, const s3::ListPartsInput& in) {
  auto& uploads = call.engine().uploads();
  const auto found = uploads.find(call.object(), in.upload_id);
  CAIRN_CHECK(allow_upload(call, found.ok() ? &*found : nullptr));
  CAIRN_TRY(const std::int64_t limit, page_limit("max-parts", in.max_parts));
  const std::int64_t marker = in.part_number_marker.value_or(0);
  if (marker < 0 || marker > INT32_MAX)
    return bad_argument("part-number-marker", std::to_string(marker),
                        "Argument part-number-marker must be an integer between 0 and 2147483647");
  CAIRN_CHECK(found);
  const s3::MultipartUpload& upload = *found;
  objectstore::PartsPage page;
  if (limit > 0 && marker < s3::part_number_max) {
    CAIRN_TRY(page, uploads.list_parts(call.object(), in.upload_id, static_cast<int>(marker),
                                       static_cast<std::size_t>(limit)));
  }
  s3::ListPartsOutput out;
  out.bucket = in.bucket;
  out.key = in.key;
  out.upload_id = in.upload_id;
  out.part_number_marker = marker;
  out.next_part_number_marker = page.parts.empty() ? 0 : page.parts.back().number;
  out.max_parts = limit;
  out.is_truncated = page.truncated;
  set_abort_rule(call, upload, out);
  out.initiator = owner_element(call, initiator_of(upload).id);
  out.owner = owner_element(call, upload.owner.id);
  out.storage_class = upload.attributes.storage_class;
  if (upload.checksum_algorithm) {
    out.checksum_algorithm = s3::name_of(*upload.checksum_algorithm);
    out.checksum_type = s3::name_of(upload.checksum_type);
  }
  for (const s3::Part& part : page.parts) {
    s3::PartElement element{.part_number = part.number,
                            .last_modified = s3::Time{part.modified_ms / 1000 * 1000},
                            .etag = quoted(part.etag),
                            .size = static_cast<std::int64_t>(part.size_bytes)};
    if (upload.checksum_algorithm && part.checksum) set_checksum_fields(element, *part.checksum);
    out.parts.push_back(std::move(element));
  }
  return out;
}

}  // namespace cairn::s3api
