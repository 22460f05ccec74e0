// SPDX-License-Identifier: Apache-2.0
#include "api/routes/document_routes.h"

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/write_params.h"
#include "base/encode.h"
#include "index/errors.h"
#include "search/source_filter.h"
#include "search/stored_values.h"

namespace cairn::api {
namespace {

using index::WriteOperation;
using index::WriteResult;

struct DocumentServices {
  index::Indices& indices;
  ingest::Ingest& ingest;
  search::Service& search;
  std::size_t answer_bytes_max;
};

Result<search::SourceFilter> source_of(const Call& call) {
  search::SourceFilter filter;
  const std::string given = call.query("_source").value_or("true");
  if (given == "false") {
    filter.enabled = false;
  } else if (!given.empty() && given != "true") {
    filter.includes = call.list("_source");
  }
  for (const auto& [name, list] : {std::pair{"_source_includes", &filter.includes},
                                   std::pair{"_source_excludes", &filter.excludes}})
    if (call.query(name)) *list = call.list(name);
  CAIRN_TRY(filter.exclude_vectors, call.flag("_source_exclude_vectors", false));
  return filter;
}

// --- writes

Result<Reply> reply_of(const std::string& index_name, const WriteResult& result,
                       const WriteQuery& query, const DocumentServices& services) {
  if (result.error) return *result.error;
  const bool wrote = result.outcome != WriteResult::Outcome::noop;
  if (wrote && query.refresh != RefreshPolicy::none) {
    CAIRN_TRY(const auto index, services.indices.find(index_name));
    CAIRN_CHECK(apply_refresh(*index, query.refresh, query.deadline));
  }
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  write_result(out, index_name, result, wrote && query.refresh == RefreshPolicy::now);
  out.end_object();
  Reply reply = Reply::raw_json(std::move(text), status_of(result));
  if (result.outcome == WriteResult::Outcome::created)
    reply.headers.set("Location",
                      "/" + percent_encode(index_name) + "/_doc/" + percent_encode(result.id));
  return reply;
}

index::StreamWrite stream_write_of(WriteOperation::Kind kind) {
  if (kind == WriteOperation::Kind::create) return index::StreamWrite::create;
  return kind == WriteOperation::Kind::index ? index::StreamWrite::index
                                             : index::StreamWrite::remove;
}

Result<Reply> write_one(Call& call, const DocumentServices& services, WriteOperation operation) {
  CAIRN_TRY(const WriteQuery query, write_query(call));
  if (operation.kind == WriteOperation::Kind::create)
    CAIRN_CHECK(services.indices.roll_over_if_marked(call.path("index"), query.deadline));
  CAIRN_TRY(WriteTarget to, write_target(services.indices, call.path("index"), query,
                                         stream_write_of(operation.kind)));
  const std::string& name = to.index;
  operation.routing = to.routing;
  operation.if_seq_no = query.if_seq_no;
  operation.if_primary_term = query.if_primary_term;
  const bool removes = operation.kind == WriteOperation::Kind::remove;
  if (!removes) {
    CAIRN_CHECK(check_auto_create(call, services.indices, call.path("index")));
    CAIRN_TRY(const std::string_view body, call.raw_body());
    if (body.empty()) return validation_fault({"source is missing"});
    operation.source = body;
  }
  if (to.makes_stream) {
    CAIRN_TRY(const auto index, services.ingest.open(name, {}, query.deadline));
    to.index = index->name();
  }
  CAIRN_TRY(const auto results, services.ingest.write(name, std::span(&operation, 1),
                                                      {.auto_create = !removes && !to.is_resolved},
                                                      query.deadline));
  return reply_of(name, results.front(), query, services);
}

Result<WriteOperation::Kind> kind_of(const Call& call, WriteOperation::Kind fallback) {
  const auto given = call.query("op_type");
  if (!given || given->empty()) return fallback;
  if (*given == "index") return WriteOperation::Kind::index;
  if (*given == "create") return WriteOperation::Kind::create;
  return illegal_argument("opType must be 'create' or 'index', found: [" + *given + "]");
}

Result<Reply> put_document(Call& call, const DocumentServices& services) {
  CAIRN_TRY(const auto kind, kind_of(call, WriteOperation::Kind::index));
  return write_one(call, services, {.kind = kind, .id = call.path("id")});
}

Result<Reply> post_document(Call& call, const DocumentServices& services) {
  CAIRN_TRY(const auto kind, kind_of(call, WriteOperation::Kind::create));
  return write_one(call, services, {.kind = kind});
}

Result<Reply> create_document(Call& call, const DocumentServices& services) {
  return write_one(call, services, {.kind = WriteOperation::Kind::create, .id = call.path("id")});
}

Result<Reply> delete_document(Call& call, const DocumentServices& services) {
  return write_one(call, services, {.kind = WriteOperation::Kind::remove, .id = call.path("id")});
}

Result<Reply> update_document(Call& call, const DocumentServices& services) {
  CAIRN_CHECK(call.require_whole(call.path("index")));
  CAIRN_TRY(const WriteQuery query, write_query(call));
  CAIRN_TRY(const WriteTarget to, write_target(services.indices, call.path("index"), query,
                                               index::StreamWrite::update));
  const std::string& name = to.index;
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(ingest::Update update, ingest::parse_update(call.path("id"), body));
  CAIRN_TRY(update.retry_on_conflict, call.integer("retry_on_conflict", 0));
  CAIRN_TRY(update.doc_as_upsert, call.flag("doc_as_upsert", update.doc_as_upsert));
  update.routing = to.routing;
  update.if_seq_no = query.if_seq_no;
  update.if_primary_term = query.if_primary_term;
  if (update.doc_as_upsert || !update.upsert.is_null())
    CAIRN_CHECK(check_auto_create(call, services.indices, name));
  CAIRN_TRY(const auto updated, services.ingest.update(name, update, {}, query.deadline));
  CAIRN_TRY(Reply reply, reply_of(name, updated.write, query, services));
  const Json* in_body = body.find("_source");
  const bool in_url =
      call.query("_source") || call.query("_source_includes") || call.query("_source_excludes");
  if (!in_url && in_body == nullptr) return reply;
  CAIRN_TRY(const auto filter,
            in_url ? source_of(call) : search::parse_source_filter("", *in_body));
  if (!filter.enabled) return reply;
  CAIRN_TRY(const Json source, parse_json(updated.source));
  CAIRN_TRY(Json whole, parse_json(reply.text));
  whole.set("get", Json::object({{"_seq_no", updated.write.seq_no},
                                 {"_primary_term", updated.write.primary_term},
                                 {"found", true},
                                 {"_source", search::filter_source(source, filter)}}));
  reply.text = whole.dump();
  return reply;
}

// --- gets

Status write_source(JsonWriter& out, const std::string& text, const search::SourceFilter& filter) {
  if (filter.is_all()) {
    out.raw(text);
    return ok_status();
  }
  CAIRN_TRY(const Json source, parse_json(text));
  out.value(search::filter_source(source, filter));
  return ok_status();
}

/// What of a document a get shows: its source, and fields with `store`.
struct GetParts {
  search::SourceFilter source = {};
  std::vector<std::string> stored = {};  // names and patterns
};

/// Whoever asks for stored fields gets no source, unless by name or by `_source`.
void take_stored(const std::vector<std::string>& names, bool source_given, GetParts& out) {
  if (names.empty()) return;
  out.stored = names;
  const bool named = std::erase(out.stored, "_source") > 0;
  if (!named && !source_given) out.source.enabled = false;
}

Result<GetParts> parts_of(const Call& call) {
  GetParts out;
  CAIRN_TRY(out.source, source_of(call));
  const bool given =
      call.query("_source") || call.query("_source_includes") || call.query("_source_excludes");
  take_stored(call.list("stored_fields"), given, out);
  return out;
}

Status write_stored(JsonWriter& out, const std::string& text, const index::Mapping& mapping,
                    const std::vector<std::string>& names) {
  if (names.empty()) return ok_status();
  CAIRN_TRY(const Json source, parse_json(text));
  const Json shown = search::stored_values(names, mapping, source);
  if (!shown.as_object().empty()) out.key("fields").value(shown);
  return ok_status();
}

Status write_found(JsonWriter& out, const index::Index& index, const std::string& id,
                   const std::optional<index::StoredDocument>& document, const GetParts& parts) {
  const std::string& index_name = index.name();
  const auto filter = search::without_vectors(parts.source, *index.mapping());
  out.begin_object().key("_index").string(index_name).key("_id").string(id);
  if (!document) {
    out.key("found").boolean(false).end_object();
    return ok_status();
  }
  out.key("_version").integer(document->version).key("_seq_no").integer(document->seq_no);
  out.key("_primary_term").integer(document->primary_term);
  if (!document->ignored.empty()) out.key("_ignored").value(Json::array_of(document->ignored));
  if (!document->routing.empty()) out.key("_routing").string(document->routing);
  out.key("found").boolean(true);
  if (filter.enabled) {
    out.key("_source");
    CAIRN_CHECK(write_source(out, document->source, filter));
  }
  CAIRN_CHECK(write_stored(out, document->source, *index.mapping(), parts.stored));
  out.end_object();
  return ok_status();
}

/// What a view has of a document that searches see.
Result<index::StoredDocument> stored_in(const index::View& view, index::DocAddress doc,
                                        const std::string& id, const os::Deadline& deadline) {
  CAIRN_TRY(const auto version, view.version(doc, deadline));
  CAIRN_TRY(std::string source, view.source(doc, deadline));
  CAIRN_TRY(const auto left_out, view.values(doc, index::ignored_field_name, deadline));
  CAIRN_TRY(const auto kept, view.values(doc, index::routing_field_name, deadline));
  const auto texts = [](const auto& values) {
    std::vector<std::string> out;
    for (const auto& value : values)
      if (const auto* text = std::get_if<std::string>(&value)) out.push_back(*text);
    return out;
  };
  const auto own = texts(kept);
  return index::StoredDocument{.id = id,
                               .version = version.version,
                               .seq_no = version.seq_no,
                               .primary_term = version.primary_term,
                               .source = std::move(source),
                               .ignored = texts(left_out),
                               .routing = own.empty() ? std::string() : own.front()};
}

/// A get asks for the newest version unless `realtime=false`, which asks for what searches see. Only
/// a search tells whether rights hide a document: then its newest version is made one that it sees.
Result<std::optional<index::StoredDocument>> fetch(const Call& call,
                                                   const DocumentServices& services,
                                                   std::string_view name, const ReadPlace& place,
                                                   const std::string& id) {
  index::Index& index = *place.index;
  CAIRN_CHECK(index.check_routing(id, place.routing));
  CAIRN_TRY(const bool realtime, call.flag("realtime", true));
  CAIRN_TRY(const bool refresh, call.flag("refresh", false));
  auto filter = call.caller().document_filter(name);
  if (refresh || (realtime && filter != nullptr)) CAIRN_CHECK(index.refresh(call.deadline()));
  if (realtime && filter == nullptr) return index.get(id, call.deadline());
  const auto view = index.view();
  CAIRN_TRY(const auto doc, view->find(id, call.deadline()));
  if (!doc) return std::optional<index::StoredDocument>();
  const index::NamedIndex narrowed(place.index, {std::string(name)}, std::move(filter), true);
  CAIRN_TRY(const bool shown, services.search.shows(narrowed, view, id, call.deadline()));
  if (!shown) return std::optional<index::StoredDocument>();
  CAIRN_TRY(auto found, stored_in(*view, *doc, id, call.deadline()));
  return std::optional(std::move(found));
}

std::string routing_of(const Call& call) { return call.query("routing").value_or(""); }

Result<Reply> get_document(Call& call, const DocumentServices& services) {
  CAIRN_TRY(const auto parts, parts_of(call));
  CAIRN_TRY(const auto place, read_place(services.indices, call.path("index"), routing_of(call)));
  const auto& index = place.index;
  CAIRN_TRY(const auto document,
            fetch(call, services, call.path("index"), place, call.path("id")));
  std::string text;
  JsonWriter out(text);
  CAIRN_CHECK(write_found(out, *index, call.path("id"), document, parts));
  return Reply::raw_json(std::move(text), document ? 200 : 404);
}

Result<Reply> get_source(Call& call, const DocumentServices& services) {
  CAIRN_TRY(const auto filter, source_of(call));
  CAIRN_TRY(const auto place, read_place(services.indices, call.path("index"), routing_of(call)));
  const auto& index = place.index;
  CAIRN_TRY(const auto document,
            fetch(call, services, call.path("index"), place, call.path("id")));
  if (!document)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "Document not found [" + index->name() + "]/[" + call.path("id") + "]"};
  std::string text;
  JsonWriter out(text);
  CAIRN_CHECK(write_source(out, document->source,
                           search::without_vectors(filter, *index->mapping())));
  return Reply::raw_json(std::move(text));
}

struct Wanted {
  std::string index;
  std::string id;
  std::string routing;
  GetParts parts;
};

Result<std::vector<Wanted>> read_mget(const Call& call, const Json& body) {
  CAIRN_TRY(const auto parts, parts_of(call));
  Fields fields(body, "mget_request");
  CAIRN_TRY(const Json* docs, fields.array("docs"));
  CAIRN_TRY(const auto ids, fields.strings("ids"));
  CAIRN_CHECK(fields.finish());
  std::vector<Wanted> wanted;
  if (ids)
    for (const std::string& id : *ids)
      wanted.push_back({call.path("index"), id, routing_of(call), parts});
  if (docs != nullptr)
    for (const Json& doc : docs->as_array()) {
      if (!doc.is_object()) return illegal_argument("docs array element should include an object");
      Fields in(doc, "mget_item", "docs");
      Wanted one{
          .index = call.path("index"), .id = {}, .routing = routing_of(call), .parts = parts};
      CAIRN_TRY(const std::string name, in.string_or("_index", one.index));
      CAIRN_TRY(one.index, plain_names(name));
      CAIRN_TRY(one.id, in.required_string("_id"));
      CAIRN_TRY(one.routing, in.string_or("routing", one.routing));
      CAIRN_TRY(const auto stored, in.strings("stored_fields"));
      const Json* source = in.any("_source");
      if (source != nullptr) {
        CAIRN_TRY(one.parts.source, search::parse_source_filter("", *source, true));
      }
      if (stored) take_stored(*stored, source != nullptr, one.parts);
      CAIRN_CHECK(in.finish());
      wanted.push_back(std::move(one));
    }
  if (wanted.empty()) return validation_fault({"no documents to get"});
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].index.empty())
      return validation_fault({"index is missing for doc " + std::to_string(i)});
  return wanted;
}

