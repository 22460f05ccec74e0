// SPDX-License-Identifier: Apache-2.0
// What changes of templates would do.
#pragma once

#include "api/call.h"
#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"

namespace cairn::api {

/// Whose next index would begin otherwise: {"index_templates": templates that come to something
/// else, "data_streams": [{"name", "template", "template_after"}], "indices": the same of indices
/// of that name, if they were made anew, "other_indices": how many the caller may not see}. What is
/// there stays as it is. Errors: those of names; timeout.
Result<Json> template_change_of(const Call& call, const index::Indices& indices,
                                const index::TemplateTable& before,
                                const index::TemplateTable& after);

}  // namespace cairn::api
