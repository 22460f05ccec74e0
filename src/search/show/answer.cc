// SPDX-License-Identifier: Apache-2.0
// Hits with their sources, fields, highlights and sort values, written as JSON text.
#include "search/show/answer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "index/data_too_large.h"
#include "index/script_values.h"
#include "search/errors.h"
#include "search/show/column_values.h"
#include "search/show/highlight.h"
#include "search/show/profile.h"
#include "search/show/source_values.h"
#include "search/source_filter.h"

namespace cairn::search {
namespace {

using index::Field;
using index::FieldType;
using index::SortValue;

/// A query with a name that a hit matches.
struct MatchedName {
  std::string name;
  float score = 0;  // where scores are asked for
};

/// The names of those queries that each hit matches. Each query is looked up where it was planned
/// as part of what was asked, and walks once over each target. With `scores` each is planned anew,
/// as a query of its own: where it was planned it may not score.
Result<std::vector<std::vector<MatchedName>>> matched_names(std::span<const Candidate> hits,
                                                            const Execution& execution,
                                                            const Found& found, bool scores,
                                                            std::vector<FetchProfile>& fetched) {
  std::vector<std::vector<MatchedName>> out(hits.size());
  for (std::size_t target = 0; target < execution.targets().size(); ++target) {
    const auto& named = execution.named(target);
    if (named.empty()) continue;
    FetchProfile* const own_fetch = fetched.empty() ? nullptr : &fetched[target];
    const auto whole = fetch_watch(own_fetch, &FetchProfile::whole, execution);
    const auto watch = fetch_watch(own_fetch, &FetchProfile::names, execution);
    std::vector<std::size_t> own;
    std::vector<index::DocAddress> docs;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].place.target != target) continue;
      own.push_back(i);
      docs.push_back(hits[i].place.doc);
    }
    for (const NamedQuery& one : named) {
      index::PreparedQueryPtr plan;
      if (scores) {
        CAIRN_TRY(plan, execution.targets()[target].view->prepare(one.query, execution.deadline()));
        CAIRN_TRY(const auto given, plan->scores(docs, execution.deadline()));
        for (std::size_t i = 0; i < own.size(); ++i)
          if (given[i]) out[own[i]].push_back({one.name, *given[i]});
        continue;
      }
      if (!found.queries.empty()) plan = found.queries[target].plan->part(one.query.label);
      if (plan == nullptr && !found.post_filter.empty())
        plan = found.post_filter[target].plan->part(one.query.label);
      if (plan == nullptr) {
        CAIRN_TRY(plan, execution.targets()[target].view->prepare(one.query, execution.deadline()));
      }
      CAIRN_TRY(const auto matches, plan->matches(docs, execution.deadline()));
      for (std::size_t i = 0; i < own.size(); ++i)
        if (matches[i]) out[own[i]].push_back({one.name});
    }
  }
  return out;
}

/// What stands at a dotted path of objects; an object without members where that was cut out.
Json object_at(const Json& source, const std::string& path) {
  const Json* at = source.find_path(path);
  return at == nullptr ? Json::object() : *at;
}

class HitWriter {
 public:
  /// `out` writes to `text`, which must not grow beyond `most` bytes.
  HitWriter(const SearchRequest& request, Execution& execution, const Found& found, JsonWriter& out,
            const std::string& text, std::size_t most)
      : request_(request),
        execution_(execution),
        found_(found),
        out_(out),
        text_(text),
        most_(most) {
    for (const Target& target : execution.targets()) {
      const SourceFilter own = without_vectors(request.source, target.view->mapping());
      whole_.push_back(own.is_all());
      cuts_.emplace_back(own);
    }
    for (std::size_t i = 0; request.highlight && i < found.queries.size(); ++i)
      highlighters_.emplace_back(*execution.targets()[i].index, *execution.targets()[i].view,
                                 *request.highlight, found.queries[i], found.own_queries[i]);
    for (const Target& target : execution.targets()) {
      TargetFields own{source_fields(request, target.view->mapping()),
                       {},
                       shown_fields(request.docvalue_fields, target.view->mapping())};
      const auto is_runtime = [](const ShownField& one) { return one.field->runtime != nullptr; };
      std::copy_if(own.of_source.begin(), own.of_source.end(), std::back_inserter(own.made),
                   is_runtime);
      std::erase_if(own.of_source, is_runtime);
      fields_.push_back(std::move(own));
    }
    scripts_.resize(execution.targets().size());
  }

