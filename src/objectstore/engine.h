// SPDX-License-Identifier: Apache-2.0
// The embedded object store: buckets and objects on the local disk. What it acknowledged is
// durable; what it gives out has been verified.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "objectstore/bucket_usage.h"
#include "objectstore/change_origin.h"
#include "objectstore/journal/journal_record.h"
#include "objectstore/key_ring.h"
#include "objectstore/listed_object.h"
#include "objectstore/options.h"
#include "os/deadline.h"
#include "s3/model.h"

namespace cairn::objectstore {

class AccessPoints;
class Checkpoint;
class Core;
class Uploads;

/// Which object. The views need to live as long as the call.
struct ObjectName {
  std::string_view bucket;
  std::string_view key;           // 1 to 1,024 bytes of any value; never becomes a file name
  std::string_view version = {};  // a version id, "null", or empty for the current one
};

/// Names of `Error::details` that belong into headers of the answer, not into its body: errors over
/// a delete marker carry them.
inline constexpr std::string_view marker_detail = "x-amz-delete-marker";  // "true"
inline constexpr std::string_view version_detail = "x-amz-version-id";    // of the marker
inline constexpr std::string_view modified_detail = "Last-Modified";      // ms since 1970

struct PutParams {
  s3::ObjectAttributes attributes = {};
  s3::Owner owner = {};
  std::optional<s3::Checksum> checksum = {};    // kept as it is; the caller has verified it
  std::optional<std::string> content_md5 = {};  // 16 raw bytes that the body must have: BadDigest
  s3::WriteCondition condition = {};
  s3::Tags tags = {};
  std::string acl = {};
  std::optional<s3::Retention> retention = {};  // else what the bucket gives by default
  std::optional<bool> legal_hold = {};          // ON or OFF; nothing: never said
  EncryptionRequest encryption = {};            // of Engine::put; a writer was told when it began
  ChangeOrigin origin = {};
};

struct BeginPutParams {
  std::optional<std::uint64_t> expected_bytes = {};  // the space is reserved before the first byte
  EncryptionRequest encryption = {};
};

struct AppendParams {
  std::uint64_t offset = 0;  // the size of what is there; 0 also where nothing is
  std::optional<std::uint64_t> expected_bytes = {};
  EncryptionRequest encryption = {};  // of an object that is made; one that is there has its own
  /// Sees the object that is there, with its parts only where its checksum is composite, before the
  /// first byte and again in the step, and may refuse it.
  std::function<Status(const s3::Object& there)> judge = {};
  /// The checksum of the whole: `there` as above, and what is appended to it.
  std::function<std::optional<s3::Checksum>(const s3::Object& there, const s3::Part& appended)>
      checksum = {};
};

/// Which bytes: as in RFC 9110 first and last, from first on, or, with last alone, that many at
/// the end; or those of a part. None: all.
struct ReadParams {
  std::optional<std::uint64_t> first = {};
  std::optional<std::uint64_t> last = {};
  std::optional<int> part_number = {};           // of an object of one part, 1 is all
  std::optional<std::string> customer_key = {};  // for objects with SSE-C
};
using RangeParams = ReadParams;

struct CopyParams {
  std::optional<s3::ObjectAttributes> attributes = {};  // instead of the source's
  s3::Owner owner = {};
  std::optional<std::string> source_if_match = {};  // judged on the version that is copied
  s3::WriteCondition condition = {};                // of the target
  std::optional<s3::Tags> tags = {};                // instead of the source's
  std::string acl = {};
  std::optional<s3::Retention> retention = {};  // else what the target's bucket gives by default
  std::optional<bool> legal_hold = {};          // ON or OFF; nothing: never said
  EncryptionRequest encryption = {};            // of the target
  std::optional<std::string> source_customer_key = {};  // for a source with SSE-C
  /// Of the target. Without one: that of the source, and CRC64NVME where the source has none.
  std::optional<s3::ChecksumAlgorithm> checksum_algorithm = {};
  /// Called between pieces, where the bytes must be read. An error ends the copy.
  std::function<Status()> progress = {};
  ChangeOrigin origin = {};
};

struct Copied {
  s3::Object object;
  std::string source_version_id = {};
};

/// What the version that is to go must be, where that is said.
struct RemoveCondition {
  std::optional<std::string> if_match = {};  // its etag, or "*" for any
  std::optional<std::uint64_t> if_size_bytes = {};
  std::optional<std::int64_t> if_modified_ms = {};  // to the second
};

struct RemoveParams {
  RemoveCondition condition = {};  // of one; each entry of a batch has its own
  bool bypass_governance = false;
  s3::Owner owner = {};  // of the delete marker
  /// Sees the version that would go, or that a marker would be put on, and may refuse. Where there
  /// is none nothing happens.
  std::function<Status(const s3::Object&)> judge = {};
  ChangeOrigin origin = {};
  bool only_try = false;  // of Engine::remove: all that is judged, and nothing is changed
};

struct Removed {
  bool existed = false;        // something was taken away
  bool delete_marker = false;  // a marker was made, or was what was taken away
  /// Of the marker that was made, or as it was named; nothing where versioning was never on and no
  /// version was named.
  std::optional<std::string> version_id = {};
};

struct RemoveEntry {
  std::string key;
  std::string version = {};
  RemoveCondition condition = {};
};

struct RenameParams {
  /// Sees both versions before the step, the second where there is one, and may refuse it.
  std::function<Status(const s3::Object& source, const s3::Object* target)> judge = {};
  ChangeOrigin origin = {};
};

/// What is to become different of one version, in one step; what is not given stays.
struct ObjectChange {
  std::optional<s3::Tags> tags = {};
  std::optional<std::string> acl = {};
  /// Nothing inside: no retention any more. Only made longer under compliance, and under governance
  /// without the bypass.
  std::optional<std::optional<s3::Retention>> retention = {};
  std::optional<bool> legal_hold = {};
  std::optional<std::optional<s3::Restore>> restore = {};
  std::optional<std::string> archive_tier = {};
  std::optional<std::string> replication_status = {};
  bool bypass_governance = false;
  /// Sees the version before the change and may refuse it.
  std::function<Status(const s3::Object&)> judge = {};
  ChangeOrigin origin = {};
};

struct JournalRow {
  std::uint64_t number = 0;
  JournalRecord record;
};

struct JournalPage {
  std::vector<JournalRow> rows;
  bool more = false;
};

/// Bytes of a file that may go out as they lie there.
struct FileBytes {
  int descriptor = -1;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

/// A body on its way in; memory is bounded for any size. For one thread. Dropping it unfinished
/// leaves nothing behind.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// May block on the disk. Errors: storage_full.
  virtual Status write(std::string_view bytes) = 0;
  /// The same, but the bytes stay as they are until the next write, write_async, wait, md5 or
  /// finish: they are hashed while the caller gets more of them. One of these comes before their
  /// memory goes, after errors too.
  virtual Status write_async(std::string_view bytes) = 0;
  /// Returns when lent bytes are not looked at any more.
  virtual void wait() = 0;
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
  /// The next bytes as they lie in a file, where they are plain and were verified a short time ago
  /// (EngineOptions::verified_fresh_ms); nothing where they must go through next(). The descriptor
  /// is good until the next call of next() or file(), or the end of the reader.
  virtual Result<std::optional<FileBytes>> file() = 0;
  /// Goes on behind `count` bytes that file() gave and were sent.
  virtual void skip(std::uint64_t count) = 0;
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

