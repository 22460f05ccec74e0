// SPDX-License-Identifier: Apache-2.0
// A model for tests that knows a few words by their meaning, so that searches have right answers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "inference/model/model_source.h"

namespace cairn::inference {

/// Words of one line mean the same: they share a dimension and a token. Other words add a little
/// to the last dimension. A text with the word "broken" cannot be embedded.
class ConceptModel final : public Model {
 public:
  static constexpr std::array<std::array<std::string_view, 3>, 4> meanings = {{
      {"car", "automobile", "vehicle"},
      {"cat", "kitten", "feline"},
      {"sea", "ocean", "water"},
      {"book", "novel", "volume"},
  }};
  const std::string& model_id() const override { return id_; }
  bool supports(TaskType task) const override {
    return task != TaskType::completion && task != TaskType::chat_completion;
  }
  std::size_t dimensions() const override { return meanings.size() + 1; }
  std::string_view similarity() const override { return "cosine"; }
  std::size_t size_bytes() const override { return 1; }
  std::size_t max_input_tokens() const override { return 512; }

  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs, InputType,
                                                const os::Deadline&) const override {
    ++calls;
    std::vector<std::vector<float>> out;
    for (const std::string& input : inputs) {
      if (input.find("broken") != std::string::npos)
        return Error{.kind = ErrorKind::rate_limited,
                     .code = "es_rejected_execution_exception",
                     .message = "the model is out of breath"};
      out.push_back(vector_of(input));
    }
    return out;
  }
  Result<std::vector<SparseVector>> sparse(std::span<const std::string> inputs, InputType,
                                           const os::Deadline&) const override {
    ++calls;
    std::vector<SparseVector> out;
    for (const std::string& input : inputs) {
      const auto vector = vector_of(input);
      SparseVector sparse;
      for (std::size_t i = 0; i < vector.size(); ++i)
        if (vector[i] > 0)
          sparse.weights.emplace_back(i < meanings.size() ? std::string(meanings[i][0]) : "rest",
                                      vector[i]);
      out.push_back(std::move(sparse));
    }
    return out;
  }
  Result<std::vector<RerankScore>> rerank(const std::string& query,
                                          std::span<const std::string> documents,
                                          const os::Deadline&) const override {
    const auto asked = vector_of(query);
    std::vector<RerankScore> out;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto vector = vector_of(documents[i]);
      float dot = 0;
      for (std::size_t d = 0; d < vector.size(); ++d) dot += vector[d] * asked[d];
      out.push_back({i, dot});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return out;
  }

  static std::vector<float> vector_of(std::string_view text) {
    std::vector<float> vector(meanings.size() + 1, 0);
    vector.back() = 0.1f;
    std::string words = lower_ascii(text);
    for (char& c : words)
      if (c < 'a' || c > 'z') c = ' ';
    for (const auto word : split(words, ' '))
      for (std::size_t i = 0; i < meanings.size(); ++i)
        for (const auto meaning : meanings[i])
          if (word == meaning) vector[i] += 1;
    float length = 0;
    for (const float x : vector) length += x * x;
    for (float& x : vector) x /= std::sqrt(length);
    return vector;
  }

  mutable std::atomic<int> calls = 0;  // of embed and sparse

 private:
  std::string id_ = "cairn-mini";
};

class ConceptModels final : public ModelSource {
 public:
  Result<std::vector<ModelInfo>> list(const os::Deadline&) override { return std::vector{info()}; }
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline&) override {
    if (model_id == "cairn-mini") return info();
    return Error{.kind = ErrorKind::not_found, .message = "no such model"};
  }
  Result<std::shared_ptr<const Model>> load(std::string_view, const LoadProgress& progress,
                                            const os::Deadline&) override {
    progress(1, 1);
    return std::shared_ptr<const Model>(model);
  }
  std::shared_ptr<ConceptModel> model = std::make_shared<ConceptModel>();

 private:
  static ModelInfo info() {
    return {.model_id = "cairn-mini",
            .model_type = "concepts",
            .size_bytes = 1,
            .tasks = {TaskType::sparse_embedding, TaskType::text_embedding, TaskType::rerank},
            .dimensions = ConceptModel::meanings.size() + 1};
  }
};

}  // namespace cairn::inference
