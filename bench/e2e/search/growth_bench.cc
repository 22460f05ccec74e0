// SPDX-License-Identifier: Apache-2.0
// How an index of small documents grows, one thread; growth_run.py makes a curve of it.
//
//   growth_bench fill FOLDER DOCUMENTS    writes made-up documents, with flushes and merges
//   growth_bench ask FOLDER ROUNDS        searches them
//
// A document has 4 to 30 words, a keyword and a number. The word of rank r comes as often as 1 / r,
// so questions of the same words meet lists that grow with the index.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string_view>
#include <vector>


#include "fixture.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr std::size_t batch_size = 5000;
constexpr std::size_t cache_bytes = 1u << 30;
constexpr std::uint32_t vocabulary = 300'000;

/// Words by rank, the first far more often than the last.
class Words {
 public:
  explicit Words(std::uint32_t seed) : random_(seed) {}
  std::string next() {
    const double u = (static_cast<double>(random_()) + 0.5) / 4294967296.0;
    return name(static_cast<std::uint32_t>(std::exp(u * std::log(double{vocabulary}))));
  }
  static std::string name(std::uint32_t rank) { return "w" + std::to_string(rank); }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }

 private:
  std::mt19937 random_;
};

/// A figure of /proc/self/FILE, in what that file counts.
double of_process(const char* file, std::string_view name) {
  std::FILE* in = std::fopen(file, "r");
  if (in == nullptr) fail(std::string(file) + " cannot be read");
  char line[256];
  double out = 0;
  while (std::fgets(line, sizeof line, in) != nullptr)
    if (std::string_view(line).starts_with(name)) out = std::atof(line + name.size() + 1);
  std::fclose(in);
  return out;
}

void fill(const std::string& folder, std::size_t documents) {
  Fixture fixture(folder, cache_bytes);
  const auto mapping = must(parse_json(
      R"({"properties": {"body": {"type": "text"}, "tag": {"type": "keyword"},
                         "n": {"type": "integer"}}})"));
  const auto index = must(fixture.indices->create("small", mapping, Json(), soon()));
  Words words(1);
  std::size_t bytes = 0;
  double spent = 0;
  const auto start = Clock::now();
  for (std::size_t made = 0; made < documents;) {
    std::vector<index::WriteOperation> batch(std::min(batch_size, documents - made));
    for (index::WriteOperation& operation : batch) {
      std::string body;
      const std::uint32_t length = 4 + words.below(27);
      for (std::uint32_t i = 0; i < length; ++i) body += (i == 0 ? "" : " ") + words.next();
      operation.id = std::to_string(made++);
      operation.source = R"({"body":")" + body + R"(","tag":"t)" +
                         std::to_string(words.below(100)) + R"(","n":)" +
                         std::to_string(words.below(1'000'000)) + "}";
      bytes += operation.source.size();
    }
    const double before = processor_seconds();
    must(index->write(batch, soon()));
    must(index->maintain(soon()));
    spent += processor_seconds() - before;
  }
  const double before = processor_seconds();
  must(index->flush(soon()));
  must(index->maintain(soon()));
  spent += processor_seconds() - before;
  const double size = static_cast<double>(index->statistics().size_bytes);
  std::printf("docs_s %.0f wall_s %.1f source_mb %.1f index_mb %.1f written_per_byte %.2f "
              "segments %zu peak_mb %.0f\n",
              static_cast<double>(documents) / spent, seconds_since(start),
              static_cast<double>(bytes) / 1e6, size / 1e6,
              of_process("/proc/self/io", "wchar") / size, index->view()->segment_count(),
              of_process("/proc/self/status", "VmHWM") / 1024);
}

struct Asked {
  const char* name;
  std::function<index::Query(Words&)> query;
  index::SearchParams params;
};

index::Query words_of(Words& words, index::Operator op) {
  index::MatchQuery match{.field = "body", .value = ""};
  std::string text;
  for (int i = 0; i < 3; ++i) text += Words::name(20 + words.below(3000)) + " ";
  match.value = text;
  match.op = op;
  return {.node = std::move(match)};
}

void ask(const std::string& folder, std::size_t rounds) {
  Fixture fixture(folder, cache_bytes);
  const auto view = must(fixture.indices->find("small"))->view();
  const auto filtered = [](Words& words) {
    return index::Query{
        .node = index::BoolQuery{
            .must = {words_of(words, index::Operator::or_)},
            .filter = {{.node = index::TermQuery{
                            .field = "tag", .value = "t" + std::to_string(words.below(4))}}}}};
  };
  const auto any = [](Words& words) { return words_of(words, index::Operator::or_); };
  const auto all = [](Words& words) { return words_of(words, index::Operator::and_); };
  index::SearchParams sorted{.track_total_hits = 10};
  sorted.sort = {{.by = index::SortKey::By::field, .field = "n", .descending = true}};
  const std::vector<Asked> kinds = {{"or", any, {.track_total_hits = 10}},
                                    {"and", all, {.track_total_hits = 10}},
                                    {"or_filter", filtered, {.track_total_hits = 10}},
                                    {"or_count", any, {.track_total_hits = UINT64_MAX}},
                                    {"and_sorted", all, sorted}};
  for (const Asked& kind : kinds) {
    std::vector<double> times, spent;
    for (std::size_t round = 0; round < rounds + 1; ++round) {
      Words words(7);
      const double before = processor_seconds();
      for (int i = 0; i < 200; ++i) {
        const index::Query query = kind.query(words);
        const auto start = Clock::now();
        (void)must(view->search(query, kind.params, soon()));
        if (round > 0) times.push_back(seconds_since(start) * 1e6);
      }
      if (round > 0) spent.push_back((processor_seconds() - before) * 1e6 / 200);
    }
    std::sort(times.begin(), times.end());
    std::sort(spent.begin(), spent.end());
    std::printf("%s_p50 %.1f %s_cpu %.1f ", kind.name, times[times.size() / 2], kind.name,
                spent[spent.size() / 2]);
  }
  std::printf("search_mb %.0f\n", of_process("/proc/self/status", "VmRSS") / 1024);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() == 3 && given[0] == "fill") {
    fill(given[1], std::stoul(given[2]));
  } else if (given.size() == 3 && given[0] == "ask") {
    ask(given[1], std::stoul(given[2]));
  } else {
    std::fprintf(stderr,
                 "growth_bench fill FOLDER DOCUMENTS\n"
                 "growth_bench ask FOLDER ROUNDS\n");
    return 64;
  }
  return 0;
}
