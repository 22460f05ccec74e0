// SPDX-License-Identifier: Apache-2.0
// Reading the members of a search request, and what the URL says beside it.
#include "search/request.h"

#include <algorithm>

#include "base/strings.h"
#include "format/time.h"
#include "search/errors.h"
#include "search/read/script_body.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::uint64_t count_all = UINT64_MAX;

/// Members that the platform knows and that are not offered, with what to do instead.
constexpr std::pair<std::string_view, std::string_view> absent[] = {
    {"rank", "use the rrf retriever"},
    {"ext", ""},
    {"stats", ""},
};

Error negative(std::string_view name, std::int64_t value) {
  return illegal_argument("[" + std::string(name) + "] parameter cannot be negative, found [" +
                          std::to_string(value) + "]");
}

Status set_terminate_after(std::int64_t given, SearchRequest& out) {
  if (given < 0) return illegal_argument("terminateAfter must be > 0");
  out.terminate_after = static_cast<std::uint64_t>(given);
  return ok_status();
}

class RequestReader {
 public:
  RequestReader(std::string_view text, const Json& body, const Options& options, SearchRequest& out)
      : text_(text),
        body_(body),
        options_(options),
        out_(out),
        in_(body, text, "", "search", Reader::Style::strict) {}

  Status read() {
    for (const auto& [name, value] : body_.as_object()) CAIRN_CHECK(read_member(name, value));
    // Whoever asks for values of scripts gets no source, unless it is asked for.
    if ((hides_source_ || !out_.script_fields.empty()) && !source_given_)
      out_.source.enabled = false;
    return ok_status();
  }

 private:
  Error unknown(const std::string& name, const Json& value) const {
    return parsing_error(
        text_, name,
        "Unknown key for a " + std::string(json_token_of(value)) + " in [" + name + "].");
  }

  Status read_member(const std::string& name, const Json& value) {
    if (value.is_null()) return ok_status();
    if (name == "query" || name == "post_filter" || name == "retriever" || name == "aggs" ||
        name == "aggregations")
      return read_tree(name, value);
    if (name == "knn") return read_knn(name, value);
    if (name == "from" || name == "size" || name == "timeout" || name == "min_score" ||
        name == "terminate_after")
      return read_number(name, value);
    if (name == "sort") return parse_sort(text_, value, out_.sort, out_.sort_formats);
    if (name == "search_after") {
      if (!value.is_array()) return unknown(name, value);
      out_.search_after = value.as_array();
      return ok_status();
    }
    if (name == "stored_fields") return read_stored(name, value);
    if (name == "_source") {
      source_given_ = true;
      CAIRN_TRY(out_.source, parse_source_filter(text_, value, true));
      return ok_status();
    }
    if (name == "fields") return read_fields(name, value, out_.fields);
    if (name == "docvalue_fields") return read_fields(name, value, out_.docvalue_fields);
    if (name == "script_fields") return read_script_fields(value);
    if (name == "runtime_mappings") {
      if (!value.is_object()) return unknown(name, value);
      if (!value.as_object().empty()) out_.runtime_mappings = value;
      return ok_status();
    }
    if (name == "highlight") {
      CAIRN_TRY(out_.highlight, parse_highlight(text_, value));
      return ok_status();
    }
    if (name == "track_total_hits") return read_track_total(value);
    if (name == "indices_boost") return read_boosts(value);
    if (name == "pit") return read_pit(value);
    if (name == "slice") return read_slice(value);
    if (name == "suggest") {
      CAIRN_TRY(out_.suggest, read_suggest(text_, value, options_));
      return ok_status();
    }
    if (name == "collapse") {
      CAIRN_TRY(out_.collapse, read_collapse(text_, value));
      return ok_status();
    }
    if (name == "rescore") {
      CAIRN_TRY(out_.rescore, read_rescore(text_, value));
      return ok_status();
    }
    return read_flag(name, value);
  }

  Status read_flag(const std::string& name, const Json& value) {
    for (const auto& [known, instead] : absent)
      if (known == name) return not_offered(name, instead);
    const bool known = name == "track_scores" || name == "version" ||
                       name == "seq_no_primary_term" || name == "explain" || name == "profile";
    if (!known || value.is_object() || value.is_array()) return unknown(name, value);
    CAIRN_TRY(const bool flag, in_.boolean_or(name, false));
    if (name == "track_scores") out_.track_scores = flag;
    if (name == "version") out_.version = flag;
    if (name == "seq_no_primary_term") out_.seq_no_primary_term = flag;
    if (name == "explain") out_.explain = flag;
    if (name == "profile") out_.profile = flag;
    return ok_status();
  }

