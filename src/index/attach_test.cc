// SPDX-License-Identifier: Apache-2.0
// Indices that one catalogue writes and another one shows.
#include <doctest/doctest.h>

#include "index/testing.h"

namespace cairn::index::attach_test {
namespace {

const Json none = {};

Options keeping_names() {
  Options out = Fixture::quiet_options();
  out.reserved_prefix = ".objects-";
  return out;
}

struct Both {
  Fixture owner;
  Fixture shown{keeping_names()};
  std::shared_ptr<Index> index = owner.create(".objects-journal-books");

  Both() {
    REQUIRE(shown.indices().attach(*index).ok());
    shown.create("books");
    owner.put(*index, "1", R"({"key": "a"})");
    REQUIRE(index->refresh(owner.soon()).ok());
  }
  std::string names(std::string_view expression, const ResolveOptions& options = {}) {
    const auto found = shown.indices().resolve(expression, options);
    if (!found.ok()) return found.error().code;
    std::string out;
    for (const auto& one : *found) out += (out.empty() ? "" : " ") + one->name();
    return out;
  }
};

TEST_CASE("attached indices: what the owner writes shows, and goes on to") {
  Both both;
  const auto face = both.shown.indices().find(".objects-journal-books");
  REQUIRE(face.ok());
  CHECK((*face)->view()->document_count() == 1);
  CHECK((*face)->uuid() == both.index->uuid());
  both.owner.put(*both.index, "2", R"({"key": "b"})");
  REQUIRE(both.index->refresh(both.owner.soon()).ok());
  CHECK((*face)->view()->document_count() == 2);
  both.shown.indices().unattach(".objects-journal-books");
  CHECK(both.shown.indices().find(".objects-journal-books").error().code ==
        "index_not_found_exception");
  CHECK((*face)->view()->document_count() == 2);
}

TEST_CASE("attached indices: patterns find them by a dot only") {
  Both both;
  const std::string table = ".objects-journal-books";
  CHECK(both.names("*") == "books");
  CHECK(both.names("_all") == "books");
  CHECK(both.names("") == "books");
  CHECK(both.names("*objects*") == "");
  CHECK(both.names(".*") == table);
  CHECK(both.names(".objects-*") == table);
  CHECK(both.names("b*,.objects-j*") == table + " books");
  CHECK(both.names(table) == table);
  CHECK(both.names("*", {.expand_hidden = true}) == table + " books");
  CHECK(both.names(".objects-*,-.objects-journal-*") == "");
  CHECK(both.shown.indices().all().size() == 2);
  CHECK(both.names("*", {.expand_hidden = true, .own_only = true}) == "books");
  CHECK(both.names(table, {.own_only = true}) == "illegal_argument_exception");
}

TEST_CASE("attached indices: nothing changes them but their owner") {
  Both both;
  const auto soon = both.shown.soon();
  auto& indices = both.shown.indices();
  const auto face = *indices.find(".objects-journal-books");
  const std::vector<WriteOperation> operations = {
      {.id = "9", .source = "{}"},
      {.kind = WriteOperation::Kind::create, .id = "8", .source = "{}"},
      {.kind = WriteOperation::Kind::remove, .id = "1"}};
  const auto written = face->write(operations, soon);
  REQUIRE(written.ok());
  REQUIRE(written->size() == 3);
  for (const WriteResult& result : *written) {
    REQUIRE(result.error);
    CHECK(result.error->code == "cluster_block_exception");
    CHECK(result.error->message ==
          "index [.objects-journal-books] blocked by: [FORBIDDEN/5/index read-only (api)];");
  }
  const auto json = [](const char* text) { return *parse_json(text); };
  CHECK(face->put_mapping(json(R"({"properties":{"x":{"type":"long"}}})"), soon).error().code ==
        "cluster_block_exception");
  CHECK(face->put_settings(json(R"({"index":{"hidden":false}})"), soon).error().code ==
        "cluster_block_exception");
  CHECK(indices.remove(face->name(), soon).error().code == "cluster_block_exception");
  CHECK((*face->get("1", soon)).has_value());
  CHECK(both.owner.put(*both.index, "3", "{}").version == 1);
}

TEST_CASE("attached indices: no request makes one of such a name") {
  Both both;
  auto& indices = both.shown.indices();
  const auto soon = both.shown.soon();
  for (const char* name : {".objects-journal-books", ".objects-inventory-books", ".objects-"}) {
    CAPTURE(name);
    CHECK(indices.create(name, none, none, soon).error().code == "invalid_index_name_exception");
    CHECK(indices.restore(name, none, {}, soon).error().code == "invalid_index_name_exception");
    CHECK(indices.check_new_name(name).error().code == "invalid_index_name_exception");
  }
  CHECK(indices.create(".objects", none, none, soon).ok());
  CHECK(indices.check_new_name("objects-x").ok());
  Fixture other;
  CHECK(indices.attach(*other.create("books")).error().code ==
        "resource_already_exists_exception");
}

TEST_CASE("attached indices: they are opened, flushed and kept by their owner alone") {
  Both both;
  REQUIRE(both.shown.indices().flush_all(both.shown.soon()).ok());
  both.shown.reopen();
  CHECK(both.names(".*") == "");
  REQUIRE(both.shown.indices().attach(*both.index).ok());
  REQUIRE(both.owner.indices().remove(".objects-journal-books", both.owner.soon()).ok());
  const auto face = *both.shown.indices().find(".objects-journal-books");
  CHECK(face->get("1", both.shown.soon()).error().code == "index_not_found_exception");
}

}  // namespace
}  // namespace cairn::index::attach_test
