// SPDX-License-Identifier: Apache-2.0
// Rows and answers that are files for browsers.
#pragma once

#include <string>

#include "api/call.h"
#include "console/page.h"
#include "gate/route.h"

namespace cairn::api {

/// Open, and counted by no limit, as probes are: decision 0058 has the reasons. Errors are lines of
/// text.
gate::Route file_row(std::string path, std::string operation, std::string summary);

/// A file, as the console's room answers with it.
Reply reply_of(console::Answer answer);

/// 302, for this request alone.
Reply redirect(std::string location);

}  // namespace cairn::api
