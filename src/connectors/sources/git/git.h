// SPDX-License-Identifier: Apache-2.0
// service_type "git": the files of a branch, and its history.
#pragma once

#include <memory>
#include <string>

#include "connectors/folder_roots.h"
#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

struct GitParams {
  std::shared_ptr<const FolderRoots> roots = {};  // beneath which repositories of this machine lie
  Outreach outreach = {};
  std::string work_folder = {};  // for copies of remote repositories
};

/// A repository beneath a root, or behind an https:// or http:// URL of an allowed host. Values:
/// `repository`, `branch`, `files`, `history`, `paths`, `max_file_size`, `user`, `token`. A walk
/// over changes compares commits.
std::unique_ptr<const SourceType> git_source(GitParams params);

}  // namespace cairn::connectors
