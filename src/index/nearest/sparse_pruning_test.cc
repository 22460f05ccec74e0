// SPDX-License-Identifier: Apache-2.0
#include "index/nearest/sparse_pruning.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "index/testing.h"

namespace cairn::index::sparse_pruning_test {
namespace {

using Document = std::map<std::string, float>;

struct World {
  Fixture house;
  std::shared_ptr<Index> index =
      house.create("i", R"({"properties": {"s": {"type": "sparse_vector"}}})");
  std::vector<Document> documents;
  std::mt19937 random{5};

  World() {
    // Token k stands in one of k + 1 documents.
    std::vector<WriteOperation> batch(600);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Document document{{"t0", 1.0f}};
      for (std::uint32_t token = 1; token < 40; ++token)
        if (random() % (token + 1) == 0)
          document["t" + std::to_string(token)] = static_cast<float>(1 + random() % 64) / 16.0f;
      Json weights = Json::object();
      for (const auto& [token, weight] : document) weights.set(token, weight);
      Json source = Json::object();
      source.set("s", std::move(weights));
      batch[i].id = std::to_string(i);
      batch[i].source = source.dump();
      documents.push_back(std::move(document));
    }
    REQUIRE(index->write(batch, house.soon()).ok());
    REQUIRE(index->refresh(house.soon()).ok());
  }

  /// By the definition: shares of documents and weights, one token after another.
  std::set<std::string> kept(const SparseQuery& query) const {
    std::map<std::string, double> frequency;
    double pairs = 0, heaviest = 0;
    for (const Document& document : documents)
      for (const auto& [token, weight] : document) ++frequency[token], ++pairs;
    const auto count = static_cast<double>(documents.size());
    const double average = pairs / count / static_cast<double>(frequency.size());
    for (const auto& [token, weight] : query.weights)
      heaviest = std::max(heaviest, static_cast<double>(weight));
    std::set<std::string> out;
    for (const auto& [token, weight] : query.weights) {
      const auto known = frequency.find(token);
      if (known == frequency.end()) continue;
      const bool keep = known->second / count <
                            static_cast<double>(query.pruning->freq_ratio_threshold) * average ||
                        static_cast<double>(weight) >
                            static_cast<double>(query.pruning->weight_threshold) * heaviest;
      if (keep != query.pruning->only_pruned) out.insert(token);
    }
    return out;
  }
};

}  // namespace

TEST_CASE(
    "sparse pruning: frequent tokens that weigh little are left out, or are all that counts") {
  World world;
  std::size_t left_out = 0;
  for (int i = 0; i < 200; ++i) {
    SparseQuery query{.field = "s", .weights = {}, .pruning = SparsePruning{}};
    for (std::uint32_t token = 0; token < 42; ++token)
      if (world.random() % 6 == 0)
        query.weights.emplace_back("t" + std::to_string(token),
                                   static_cast<float>(1 + world.random() % 100) / 32.0f);
    if (query.weights.empty()) continue;
    query.pruning->freq_ratio_threshold = 1 + static_cast<float>(world.random() % 50) / 10.0f;
    query.pruning->weight_threshold = static_cast<float>(world.random() % 11) / 10.0f;
    query.pruning->only_pruned = i % 3 == 0;
    const auto kept = world.kept(query);
    SparseQuery wanted{.field = "s", .weights = {}};
    for (const auto& [token, weight] : query.weights)
      if (kept.contains(token)) wanted.weights.emplace_back(token, weight);
    left_out += query.weights.size() - wanted.weights.size();
    const TopDocs got = world.house.search(*world.index, {.node = query}, {.size = 600});
    const TopDocs plain = world.house.search(*world.index, {.node = wanted}, {.size = 600});
    REQUIRE(got.hits.size() == plain.hits.size());
    for (std::size_t h = 0; h < got.hits.size(); ++h) {
      CHECK(got.hits[h].doc == plain.hits[h].doc);
      CHECK(got.hits[h].score == plain.hits[h].score);
    }
  }
  CHECK(left_out > 200);
}

TEST_CASE("sparse pruning: a weight that is not greater than 0 is refused") {
  World world;
  const Query query{.node = SparseQuery{.field = "s", .weights = {{"t1", 0.0f}}}};
  const auto found = world.index->view()->search(query, {}, world.house.soon());
  REQUIRE(!found.ok());
  CHECK(found.error().message.find("greater than 0") != std::string::npos);
}

}  // namespace cairn::index::sparse_pruning_test
