// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/access_points.h"

#include <utility>

#include "objectstore/core/access_point_records.h"
#include "objectstore/core/core.h"
#include "os/threads/blocking.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

Error no_access_point(std::string_view name) {
  return s3::error("NoSuchAccessPoint").with_detail("AccessPointName", std::string(name));
}

std::string row_of(const s3::AccessPoint& point) {
  return access_point_row(point.owner.account_id, s3::key_of(point.outpost_id, point.name));
}

// The number of a document tells it from all others: a serial would do, and a text read at the
// start has none yet.
Result<AccessPointView> state_of(Core& core, s3::AccessPoint point) {
  auto state = std::make_shared<AccessPointState>();
  if (!point.policy.empty()) {
    CAIRN_TRY(const std::uint64_t number, core.next_serial());
    state->policy = std::make_shared<BucketDocument>(point.policy, number);
  }
  state->point = std::move(point);
  return AccessPointView(std::move(state));
}

}  // namespace

Status AccessPoints::load() {
  const std::string prefix(access_point_rows);
  CAIRN_TRY(const auto cursor, core_.kv().cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(s3::AccessPoint point, decode_access_point(cursor->value()));
    CAIRN_TRY(const AccessPointView state, state_of(core_, std::move(point)));
    keep(state);
  }
  return cursor->status();
}

void AccessPoints::keep(const AccessPointView& state) {
  const std::unique_lock lock(mutex_);
  const s3::AccessPoint& point = state->point;
  points_.insert_or_assign(row_of(point), state);
  by_alias_.insert_or_assign(point.alias, state);
}

Status AccessPoints::write(const AccessPointView& state) {
  const s3::AccessPoint& point = state->point;
  KvBatch batch;
  batch.put(Table::system, row_of(point), encode(point));
  CAIRN_CHECK(core_.kv().write(batch));
  keep(state);
  return ok_status();
}

std::size_t AccessPoints::count_of(std::string_view account_id) const {
  const std::string first = access_point_row(account_id, {});
  const std::shared_lock lock(mutex_);
  return static_cast<std::size_t>(std::distance(points_.lower_bound(first),
                                                points_.lower_bound(store::after_prefix(first))));
}

Status AccessPoints::check_new(const s3::AccessPoint& point) const {
  if (find(point.owner.account_id, s3::key_of(point.outpost_id, point.name)) != nullptr)
    return s3::error("AccessPointAlreadyOwnedByYou").with_detail("AccessPointName", point.name);
  if (count_of(point.owner.account_id) >= s3::access_points_max)
    return s3::error("InvalidRequest", "An account has at most " +
                                           std::to_string(s3::access_points_max) +
                                           " access points; delete some.");
  if (find_alias(point.alias) != nullptr)
    return s3::error("InvalidRequest",
                     point.is_directory()
                         ? "The name is taken in its zone; choose another."
                         : "The alias of the new access point is taken; try again.");
  // Else one host name would mean two things.
  if (!point.is_of_outpost() && core_.find_bucket(s3::label_of(point)).ok())
    return s3::error("InvalidRequest", "There is a bucket with the name " + s3::label_of(point) +
                                           ", which the host name of this access point begins "
                                           "with; choose another name.");
  return ok_status();
}

Result<AccessPointView> AccessPoints::create(s3::AccessPoint point, const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("create an access point"));
  const os::Blocking waiting;
  const std::lock_guard lock(changes_);
  CAIRN_CHECK(user_bucket(core_, point.bucket));
  CAIRN_CHECK(check_new(point));
  CAIRN_CHECK(core_.check_space(0));
  point.created_ms = core_.options().clock->unix_ms();
  CAIRN_TRY(AccessPointView state, state_of(core_, std::move(point)));
  CAIRN_CHECK(write(state));
  return state;
}

AccessPointView AccessPoints::find(std::string_view account_id, std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = points_.find(access_point_row(account_id, name));
  return found == points_.end() ? nullptr : found->second;
}

