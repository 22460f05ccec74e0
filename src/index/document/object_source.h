// SPDX-License-Identifier: Apache-2.0
// One object of a nested field in the source of its document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {

/// The `offset`-th object of a nested field, which is named from the object around it on.
struct ObjectPlace {
  std::string field;
  std::uint32_t offset = 0;
};

/// The source without anything but one object: {"comments": {...}} where the place is that of an
/// object in `comments`. `places` lead to it, the outermost first. Errors: corrupt where the source
/// has no such object.
Result<Json> source_of_object(const Json& source, const std::vector<ObjectPlace>& places);

}  // namespace cairn::index
