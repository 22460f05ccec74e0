// SPDX-License-Identifier: Apache-2.0
#include "ingest/ingest.h"

#include <doctest/doctest.h>

#include "inference/concept_model.h"
#include "store/memory_store.h"

namespace cairn::ingest {
namespace {

using index::WriteOperation;
using index::WriteResult;
using Kind = WriteOperation::Kind;
using Outcome = WriteResult::Outcome;

const os::Deadline forever = os::Deadline::never();

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<store::Store> records = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  os::Pool pool{{.name = "test", .threads = 2}};
  inference::ConceptModels models;
  std::unique_ptr<inference::Service> service =
      inference::Service::open(*records, models, pool, clock, {.background = false}, forever)
          .value();
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false}, forever).value();
  Ingest ingest{*indices, *service};

  void create(const char* mappings) {
    REQUIRE(indices->create("i", parse_json(mappings).value(), {}, forever).ok());
  }
  std::vector<WriteResult> write(std::vector<WriteOperation> operations) {
    auto results = ingest.write("i", operations, {}, forever);
    REQUIRE(results.ok());
    return std::move(*results);
  }
  std::string source(const char* id) {
    const auto found = (*indices->find("i"))->get(id, forever);
    REQUIRE(found.ok());
    return *found ? (*found)->source : "none";
  }
  std::vector<std::string> nearest(const char* field, const char* text) {
    auto index = *indices->find("i");
    REQUIRE(index->refresh(forever).ok());
    const auto view = index->view();
    const index::Query query{
        .node = index::DenseScoreQuery{field, inference::ConceptModel::vector_of(text)}};
    const auto found = view->search(query, {}, forever);
    REQUIRE(found.ok());
    std::vector<std::string> ids;
    for (const auto& hit : found->hits) ids.push_back(*view->id(hit.doc, forever));
    return ids;
  }
};

std::string reason(const WriteResult& result) {
  if (!result.error) return "no error";
  const std::string cause = result.error->cause ? " <- " + result.error->cause->message : "";
  return result.error->code + ": " + result.error->message + cause;
}

}  // namespace

TEST_CASE("ingest: the first write makes the index, unless told not to") {
  Fixture fixture;
  std::vector<WriteOperation> one = {{.id = "1", .source = R"({"a":1})"}};
  CHECK(fixture.ingest.write("i", one, {.auto_create = false}, forever).error().code ==
        "index_not_found_exception");
  CHECK(fixture.ingest.write("i", one, {.require_alias = true}, forever)
            .error()
            .message.find("is not an alias") != std::string::npos);
  const auto results = fixture.write(one);
  CHECK(results[0].outcome == Outcome::created);
  CHECK(fixture.source("1") == R"({"a":1})");
}

TEST_CASE("ingest: texts of semantic fields are found by meaning, copied ones too") {
  Fixture fixture;
  fixture.create(R"({"properties":{
      "title":{"type":"text","copy_to":"meaning"},
      "meaning":{"type":"semantic_text","inference_id":".cairn-dense"}}})");
  fixture.write({{.id = "1", .source = R"({"title":"an automobile on the road"})"},
                 {.id = "2", .source = R"({"title":["the sea","a kitten"]})"},
                 {.id = "3", .source = R"({"title":"  ","other":1})"}});
  CHECK(fixture.nearest("meaning", "car").front() == "1");
  CHECK(fixture.nearest("meaning", "cat").front() == "2");
  CHECK(fixture.nearest("meaning", "ocean").front() == "2");
  CHECK(fixture.nearest("meaning", "ocean").size() == 2);
  const auto* field = (*fixture.indices->find("i"))->mapping()->find("meaning");
  REQUIRE(field->model_settings.has_value());
  CHECK(field->model_settings->task_type == "text_embedding");
  CHECK(field->model_settings->dimensions == 5);
}

