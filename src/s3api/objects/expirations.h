// SPDX-License-Identifier: Apache-2.0
// What results say of the end that lifecycle rules have in store.
#pragma once

#include <optional>
#include <string>

#include "objectstore/core/lifecycle.h"
#include "s3/model.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// x-amz-expiration of a current version; nothing where no rule is for it.
std::optional<std::string> expiration_of(const Call& call, const s3::Object& object);

/// x-amz-abort-date and x-amz-abort-rule-id.
template <class Output>
void set_abort_rule(const Call& call, const s3::MultipartUpload& upload, Output& out) {
  const auto lifecycle = lifecycle_of(*call.bucket);
  if (lifecycle == nullptr) return;
  const auto abort = objectstore::abort_of(upload, lifecycle->rules);
  if (!abort) return;
  out.abort_date = s3::Time{abort->at_ms};
  out.abort_rule_id = abort->rule_id;
}

/// x-amz-restore of an object that was restored, or is being; nothing once the copy has expired.
std::optional<std::string> restore_text(const s3::Object& object, std::int64_t now_ms);

/// Errors: InvalidObjectState for what must be restored first.
Status check_readable(const Call& call, const s3::Object& object);

}  // namespace cairn::s3api