AccessPointView AccessPoints::find_alias(std::string_view alias) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_alias_.find(alias);
  return found == by_alias_.end() ? nullptr : found->second;
}

AccessPointPage AccessPoints::list(const AccessPointFilter& filter) const {
  const std::string first =
      access_point_row(filter.account_id, s3::key_of(filter.outpost_id, {}));
  AccessPointPage page;
  const std::shared_lock lock(mutex_);
  for (auto at = points_.upper_bound(first + std::string(filter.after));
       at != points_.end() && at->first.starts_with(first); ++at) {
    const s3::AccessPoint& point = at->second->point;
    if (!filter.bucket.empty() && point.bucket != filter.bucket) continue;
    if (filter.directory && point.is_directory() != *filter.directory) continue;
    if (filter.directory && filter.outpost_id.empty() && point.is_of_outpost()) continue;
    if (page.points.size() == filter.limit) {
      page.truncated = true;
      break;
    }
    page.points.push_back(at->second);
  }
  return page;
}

Result<AccessPointView> AccessPoints::set_policy(std::string_view account_id,
                                                 std::string_view name, std::string policy,
                                                 const os::Deadline& deadline) {
  return change(account_id, name, deadline,
                [&](s3::AccessPoint& point) { point.policy = std::move(policy); });
}

Result<AccessPointView> AccessPoints::set_scope(std::string_view account_id, std::string_view name,
                                                s3::AccessPointScope scope,
                                                const os::Deadline& deadline) {
  return change(account_id, name, deadline,
                [&](s3::AccessPoint& point) { point.scope = std::move(scope); });
}

Result<AccessPointView> AccessPoints::change(std::string_view account_id, std::string_view name,
                                             const os::Deadline& deadline, const Change& how) {
  CAIRN_CHECK(deadline.check("change an access point"));
  const os::Blocking waiting;
  const std::lock_guard lock(changes_);
  const AccessPointView before = find(account_id, name);
  if (before == nullptr) return no_access_point(name);
  s3::AccessPoint point = before->point;
  how(point);
  CAIRN_TRY(AccessPointView after, state_of(core_, std::move(point)));
  CAIRN_CHECK(write(after));
  return after;
}

Status AccessPoints::remove(std::string_view account_id, std::string_view name,
                            const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("delete an access point"));
  const os::Blocking waiting;
  const std::lock_guard lock(changes_);
  const AccessPointView state = find(account_id, name);
  if (state == nullptr) return no_access_point(name);
  KvBatch batch;
  batch.remove(Table::system, access_point_row(account_id, name));
  CAIRN_CHECK(core_.kv().write(batch));
  const std::unique_lock all(mutex_);
  by_alias_.erase(state->point.alias);
  points_.erase(points_.find(access_point_row(account_id, name)));
  return ok_status();
}

// A host name that begins with the label of a point leads to the point.
bool AccessPoints::leads_to_one(std::string_view bucket) const {
  const auto label = s3::access_point_of_label(bucket);
  return (label && find(label->account_id, label->name) != nullptr) ||
         find_alias(bucket) != nullptr;
}

Result<BucketPointer> AccessPoints::create_bucket(
    const s3::Bucket& bucket, const std::map<std::string, std::string>& documents) {
  const os::Blocking waiting;
  const std::lock_guard lock(changes_);
  if (leads_to_one(bucket.name))
    return s3::error("BucketAlreadyExists").with_detail("BucketName", bucket.name);
  return core_.create_bucket(bucket, documents);
}

Status AccessPoints::delete_bucket(std::string_view name, bool only_try) {
  const os::Blocking waiting;
  const std::lock_guard lock(changes_);
  CAIRN_TRY(const BucketPointer bucket, user_bucket(core_, name));
  const std::string& account = bucket->record.bucket.owner.account_id;
  if (!list({.account_id = account, .bucket = name, .limit = 1}).points.empty())
    return s3::error("BucketHasAccessPointsAttached")
        .with_detail("BucketName", std::string(name));
  return core_.delete_bucket(name, only_try);
}

}  // namespace cairn::objectstore
