// SPDX-License-Identifier: Apache-2.0
#include "api/routes/indices/merge_routes.h"

#include "api/by_query_params.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "tasks/merges.h"

namespace cairn::api {
namespace {

Result<tasks::MergeRequest> merge_request(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(const std::int64_t segments, call.integer("max_num_segments", 1));
  tasks::MergeRequest out;
  CAIRN_TRY(out.only_deletes, call.flag("only_expunge_deletes", false));
  if (out.only_deletes && call.query("max_num_segments"))
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "action_request_validation_exception",
                 .message = "Validation Failed: 1: cannot set only_expunge_deletes and "
                            "max_num_segments at the same time, those two parameters are mutually "
                            "exclusive;"};
  if (segments < 1) return illegal_argument("[max_num_segments] must be at least 1");
  out.most_segments = static_cast<std::size_t>(segments);
  CAIRN_TRY(out.indices, indices_of(call, indices, call.path("index")));
  return out;
}

Result<Reply> force_merge(Call& call, const index::Indices& indices, tasks::Tasks& tasks) {
  CAIRN_TRY(const bool waits, call.flag("wait_for_completion", true));
  CAIRN_TRY(tasks::MergeRequest request, merge_request(call, indices));
  if (waits) {
    CAIRN_CHECK(tasks::merge_all(request, call.deadline()));
    return Reply::json(tasks::merge_answer(request));
  }
  CAIRN_TRY(const auto merge, tasks.merges().start(std::move(request), task_owner(call)));
  return Reply::json(
      Json::object({{"task", tasks.node_id() + ":" + std::to_string(merge->number())}}));
}

}  // namespace

void add_merge_routes(Router& router, ServiceRef<index::Indices> indices,
                      ServiceRef<tasks::Tasks> tasks) {
  for (const std::string path : {"/{index}/_forcemerge", "/_forcemerge"})
    router.add(
        {.method = "POST",
         .path = path,
         .operation = "indices.forcemerge",
         .index_privilege = "maintenance",
         .filters_indices = true,
         .computes = true,
         .query = with_index_options(
             {{"max_num_segments", "integer", "How many segments may be left."},
              {"only_expunge_deletes", "boolean",
               "Only segments of which more than a tenth of the documents are deleted."},
              {"flush", "boolean", "It always flushes."},
              {"wait_for_completion", "boolean",
               "False: answer at once with a task, which merges."}}),
         .summary = "Merges segments and drops deleted documents."},
        [indices, tasks](Call& call) { return force_merge(call, *indices, *tasks); });
}

}  // namespace cairn::api
