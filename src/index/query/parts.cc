// SPDX-License-Identifier: Apache-2.0
#include "index/query/parts.h"

#include <algorithm>
#include <vector>

#include "os/threads/compute_pool.h"

namespace cairn::index {
namespace {

// Parts take unlike times: who is done early takes another.
constexpr std::size_t parts_of_core = 4;

}  // namespace

bool is_worth_sharing(const QueryContext& context, std::uint64_t work) {
  const Options& options = context.view.options;
  return options.compute != nullptr && options.compute->slots() > 1 &&
         work >= options.shared_work_min && context.profiler == nullptr;
}

std::uint64_t work_of_part(const QueryContext& context, std::uint64_t work) {
  const Options& options = context.view.options;
  const std::uint64_t least = std::max<std::uint64_t>(1, options.shared_work_min / parts_of_core);
  return std::max(least, work / (parts_of_core * options.compute->slots()));
}

Status for_each_part(const QueryContext& context, std::size_t count,
                     const std::function<Status(std::size_t, const QueryContext&)>& body) {
  std::vector<Status> how(count, ok_status());
  context.view.options.compute->for_each(count, [&](std::size_t i) {
    const QueryContext own{.view = context.view,
                           .deadline = context.deadline,
                           .now_ms = context.now_ms,
                           .steps = os::Steps(context.steps.deadline())};
    how[i] = body(i, own);
  });
  for (Status& status : how) CAIRN_CHECK(std::move(status));
  return ok_status();
}

}  // namespace cairn::index