  /// `bucket.created_ms` is set by the engine; object lock turns versioning on. `documents` are
  /// there from the start. Errors: InvalidBucketName; BucketAlreadyOwnedByYou or
  /// BucketAlreadyExists, also where an access point has the name.
  Result<s3::Bucket> create_bucket(const s3::Bucket& bucket, const os::Deadline& deadline,
                                   const std::map<std::string, std::string>& documents = {});
  /// In the order of names; of one owner where `owner_id` is given.
  std::vector<s3::Bucket> list_buckets(std::optional<std::string_view> owner_id = {}) const;
  Result<s3::Bucket> head_bucket(std::string_view name) const;
  /// All of it, as it is now. Cheap: nothing is read or copied.
  Result<BucketView> bucket(std::string_view name) const;
  /// In one step. Errors: OperationAborted, where the bucket is not of that generation any more;
  /// InvalidBucketState (object lock needs versioning, and keeps it on).
  Result<BucketView> change_bucket(std::string_view name, const BucketChange& change,
                                   const os::Deadline& deadline);
  /// What the bucket holds, exactly as it is now: each change is counted with it. Nothing until
  /// count_usage() has come to its end once since the start, or where there is no such bucket.
  /// Costs a look.
  std::optional<BucketUsage> usage(std::string_view bucket) const;
  /// Walks the bucket once, in proportion to its versions; `rest` is called every thousand and may
  /// end it. Changes go on. Errors: NoSuchBucket; those of `rest`; unavailable: try again later.
  Status count_usage(std::string_view bucket, const std::function<Status()>& rest,
                     const os::Deadline& deadline);
  /// Errors: BucketNotEmpty; of a directory bucket also where uploads are in progress;
  /// BucketHasAccessPointsAttached.
  Status delete_bucket(std::string_view name, const os::Deadline& deadline);
  /// Whether it could be deleted now. Errors: the same.
  Status check_delete_bucket(std::string_view name, const os::Deadline& deadline);

