// SPDX-License-Identifier: Apache-2.0
// Text search in one process, through the face of the index room: one thread, or with CAIRN_CORES
// more where a search is worth it.
//
//   text_bench index FOLDER docs.tsv            fills an index in FOLDER, merged to one segment
//   text_bench search FOLDER queries.tsv ROUNDS SCORES [KIND]
//   text_bench analyse docs.tsv                 documents a second through the standard analyzer
//   text_bench sparse FOLDER DOCUMENTS ROUNDS   made-up sparse vectors about some topics
//
// Words are runs of ASCII letters and digits in lower case, as the peer takes them, so that scores
// can be compared. SCORES gets a line for each question and kind: the ten best scores.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "fixture.h"
#include "os/files/files.h"
#include "text/analyzer.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr std::size_t batch_size = 2000;
constexpr std::size_t cache_bytes = 512u << 20;

std::string plain_words(std::string_view text) {
  std::string out;
  bool between = false;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
      between = true;
      continue;
    }
    if (between && !out.empty()) out += ' ';
    between = false;
    out += upper ? static_cast<char>(c + 32) : c;
  }
  return out;
}

void each_line(const std::string& path, const std::function<void(std::string_view)>& each) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) fail(path + " cannot be read");
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t n = 0; (n = getline(&line, &room, file)) > 0;)
    each(std::string_view(line, static_cast<std::size_t>(n - (line[n - 1] == '\n' ? 1 : 0))));
  std::free(line);
  std::fclose(file);
}

std::vector<std::string_view> parts_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> out;
  while (out.size() + 1 < most) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) break;
    out.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  out.push_back(line);
  return out;
}

void fill(const std::string& folder, const std::string& docs) {
  Fixture fixture(folder, cache_bytes);
  const auto mapping = must(parse_json(
      R"({"properties": {"body": {"type": "text", "analyzer": "whitespace"},
                         "source": {"type": "keyword"}, "year": {"type": "short"}}})"));
  const auto index = must(fixture.indices->create("passages", mapping, Json(), soon()));
  std::vector<index::WriteOperation> batch;
  std::size_t count = 0, bytes = 0;
  double spent = 0;
  const auto write = [&] {
    const double start = processor_seconds();
    must(index->write(batch, soon()));
    must(index->maintain(soon()));
    spent += processor_seconds() - start;
    batch.clear();
  };
  each_line(docs, [&](std::string_view line) {
    const auto parts = parts_of(line, 5);
    if (parts.size() != 5) fail("a line of the passages lacks a part");
    index::WriteOperation operation;
    operation.id = parts[0];
    operation.source = R"({"source":")" + std::string(parts[1]) + R"(","year":)" +
                       std::string(parts[2]) + R"(,"body":")" + plain_words(parts[4]) + "\"}";
    bytes += parts[4].size();
    ++count;
    batch.push_back(std::move(operation));
    if (batch.size() == batch_size) write();
  });
  write();
  const double start = processor_seconds();
  must(index->flush(soon()));
  spent += processor_seconds() - start;
  std::printf("index docs %zu docs_s %.0f mb_s %.1f", count, static_cast<double>(count) / spent,
              static_cast<double>(bytes) / 1e6 / spent);
  must(index->force_merge(1, soon()));
  must(index->maintain(soon()));
  std::printf(" size_mb %.1f with_documents\n",
              static_cast<double>(index->statistics().size_bytes) / 1e6);
}

struct Question {
  std::string source, words;
};

index::Query query_of(const Question& question, std::string_view kind) {
  index::MatchQuery match{.field = "body", .value = question.words};
  if (kind.starts_with("and")) match.op = index::Operator::and_;
  if (!kind.ends_with("filter")) return {.node = std::move(match)};
  return {.node = index::BoolQuery{
              .must = {{.node = std::move(match)}},
              .filter = {{.node = index::TermQuery{.field = "source", .value = question.source}}}}};
}

void ask(const index::View& view, const std::vector<Question>& questions, std::string_view kind,
         std::size_t rounds, std::FILE* scores) {
  index::SearchParams params;
  params.track_total_hits = kind == "or_count" ? UINT64_MAX : kind == "or_10k" ? 10'000 : 10;
  std::vector<double> rates, middles, tails, spent, times(questions.size());
  for (std::size_t round = 0; round < rounds + 1; ++round) {
    const auto began = Clock::now();
    const double before = processor_seconds();
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto start = Clock::now();
      const auto found = must(view.search(query_of(questions[i], kind), params, soon()));
      times[i] = seconds_since(start) * 1e6;
      if (round != rounds || scores == nullptr) continue;
      std::fprintf(scores, "%.*s\t%zu", static_cast<int>(kind.size()), kind.data(), i);
      for (const index::Hit& hit : found.hits) std::fprintf(scores, "\t%.5f", hit.score);
      std::fprintf(scores, "\n");
    }
    if (round == 0) continue;  // the first brings the pages
    spent.push_back((processor_seconds() - before) * 1e6 / static_cast<double>(questions.size()));
    rates.push_back(static_cast<double>(questions.size()) / seconds_since(began));
    std::sort(times.begin(), times.end());
    middles.push_back(times[times.size() / 2]);
    tails.push_back(times[times.size() * 99 / 100]);
  }
  for (auto* list : {&rates, &middles, &tails, &spent}) std::sort(list->begin(), list->end());
  std::printf("%.*s qps %.0f p50_us %.1f p99_us %.1f cpu_us %.1f\n", static_cast<int>(kind.size()),
              kind.data(), rates[rounds / 2], middles[rounds / 2], tails[rounds / 2],
              spent[rounds / 2]);
}

