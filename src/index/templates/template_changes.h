// SPDX-License-Identifier: Apache-2.0
// What a change makes of the table of templates, and whether it may be: for those that are kept,
// and for those that are only tried. Values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/definition.h"
#include "index/names/data_streams.h"
#include "index/templates/templates.h"
#include "os/deadline.h"

namespace cairn::index {

/// What a change is looked at with.
struct TemplateGround {
  const StreamTable& streams;
  std::size_t total_fields_limit = 0;
  const CheckAliases& check;  // empty: filters of aliases are not looked at
  const os::Deadline& deadline;
};

/// The table after the change; nothing where it would be as it is. Errors: those of
/// Indices::put_template, check_size too.
Result<std::optional<TemplateTable>> with_template(const TemplateTable& now,
                                                   const std::string& name,
                                                   ComponentTemplate component, bool only_new,
                                                   const TemplateGround& ground);
Result<std::optional<TemplateTable>> with_template(const TemplateTable& now,
                                                   const std::string& name,
                                                   IndexTemplate index_template, bool only_new,
                                                   const TemplateGround& ground);
/// The table without these; names of none are passed over. Errors: illegal_argument_exception where
/// one is used.
Result<TemplateTable> without_components(const TemplateTable& now,
                                         const std::vector<std::string>& names);
Result<TemplateTable> without_templates(const TemplateTable& now,
                                        const std::vector<std::string>& names,
                                        const StreamTable& streams, const os::Deadline& deadline);

}  // namespace cairn::index