  /// What is written becomes the current version: a new one where versioning is on, else it takes
  /// the place of the version "null". Errors: PreconditionFailed (with detail `Condition`: If-Match
  /// or If-None-Match), BadDigest, KeyTooLongError; InvalidRequest, for a lock in a bucket without
  /// object lock.
  Result<s3::Object> put(const ObjectName& name, std::string_view body, const PutParams& params,
                         const os::Deadline& deadline);
  Result<std::unique_ptr<ObjectWriter>> begin_put(const ObjectName& name,
                                                  const BeginPutParams& params,
                                                  const os::Deadline& deadline);
  /// The same with `expected_bytes` alone.
  Result<std::unique_ptr<ObjectWriter>> begin_put(const ObjectName& name,
                                                  std::optional<std::uint64_t> expected_bytes,
                                                  const os::Deadline& deadline) {
    return begin_put(name, BeginPutParams{.expected_bytes = expected_bytes}, deadline);
  }
  /// The current version without its parts; nothing where there is none. Cheaper than head() for an
  /// object of many parts. Errors: InvalidRequest, in a bucket with versions.
  Result<std::optional<s3::Object>> look(const ObjectName& name, const os::Deadline& deadline);
  /// What is written goes behind what is there, which is neither moved nor read unless it is so
  /// small that it lies in a row. Each time the object gets one part more, at most 10,000, and a
  /// new etag, which is no MD5. Who began to read it reads on what was there. Of what finish() is
  /// told the attributes count for an object that is not there yet; for one that is, only the
  /// condition, and the checksum of what is appended. Where two append at one offset, one wins.
  /// Errors of both: InvalidWriteOffset, TooManyParts, EntityTooLarge, those of the judge;
  /// InvalidRequest, where nothing is appended, or the bucket has versions. Of finish() also:
  /// PreconditionFailed; OperationAborted, where another object of that size took the place.
  Result<std::unique_ptr<ObjectWriter>> begin_append(const ObjectName& name,
                                                     const AppendParams& params,
                                                     const os::Deadline& deadline);
  /// Needs no customer key. Errors: NoSuchKey (with marker_detail and version_detail where the
  /// current version is a delete marker); NoSuchVersion; MethodNotAllowed, for a version that is a
  /// marker (with the details); InvalidArgument, for a version that cannot be one.
  Result<s3::Object> head(const ObjectName& name, const os::Deadline& deadline);
  /// Errors: those of head; InvalidRange, InvalidPartNumber; InvalidRequest or AccessDenied, for a
  /// customer's key that is missing, in vain, or another one.
  Result<std::unique_ptr<ObjectReader>> get(const ObjectName& name, const ReadParams& params,
                                            const os::Deadline& deadline);
  /// The same, and the customer's key is judged as get judges it.
  Result<s3::Object> head(const ObjectName& name, const std::optional<std::string>& customer_key,
                          const os::Deadline& deadline);
  /// Without a version: where versioning is on a delete marker is put on top, else the version
  /// goes. With one: that very version goes, and the newest one below it becomes the current one.
  /// Errors: PreconditionFailed; AccessDenied, for a version under retention or legal hold;
  /// InvalidArgument, for a version that cannot be one. No error where nothing is there.
  Result<Removed> remove(const ObjectName& name, const RemoveParams& params,
                         const os::Deadline& deadline);
  /// True where something was there.
  Result<bool> remove(const ObjectName& name, const os::Deadline& deadline,
                      const std::optional<std::string>& if_match = {});
  /// All that can be removed in one step; a result for each entry, in order. The condition is that
  /// of each entry. An id that cannot be one is NoSuchVersion here.
  Result<std::vector<Result<Removed>>> remove_batch(std::string_view bucket,
                                                    const std::vector<RemoveEntry>& entries,
                                                    const RemoveParams& params,
                                                    const os::Deadline& deadline);
  /// The same by keys alone: for each whether something was there.
  Result<std::vector<bool>> remove_batch(std::string_view bucket,
                                         const std::vector<std::string>& keys,
                                         const os::Deadline& deadline);
  /// A single-part object with the source's bytes. Moves none of them where encryption and checksum
  /// stay and the source's etag is its MD5; else reads them once, and writes them only where the
  /// encryption changes, or where they lie in very many small extents. Whether the source is
  /// archived, or too large, is the caller's to judge.
  /// Errors: NoSuchKey (with the source's key), NoSuchVersion; InvalidRequest, for a marker by
  /// version; PreconditionFailed.
  Result<Copied> copy_object(const ObjectName& from, const ObjectName& to, const CopyParams& params,
                             const os::Deadline& deadline);
  /// The same, where only the target matters.
  Result<s3::Object> copy(const ObjectName& from, const ObjectName& to, const CopyParams& params,
                          const os::Deadline& deadline);
  /// Gives the object of one key another key in the same bucket, in one step and as it is: no byte
  /// moves, and time, etag and attributes stay. What was there under the new key is replaced.
  /// Errors: NoSuchKey; InvalidRequest, where the bucket has versions; those of `judge`.
  Result<s3::Object> rename(std::string_view bucket, std::string_view from, std::string_view to,
                            const RenameParams& params, const os::Deadline& deadline);
  /// Changes what is said of a version without touching its bytes. Gives it as it is now.
  /// Errors: those of head; AccessDenied, for a retention that may not be shortened;
  /// InvalidRequest, for a lock in a bucket without object lock; those of `judge`.
  Result<s3::Object> change_object(const ObjectName& name, const ObjectChange& change,
                                   const os::Deadline& deadline);
  /// Current versions, without markers. Costs what the page shows, however many objects lie below a
  /// folded prefix, and however many versions below a key.
  Result<s3::ListPage> list(std::string_view bucket, const s3::ListParams& params,
                            const os::Deadline& deadline);
  /// The same without making an s3::Object of each: for pages as they are sent. Gives the key or
  /// prefix to go on after, empty at the end.
  Result<std::string> list(std::string_view bucket, const s3::ListParams& params,
                           const PageVisitor& visitor, const os::Deadline& deadline);
  /// All versions and markers. Costs what the page shows.
  Result<s3::ListVersionsPage> list_versions(std::string_view bucket,
                                             const s3::ListVersionsParams& params,
                                             const os::Deadline& deadline);

