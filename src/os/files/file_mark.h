// SPDX-License-Identifier: Apache-2.0
// Whether two processes that cannot ask each other for it see the same file.
#pragma once

#include <string>

#include "base/result.h"

namespace cairn::os {

/// A text that is the same for all who see one file or folder, by whatever path, under one kernel,
/// and for nobody else: the start of the kernel, the file system, the inode. Errors: not_found,
/// permission_denied; unavailable where the kernel does not say which start of it this is.
Result<std::string> file_mark(const std::string& path);

}  // namespace cairn::os
