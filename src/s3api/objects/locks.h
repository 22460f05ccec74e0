// SPDX-License-Identifier: Apache-2.0
// Object lock in requests that write: what they ask for, and what results say of it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "s3/model.h"
#include "s3api/call.h"

namespace cairn::s3api {

struct LockRequest {
  std::optional<s3::Retention> retention = {};
  std::optional<bool> legal_hold = {};
  bool any() const { return retention || legal_hold.value_or(false); }
};

struct LockFields {
  const std::optional<std::string>& mode;
  const std::optional<s3::Time>& until;
  const std::optional<std::string>& legal_hold;
};
/// Errors: InvalidArgument; InvalidRequest for a bucket without object lock.
Result<LockRequest> lock_of_fields(const Call& call, const LockFields& fields);

template <class Input>
Result<LockRequest> lock_request(const Call& call, const Input& in) {
  return lock_of_fields(call, {in.object_lock_mode, in.object_lock_retain_until_date,
                               in.object_lock_legal_hold_status});
}

std::string_view name_of(s3::LockMode mode);

template <class Output>
void set_lock(Output& out, const s3::Object& object) {
  if (object.retention) {
    out.object_lock_mode = std::string(name_of(object.retention->mode));
    out.object_lock_retain_until_date = s3::Time{object.retention->until_ms};
  }
  if (object.legal_hold) out.object_lock_legal_hold_status = *object.legal_hold ? "ON" : "OFF";
}

}  // namespace cairn::s3api
