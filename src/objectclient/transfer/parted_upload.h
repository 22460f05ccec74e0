// SPDX-License-Identifier: Apache-2.0
// One upload in parts, from its beginning to its end. Not part of the installed headers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/threads.h"
#include "objectclient/transfer.h"
#include "objectclient/transfer/transfer_parts.h"

namespace cairn::objectclient {

/// A part as it is taken from a body: its bytes, and what holds them.
struct Part {
  std::int64_t number = 0;
  Body body = {};
  std::shared_ptr<std::string> bytes = {};
};

/// Gives the parts in order, and nothing after the last; called from several threads.
using NextPart = std::function<Result<std::optional<Part>>()>;

/// Parts that the service has, by their number.
using SentParts = std::map<std::int64_t, s3::CompletedPart>;

/// An upload that somebody began before.
struct OpenUpload {
  std::string upload_id = {};
  SentParts parts = {};
};

/// What an upload does besides.
struct UploadCourse {
  std::optional<OpenUpload> earlier = {};  // goes on with this one
  /// Called with the id of an upload that has just begun; an error ends it.
  std::function<Status(const std::string& upload_id)> begun = {};
  /// Called when all parts are sent; an error ends the upload.
  std::function<Status()> before_completion = {};
  /// After a failure that may go away the upload stays open.
  bool keep = false;
};

class PartedUpload {
 public:
  PartedUpload(Client client, const s3::PutObjectInput& params, const UploadOptions& options,
               SharedProgress& progress, UploadCourse course = {})
      : client_(std::move(client)),
        params_(params),
        options_(options),
        progress_(progress),
        course_(std::move(course)) {}

  /// Errors: those of the calls and of `next`; MultipartUploadError.
  Status run(const NextPart& next, UploadResult& result);

  CallInfo info = {};      // of the call that decided
  bool kept_open = false;  // it failed, and can be gone on with

 private:
  CallOptions call() const { return {.deadline = options_.deadline}; }
  Status begin();
  Status fill(const NextPart& next);
  Result<bool> send_one(const NextPart& next);
  std::optional<std::string> expected_etag() const CAIRN_REQUIRES(mutex_);
  Status complete(UploadResult& result);
  bool found_complete(const std::optional<std::string>& expected, UploadResult& result) const;
  bool is_open() const;

  const Client client_;
  const s3::PutObjectInput& params_;
  const UploadOptions& options_;
  SharedProgress& progress_;
  UploadCourse course_;
  std::string upload_id_;
  std::optional<std::string> algorithm_;
  bool may_abort_ = true;
  Mutex mutex_;
  SentParts done_ CAIRN_GUARDED_BY(mutex_);
};

/// Takes an upload back: parts that were on their way may arrive after an abort, so it is repeated
/// until none is left. What is to be said where that does not succeed.
std::string abort_upload(const Client& client, const std::string& bucket, const std::string& key,
                         const std::string& upload_id);

/// The algorithm that each part is summed with; nothing where the client sums nothing.
std::optional<std::string> part_algorithm(const Client& client, const s3::PutObjectInput& params);

/// hex(MD5(MD5 of each part)) "-N": the ETag of an object of these parts. Nothing where those of
/// the parts are no digests.
std::optional<std::string> etag_of_parts(const SentParts& parts);

std::string etag_without_quotes(std::string etag);

/// A failure that does not say whether the service did what it was asked for.
bool leaves_unclear(const Error& error, int status);

}  // namespace cairn::objectclient
