// SPDX-License-Identifier: Apache-2.0
// service_type "maildir": the messages of a mail folder on this machine.
#pragma once

#include <memory>

#include "connectors/folder_roots.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// A folder with `cur` and `new` beneath one of `roots`, and the folders within it (Maildir++).
/// Values: `path`, `subfolders`, `max_file_size`. A message is never changed, so its name tells all
/// of it; flags, and the way from `new` to `cur`, make no other message of it.
/// Source: maildir(5); docs of Maildir++.
std::unique_ptr<const SourceType> mail_folder_source(std::shared_ptr<const FolderRoots> roots);

}  // namespace cairn::connectors
