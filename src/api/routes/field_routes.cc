// SPDX-License-Identifier: Apache-2.0
#include "api/routes/field_routes.h"

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/field_capabilities.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "base/strings.h"
#include "index/view.h"

namespace cairn::api {
namespace {

constexpr std::size_t most_patterns = 1000;  // each is tried on every field

/// Those of the URL, or of the body.
Result<std::vector<std::string>> field_names(const Call& call, Fields& fields) {
  CAIRN_TRY(auto given, fields.strings("fields"));
  std::vector<std::string> out = call.list("fields");
  if (given && !out.empty())
    return illegal_argument("can't specify a request body and [fields] request parameter");
  if (given) out = *std::move(given);
  if (out.empty()) return validation_fault({"no fields specified"});
  if (out.size() > most_patterns)
    return illegal_argument("[fields] has " + std::to_string(out.size()) + " names, at most " +
                            std::to_string(most_patterns) + " are taken");
  return out;
}

Status read_filters(const Call& call, FieldRequest& out) {
  for (const std::string& filter : call.list("filters")) {
    if (filter == "+metadata")
      out.only_metadata = true;
    else if (filter == "-metadata")
      out.metadata = false;
    else if (filter == "-parent")
      out.parents = false;
    else if (filter == "-multifield")
      out.multi_fields = false;
    else if (filter == "-nested")
      out.nested = false;
    else
      return illegal_argument("Invalid filter string: " + filter);
  }
  return ok_status();
}

Result<Reply> capabilities(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json given = body.value_or(Json::object());
  Fields fields(given, "field_caps_request");
  FieldRequest request;
  CAIRN_TRY(request.fields, field_names(call, fields));
  CAIRN_TRY(const Json* runtime, fields.object("runtime_mappings"));
  if (runtime != nullptr) request.runtime_mappings = *runtime;
  CAIRN_CHECK(fields.finish());
  request.types = call.list("types");
  CAIRN_TRY(request.unmapped, call.flag("include_unmapped", false));
  CAIRN_TRY(const bool empty, call.flag("include_empty_fields", true));
  if (!empty)
    return illegal_argument(
        "[include_empty_fields] can only be true: fields are listed by the mapping");
  CAIRN_CHECK(read_filters(call, request));
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  CAIRN_TRY(Json out, field_capabilities(found, request, call.deadline()));
  return Reply::json(std::move(out));
}

constexpr std::int64_t most_terms = 10'000;

/// The terms of a keyword that begin as somebody has typed. Errors: those of the body.
Result<index::TermsAsked> terms_asked(Call& call, std::int64_t& timeout_ms) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "terms_enum");
  index::TermsAsked out;
  CAIRN_TRY(out.field, fields.required_string("field"));
  CAIRN_TRY(out.prefix, fields.string_or("string", ""));
  CAIRN_TRY(out.after, fields.string_or("search_after", ""));
  CAIRN_TRY(out.case_insensitive, fields.boolean_or("case_insensitive", false));
  CAIRN_TRY(const auto size, fields.integer_or("size", 10));
  CAIRN_TRY(const auto timeout, fields.time_ms("timeout"));
  if (fields.any("index_filter") != nullptr)
    return illegal_argument("[index_filter] is not offered: name the indices in the address");
  CAIRN_CHECK(fields.finish());
  if (size < 1 || size > most_terms)
    return illegal_argument("[size] must be between 1 and " + std::to_string(most_terms) +
                            ", got [" + std::to_string(size) + "]");
  out.most = static_cast<std::size_t>(size);
  timeout_ms = timeout.value_or(1'000);
  return out;
}

Result<Reply> enumerate_terms(Call& call, const index::Indices& indices) {
  std::int64_t timeout_ms = 0;
  CAIRN_TRY(const index::TermsAsked asked, terms_asked(call, timeout_ms));
  const os::Deadline until =
      timeout_ms < 0 ? call.deadline() : call.deadline().sooner_ms(timeout_ms);
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  std::set<std::string> terms;
  bool complete = true;
  for (const auto& index : found) {
    // What an alias hides would show in them.
    if (index.filter() != nullptr)
      return illegal_argument("index [" + index->name() +
                              "] is reached by an alias with a filter, and its terms are those of "
                              "all documents; name the index");
    auto own = index->view()->terms(asked, until);
    if (!own.ok()) {
      CAIRN_CHECK(call.deadline().check("listing terms"));
      if (own.error().kind != ErrorKind::timeout) return std::move(own).error();
      complete = false;
      break;
    }
    terms.insert(own->begin(), own->end());
    while (terms.size() > asked.most) terms.erase(std::prev(terms.end()));
  }
  return Reply::json(Json::object({{"_shards", shards_of(found.size())},
                                   {"terms", Json::array_of(terms)},
                                   {"complete", complete}}));
}

/// What was given for a field, and for those below `fields`.
Json given_of(const index::Mapping& mapping, const index::Field& field) {
  Json out = field.given;
  Json below = Json::object();
  for (const index::Field* multi : mapping.multi_fields(field))
    below.set(multi->name.substr(field.name.size() + 1), multi->given);
  if (!below.as_object().empty()) out.set("fields", std::move(below));
  return out;
}

Result<Reply> field_mappings(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const bool defaults, call.flag("include_defaults", false));
  if (defaults)
    return illegal_argument("[include_defaults] can only be false: mappings show what was given");
  std::vector<std::string_view> patterns = split(call.path("fields"), ',');
  if (patterns.size() > most_patterns)
    return illegal_argument("at most " + std::to_string(most_patterns) + " names are taken");
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  Json out = Json::object();
  for (const auto& index : found) {
    CAIRN_CHECK(call.deadline().check("listing mappings"));
    const auto mapping = index->mapping();
    std::map<std::string, Json> mappings;
    for (const std::string_view pattern : patterns) {
      for (const index::Field* field : mapping->match(trim(pattern))) {
        const std::string& name = field->name;
        Json one = Json::object({{name.substr(name.rfind('.') + 1), given_of(*mapping, *field)}});
        mappings.try_emplace(name,
                             Json::object({{"full_name", name}, {"mapping", std::move(one)}}));
      }
    }
    Json::Object shown(std::make_move_iterator(mappings.begin()),
                       std::make_move_iterator(mappings.end()));
    out.set(index->name(), Json::object({{"mappings", Json(std::move(shown))}}));
  }
  return Reply::json(std::move(out));
}

}  // namespace

