// SPDX-License-Identifier: Apache-2.0
// Uploads in parts: begun, filled by several threads, completed once, or taken back.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "objectclient/service_errors.h"
#include "objectclient/transfer.h"
#include "objectclient/transfer_parts.h"

namespace cairn::objectclient {
namespace {

constexpr int abort_rounds_max = 5;
constexpr int completions_max = 3;
constexpr double abort_pause_s = 1;

std::uint64_t part_bytes_for(std::optional<std::uint64_t> total, std::uint64_t wanted) {
  std::uint64_t bytes = std::max(wanted, s3::part_bytes_min);
  const auto parts = static_cast<std::uint64_t>(s3::part_number_max);
  if (total) bytes = std::max(bytes, (*total + parts - 1) / parts);
  return bytes;
}

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text;
}

/// A failure that does not say whether the service did what it was asked for.
bool is_unclear(const Error& error, int status) {
  return status < 300 || error.kind == ErrorKind::internal ||
         error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::rate_limited;
}

/// A part as `next` gives it: its bytes, and what holds them.
struct Part {
  std::int64_t number = 0;
  Body body = {};
  std::shared_ptr<std::string> bytes = {};
};

/// One upload from its beginning to its end.
class PartedUpload {
 public:
  /// `next` gives the parts in order, and nothing after the last; from any thread.
  using Next = std::function<Result<std::optional<Part>>()>;
  PartedUpload(Client client, const s3::PutObjectInput& params, const UploadOptions& options,
               SharedProgress& progress)
      : client_(std::move(client)), params_(params), options_(options), progress_(progress) {}

  Status run(const Next& next, UploadResult& result) {
    auto input = with_members_of<s3::CreateMultipartUploadInput>(params_);
    const bool summed = *client_.options().request_checksum_calculation == "when_supported";
    if (!input.checksum_algorithm && summed) input.checksum_algorithm = "CRC32";
    algorithm_ = input.checksum_algorithm;
    const auto begun = client_.create_multipart_upload(input, call());
    info = begun.call();
    if (!begun.ok()) return begun.error();
    upload_id_ = begun->upload_id.value_or("");
    auto filled = run_on_threads(options_.threads, [&] { return send_one(next); });
    if (filled.ok()) filled = complete(result);
    if (filled.ok() || !may_abort_) return filled;
    const bool conflict = filled.error().code == "ConditionalRequestConflict";
    const std::string left = abort();
    if (conflict) return filled;
    Error fault = std::move(filled).error();
    if (fault.code.empty()) fault.code = "MultipartUploadError";
    fault.message = "multipart upload failed: " + fault.message + left;
    return fault;
  }

  CallInfo info;  // of the call that decided

 private:
  CallOptions call() const { return {.deadline = options_.deadline}; }

  Result<bool> send_one(const Next& next) {
    CAIRN_TRY(const auto part, next());
    if (!part) return false;
    auto input = with_members_of<s3::UploadPartInput>(params_);
    input.upload_id = upload_id_;
    input.part_number = part->number;
    input.checksum_algorithm = algorithm_;
    const auto sent = client_.upload_part(input, part->body, call());
    MutexLock lock(mutex_);
    if (!sent.ok()) {
      info = sent.call();
      return with_context(sent.error(), "part " + std::to_string(part->number));
    }
    s3::CompletedPart& done = done_[part->number];
    done = with_members_of<s3::CompletedPart>(sent.data());
    done.part_number = part->number;
    lock.unlock();
    progress_.add(part->body.length().value_or(0));
    return true;
  }

  /// hex(MD5(MD5 of each part)) "-N": what the object's ETag will be. Nothing where those of the
  /// parts are no digests.
  std::optional<std::string> expected_etag() const CAIRN_REQUIRES(mutex_) {
    std::string all;
    for (const auto& [number, part] : done_) {
      const auto raw = from_hex(without_quotes(part.etag));
      if (!raw || raw->size() != 16) return std::nullopt;
      all += *raw;
    }
    return to_hex(md5(all)) + "-" + std::to_string(done_.size());
  }

