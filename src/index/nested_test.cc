// SPDX-License-Identifier: Apache-2.0
// Nested objects: how documents are taken apart, what lies in segments of them, and what becomes of
// them in merges. Searches beside the oracle are in search_test.cc.
#include <doctest/doctest.h>

#include "base/bytes.h"
#include "index/document/document.h"
#include "index/document/object_source.h"
#include "index/query_fields.h"
#include "index/segment/builder.h"
#include "index/segment/merge.h"
#include "index/segment/nested_section.h"
#include "index/segment/segment.h"
#include "index/testing.h"

namespace cairn::index::nested_test {
namespace {

constexpr const char* mapping_text = R"({"properties": {"title": {"type": "keyword"}, "all": {"type": "keyword"},
  "a": {"type": "nested", "properties": {"k": {"type": "keyword", "copy_to": "all"}, "n": {"type": "long"},
    "b": {"type": "nested", "include_in_root": true, "properties": {"w": {"type": "text"}}}}},
  "o": {"properties": {"c": {"type": "nested", "include_in_parent": true, "properties": {"k": {"type": "keyword"}}}}}}})";

std::shared_ptr<const Mapping> mapping() {
  return Mapping::parse(Fixture::json(mapping_text), {}).value();
}

ParsedDocument parsed(const char* source) {
  auto document = parse_document("1", source, {}, mapping(), {});
  INFO((document.ok() ? std::string() : document.error().message));
  REQUIRE(document.ok());
  return std::move(*document);
}

std::string shown(const std::vector<FieldValues>& fields, const std::vector<NestedObject>& nested) {
  std::vector<std::string> parts;
  for (const FieldValues& one : fields) {
    std::string text = one.field->name + "=";
    for (const std::string& term : one.terms) text += term + ",";
    for (const std::int64_t number : one.numbers) text += std::to_string(number) + ",";
    for (const auto& token : one.tokens.list) text += std::string(one.tokens.term(token)) + ",";
    text.pop_back();
    parts.push_back(std::move(text));
  }
  std::sort(parts.begin(), parts.end());
  for (const NestedObject& object : nested)
    parts.push_back(object.field->name + "{" + shown(object.fields, object.nested) + "}");
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " ") + part;
  return out;
}
std::string taken_apart(const char* source) {
  const ParsedDocument document = parsed(source);
  return shown(document.fields, document.nested);
}

// The bytes of a segment with these documents.
struct Made {
  std::string bytes;
  std::uint64_t hot_offset = 0;
};
Made segment_of(const std::vector<const char*>& sources) {
  SegmentBuilder builder;
  for (std::size_t i = 0; i < sources.size(); ++i)
    builder.add(parsed(sources[i]), 1, static_cast<std::int64_t>(i));
  builder.close();
  Made out;
  SegmentOut sink([&](std::string_view piece) { return out.bytes += piece, ok_status(); });
  REQUIRE(builder.write(sink).ok());
  out.hot_offset = sink.hot_offset();
  return out;
}
Result<std::shared_ptr<const Segment>> opened(Made made) {
  return Segment::open(memory_file("test", std::move(made.bytes)), made.hot_offset,
                       os::Deadline::never());
}

std::vector<std::uint32_t> parents_of(const NestedPart& part) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < part.objects->doc_count(); ++i) out.push_back(part.parent(i));
  return out;
}

}  // namespace

