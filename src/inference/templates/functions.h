// SPDX-License-Identifier: Apache-2.0
// The functions that templates find: range, raise_exception, strftime_now, namespace, dict.
#pragma once

#include "inference/templates/machine.h"

namespace cairn::inference::templates {

bool is_function_name(std::string_view name);
Result<Value> call_function(Machine& machine, std::string_view name, const Arguments& arguments);

}  // namespace cairn::inference::templates
