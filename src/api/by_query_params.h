// SPDX-License-Identifier: Apache-2.0
// What requests that change many documents have in common, in the URL and in the body.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "format/json.h"
#include "tasks/by_query.h"
#include "tasks/listed.h"
#include "tasks/options.h"

namespace cairn::api {

/// Reads conflicts, max_docs, refresh, requests_per_second, scroll_size, scroll, slices, timeout
/// and wait_for_active_shards of the URL into `out`. Errors: illegal_argument_exception,
/// action_request_validation_exception, unavailable_shards_exception.
Status read_by_query_options(const Call& call, const tasks::Options& limits, tasks::ByQuery& out);

/// How long a scroll is kept elsewhere between two pages, in milliseconds; of this server's own
/// tasks nothing. Errors: illegal_argument_exception.
Result<std::int64_t> scroll_time(const Call& call);

/// What URL and body say together about parts. Errors: as above.
Status check_slices(const tasks::ByQuery& request);
/// Documents of a batch. Errors: illegal_argument_exception.
Status check_scroll_size(std::int64_t size, const tasks::Options& limits, tasks::ByQuery& out);
/// `conflicts` and `max_docs` of a body. Errors: as above, also where URL and body differ.
Status read_conflicts(std::string_view value, tasks::ByQuery& out);
Status read_max_docs(const Json& value, std::string_view name, tasks::ByQuery& out);

/// Documents a second: above 0, or -1 for as fast as it goes, which is 0 here.
/// Errors: illegal_argument_exception.
Result<double> requests_per_second(const Call& call, std::string_view fallback);

/// The parameters that the functions above read, those of a query in the URL, and `more`.
std::vector<gate::Parameter> with_by_query_options(std::vector<gate::Parameter> more = {});
std::vector<gate::Parameter> with_query_parameters(std::vector<gate::Parameter> more = {});

/// Who begins a task with this call.
tasks::Owner task_owner(Call& call);

}  // namespace cairn::api
