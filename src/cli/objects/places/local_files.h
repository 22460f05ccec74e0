// SPDX-License-Identifier: Apache-2.0
// The files below a folder.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/objects/places/entry.h"

namespace cairn::cli {

/// All files below `folder`, in the order of their bytes. Symbolic links are followed or left out.
/// What is neither file nor folder, cannot be read, has a name that no key can have, or is a link
/// that leads to itself, goes to `odd`.
NextEntry local_entries(const std::string& folder, bool follow_links, TellOdd odd);

/// One file. Errors: not_found; invalid_argument for a folder.
Result<Entry> local_entry(const std::string& path);

/// Says that a path is no folder: not_found, or invalid_argument for what is something else.
Error no_local_folder(const std::string& path);
bool is_local_folder(const std::string& path);
bool exists_locally(const std::string& path);

/// Makes the folders on the way to `relative` below `root`, and gives the whole path. Symbolic
/// links on the way are an error: they could lead out of the root.
/// Errors: permission_denied; those of files.
Result<std::string> make_way(const std::string& root, const std::string& relative);

/// Gives a file the time of its object; a device keeps its own. Errors: those of files.
Status set_modified_ms(const std::string& path, std::int64_t unix_ms);

}  // namespace cairn::cli
