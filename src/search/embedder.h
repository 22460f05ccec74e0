// SPDX-License-Identifier: Apache-2.0
// Query texts to vectors through inference endpoints, each text once a request.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/service.h"
#include "os/deadline.h"

namespace cairn::search {

/// What texts have become: by endpoint and text.
using EmbeddedTexts = std::map<std::pair<std::string, std::string>, inference::InferResult>;

/// For one request; one thread. Errors of all calls: those of Service::infer.
class Embedder {
 public:
  /// `inference` outlives the object. `known` is what an earlier request has embedded; may be null.
  Embedder(inference::Service& inference, os::Deadline deadline,
           std::shared_ptr<const EmbeddedTexts> known = nullptr)
      : inference_(inference), deadline_(std::move(deadline)) {
    if (known != nullptr) known_ = *known;
  }
  /// Everything embedded so far.
  const EmbeddedTexts& known() const { return known_; }

  /// The embedding of a query text. `endpoint` is an endpoint's id, or a model's or deployment's
  /// that an endpoint serves.
  Result<const std::vector<float>*> dense(const std::string& endpoint, const std::string& text);
  Result<const std::vector<std::pair<std::string, float>>*> sparse(const std::string& endpoint,
                                                                   const std::string& text);
  /// Scores of documents for a query, in the order of `documents`.
  Result<std::vector<float>> rerank(const std::string& endpoint, const std::string& query,
                                    std::vector<std::string> documents);

 private:
  Result<const inference::InferResult*> infer(const std::string& endpoint, const std::string& text,
                                              inference::TaskType task);
  std::string endpoint_of(const std::string& name, inference::TaskType task) const;

  inference::Service& inference_;
  os::Deadline deadline_;
  EmbeddedTexts known_;
};

}  // namespace cairn::search
