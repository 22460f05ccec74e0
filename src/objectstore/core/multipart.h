// SPDX-License-Identifier: Apache-2.0
// Multipart uploads: begun, filled part by part, then made one object without moving a byte.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/engine.h"
#include "objectstore/records.h"
#include "os/deadline.h"
#include "s3/model.h"

namespace cairn::objectstore {

class KvBatch;

struct CreateUploadParams {
  s3::ObjectAttributes attributes = {};
  s3::Owner owner = {};
  std::optional<s3::ChecksumAlgorithm> checksum_algorithm = {};
  s3::ChecksumType checksum_type = s3::ChecksumType::full_object;
  s3::Owner initiator = {};  // empty: the owner
  s3::Tags tags = {};
  std::string acl = {};
  std::optional<s3::Retention> retention = {};
  std::optional<bool> legal_hold = {};  // ON or OFF; nothing: never said
  EncryptionRequest encryption = {};  // a customer's key must come with every part
};

struct BeginPartParams {
  std::optional<std::uint64_t> expected_bytes = {};
  std::optional<std::string> customer_key = {};
};

/// What the completed object is called: judged from the parts that it is made of.
struct Completed {
  std::string etag;
  std::optional<s3::Checksum> checksum = {};
};

struct CompleteParams {
  std::vector<int> numbers;  // ascending
  /// Called with the stored parts of those numbers, in order; a number without a part has
  /// size_bytes 0 and no etag. May refuse them. Runs while the upload is locked.
  std::function<Result<Completed>(const std::vector<s3::Part>& parts)> judge;
  s3::WriteCondition condition = {};
  /// Of an upload under a customer's key: the same one, where it is given or must be.
  std::optional<std::string> customer_key = {};
  bool needs_customer_key = false;
  ChangeOrigin origin = {};
};

struct PartsPage {
  std::vector<s3::Part> parts;  // by number
  bool truncated = false;
};

struct ListUploadsParams {
  std::string prefix = {};
  std::string delimiter = {};
  std::string key_marker = {};
  std::string upload_id_marker = {};  // of key_marker; empty: all uploads of that key are past
  std::size_t limit = s3::list_limit_max;
};

struct UploadsPage {
  std::vector<s3::MultipartUpload> uploads;  // by key, then by age
  std::vector<std::string> common_prefixes;
  bool truncated = false;
  std::string next_key_marker = {};
  std::string next_upload_id_marker = {};
};

/// A part on its way in. For one thread. Dropping it unfinished leaves nothing behind.
class PartWriter {
 public:
  virtual ~PartWriter() = default;
  virtual Status write(std::string_view bytes) = 0;
  virtual Status write_async(std::string_view bytes) = 0;  // as ObjectWriter has it
  virtual void wait() = 0;
  virtual std::uint64_t size_bytes() const = 0;
  virtual const std::string& md5() = 0;  // hexadecimal; after it, only finish()
  /// Makes it the part of that number, durable; an earlier one is gone. Errors: NoSuchUpload.
  virtual Result<s3::Part> finish(const std::optional<s3::Checksum>& checksum,
                                  const os::Deadline& deadline) = 0;
};

/// Safe from any thread. Parts are extents from the start, and the references that they hold become
/// the object's: the upload's serial goes over to the version.
class Uploads {
 public:
  explicit Uploads(Core& core) : core_(core) {}

  Result<s3::MultipartUpload> create(const ObjectName& name, const CreateUploadParams& params,
                                     const os::Deadline& deadline);
  /// Errors: NoSuchUpload, also for an id of another bucket or key.
  Result<s3::MultipartUpload> find(const ObjectName& name, std::string_view upload_id) const;
  Result<std::unique_ptr<PartWriter>> begin_part(const ObjectName& name, std::string_view upload_id,
                                                 int number,
                                                 std::optional<std::uint64_t> expected_bytes,
                                                 const os::Deadline& deadline) {
    return begin_part(name, upload_id, number, BeginPartParams{.expected_bytes = expected_bytes},
                      deadline);
  }
  /// Errors: NoSuchUpload; InvalidRequest, where the customer's key is missing, in vain, or not the
  /// one of the initiation.
  Result<std::unique_ptr<PartWriter>> begin_part(const ObjectName& name, std::string_view upload_id,
                                                 int number, const BeginPartParams& params,
                                                 const os::Deadline& deadline);
  Result<PartsPage> list_parts(const ObjectName& name, std::string_view upload_id,
                               int number_marker, std::size_t limit) const;
  Result<UploadsPage> list(std::string_view bucket, const ListUploadsParams& params,
                           const os::Deadline& deadline) const;
  /// Parts that are being written meanwhile come to nothing: none is left when this returns, nor
  /// later. `if_initiated_ms`: only an upload of that moment (to the second), and success where
  /// there is none. Errors: NoSuchUpload; PreconditionFailed.
  Status abort(const ObjectName& name, std::string_view upload_id, const os::Deadline& deadline,
               std::optional<std::int64_t> if_initiated_ms = {});
  /// Errors: NoSuchUpload, PreconditionFailed, ConditionalRequestConflict, those of `judge`;
  /// InvalidRequest, as of begin_part.
  Result<s3::Object> complete(const ObjectName& name, std::string_view upload_id,
                              const CompleteParams& params, const os::Deadline& deadline);

  /// Whether a bucket has uploads in progress. The bucket's gate is held.
  static Result<bool> any(Core& core, std::uint64_t bucket_id);
  /// Adds to `batch` what takes all uploads of a bucket away. The bucket's gate is held.
  static Status take_away_all(Core& core, std::uint64_t bucket_id, KvBatch& batch,
                              std::vector<ExtentSpan>& released);

 private:
  class Writer;
  struct Found;
  Result<Found> find_upload(const ObjectName& name, std::string_view upload_id) const;
  static Status take_away_parts(Core& core, std::uint64_t upload, KvBatch& batch,
                                std::vector<ExtentSpan>& released);
  std::shared_mutex& gate_of(std::uint64_t upload) { return gates_[upload % gates_.size()]; }

  Core& core_;
  // Parts of an upload are committed under its gate shared; its end takes it alone.
  std::array<std::shared_mutex, 64> gates_;
};

}  // namespace cairn::objectstore
