// SPDX-License-Identifier: Apache-2.0
// Begun, filled by several threads, completed once, or taken back.
#include "objectclient/transfer/parted_upload.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

constexpr int abort_rounds_max = 5;
constexpr int completions_max = 3;
constexpr double abort_pause_s = 1;

/// A failure after which a later try with the same parts may succeed.
bool may_go_away(const Error& error, int status) {
  return leaves_unclear(error, status) || error.kind == ErrorKind::cancelled ||
         error.kind == ErrorKind::unauthenticated || error.kind == ErrorKind::permission_denied;
}

}  // namespace

std::string etag_without_quotes(std::string etag) {
  std::erase(etag, '"');
  return etag;
}

bool leaves_unclear(const Error& error, int status) {
  return status < 300 || error.kind == ErrorKind::internal ||
         error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::rate_limited;
}

std::optional<std::string> part_algorithm(const Client& client, const s3::PutObjectInput& params) {
  const bool summed = *client.options().request_checksum_calculation == "when_supported";
  if (!params.checksum_algorithm && summed) return "CRC32";
  return params.checksum_algorithm;
}

std::optional<std::string> etag_of_parts(const SentParts& parts) {
  std::string all;
  for (const auto& [number, part] : parts) {
    const auto raw = from_hex(etag_without_quotes(part.etag));
    if (!raw || raw->size() != 16) return std::nullopt;
    all += *raw;
  }
  return to_hex(md5(all)) + "-" + std::to_string(parts.size());
}

std::string abort_upload(const Client& client, const std::string& bucket, const std::string& key,
                         const std::string& upload_id) {
  // Cleaning up goes on where the deadline has passed, but not for ever.
  const CallOptions calls{.deadline = os::Deadline::in_ms(60'000)};
  for (int round = 1; round <= abort_rounds_max; ++round) {
    const auto aborted = client.abort_multipart_upload(
        {.bucket = bucket, .key = key, .upload_id = upload_id}, calls);
    if (!aborted.ok() && aborted.error().code == "NoSuchUpload") return {};
    const auto listed =
        client.list_parts({.bucket = bucket, .key = key, .upload_id = upload_id}, calls);
    if (!listed.ok() && listed.error().code == "NoSuchUpload") return {};
    if (listed.ok() && listed->parts.empty()) return {};
    if (!client.sleep(abort_pause_s, calls.deadline).ok()) break;
  }
  return "; it could not be aborted: upload id " + upload_id;
}

Status PartedUpload::run(const NextPart& next, UploadResult& result) {
  algorithm_ = part_algorithm(client_, params_);
  CAIRN_CHECK(begin());
  Status filled = fill(next);
  if (filled.ok()) filled = complete(result);
  if (filled.ok() || !may_abort_) return filled;
  const bool conflict = filled.error().code == "ConditionalRequestConflict";
  kept_open = course_.keep && may_go_away(filled.error(), info.status);
  const std::string left = kept_open
                               ? "; it stays open, and the same call goes on with it"
                               : abort_upload(client_, params_.bucket, params_.key, upload_id_);
  if (conflict) return filled;
  Error fault = std::move(filled).error();
  if (fault.code.empty()) fault.code = "MultipartUploadError";
  fault.message = "multipart upload failed: " + fault.message + left;
  return fault;
}

Status PartedUpload::begin() {
  if (course_.earlier) {
    upload_id_ = course_.earlier->upload_id;
    MutexLock lock(mutex_);
    done_ = course_.earlier->parts;
    return ok_status();
  }
  auto input = with_members_of<s3::CreateMultipartUploadInput>(params_);
  input.checksum_algorithm = algorithm_;
  const auto begun = client_.create_multipart_upload(input, call());
  info = begun.call();
  if (!begun.ok()) return begun.error();
  upload_id_ = begun->upload_id.value_or("");
  if (upload_id_.empty())
    return unexpected_reply("the service began an upload and did not give its id");
  if (!course_.begun) return ok_status();
  Status noted = course_.begun(upload_id_);
  if (noted.ok()) return noted;
  abort_upload(client_, params_.bucket, params_.key, upload_id_);
  return noted;
}

Status PartedUpload::fill(const NextPart& next) {
  CAIRN_CHECK(run_on_threads(options_.threads, [&] { return send_one(next); }));
  return course_.before_completion ? course_.before_completion() : ok_status();
}

Result<bool> PartedUpload::send_one(const NextPart& next) {
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
  if (sent->etag.value_or("").empty()) {
    info = sent.call();
    return unexpected_reply("part " + std::to_string(part->number) +
                            " was taken, and the reply has no ETag to complete the upload with");
  }
  s3::CompletedPart& done = done_[part->number];
  done = with_members_of<s3::CompletedPart>(sent.data());
  done.part_number = part->number;
  lock.unlock();
  progress_.add(part->body.length().value_or(0));
  return true;
}

std::optional<std::string> PartedUpload::expected_etag() const { return etag_of_parts(done_); }

Status PartedUpload::complete(UploadResult& result) {
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
      // Ceph 16 leaves it empty.
      if (result.etag.empty() && expected) result.etag = "\"" + *expected + "\"";
      result.version_id = done->version_id.value_or("");
      return ok_status();
    }
    // A clear no is final. Otherwise it may have been done all the same.
    const bool unclear = leaves_unclear(done.error(), info.status) ||
                         (attempt > 1 && done.error().code == "NoSuchUpload");
    if (!unclear || done.error().kind == ErrorKind::cancelled) return done.error();
    if (found_complete(expected, result)) return ok_status();
    if (attempt >= completions_max || !is_open()) {
      may_abort_ = is_open();
      kept_open = course_.keep && may_abort_;
      return done.error();
    }
    CAIRN_CHECK(client_.sleep(abort_pause_s, options_.deadline));
  }
}

/// The object is there with the ETag that these parts make.
bool PartedUpload::found_complete(const std::optional<std::string>& expected,
                                  UploadResult& result) const {
  if (!expected) return false;
  const auto head = client_.head_object(with_members_of<s3::GetObjectInput>(params_), call());
  if (!head.ok() || etag_without_quotes(head->etag.value_or("")) != *expected) return false;
  result.etag = head->etag.value_or("");
  result.version_id = head->version_id.value_or("");
  result.found_afterwards = true;
  return true;
}

bool PartedUpload::is_open() const {
  const auto listed = client_.list_parts(
      {.bucket = params_.bucket, .key = params_.key, .upload_id = upload_id_}, call());
  return listed.ok();
}

}  // namespace cairn::objectclient
