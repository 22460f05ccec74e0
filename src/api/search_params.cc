// SPDX-License-Identifier: Apache-2.0
#include "api/search_params.h"

#include <utility>

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "api/url_query.h"

namespace cairn::api {
namespace {

Result<std::optional<bool>> optional_flag(const Call& call, std::string_view name) {
  if (!call.query(name)) return std::optional<bool>();
  CAIRN_TRY(const bool value, call.flag(name, false));
  return std::optional(value);
}

Result<std::optional<std::int64_t>> optional_number(const Call& call, std::string_view name) {
  if (!call.query(name)) return std::optional<std::int64_t>();
  CAIRN_TRY(const std::int64_t value, call.integer(name, 0));
  return std::optional(value);
}

/// One suggester of terms.
Status read_suggester(const Call& call, search::SearchParameters& out) {
  out.suggest_field = call.query("suggest_field").value_or("");
  out.suggest_text = call.query("suggest_text").value_or("");
  out.suggest_mode = call.query("suggest_mode").value_or("");
  CAIRN_TRY(out.suggest_size, optional_number(call, "suggest_size"));
  if (!out.suggest_field.empty()) return ok_status();
  for (const auto* name : {"suggest_text", "suggest_mode", "suggest_size"})
    if (call.query(name))
      return illegal_argument("[" + std::string(name) + "] needs a [suggest_field]");
  return ok_status();
}

}  // namespace

Result<search::SearchParameters> search_params(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(search::SearchParameters out, read_url_query(call));
  CAIRN_TRY(out.from, optional_number(call, "from"));
  CAIRN_TRY(out.size, optional_number(call, "size"));
  out.search_type = call.query("search_type").value_or("");
  out.sort = call.list("sort");
  out.source = call.query("_source");
  if (call.query("_source_includes")) out.source_includes = call.list("_source_includes");
  if (call.query("_source_excludes")) out.source_excludes = call.list("_source_excludes");
  CAIRN_TRY(out.source_exclude_vectors, optional_flag(call, "_source_exclude_vectors"));
  CAIRN_TRY(out.named_scores, call.flag("include_named_queries_score", false));
  out.docvalue_fields = call.list("docvalue_fields");
  out.stored_fields = call.list("stored_fields");
  CAIRN_CHECK(read_suggester(call, out));
  out.track_total_hits = call.query("track_total_hits");
  CAIRN_TRY(out.track_scores, optional_flag(call, "track_scores"));
  CAIRN_TRY(out.version, optional_flag(call, "version"));
  CAIRN_TRY(out.seq_no_primary_term, optional_flag(call, "seq_no_primary_term"));
  CAIRN_TRY(out.explain, optional_flag(call, "explain"));
  if (call.query("timeout")) {
    CAIRN_TRY(const std::int64_t timeout, call.time("timeout", -1));
    out.timeout_ms = timeout;
  }
  if (call.query("min_score")) {
    CAIRN_TRY(const double least, call.number("min_score", 0));
    out.min_score = static_cast<float>(least);
  }
  CAIRN_TRY(out.terminate_after, optional_number(call, "terminate_after"));
  CAIRN_TRY(out.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  CAIRN_TRY(out.typed_keys, call.flag("typed_keys", false));
  CAIRN_TRY(out.allow_partial_results, call.flag("allow_partial_search_results", true));
  if (call.query("scroll")) {
    CAIRN_TRY(out.scroll_ms, call.time("scroll", -1));
  }
  out.unfit_for_pit = !call.path("index").empty() ? "indices"
                      : call.query("routing")     ? "routing"
                      : call.query("preference")  ? "preference"
                                                  : "";
  out.caller = context_caller(call);
  out.find_document = document_finder(call, indices);
  out.find_script = template_finder(indices);
  out.resolve_indices = index_resolver(call, indices);
  return out;
}

std::vector<gate::Parameter> count_parameters() {
  return with_index_options(
      with_url_query({{"min_score", "number", "The least score of a hit."},
                      {"terminate_after", "integer", "Documents to look at in each index."},
                      {"ignore_throttled", "boolean", "No index is throttled."}}));
}

std::vector<gate::Parameter> search_parameters() {
  auto out = count_parameters();
  const std::vector<gate::Parameter> more = {
      {"from", "integer", "Hits to skip."},
      {"size", "integer", "Hits to give; 10 where absent."},
      {"sort", "list", "Keys, each as field:asc or field:desc."},
      {"_source", "list", "true, false, or the paths to give."},
      {"_source_includes", "list", "Paths to give."},
      {"_source_excludes", "list", "Paths to leave out."},
      {"_source_exclude_vectors", "boolean", "Leave out fields of vectors."},
      {"include_named_queries_score", "boolean", "What named queries score, too."},
      {"docvalue_fields", "list", "Fields whose columns hits show."},
      {"stored_fields", "list", "Fields with store that hits show, and no source."},
      {"suggest_field", "string", "Suggest terms of this field."},
      {"suggest_text", "string", "For this text; for q where absent."},
      {"suggest_mode", "string", "missing, popular or always."},
      {"suggest_size", "integer", "Suggestions for a word; 5 where absent."},
      {"track_total_hits", "string", "true, false, or how far to count."},
      {"track_scores", "boolean", "Scores though another key sorts."},
      {"version", "boolean", "The version of each hit."},
      {"seq_no_primary_term", "boolean", "The number of each hit's newest change."},
      {"explain", "boolean", "How the score of each hit comes about."},
      {"timeout", "time", "How long to look for hits."},
      {"rest_total_hits_as_int", "boolean", "The total as a number."},
      {"search_type", "string", "Both types are the same; not with knn."},
      {"request_cache", "boolean", "There is no cache of answers."},
      {"batched_reduce_size", "integer", "There is one shard."},
      {"max_concurrent_shard_requests", "integer", "There is one shard."},
      {"pre_filter_shard_size", "integer", "There is one shard."},
      {"ccs_minimize_roundtrips", "boolean", "There is one cluster."},
      {"allow_partial_search_results", "boolean", "Whether time that is up may leave hits out."},
      {"scroll", "time", "Goes on as a scroll, kept for so long."},
      {"typed_keys", "boolean", "Name aggregations with their types: avg#price."}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

gate::Route search_row(std::string method, std::string path, std::string operation, std::string summary,
                std::vector<gate::Parameter> query) {
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = "read",
          .filters_indices = true,
          .filters_documents = true,
          .resource = "search",
          .reads = true,
          .computes = true,
          .query = std::move(query),
          .summary = std::move(summary)};
}

}  // namespace cairn::api
