// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/lifecycle.h"

#include <algorithm>
#include <utility>

#include "objectstore/core/core.h"
#include "objectstore/core/multipart.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

/// The midnight at or behind so many days from then.
std::int64_t days_after(std::int64_t at_ms, int days) {
  const std::int64_t due = at_ms + days * s3::day_ms;
  return (due + s3::day_ms - 1) / s3::day_ms * s3::day_ms;
}

bool applies(const LifecycleRule& rule, const s3::Object& object) {
  if (!object.key.starts_with(rule.prefix)) return false;
  if (rule.size_over && object.size_bytes <= *rule.size_over) return false;
  if (rule.size_under && object.size_bytes >= *rule.size_under) return false;
  return std::all_of(rule.tags.begin(), rule.tags.end(), [&](const auto& tag) {
    const auto found = object.tags.find(tag.first);
    return found != object.tags.end() && found->second == tag.second;
  });
}

void keep_sooner(std::optional<Expiry>& soonest, std::int64_t at_ms,
                 const std::vector<LifecycleRule>& rules, std::size_t rule) {
  if (!soonest || at_ms < soonest->at_ms)
    soonest = Expiry{.at_ms = at_ms, .rule_id = rules[rule].id, .rule = rule};
}

/// Markers have neither size nor tags: rules that ask for them do not apply.
bool applies_to_marker(const LifecycleRule& rule, const s3::Object& marker) {
  return rule.tags.empty() && !rule.size_over && !rule.size_under &&
         marker.key.starts_with(rule.prefix);
}

/// Gone meanwhile, or kept by a lock, or changed: no matter for the walk.
bool is_no_matter(const Error& error) {
  return error.code == "AccessDenied" || error.code == "PreconditionFailed" ||
         error.code == "NoSuchUpload" || error.code == "NoSuchKey" || error.code == "NoSuchVersion";
}

/// The first rule of which that is true; null where there is none.
template <class Predicate>
const LifecycleRule* first_rule(const std::vector<LifecycleRule>& rules, Predicate predicate) {
  const auto found = std::find_if(rules.begin(), rules.end(), predicate);
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Expiry> expiry_of(const s3::Object& object, const std::vector<LifecycleRule>& rules) {
  std::optional<Expiry> soonest;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const LifecycleRule& rule = rules[i];
    if (!applies(rule, object)) continue;
    if (rule.expire_days)
      keep_sooner(soonest, days_after(object.modified_ms, *rule.expire_days), rules, i);
    if (rule.expire_date_ms) keep_sooner(soonest, *rule.expire_date_ms, rules, i);
  }
  return soonest;
}

std::optional<Expiry> abort_of(const s3::MultipartUpload& upload,
                               const std::vector<LifecycleRule>& rules) {
  std::optional<Expiry> soonest;
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i].abort_days && upload.key.starts_with(rules[i].prefix))
      keep_sooner(soonest, days_after(upload.initiated_ms, *rules[i].abort_days), rules, i);
  return soonest;
}

LifecycleWalk::LifecycleWalk(Engine& engine, std::string bucket, std::vector<LifecycleRule> rules,
                             LifecycleParams params)
    : engine_(engine),
      bucket_(std::move(bucket)),
      rules_(std::move(rules)),
      params_(std::move(params)) {}

Result<bool> LifecycleWalk::step(std::size_t most, const os::Deadline& deadline) {
  auto more = versions_done_ ? step_uploads(most, deadline) : step_versions(most, deadline);
  if (!more.ok() && more.error().code == "NoSuchBucket") return false;
  return more;
}

std::int64_t LifecycleWalk::now_ms() const { return engine_.core().retention_now_ms(); }

void LifecycleWalk::count_effect(LifecycleEffect effect, const LifecycleRule& rule,
                                 std::uint64_t size_bytes) {
  switch (effect) {
    case LifecycleEffect::expired:
      ++count_.expired;
      break;
    case LifecycleEffect::marker_removed:
      ++count_.markers_removed;
      break;
    case LifecycleEffect::noncurrent_removed:
      ++count_.noncurrent_removed;
      break;
    case LifecycleEffect::upload_aborted:
      ++count_.uploads_aborted;
      break;
  }
  if (params_.told) params_.told(effect, rule, size_bytes);
}

Status LifecycleWalk::counted(const Result<Removed>& removed, LifecycleEffect effect,
                              const LifecycleRule& rule, const s3::Object& version) {
  if (removed.ok()) {
    if (removed->existed)
      count_effect(effect, rule, version.delete_marker ? 0 : version.size_bytes);
    return ok_status();
  }
  return is_no_matter(removed.error()) ? ok_status() : Status(removed.error());
}

const LifecycleRule* LifecycleWalk::due_current(const s3::Object& object) const {
  const auto expiry = expiry_of(object, rules_);
  return expiry && expiry->at_ms <= now_ms() ? &rules_[expiry->rule] : nullptr;
}

const LifecycleRule* LifecycleWalk::due_upload(const s3::MultipartUpload& upload) const {
  const auto end = abort_of(upload, rules_);
  return end && end->at_ms <= now_ms() ? &rules_[end->rule] : nullptr;
}