  Status read_tree(const std::string& name, const Json& value) {
    if (!value.is_object()) return unknown(name, value);
    if (name == "query") out_.query = value;
    if (name == "post_filter") out_.post_filter = value;
    if (name == "retriever") out_.retriever = value;
    if (name == "aggs" || name == "aggregations") out_.aggregations = value;
    return ok_status();
  }

  Status read_knn(const std::string& name, const Json& value) {
    if (value.is_object()) {
      out_.knn = {value};
    } else if (value.is_array()) {
      out_.knn = value.as_array();
    } else {
      return unknown(name, value);
    }
    return ok_status();
  }

  Status read_number(const std::string& name, const Json& value) {
    if (value.is_object() || value.is_array() || value.is_bool()) return unknown(name, value);
    if (name == "timeout") {
      CAIRN_TRY(out_.timeout_ms, parse_time_value(scalar_text(value), "timeout"));
      return ok_status();
    }
    if (name == "min_score") {
      CAIRN_TRY(const auto score, in_.number(name));
      out_.min_score = static_cast<float>(*score);
      return ok_status();
    }
    CAIRN_TRY(const auto number, in_.integer(name));
    if (name == "terminate_after") return set_terminate_after(*number, out_);
    if (*number < 0) return negative(name, *number);
    (name == "from" ? out_.from : out_.size) = static_cast<std::size_t>(*number);
    return ok_status();
  }