TEST_CASE("nested: each object has its values for itself") {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"title": "t"})", "title=t"},
      {R"({"a": {"k": "x", "n": 1}})", "all=x a{a.k=x a.n=1}"},
      {R"({"a": [{"k": "x"}, {"n": [2, 3]}]})", "all=x a{a.k=x} a{a.n=2,3}"},
      {R"({"a": [null, [{"k": "x"}], []]})", "all=x a{a.k=x}"},
      {R"({"a": {}})", "a{}"},
      {R"({"a.k": "x", "a.n": 1})", "all=x a{a.k=x} a{a.n=1}"},
      {R"({"a": {"b": [{"w": "u v"}, {"w": "w"}]}})", "a.b.w=u,v,w a{a.b{a.b.w=u,v} a.b{a.b.w=w}}"},
      {R"({"a": {"b.w": "u"}})", "a.b.w=u a{a.b{a.b.w=u}}"},
      {R"({"o": {"c": [{"k": "x"}, {"k": "y"}]}})", "o.c.k=x,y o.c{o.c.k=x} o.c{o.c.k=y}"},
      {R"({"o.c.k": "x"})", "o.c.k=x o.c{o.c.k=x}"},
      {R"({"o": [{"c": {"k": "x"}}, {"c.k": "y"}]})", "o.c.k=x,y o.c{o.c.k=x} o.c{o.c.k=y}"},
  };
  for (const auto& [source, wanted] : cases) {
    CAPTURE(source);
    CHECK(taken_apart(source) == wanted);
  }
  const auto refused = parse_document("1", R"({"a": 5})", {}, mapping(), {});
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("tried to parse field [a] as object, but found a concrete") !=
        std::string::npos);
}

TEST_CASE("nested: what a mapping of nested fields may not be") {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"properties": {"c": {"type": "nested", "enabled": false}}})",
       "unknown parameter [enabled] on mapper [c] of type [nested]"},
      {R"({"properties": {"c": {"type": "object", "include_in_root": true}}})",
       "unknown parameter [include_in_root] on mapper [c] of type [object]"},
      {R"({"properties": {"c": {"type": "nested", "properties": {"s": {"type": "semantic_text"}}}}})",
       "[semantic_text] field [c.s] cannot be in the nested field [c]"},
      {R"({"properties": {"t": {"type": "keyword", "fields": {"n": {"type": "nested"}}}}})",
       "cannot be used in multi field [n]"},
      {R"({"properties": {"c": {"type": "nested"}, "t": {"type": "keyword", "copy_to": "c.k"}}})",
       "is trying to copy data from nested object [null] to [c]"},
      {R"({"properties": {"t": {"type": "keyword", "copy_to": "z.k"}, "z": {"type": "nested"}}})",
       "is trying to copy data from nested object [null] to [z]"},
      {R"({"properties": {"c": {"type": "nested"}, "d": {"type": "nested", "properties": {"t": {"type": "keyword", "copy_to": "c.k"}}}}})",
       "is trying to copy data from nested object [d] to [c]"},
  };
  for (const auto& [text, why] : cases) {
    CAPTURE(text);
    const auto made = Mapping::parse(Fixture::json(text), {});
    REQUIRE(!made.ok());
    CAPTURE(made.error().message);
    CHECK(made.error().message.find(why) != std::string::npos);
  }
  const auto known = mapping();
  const auto change = [&](const char* text) {
    const auto changed = known->merged(Fixture::json(text), {});
    return changed.ok() ? std::string("ok") : changed.error().message;
  };
  CHECK(change(R"({"properties": {"a": {"properties": {"more": {"type": "keyword"}}}}})") == "ok");
  CHECK(change(R"({"properties": {"a": {"type": "object"}}})").find("from nested to non-nested") !=
        std::string::npos);
  CHECK(change(R"({"properties": {"o": {"type": "nested"}}})").find("from non-nested to nested") !=
        std::string::npos);
  CHECK(change(R"({"properties": {"a": {"type": "nested", "include_in_root": true}}})")
            .find("the [include_in_root] parameter can't be updated") != std::string::npos);
  CHECK(change(R"({"properties": {"a": {"type": "keyword"}}})") != "ok");
  // As it was written.
  CHECK(Mapping::parse(known->to_json(), {}).value()->to_json() == known->to_json());
  CHECK(known->to_json().find_path("properties.a.type")->as_string() == "nested");
}