const LifecycleRule* LifecycleWalk::due_noncurrent(const s3::Object& version,
                                                   std::int64_t newer_ms) const {
  return first_rule(rules_, [&](const LifecycleRule& rule) {
    const bool fits =
        version.delete_marker ? applies_to_marker(rule, version) : applies(rule, version);
    return fits && rule.noncurrent_days && noncurrent_seen_ > rule.newer_noncurrent &&
           days_after(newer_ms, *rule.noncurrent_days) <= now_ms();
  });
}

/// A rule with expire_days takes a marker after that time, one with expire_markers at once.
const LifecycleRule* LifecycleWalk::due_marker(const s3::Object& marker) const {
  return first_rule(rules_, [&](const LifecycleRule& rule) {
    if (!applies_to_marker(rule, marker)) return false;
    return rule.expire_markers ||
           (rule.expire_days && days_after(marker.modified_ms, *rule.expire_days) <= now_ms());
  });
}

Status LifecycleWalk::expire_current(const s3::Object& object, const os::Deadline& deadline) {
  const LifecycleRule* const rule = due_current(object);
  if (rule == nullptr) return ok_status();
  // Judged again in the step that removes it: it may be another one by then.
  const RemoveParams params{.owner = object.owner,
                            .judge = [&](const s3::Object& now) -> Status {
                              if (due_current(now) != nullptr) return ok_status();
                              return s3::error("PreconditionFailed");
                            },
                            .origin = lifecycle_origin,
                            .only_try = params_.only_try};
  return counted(engine_.remove({bucket_, object.key}, params, deadline), LifecycleEffect::expired,
                 *rule, object);
}

/// A marker that is the only version of its key says nothing any more.
Status LifecycleWalk::expire_marker(const s3::Object& marker, const os::Deadline& deadline) {
  const LifecycleRule* const rule = due_marker(marker);
  if (rule == nullptr) return ok_status();
  CAIRN_TRY(const auto below, engine_.list_versions(bucket_,
                                                    {.prefix = marker.key,
                                                     .key_marker = marker.key,
                                                     .version_id_marker = marker.version_id,
                                                     .limit = 1},
                                                    deadline));
  if (!below.versions.empty() && below.versions.front().key == marker.key) return ok_status();
  const RemoveParams params{.origin = lifecycle_origin, .only_try = params_.only_try};
  return counted(engine_.remove({bucket_, marker.key, marker.version_id}, params, deadline),
                 LifecycleEffect::marker_removed, *rule, marker);
}

Status LifecycleWalk::remove_noncurrent(const s3::Object& version, std::int64_t newer_ms,
                                        const os::Deadline& deadline) {
  const LifecycleRule* const rule = due_noncurrent(version, newer_ms);
  if (rule == nullptr) return ok_status();
  const RemoveParams params{.judge = [&](const s3::Object& now) -> Status {
                              if (due_noncurrent(now, newer_ms) != nullptr) return ok_status();
                              return s3::error("PreconditionFailed");
                            },
                            .origin = lifecycle_origin,
                            .only_try = params_.only_try};
  return counted(engine_.remove({bucket_, version.key, version.version_id}, params, deadline),
                 LifecycleEffect::noncurrent_removed, *rule, version);
}

Status LifecycleWalk::judge(const s3::Object& version, const os::Deadline& deadline) {
  ++count_.examined;
  if (version.key != key_) {
    key_ = version.key;
    noncurrent_seen_ = 0;
  }
  const std::int64_t newer_ms = std::exchange(newer_ms_, version.modified_ms);
  if (version.latest)
    return version.delete_marker ? expire_marker(version, deadline)
                                 : expire_current(version, deadline);
  ++noncurrent_seen_;
  return remove_noncurrent(version, newer_ms, deadline);
}

Result<bool> LifecycleWalk::step_versions(std::size_t most, const os::Deadline& deadline) {
  CAIRN_TRY(const auto page,
            engine_.list_versions(bucket_,
                                  {.key_marker = key_marker_,
                                   .version_id_marker = version_marker_,
                                   .limit = std::clamp<std::size_t>(most, 1, 1000)},
                                  deadline));
  for (const s3::Object& version : page.versions) {
    CAIRN_CHECK(judge(version, deadline));
    key_marker_ = version.key;
    version_marker_ = version.version_id;
  }
  versions_done_ = !page.truncated;
  return true;
}

Result<bool> LifecycleWalk::step_uploads(std::size_t most, const os::Deadline& deadline) {
  Uploads& uploads = engine_.uploads();
  CAIRN_TRY(const auto page, uploads.list(bucket_,
                                          {.key_marker = upload_key_,
                                           .upload_id_marker = upload_marker_,
                                           .limit = std::clamp<std::size_t>(most, 1, 1000)},
                                          deadline));
  for (const s3::MultipartUpload& upload : page.uploads) {
    ++count_.examined;
    upload_key_ = upload.key;
    upload_marker_ = upload.upload_id;
    const LifecycleRule* const rule = due_upload(upload);
    if (rule == nullptr) continue;
    const Status done = params_.only_try
                            ? ok_status()
                            : uploads.abort({bucket_, upload.key}, upload.upload_id, deadline);
    if (done.ok())
      count_effect(LifecycleEffect::upload_aborted, *rule, 0);
    else if (!is_no_matter(done.error()))
      return done.error();
  }
  return page.truncated;
}

}  // namespace cairn::objectstore
