// SPDX-License-Identifier: Apache-2.0
// Hits with their sources, fields, highlights and sort values, written as JSON text.
#include "search/show/answer.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
#include "search/show/highlight.h"
#include "search/source_filter.h"

namespace cairn::search {
namespace {

using index::DateFormat;
using index::Field;
using index::FieldType;
using index::SortValue;

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

Json shown_date(std::int64_t ms, const std::string& format) {
  const auto parsed =
      DateFormat::parse(format.empty() ? std::string(index::default_date_format) : format);
  return parsed.ok() ? Json(parsed->write(ms)) : Json(ms);
}

/// A value of the source as `fields` shows it: as the field takes it. Null where it takes none.
Json shown_value(const Field& field, const Json& value, const std::string& format) {
  if (index::is_number(field.type) || field.type == FieldType::boolean) {
    const auto taken = index::column_value(field, value);
    if (!taken.ok()) return {};
    if (field.type == FieldType::boolean) return *taken != 0;
    if (index::is_whole_number(field.type)) return *taken;
    return value.is_string() ? Json(parse_number<double>(trim(value.as_string())).value_or(0))
                             : value;
  }
  if (field.type == FieldType::keyword) {
    const auto term = index::exact_term(field, value);
    const bool kept =
        term.ok() &&
        (!field.ignore_above || letters_in(*term) <= static_cast<std::size_t>(*field.ignore_above));
    return kept ? Json(*term) : Json();
  }
  if (field.type != FieldType::date) return value;
  const auto own = DateFormat::parse(field.format.empty() ? std::string(index::default_date_format)
                                                          : field.format);
  if (!own.ok()) return value;
  const auto ms = own->read(value);
  if (!ms) return value;
  return shown_date(*ms, format.empty() ? field.format : format);
}

Json column_value(const Field& field, const SortValue& value, const std::string& format) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) return {};
  if (field.type == FieldType::boolean) return *whole != 0;
  if (field.type == FieldType::date)
    return shown_date(*whole, format.empty() ? field.format : format);
  return *whole;
}

class HitWriter {
 public:
  HitWriter(const SearchRequest& request, Execution& execution, const Queries& queries,
            const OwnQueries& own_queries, JsonWriter& out)
      : request_(request),
        execution_(execution),
        queries_(queries),
        own_queries_(own_queries),
        out_(out) {}

  Status write(const Candidate& hit) {
    const Target& target = execution_.targets()[hit.place.target];
    const os::Deadline& deadline = execution_.deadline();
    CAIRN_TRY(const std::string id, target.view->id(hit.place.doc, deadline));
    out_.begin_object().key("_index").string(target.index->name()).key("_id").string(id);
    out_.key("_score");
    if (std::isnan(hit.score))
      out_.null();
    else
      out_.number(hit.score);
    if (request_.version || request_.seq_no_primary_term) CAIRN_CHECK(write_version(hit, target));
    CAIRN_CHECK(write_source_and_fields(hit, target));
    write_sort(hit, target);
    CAIRN_CHECK(write_matched(hit, target));
    out_.end_object();
    return ok_status();
  }