  /// Rows of the bucket's journal with numbers over `after`, in their order: each change of the
  /// bucket since it has a journal, once. Rows come in the order of their numbers only: who has seen
  /// one has seen all before it. At most 10,000 at a time.
  /// Errors: not_found (without a code), where the bucket has no journal; those of TableKey.
  Result<JournalPage> journal(std::string_view bucket, std::uint64_t after, std::size_t limit,
                              const os::Deadline& deadline);
  /// Removes rows of changes before that moment, up to that number, at most so many, the oldest
  /// first. True where there may be more. Errors: as above.
  Result<bool> expire_journal(std::string_view bucket, std::int64_t before_ms, std::uint64_t up_to,
                              std::size_t most, const os::Deadline& deadline);
  /// Removes rows of journals and inventories that no bucket has any more, at most so many. True
  /// where there may be more.
  Result<bool> sweep_tables(std::size_t most, const os::Deadline& deadline);
  /// The text of a document that makes a table of a bucket (table_key.h), encrypted in that way.
  /// Errors: those of KeyRing::seal; unsupported, where there is no ring.
  Result<std::string> table_document(const s3::Encryption& how) const;
  /// Why rows could not be written into the table that `document` makes, which lacks them; empty
  /// where nothing is wrong. Errors: not_found, where the bucket has no such table.
  Result<std::string> table_fault(std::string_view bucket, std::string_view document);
  /// Says so of a table; empty: nothing is wrong any more. Errors: as above.
  Status set_table_fault(std::string_view bucket, std::string_view document,
                         std::string_view reason);

  /// To read what a folder holds that nobody uses: changes nothing, and must not be asked to.
  /// `options.files` may refuse all that writes.
  static Result<std::unique_ptr<Engine>> open_to_look(const EngineOptions& options);
  /// The program has written what its start needs: from now on its own state, too, leaves half of
  /// the reserve. Before, a start on a full disk goes on, so that deletes can make room.
  void serving();
  /// Success while writes are possible: for readiness.
  Status check_writable() const;
  /// All data as they are at one moment of this call, to be copied while requests go on
  /// (copies/checkpoint.h). What is deleted meanwhile stays on the disk as long as the checkpoint
  /// lives. Writes wait some milliseconds. Errors: those of writes.
  Result<std::unique_ptr<Checkpoint>> checkpoint();
  /// Waits until what is deleted and not being read is gone from the disk, and what a crash left
  /// was swept. For tests and maintenance. Errors: timeout.
  Status wait_collected(const os::Deadline& deadline);

  Core& core() { return *core_; }           // for the stores of this room
  Uploads& uploads() { return *uploads_; }  // multipart.h
  AccessPoints& access_points() { return *access_points_; }  // access_points.h

 private:
  explicit Engine(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
  std::unique_ptr<Uploads> uploads_;
  std::unique_ptr<AccessPoints> access_points_;
};

}  // namespace cairn::objectstore
