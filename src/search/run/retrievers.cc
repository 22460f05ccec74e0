// SPDX-License-Identifier: Apache-2.0
// Running retrievers.
#include "search/run/retrievers.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "index/document/semantic_texts.h"
#include "search/source_filter.h"

namespace cairn::search {
namespace {

Result<std::vector<Candidate>> run_leaf(const Retriever& leaf, Execution& execution,
                                        std::size_t window) {
  index::SearchParams params;
  params.size = window;
  params.sort = leaf.sort;
  params.min_score = leaf.min_score;
  params.track_total_hits = 0;
  CAIRN_TRY(Ranking ranking, execution.run(leaf.prepared, params, {}, {}));
  return std::move(ranking.hits);
}

/// The text of a document that a reranker looks at.
Result<std::string> text_of(const Target& target, index::DocAddress doc, const std::string& field,
                            const os::Deadline& deadline) {
  CAIRN_TRY(const std::string source, target.view->source(doc, deadline));
  CAIRN_TRY(const Json json, parse_json(source));
  std::vector<std::string> pieces;
  const index::Field* known = target.view->mapping().find(field);
  if (known != nullptr && known->type == index::FieldType::semantic_text) {
    for (const auto& texts : index::semantic_texts(json, target.view->mapping()))
      if (texts.field == known) pieces = texts.texts;
  } else {
    for (const Json& value : values_at(json, field)) pieces.push_back(scalar_text(value));
  }
  return join(pieces, "\n");
}

Result<std::vector<Candidate>> rerank(const Retriever& retriever, Execution& execution,
                                      std::vector<Candidate> hits) {
  std::vector<std::string> texts;
  for (const Candidate& hit : hits) {
    CAIRN_CHECK(execution.until().check("reading what is reranked"));
    CAIRN_TRY(std::string text, text_of(execution.targets()[hit.place.target], hit.place.doc,
                                        retriever.field, execution.until()));
    texts.push_back(std::move(text));
  }
  CAIRN_TRY(const auto scores,
            execution.embedder().rerank(retriever.inference_id, retriever.text, std::move(texts)));
  for (std::size_t i = 0; i < hits.size(); ++i) {
    hits[i].score = scores[i];
    hits[i].sort.clear();
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return hits;
}

void drop_below(std::vector<Candidate>& hits, std::optional<float> least) {
  if (least) std::erase_if(hits, [&](const Candidate& hit) { return hit.score < *least; });
}

Status gather_leaves(Retriever& retriever, Execution& execution,
                     std::vector<PreparedQueries>& out) {
  if (retriever.kind == Retriever::Kind::leaf) {
    CAIRN_TRY(retriever.prepared, execution.prepare(retriever.queries));
    out.push_back(retriever.prepared);
  }
  for (auto& child : retriever.children)
    CAIRN_CHECK(gather_leaves(*child.retriever, execution, out));
  return ok_status();
}

}  // namespace

Result<std::vector<Candidate>> run_retriever(const Retriever& retriever, Execution& execution,
                                             std::size_t window) {
  if (retriever.kind == Retriever::Kind::leaf) return run_leaf(retriever, execution, window);
  std::vector<std::vector<Candidate>> lists;
  std::vector<float> weights;
  for (const auto& child : retriever.children) {
    CAIRN_TRY(auto list, run_retriever(*child.retriever, execution, retriever.window));
    if (retriever.kind == Retriever::Kind::linear) normalize(list, child.normalizer);
    lists.push_back(std::move(list));
    weights.push_back(child.weight);
  }
  std::vector<Candidate> hits;
  os::Steps steps(execution.until(), "fusing ranked lists");
  if (retriever.kind == Retriever::Kind::reranker) {
    if (lists.front().size() > retriever.window) lists.front().resize(retriever.window);
    CAIRN_TRY(hits, rerank(retriever, execution, std::move(lists.front())));
  } else if (retriever.kind == Retriever::Kind::rrf) {
    hits = fuse_ranks(lists, weights, retriever.rank_constant, retriever.window, &steps);
  } else {
    hits = fuse_scores(lists, weights, retriever.window, &steps);
  }
  CAIRN_CHECK(steps.status());
  drop_below(hits, retriever.min_score);
  return hits;
}

Result<PreparedQueries> prepare_leaves(Retriever& retriever, Execution& execution) {
  std::vector<PreparedQueries> all;
  CAIRN_CHECK(gather_leaves(retriever, execution, all));
  if (all.empty()) return PreparedQueries();
  return any_of(std::move(all));
}

}  // namespace cairn::search
