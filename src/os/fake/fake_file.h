// SPDX-License-Identifier: Apache-2.0
// One open file of FakeFiles.
#pragma once

#include <memory>
#include <string>

#include "os/fake/fake_disk.h"

namespace cairn::os {

/// With the disk's mutex held. `holds_lock`: closing it frees the lock on the node.
std::unique_ptr<File> fake_file(std::shared_ptr<FakeFiles::Disk> disk, FakeNodePointer node,
                                const std::string& path, bool holds_lock = false);

}  // namespace cairn::os
