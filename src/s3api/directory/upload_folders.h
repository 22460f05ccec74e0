// SPDX-License-Identifier: Apache-2.0
// Listings of directory buckets show the folders that unfinished uploads are in, too.
#pragma once

#include "base/result.h"
#include "s3/model.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Whether a listing of the call's bucket may have such folders: one look.
Result<bool> has_upload_folders(const Call& call, const s3::ListParams& params);

/// Puts them among what the page shows, in order and within its limit. Costs the uploads that lie
/// between the page's ends.
Status add_upload_folders(const Call& call, const s3::ListParams& params, s3::ListPage& page);

}  // namespace cairn::s3api
