// SPDX-License-Identifier: Apache-2.0
#include "search/show/profile.h"

#include <string_view>
#include <utility>

#include "index/data_too_large.h"

namespace cairn::search {
namespace {

using index::AggregationProfile;
using index::QueryProfile;
using index::QueryStep;
using index::StepTime;

// What a part may take besides its description.
constexpr std::size_t part_bytes = 1'024;

constexpr std::pair<std::string_view, QueryStep> measured_steps[] = {
    {"next_doc", QueryStep::next_doc},
    {"advance", QueryStep::advance},
    {"score", QueryStep::score},
    {"build_scorer", QueryStep::build_scorer},
    {"create_weight", QueryStep::create_weight},
};
// Of the field's engine; nothing here is done in such steps.
constexpr std::string_view absent_steps[] = {"match", "shallow_advance", "compute_max_score",
                                             "count_weight", "set_min_competitive_score"};

class ProfileWriter {
 public:
  ProfileWriter(const Execution& execution, const SearchRequest& request, JsonWriter& out,
                const std::string& text, std::size_t most)
      : execution_(execution), request_(request), out_(out), text_(text), most_(most) {}

  Status write_shard(std::size_t target, const FetchProfile& fetched) {
    const std::string& index = execution_.targets()[target].index->name();
    const std::string& node = execution_.options().node_id;
    const MeasuredRuns& runs = execution_.measured(target);
    out_.begin_object().key("id").string("[" + node + "][" + index + "][0]");
    out_.key("node_id").string(node).key("shard_id").integer(0).key("index").string(index);
    out_.key("cluster").string("(local)");
    CAIRN_CHECK(write_nearest(runs));
    out_.key("searches").begin_array();
    for (const MeasuredRun& run : runs) CAIRN_CHECK(write_run(run));
    out_.end_array().key("aggregations").begin_array();
    for (const MeasuredRun& run : runs)
      for (const AggregationProfile& one : run.profile->aggregations)
        CAIRN_CHECK(write_aggregation(one));
    out_.end_array();
    write_fetch(fetched);
    out_.end_object();
    return ok_status();
  }

 private:
  Status check_room(std::size_t more) const {
    if (text_.size() + more <= most_) return ok_status();
    return index::answer_too_large(text_.size() + more, most_);
  }

  static void gather_nearest(const QueryProfile& profile, std::vector<const QueryProfile*>& out) {
    if (profile.vectors && profile.vectors->is_own_search) out.push_back(&profile);
    for (const auto& part : profile.parts) gather_nearest(*part, out);
  }

  // Searches for vectors that stand beside the query, which sees what they found.
  Status write_nearest(const MeasuredRuns& runs) {
    std::vector<const QueryProfile*> found;
    for (const MeasuredRun& run : runs)
      for (const QueryProfile& query : run.profile->queries) gather_nearest(query, found);
    if (found.empty()) return ok_status();
    out_.key("dfs").begin_object().key("knn").begin_array();
    for (const QueryProfile* one : found) {
      out_.begin_object().key("vector_operations_count");
      out_.unsigned_integer(one->vectors->operations).key("query").begin_array();
      CAIRN_CHECK(write_query(*one, true));
      out_.end_array().key("rewrite_time").integer(one->vectors->search_ns);
      out_.key("collector").begin_array();
      write_collector("SimpleTopScoreDocCollector", "search_top_hits", one->vectors->rank_ns);
      out_.end_object().end_array().end_object();
    }
    out_.end_array().end_object();
    return ok_status();
  }

  Status write_run(const MeasuredRun& run) {
    out_.begin_object().key("query").begin_array();
    for (const QueryProfile& query : run.profile->queries) CAIRN_CHECK(write_query(query, false));
    out_.end_array().key("rewrite_time").integer(run.read_ns);
    out_.key("collector").begin_array();
    const index::SearchProfile& profile = *run.profile;
    write_collector("QueryPhaseCollector", "search_query_phase", profile.collect_ns);
    out_.key("children").begin_array();
    write_collector(profile.collector, profile.only_counts ? "search_count" : "search_top_hits",
                    profile.hits_ns);
    out_.end_object();
    if (!profile.aggregations.empty()) {
      std::string names;
      for (const AggregationProfile& one : profile.aggregations) {
        if (names.size() > part_bytes) break;
        names += (names.empty() ? "" : ", ") + one.name;
      }
      write_collector("AggregatorCollector: [" + names + "]", "aggregation",
                      profile.aggregations_ns);
      out_.end_object();
    }
    out_.end_array().end_object().end_array().end_object();
    return ok_status();
  }