  /// A list of objects with one name each, or one object with several.
  Status read_boosts(const Json& value) {
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& one : list.as_array()) {
      if (!one.is_object()) return unknown("indices_boost", value);
      if (value.is_array() && one.as_object().size() != 1)
        return parsing_error(text_, "indices_boost",
                             "[indices_boost] takes objects of one index and its boost each");
      for (const auto& [index, boost] : one.as_object()) {
        if (!boost.is_number() || !(boost.as_double() >= 0))
          return illegal_argument("the boost of [" + index +
                                  "] in [indices_boost] must be a number, 0 or more");
        out_.indices_boost.emplace_back(index, static_cast<float>(boost.as_double()));
      }
    }
    constexpr std::size_t most = 256;
    if (out_.indices_boost.size() <= most) return ok_status();
    return illegal_argument("[indices_boost] names [" +
                            std::to_string(out_.indices_boost.size()) + "] indices, at most [" +
                            std::to_string(most) + "] are taken");
  }

  Status read_fields(const std::string& name, const Json& value, std::vector<FieldRequest>& out) {
    if (!value.is_array()) return unknown(name, value);
    for (const Json& element : value.as_array()) {
      if (element.is_string()) {
        out.push_back({element.as_string()});
        continue;
      }
      if (!element.is_object()) return unknown(name, element);
      Reader in(element, text_, name, "fetch_field", Reader::Style::strict);
      FieldRequest field;
      CAIRN_TRY(field.pattern, in.required_string("field"));
      CAIRN_TRY(field.format, in.string_or("format", ""));
      if (field.format == "use_field_mapping") field.format.clear();  // an older word for none
      CAIRN_TRY(const bool unmapped, in.boolean_or("include_unmapped", false));
      if (unmapped)
        return not_offered("include_unmapped", "take what is not mapped from [_source]");
      CAIRN_CHECK(in.finish());
      out.push_back(std::move(field));
    }
    return ok_status();
  }

  Status read_script_fields(const Json& value) {
    if (!value.is_object()) return unknown("script_fields", value);
    for (const auto& [name, json] : value.as_object()) {
      const std::string path = "script_fields." + name;
      if (!json.is_object())
        return parsing_error(text_, path, "[" + name + "] of [script_fields] must be an object");
      Reader in(json, text_, path, "script_field", Reader::Style::strict);
      ScriptField field{.name = name, .script = {}};
      const Json* script = in.any("script");
      CAIRN_TRY(field.ignore_failure, in.boolean_or("ignore_failure", false));
      CAIRN_CHECK(in.finish());
      if (script == nullptr) return in.fault("script", "Required [script]");
      CAIRN_TRY(field.script, read_script_body(text_, *script, in.path_of("script"), {}));
      out_.script_fields.push_back(std::move(field));
    }
    return ok_status();
  }

  Status read_pit(const Json& value) {
    if (!value.is_object()) return unknown("pit", value);
    Reader in(value, text_, "pit", "point_in_time", Reader::Style::strict);
    PointInTime pit;
    CAIRN_TRY(pit.id, in.required_string("id"));
    CAIRN_TRY(const auto keep_alive, in.string("keep_alive"));
    if (keep_alive) {
      CAIRN_TRY(pit.keep_alive_ms, parse_time_value(*keep_alive, "keep_alive"));
    }
    CAIRN_CHECK(in.finish());
    out_.pit = std::move(pit);
    return ok_status();
  }

  Status read_slice(const Json& value) {
    if (!value.is_object()) return unknown("slice", value);
    Reader in(value, text_, "slice", "slice", Reader::Style::strict);
    Slice slice;
    CAIRN_TRY(slice.field, in.string_or("field", ""));
    CAIRN_TRY(const auto id, in.integer("id"));
    CAIRN_TRY(const auto max, in.integer("max"));
    CAIRN_CHECK(in.finish());
    if (!id || *id < 0) return in.fault("id", "id must be greater than or equal to 0");
    if (!max || *max < 2) return in.fault("max", "max must be greater than 1");
    if (*max <= *id) return in.fault("max", "max must be greater than id");
    if (*max > static_cast<std::int64_t>(options_.max_slices))
      return illegal_argument("The number of slices [" + std::to_string(*max) +
                              "] is too large. It must be less than [" +
                              std::to_string(options_.max_slices) + "].");
    slice.id = static_cast<std::uint32_t>(*id);
    slice.max = static_cast<std::uint32_t>(*max);
    out_.slice = std::move(slice);
    return ok_status();
  }

  /// Whoever asks for stored fields gets no source, unless by name or by `_source`.
  Status read_stored(const std::string& name, const Json& value) {
    const Json list = value.is_array() ? value : Json::array({value});
    bool source = false;
    for (const Json& one : list.as_array()) {
      if (!one.is_string()) return unknown(name, value);
      if (one.as_string() == "_none_") {
        if (list.as_array().size() > 1)
          return illegal_argument("cannot combine _none_ with other fields");
        continue;
      }
      source = source || one.as_string() == "_source";
      if (one.as_string() != "_source") out_.stored_fields.push_back({one.as_string()});
    }
    hides_source_ = !source;
    return ok_status();
  }

  Status read_track_total(const Json& value) {
    if (value.is_integer()) {
      if (value.as_int() < -1)
        return illegal_argument(
            "[track_total_hits] parameter must be positive or equals to -1, got " + value.dump());
      out_.show_total = value.as_int() != -1;
      out_.track_total_hits = value.as_int() == -1 ? 0 : value.as_unsigned();
      return ok_status();
    }
    CAIRN_TRY(const bool exact, in_.boolean_or("track_total_hits", true));
    out_.track_total_hits = exact ? count_all : 0;
    out_.show_total = exact;
    return ok_status();
  }

  std::string_view text_;
  const Json& body_;
  const Options& options_;
  bool source_given_ = false;
  bool hides_source_ = false;
  SearchRequest& out_;
  Reader in_;
};

Status apply_source(const SearchParameters& url, SearchRequest& out) {
  if (url.source) {
    CAIRN_TRY(out.source, parse_source_filter("", Json(*url.source)));
    if (!out.source.includes.empty()) {
      out.source.includes.clear();
      for (const auto piece : split(*url.source, ',')) out.source.includes.emplace_back(piece);
    }
  }
  // Stored fields hide the source only of those who say nothing about it.
  if (!url.source && (url.source_includes || url.source_excludes)) out.source.enabled = true;
  if (url.source_includes) out.source.includes = *url.source_includes;
  if (url.source_excludes) out.source.excludes = *url.source_excludes;
  if (url.source_exclude_vectors) out.source.exclude_vectors = *url.source_exclude_vectors;
  return ok_status();
}

