// SPDX-License-Identifier: Apache-2.0
// Whose an upload is: who began it may go on with it.
#pragma once

#include "base/result.h"
#include "s3/model.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Whether the caller may do the operation of the call to that upload; null where there is none.
/// Errors: AccessDenied.
Status allow_upload(const Call& call, const s3::MultipartUpload* upload);

const s3::Owner& initiator_of(const s3::MultipartUpload& upload);

}  // namespace cairn::s3api
