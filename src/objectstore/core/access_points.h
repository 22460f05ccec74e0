// SPDX-License-Identifier: Apache-2.0
// The access points of all buckets. Each is one row and one immutable value in memory; a change is
// one batch.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "os/deadline.h"
#include "s3/access_points.h"

namespace cairn::objectstore {

class Core;
struct Bucket;

struct AccessPointState {
  s3::AccessPoint point;
  DocumentPointer policy = {};  // of point.policy; null: none
};
using AccessPointView = std::shared_ptr<const AccessPointState>;

struct AccessPointFilter {
  std::string_view account_id;             // whose
  std::string_view bucket = {};            // empty: of any
  std::optional<bool> directory = {};      // of directory buckets, or of general purpose ones
  std::string_view outpost_id = {};        // of this outpost
  std::string_view after = {};             // the name before the first of the page
  std::size_t limit = 1000;
};
struct AccessPointPage {
  std::vector<AccessPointView> points;  // by name
  bool truncated = false;
};

/// Safe from any thread; changes block on the disk. Where a crash may cut a change: before its
/// batch nothing has happened, behind it all has.
class AccessPoints {
 public:
  explicit AccessPoints(Core& core) : core_(core) {}
  /// Reads all rows. Errors: corrupt.
  Status load();

  /// `point.created_ms` is set here. Errors: AccessPointAlreadyOwnedByYou, NoSuchBucket,
  /// InvalidRequest (more than an account may have; an alias that is taken; a bucket that has the
  /// name of the point's host), storage_full.
  Result<AccessPointView> create(s3::AccessPoint point, const os::Deadline& deadline);
  /// Null where there is none. `name`, here and below: s3::key_of.
  AccessPointView find(std::string_view account_id, std::string_view name) const;
  AccessPointView find_alias(std::string_view alias) const;
  AccessPointPage list(const AccessPointFilter& filter) const;
  /// Empty: none from now on. Errors: NoSuchAccessPoint.
  Result<AccessPointView> set_policy(std::string_view account_id, std::string_view name,
                                     std::string policy, const os::Deadline& deadline);
  /// Errors: NoSuchAccessPoint.
  Result<AccessPointView> set_scope(std::string_view account_id, std::string_view name,
                                    s3::AccessPointScope scope, const os::Deadline& deadline);
  /// Errors: NoSuchAccessPoint.
  Status remove(std::string_view account_id, std::string_view name, const os::Deadline& deadline);

  /// Makes a bucket whose name leads to no access point, neither as label of its host nor as alias.
  /// Errors: BucketAlreadyExists; those of Core::create_bucket.
  Result<std::shared_ptr<Bucket>> create_bucket(
      const s3::Bucket& bucket, const std::map<std::string, std::string>& documents);
  /// Deletes a bucket that has none of its own account's. Points of other accounts do not hold it:
  /// they lead nowhere from then on. Errors: BucketHasAccessPointsAttached; those of
  /// Core::delete_bucket.
  /// `only_try`: nothing is deleted.
  Status delete_bucket(std::string_view name, bool only_try = false);

 private:
  using Key = std::string;  // of the row
  Status write(const AccessPointView& state);
  using Change = std::function<void(s3::AccessPoint& point)>;
  Result<AccessPointView> change(std::string_view account_id, std::string_view name,
                                 const os::Deadline& deadline, const Change& how);
  void keep(const AccessPointView& state);
  std::size_t count_of(std::string_view account_id) const;
  Status check_new(const s3::AccessPoint& point) const;
  bool leads_to_one(std::string_view bucket) const;

  Core& core_;
  std::mutex changes_;  // one at a time; before the locks of buckets
  mutable std::shared_mutex mutex_;
  std::map<Key, AccessPointView, std::less<>> points_;
  std::map<std::string, AccessPointView, std::less<>> by_alias_;
};

}  // namespace cairn::objectstore