Result<Reply> get_several(Call& call, const DocumentServices& services) {
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const auto wanted, read_mget(call, body));
  std::string text;
  JsonWriter out(text);
  // One document may be asked for as often as the body has room.
  const auto check_room = [&](std::size_t more) -> Status {
    if (text.size() + more <= services.answer_bytes_max) return ok_status();
    return index::answer_too_large(text.size() + more, services.answer_bytes_max);
  };
  out.begin_object().key("docs").begin_array();
  for (const Wanted& one : wanted) {
    CAIRN_CHECK(call.deadline().check("getting documents"));
    std::shared_ptr<index::Index> from;
    const auto fetched = [&]() -> Result<std::optional<index::StoredDocument>> {
      CAIRN_CHECK(call.require_index("read", one.index));
      CAIRN_TRY(const auto place, read_place(services.indices, one.index, one.routing));
      from = place.index;
      return fetch(call, services, one.index, place, one.id);
    }();
    if (fetched.ok()) {
      const bool whole = *fetched && one.parts.source.is_all();
      CAIRN_CHECK(check_room(whole ? (*fetched)->source.size() : 0));
      CAIRN_CHECK(write_found(out, *from, one.id, *fetched, one.parts));
      CAIRN_CHECK(check_room(0));  // what a filter leaves is known only now
      continue;
    }
    Json error = error_body(fetched.error());
    out.begin_object().key("_index").string(one.index).key("_id").string(one.id);
    out.key("error").value(*error.find("error")).end_object();
  }
  out.end_array().end_object();
  return Reply::raw_json(std::move(text));
}

