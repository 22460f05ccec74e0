// SPDX-License-Identifier: Apache-2.0
// eval_mini: prints how good a model is beside BM25, and fails where what is claimed of it is
// false.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "evaluation.h"
#include "inference/model/model_store.h"
#include "os/files/files.h"

namespace cairn::mini {
namespace {

constexpr std::string_view usage =
    "usage: eval_mini MODEL DATA\n"
    "  MODEL  the folder of a model, for example models/cairn-mini\n"
    "  DATA   a folder with glosses.tsv, questions.tsv and translations.tsv: tests/data/mini-eval\n"
    "Ends with 1 where a claim does not hold.\n";

/// Below this share of answers among the first ten a language is named weak.
constexpr double weak_recall = 0.6;

class Claims {
 public:
  void check(std::string claim, double better, double worse) {
    const bool holds = better > worse;
    all_hold_ = all_hold_ && holds;
    fmt::print("  {}  {}: {:.3f} against {:.3f}\n", holds ? "holds" : "FAILS", claim, better,
               worse);
  }
  bool all_hold() const { return all_hold_; }

 private:
  bool all_hold_ = true;
};

Status print_languages(const inference::Model& model, const std::string& path, Claims& claims) {
  CAIRN_TRY(const auto sets, read_translations(path));
  fmt::print(
      "one thing in two languages: {} sentences, asked in each language for the English one\n",
      sets.front().documents.size());
  fmt::print("  {:<10} {:>16} {:>16}\n", "language", "BM25 recall@10", "dense recall@10");
  double lexical_sum = 0;
  double dense_sum = 0;
  std::string weak;
  for (const EvaluationSet& set : sets) {
    const Bm25 bm25(text::named_analyzer("standard"), set.documents);
    Quality lexical;
    for (const auto& [query, answer] : set.queries) {
      lexical.add(rank_of(answer, bm25.search(query, 100)));
    }
    CAIRN_TRY(const Quality dense, measure_dense(model, set));
    lexical_sum += lexical.mean().recall_10;
    dense_sum += dense.recall_10;
    fmt::print("  {:<10} {:>16.3f} {:>16.3f}{}\n", set.name, lexical.mean().recall_10,
               dense.recall_10, dense.recall_10 < weak_recall ? "  weak" : "");
  }
  const auto count = static_cast<double>(sets.size());
  claims.check("text_embedding joins languages: mean recall@10 is at least twice that of BM25",
               dense_sum / count, 2 * lexical_sum / count);
  return ok_status();
}

Result<bool> run(const std::string& model_folder, const std::string& data) {
  CAIRN_TRY(const auto model, inference::load_model(inference::files_of_folder(
                                  os::system_files(), "cairn-mini", model_folder)));
  Claims claims;
  CAIRN_TRY(
      const EvaluationSet glosses,
      read_evaluation_set("glosses (words differ; WordNet, held out)", data + "/glosses.tsv"));
  CAIRN_TRY(const Comparison by_meaning, compare(*model, glosses));
  fmt::print("{}", table_of(glosses, by_meaning));
  claims.check("text_embedding finds more than BM25 where words differ: recall@10",
               by_meaning.dense.recall_10, 1.5 * by_meaning.bm25.recall_10);
  claims.check("text_embedding finds more than BM25 where words differ: recall@100",
               by_meaning.dense.recall_100, 1.3 * by_meaning.bm25.recall_100);
  CAIRN_TRY(const EvaluationSet questions,
            read_evaluation_set("questions (written for this test)", data + "/questions.tsv"));
  CAIRN_TRY(const Comparison by_question, compare(*model, questions));
  fmt::print("{}", table_of(questions, by_question));
  for (const auto& [name, comparison] :
       {std::pair<std::string, const Comparison&>("glosses", by_meaning),
        {"questions", by_question}}) {
    claims.check("sparse_embedding is not worse than BM25, " + name + ": MRR@10",
                 comparison.sparse.mrr_10 + 1e-9, comparison.bm25.mrr_10);
    claims.check("sparse_embedding is not worse than BM25, " + name + ": recall@10",
                 comparison.sparse.recall_10 + 1e-9, comparison.bm25.recall_10);
    claims.check("rerank puts BM25's first 50 in better order, " + name + ": MRR@10",
                 comparison.reranked_bm25.mrr_10, comparison.bm25.mrr_10);
  }
  CAIRN_CHECK(print_languages(*model, data + "/translations.tsv", claims));
  return claims.all_hold();
}

}  // namespace
}  // namespace cairn::mini

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "{}", cairn::mini::usage);
    return 2;
  }
  const cairn::Result<bool> good = cairn::mini::run(words[1], words[2]);
  if (!good.ok()) {
    fmt::print(stderr, "eval_mini: {}\n", good.error().message);
    return 2;
  }
  return *good ? 0 : 1;
}