 private:
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
    const bool needs_tree = request_.highlight || !request_.fields.empty() ||
                            (request_.source.enabled && !request_.source.is_all());
    if (!needs_tree && !request_.source.enabled) return write_columns(hit, target, Json());
    CAIRN_TRY(const std::string text, target.view->source(hit.place.doc, execution_.deadline()));
    if (request_.source.is_all()) out_.key("_source").raw(text);
    if (!needs_tree) return write_columns(hit, target, Json());
    CAIRN_TRY(const Json source, parse_json(text));
    if (request_.source.enabled && !request_.source.is_all())
      out_.key("_source").value(filter_source(source, request_.source));
    CAIRN_CHECK(write_columns(hit, target, source));
    if (!request_.highlight) return ok_status();
    CAIRN_TRY(const Json shown, highlight(*target.view, hit.place.doc, source,
                                          queries_[hit.place.target], *request_.highlight,
                                          own_queries_[hit.place.target], execution_.deadline()));
    if (!shown.as_object().empty()) out_.key("highlight").value(shown);
    return ok_status();
  }

  /// `fields`: values of the source, and of the columns.
  Status write_columns(const Candidate& hit, const Target& target, const Json& source) {
    if (request_.fields.empty() && request_.docvalue_fields.empty()) return ok_status();
    Json fields = Json::object();
    const index::Mapping& mapping = target.view->mapping();
    for (const FieldRequest& wanted : request_.fields)
      for (const Field* field : mapping.match(wanted.pattern)) {
        const std::string path =
            field->is_multi_field ? field->name.substr(0, field->name.rfind('.')) : field->name;
        Json::Array values;
        for (const Json& value : values_at(source, path))
          if (Json shown = shown_value(*field, value, wanted.format); !shown.is_null())
            values.push_back(std::move(shown));
        if (!values.empty()) fields.set(field->name, Json(std::move(values)));
      }
    for (const FieldRequest& wanted : request_.docvalue_fields)
      for (const Field* field : mapping.match(wanted.pattern)) {
        if (!field->doc_values || field->type == FieldType::text) continue;
        CAIRN_TRY(const auto found,
                  target.view->values(hit.place.doc, field->name, execution_.deadline()));
        Json::Array values;
        for (const SortValue& value : found)
          values.push_back(column_value(*field, value, wanted.format));
        if (!values.empty()) fields.set(field->name, Json(std::move(values)));
      }
    if (!fields.as_object().empty()) out_.key("fields").value(fields);
    return ok_status();
  }

  void write_sort(const Candidate& hit, const Target& target) {
    if (hit.sort.empty()) return;
    out_.key("sort").begin_array();
    for (std::size_t i = 0; i < hit.sort.size(); ++i) {
      const SortValue& value = hit.sort[i];
      const std::string& format =
          i < request_.sort_formats.size() ? request_.sort_formats[i] : std::string();
      if (const auto* text = std::get_if<std::string>(&value)) {
        out_.string(*text);
      } else if (const auto* real = std::get_if<double>(&value)) {
        const bool is_score = request_.sort[i].by == index::SortKey::By::score;
        is_score ? out_.number(static_cast<float>(*real)) : out_.number(*real);
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        const Field* field = target.view->mapping().find(request_.sort[i].field);
        if (!format.empty() && field != nullptr && field->type == FieldType::date)
          out_.value(shown_date(*whole, format));
        else
          out_.integer(*whole);
      } else {
        out_.null();
      }
    }
    out_.end_array();
  }

  Status write_matched(const Candidate& hit, const Target& target) {
    const auto& named = execution_.named(hit.place.target);
    if (named.empty()) return ok_status();
    std::vector<std::string> matched;
    for (const NamedQuery& one : named) {
      CAIRN_TRY(const auto yes,
                target.view->matches(one.query, {hit.place.doc}, execution_.deadline()));
      if (yes.front()) matched.push_back(one.name);
    }
    if (matched.empty()) return ok_status();
    out_.key("matched_queries").value(Json::array_of(matched));
    return ok_status();
  }

  const SearchRequest& request_;
  Execution& execution_;
  const Queries& queries_;
  const OwnQueries& own_queries_;
  JsonWriter& out_;
};

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
                                  const Ranking& ranking, const Queries& queries,
                                  const OwnQueries& own_queries, const AnswerFacts& facts) {
  std::string text;
  JsonWriter out(text);
  const auto shards = static_cast<std::int64_t>(facts.shards);
  out.begin_object().key("took").integer(facts.took_ms);
  out.key("timed_out").boolean(facts.timed_out);
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
  HitWriter writer(request, execution, queries, own_queries, out);
  const std::size_t end = std::min(ranking.hits.size(), request.from + request.size);
  for (std::size_t i = request.from; i < end; ++i) CAIRN_CHECK(writer.write(ranking.hits[i]));
  out.end_array().end_object();
  if (!ranking.aggregations.is_null()) out.key("aggregations").value(ranking.aggregations);
  out.end_object();
  return text;
}

}  // namespace cairn::search
