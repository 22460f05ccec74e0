// SPDX-License-Identifier: Apache-2.0
// Filters and tests by their names, as Jinja has them.
#pragma once

#include "inference/templates/machine.h"

namespace cairn::inference::templates {

using FilterRule = Result<Value> (*)(Machine&, const Value&, const Arguments&);
using TestRule = Result<bool> (*)(Machine&, const Value&, const Arguments&);

struct NamedFilter {
  std::string_view name;
  FilterRule rule;
};
/// Of strings and numbers; of lists and dicts. Null where there is none of that name.
FilterRule find_plain_filter(std::string_view name);
FilterRule find_sequence_filter(std::string_view name);
FilterRule find_filter(std::string_view name);
TestRule find_test(std::string_view name);

}  // namespace cairn::inference::templates