  // Left open.
  void write_collector(std::string_view name, std::string_view reason, std::int64_t ns) {
    out_.begin_object().key("name").string(name).key("reason").string(reason);
    out_.key("time_in_nanos").integer(ns);
  }

  // `apart`: the search for vectors alone, where it stands beside the query.
  Status write_query(const QueryProfile& profile, bool apart) {
    CAIRN_CHECK(check_room(part_bytes + 6 * profile.description.size()));
    const bool own_search = profile.vectors && profile.vectors->is_own_search;
    std::int64_t sum = 0;
    for (const StepTime& step : profile.steps) sum += step.ns;
    out_.begin_object().key("type");
    out_.string(own_search ? (apart ? "DocAndScoreQuery" : "KnnScoreDocQuery") : profile.type);
    out_.key("description").string(profile.description).key("time_in_nanos").integer(sum);
    out_.key("breakdown").begin_object();
    for (const auto& [name, step] : measured_steps) write_step(name, profile[step]);
    for (const std::string_view name : absent_steps) write_step(name, {});
    out_.end_object();
    // The filters of such a search ran with it.
    if (!profile.parts.empty() && own_search == apart) {
      out_.key("children").begin_array();
      for (const auto& part : profile.parts) CAIRN_CHECK(write_query(*part, false));
      out_.end_array();
    }
    out_.end_object();
    return ok_status();
  }

  void write_step(std::string_view name, const StepTime& time) {
    out_.key(name).integer(time.ns);
    out_.key(std::string(name) + "_count").unsigned_integer(time.count);
  }

  Status write_aggregation(const AggregationProfile& profile) {
    CAIRN_CHECK(check_room(part_bytes + 6 * profile.name.size()));
    out_.begin_object().key("type").string(profile.type);
    out_.key("description").string(profile.name);
    out_.key("time_in_nanos")
        .integer(profile.initialize.ns + profile.build_leaf_collector.ns + profile.collect.ns +
                 profile.build_aggregation.ns);
    out_.key("breakdown").begin_object();
    write_step("initialize", profile.initialize);
    write_step("build_leaf_collector", profile.build_leaf_collector);
    write_step("collect", profile.collect);
    write_step("post_collection", {});
    write_step("build_aggregation", profile.build_aggregation);
    write_step("reduce", {});
    out_.end_object();
    if (!profile.below.empty()) {
      out_.key("children").begin_array();
      for (const AggregationProfile& one : profile.below) CAIRN_CHECK(write_aggregation(one));
      out_.end_array();
    }
    out_.end_object();
    return ok_status();
  }

  void write_fetch(const FetchProfile& fetched) {
    if (request_.size == 0) return;
    out_.key("fetch").begin_object().key("type").string("fetch").key("description").string("");
    out_.key("time_in_nanos").integer(fetched.whole.ns).key("breakdown").begin_object();
    write_step("next_reader", {});
    write_step("load_stored_fields", fetched.stored_fields);
    write_step("load_source", fetched.load_source);
    out_.end_object().key("debug").begin_object().key("stored_fields").begin_array();
    for (const std::string_view name : {"_id", "_routing", "_source"})
      if (name != "_source" || fetched.load_source.count > 0) out_.string(name);
    out_.end_array().end_object().key("children").begin_array();
    write_phase("ExplainPhase", fetched.explain);
    write_phase("FetchFieldsPhase", fetched.fields);
    write_phase("FetchSourcePhase", fetched.source);
    write_phase("HighlightPhase", fetched.highlight);
    write_phase("MatchedQueriesPhase", fetched.names);
    out_.end_array().end_object();
  }

  void write_phase(std::string_view name, const StepTime& time) {
    if (time.count == 0) return;
    out_.begin_object().key("type").string(name).key("description").string("");
    out_.key("time_in_nanos").integer(time.ns).key("breakdown").begin_object();
    write_step("process", time);
    write_step("next_reader", {});
    out_.end_object().end_object();
  }

  const Execution& execution_;
  const SearchRequest& request_;
  JsonWriter& out_;
  const std::string& text_;
  std::size_t most_;
};

}  // namespace

Status write_profile(const Execution& execution, const SearchRequest& request,
                     const std::vector<FetchProfile>& fetched, JsonWriter& out,
                     const std::string& text, std::size_t most) {
  ProfileWriter writer(execution, request, out, text, most);
  out.key("profile").begin_object().key("shards").begin_array();
  for (std::size_t i = 0; i < execution.targets().size(); ++i)
    CAIRN_CHECK(writer.write_shard(i, fetched[i]));
  out.end_array().end_object();
  return ok_status();
}

}  // namespace cairn::search
