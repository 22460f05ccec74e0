// SPDX-License-Identifier: Apache-2.0
#include "connectors/roots.h"

#include <algorithm>

#include "base/strings.h"
#include "connectors/errors.h"
#include "os/files/beneath.h"
#include "os/files/files.h"

namespace cairn::connectors {
namespace {

bool lies_within(const std::string& path, const std::string& root) {
  if (root == "/") return true;
  return path == root || (path.starts_with(root) && path[root.size()] == '/');
}

/// As it is written, without a look at the disk.
bool is_named_beneath(const std::string& path, const std::string& root) {
  const auto pieces = split(path, '/');
  return lies_within(path, root) && std::find(pieces.begin(), pieces.end(), "..") == pieces.end();
}

}  // namespace

std::string RootedPlace::absolute() const {
  if (relative.empty()) return root;
  return root == "/" ? "/" + relative : root + "/" + relative;
}

Result<RootedPlace> place_beneath(const std::vector<std::string>& roots, std::string_view field,
                                  const std::string& path) {
  const std::string cannot_be = "[" + std::string(field) + "] cannot be [" + path + "]: ";
  if (path.find('\0') != std::string::npos)
    return invalid("[" + std::string(field) + "] must not hold a NUL character");
  if (roots.empty())
    return refused(cannot_be +
                   "no folder may be read. Name the allowed ones in the setting "
                   "connectors.directory.roots, in a file that Cairn reads: the change is taken "
                   "over while it runs. `cairn add FOLDER` does so.");
  // What lies elsewhere is not told from what lies nowhere: roots hide the rest of the disk.
  const auto resolved = os::real_path(path);
  for (const auto& configured_root : roots) {
    const auto root = os::real_path(configured_root);
    if (!root.ok()) continue;
    if (!resolved.ok() &&
        (is_named_beneath(path, *root) || is_named_beneath(path, configured_root)))
      return refused(cannot_be + resolved.error().message);
    if (!resolved.ok() || !lies_within(*resolved, *root)) continue;
    const auto info = os::system_files().info(*resolved);
    if (info.ok() && !info->is_directory) return refused(cannot_be + "it is no folder");
    const std::size_t skip = *root == "/" ? 1 : root->size() + 1;
    return RootedPlace{
        .root = *root,
        .relative = resolved->size() > skip ? resolved->substr(skip) : std::string()};
  }
  return refused(cannot_be + "it lies beneath none of the folders in " +
                 "connectors.directory.roots (" + join(roots, ", ") + ")");
}

}  // namespace cairn::connectors
