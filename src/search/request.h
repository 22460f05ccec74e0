// SPDX-License-Identifier: Apache-2.0
// A search request as values. Queries stay JSON: they are read once for each index.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/view.h"
#include "search/options.h"
#include "search/read/document_lookup.h"
#include "search/run/collapse.h"
#include "search/run/rescore.h"
#include "search/run/suggest.h"
#include "search/show/highlight.h"
#include "search/source_filter.h"

namespace cairn::search {

/// A field whose values a hit shows beside its source.
struct FieldRequest {
  std::string pattern;
  std::string format = {};
};

/// A value that a script makes of each hit.
struct ScriptField {
  std::string name;
  index::Script script;
  bool ignore_failure = false;  // a hit whose script fails lacks it
};

/// The documents of one moment, kept by an earlier request.
struct PointInTime {
  std::string id;
  std::optional<std::int64_t> keep_alive_ms = {};  // from now on; nothing: as before
};

/// One of `max` parts of what is read by a scroll or at a point in time.
struct Slice {
  std::string field = {};  // empty: by _id in a scroll, by document at a point in time
  std::uint32_t id = 0;
  std::uint32_t max = 1;
};

/// Who opens scrolls and points in time.
struct ContextCaller {
  std::string owner = {};  // empty: may open none
  /// An error where the caller may not read the index; `narrowed` says that what its rights hid was
  /// left out when the context was opened. Empty: may read all.
  std::function<Status(std::string_view index, bool narrowed)> may_read = {};
};

struct SearchRequest {
  Json query = {};             // null: match_all, unless there is a knn
  std::vector<Json> knn = {};  // at the top level: their hits join those of `query`
  Json retriever = {};         // null: none
  Json post_filter = {};
  Json aggregations = {};
  bool typed_keys = false;
  std::size_t from = 0;
  std::size_t size = 10;
  std::vector<index::SortKey> sort = {};
  std::vector<std::string> sort_formats = {};  // of dates; one for each key
  std::vector<Json> search_after = {};
  SourceFilter source = {};
  std::vector<FieldRequest> fields = {};
  std::vector<FieldRequest> docvalue_fields = {};
  std::vector<FieldRequest> stored_fields = {};  // patterns; of fields with `store`
  Json runtime_mappings = {};                    // fields of this request; null: none
  std::vector<ScriptField> script_fields = {};
  std::optional<Highlight> highlight = {};
  std::vector<Suggester> suggest = {};
  Collapse collapse = {};
  std::vector<Rescorer> rescore = {};  // one after another
  std::optional<float> min_score = {};
  std::uint64_t track_total_hits = 10'000;
  bool total_hits_as_int = false;
  bool show_total = true;  // track_total_hits: false hides it
  bool track_scores = false;
  bool version = false;
  bool seq_no_primary_term = false;
  bool named_scores = false;  // what named queries score, beside their names
  bool explain = false;
  bool profile = false;
  std::optional<std::int64_t> timeout_ms = {};  // -1: none; nothing: that of the service
  std::uint64_t terminate_after = 0;  // documents that are looked at in each index; 0: all
  std::vector<std::pair<std::string, float>> indices_boost = {};  // by names of indices
  std::optional<PointInTime> pit = {};
  std::optional<Slice> slice = {};
  std::optional<index::WithinQuery> within = {};  // only hits there: of the inner hits of one
  std::size_t hidden_sort_keys = 0;  // the last ones of `sort`, which hits do not show
};

/// The names of the indices that an expression stands for.
using ResolveIndices =
    std::function<Result<std::vector<std::string>>(const std::string& expression)>;

/// What the URL says; it wins over the body, as in the platform.
struct SearchParameters {
  std::optional<std::string> q = {};  // a query_string
  std::string df = {};
  std::string default_operator = {};
  std::string analyzer = {};
  bool lenient = false;
  std::optional<std::int64_t> from = {};
  std::optional<std::int64_t> size = {};
  std::vector<std::string> sort = {};      // "field:desc"
  std::optional<std::string> source = {};  // true, false, or fields
  std::optional<std::vector<std::string>> source_includes = {};
  std::optional<std::vector<std::string>> source_excludes = {};
  std::optional<bool> source_exclude_vectors = {};
  // As in the body: fields, and one suggester of terms, called as its field is.
  std::vector<std::string> docvalue_fields = {};
  std::vector<std::string> stored_fields = {};
  std::string suggest_field = {};  // empty: none
  std::string suggest_text = {};
  std::string suggest_mode = {};
  std::optional<std::int64_t> suggest_size = {};
  std::optional<std::string> track_total_hits = {};  // true, false, or a number
  std::optional<bool> track_scores = {};
  std::optional<bool> version = {};
  std::optional<bool> seq_no_primary_term = {};
  std::optional<bool> explain = {};
  std::optional<std::int64_t> timeout_ms = {};
  std::optional<float> min_score = {};
  std::optional<std::int64_t> terminate_after = {};
  std::string search_type = {};  // empty: none was named
  bool total_hits_as_int = false;
  bool typed_keys = false;
  bool named_scores = false;
  bool allow_partial_results = true;           // false: time that is up is an error
  std::optional<std::int64_t> scroll_ms = {};  // goes on as a scroll, kept for so long
  std::string unfit_for_pit = {};  // a parameter that a point in time fixes: indices, routing, …
  ContextCaller caller = {};
  FindDocument find_document = {};      // that a query names; empty: none may be named
  FindScript find_script = {};          // the same of kept scripts
  ResolveIndices resolve_indices = {};  // for indices_boost; empty: indices have their own names
  std::size_t answer_bytes_before = 0;  // of the answer that this one becomes part of
};

/// Reads a request. `text` is what `body` was parsed from, for positions in errors.
/// Errors: parsing_exception, illegal_argument_exception, action_request_validation_exception.
Result<SearchRequest> parse_request(std::string_view text, const Json& body,
                                    const SearchParameters& parameters, const Options& options);

/// Whether search_after has a value for each sort key. Errors: illegal_argument_exception.
Status check_cursor(const SearchRequest& request);
/// Whether hits may be collapsed beside what else is asked. Errors: illegal_argument_exception.
Status check_collapse(const SearchRequest& request);

/// Reads `sort`: a name, an object, or a list of them.
Status parse_sort(std::string_view text, const Json& json, std::vector<index::SortKey>& keys,
                  std::vector<std::string>& formats);

}  // namespace cairn::search
