// SPDX-License-Identifier: Apache-2.0
// What objects cost: the same objects in documents (a nested field), and as documents of an index
// of their own, asked the same, one thread. The flat index answers for objects alone: to bring them
// to their documents is what the join does besides.
//
//   nested_bench FOLDER [DOCUMENTS [ROUNDS]]    200,000 documents of four objects, 5 rounds
#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "fixture.h"

namespace {

using namespace cairn;
using namespace cairn::bench;
using index::Query;

constexpr std::uint32_t objects_each = 4;
constexpr int questions = 200;
constexpr const char* members = R"({"who": {"type": "keyword"}, "stars": {"type": "integer"},
                                    "text": {"type": "text"}})";

std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random()) % n;
}

/// One of 25,000 words, of which few are common.
std::string word(std::mt19937& random) {
  const std::uint32_t u = below(random, 1000) + 1;
  return "w" + std::to_string(u * u / 40);
}

/// An object: one of 1,000 names, 1 to 5 stars, 8 words.
std::string object(std::mt19937& random) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += (i == 0 ? "" : " ") + word(random);
  return R"({"who":"p)" + std::to_string(below(random, 1000)) + R"(","stars":)" +
         std::to_string(below(random, 5) + 1) + R"(,"text":")" + text + "\"}";
}

void write(index::Index& index, std::size_t documents,
           const std::function<std::string()>& document) {
  for (std::size_t made = 0; made < documents;) {
    std::vector<index::WriteOperation> batch(std::min<std::size_t>(5000, documents - made));
    for (index::WriteOperation& operation : batch) {
      operation.id = std::to_string(made++);
      operation.source = document();
    }
    for (const auto& written : must(index.write(batch, soon())))
      if (written.error) fail(written.error->message);
    must(index.maintain(soon()));
  }
  must(index.flush(soon()));
  must(index.force_merge(1, soon()));
}

std::shared_ptr<index::Index> made(index::Indices& indices, const char* name,
                                   const std::string& properties) {
  const auto mapping = must(parse_json(R"({"properties": )" + properties + "}"));
  return must(indices.create(name, mapping, Json(), soon()));
}

void fill(index::Indices& indices, std::size_t documents) {
  std::mt19937 random(1);
  const auto nested = made(
      indices, "nested",
      R"({"c": {"type": "nested", "properties": )" + std::string(members) + "}}");
  write(*nested, documents, [&] {
    std::string list;
    for (std::uint32_t i = 0; i < objects_each; ++i) list += (i == 0 ? "" : ",") + object(random);
    return R"({"c":[)" + list + "]}";
  });
  random.seed(1);
  const auto flat = made(indices, "flat", members);
  write(*flat, documents * objects_each, [&] { return object(random); });
}

struct Kind {
  const char* name;
  std::function<Query(const std::string& prefix, std::mt19937& random)> of_objects;
  index::SearchParams params = {.track_total_hits = 10};
};

Query term(std::string field, Json value) {
  return {.node = index::TermQuery{.field = std::move(field), .value = std::move(value)}};
}

std::vector<Kind> kinds() {
  const auto text = [](const std::string& at, std::mt19937& random) {
    const std::string words = word(random) + " " + word(random);
    return Query{.node = index::MatchQuery{.field = at + "text", .value = words}};
  };
  const auto filter = [](const std::string& at, std::mt19937& random) {
    return Query{.node = index::BoolQuery{
                     .filter = {term(at + "who", "p" + std::to_string(below(random, 1000))),
                                term(at + "stars", Json(static_cast<std::int64_t>(5)))}}};
  };
  const auto both = [=](const std::string& at, std::mt19937& random) {
    return Query{.node = index::BoolQuery{
                     .must = {text(at, random)},
                     .filter = {{.node = index::RangeQuery{.field = at + "stars", .gte = 3}}}}};
  };
  index::SearchParams counted{.size = 0, .track_total_hits = UINT64_MAX};
  return {{"two filters", filter},
          {"two words", text},
          {"two words, filtered", both},
          {"two words, counted", text, counted}};
}

struct Times {
  double p50 = 0, spent = 0;  // microseconds
};

Times ask(const index::View& view, const Kind& kind, bool nested, int rounds) {
  std::vector<double> times, spent;
  for (int round = 0; round <= rounds; ++round) {
    std::mt19937 random(7);
    const double before = processor_seconds();
    for (int i = 0; i < questions; ++i) {
      Query query = kind.of_objects(nested ? "c." : "", random);
      if (nested)
        query = {.node = index::NestedQuery{.path = "c",
                                            .query = {std::move(query)},
                                            .score_mode = index::NestedQuery::ScoreMode::max}};
      const auto start = Clock::now();
      (void)must(view.search(query, kind.params, soon()));
      if (round > 0) times.push_back(seconds_since(start) * 1e6);
    }
    if (round > 0) spent.push_back((processor_seconds() - before) * 1e6 / questions);
  }
  std::sort(times.begin(), times.end());
  std::sort(spent.begin(), spent.end());
  return {times[times.size() / 2], spent[spent.size() / 2]};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "nested_bench FOLDER [DOCUMENTS [ROUNDS]]\n");
    return 64;
  }
  const std::size_t documents = count > 2 ? std::stoul(arguments[2]) : 200'000;
  const int rounds = count > 3 ? std::stoi(arguments[3]) : 5;
  Fixture fixture(arguments[1], 1u << 30);
  if (!fixture.indices->find("flat").ok()) fill(*fixture.indices, documents);
  const auto nested = must(fixture.indices->find("nested"));
  const auto flat = must(fixture.indices->find("flat"));
  std::printf("%zu documents of %u objects: %.1f MB; the objects alone: %.1f MB\n", documents,
              objects_each, static_cast<double>(nested->statistics().size_bytes) / 1e6,
              static_cast<double>(flat->statistics().size_bytes) / 1e6);
  std::printf("%-20s %22s %22s %10s %10s\n", "", "nested: p50, CPU, us", "flat: p50, CPU, us",
              "ratio p50", "ratio CPU");
  for (const Kind& kind : kinds()) {
    const Times of_documents = ask(*nested->view(), kind, true, rounds);
    const Times of_objects = ask(*flat->view(), kind, false, rounds);
    std::printf("%-20s %13.1f %8.1f %13.1f %8.1f %10.2f %10.2f\n", kind.name, of_documents.p50,
                of_documents.spent, of_objects.p50, of_objects.spent,
                of_documents.p50 / of_objects.p50, of_documents.spent / of_objects.spent);
  }
  return 0;
}
