// SPDX-License-Identifier: Apache-2.0
// Segments of several views in a row are a view of their own, which aggregations count over.
#include "index/joint_aggregations.h"

#include <optional>
#include <vector>

#include "index/aggregations/aggregations.h"
#include "index/errors.h"
#include "index/mapping/mapping.h"
#include "index/query/view_state.h"
#include "os/clock.h"

namespace cairn::index {

struct JointAggregations::State {
  ViewState all;
  std::vector<std::size_t> first_segments;  // of each view
  std::size_t first = 0;                    // of the one whose documents come
  std::optional<os::Deadline> until;        // the context refers to it
  std::unique_ptr<QueryContext> context;  // stays where it is
};

JointAggregations::JointAggregations() : state_(std::make_unique<State>()) {}
JointAggregations::~JointAggregations() = default;

const Mapping& JointAggregations::mapping() const { return *state_->all.mapping; }

Result<std::unique_ptr<JointAggregations>> JointAggregations::make(
    std::span<const std::shared_ptr<const View>> views) {
  std::unique_ptr<JointAggregations> out(new JointAggregations());
  ViewState& all = out->state_->all;
  all.mapping = std::make_shared<const Mapping>();
  for (const auto& view : views) {
    const ViewState& own = *view->state_;
    out->state_->first_segments.push_back(all.segments.size());
    if (all.index_name.empty()) {
      all.index_name = own.index_name;
      all.mapping = own.mapping;
      all.options = own.options;
      all.clock = own.clock;
    } else if (own.mapping != all.mapping && own.mapping->to_json() != all.mapping->to_json()) {
      auto merged = all.mapping->merged(own.mapping->to_json(), MappingLimits::kept());
      // An object without a type may be a nested one elsewhere, whichever comes first.
      if (!merged.ok())
        if (auto turned = own.mapping->merged(all.mapping->to_json(), MappingLimits::kept()))
          merged = std::move(turned);
      if (!merged.ok())
        return illegal_argument("aggregations over several indices want fields of one kind: index [" +
                                own.index_name + "] has others: " + merged.error().message);
      all.mapping = std::move(*merged);
    }
    all.segments.insert(all.segments.end(), own.segments.begin(), own.segments.end());
    all.segment_indices.resize(all.segments.size(), own.index_name);
  }
  return out;
}

Status JointAggregations::begin(const Params& params, const QueryReader& read_query) {
  State& state = *state_;
  state.until = params.collect_until;
  const os::Clock& clock = state.all.clock == nullptr ? os::system_clock() : *state.all.clock;
  state.context.reset(
      new QueryContext{.view = state.all,
                       .deadline = *state.until,
                       .now_ms = params.now_ms != 0 ? params.now_ms : clock.unix_ms()});
  CAIRN_TRY(aggregations_, make_aggregations(*state.context, params.request, read_query,
                                             params.typed_keys, nullptr));
  return ok_status();
}

void JointAggregations::next_view(std::size_t view) { state_->first = state_->first_segments[view]; }

Status JointAggregations::begin_segment(std::size_t segment) {
  return aggregations_->begin_segment(*state_->context, state_->first + segment);
}

Result<Json> JointAggregations::finish(const os::Deadline& deadline) {
  os::Steps steps(deadline, "searching");
  aggregations_->finish_under(steps);
  return aggregations_->finish();
}

}  // namespace cairn::index