  Status complete(UploadResult& result) {
    auto input = with_members_of<s3::CompleteMultipartUploadInput>(params_);
    // A checksum of the parameters is of the whole object; so it stands in the completion.
    input.upload_id = upload_id_;
    std::optional<std::string> expected;
    {
      MutexLock lock(mutex_);
      auto& parts = input.multipart_upload.emplace().parts;
      for (const auto& [number, part] : done_) parts.push_back(part);
      expected = expected_etag();
      result.parts = static_cast<std::int64_t>(done_.size());
    }
    for (int attempt = 1;; ++attempt) {
      CallOptions once = call();
      once.retries = false;
      const auto done = client_.complete_multipart_upload(input, once);
      info = done.call();
      if (done.ok()) {
        result.etag = done->etag.value_or("");
        result.version_id = done->version_id.value_or("");
        return ok_status();
      }
      // A clear no is final. Otherwise it may have been done all the same.
      const bool unclear = is_unclear(done.error(), info.status) ||
                           (attempt > 1 && done.error().code == "NoSuchUpload");
      if (!unclear || done.error().kind == ErrorKind::cancelled) return done.error();
      if (found_complete(expected, result)) return ok_status();
      if (attempt >= completions_max || !is_open()) {
        may_abort_ = is_open();
        return done.error();
      }
      CAIRN_CHECK(client_.sleep(abort_pause_s, options_.deadline));
    }
  }

  /// The object is there with the ETag that these parts make.
  bool found_complete(const std::optional<std::string>& expected, UploadResult& result) const {
    if (!expected) return false;
    const auto head = client_.head_object(with_members_of<s3::GetObjectInput>(params_), call());
    if (!head.ok() || without_quotes(head->etag.value_or("")) != *expected) return false;
    result.etag = head->etag.value_or("");
    result.version_id = head->version_id.value_or("");
    result.found_afterwards = true;
    return true;
  }

  bool is_open() const {
    const auto listed = client_.list_parts(
        {.bucket = params_.bucket, .key = params_.key, .upload_id = upload_id_}, call());
    return listed.ok();
  }