TEST_CASE("ingest: a batch is embedded in few calls, cut as the field says") {
  Fixture fixture;
  fixture.create(R"({"properties":{"m":{"type":"semantic_text","inference_id":".cairn-dense",
      "chunking_settings":{"strategy":"word","max_chunk_size":10,"overlap":1}}}})");
  std::vector<WriteOperation> operations;
  for (int i = 0; i < 40; ++i) {
    std::string text = "car";
    for (int word = 0; word < 24; ++word) text += " word" + std::to_string(word);
    operations.push_back({.id = std::to_string(i), .source = Json::object({{"m", text}}).dump()});
  }
  const int before = fixture.models.model->calls;
  for (const auto& result : fixture.write(std::move(operations)))
    CHECK(reason(result) == "no error");
  CHECK(fixture.models.model->calls - before <= 14);  // 120 chunks, 10 in a batch, and a warm-up
  CHECK(fixture.nearest("m", "vehicle").size() == 10);
}

TEST_CASE("ingest: nothing is cut into chunks or embedded once the caller has gone") {
  Fixture fixture;
  fixture.create(R"({"properties":{"m":{"type":"semantic_text","inference_id":".cairn-dense"}}})");
  fixture.write({{.id = "0", .source = R"({"m":"car"})"}});
  const int before = fixture.models.model->calls;
  std::stop_source caller;
  caller.request_stop();
  std::vector<WriteOperation> operations = {{.id = "1", .source = R"({"m":"cat"})"},
                                            {.id = "2", .source = R"({"m":"sea"})"}};
  const auto results =
      fixture.ingest.write("i", operations, {}, os::Deadline::never(caller.get_token()));
  REQUIRE(results.ok());
  for (const WriteResult& result : *results) {
    REQUIRE(result.error.has_value());
    CHECK(result.error->kind == ErrorKind::cancelled);
    CHECK(result.error->message == "stopped while cutting texts into chunks");
  }
  CHECK(fixture.models.model->calls == before);
  CHECK(fixture.source("1") == "none");
}

TEST_CASE("ingest: a document that cannot be embedded does not stop the others") {
  Fixture fixture;
  fixture.create(R"({"properties":{"m":{"type":"semantic_text","inference_id":".cairn-dense"},
                                 "n":{"type":"semantic_text","inference_id":"missing"}}})");
  Ingest single(*fixture.indices, *fixture.service, {.texts_per_request = 1});
  std::vector<WriteOperation> operations = {{.id = "1", .source = R"({"m":"a cat"})"},
                                            {.id = "2", .source = R"({"m":"broken"})"},
                                            {.id = "3", .source = R"({"n":"no endpoint"})"},
                                            {.id = "4", .source = R"({"m":)"},
                                            {.id = "5", .source = R"({"m":5})"},
                                            {.id = "6", .source = R"({"x":"a sea"})"}};
  const auto results = single.write("i", operations, {}, forever);
  REQUIRE(results.ok());
  CHECK(reason((*results)[0]) == "no error");
  CHECK(reason((*results)[1]) ==
        "inference_exception: Exception when running inference id [.cairn-dense] on field [m] "
        "<- the model is out of breath");
  CHECK((*results)[1].error->kind == ErrorKind::rate_limited);
  CHECK((*results)[1].id == "2");
  CHECK((*results)[2].error->code == "inference_exception");
  CHECK((*results)[3].error->code == "document_parsing_exception");
  CHECK((*results)[4].error->code == "document_parsing_exception");
  CHECK(reason((*results)[5]) == "no error");
  CHECK(fixture.nearest("m", "cat") == std::vector<std::string>{"1"});
}

TEST_CASE("update: merges, makes, finds nothing to do, and minds versions") {
  Fixture fixture;
  const auto update = [&](const char* id, const char* body, std::int64_t seq_no = -1) {
    auto parsed = parse_update(id, parse_json(body).value());
    REQUIRE(parsed.ok());
    if (seq_no >= 0) parsed->if_seq_no = seq_no, parsed->if_primary_term = 1;
    return fixture.ingest.update("i", *parsed, {}, forever);
  };
  CHECK(update("1", R"({"doc":{"a":1}})").error().code == "index_not_found_exception");
  CHECK(update("1", R"({"doc":{"a":1},"upsert":{"a":{"b":1,"c":2},"l":[1]}})")->write.outcome ==
        Outcome::created);
  CHECK(update("1", R"({"doc":{"a":{"b":5},"l":[]}})")->write.version == 2);
  CHECK(fixture.source("1") == R"({"a":{"b":5,"c":2},"l":[]})");
  CHECK(update("1", R"({"doc":{"a":{"b":5}}})")->write.outcome == Outcome::noop);
  CHECK(update("1", R"({"doc":{"a":{"b":5}},"detect_noop":false})")->write.version == 3);
  CHECK(update("2", R"({"doc":{"a":1}})").error().code == "document_missing_exception");
  CHECK(update("2", R"({"doc":{"x":1},"doc_as_upsert":true})")->write.outcome == Outcome::created);
  CHECK(update("1", R"({"doc":{"z":1}})", 0).error().code == "version_conflict_engine_exception");
  CHECK_FALSE(parse_update("1", parse_json(R"({"script":"x"})").value()).ok());
  CHECK_FALSE(parse_update("1", parse_json(R"({"foo":1})").value()).ok());
  CHECK_FALSE(parse_update("1", parse_json("{}").value()).ok());
}

