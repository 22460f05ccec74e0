// SPDX-License-Identifier: Apache-2.0
// Query parameters that writes of documents share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "api/index_names.h"
#include "base/result.h"
#include "index/indices.h"

namespace cairn::api {

struct WriteQuery {
  RefreshPolicy refresh = RefreshPolicy::none;
  bool require_alias = false;
  bool require_data_stream = false;
  os::Deadline deadline = os::Deadline::never();
  std::optional<std::int64_t> if_seq_no = {};
  std::optional<std::int64_t> if_primary_term = {};
  std::string routing = {};  // empty: none
};

/// Errors: illegal_argument_exception, action_request_validation_exception.
Result<WriteQuery> write_query(const Call& call);
/// Refuses an ingest pipeline: there are none. `_none` is what it says.
Status check_pipeline(const std::string& name);
/// wait_for_active_shards: one copy is all there is. Errors: illegal_argument_exception,
/// unavailable_shards_exception.
Status check_active_shards(const Call& call);
/// Where a write to `name` goes.
struct WriteTarget {
  std::string index;  // of an alias or data stream the one that is written to; else the name
  std::string routing;
  bool is_resolved = false;   // `index` is what an alias or data stream meant
  bool makes_stream = false;  // there is nothing of this name, and it becomes a data stream
};
/// Errors: those of Indices::find_write but for a missing index; of check_stream_write;
/// index_not_found_exception, where the call requires an alias.
Result<WriteTarget> write_target(const index::Indices& indices, const std::string& name,
                                 const WriteQuery& query, index::StreamWrite write);

/// 403 where the index does not exist and the caller may not make it.
Status check_auto_create(const Call& call, const index::Indices& indices, std::string_view name);

/// What write_query reads, and `more`.
std::vector<gate::Parameter> with_write_options(std::vector<gate::Parameter> more = {});

}  // namespace cairn::api
