// SPDX-License-Identifier: Apache-2.0
// Candidates, features, a small net by Adam, and its calibration.
#include "rerank_training.h"

#include <algorithm>
#include <cmath>

#include "factorize.h"
#include "kernels/vector.h"
#include "os/threads/pool.h"
#include "ranking.h"

namespace cairn::mini {
namespace {

using inference::rerank_feature_names;
using inference::RerankFeatures;
using inference::RerankNet;

constexpr std::size_t feature_count = rerank_feature_names.size();

/// Candidates of one query; the first is the answer.
using Candidates = std::vector<RerankFeatures>;

/// Finds the candidates of queries in one set of questions.
class Finder {
 public:
  Finder(const inference::StaticTables& tables, const Questions& set, const RerankOptions& options)
      : tables_(tables),
        set_(set),
        options_(options),
        dense_(set.documents.size(), tables.dimensions) {
    for (std::size_t d = 0; d < set.documents.size(); ++d) {
      index_.add(inference::document_tokens(tables, set.documents[d]));
      const auto vector = inference::dense_vector(tables, set.documents[d]);
      std::copy(vector.begin(), vector.end(), dense_.row(d));
    }
  }

  /// Lists as searches give them, which is what the reranker will see: to add the answer where a
  /// search missed it would teach that a good rank speaks against a document.
  std::vector<Candidates> of(std::uint32_t query, Random random) const {
    const auto tokens = inference::query_tokens(tables_, set_.queries[query], 64);
    const auto vector = inference::dense_vector(tables_, set_.queries[query]);
    std::vector<float> scores(dense_.rows());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      scores[d] = 1 + kernels::dot_f32(vector.data(), dense_.row(d), vector.size());
    }
    std::vector<Hit> strangers{{query, 0}};
    for (std::size_t i = 0; i < options_.candidates / 2; ++i) {
      strangers.push_back({static_cast<std::uint32_t>(random.below(set_.documents.size())), 0});
    }
    const inference::RerankQuery prepared(tables_, set_.queries[query]);
    std::vector<Candidates> out;
    for (const auto& hits : {index_.search(tokens, options_.candidates),
                             best_of(scores, options_.candidates), strangers}) {
      if (rank_of(query, hits) == 0) continue;
      Candidates list{prepared.features_of(set_.documents[query])};
      for (const Hit& hit : hits) {
        if (set_.documents[hit.document] == set_.documents[query]) continue;
        if (set_.queries[hit.document] == set_.queries[query]) continue;  // answers as well
        list.push_back(prepared.features_of(set_.documents[hit.document]));
      }
      if (list.size() >= 2) out.push_back(std::move(list));
    }
    return out;
  }

 private:
  const inference::StaticTables& tables_;
  const Questions& set_;
  const RerankOptions& options_;
  SparseIndex index_;
  Matrix dense_;
};

std::vector<Candidates> find_candidates(const inference::StaticTables& tables,
                                        const std::vector<Questions>& sets,
                                        const RerankOptions& options, Random& random) {
  std::vector<Candidates> out;
  os::Pool pool({.name = "rerank", .threads = 2, .queue = 64});
  for (const Questions& set : sets) {
    const Finder finder(tables, set, options);
    std::vector<std::uint32_t> chosen(set.queries.size());
    for (std::uint32_t q = 0; q < chosen.size(); ++q) chosen[q] = q;
    shuffle(chosen, random);
    chosen.resize(std::min(chosen.size(), options.queries));
    const std::uint64_t seed = random.number();
    std::vector<std::vector<Candidates>> found(chosen.size());
    pool.for_each(chosen.size(), [&](std::size_t i) {
      found[i] = finder.of(chosen[i], Random(seed + chosen[i]));
    });
    for (auto& lists : found) {
      for (Candidates& list : lists) out.push_back(std::move(list));
    }
  }
  shuffle(out, random);
  return out;
}

void standardize(const std::vector<Candidates>& all, RerankNet& net) {
  std::vector<double> sums(feature_count, 0);
  std::vector<double> squares(feature_count, 0);
  double count = 0;
  for (const Candidates& candidates : all) {
    for (const RerankFeatures& features : candidates) {
      for (std::size_t f = 0; f < feature_count; ++f) {
        sums[f] += features[f];
        squares[f] += double{features[f]} * double{features[f]};
      }
      count += 1;
    }
  }
  for (std::size_t f = 0; f < feature_count; ++f) {
    const double mean = sums[f] / count;
    const double spread = std::sqrt(std::max(squares[f] / count - mean * mean, 1e-6));
    net.mean.push_back(static_cast<float>(mean));
    net.inverse_spread.push_back(static_cast<float>(1 / spread));
  }
}

/// All weights of a net in one list, their gradients, and Adam's two means.
class Trainer {
 public:
  Trainer(RerankNet& net, Random& random) : net_(net) {
    net.hidden_weights.resize(net.hidden * feature_count);
    net.hidden_bias.assign(net.hidden, 0);
    net.output_weights.resize(net.hidden);
    for (float& weight : net.hidden_weights) weight = static_cast<float>(0.25 * random.normal());
    for (float& weight : net.output_weights) weight = static_cast<float>(0.2 * random.normal());
    gradients_.assign(net.hidden * (feature_count + 2), 0);
    first_ = gradients_;
    second_ = gradients_;
  }

  /// Softmax cross-entropy of the first candidate.
  double add(const Candidates& candidates) {
    std::vector<double> logits;
    for (const RerankFeatures& features : candidates) logits.push_back(net_.logit(features));
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (double& logit : logits) sum += logit = exp_of(logit - largest);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      back(candidates[c], static_cast<float>(logits[c] / sum - (c == 0 ? 1 : 0)));
    }
    return -log_of(logits[0] / sum + 1e-30);
  }

