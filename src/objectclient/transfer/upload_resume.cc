// SPDX-License-Identifier: Apache-2.0
#include "objectclient/transfer/upload_resume.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectclient/pages.h"
#include "objectclient/call/params.h"
#include "s3/checksum.h"

namespace cairn::objectclient {
namespace {

/// Where a part lies in the file.
Body slice_of_part(const Body& body, const UploadState& state, std::int64_t number) {
  const std::uint64_t offset = (static_cast<std::uint64_t>(number) - 1) * state.part_bytes;
  return body.slice(offset, std::min(state.part_bytes, state.size - offset));
}

std::uint64_t count_of_parts(const UploadState& state) {
  return (state.size + state.part_bytes - 1) / state.part_bytes;
}

Result<std::string> bytes_of_part(const Body& part) {
  CAIRN_TRY(const auto reader, part.open());
  return net::read_all(*reader, static_cast<std::size_t>(part.length().value_or(0)));
}

/// True where the part that the service has is the one of the file. One whose ETag is no digest
/// and that has no checksum is not believed.
Result<bool> is_part_of_file(const s3::PartElement& listed, const UploadState& state,
                             const Body& body) {
  const std::int64_t number = listed.part_number.value_or(0);
  if (number < 1 || static_cast<std::uint64_t>(number) > count_of_parts(state)) return false;
  const Body part = slice_of_part(body, state, number);
  if (static_cast<std::uint64_t>(listed.size.value_or(-1)) != part.length()) return false;
  CAIRN_TRY(const std::string bytes, bytes_of_part(part));
  const auto digest = from_hex(etag_without_quotes(listed.etag.value_or("")));
  if (digest && digest->size() == 16 && *digest == md5(bytes)) return true;
  if (!listed.checksum_crc32) return false;
  return to_base64(s3::checksum(s3::ChecksumAlgorithm::crc32, bytes)) == *listed.checksum_crc32;
}

Result<std::vector<s3::PartElement>> parts_of_upload(const Client& client,
                                                     const s3::PutObjectInput& params,
                                                     const UploadState& state,
                                                     const UploadOptions& options) {
  auto input = with_members_of<s3::ListPartsInput>(params);
  input.upload_id = state.upload_id;
  auto pages = pages_of(client, &Client::list_parts, input, {.deadline = options.deadline});
  std::vector<s3::PartElement> out;
  while (const auto page = pages.next()) {
    if (!page->ok()) return page->error();
    out.insert(out.end(), page->data().parts.begin(), page->data().parts.end());
  }
  return out;
}

Result<OpenUpload> believed_parts(const std::vector<s3::PartElement>& listed,
                                  const UploadState& state, const Body& body,
                                  const UploadOptions& options) {
  OpenUpload open{.upload_id = state.upload_id};
  Mutex mutex;
  std::atomic<std::size_t> next = 0;
  CAIRN_CHECK(run_on_threads(options.threads, [&]() -> Result<bool> {
    const std::size_t index = next++;
    if (index >= listed.size()) return false;
    CAIRN_CHECK(options.deadline.check("comparing parts"));
    CAIRN_TRY(const bool good, is_part_of_file(listed[index], state, body));
    if (!good) return true;
    auto part = with_members_of<s3::CompletedPart>(listed[index]);
    part.part_number = listed[index].part_number.value_or(0);
    part.etag = listed[index].etag.value_or("");
    MutexLock lock(mutex);
    open.parts[part.part_number] = std::move(part);
    return true;
  }));
  return open;
}

/// The object, where it is the one that this upload would have made: the process ended between
/// the completion and its answer.
Result<std::optional<UploadResult>> object_of_upload(const Client& client,
                                                     const s3::PutObjectInput& params,
                                                     const UploadState& state, const Body& body,
                                                     const UploadOptions& options) {
  const auto head = client.head_object(with_members_of<s3::GetObjectInput>(params),
                                       {.deadline = options.deadline});
  const std::string etag = head.ok() ? etag_without_quotes(head->etag.value_or("")) : "";
  const std::uint64_t count = count_of_parts(state);
  if (!etag.ends_with("-" + std::to_string(count)) ||
      static_cast<std::uint64_t>(head->content_length.value_or(-1)) != state.size)
    return std::optional<UploadResult>();
  SentParts parts;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    CAIRN_CHECK(options.deadline.check("comparing the object"));
    CAIRN_TRY(const std::string bytes, bytes_of_part(slice_of_part(body, state, number)));
    parts[number].etag = to_hex(md5(bytes));
  }
  if (etag_of_parts(parts) != etag) return std::optional<UploadResult>();
  return std::optional(UploadResult{.etag = head->etag.value_or(""),
                                    .version_id = head->version_id.value_or(""),
                                    .parts = static_cast<std::int64_t>(count),
                                    .parts_reused = static_cast<std::int64_t>(count),
                                    .found_afterwards = true});
}

}  // namespace

std::string upload_parameters_digest(const Client& client, const s3::PutObjectInput& params) {
  Json all = params_json(s3::shape_of<s3::PutObjectInput>(), &params);
  all.set("algorithm", part_algorithm(client, params).value_or(""));
  all.set("endpoint", *client.options().endpoint);
  all.set("region", *client.options().region);
  return to_hex(sha256(all.dump()));
}

Result<FoundUpload> find_upload(const Client& client, const s3::PutObjectInput& params,
                                const Body& body, const UploadState& state,
                                const UploadOptions& options) {
  FoundUpload found;
  const auto listed = parts_of_upload(client, params, state, options);
  if (listed.ok()) {
    CAIRN_TRY(found.open, believed_parts(*listed, state, body, options));
    return found;
  }
  if (listed.error().code != "NoSuchUpload") return listed.error();
  CAIRN_TRY(found.finished, object_of_upload(client, params, state, body, options));
  return found;
}

}  // namespace cairn::objectclient
