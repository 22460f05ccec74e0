// SPDX-License-Identifier: Apache-2.0
// service_type "directory": a folder of text, Markdown, HTML and manual pages on this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "connectors/folder_roots.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Folders are read only beneath one of `roots`, as they are at that moment; with none every
/// configuration is refused. Files may be gzip-compressed. Values: `path` (a folder),
/// `max_file_size` (bytes).
std::unique_ptr<const SourceType> directory_source(std::shared_ptr<const FolderRoots> roots);
/// The same with roots that stay.
std::unique_ptr<const SourceType> directory_source(std::vector<std::string> roots);

}  // namespace cairn::connectors
