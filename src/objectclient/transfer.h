// SPDX-License-Identifier: Apache-2.0
// Large objects: up in parts, down in ranges, several at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objectclient/client.h"

namespace cairn::objectclient {

struct UploadOptions {
  std::uint64_t multipart_threshold_bytes = 100ull << 20;  // from here on in parts
  /// At least 5 MiB. 0: 16 MiB, of upload_stream 5 MiB; or what 10,000 parts need.
  std::uint64_t part_bytes = 0;
  int threads = 10;              // parts on their way at once
  /// How often the whole upload begins again after ConditionalRequestConflict.
  int restarts = 2;
  /// Of upload_file: where an upload in parts keeps what another process needs to go on with it.
  /// Empty: a failed upload is taken back.
  std::string resume_path = {};
  Progress progress = {};  // from any of the threads, one at a time
  os::Deadline deadline = os::Deadline::never();
};

struct UploadResult {
  std::string etag = {};
  std::string version_id = {};
  std::int64_t parts = 0;         // 0: it went in one piece
  std::int64_t parts_reused = 0;  // of those, that an earlier try had sent
  /// The answer to the completion was lost, and the object was found to be the one sent.
  bool found_afterwards = false;
};

/// Puts a body that can be opened again. In parts the upload is all or nothing: when one part
/// fails for good, the upload is aborted, as often as it takes until no part is left. A completion
/// whose answer is lost is not sent again before a look at the object: its ETag tells whether it
/// is done. Memory: nothing but buffers for bodies in files; see upload_stream.
/// Errors: those of the calls; MultipartUploadError with the parts that failed.
Response<UploadResult> upload(const Client& client, const s3::PutObjectInput& params,
                              const Body& body, const UploadOptions& options = {});

/// Puts a file, as `upload` does. A file that changes meanwhile (size or time) is an error.
///
/// With `resume_path` an upload that fails for a reason that may go away, or whose process ends,
/// stays open, and the next call with that path goes on with it: it asks the service for the parts
/// that are there and sends the others. A part counts where the file still has its bytes: its
/// digest is compared with the part's ETag or checksum. Where file, parameters, endpoint or region
/// are others, or the service knows the upload no more, the old one is taken back and the upload
/// begins anew. The state file holds no secrets, and is removed at the end.
/// Errors: those of `upload`; conflict: another process is at work with that path.
Response<UploadResult> upload_file(const Client& client, const s3::PutObjectInput& params,
                                   const std::string& path, const UploadOptions& options = {});

/// Puts what comes from a reader of unknown length, which is read once: `part_bytes` times
/// `threads` of memory, and no restart.
Response<UploadResult> upload_stream(const Client& client, const s3::PutObjectInput& params,
                                     net::BodyReader& reader, const UploadOptions& options = {});

struct DownloadOptions {
  std::uint64_t part_bytes = 8ull << 20;
  int threads = 10;
  Progress progress = {};
  os::Deadline deadline = os::Deadline::never();
};

/// Gets an object into a file, in ranges that all have one ETag: an object that changes meanwhile
/// is an error, not a mixture. The file appears when all of it is there.
/// Errors: those of the calls; those of the file.
Response<s3::GetObjectOutput> download(const Client& client, const s3::GetObjectInput& params,
                                       const std::string& path,
                                       const DownloadOptions& options = {});

}  // namespace cairn::objectclient
