// SPDX-License-Identifier: Apache-2.0
// The calls that a store makes, and what their answers mean. The only part that knows the client
// library: its headers are included by wire.cc alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "remotestore/place.h"
#include "store/store.h"

namespace cairn::remotestore {

/// What a call that changes something came to.
enum class Outcome {
  done,
  refused,  // no: the condition does not hold
  absent,   // no: nothing is there, or no such upload
  again,    // no, and nothing was done; the same call may succeed later
  unclear,  // nobody knows whether it was done
  failed,   // no, and nothing was done
};

struct Answer {
  Outcome outcome = Outcome::failed;
  std::string etag = {};  // of what was done, without quotes
  Error error = {};       // of everything but `done`
};

/// An object as the cluster has it.
struct RemoteInfo {
  std::string name = {};
  std::uint64_t size_bytes = 0;  // with what the store adds
  std::string etag = {};         // without quotes
  std::int64_t modified_ms = 0;  // by the cluster's clock
  std::string mark = {};         // of the put, from the metadata; listings do not have it
  std::string key = {};          // from the metadata, where the name does not hold it
};

struct RemoteObject {
  RemoteInfo info;  // size_bytes: of all of it, also where a range was asked for
  std::string bytes;
};

/// What a put leaves in the metadata.
struct PutMetadata {
  std::string mark = {};
  std::string key = {};
};

struct RemotePage {
  std::vector<RemoteInfo> objects;
  std::vector<std::string> prefixes;
  std::string next_token;  // empty at the end
};

/// An upload in parts on its way. Opaque; parts are added in order of their numbers.
struct RemoteUpload {
  struct Parts;
  RemoteUpload();
  ~RemoteUpload();
  RemoteUpload(RemoteUpload&&) noexcept;
  RemoteUpload& operator=(RemoteUpload&&) noexcept;
  std::string name;
  std::string id;
  std::unique_ptr<Parts> parts;
};

/// Safe from any thread. Errors of all calls: timeout, cancelled, unavailable, storage_full,
/// permission_denied, corrupt; codes and details of the service are gone, its words are not.
class Wire {
 public:
  /// Opens no connection. Errors: invalid_argument: a place or options that cannot be.
  static Result<std::unique_ptr<Wire>> open(const Place& place, const Access& access,
                                            ObjectSettings settings = {});
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  const Place& place() const;
  /// Conditions of changes name etags without quotes from now on: Ceph 16 knows no other way.
  void spell_etags_bare();

  /// Errors: not_found where there is no such bucket.
  Status check_bucket(const os::Deadline& deadline);
  /// Errors: not_found; invalid_argument for a range that the object does not reach.
  Result<RemoteObject> get(const std::string& name, std::optional<store::Range> range,
                           const os::Deadline& deadline);
  Result<std::optional<RemoteInfo>> head(const std::string& name, const os::Deadline& deadline);
  /// `retries` false: one attempt, so that a refusal is of this attempt.
  Answer put(const std::string& name, std::string_view bytes, const PutMetadata& metadata,
             const store::Condition& condition, bool retries, const os::Deadline& deadline);
  Answer remove(const std::string& name, const std::optional<std::string>& if_match, bool retries,
                const os::Deadline& deadline);
  /// Up to 1,000 names.
  Status remove_many(const std::vector<std::string>& names, const os::Deadline& deadline);
  /// One page; `token` is the next_token of the page before, or empty.
  Result<RemotePage> list(const store::ListParams& params, const std::string& token,
                          const os::Deadline& deadline);

  Result<RemoteUpload> begin(const std::string& name, const PutMetadata& metadata,
                             const os::Deadline& deadline);
  Status send_part(RemoteUpload& upload, std::string_view bytes, const os::Deadline& deadline);
  /// A part from a range of another object, while that has this etag. Errors: not_found;
  /// precondition_failed where it was changed.
  Status copy_part(RemoteUpload& upload, const RemoteInfo& from, store::Range range,
                   const os::Deadline& deadline);
  Answer complete(const RemoteUpload& upload, const store::Condition& condition,
                  const os::Deadline& deadline);
  /// Until no part is left, or the deadline.
  Status abort(const RemoteUpload& upload, const os::Deadline& deadline);
  /// Those below a prefix that were not completed.
  Result<std::vector<RemoteUpload>> open_uploads(const std::string& prefix,
                                                 const os::Deadline& deadline);

 private:
  struct Impl;
  explicit Wire(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::remotestore
