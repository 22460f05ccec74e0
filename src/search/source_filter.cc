// SPDX-License-Identifier: Apache-2.0
// Walking a source with patterns of paths.
#include "search/source_filter.h"

#include "base/strings.h"
#include "index/mapping/mapping.h"
#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::size_t wild_patterns = 1'024;

void gather(const Json& value, std::string_view path, std::vector<Json>& out) {
  if (value.is_array()) {
    for (const Json& element : value.as_array()) gather(element, path, out);
    return;
  }
  if (path.empty()) {
    if (!value.is_null()) out.push_back(value);
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.as_object()) {
    if (path == name) {
      gather(member, {}, out);
    } else if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
      gather(member, path.substr(name.size() + 1), out);
    }
  }
}

}  // namespace

Result<SourceFilter> parse_source_filter(std::string_view text, const Json& json,
                                         bool takes_vectors) {
  SourceFilter filter;
  if (json.is_bool()) {
    filter.enabled = json.as_bool();
    return filter;
  }
  if (json.is_string()) {
    if (json.as_string() == "true" || json.as_string() == "false")
      filter.enabled = json.as_string() == "true";
    else
      filter.includes = {json.as_string()};
    return filter;
  }
  if (json.is_array()) {
    for (const Json& element : json.as_array()) {
      if (!element.is_string())
        return parsing_error(
            text, "_source",
            "Unknown key for a " + std::string(json_token_of(element)) + " in [_source].");
      filter.includes.push_back(element.as_string());
    }
    return filter;
  }
  if (!json.is_object())
    return parsing_error(text, "_source",
                         "Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] "
                         "but found [" +
                             std::string(json_token_of(json)) + "]");
  Reader in(json, text, "_source", "_source", Reader::Style::strict);
  for (const auto name : {"include", "includes"}) {
    CAIRN_TRY(auto given, in.strings(name));
    if (given) filter.includes = std::move(*given);
  }
  for (const auto name : {"exclude", "excludes"}) {
    CAIRN_TRY(auto given, in.strings(name));
    if (given) filter.excludes = std::move(*given);
  }
  if (takes_vectors) {
    CAIRN_TRY(filter.exclude_vectors, in.boolean_or("exclude_vectors", false));
  }
  CAIRN_CHECK(in.finish());
  return filter;
}

SourceFilter without_vectors(SourceFilter filter, const index::Mapping& mapping) {
  if (!filter.exclude_vectors) return filter;
  filter.exclude_vectors = false;
  for (const index::Field* field : mapping.fields()) {
    const auto type = field->declared_type();
    if (type == index::FieldType::dense_vector || type == index::FieldType::sparse_vector)
      filter.excludes.push_back(field->value_path());
  }
  return filter;
}

SourceCut::Patterns SourceCut::Patterns::of(const std::vector<std::string>& all) {
  Patterns out;
  for (const std::string& pattern : all) {
    if (pattern.find('*') == std::string::npos)
      out.exact.insert(pattern);
    else
      out.wild.push_back(pattern);
  }
  return out;
}

bool SourceCut::Patterns::match(const std::string& path) const {
  if (exact.contains(path)) return true;
  for (const std::string& pattern : wild)
    if (wildcard_match(pattern, path)) return true;
  return false;
}

Status check_patterns(const SourceFilter& filter) {
  std::size_t wild = 0;
  for (const auto* list : {&filter.includes, &filter.excludes})
    for (const std::string& pattern : *list) wild += pattern.find('*') != std::string::npos;
  if (wild <= wild_patterns) return ok_status();
  return illegal_argument("[_source] may have " + std::to_string(wild_patterns) +
                          " patterns with [*], but it has [" + std::to_string(wild) + "]");
}

SourceCut::SourceCut(const SourceFilter& filter)
    : enabled_(filter.enabled),
      includes_(Patterns::of(filter.includes)),
      excludes_(Patterns::of(filter.excludes)) {}

Json SourceCut::of(const Json& source) const {
  Json out = Json::object();
  if (!enabled_ || !source.is_object()) return out;
  (void)keep(source, "", includes_.exact.empty() && includes_.wild.empty(), out);
  return out;
}

/// The value without what is excluded; false where nothing of it is left.
bool SourceCut::keep(const Json& value, const std::string& path, bool included, Json& out) const {
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [name, member] : value.as_object()) {
      const std::string below = path.empty() ? name : path + "." + name;
      if (excludes_.match(below)) continue;
      Json kept;
      if (keep(member, below, included || includes_.match(below), kept))
        object.as_object().emplace_back(name, std::move(kept));
    }
    const bool any = !object.as_object().empty();
    out = std::move(object);
    return any || included;
  }
  if (value.is_array()) {
    Json::Array list;
    for (const Json& element : value.as_array()) {
      Json kept;
      if (keep(element, path, included, kept)) list.push_back(std::move(kept));
    }
    const bool any = !list.empty();
    out = Json(std::move(list));
    return any || included;
  }
  if (!included) return false;
  out = value;
  return true;
}

Json filter_source(const Json& source, const SourceFilter& filter) {
  return SourceCut(filter).of(source);
}

std::vector<Json> values_at(const Json& source, std::string_view path) {
  std::vector<Json> out;
  gather(source, path, out);
  return out;
}

}  // namespace cairn::search