Status apply_parameters(const SearchParameters& url, SearchRequest& out) {
  if (url.q) {
    Json string = Json::object({{"query", *url.q}, {"lenient", url.lenient}});
    if (!url.df.empty()) string.set("default_field", url.df);
    if (!url.default_operator.empty()) string.set("default_operator", url.default_operator);
    if (!url.analyzer.empty()) string.set("analyzer", url.analyzer);
    if (url.df.empty() && !url.lenient) string.erase("lenient");
    out.query = Json::object({{"query_string", std::move(string)}});
  }
  if (url.from && *url.from < 0) return negative("from", *url.from);
  if (url.size && *url.size < 0) return negative("size", *url.size);
  if (url.from) out.from = static_cast<std::size_t>(*url.from);
  if (url.size) out.size = static_cast<std::size_t>(*url.size);
  if (!url.sort.empty()) {
    out.sort.clear();
    out.sort_formats.clear();
    for (const std::string& one : url.sort) {
      const auto colon = one.rfind(':');
      const Json key = colon == std::string::npos
                           ? Json(one)
                           : Json::object({{one.substr(0, colon), one.substr(colon + 1)}});
      CAIRN_CHECK(parse_sort("", Json::array({key}), out.sort, out.sort_formats));
    }
  }
  CAIRN_CHECK(apply_source(url, out));
  if (url.track_total_hits) {
    const std::string& given = *url.track_total_hits;
    const auto number = parse_number<std::uint64_t>(given);
    if (!number && given != "true" && given != "false" && !given.empty())
      return illegal_argument("Failed to parse value [" + given +
                              "] as only [true], [false] or a number are allowed.");
    out.show_total = given != "false";
    out.track_total_hits = number ? *number : out.show_total ? count_all : 0;
  }
  out.track_scores = url.track_scores.value_or(out.track_scores);
  out.version = url.version.value_or(out.version);
  out.seq_no_primary_term = url.seq_no_primary_term.value_or(out.seq_no_primary_term);
  out.explain = url.explain.value_or(out.explain);
  if (url.timeout_ms) out.timeout_ms = url.timeout_ms;
  if (url.min_score) out.min_score = url.min_score;
  if (url.terminate_after) CAIRN_CHECK(set_terminate_after(*url.terminate_after, out));
  out.total_hits_as_int = url.total_hits_as_int;
  out.typed_keys = url.typed_keys;
  out.named_scores = url.named_scores;
  if (url.total_hits_as_int && out.show_total) out.track_total_hits = count_all;
  return ok_status();
}

/// The body with the members that the URL brings; what it says of fields and suggesters is left out
/// where the URL says it too.
Json with_members(const Json& body, const SearchParameters& url) {
  Json out = body.is_object() ? body : Json::object();
  if (!url.docvalue_fields.empty()) out.set("docvalue_fields", Json::array_of(url.docvalue_fields));
  if (!url.stored_fields.empty()) out.set("stored_fields", Json::array_of(url.stored_fields));
  if (url.suggest_field.empty()) return out;
  Json term = Json::object({{"field", url.suggest_field}});
  if (url.suggest_size) term.set("size", *url.suggest_size);
  if (!url.suggest_mode.empty()) term.set("suggest_mode", url.suggest_mode);
  const std::string text = url.suggest_text.empty() ? url.q.value_or("") : url.suggest_text;
  Json suggester = Json::object({{"text", text}, {"term", std::move(term)}});
  out.set("suggest", Json::object({{url.suggest_field, std::move(suggester)}}));
  return out;
}

bool brings_members(const SearchParameters& url) {
  return !url.docvalue_fields.empty() || !url.stored_fields.empty() || !url.suggest_field.empty();
}

Status check_search_type(const std::string& type, const SearchRequest& request) {
  if (type.empty()) return ok_status();
  if (type != "query_then_fetch" && type != "dfs_query_then_fetch")
    return illegal_argument("No search type for [" + type + "]");
  if (request.knn.empty()) return ok_status();
  return illegal_argument(
      "cannot set [search_type] when using [knn] search, since the search type is determined "
      "automatically");
}

Status check(const SearchRequest& request) {
  if (!request.collapse.field.empty() && !request.retriever.is_null())
    return not_offered("collapse beside a retriever",
                       "a standard retriever takes a [collapse] of its own");
  if (!request.search_after.empty()) {
    if (request.from > 0)
      return validation_error("`from` parameter must be set to 0 when `search_after` is used.");
    if (request.sort.empty() && request.retriever.is_null())
      return illegal_argument("Sort must contain at least one field.");
    if (request.retriever.is_null()) CAIRN_CHECK(check_cursor(request));
  }
  if (!request.rescore.empty() && !request.sort.empty())
    return illegal_argument("Cannot use [sort] option in conjunction with [rescore].");
  CAIRN_CHECK(check_collapse(request));
  if (request.retriever.is_null()) return ok_status();
  const std::pair<std::string_view, bool> clashes[] = {
      {"query", !request.query.is_null()},
      {"knn", !request.knn.empty()},
      {"search_after", !request.search_after.empty()},
      {"sort", !request.sort.empty()},
      {"rescore", !request.rescore.empty()},
  };
  for (const auto& [name, given] : clashes)
    if (given)
      return validation_error("cannot specify [retriever] and [" + std::string(name) + "]");
  return ok_status();
}