  /// Parts that were on their way may arrive after an abort: it is repeated until none is left.
  /// What is to be said where that does not succeed.
  std::string abort() const {
    // Cleaning up goes on where the deadline has passed, but not for ever.
    const CallOptions calls{.deadline = os::Deadline::in_ms(60'000)};
    for (int round = 1; round <= abort_rounds_max; ++round) {
      const auto aborted = client_.abort_multipart_upload(
          {.bucket = params_.bucket, .key = params_.key, .upload_id = upload_id_}, calls);
      if (!aborted.ok() && aborted.error().code == "NoSuchUpload") return {};
      const auto listed = client_.list_parts(
          {.bucket = params_.bucket, .key = params_.key, .upload_id = upload_id_}, calls);
      if (!listed.ok() && listed.error().code == "NoSuchUpload") return {};
      if (listed.ok() && listed->parts.empty()) return {};
      if (!client_.sleep(abort_pause_s, calls.deadline).ok()) break;
    }
    return "; it could not be aborted: upload id " + upload_id_;
  }

  const Client client_;
  const s3::PutObjectInput& params_;
  const UploadOptions& options_;
  SharedProgress& progress_;
  std::string upload_id_;
  std::optional<std::string> algorithm_;
  bool may_abort_ = true;
  Mutex mutex_;
  std::map<std::int64_t, s3::CompletedPart> done_ CAIRN_GUARDED_BY(mutex_);
};

/// The parts of a body that can be opened anywhere.
PartedUpload::Next parts_of(const Body& body, std::uint64_t total, std::uint64_t part_bytes) {
  auto next = std::make_shared<std::atomic<std::uint64_t>>(0);
  return [next, body, total, part_bytes]() -> Result<std::optional<Part>> {
    const std::uint64_t index = (*next)++;
    const std::uint64_t begin = index * part_bytes;
    if (begin >= total) return std::optional<Part>();
    const std::uint64_t length = std::min(part_bytes, total - begin);
    return std::optional(
        Part{.number = static_cast<std::int64_t>(index) + 1, .body = body.slice(begin, length)});
  };
}

/// Fills a buffer as far as the reader goes.
Result<std::shared_ptr<std::string>> read_part(net::BodyReader& reader, std::uint64_t bytes) {
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

/// The response of an upload, thrown where the client throws.
Response<UploadResult> responded(const Client& client, const Status& done, UploadResult result,
                                 CallInfo info) {
  if (done.ok()) return {std::move(result), std::move(info)};
  if (client.raises()) throw_error(done.error(), info);
  return {done.error(), std::move(info)};
}

Status put_whole(const Client& client, const s3::PutObjectInput& params, const Body& body,
                 const UploadOptions& options, UploadResult& result, CallInfo& info) {
  const auto put =
      client.put_object(params, body, {.deadline = options.deadline, .progress = options.progress});
  info = put.call();
  if (!put.ok()) return put.error();
  result = {.etag = put->etag.value_or(""), .version_id = put->version_id.value_or("")};
  return ok_status();
}

/// After a conflict: true where beginning again can succeed without breaking the condition.
bool may_begin_again(const Client& client, const s3::PutObjectInput& params,
                     const UploadOptions& options) {
  if (!params.if_match) return true;
  const auto head = client.head_object(with_members_of<s3::GetObjectInput>(s3::ObjectInput{
                                           .bucket = params.bucket, .key = params.key}),
                                       {.deadline = options.deadline});
  return head.ok() && without_quotes(head->etag.value_or("")) == without_quotes(*params.if_match);
}

}  // namespace

Response<UploadResult> upload(const Client& client, const s3::PutObjectInput& params,
                              const Body& body, const UploadOptions& options) {
  const Client calm = client.without_exceptions();
  UploadResult result;
  CallInfo info;
  const auto total = body.length();
  if (!body.rewindable() || !total || *total < options.multipart_threshold_bytes) {
    const Status done = put_whole(calm, params, body, options, result, info);
    return responded(client, done, std::move(result), std::move(info));
  }
  for (int restart = 0;; ++restart) {
    SharedProgress progress(options.progress, total);
    PartedUpload parted(calm, params, options, progress);
    const Status done =
        parted.run(parts_of(body, *total, part_bytes_for(total, options.part_bytes)), result);
    const bool conflict = !done.ok() && done.error().code == "ConditionalRequestConflict";
    if (!conflict || restart >= options.restarts || !may_begin_again(calm, params, options))
      return responded(client, done, std::move(result), std::move(parted.info));
  }
}

Response<UploadResult> upload_stream(const Client& client, const s3::PutObjectInput& params,
                                     net::BodyReader& reader, const UploadOptions& options) {
  const Client calm = client.without_exceptions();
  UploadResult result;
  CallInfo info;
  const std::uint64_t part_bytes = part_bytes_for(reader.length(), options.part_bytes);
  auto first = read_part(reader, part_bytes);
  if (!first.ok()) return responded(client, std::move(first).error(), {}, {});
  if ((*first)->size() < part_bytes) {
    const Status done = put_whole(calm, params, Body(**first), options, result, info);
    return responded(client, done, std::move(result), std::move(info));
  }
  Mutex reading;
  std::int64_t number = 0;
  std::shared_ptr<std::string> held = std::move(*first);
  const auto next = [&]() -> Result<std::optional<Part>> {
    MutexLock lock(reading);
    auto bytes = std::exchange(held, nullptr);
    if (bytes == nullptr) {
      CAIRN_TRY(bytes, read_part(reader, part_bytes));
    }
    if (bytes->empty()) return std::optional<Part>();
    return std::optional(Part{.number = ++number, .body = Body(*bytes), .bytes = bytes});
  };
  SharedProgress progress(options.progress, reader.length());
  PartedUpload parted(calm, params, options, progress);
  const Status done = parted.run(next, result);
  return responded(client, done, std::move(result), std::move(parted.info));
}

}  // namespace cairn::objectclient