void search(const std::string& folder, const std::string& queries, std::size_t rounds,
            const std::string& scores, std::string_view only) {
  Fixture fixture(folder, cache_bytes);
  const auto view = must(fixture.indices->find("passages"))->view();
  std::vector<Question> questions;
  each_line(queries, [&](std::string_view line) {
    const auto parts = parts_of(line, 3);
    if (parts.size() != 3) fail("a line of the questions lacks a part");
    questions.push_back({.source = std::string(parts[1]), .words = std::string(parts[2])});
  });
  std::FILE* out = std::fopen(scores.c_str(), "w");
  if (out == nullptr) fail(scores + " cannot be written");
  for (const std::string_view kind : {"or", "and", "or_filter", "and_filter", "or_10k", "or_count"})
    if (only.empty() || only == kind) ask(*view, questions, kind, rounds, out);
  std::fclose(out);
}

void analyse(const std::string& docs) {
  const text::Analyzers none;
  const auto standard = none.find("standard");
  if (standard == nullptr) fail("there is no standard analyzer");
  std::vector<std::string> texts;
  std::size_t bytes = 0, words = 0;
  each_line(docs, [&](std::string_view line) {
    if (texts.size() < 100'000) texts.emplace_back(parts_of(line, 5).back());
  });
  const double start = processor_seconds();
  text::Tokens tokens;
  for (const std::string& one : texts) {
    tokens.clear();
    standard->analyze(one, tokens);
    words += tokens.list.size();
    bytes += one.size();
  }
  const double spent = processor_seconds() - start;
  std::printf("analyse docs_s %.0f mb_s %.1f words %zu\n",
              static_cast<double>(texts.size()) / spent, static_cast<double>(bytes) / 1e6 / spent,
              words);
}

/// Sparse vectors of 150 tokens of 30,522, most of them of the document's topic; questions of 30.
class SparseWorld {
 public:
  explicit SparseWorld(std::uint32_t seed) : random_(seed) {}
  std::string weights(std::size_t tokens) {
    const std::uint32_t topic = below(2000);
    std::map<std::uint32_t, std::uint32_t> chosen;
    while (chosen.size() < tokens) {
      // Of a topic's 400 tokens early ones come more often, as in texts.
      const std::uint32_t place = std::min(below(400), below(400));
      const std::uint32_t token =
          below(5) == 0 ? below(vocabulary) : (topic * 7919u + place * 104'729u) % vocabulary;
      chosen[token] = 1 + below(255);
    }
    std::string out;
    for (const auto& [token, weight] : chosen)
      out += (out.empty() ? "{\"t" : ",\"t") + std::to_string(token) +
             "\":" + std::to_string(weight) + "e-2";
    return out + "}";
  }

 private:
  static constexpr std::uint32_t vocabulary = 30'522;
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }
  std::mt19937 random_;
};

void sparse(const std::string& folder, std::size_t documents, std::size_t rounds) {
  Fixture fixture(folder, cache_bytes);
  if (!fixture.indices->find("sparse").ok()) {
    const auto mapping = must(parse_json(R"({"properties": {"s": {"type": "sparse_vector"}}})"));
    const auto index = must(fixture.indices->create("sparse", mapping, Json(), soon()));
    SparseWorld world(1);
    for (std::size_t made = 0; made < documents;) {
      std::vector<index::WriteOperation> batch(std::min(batch_size, documents - made));
      for (auto& operation : batch) {
        operation.id = std::to_string(made++);
        operation.source = R"({"s":)" + world.weights(150) + "}";
      }
      must(index->write(batch, soon()));
      must(index->maintain(soon()));
    }
    must(index->flush(soon()));
    must(index->force_merge(1, soon()));
  }
  const auto view = must(fixture.indices->find("sparse"))->view();
  SparseWorld world(2);
  std::vector<index::Query> queries;
  for (int i = 0; i < 500; ++i) {
    index::SparseQuery query{.field = "s", .weights = {}};
    const Json weights = must(parse_json(world.weights(30)));
    for (const auto& [token, weight] : weights.as_object())
      query.weights.emplace_back(token, static_cast<float>(weight.as_double()));
    queries.push_back({.node = std::move(query)});
  }
  std::vector<double> middles, tails, times(queries.size());
  for (std::size_t round = 0; round < rounds + 1; ++round) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto start = Clock::now();
      (void)must(view->search(queries[i], {.track_total_hits = 10}, soon()));
      times[i] = seconds_since(start) * 1e6;
    }
    if (round == 0) continue;  // the first brings the pages
    std::sort(times.begin(), times.end());
    middles.push_back(times[times.size() / 2]);
    tails.push_back(times[times.size() * 99 / 100]);
  }
  for (auto* list : {&middles, &tails}) std::sort(list->begin(), list->end());
  std::printf("sparse docs %llu p50_us %.1f p99_us %.1f\n",
              static_cast<unsigned long long>(view->document_count()), middles[rounds / 2],
              tails[rounds / 2]);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() == 3 && given[0] == "index") {
    fill(given[1], given[2]);
  } else if ((given.size() == 5 || given.size() == 6) && given[0] == "search") {
    search(given[1], given[2], static_cast<std::size_t>(std::stoul(given[3])), given[4],
           given.size() == 6 ? given[5] : "");
  } else if (given.size() == 2 && given[0] == "analyse") {
    analyse(given[1]);
  } else if (given.size() == 4 && given[0] == "sparse") {
    sparse(given[1], std::stoul(given[2]), std::stoul(given[3]));
  } else {
    std::fprintf(stderr,
                 "text_bench index FOLDER docs.tsv\n"
                 "text_bench search FOLDER queries.tsv ROUNDS SCORES [KIND]\n"
                 "text_bench analyse docs.tsv\n"
                 "text_bench sparse FOLDER DOCUMENTS ROUNDS\n");
    return 2;
  }
  return 0;
}