  void step(float rate) {
    correction_1_ *= 0.9;
    correction_2_ *= 0.999;
    std::size_t at = 0;
    for (auto* weights : {&net_.hidden_weights, &net_.hidden_bias, &net_.output_weights}) {
      for (float& weight : *weights) {
        const float gradient = gradients_[at] + 1e-5F * weight;
        first_[at] = 0.9F * first_[at] + 0.1F * gradient;
        second_[at] = 0.999F * second_[at] + 0.001F * gradient * gradient;
        const auto mean = static_cast<float>(first_[at] / (1 - correction_1_));
        const auto square = static_cast<float>(second_[at] / (1 - correction_2_));
        weight -= rate * mean / (std::sqrt(square) + 1e-8F);
        gradients_[at++] = 0;
      }
    }
  }

 private:
  void back(const RerankFeatures& features, float gradient) {
    RerankFeatures standard{};
    for (std::size_t f = 0; f < feature_count; ++f) {
      standard[f] = (features[f] - net_.mean[f]) * net_.inverse_spread[f];
    }
    const std::size_t biases = net_.hidden * feature_count;
    for (std::size_t h = 0; h < net_.hidden; ++h) {
      const float* weights = net_.hidden_weights.data() + h * feature_count;
      const float sum =
          net_.hidden_bias[h] + kernels::dot_f32(weights, standard.data(), feature_count);
      if (sum <= 0) continue;
      gradients_[biases + net_.hidden + h] += gradient * sum;
      const float inner = gradient * net_.output_weights[h];
      gradients_[biases + h] += inner;
      kernels::add_scaled_f32(gradients_.data() + h * feature_count, standard.data(), inner,
                              feature_count);
    }
  }

  RerankNet& net_;
  std::vector<float> gradients_;  // hidden weights, hidden biases, output weights
  std::vector<float> first_;
  std::vector<float> second_;
  double correction_1_ = 1;
  double correction_2_ = 1;
};

// Calibrated for one answer among five documents, whatever the number of candidates.
constexpr double misses_per_answer = 4;

/// A candidate's logit, whether it is the answer, and its weight.
struct Judged {
  double logit = 0;
  double answer = 0;
  double weight = 0;
};

/// Mean of -log of the probability of what is true.
double surprise(const std::vector<Judged>& all, double scale, double shift) {
  double sum = 0;
  double weights = 0;
  for (const Judged& judged : all) {
    const double z = scale * judged.logit + shift;
    const double toward = judged.answer > 0 ? z : -z;
    sum += judged.weight *
           (toward > 0 ? log_of(1 + exp_of(-toward)) : log_of(1 + exp_of(toward)) - toward);
    weights += judged.weight;
  }
  return sum / weights;
}

/// Scale and shift of the logits by logistic regression: Newton's method with shortened steps.
void calibrate(const std::vector<Candidates>& lists, RerankNet& net) {
  std::vector<Judged> all;
  for (const Candidates& list : lists) {
    for (std::size_t c = 0; c < list.size(); ++c) {
      const double weight = c == 0 ? 1 : misses_per_answer / static_cast<double>(list.size() - 1);
      all.push_back({net.logit(list[c]), c == 0 ? 1.0 : 0.0, weight});
    }
  }
  double scale = 1;
  double shift = 0;
  for (int round = 0; round < 20; ++round) {
    double g0 = 0;
    double g1 = 0;
    double h00 = 1e-9;
    double h01 = 0;
    double h11 = 1e-9;
    for (const Judged& judged : all) {
      const double p = 1 / (1 + exp_of(-(scale * judged.logit + shift)));
      const double error = judged.weight * (p - judged.answer);
      const double curve = judged.weight * p * (1 - p);
      g0 += error;
      g1 += error * judged.logit;
      h00 += curve;
      h01 += curve * judged.logit;
      h11 += curve * judged.logit * judged.logit;
    }
    const double determinant = h00 * h11 - h01 * h01;
    const double down_shift = (h11 * g0 - h01 * g1) / determinant;
    const double down_scale = (h00 * g1 - h01 * g0) / determinant;
    const double before = surprise(all, scale, shift);
    double part = 1;
    while (part > 1e-3 &&
           surprise(all, scale - part * down_scale, shift - part * down_shift) > before) {
      part /= 2;
    }
    if (part <= 1e-3) break;
    scale -= part * down_scale;
    shift -= part * down_shift;
  }
  for (float& weight : net.output_weights) weight *= static_cast<float>(scale);
  net.output_bias = static_cast<float>(net.output_bias * scale + shift);
}

}  // namespace

inference::RerankNet learn_reranker(const inference::StaticTables& tables,
                                    const std::vector<Questions>& sets,
                                    const RerankOptions& options, Random& random) {
  std::vector<Candidates> all = find_candidates(tables, sets, options, random);
  RerankNet net;
  net.hidden = options.hidden;
  standardize(all, net);
  Trainer trainer(net, random);
  constexpr std::size_t batch = 32;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const float rate =
        0.004F * (1 - static_cast<float>(round) / static_cast<float>(options.rounds));
    for (std::size_t i = 0; i < all.size(); ++i) {
      trainer.add(all[i]);
      if ((i + 1) % batch == 0) trainer.step(rate);
    }
    shuffle(all, random);
  }
  calibrate(all, net);
  return net;
}

}  // namespace cairn::mini