  /// What showing the hits of each target took; empty where it was not measured.
  const std::vector<FetchProfile>& fetched() const { return fetched_; }

  Status write_all() {
    if (execution_.is_measured()) fetched_.resize(execution_.targets().size());
    const std::vector<Candidate>& all = found_.ranking.hits;
    const std::size_t first = std::min(request_.from, all.size());
    const std::span<const Candidate> hits(all.data() + first,
                                          std::min(all.size() - first, request_.size));
    CAIRN_TRY(const auto names,
              matched_names(hits, execution_, found_, request_.named_scores, fetched_));
    for (std::size_t i = 0; i < hits.size(); ++i) {
      CAIRN_CHECK(execution_.deadline().check("showing hits"));
      CAIRN_CHECK(write(hits[i], names[i]));
      CAIRN_CHECK(check_room(0));
    }
    return ok_status();
  }

 private:
  /// The fields whose values come from the source: those of `fields`, and stored ones.
  static std::vector<ShownField> source_fields(const SearchRequest& request,
                                               const index::Mapping& mapping) {
    auto out = shown_fields(request.fields, mapping);
    for (ShownField& one : shown_fields(request.stored_fields, mapping)) {
      const auto same = [&](const ShownField& known) { return known.field == one.field; };
      if (one.field->stored && std::none_of(out.begin(), out.end(), same))
        out.push_back(std::move(one));
    }
    return out;
  }

  FetchProfile* fetched(const Candidate& hit) {
    return fetched_.empty() ? nullptr : &fetched_[hit.place.target];
  }

  /// Whether `more` bytes still fit: asked before they are written.
  Status check_room(std::size_t more) const {
    if (text_.size() + more <= most_) return ok_status();
    return index::answer_too_large(text_.size() + more, most_);
  }

  void write_names(const std::vector<MatchedName>& names) {
    if (names.empty()) return;
    Json shown = request_.named_scores ? Json::object() : Json::array();
    for (const MatchedName& one : names) {
      if (request_.named_scores)
        shown.set(one.name, one.score);
      else
        shown.push(one.name);
    }
    out_.key("matched_queries").value(shown);
  }

  Status write(const Candidate& hit, const std::vector<MatchedName>& names) {
    const Target& target = execution_.targets()[hit.place.target];
    const os::Deadline& deadline = execution_.deadline();
    const auto whole = fetch_watch(fetched(hit), &FetchProfile::whole, execution_);
    auto stored = fetch_watch(fetched(hit), &FetchProfile::stored_fields, execution_);
    CAIRN_TRY(const std::string id, target.view->id(hit.place.doc, deadline));
    stored.end();
    out_.begin_object();
    if (request_.explain) out_.key("_shard").string("[" + target.index->name() + "][0]");
    out_.key("_index").string(target.index->name()).key("_id").string(id);
    write_place(target.view->place(hit.place.doc), 0);
    out_.key("_score");
    if (std::isnan(hit.score))
      out_.null();
    else
      out_.number(hit.score);
    CAIRN_CHECK(write_ignored(hit, target));
    CAIRN_CHECK(write_routing(hit, target));
    if (request_.version || request_.seq_no_primary_term) CAIRN_CHECK(write_version(hit, target));
    CAIRN_CHECK(write_source_and_fields(hit, target));
    write_sort(hit, target);
    CAIRN_CHECK(write_explained(hit));
    if (found_.inner_hits) {
      CAIRN_TRY(const Json inner, found_.inner_hits(hit));
      const std::string shown = inner.dump();
      CAIRN_CHECK(check_room(shown.size()));
      out_.key("inner_hits").raw(shown);
    }
    write_names(names);
    out_.end_object();
    return ok_status();
  }

  /// Of an object: where it stands in its document.
  void write_place(const std::vector<index::ObjectPlace>& places, std::size_t level) {
    if (level >= places.size()) return;
    out_.key("_nested").begin_object();
    out_.key("field").string(places[level].field);
    out_.key("offset").unsigned_integer(places[level].offset);
    write_place(places, level + 1);
    out_.end_object();
  }

