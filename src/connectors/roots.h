// SPDX-License-Identifier: Apache-2.0
// Folders that sources may read: those beneath one of the roots that the operator named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

/// A folder as a root and the way from there.
struct RootedPlace {
  std::string root;      // resolved
  std::string relative;  // of the folder within it; empty for the root itself
  std::string absolute() const;
};

/// The folder that the configuration's `field` names. Errors: action_request_validation_exception
/// for a text that is no path; status_exception where it lies beneath no root, which does not tell
/// what lies elsewhere from what lies nowhere; where it is no folder.
Result<RootedPlace> place_beneath(const std::vector<std::string>& roots, std::string_view field,
                                  const std::string& path);

}  // namespace cairn::connectors
