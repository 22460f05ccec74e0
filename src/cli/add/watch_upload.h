// SPDX-License-Identifier: Apache-2.0
// A folder that is sent again whenever it changed, as long as this process runs.
#pragma once

#include <functional>
#include <string>

#include "cli/add/upload.h"
#include "os/deadline.h"

namespace cairn::cli {

struct WatchUploadParams {
  std::function<void(const UploadResult&)> on_sent;   // after each run that changed something
  std::function<void(const std::string&)> on_notice;  // for people, once as long as it holds
};

/// Runs `upload` when it has been quiet for a moment after a change, or has changed for a while,
/// and never more than half of the time, until `deadline` stops. A server that is away, or has no
/// room, is waited for. Errors: permission_denied, by the server; not_found, where the folder is
/// gone.
Status watch_upload(FolderUpload& upload, const WatchUploadParams& params,
                    const os::Deadline& deadline);

}  // namespace cairn::cli