  Status write_explained(const Candidate& hit) {
    if (!request_.explain) return ok_status();
    const auto watch = fetch_watch(fetched(hit), &FetchProfile::explain, execution_);
    CAIRN_TRY(auto explanation,
              found_.queries[hit.place.target].plan->explain(hit.place.doc, execution_.deadline()));
    CAIRN_TRY(explanation, explain_rescored(found_.rescorers, hit, std::move(explanation),
                                            execution_.deadline()));
    out_.key("_explanation");
    write_explanation(explanation, out_);
    return ok_status();
  }

  Status write_version(const Candidate& hit, const Target& target) {
    CAIRN_TRY(const auto version, target.view->version(hit.place.doc, execution_.deadline()));
    if (request_.version) out_.key("_version").integer(version.version);
    if (request_.seq_no_primary_term)
      out_.key("_seq_no")
          .integer(version.seq_no)
          .key("_primary_term")
          .integer(version.primary_term);
    return ok_status();
  }

  Status write_source_and_fields(const Candidate& hit, const Target& target) {
    const bool whole = whole_[hit.place.target];
    const bool needs_tree = request_.highlight || !fields_[hit.place.target].of_source.empty() ||
                            (request_.source.enabled && !whole);
    if (!needs_tree && !request_.source.enabled) return write_columns(hit, target, Json());
    if (!target.view->nested_path().empty()) return write_object(hit, target);
    FetchProfile* const own = fetched(hit);
    auto loading = fetch_watch(own, &FetchProfile::load_source, execution_);
    CAIRN_TRY(const std::string text, target.view->source(hit.place.doc, execution_.deadline()));
    loading.end();
    auto showing = fetch_watch(own, &FetchProfile::source, execution_);
    CAIRN_CHECK(check_room(whole ? text.size() : 0));
    if (whole) out_.key("_source").raw(text);
    if (!needs_tree) {
      showing.end();
      return write_columns(hit, target, Json());
    }
    CAIRN_TRY(const Json source, parse_json(text));
    if (request_.source.enabled && !whole)
      out_.key("_source").value(cuts_[hit.place.target].of(source));
    showing.end();
    return write_of_tree(hit, target, source);
  }

  /// Of an object: `_source` is the object alone, `fields` and highlights know where it stands.
  Status write_object(const Candidate& hit, const Target& target) {
    auto loading = fetch_watch(fetched(hit), &FetchProfile::load_source, execution_);
    CAIRN_TRY(const Json source,
              target.view->object_source(hit.place.doc, execution_.kept_source(),
                                         execution_.deadline()));
    loading.end();
    auto showing = fetch_watch(fetched(hit), &FetchProfile::source, execution_);
    if (request_.source.enabled) {
      const std::string shown =
          object_at(cuts_[hit.place.target].of(source), target.view->nested_path()).dump();
      CAIRN_CHECK(check_room(shown.size()));
      out_.key("_source").raw(shown);
    }
    showing.end();
    return write_of_tree(hit, target, source);
  }

  /// What is shown of the source's tree.
  Status write_of_tree(const Candidate& hit, const Target& target, const Json& source) {
    CAIRN_CHECK(write_columns(hit, target, source));
    CAIRN_CHECK(check_room(0));
    if (!request_.highlight) return ok_status();
    const auto watch = fetch_watch(fetched(hit), &FetchProfile::highlight, execution_);
    auto shown = highlighters_[hit.place.target].show(hit.place.doc, source, most_ - text_.size(),
                                                      execution_.deadline());
    if (!shown.ok() && shown.error().kind == ErrorKind::invalid_argument)
      return phase_error(target.index->name(), target.index->uuid(), std::move(shown).error());
    if (!shown.ok()) return std::move(shown).error();
    if (!shown->as_object().empty()) out_.key("highlight").value(*shown);
    return ok_status();
  }

  /// The fields whose value the index left out.
  Status write_ignored(const Candidate& hit, const Target& target) {
    CAIRN_TRY(const auto names,
              target.view->values(hit.place.doc, index::ignored_field_name, execution_.deadline()));
    if (names.empty()) return ok_status();
    out_.key("_ignored").begin_array();
    for (const SortValue& name : names)
      if (const auto* text = std::get_if<std::string>(&name)) out_.string(*text);
    out_.end_array();
    return ok_status();
  }