void add_field_routes(Router& router, ServiceRef<const index::Indices> indices) {
  for (const auto* method : {"POST", "GET"})
    router.add({.method = method,
                .path = "/{index}/_terms_enum",
                .operation = "terms_enum",
                .index_privilege = "read",
                .filters_indices = true,
                .resource = "search",
                .reads = true,
                .computes = true,
                .query = with_index_options(),
                .summary = "Lists terms of a keyword field that begin with some letters.",
                .body_required = true},
               [indices](Call& call) { return enumerate_terms(call, *indices); });
  for (const std::string index : {"/{index}", ""}) {
    for (const auto* method : {"POST", "GET"})
      router.add({.method = method,
                  .path = index + "/_field_caps",
                  .operation = "field_caps",
                  .index_privilege = "view_index_metadata",
                  .filters_indices = true,
                  .reads = true,
                  .computes = true,
                  .query = with_index_options(
                      {{"fields", "list", "Names of fields, with *."},
                       {"types", "list", "Fields of these types only."},
                       {"filters", "list", "+metadata, -metadata, -parent, -multifield."},
                       {"include_unmapped", "boolean", "Say which indices lack a field."},
                       {"include_empty_fields", "boolean", "Fields are listed by the mapping."}}),
                  .summary = "Says what fields can do, over all indices that are named."},
                 [indices](Call& call) { return capabilities(call, *indices); });
    router.add({.method = "GET",
                .path = index + "/_mapping/field/{fields}",
                .operation = "indices.get_field_mapping",
                .index_privilege = "view_index_metadata",
                .filters_indices = true,
                .computes = true,
                .query = with_index_options(
                    {{"include_defaults", "boolean", "Mappings show what was given."},
                     {"local", "boolean", "Accepted; one node knows all."}}),
                .summary = "Gives the mappings of single fields."},
               [indices](Call& call) { return field_mappings(call, *indices); });
  }
}

}  // namespace cairn::api