TEST_CASE("nested: objects lie in a segment of their own") {
  const auto segment = opened(segment_of({R"({"a": [{"k": "x", "b": {"w": "u"}}, {"k": "y"}]})",
                                          R"({"title": "t"})", R"({"a": {"b": [{}, {"w": "v"}]}})"}))
                           .value();
  CHECK(segment->doc_count() == 3);
  CHECK(segment->terms("a.k") == nullptr);
  const NestedPart* outer = segment->nested("a");
  REQUIRE(outer != nullptr);
  CHECK(parents_of(*outer) == std::vector<std::uint32_t>{0, 0, 2});
  CHECK(outer->objects->terms("a.k")->statistics().doc_count == 2);
  const NestedPart* inner = outer->objects->nested("a.b");
  REQUIRE(inner != nullptr);
  CHECK(parents_of(*inner) == std::vector<std::uint32_t>{0, 2, 2});
  CHECK(segment->nested("a.b") == nullptr);
  CHECK(outer->objects->find("1", os::Deadline::never()).value().empty());
  CHECK(segment->memory_bytes() >= segment->file().size());
}

TEST_CASE("nested: programs that do not know of objects refuse segments with them, and no others") {
  const auto version_of = [](const Made& made) {
    const std::string_view bytes = made.bytes;
    ByteReader trailer(bytes.substr(bytes.size() - 12, 4));
    const std::uint32_t length = trailer.u32le().value();
    return ByteReader(bytes.substr(bytes.size() - 16 - length)).u32le().value();
  };
  CHECK(version_of(segment_of({R"({"title": "t"})"})) == 2);
  CHECK(version_of(segment_of({R"({"a": {"k": "x"}})"})) == 3);
}

TEST_CASE("nested: lists of parents that were not written so are damage") {
  const auto list = [](std::vector<std::uint32_t> parents) {
    std::string out;
    put_u64le(out, 64);
    for (const std::uint32_t parent : parents) put_u32le(out, parent);
    return out;
  };
  CHECK(NestedOwners::read(list({0, 0, 4}), 5).has_value());
  CHECK(NestedOwners::read(list({}), 5).has_value());
  CHECK(!NestedOwners::read(list({0, 5}), 5).has_value());
  CHECK(!NestedOwners::read(list({2, 1}), 5).has_value());
  CHECK(!NestedOwners::read(list({1}).substr(0, 11), 5).has_value());
  CHECK(!NestedOwners::read("", 5).has_value());
}

TEST_CASE("nested: merges leave out the objects of documents that are deleted") {
  std::vector<MergeInput> inputs;
  for (const auto& sources : {std::vector<const char*>{R"({"a": [{"k": "x"}, {"k": "y"}]})",
                                                       R"({"a": {"k": "z", "b": [{"w": "u"}, {"w": "v"}]}})"},
                              std::vector<const char*>{R"({"title": "t"})"},
                              std::vector<const char*>{R"({"a": [{"b": {"w": "w"}}, {"k": "q"}]})"}}) {
    const auto segment = opened(segment_of(sources)).value();
    inputs.push_back({.segment = segment, .deleted = BitSet(segment->doc_count())});
  }
  const auto merged = [&] {
    Made out;
    SegmentOut sink([&](std::string_view piece) { return out.bytes += piece, ok_status(); });
    REQUIRE(merge_segments(inputs, map_documents(inputs), *mapping(), sink, os::Deadline::never())
                .ok());
    out.hot_offset = sink.hot_offset();
    return opened(std::move(out)).value();
  };
  const auto all = merged();
  CHECK(parents_of(*all->nested("a")) == std::vector<std::uint32_t>{0, 0, 1, 3, 3});
  CHECK(parents_of(*all->nested("a")->objects->nested("a.b")) ==
        std::vector<std::uint32_t>{2, 2, 3});
  inputs[0].deleted.set(0);
  const auto fewer = merged();
  CHECK(fewer->doc_count() == 3);
  CHECK(parents_of(*fewer->nested("a")) == std::vector<std::uint32_t>{0, 2, 2});
  CHECK(parents_of(*fewer->nested("a")->objects->nested("a.b")) ==
        std::vector<std::uint32_t>{0, 0, 1});
  CHECK(fewer->nested("a")->objects->terms("a.k")->statistics().term_count == 2);
  inputs[0].deleted.set(1);
  inputs[2].deleted.set(0);
  CHECK(merged()->nested_parts().empty());
}