  /// What the document was written with.
  Status write_routing(const Candidate& hit, const Target& target) {
    CAIRN_TRY(const auto values,
              target.view->values(hit.place.doc, index::routing_field_name, execution_.deadline()));
    if (values.empty()) return ok_status();
    if (const auto* text = std::get_if<std::string>(&values.front()))
      out_.key("_routing").string(*text);
    return ok_status();
  }

  /// `fields`: values of the source, and of the columns.
  Status write_columns(const Candidate& hit, const Target& target, const Json& source) {
    const std::string& collapsed = request_.collapse.field;
    if (fields_[hit.place.target].of_source.empty() && fields_[hit.place.target].made.empty() &&
        request_.docvalue_fields.empty() && request_.script_fields.empty() && collapsed.empty())
      return ok_status();
    const auto watch = fetch_watch(fetched(hit), &FetchProfile::fields, execution_);
    std::size_t bytes = 0;
    const TargetFields& wanted = fields_[hit.place.target];
    Json fields = values_of_source(wanted.of_source, target.view->mapping(), source,
                                   most_ - std::min(most_, text_.size()), bytes);
    CAIRN_CHECK(check_room(bytes));
    for (const ShownField& one : wanted.made) CAIRN_CHECK(add_values(hit, target, one, fields));
    for (const ShownField& one : wanted.of_columns)
      if (one.field->doc_values && one.field->type != FieldType::text)
        CAIRN_CHECK(add_values(hit, target, one, fields));
    CAIRN_CHECK(add_script_fields(hit, target, fields));
    if (!collapsed.empty()) fields.set(collapsed, Json::array({group_json(hit.group)}));
    if (!fields.as_object().empty()) out_.key("fields").value(fields);
    return ok_status();
  }

  /// What a search made of a document, and could not: a fault of the request's scripts.
  Error failed(const Target& target, Error error) const {
    if (error.kind != ErrorKind::invalid_argument) return error;
    return phase_error(target.index->name(), target.index->uuid(), std::move(error));
  }

  Status add_values(const Candidate& hit, const Target& target, const ShownField& one,
                    Json& fields) const {
    auto found = target.view->values(hit.place.doc, one.field->name, execution_.deadline());
    if (!found.ok()) return failed(target, std::move(found).error());
    Json::Array values;
    for (const SortValue& value : *found)
      values.push_back(shown_column(*one.field, value, one.format));
    if (!values.empty()) fields.set(one.field->name, Json(std::move(values)));
    return ok_status();
  }

  /// A list is several values; anything else is one.
  Status add_script_fields(const Candidate& hit, const Target& target, Json& fields) {
    if (request_.script_fields.empty()) return ok_status();
    auto& scripts = scripts_[hit.place.target];
    if (!scripts) {
      std::vector<index::Script> all;
      for (const ScriptField& one : request_.script_fields) all.push_back(one.script);
      auto made = index::ScriptValues::make(target.view, all, execution_.deadline());
      if (!made.ok()) return failed(target, std::move(made).error());
      scripts = std::move(*made);
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < request_.script_fields.size(); ++i) {
      const ScriptField& one = request_.script_fields[i];
      auto value = scripts->of(i, hit.place.doc, execution_.deadline());
      if (!value.ok()) {
        if (one.ignore_failure && value.error().code == "script_exception") continue;
        return failed(target, std::move(value).error());
      }
      if (!value->is_array()) *value = Json::array({std::move(*value)});
      bytes += value->dump().size();
      CAIRN_CHECK(check_room(bytes));
      fields.set(one.name, std::move(*value));
    }
    return ok_status();
  }

