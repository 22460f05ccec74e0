// SPDX-License-Identifier: Apache-2.0
// Object lock: of a bucket, and retention and legal hold of versions.
#include "s3api/objects/locks.h"

#include "s3/bucket_rules.h"
#include "s3/errors.h"
#include "s3api/handlers.h"

namespace cairn::s3api {
namespace {

Error no_lock_here() {
  return s3::error("InvalidRequest", "Bucket is missing Object Lock Configuration");
}

s3::LockMode mode_of(const std::string& name) {
  return name == "COMPLIANCE" ? s3::LockMode::compliance : s3::LockMode::governance;
}

Status check_future(const Call& call, s3::Time until) {
  if (until.unix_ms > call.context.clock.unix_ms()) return ok_status();
  return s3::error("InvalidArgument", "The retain until date must be in the future!")
      .with_detail("ArgumentName", "x-amz-object-lock-retain-until-date");
}

Status check_lock_bucket(const Call& call) {
  return call.bucket->bucket.object_lock.enabled ? ok_status() : Status(no_lock_here());
}

// What policies ask of the new lock stands in the body.
struct NewLock {
  const s3::Retention* retention = nullptr;
  std::optional<bool> legal_hold = {};
};

Status allow_lock(const Call& call, const s3::Object& object, const NewLock& lock) {
  AccessSubject subject = subject_of(call, &object);
  subject.new_retention = lock.retention;
  subject.new_legal_hold = lock.legal_hold;
  CAIRN_CHECK(decide(*call.operation, access_of(call), subject));
  return check_lock_bucket(call);
}

Result<s3::Object> look(Call& call) {
  auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) return object_fault(call, std::move(object).error(), call.address.key);
  CAIRN_CHECK(allow(call, &*object));
  CAIRN_CHECK(check_lock_bucket(call));
  return object;
}

Result<s3::ChargedOutput> change(Call& call, objectstore::ObjectChange change,
                                 const NewLock& lock) {
  change.judge = [&](const s3::Object& object) { return allow_lock(call, object, lock); };
  const auto changed = call.engine().change_object(call.object(), change, call.deadline());
  if (!changed.ok()) return object_fault(call, changed.error(), call.address.key);
  return s3::ChargedOutput{};
}

}  // namespace

std::string_view name_of(s3::LockMode mode) {
  return mode == s3::LockMode::compliance ? "COMPLIANCE" : "GOVERNANCE";
}

Result<LockRequest> lock_of_fields(const Call& call, const LockFields& fields) {
  LockRequest wanted;
  if (!fields.mode && !fields.until && !fields.legal_hold) return wanted;
  if (fields.mode.has_value() != fields.until.has_value())
    return s3::error("InvalidArgument",
                     "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be "
                     "supplied")
        .with_detail("ArgumentName", fields.mode ? "x-amz-object-lock-retain-until-date"
                                                 : "x-amz-object-lock-mode");
  CAIRN_CHECK(check_lock_bucket(call));
  if (fields.mode) {
    CAIRN_CHECK(check_future(call, *fields.until));
    wanted.retention =
        s3::Retention{.mode = mode_of(*fields.mode), .until_ms = fields.until->unix_ms};
  }
  if (fields.legal_hold) wanted.legal_hold = *fields.legal_hold == "ON";
  return wanted;
}

Result<s3::ChargedOutput> put_object_lock_configuration(
    Call& call, const s3::PutObjectLockConfigurationInput& in) {
  if (!in.object_lock_configuration) return s3::error("MalformedXML");
  CAIRN_TRY(const s3::ObjectLock lock, s3::object_lock_of(*in.object_lock_configuration));
  if (call.bucket->bucket.versioning != s3::Versioning::enabled)
    return s3::error("InvalidBucketState",
                     "Versioning must be 'Enabled' on the bucket to apply a Object Lock "
                     "configuration");
  CAIRN_CHECK(call.engine().change_bucket(in.bucket, {.object_lock = lock}, call.deadline()));
  return s3::ChargedOutput{};
}

Result<s3::GetObjectLockConfigurationOutput> get_object_lock_configuration(
    Call& call, const s3::BucketInput& in) {
  const s3::ObjectLock& lock = call.bucket->bucket.object_lock;
  if (!lock.enabled)
    return s3::error("ObjectLockConfigurationNotFoundError").with_detail("BucketName", in.bucket);
  s3::ObjectLockConfigurationElement configuration{.object_lock_enabled = "Enabled"};
  if (lock.rule) {
    s3::DefaultRetentionElement retention{.mode = std::string(name_of(lock.rule->mode))};
    if (lock.rule->days > 0) retention.days = lock.rule->days;
    if (lock.rule->years > 0) retention.years = lock.rule->years;
    configuration.rule = s3::LockRuleElement{.default_retention = retention};
  }
  return s3::GetObjectLockConfigurationOutput{.object_lock_configuration = configuration};
}

Result<s3::ChargedOutput> put_object_retention(Call& call, const s3::PutObjectRetentionInput& in) {
  if (!in.retention) return s3::error("MalformedXML");
  const bool empty = !in.retention->mode && !in.retention->retain_until_date;
  objectstore::ObjectChange wanted{.bypass_governance =
                                       in.bypass_governance_retention.value_or(false)};
  wanted.retention.emplace();
  if (!call.bucket->bucket.object_lock.enabled && !empty) return no_lock_here();
  if (empty) {
    if (!call.bucket->bucket.object_lock.enabled) return s3::error("MalformedXML");
    return change(call, std::move(wanted), {});
  }
  if (!in.retention->mode || !in.retention->retain_until_date) return s3::error("MalformedXML");
  CAIRN_CHECK(check_future(call, *in.retention->retain_until_date));
  const s3::Retention retention{.mode = mode_of(*in.retention->mode),
                                .until_ms = in.retention->retain_until_date->unix_ms};
  *wanted.retention = retention;
  return change(call, std::move(wanted), {.retention = &retention});
}

Result<s3::GetObjectRetentionOutput> get_object_retention(Call& call, const s3::ObjectInput&) {
  CAIRN_TRY(const s3::Object object, look(call));
  if (!object.retention) return s3::error("NoSuchObjectLockConfiguration");
  return s3::GetObjectRetentionOutput{
      .retention = s3::RetentionElement{.mode = std::string(name_of(object.retention->mode)),
                                        .retain_until_date = s3::Time{object.retention->until_ms}}};
}

Result<s3::ChargedOutput> put_object_legal_hold(Call& call, const s3::PutObjectLegalHoldInput& in) {
  if (!in.legal_hold || !in.legal_hold->status) return s3::error("MalformedXML");
  const bool on = *in.legal_hold->status == "ON";
  return change(call, {.legal_hold = on}, {.legal_hold = on});
}

Result<s3::GetObjectLegalHoldOutput> get_object_legal_hold(Call& call, const s3::ObjectInput&) {
  CAIRN_TRY(const s3::Object object, look(call));
  if (!object.legal_hold) return s3::error("NoSuchObjectLockConfiguration");
  return s3::GetObjectLegalHoldOutput{
      .legal_hold = s3::LegalHoldElement{.status = *object.legal_hold ? "ON" : "OFF"}};
}

}  // namespace cairn::s3api
