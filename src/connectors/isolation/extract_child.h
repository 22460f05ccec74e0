// SPDX-License-Identifier: Apache-2.0
// The process that reads files: what `cairn extract-child` does.
#pragma once

#include <string>
#include <vector>

#include "connectors/extract/file.h"

namespace cairn::connectors {

/// Reads requests from descriptor 0 and answers there until its peer closes it, or a minute has
/// passed without one. Before the first one it gives up opening files, reaching networks, starting
/// programs and having executable memory, for ever, and bounds its memory to what `words` say in
/// MiB above what it has. The exit status. Tests read by a function of their own, which misbehaves.
int run_extract_child(const std::vector<std::string>& words,
                      decltype(extract_file)& read = extract_file);

}  // namespace cairn::connectors
