// SPDX-License-Identifier: Apache-2.0
// Results for people: names and values in columns, lists as tables.
#pragma once

#include <string>

#include "objectclient/value.h"

namespace cairn::cli {

/// Simple members first, then structures and lists, each below its name. Empty for an empty result.
std::string result_text(const objectclient::Value& result);

}  // namespace cairn::cli
