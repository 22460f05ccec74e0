// SPDX-License-Identifier: Apache-2.0
#include "tasks/by_query.h"

namespace cairn::tasks {
namespace {

constexpr std::string_view names_of_kinds[] = {"delete", "update", "reindex"};
constexpr std::string_view names_of_routings[] = {"keep", "discard", "set"};

template <std::size_t count>
std::optional<std::size_t> place_in(const std::string_view (&names)[count], std::string_view name) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

Error broken(std::string what) {
  return {.kind = ErrorKind::corrupt, .message = "the record of a task has no " + std::move(what)};
}

}  // namespace

std::string_view action_of(Kind kind) {
  switch (kind) {
    case Kind::remove:
      return "indices:data/write/delete/byquery";
    case Kind::update:
      return "indices:data/write/update/byquery";
    case Kind::reindex:
      return "indices:data/write/reindex";
  }
  return {};
}

std::string ByQuery::description() const {
  const std::string from = "[" + source_names + "]";
  if (kind == Kind::remove) return "delete-by-query " + from;
  if (kind == Kind::update) return "update-by-query " + from;
  return "reindex from " + (remote ? remote->description() : "") + from + " to [" +
         destination.index + "]";
}

Json record_of(const ByQuery& request) {
  Json out = Json::object({{"kind", names_of_kinds[static_cast<std::size_t>(request.kind)]},
                           {"source_names", request.source_names},
                           {"query", request.query},
                           {"slices", request.slices},
                           {"proceed", request.proceed},
                           {"scroll_size", request.scroll_size},
                           {"refresh", request.refresh},
                           {"write_timeout_ms", request.write_timeout_ms}});
  if (request.max_docs) out.set("max_docs", *request.max_docs);
  if (!request.sort.is_null()) out.set("sort", request.sort);
  if (request.terminate_after > 0) out.set("terminate_after", request.terminate_after);
  if (request.search_timeout_ms >= 0) out.set("search_timeout_ms", request.search_timeout_ms);
  if (request.slice)
    out.set("slice", Json::object({{"field", request.slice->field},
                                   {"id", request.slice->id},
                                   {"max", request.slice->max}}));
  if (request.kind != Kind::reindex) return out;
  const Destination& to = request.destination;
  out.set("destination",
          Json::object({{"index", to.index},
                        {"create_only", to.create_only},
                        {"routing", names_of_routings[static_cast<std::size_t>(to.routing)]},
                        {"routing_value", to.routing_value}}));
  out.set("source_filter", request.source_filter);
  if (request.remote) out.set("remote", record_of(*request.remote));
  return out;
}

Result<ByQuery> read_by_query(const Json& record) {
  ByQuery out;
  const auto kind = place_in(names_of_kinds, record.string_or("kind"));
  if (!kind) return broken("kind");
  out.kind = static_cast<Kind>(*kind);
  out.source_names = record.string_or("source_names");
  if (const Json* query = record.find("query")) out.query = *query;
  if (const Json* slice = record.find("slice"))
    out.slice = search::Slice{.field = slice->string_or("field"),
                              .id = static_cast<std::uint32_t>(slice->int_or("id")),
                              .max = static_cast<std::uint32_t>(slice->int_or("max", 1))};
  out.slices = static_cast<std::size_t>(record.int_or("slices", 1));
  if (record.find("max_docs") != nullptr)
    out.max_docs = static_cast<std::uint64_t>(record.int_or("max_docs"));
  if (const Json* sort = record.find("sort")) out.sort = *sort;
  out.terminate_after = static_cast<std::uint64_t>(record.int_or("terminate_after"));
  out.search_timeout_ms = record.int_or("search_timeout_ms", -1);
  out.proceed = record.bool_or("proceed");
  out.scroll_size = static_cast<std::size_t>(record.int_or("scroll_size", 1'000));
  out.refresh = record.bool_or("refresh");
  out.write_timeout_ms = record.int_or("write_timeout_ms", 60'000);
  if (out.kind != Kind::reindex) return out;
  const Json* to = record.find("destination");
  if (to == nullptr) return broken("destination");
  const auto routing = place_in(names_of_routings, to->string_or("routing"));
  if (!routing) return broken("routing");
  out.destination = {.index = to->string_or("index"),
                     .create_only = to->bool_or("create_only"),
                     .routing = static_cast<Destination::Routing>(*routing),
                     .routing_value = to->string_or("routing_value")};
  if (const Json* filter = record.find("source_filter")) out.source_filter = *filter;
  if (const Json* remote = record.find("remote")) {
    CAIRN_TRY(out.remote, read_remote_source(*remote));
  }
  return out;
}

}  // namespace cairn::tasks