/// What goes with a scroll or a point in time, and what does not.
Status check_context(const SearchRequest& request, const SearchParameters& url) {
  const auto sorts_by_place = [](const index::SortKey& key) {
    return key.by == index::SortKey::By::doc && key.field == "_shard_doc";
  };
  if (!request.pit && std::any_of(request.sort.begin(), request.sort.end(), sorts_by_place))
    return illegal_argument("[_shard_doc] sort field cannot be used without [point in time]");
  if (request.slice && !request.pit && !url.scroll_ms)
    return validation_error("[slice] can only be used with [scroll] or [point-in-time] requests");
  if (request.pit && !url.unfit_for_pit.empty())
    return validation_error("[" + url.unfit_for_pit +
                            "] cannot be used with point in time. Do not specify any " +
                            url.unfit_for_pit + " with point in time.");
  if (!url.scroll_ms) return ok_status();
  const std::pair<bool, std::string_view> clashes[] = {
      {request.from > 0, "using [from] is not allowed in a scroll context"},
      {request.size == 0, "[size] cannot be [0] in a scroll context"},
      {!request.show_total, "disabling [track_total_hits] is not allowed in a scroll context"},
      {!request.search_after.empty(), "`search_after` cannot be used in a scroll context."},
      {request.pit.has_value(), "using [point in time] is not allowed in a scroll context"},
      {!request.retriever.is_null(), "cannot specify [retriever] and [scroll]"},
      {!request.knn.empty(), "cannot specify [knn] and [scroll]"},
      {!request.rescore.empty(), "using [rescore] is not allowed in a scroll context"},
      {request.terminate_after > 0, "using [terminate_after] is not allowed in a scroll context"},
      {!request.collapse.field.empty(), "cannot use `collapse` in a scroll context"},
      {!request.suggest.empty(), "using [suggest] is not allowed in a scroll context"},
  };
  for (const auto& [clash, message] : clashes)
    if (clash) return validation_error(message);
  return ok_status();
}

}  // namespace

Status check_collapse(const SearchRequest& request) {
  if (request.collapse.field.empty()) return ok_status();
  if (!request.rescore.empty())
    return illegal_argument("cannot use `collapse` in conjunction with `rescore`");
  constexpr std::size_t group_searches = 1'000;
  if (request.size * request.collapse.inner.size() > group_searches)
    return illegal_argument("[collapse] takes [" + std::to_string(group_searches) +
                            "] searches of groups at most, [size] times the number of "
                            "[inner_hits]: ask for fewer hits");
  if (request.search_after.empty()) return ok_status();
  const bool same =
      request.sort.size() == 1 && request.sort.front().field == request.collapse.field;
  if (same) return ok_status();
  return illegal_argument(
      "Cannot use [collapse] in conjunction with [search_after] unless the search is sorted on the "
      "same field. Multiple sort fields are not allowed.");
}

Status check_cursor(const SearchRequest& request) {
  const std::size_t values = request.search_after.size();
  const std::size_t keys = request.sort.size();
  // At a point in time hits show their place as well.
  if (values == 0 || values == keys || (request.pit && values == keys + 1)) return ok_status();
  return illegal_argument("search_after has " + std::to_string(values) + " value(s) but sort has " +
                          std::to_string(keys) + ".");
}

Result<SearchRequest> parse_request(std::string_view text, const Json& body,
                                    const SearchParameters& parameters, const Options& options) {
  SearchRequest request;
  if (!body.is_null() && !body.is_object())
    return parsing_error(
        text, "", "Expected [START_OBJECT] but found [" + std::string(json_token_of(body)) + "]");
  const Json whole = brings_members(parameters) ? with_members(body, parameters) : Json();
  const Json& members = whole.is_null() ? body : whole;
  if (members.is_object()) CAIRN_CHECK(RequestReader(text, members, options, request).read());
  CAIRN_CHECK(apply_parameters(parameters, request));
  CAIRN_CHECK(check_patterns(request.source));
  CAIRN_CHECK(check_search_type(parameters.search_type, request));
  CAIRN_CHECK(check(request));
  CAIRN_CHECK(check_context(request, parameters));
  return request;
}

}  // namespace cairn::search
