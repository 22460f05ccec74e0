// SPDX-License-Identifier: Apache-2.0
// The steps of training in order.
#include "train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "expansions.h"
#include "factorize.h"
#include "format/json.h"
#include "inference/model/safetensors.h"
#include "inference/static/static_tables.h"
#include "kernels/vector.h"
#include "questions.h"
#include "ranking.h"

namespace cairn::mini {
namespace {

using inference::NumberType;
using inference::RerankNet;
using inference::StaticTables;
using Say = std::function<void(std::string_view)>;

constexpr std::size_t max_input_tokens = 1024;
constexpr std::size_t most_expansions = 64;  // of a query

/// First vectors: directions by factorization, lengths by smooth inverse frequency.
Matrix first_vectors(const TrainingSet& texts, const TokenStatistics& statistics,
                     const TrainingOptions& options, Random& random) {
  Matrix vectors = factorize(texts.documents(), statistics.idf, options.dimensions, random);
  for (std::size_t id = 0; id < vectors.rows(); ++id) {
    constexpr float smoothing = 1e-3F;
    const float weight = smoothing / (smoothing + statistics.probability[id]);
    for (std::size_t c = 0; c < vectors.columns; ++c) vectors.row(id)[c] *= weight;
  }
  return vectors;
}

/// Removes the direction that the vectors of all documents share the most.
void remove_common_direction(const TextTable& documents, Matrix& vectors, Random& random) {
  const std::size_t width = vectors.columns;
  std::vector<float> direction(width);
  for (float& number : direction) number = static_cast<float>(random.normal());
  std::vector<float> text(width);
  for (int round = 0; round < 4; ++round) {
    std::vector<float> next(width, 0);
    for (std::size_t d = 0; d < documents.size(); d += 1 + documents.size() / 50000) {
      std::fill(text.begin(), text.end(), 0.0F);
      for (const std::uint32_t id : documents.at(d)) {
        kernels::add_scaled_f32(text.data(), vectors.row(id), 1, width);
      }
      const float square = kernels::dot_f32(text.data(), text.data(), width);
      if (square <= 0) continue;
      const float along = kernels::dot_f32(text.data(), direction.data(), width) / square;
      kernels::add_scaled_f32(next.data(), text.data(), along, width);
    }
    const float norm = std::sqrt(kernels::dot_f32(next.data(), next.data(), width));
    for (std::size_t c = 0; c < width; ++c) direction[c] = norm > 0 ? next[c] / norm : 0;
  }
  for (std::size_t id = 0; id < vectors.rows(); ++id) {
    const float along = kernels::dot_f32(vectors.row(id), direction.data(), width);
    kernels::add_scaled_f32(vectors.row(id), direction.data(), -along, width);
  }
}

/// Rounds rows to int8, each with its scale.
std::vector<std::int8_t> quantize(const Matrix& vectors, const TokenStatistics& statistics,
                                  StaticTables& tables) {
  std::vector<std::int8_t> out(vectors.numbers.size(), 0);
  tables.dimensions = vectors.columns;
  tables.idf = statistics.idf;
  tables.scales.assign(vectors.rows(), 0);
  for (std::size_t id = 0; id < vectors.rows(); ++id) {
    const float* row = vectors.row(id);
    float largest = 0;
    for (std::size_t c = 0; c < vectors.columns; ++c) largest = std::max(largest, std::abs(row[c]));
    if (largest == 0 || statistics.idf[id] == 0) continue;
    tables.scales[id] = largest / 127;
    for (std::size_t c = 0; c < vectors.columns; ++c) {
      out[id * vectors.columns + c] =
          static_cast<std::int8_t>(std::nearbyint(row[c] / tables.scales[id]));
    }
  }
  return out;
}

/// What the weights of relations are chosen by: how often the sparse encoder finds the answer.
double sparse_quality(const std::vector<Questions>& sets, const StaticTables& tables) {
  constexpr std::size_t most_queries = 600;
  double sum = 0;
  for (const Questions& set : sets) {
    SparseIndex index;
    for (const Ids& document : set.documents) {
      index.add(inference::document_tokens(tables, document));
    }
    Quality quality;
    const std::size_t stride = 1 + set.queries.size() / most_queries;
    for (std::uint32_t q = 0; q < set.queries.size(); q += static_cast<std::uint32_t>(stride)) {
      const auto tokens = inference::query_tokens(tables, set.queries[q], most_expansions);
      quality.add(rank_of(q, index.search(tokens, 100)));
    }
    const Quality mean = quality.mean();
    sum += mean.mrr_10 + 0.5 * mean.recall_10 + 0.25 * mean.recall_100;
  }
  return sum;
}

void fit_sparse(const Corpus& corpus, const text::Tokenizer& tokenizer,
                const std::vector<Questions>& questions, StaticTables& tables, const Say& say) {
  const auto quality = [&](float average_length) {
    tables.saturation.average_length = average_length;
    return sparse_quality(questions, tables);
  };
  float best_length = 24;
  double best = quality(best_length);
  for (const float length : {12.0F, 48.0F, 96.0F}) {
    if (const double other = quality(length); other > best) {
      best = other;
      best_length = length;
    }
  }
  tables.saturation.average_length = best_length;
  const auto relations = find_relations(corpus, tokenizer, tables);
  const RelationWeights weights = fit_weights([&](const RelationWeights& candidate) {
    set_expansions(relations, candidate, tables);
    return sparse_quality(questions, tables);
  });
  set_expansions(relations, weights, tables);
  say(fmt::format(
      "sparse: {:.4f} plain, {:.4f} expanded (average length {}, stem {}, synonym {}, "
      "hypernym {}, neighbour {} from {}), {} expansions",
      best, sparse_quality(questions, tables), best_length, weights.same_stem, weights.synonym,
      weights.hypernym, weights.neighbour, weights.least_cosine, tables.expansions.size()));
}

template <class Number>
std::string_view bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

std::string weights_file(const StaticTables& tables, const RerankNet& net) {
  const std::uint64_t size = tables.size();
  const std::uint64_t features = inference::rerank_feature_names.size();
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> weights;
  for (const inference::Expansion& expansion : tables.expansions) {
    ids.push_back(static_cast<std::int32_t>(expansion.id));
    weights.push_back(static_cast<std::uint8_t>(std::nearbyint(expansion.weight * 255)));
  }
  const std::vector<float> bias{net.output_bias};
  return inference::write_safetensors(
      {{"embedding.scale", NumberType::f32, {size}, bytes_of(tables.scales)},
       {"token.idf", NumberType::f32, {size}, bytes_of(tables.idf)},
       {"expansion.ends", NumberType::i32, {size}, bytes_of(tables.expansion_ends)},
       {"expansion.ids", NumberType::i32, {ids.size()}, bytes_of(ids)},
       {"rerank.input.mean", NumberType::f32, {features}, bytes_of(net.mean)},
       {"rerank.input.inverse_spread", NumberType::f32, {features}, bytes_of(net.inverse_spread)},
       {"rerank.hidden.weight",
        NumberType::f32,
        {net.hidden, features},
        bytes_of(net.hidden_weights)},
       {"rerank.hidden.bias", NumberType::f32, {net.hidden}, bytes_of(net.hidden_bias)},
       {"rerank.output.weight", NumberType::f32, {1, net.hidden}, bytes_of(net.output_weights)},
       {"rerank.output.bias", NumberType::f32, {1}, bytes_of(bias)},
       {"expansion.weights", NumberType::u8, {weights.size()}, bytes_of(weights)},
       {"embedding.weight",
        NumberType::i8,
        {size, tables.dimensions},
        {reinterpret_cast<const char*>(tables.vectors.data()), tables.vectors.size()}}},
      {{"format", "cairn-static"}});
}

std::string config_file(const StaticTables& tables, const RerankNet& net) {
  const Json config = Json::object(
      {{"architectures", Json::array({"CairnStaticModel"})},
       {"model_type", "cairn-static"},
       {"description",
        "Small: static vectors, an expanded sparse encoder and a reranker, learnt from WordNet, a "
        "dictionary, documentation and translated manual pages. For the quality of large models, "
        "put the files of one into the model store."},
       {"tasks", Json::array({"text_embedding", "sparse_embedding", "rerank"})},
       {"vocab_size", static_cast<std::int64_t>(tables.size())},
       {"hidden_size", static_cast<std::int64_t>(tables.dimensions)},
       {"similarity", "cosine"},
       {"max_input_tokens", static_cast<std::int64_t>(max_input_tokens)},
       {"languages", Json::array_of(languages)},
       {"sparse", Json::object({{"k1", tables.saturation.k1},
                                {"b", tables.saturation.b},
                                {"average_length", tables.saturation.average_length},
                                {"most_expansions", static_cast<std::int64_t>(most_expansions)}})},
       {"rerank", Json::object({{"hidden_size", static_cast<std::int64_t>(net.hidden)},
                                {"features", Json::array_of(inference::rerank_feature_names)}})}});
  return config.dump(true) + "\n";
}

std::string tokenizer_config_file() {
  return Json::object({{"tokenizer_class", "PreTrainedTokenizerFast"},
                       {"model_max_length", static_cast<std::int64_t>(max_input_tokens)},
                       {"unk_token", "[UNK]"},
                       {"clean_up_tokenization_spaces", true}})
             .dump(true) +
         "\n";
}

}  // namespace

TrainingOptions TrainingOptions::small() {
  TrainingOptions out;
  out.dimensions = 32;
  out.vocabulary = {.size = 3000, .pieces = 500, .least_count = 2};
  out.contrast.steps = 60;
  out.contrast.batch = 64;
  out.rerank.hidden = 8;
  out.rerank.queries = 40;
  out.rerank.rounds = 4;
  return out;
}

Result<Corpus> read_corpus(const std::string& root) {
  Corpus corpus;
  CAIRN_CHECK(read_wordnet(root, corpus));
  CAIRN_CHECK(read_dictionary(root, corpus));
  CAIRN_CHECK(read_manual_pages(root, corpus));
  CAIRN_CHECK(read_documentation(root, corpus));
  return corpus;
}

Result<std::map<std::string, std::string>> train(const Corpus& corpus,
                                                 const TrainingOptions& options, const Say& say) {
  Random random(options.seed);
  say(fmt::format("corpus: {} senses, {} passages, {} pairs, {} translated blocks",
                  corpus.senses.size(), corpus.passages.size(), corpus.pairs.size(),
                  corpus.translations.size()));
  std::map<std::string, std::string> files;
  CAIRN_TRY(files["tokenizer.json"], make_tokenizer_json(corpus, options.vocabulary));
  CAIRN_TRY(const text::Tokenizer tokenizer, text::Tokenizer::parse(files["tokenizer.json"]));
  const TokenStatistics statistics = token_statistics(corpus, tokenizer);
  say(fmt::format("vocabulary: {} tokens", tokenizer.vocabulary_size()));
  const TrainingSet texts(corpus, tokenizer);
  Matrix vectors = first_vectors(texts, statistics, options, random);
  say("first vectors: done");
  learn_by_contrast(texts, options.contrast, random, vectors, [&](std::size_t step, double loss) {
    say(fmt::format("contrast: step {} of {}, loss {:.3f}", step, options.contrast.steps, loss));
  });
  remove_common_direction(texts.documents(), vectors, random);
  StaticTables tables;
  const std::vector<std::int8_t> rows = quantize(vectors, statistics, tables);
  tables.vectors = rows;
  tables.compute_inverse_norms();
  const std::vector<Questions> questions = questions_of(corpus, Split::development, tokenizer);
  fit_sparse(corpus, tokenizer, questions, tables, say);
  const RerankNet net = learn_reranker(tables, questions, options.rerank, random);
  say("reranker: done");
  files["config.json"] = config_file(tables, net);
  files["tokenizer_config.json"] = tokenizer_config_file();
  files["model.safetensors"] = weights_file(tables, net);
  return files;
}

}  // namespace cairn::mini
