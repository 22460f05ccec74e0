// SPDX-License-Identifier: Apache-2.0
#include "index/query/parts.h"

#include <algorithm>
#include <vector>

#include "index/segment/column.h"
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

std::size_t free_cores(const QueryContext& context) {
  constexpr std::size_t most = 8;
  const os::ComputePool* pool = context.view.options.compute;
  if (pool == nullptr) return 1;
  const std::size_t busy = pool->computing() + pool->waiting();
  const std::size_t slots = pool->slots() + (os::ComputePool::is_here() ? 1 : 0);
  return std::clamp<std::size_t>(slots > busy ? slots - busy : 1, 1, most);
}

std::vector<std::vector<DocRange>> equal_parts(const ViewState& view, std::size_t count) {
  const auto chunks_of = [](const SegmentView& segment) {
    return (std::uint64_t{segment.segment->doc_count()} + column_chunk - 1) / column_chunk;
  };
  std::uint64_t all = 0;
  for (const SegmentView& segment : view.segments) all += chunks_of(segment);
  const std::uint64_t each = std::max<std::uint64_t>(1, (all + count - 1) / count);
  std::vector<std::vector<DocRange>> out;
  std::uint64_t left = 0;  // chunks that the last part still takes
  for (std::size_t i = 0; i < view.segments.size(); ++i) {
    const std::uint64_t chunks = chunks_of(view.segments[i]);
    for (std::uint64_t at = 0; at < chunks;) {
      if (left == 0) out.emplace_back(), left = each;
      const std::uint64_t taken = std::min(left, chunks - at);
      out.back().push_back(
          {i, static_cast<std::uint32_t>(at * column_chunk),
           static_cast<std::uint32_t>(std::min<std::uint64_t>(
               (at + taken) * column_chunk, view.segments[i].segment->doc_count()))});
      at += taken;
      left -= taken;
    }
  }
  return out;
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
