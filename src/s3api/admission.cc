// SPDX-License-Identifier: Apache-2.0
#include "s3api/admission.h"

#include <utility>

#include "objectstore/core/multipart.h"
#include "s3/errors.h"
#include "s3api/access/access_actions.h"
#include "s3api/access/upload_rights.h"
#include "s3api/accesspoints/control.h"
#include "s3api/accesspoints/resolve.h"
#include "s3api/directory/directory.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

// What the right to an operation hangs on beside the bucket.
enum class HangsOn { nothing, object, upload };

HangsOn hangs_on(const s3::Operation& operation) {
  if (&operation == &ops::abort_multipart_upload || &operation == &ops::list_parts)
    return HangsOn::upload;
  const OperationRow* row = find_operation_row(operation.name);
  const ActionRow* action = row == nullptr ? nullptr : find_action(row->action);
  const bool of_object = action != nullptr && action->owner == ActionOwner::object;
  return of_object ? HangsOn::object : HangsOn::nothing;
}

std::optional<std::string_view> parameter(const Call& call, std::string_view wanted) {
  for (const auto& [name, value] : call.query)
    if (name == wanted) return value;
  return std::nullopt;
}

// Checks the key, and notes which version of it the request names.
Status take_object(Call& call) {
  CAIRN_CHECK(check_key(call.address.key));
  if (call.operation->input().find("version_id") == nullptr) return ok_status();
  const auto version = parameter(call, "versionId");
  if (version == "") return bad_argument("versionId", "", "Version id cannot be the empty string");
  call.version = version.value_or("");
  return ok_status();
}

// Asks before the body is read. A refusal stands, unless a policy asked for what the body may say:
// then the handler decides.
template <class Question>
Status ask_early(const Call& call, Question question) {
  bool body_asked = false;
  AccessContext context = access_of(call);
  context.body_asked = &body_asked;
  Status decided = question(context);
  return body_asked ? ok_status() : std::move(decided);
}

Status admit_new_bucket(const Call& call) {
  if (!call.directory && !s3::is_bucket_name(call.address.bucket))
    return s3::error("InvalidBucketName").with_detail("BucketName", call.address.bucket);
  return ask_early(call, [&](const AccessContext& context) {
    return decide_without_bucket(*call.operation, context, call.address.bucket);
  });
}

// What is not there has no say; whether the caller may know that is the bucket's.
Status admit_to_object(Call& call) {
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok()) {
    Error fault = object_fault(call, object.error(), call.address.key);
    return fault.code == "AccessDenied" ? Status(std::move(fault)) : ok_status();
  }
  return ask_early(call, [&](const AccessContext& context) {
    return decide(*call.operation, context, subject_of(call, &*object));
  });
}

// Rights to a directory bucket never hang on what is in it.
Status admit_to_directory(Call& call) {
  CAIRN_CHECK(check_directory_operation(call));
  const s3::Operation& operation = *call.operation;
  if (operation.target == s3::Target::service) {
    CAIRN_CHECK(decide_without_bucket(operation, access_of(call), {}));
  } else if (&operation == &ops::create_bucket) {
    CAIRN_CHECK(admit_new_bucket(call));
  } else {
    CAIRN_CHECK(open_bucket(call));
    CAIRN_CHECK(allow(call));
    CAIRN_CHECK(take_object(call));
  }
  return check_directory_fields(call);
}

Status admit_to_upload(const Call& call) {
  const auto upload =
      call.engine().uploads().find(call.object(), parameter(call, "uploadId").value_or(""));
  return allow_upload(call, upload.ok() ? &*upload : nullptr);
}

}  // namespace

bool has_document(const s3::Operation& operation) {
  for (const s3::Member& member : operation.input().members)
    if (member.wire.place == s3::Place::payload || member.wire.place == s3::Place::raw_body)
      return true;
  return false;
}

Status admit(Call& call) {
  const s3::Operation& operation = *call.operation;
  if (operation.target == s3::Target::control) return admit_to_control(call);
  CAIRN_CHECK(check_through_access_point(call));
  if (call.directory) return admit_to_directory(call);
  if (operation.target == s3::Target::service)
    return decide_without_bucket(operation, access_of(call), {});
  if (&operation == &ops::create_bucket) return admit_new_bucket(call);
  CAIRN_CHECK(open_bucket(call));
  const Status taken = take_object(call);
  const HangsOn what = hangs_on(operation);
  if (what == HangsOn::nothing) {
    CAIRN_CHECK(allow(call));
    return taken;
  }
  if (!taken.ok()) return parameter_fault(call, taken.error());
  return what == HangsOn::object && has_document(operation) ? admit_to_object(call) : ok_status();
}

Error parameter_fault(Call& call, Error fault) {
  const HangsOn what = call.directory ? HangsOn::nothing : hangs_on(*call.operation);
  if (what == HangsOn::nothing) return fault;
  Status allowed = what == HangsOn::object ? admit_to_object(call) : admit_to_upload(call);
  return allowed.ok() ? std::move(fault) : std::move(allowed).error();
}

}  // namespace cairn::s3api