TEST_CASE("bulk: items of several indices, in order, each with its own result") {
  Fixture fixture;
  const auto item = [](BulkItem::Action action, const char* index, const char* id,
                       const char* source = "") {
    BulkItem made{.action = action, .index = index, .operation = {.id = id, .source = source}};
    made.operation.kind = action == BulkItem::Action::create   ? Kind::create
                          : action == BulkItem::Action::remove ? Kind::remove
                                                               : Kind::index;
    return made;
  };
  using Action = BulkItem::Action;
  BulkItem update{.action = Action::update, .index = "i"};
  update.update = parse_update("1", parse_json(R"({"doc":{"b":2}})").value()).value();
  BulkItem refused = item(Action::index, "i", "9", "{}");
  refused.refused = Error{.kind = ErrorKind::permission_denied, .message = "no"};
  std::vector<BulkItem> items = {item(Action::index, "i", "1", R"({"a":1})"),
                                 update,  // sees the line before
                                 item(Action::create, "i", "1", "{}"),
                                 item(Action::index, "j", "1", "{}"),
                                 refused,
                                 item(Action::remove, "i", "7"),
                                 item(Action::remove, "absent", "7"),
                                 item(Action::index, "Bad Name", "1", "{}")};
  const auto results = fixture.ingest.bulk(items, forever);
  REQUIRE(results.size() == 8);
  CHECK(results[0].outcome == Outcome::created);
  CHECK(results[1].outcome == Outcome::updated);
  CHECK(results[1].version == 2);
  CHECK(results[2].error->code == "version_conflict_engine_exception");
  CHECK(results[3].outcome == Outcome::created);
  CHECK(results[4].error->message == "no");
  CHECK(results[5].outcome == Outcome::not_found);
  CHECK_FALSE(results[5].error.has_value());
  CHECK(results[6].error->code == "index_not_found_exception");
  CHECK(results[7].error->code == "invalid_index_name_exception");
  CHECK(fixture.source("1") == R"({"a":1,"b":2})");
  CHECK(fixture.source("9") == "none");
}

TEST_CASE("complexity: an update takes as many steps as both documents have members") {
  const auto object_of = [](std::size_t n, const char* prefix) {
    Json::Object members;
    for (std::size_t i = 0; i < n; ++i)
      members.emplace_back(prefix + std::to_string(i), static_cast<std::int64_t>(i));
    return Json(std::move(members));
  };
  for (const std::size_t n : {1000u, 2000u, 4000u}) {
    std::uint64_t steps = 0;
    const Json merged = merge_document(object_of(n, "a"), object_of(n, "b"), &steps);
    CHECK(merged.as_object().size() == 2 * n);
    CHECK(steps == 2 * n);
  }
}

