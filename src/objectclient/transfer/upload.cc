// SPDX-License-Identifier: Apache-2.0
// Whole or in parts, from bodies and from readers.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "objectclient/service_errors.h"
#include "objectclient/transfer/upload_steps.h"

namespace cairn::objectclient {
namespace {

/// Fills a buffer as far as the reader goes.
Result<std::shared_ptr<std::string>> read_part_bytes(net::BodyReader& reader, std::uint64_t bytes) {
  auto part = std::make_shared<std::string>(static_cast<std::size_t>(bytes), '\0');
  std::size_t size = 0;
  while (size < part->size()) {
    CAIRN_TRY(const std::size_t count, reader.read({part->data() + size, part->size() - size}));
    if (count == 0) break;
    size += count;
  }
  part->resize(size);
  return part;
}

}  // namespace

std::uint64_t bytes_of_each_part(std::optional<std::uint64_t> total, std::uint64_t wanted,
                                 std::uint64_t usual) {
  std::uint64_t bytes = std::max(wanted == 0 ? usual : wanted, s3::part_bytes_min);
  const auto parts = static_cast<std::uint64_t>(s3::part_number_max);
  if (total) bytes = std::max(bytes, (*total + parts - 1) / parts);
  return bytes;
}

NextPart parts_of_body(const Body& body, std::uint64_t total, std::uint64_t part_bytes,
                       const SentParts& sent) {
  auto next = std::make_shared<std::atomic<std::uint64_t>>(0);
  return [next, body, total, part_bytes, sent]() -> Result<std::optional<Part>> {
    for (;;) {
      const std::uint64_t index = (*next)++;
      const std::uint64_t begin = index * part_bytes;
      if (begin >= total) return std::optional<Part>();
      const auto number = static_cast<std::int64_t>(index) + 1;
      if (sent.contains(number)) continue;
      const std::uint64_t length = std::min(part_bytes, total - begin);
      return std::optional(Part{.number = number, .body = body.slice(begin, length)});
    }
  };
}

Response<UploadResult> upload_response(const Client& client, const Status& done,
                                       UploadResult result, CallInfo info) {
  if (done.ok()) return {std::move(result), std::move(info)};
  if (client.raises()) throw_error(done.error(), info);
  return {done.error(), std::move(info)};
}

Status upload_whole(const Client& client, const s3::PutObjectInput& params, const Body& body,
                    const UploadOptions& options, UploadResult& result, CallInfo& info) {
  const auto put =
      client.put_object(params, body, {.deadline = options.deadline, .progress = options.progress});
  info = put.call();
  if (!put.ok()) return put.error();
  result = {.etag = put->etag.value_or(""), .version_id = put->version_id.value_or("")};
  return ok_status();
}

bool may_begin_again(const Client& client, const s3::PutObjectInput& params,
                     const UploadOptions& options) {
  if (!params.if_match) return true;
  const auto head = client.head_object(with_members_of<s3::GetObjectInput>(s3::ObjectInput{
                                           .bucket = params.bucket, .key = params.key}),
                                       {.deadline = options.deadline});
  return head.ok() &&
         etag_without_quotes(head->etag.value_or("")) == etag_without_quotes(*params.if_match);
}

Response<UploadResult> upload(const Client& client, const s3::PutObjectInput& params,
                              const Body& body, const UploadOptions& options) {
  const Client calm = client.without_exceptions();
  UploadResult result;
  CallInfo info;
  const auto total = body.length();
  if (!body.rewindable() || !total || *total < options.multipart_threshold_bytes) {
    const Status done = upload_whole(calm, params, body, options, result, info);
    return upload_response(client, done, std::move(result), std::move(info));
  }
  for (int restart = 0;; ++restart) {
    SharedProgress progress(options.progress, total);
    PartedUpload parted(calm, params, options, progress);
    const Status done = parted.run(
        parts_of_body(body, *total, bytes_of_each_part(total, options.part_bytes)), result);
    const bool conflict = !done.ok() && done.error().code == "ConditionalRequestConflict";
    if (!conflict || restart >= options.restarts || !may_begin_again(calm, params, options))
      return upload_response(client, done, std::move(result), std::move(parted.info));
  }
}

Response<UploadResult> upload_stream(const Client& client, const s3::PutObjectInput& params,
                                     net::BodyReader& reader, const UploadOptions& options) {
  const Client calm = client.without_exceptions();
  UploadResult result;
  CallInfo info;
  const std::uint64_t part_bytes =
      bytes_of_each_part(reader.length(), options.part_bytes, s3::part_bytes_min);
  auto first = read_part_bytes(reader, part_bytes);
  if (!first.ok()) return upload_response(client, std::move(first).error(), {}, {});
  if ((*first)->size() < part_bytes) {
    const Status done = upload_whole(calm, params, Body(**first), options, result, info);
    return upload_response(client, done, std::move(result), std::move(info));
  }
  Mutex reading;
  std::int64_t number = 0;
  std::shared_ptr<std::string> held = std::move(*first);
  const auto next = [&]() -> Result<std::optional<Part>> {
    MutexLock lock(reading);
    auto bytes = std::exchange(held, nullptr);
    if (bytes == nullptr) {
      CAIRN_TRY(bytes, read_part_bytes(reader, part_bytes));
    }
    if (bytes->empty()) return std::optional<Part>();
    return std::optional(Part{.number = ++number, .body = Body(*bytes), .bytes = bytes});
  };
  SharedProgress progress(options.progress, reader.length());
  PartedUpload parted(calm, params, options, progress);
  const Status done = parted.run(next, result);
  return upload_response(client, done, std::move(result), std::move(parted.info));
}

}  // namespace cairn::objectclient