// --- rows

using DocumentFace = Result<Reply> (*)(Call&, const DocumentServices&);

class DocumentTable {
 public:
  DocumentTable(Router& router, ServiceRef<index::Indices> indices,
                ServiceRef<ingest::Ingest> ingest, ServiceRef<search::Service> search,
                std::size_t answer_bytes_max)
      : router_(router),
        indices_(indices),
        ingest_(ingest),
        search_(search),
        answer_bytes_max_(answer_bytes_max) {}
  void add(std::string method, std::string path, std::string operation, std::string privilege,
           std::string summary, std::vector<gate::Parameter> query, DocumentFace face) {
    const bool looks = privilege == "read" || operation == "mget";
    const bool names_none = privilege.empty();
    router_.add({.method = std::move(method),
                 .path = std::move(path),
                 .operation = std::move(operation),
                 .index_privilege = std::move(privilege),
                 .filters_documents = looks,
                 .reads = looks,
                 // Without {index} the body names them, and the handler asks for each.
                 .public_data = names_none && looks,
                 .query = std::move(query),
                 .summary = std::move(summary)},
                [face, indices = indices_, ingest = ingest_, search = search_,
                 most = answer_bytes_max_](Call& call) {
                  return face(call, {*indices, *ingest, *search, most});
                });
  }

