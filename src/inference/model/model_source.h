// SPDX-License-Identifier: Apache-2.0
// Where deployments get models from: what there is, and loading one with progress.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/model/model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// What is known of a model before it is loaded.
struct ModelInfo {
  std::string model_id = {};
  std::string model_type = {};  // of its config.json
  std::string description = {};
  std::uint64_t size_bytes = 0;  // of its files
  std::int64_t created_ms = 0;
  std::vector<TaskType> tasks = {};
  std::size_t dimensions = 0;         // of its dense vectors; 0: makes none
  std::string similarity = "cosine";  // of its dense vectors

  bool supports(TaskType task) const;
};

/// Called while a model is loaded, from the loading thread, with a total that does not change.
using LoadProgress = std::function<void(std::uint64_t loaded_bytes, std::uint64_t total_bytes)>;

/// Safe from any thread; every call may block up to its deadline.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  /// All models, by id.
  virtual Result<std::vector<ModelInfo>> list(const os::Deadline& deadline) = 0;
  /// Errors: not_found.
  virtual Result<ModelInfo> describe(std::string_view model_id, const os::Deadline& deadline) = 0;
  /// Reads a model into memory. May give one object to several callers.
  /// Errors: not_found; those of load_model(); timeout, cancelled.
  virtual Result<std::shared_ptr<const Model>> load(std::string_view model_id,
                                                    const LoadProgress& progress,
                                                    const os::Deadline& deadline) = 0;
};

}  // namespace cairn::inference
