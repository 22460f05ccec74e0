// SPDX-License-Identifier: Apache-2.0
// Bodies of searches, asked of an index of a few documents with fields of every type: an answer is
// JSON, shows no more hits than there are, and is the same when asked again.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "inference/concept_model.h"
#include "search/service.h"
#include "store/memory_store.h"

namespace {

using namespace cairn;

const os::Deadline forever = os::Deadline::never();

constexpr std::string_view mapping = R"({"properties":{
    "title":{"type":"text","fields":{"raw":{"type":"keyword"}}},
    "colour":{"type":"keyword"},"on":{"type":"boolean"},"day":{"type":"date"},
    "n":{"type":"long"},"x":{"type":"double"},"o":{"properties":{"p":{"type":"integer"}}},
    "say":{"type":"search_as_you_type"},"rank":{"type":"rank_feature"},
    "v":{"type":"dense_vector","dims":2,"similarity":"cosine"},"s":{"type":"sparse_vector"},
    "c":{"type":"nested","properties":{"who":{"type":"keyword"},"stars":{"type":"integer"},
      "say":{"type":"text"},"v":{"type":"dense_vector","dims":2},
      "r":{"type":"nested","include_in_parent":true,"properties":{"who":{"type":"keyword"}}}}}}})";

constexpr std::string_view documents[] = {
    R"({"title":"The automobile stands at the road","colour":"red","on":true,"day":"2026-01-11","n":10,"x":0.5,"rank":2,"say":"quick brown fox","v":[1,0],"s":{"car":1.5},"c":[{"who":"ann","stars":5,"say":"the blue sea","v":[1,0],"r":[{"who":"bob"},{"who":"cid"}]},{"who":"bob","stars":1,"v":[0,1]}]})",
    R"({"title":"A kitten sleeps, a kitten dreams","colour":["grey","red"],"on":false,"day":"2026-02-28T23:30:00Z","n":-20,"o":{"p":[1,2]},"v":[0.5,0.5],"c":{"who":"ann","stars":3,"say":"open sea","r":{"who":"ann"}}})",
    R"({"title":["The ocean is deep.","The road ends."],"n":9007199254740993,"x":-1e300,"s":{"sea":0.1,"road":3}})",
    "{}"};

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<store::Store> records = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  os::Pool pool{{.name = "fuzz", .threads = 1}};
  inference::ConceptModels models;
  std::unique_ptr<inference::Service> inference =
      inference::Service::open(*records, models, pool, clock, {.background = false}, forever)
          .value();
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false}, forever).value();
  search::Service service{*inference, clock};
  search::IndexList all;

  Fixture() {
    if (!indices->create("docs", *parse_json(mapping), {}, forever).ok()) std::abort();
    all = *indices->resolve_names("docs");
    std::vector<index::WriteOperation> operations;
    for (const std::string_view source : documents) {
      operations.push_back({.id = std::to_string(operations.size())});
      operations.back().source = source;
    }
    const auto written = all.front()->write(operations, forever);
    if (!written.ok()) std::abort();
    for (const auto& item : *written)
      if (item.error) std::abort();
    if (!all.front()->refresh(forever).ok()) std::abort();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Fixture house;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto answer = house.service.search(house.all, body, {}, forever);
  if (!answer.ok()) {
    if (answer.error().message.empty()) std::abort();
    return 0;
  }
  const auto json = parse_json(*answer);
  if (!json.ok()) std::abort();
  const Json* const hits = json->find_path("hits.hits");
  if (hits != nullptr && hits->as_array().size() > std::size(documents)) std::abort();
  const auto again = house.service.search(house.all, body, {}, forever);
  if (!again.ok() || *again != *answer) std::abort();
  return 0;
}
