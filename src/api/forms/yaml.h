// SPDX-License-Identifier: Apache-2.0
// Replies in YAML, for format=yaml.
#pragma once

#include <string>

#include "format/json.h"

namespace cairn::api {

/// A document that begins with "---". Strings are in double quotes, names where they need it.
std::string to_yaml(const Json& value);

}  // namespace cairn::api