TEST_CASE("complexity: many items of a bulk about one document, counted in what is logged") {
  const auto logged = [](std::size_t n, const char* kind) {
    Fixture fixture;
    fixture.create(R"({"properties":{"n":{"type":"long"}}})");
    std::vector<BulkItem> items;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string source = R"({"n":)" + std::to_string(1000 + i) + "}";
      BulkItem item{.index = "i"};
      if (std::string_view(kind) == "index") {
        item.operation = {.id = "1", .source = source};
      } else {
        item.action = BulkItem::Action::update;
        item.update = {.id = "1", .doc = parse_json(source).value(), .doc_as_upsert = true};
      }
      items.push_back(std::move(item));
    }
    for (const WriteResult& result : fixture.ingest.bulk(items, forever)) CHECK(!result.error);
    CHECK(fixture.source("1") == R"({"n":)" + std::to_string(999 + n) + "}");
    std::size_t objects = 0, bytes = 0;
    REQUIRE(store::for_each_object(*fixture.store, "index/data/", forever,
                                   [&](const store::ObjectInfo& info) {
                                     if (info.key.find("/wal/") == std::string::npos)
                                       return ok_status();
                                     ++objects;
                                     bytes += info.size_bytes;
                                     return ok_status();
                                   })
                .ok());
    return std::pair(objects, bytes);
  };
  // Writes go together; an update waits for what it reads.
  CHECK(logged(100, "index").first == 1);
  CHECK(logged(400, "index").first == 1);
  const auto one = logged(100, "update"), two = logged(200, "update"), four = logged(400, "update");
  CHECK(one.first == 100);
  CHECK(two.first == 200);
  CHECK(four.first == 400);
  CHECK(static_cast<double>(two.second) <= 2.2 * static_cast<double>(one.second));
  CHECK(static_cast<double>(four.second) <= 2.2 * static_cast<double>(two.second));
}

TEST_CASE("bulk: small changes of large documents are written before they have gathered") {
  Fixture fixture;
  Ingest ingest(*fixture.indices, *fixture.service, {.write_bytes = 5000});
  std::vector<WriteOperation> documents;
  for (int i = 0; i < 10; ++i)
    documents.push_back({.id = std::to_string(i),
                         .source = Json::object({{"t", std::string(1000, 'x')}}).dump()});
  fixture.write(documents);
  const auto log_objects = [&] {
    std::size_t count = 0;
    REQUIRE(store::for_each_object(*fixture.store, "index/data/", forever,
                                   [&](const store::ObjectInfo& info) {
                                     count += info.key.find("/wal/") != std::string::npos ? 1 : 0;
                                     return ok_status();
                                   })
                .ok());
    return count;
  };
  const std::size_t before = log_objects();
  std::vector<BulkItem> items;
  for (int i = 0; i < 10; ++i) {
    BulkItem item{.action = BulkItem::Action::update, .index = "i"};
    item.update = {.id = std::to_string(i), .doc = parse_json(R"({"n":1})").value()};
    items.push_back(std::move(item));
  }
  for (const WriteResult& result : ingest.bulk(items, forever)) CHECK(!result.error);
  CHECK(log_objects() == before + 2);
  for (const BulkItem& item : items) CHECK(item.operation.source.size() < 1000);
}

TEST_CASE("bulk: routing is kept by updates, and required where the mapping says so") {
  Fixture fixture;
  fixture.create(R"({"_routing":{"required":true}})");
  const Json change = parse_json(R"({"a":1})").value();
  const auto item = [&](const char* routing, std::int64_t retries) {
    BulkItem one{.action = BulkItem::Action::update, .index = "i"};
    one.update = {.id = "1",
                  .routing = routing,
                  .doc = change,
                  .doc_as_upsert = true,
                  .retry_on_conflict = retries};
    return one;
  };
  std::vector<BulkItem> items = {item("", 0), item("", 1), item("east", 0)};
  const auto results = fixture.ingest.bulk(items, forever);
  CHECK(reason(results[0]) == "routing_missing_exception: routing is required for [i]/[1]");
  CHECK(reason(results[1]) == "routing_missing_exception: routing is required for [i]/[1]");
  CHECK(!results[2].error);
  CHECK((*(*fixture.indices->find("i"))->get("1", forever))->routing == "east");
  const Json other = parse_json(R"({"b":1})").value();
  CHECK(fixture.ingest.update("i", {.id = "1", .routing = "west", .doc = other}, {}, forever).ok());
  CHECK((*(*fixture.indices->find("i"))->get("1", forever))->routing == "west");
}

TEST_CASE("update: objects within objects are merged, lists and scalars replaced") {
  const Json base = parse_json(R"({"a":{"b":1,"c":[1,2]},"d":5})").value();
  const Json change = parse_json(R"({"a":{"c":[3],"e":null},"d":{"f":1},"g":2})").value();
  CHECK(merge_document(base, change).dump() ==
        R"({"a":{"b":1,"c":[3],"e":null},"d":{"f":1},"g":2})");
}

}  // namespace cairn::ingest