TEST_CASE("nested: an object is found in its source where it stands") {
  const auto at = [](const char* source, std::vector<ObjectPlace> places) {
    const auto found = source_of_object(Fixture::json(source), places);
    return found.ok() ? found->dump() : std::string("none");
  };
  CHECK(at(R"({"a": [{"k": 1}, null, [{"k": 2}]], "b": 3})", {{"a", 1}}) == R"({"a":{"k":2}})");
  CHECK(at(R"({"o": [{"c": {"k": 1}}, {"c": [{"k": 2}]}]})", {{"o.c", 1}}) ==
        R"({"o":{"c":{"k":2}}})");
  CHECK(at(R"({"a.k": 1, "a": {"n": 2}})", {{"a", 0}}) == R"({"a":{"k":1}})");
  CHECK(at(R"({"a.k": 1, "a": {"n": 2}})", {{"a", 1}}) == R"({"a":{"n":2}})");
  CHECK(at(R"({"a": [{"b": {"w": 1}}, {"b": [{"w": 2}, {"w": 3}]}]})", {{"a", 1}, {"b", 1}}) ==
        R"({"a":{"b":{"w":3}}})");
  CHECK(at(R"({"a": [{"k": 1}]})", {{"a", 1}}) == "none");
}

TEST_CASE("nested: filters are of objects where they ask a field of theirs") {
  const auto known = mapping();
  const auto is_of = [&](const Query& query) { return asks_objects(query, *known, "a"); };
  CHECK(is_of(term("a.k", "x")));
  CHECK(!is_of(term("title", "x")));
  CHECK(!is_of(term("a.b.w", "x")));
  CHECK(is_of({.node = BoolQuery{.must = {term("title", "x")}, .must_not = {term("a.k", "x")}}}));
  CHECK(is_of({.node = FunctionScoreQuery{.query = {term("a.n", 1)}}}));
  CHECK(!is_of({.node = NestedQuery{.path = "a", .query = {term("a.k", "x")}}}));
  CHECK(!is_of({.node = DocumentsQuery{{term("a.k", "x")}}}));
  CHECK(!is_of({.node = SliceQuery{.field = "a.n", .max = 2}}));
}

TEST_CASE("nested: a view of objects says what they are in") {
  Fixture house;
  const auto index = house.create("i", mapping_text);
  house.put(*index, "x", R"({"title": "t"})");
  house.put(*index, "y", R"({"a": [{"k": "p"}, {"k": "q", "b": [{"w": "u"}, {"w": "v"}]}]})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto view = index->view();
  const auto inner = view->objects("a.b").value();
  REQUIRE(inner != nullptr);
  CHECK(inner->document_count() == 2);
  CHECK(inner->nested_path() == "a.b");
  const DocAddress second{.segment = 0, .doc = 1};
  CHECK(inner->id(second, house.soon()).value() == "y");
  CHECK(inner->version(second, house.soon()).value().seq_no == 1);
  CHECK(inner->source(second, house.soon()).value() == R"({"a":{"b":{"w":"v"}}})");
  const auto places = inner->place(second);
  REQUIRE(places.size() == 2);
  CHECK(places[0].field == "a");
  CHECK(places[0].offset == 1);
  CHECK(places[1].field == "b");
  CHECK(places[1].offset == 1);
  const auto outer = view->objects("a").value();
  const auto below = outer->objects("a.b").value();
  CHECK(below->id(second, house.soon()).value() == "y");
  CHECK(below->place(second).size() == 2);
  CHECK(outer->objects_of("a.b", {.segment = 0, .doc = 1}).value().from == 0);
  CHECK(outer->objects_of("a.b", {.segment = 0, .doc = 1}).value().to == 2);
  CHECK(view->objects("title").value() == nullptr);
  CHECK(!below->objects("a").ok());
  // Objects go with their document.
  house.remove(*index, "y");
  REQUIRE(index->refresh(house.soon()).ok());
  house.put(*index, "z", "{}");
  REQUIRE(index->refresh(house.soon()).ok());
  CHECK(index->view()->objects("a").value()->document_count() == 0);
}

}  // namespace cairn::index::nested_test
