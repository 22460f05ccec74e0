// SPDX-License-Identifier: Apache-2.0
// Segments of several views in a row are a view of their own, which aggregations count over.
#include "index/joint_aggregations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "index/aggregations/aggregations.h"
#include "index/errors.h"
#include "index/mapping/mapping.h"
#include "index/query/view_state.h"
#include "os/clock.h"

namespace cairn::index {

namespace {

/// A field that is of one kind in some indices and of another kind in one.
struct FieldClash {
  std::string path;
  std::string index;
  std::string reason;
};

/// `all` with the fields of `own` that go with it; the others are clashes. Halves of the fields are
/// tried together, so that one clash among many fields costs few merges.
void merge_halves(std::shared_ptr<const Mapping>& all, const Json::Object& fields,
                  const std::string& index, std::vector<FieldClash>& clashes) {
  if (fields.empty()) return;
  auto merged = all->merged(Json::object({{"properties", Json(fields)}}), MappingLimits::kept());
  if (merged.ok()) {
    all = std::move(*merged);
    return;
  }
  // Numbers of one type are counted alike, however they are indexed.
  const Field* known = fields.size() == 1 ? all->find(fields.front().first) : nullptr;
  if (known != nullptr && is_number(known->type) && known->given.is_object() &&
      known->given.string_or("type") == fields.front().second.string_or("type"))
    return;
  if (fields.size() == 1) {
    clashes.push_back({fields.front().first, index, merged.error().message});
    return;
  }
  const auto middle = fields.begin() + static_cast<std::ptrdiff_t>(fields.size() / 2);
  merge_halves(all, Json::Object(fields.begin(), middle), index, clashes);
  merge_halves(all, Json::Object(middle, fields.end()), index, clashes);
}

/// Runtime fields stand before others of their names: those must have their types.
void find_runtime_clashes(const Mapping& all, const Mapping& own, const std::string& index,
                          std::vector<FieldClash>& clashes) {
  if (!all.has_runtime() && !own.has_runtime()) return;
  for (const Field* field : own.fields()) {
    const Field* known = all.find(field->name);
    if (known == nullptr || known->type == field->type) continue;
    if (known->runtime != nullptr || field->runtime != nullptr)
      clashes.push_back({field->name, index,
                         "[" + field->name + "] is of the type [" +
                             std::string(name_of(field->type)) + "], and of [" +
                             std::string(name_of(known->type)) + "] elsewhere"});
  }
}

bool is_of_clash(std::string_view name, const FieldClash& clash) {
  return name == clash.path ||
         (name.starts_with(clash.path) && name.substr(clash.path.size()).starts_with('.'));
}

/// Queries that may look in any field, without a name of it.
bool looks_anywhere(std::string_view query) {
  return query == "query_string" || query == "simple_query_string" || query == "multi_match" ||
         query == "more_like_this";
}

/// Whether a request names the field, or one in it, anywhere, or may mean it.
bool names_clash(const Json& request, const FieldClash& clash) {
  if (request.is_string()) return is_of_clash(request.as_string(), clash);
  if (request.is_array())
    return std::any_of(request.as_array().begin(), request.as_array().end(),
                       [&](const Json& one) { return names_clash(one, clash); });
  if (!request.is_object()) return false;
  return std::any_of(request.as_object().begin(), request.as_object().end(), [&](const auto& one) {
    const bool pattern = one.first == "field" && one.second.is_string() &&
                         one.second.as_string().find('*') != std::string::npos;
    return pattern || looks_anywhere(one.first) || is_of_clash(one.first, clash) ||
           names_clash(one.second, clash);
  });
}

}  // namespace

struct JointAggregations::State {
  ViewState all;
  std::vector<FieldClash> clashes;          // of fields that a request must not name
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
      find_runtime_clashes(*all.mapping, *own.mapping, own.index_name, out->state_->clashes);
      auto merged = all.mapping->merged(own.mapping->to_json(), MappingLimits::kept());
      // An object without a type may be a nested one elsewhere, whichever comes first.
      if (!merged.ok())
        if (auto turned = own.mapping->merged(all.mapping->to_json(), MappingLimits::kept()))
          merged = std::move(turned);
      if (merged.ok()) {
        all.mapping = std::move(*merged);
      } else if (const Json given = own.mapping->to_json(); given.find("properties") != nullptr) {
        merge_halves(all.mapping, given.find("properties")->as_object(), own.index_name,
                     out->state_->clashes);
      }
    }
    all.segments.insert(all.segments.end(), own.segments.begin(), own.segments.end());
    all.segment_indices.resize(all.segments.size(), own.index_name);
  }
  return out;
}

Status JointAggregations::begin(const Params& params, const QueryReader& read_query) {
  State& state = *state_;
  for (const FieldClash& clash : state.clashes)
    if (names_clash(params.request, clash))
      return illegal_argument("aggregations over several indices want fields of one kind: index [" +
                              clash.index + "] has others: " + clash.reason);
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
