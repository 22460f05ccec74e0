// SPDX-License-Identifier: Apache-2.0
// The embedded object store: buckets and objects on the local disk. What it acknowledged is
// durable; what it gives out has been verified.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/options.h"
#include "os/deadline.h"
#include "s3/model.h"

namespace cairn::objectstore {

class Core;
class Uploads;

/// Which object. The views need to live as long as the call.
struct ObjectName {
  std::string_view bucket;
  std::string_view key;  // 1 to 1,024 bytes of any value; never becomes a file name
};

struct PutParams {
  s3::ObjectAttributes attributes = {};
  s3::Owner owner = {};
  std::optional<s3::Checksum> checksum = {};    // kept as it is; the caller has verified it
  std::optional<std::string> content_md5 = {};  // 16 raw bytes that the body must have: BadDigest
  s3::WriteCondition condition = {};
};

/// Which bytes, as in RFC 9110: first and last; from first on; or, with last alone, that many at
/// the end. Neither: all.
struct RangeParams {
  std::optional<std::uint64_t> first = {};
  std::optional<std::uint64_t> last = {};
};

struct CopyParams {
  std::optional<s3::ObjectAttributes> attributes = {};  // instead of the source's
  s3::Owner owner = {};
  std::optional<std::string> source_if_match = {};  // judged in the same step as the copy
  s3::WriteCondition condition = {};                // of the target
};

/// A body on its way in; memory is bounded for any size. For one thread. Dropping it unfinished
/// leaves nothing behind.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// May block on the disk. Errors: storage_full.
  virtual Status write(std::string_view bytes) = 0;
  virtual std::uint64_t size_bytes() const = 0;
  /// The MD5 of what was written, as hexadecimal text. After it, only finish() may follow.
  virtual const std::string& md5() = 0;
  /// Makes the object visible and durable in one step.
  virtual Result<s3::Object> finish(const PutParams& params, const os::Deadline& deadline) = 0;
};

/// A body on its way out, in the version that was there when get() was called, whatever happens to
/// the object meanwhile. For one thread.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  virtual const s3::Object& object() const = 0;
  virtual std::uint64_t offset() const = 0;      // where the range starts
  virtual std::uint64_t size_bytes() const = 0;  // how many bytes the range has
  /// The next bytes, verified, at most about 256 KiB; empty at the end. Valid until the next call.
  /// Errors: corrupt.
  virtual Result<std::string_view> next() = 0;
};

/// Safe from any thread; calls may block on the disk. Error codes are those of s3/errors.h:
/// NoSuchBucket, NoSuchKey, PreconditionFailed and so on; without a code: storage_full, unavailable
/// (metadata are being recovered after a failed write), corrupt, timeout, cancelled. After an error
/// other than these conditions a change may have happened or not.
class Engine {
 public:
  /// Opens the data folder, and makes it where it is not. Returns when requests can be served; what
  /// a crash left behind is swept up in the background.
  /// Errors: conflict (another process has the folder), unsupported (newer format), corrupt.
  static Result<std::unique_ptr<Engine>> open(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// `bucket.created_ms` is set by the engine. Errors: InvalidBucketName; BucketAlreadyOwnedByYou
  /// or BucketAlreadyExists.
  Result<s3::Bucket> create_bucket(const s3::Bucket& bucket, const os::Deadline& deadline);
  /// In the order of names; of one owner where `owner_id` is given.
  std::vector<s3::Bucket> list_buckets(std::optional<std::string_view> owner_id = {}) const;
  Result<s3::Bucket> head_bucket(std::string_view name) const;
  /// Errors: BucketNotEmpty.
  Status delete_bucket(std::string_view name, const os::Deadline& deadline);

  /// Errors: PreconditionFailed (with detail `Condition`: If-Match or If-None-Match), BadDigest,
  /// KeyTooLongError.
  Result<s3::Object> put(const ObjectName& name, std::string_view body, const PutParams& params,
                         const os::Deadline& deadline);
  /// With `expected_bytes` the space is reserved before the first byte is taken.
  Result<std::unique_ptr<ObjectWriter>> begin_put(const ObjectName& name,
                                                  std::optional<std::uint64_t> expected_bytes,
                                                  const os::Deadline& deadline);
  Result<s3::Object> head(const ObjectName& name, const os::Deadline& deadline);
  /// Errors: InvalidRange.
  Result<std::unique_ptr<ObjectReader>> get(const ObjectName& name, const RangeParams& range,
                                            const os::Deadline& deadline);
  /// True where something was there. `if_match`: an etag, or "*" for any.
  Result<bool> remove(const ObjectName& name, const os::Deadline& deadline,
                      const std::optional<std::string>& if_match = {});
  /// All of the batch in one step; for each key whether something was there.
  Result<std::vector<bool>> remove_batch(std::string_view bucket,
                                         const std::vector<std::string>& keys,
                                         const os::Deadline& deadline);
  /// Moves no bytes of bodies over 64 KiB.
  Result<s3::Object> copy(const ObjectName& from, const ObjectName& to, const CopyParams& params,
                          const os::Deadline& deadline);
  /// Costs what the page shows, however many objects lie below a folded prefix.
  Result<s3::ListPage> list(std::string_view bucket, const s3::ListParams& params,
                            const os::Deadline& deadline);

  /// Success while writes are possible: for readiness.
  Status check_writable() const;
  /// Waits until what is deleted and not being read is gone from the disk, and what a crash left
  /// was swept. For tests and maintenance. Errors: timeout.
  Status wait_collected(const os::Deadline& deadline);

  Core& core() { return *core_; }           // for the stores of this room
  Uploads& uploads() { return *uploads_; }  // multipart.h

 private:
  explicit Engine(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
  std::unique_ptr<Uploads> uploads_;
};

}  // namespace cairn::objectstore