  void write_sort(const Candidate& hit, const Target& target) {
    const std::size_t shown =
        hit.sort.size() - std::min(hit.sort.size(), request_.hidden_sort_keys);
    if (shown == 0) return;
    out_.key("sort").begin_array();
    for (std::size_t i = 0; i < shown; ++i) {
      const SortValue& value = hit.sort[i];
      const std::string& format =
          i < request_.sort_formats.size() ? request_.sort_formats[i] : std::string();
      if (const auto* text = std::get_if<std::string>(&value)) {
        out_.string(*text);
      } else if (const auto* real = std::get_if<double>(&value)) {
        const bool is_score = request_.sort[i].by == index::SortKey::By::score;
        if (std::isinf(*real))  // of a document without a value, as the platform writes it
          out_.string(*real > 0 ? "Infinity" : "-Infinity");
        else
          is_score ? out_.number(static_cast<float>(*real)) : out_.number(*real);
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        const Field* field = target.view->mapping().find(request_.sort[i].field);
        const bool has_value = *whole != INT64_MIN && *whole != INT64_MAX;
        if (has_value && !format.empty() && field != nullptr && field->type == FieldType::date)
          out_.value(shown_date(*whole, format));
        else
          out_.integer(*whole);
      } else {
        out_.null();
      }
    }
    out_.end_array();
  }

  const SearchRequest& request_;
  Execution& execution_;
  const Found& found_;
  JsonWriter& out_;
  const std::string& text_;
  std::size_t most_;
  struct TargetFields {
    std::vector<ShownField> of_source, made, of_columns;  // `made`: runtime fields
  };
  std::vector<SourceCut> cuts_;            // of each target: what of a source is shown
  std::vector<bool> whole_;                // of each target: all of it
  std::vector<TargetFields> fields_;       // of each target
  std::vector<std::optional<index::ScriptValues>> scripts_;  // the same, once a hit is shown
  std::vector<Highlighter> highlighters_;  // of each target, where it was asked for
  std::vector<FetchProfile> fetched_;      // of each target, where it is measured
};

}  // namespace

void write_explanation(const index::Explanation& explanation, JsonWriter& out) {
  out.begin_object().key("value");
  if (explanation.count)
    out.unsigned_integer(*explanation.count);
  else
    out.number(explanation.value);
  out.key("description").string(explanation.description).key("details").begin_array();
  for (const index::Explanation& part : explanation.details) write_explanation(part, out);
  out.end_array().end_object();
}

namespace {

void write_total(const SearchRequest& request, const Ranking& ranking, JsonWriter& out) {
  if (request.total_hits_as_int) {
    out.key("total");
    request.show_total ? out.unsigned_integer(ranking.total) : out.integer(-1);
    return;
  }
  if (!request.show_total) return;
  out.key("total").begin_object();
  out.key("value").unsigned_integer(ranking.total);
  out.key("relation").string(ranking.total_is_lower_bound ? "gte" : "eq").end_object();
}

}  // namespace

Result<std::string> render_answer(const SearchRequest& request, Execution& execution,
                                  const Found& found, const AnswerFacts& facts) {
  const Ranking& ranking = found.ranking;
  std::string text;
  JsonWriter out(text);
  const auto shards = static_cast<std::int64_t>(facts.shards);
  out.begin_object().key("took").integer(0);
  const std::size_t took_at = text.size() - 1;
  out.key("timed_out").boolean(facts.timed_out);
  if (request.terminate_after > 0) out.key("terminated_early").boolean(facts.terminated_early);
  out.key("_shards").begin_object().key("total").integer(shards);
  out.key("successful").integer(shards).key("skipped").integer(0).key("failed").integer(0);
  out.end_object();
  out.key("hits").begin_object();
  write_total(request, ranking, out);
  out.key("max_score");
  if (ranking.max_score && std::isfinite(*ranking.max_score))
    out.number(*ranking.max_score);
  else
    out.null();
  out.key("hits").begin_array();
  const std::size_t limit = execution.options().answer_bytes_max;
  const std::size_t most = limit - std::min(limit, facts.bytes_before);
  HitWriter hits(request, execution, found, out, text, most);
  CAIRN_CHECK(hits.write_all());
  out.end_array().end_object();
  if (!ranking.aggregations.is_null()) out.key("aggregations").value(ranking.aggregations);
  if (!found.suggest.is_null()) out.key("suggest").value(found.suggest);
  if (execution.is_measured())
    CAIRN_CHECK(write_profile(execution, request, hits.fetched(), out, text, most));
  out.end_object();
  // What the hits took to show is part of it, so it is known only now.
  const std::int64_t took_ms = (facts.clock.steady_ns() - facts.begin_ns) / 1'000'000;
  text.replace(took_at, 1, std::to_string(took_ms));
  return text;
}

}  // namespace cairn::search
