// SPDX-License-Identifier: Apache-2.0
// What becomes of objects with time: rules as values, and a walk over a bucket that applies them
// step by step. When to walk, and how fast, is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "s3/model.h"

namespace cairn::objectstore {

class Engine;
struct Removed;

/// One rule that is enabled. Days count from the moment at hand to the next midnight (UTC) behind
/// that many days.
struct LifecycleRule {
  std::string id = {};
  // To what it applies: all of these must hold.
  std::string prefix = {};
  s3::Tags tags = {};                            // each is there with that value
  std::optional<std::uint64_t> size_over = {};   // more bytes than that
  std::optional<std::uint64_t> size_under = {};  // fewer bytes than that
  // What it does.
  std::optional<int> expire_days = {};              // current versions, from their time on
  std::optional<std::int64_t> expire_date_ms = {};  // all current versions, from that moment on
  bool expire_markers = false;                      // markers with no version below them
  std::optional<int> noncurrent_days = {};          // versions, since a newer one was put on top
  int newer_noncurrent = 0;                         // so many noncurrent ones stay in any case
  std::optional<int> abort_days = {};               // unfinished uploads, from their beginning on
};

/// When a rule takes effect, and which one.
struct Expiry {
  std::int64_t at_ms = 0;
  std::string rule_id = {};
  std::size_t rule = 0;  // its place among the rules
};
/// When the current version `object` will expire by the soonest rule: for x-amz-expiration.
std::optional<Expiry> expiry_of(const s3::Object& object, const std::vector<LifecycleRule>& rules);
/// When an upload will be aborted: for x-amz-abort-date and x-amz-abort-rule-id.
std::optional<Expiry> abort_of(const s3::MultipartUpload& upload,
                               const std::vector<LifecycleRule>& rules);

struct LifecycleCount {
  std::uint64_t examined = 0;  // versions, markers and uploads that were looked at
  std::uint64_t expired = 0;   // current versions: removed, or under a marker now
  std::uint64_t markers_removed = 0;
  std::uint64_t noncurrent_removed = 0;
  std::uint64_t uploads_aborted = 0;
  friend bool operator==(const LifecycleCount&, const LifecycleCount&) = default;
};

enum class LifecycleEffect : std::uint8_t {
  expired,
  marker_removed,
  noncurrent_removed,
  upload_aborted
};

/// What a walk may differ in.
struct LifecycleParams {
  /// Nothing is changed: all is judged as ever, locks too, and counted as if it had been.
  bool only_try = false;
  /// Called for each effect, with the rule that made it, one of the walk's. `size_bytes`: of the
  /// version; 0 of markers and uploads.
  std::function<void(LifecycleEffect effect, const LifecycleRule& rule, std::uint64_t size_bytes)>
      told = {};
};

/// One walk over all versions and uploads of a bucket. Every change is judged again in the step
/// that makes it, so requests may go on beside it; a walk that a crash cut short is simply begun
/// anew. Versions under retention or legal hold stay. For one thread. The engine outlives it.
class LifecycleWalk {
 public:
  LifecycleWalk(Engine& engine, std::string bucket, std::vector<LifecycleRule> rules,
                LifecycleParams params = {});
  /// Looks at about `most` versions or uploads and changes what is due now. False at the end of the
  /// bucket, or where the bucket is gone. Errors: those of the engine; the walk may go on later.
  Result<bool> step(std::size_t most, const os::Deadline& deadline);
  const LifecycleCount& count() const { return count_; }

 private:
  Result<bool> step_versions(std::size_t most, const os::Deadline& deadline);
  Result<bool> step_uploads(std::size_t most, const os::Deadline& deadline);
  Status judge(const s3::Object& version, const os::Deadline& deadline);
  Status expire_current(const s3::Object& object, const os::Deadline& deadline);
  Status expire_marker(const s3::Object& marker, const os::Deadline& deadline);
  Status remove_noncurrent(const s3::Object& version, std::int64_t newer_ms,
                           const os::Deadline& deadline);
  // The rule that is due; null where none is.
  const LifecycleRule* due_current(const s3::Object& object) const;
  const LifecycleRule* due_noncurrent(const s3::Object& version, std::int64_t newer_ms) const;
  const LifecycleRule* due_marker(const s3::Object& marker) const;
  const LifecycleRule* due_upload(const s3::MultipartUpload& upload) const;
  Status counted(const Result<Removed>& removed, LifecycleEffect effect, const LifecycleRule& rule,
                 const s3::Object& version);
  void count_effect(LifecycleEffect effect, const LifecycleRule& rule, std::uint64_t size_bytes);
  std::int64_t now_ms() const;

  Engine& engine_;
  const std::string bucket_;
  const std::vector<LifecycleRule> rules_;
  const LifecycleParams params_;
  LifecycleCount count_;
  bool versions_done_ = false;
  // Where the next step goes on.
  std::string key_marker_;
  std::string version_marker_;
  std::string upload_key_;
  std::string upload_marker_;
  // The key at hand, over steps.
  std::string key_;
  int noncurrent_seen_ = 0;
  std::int64_t newer_ms_ = 0;  // when the version before, a newer one, was made
};

}  // namespace cairn::objectstore