 private:
  Router& router_;
  ServiceRef<index::Indices> indices_;
  ServiceRef<ingest::Ingest> ingest_;
  ServiceRef<search::Service> search_;
  std::size_t answer_bytes_max_;
};

const std::vector<gate::Parameter> read_options = {
    {"_source", "list", "true, false, or the paths to give."},
    {"_source_includes", "list", "Paths to give."},
    {"_source_excludes", "list", "Paths to leave out."},
    {"_source_exclude_vectors", "boolean", "Leave out fields of vectors."},
    {"realtime", "boolean", "false: as searches see it."},
    {"refresh", "boolean", "Refresh the index first."},
    {"preference", "string", "There is one shard."},
    {"routing", "string", "Needed where the mapping requires it; there is one shard."}};

void add_writes(DocumentTable& table) {
  const auto options = with_write_options({{"op_type", "string", "index or create."}});
  for (const auto* method : {"PUT", "POST"}) {
    table.add(method, "/{index}/_doc/{id}", "index", "index", "Writes a document.", options,
              put_document);
    table.add(method, "/{index}/_create/{id}", "create", "create_doc",
              "Writes a document that is not there yet.", with_write_options(), create_document);
  }
  table.add("POST", "/{index}/_doc", "index", "create_doc",
            "Writes a document and makes an id for it.", options, post_document);
  table.add("DELETE", "/{index}/_doc/{id}", "delete", "delete", "Deletes a document.",
            with_write_options(), delete_document);
  table.add("POST", "/{index}/_update/{id}", "update", "write",
            "Changes some fields of a document.",
            with_write_options(
                {{"retry_on_conflict", "integer", "How often to try again; 0 where absent."},
                 {"doc_as_upsert", "boolean", "Write the changes where there is no document."},
                 {"_source", "list", "Give the document as it is now."},
                 {"_source_includes", "list", "Paths to give of it."},
                 {"_source_excludes", "list", "Paths to leave out of it."}}),
            update_document);
}

void add_reads(DocumentTable& table) {
  auto with_fields = read_options;
  with_fields.push_back({"stored_fields", "list", "Fields with store, and no source."});
  table.add("GET", "/{index}/_doc/{id}", "get", "read", "Gives a document.", with_fields,
            get_document);
  table.add("GET", "/{index}/_source/{id}", "get_source", "read", "Gives the source alone.",
            read_options, get_source);
  for (const auto* method : {"POST", "GET"}) {
    table.add(method, "/{index}/_mget", "mget", "read", "Gives several documents.", with_fields,
              get_several);
    table.add(method, "/_mget", "mget", "", "Gives several documents.", with_fields, get_several);
  }
}

}  // namespace

void add_document_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<ingest::Ingest> ingest, ServiceRef<search::Service> search,
                         std::size_t answer_bytes_max) {
  DocumentTable table(router, indices, ingest, search, answer_bytes_max);
  add_writes(table);
  add_reads(table);
}

}  // namespace cairn::api
