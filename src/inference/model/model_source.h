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
  bool quotes = false;                // as Model::quotes()
  std::string refusal = {};           // why this build does not run it; empty: it does

  bool supports(TaskType task) const;
};

/// Called while a model is loaded, from the loading thread, with a total that does not change.
using LoadProgress = std::function<void(std::uint64_t loaded_bytes, std::uint64_t total_bytes)>;

/// How far a model is that comes from elsewhere.
struct FetchStep {
  bool verifying = false;  // all bytes are here, and their digests are compared
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  // 0: not known yet
  std::string source = {};        // as it was configured
  std::string note = {};          // why nothing comes now, and when the next try is; or empty
};
using FetchProgress = std::function<void(const FetchStep& step)>;

/// Who wants a model that is elsewhere.
struct FetchWatcher {
  FetchProgress progress;
  /// Called once, when the model is here or cannot be had. Must not wait.
  std::function<void(const Status& result)> done;
  os::Deadline deadline = os::Deadline::never();
};

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

  /// The same as describe(), also of models that are elsewhere and could be fetched.
  /// Errors: not_found where no place has it; unavailable where one could not be asked.
  virtual Result<ModelInfo> discover(std::string_view model_id, const os::Deadline& deadline) {
    return describe(model_id, deadline);
  }
  /// Whether load() needs no fetch() before.
  virtual Result<bool> holds(std::string_view model_id, const os::Deadline& deadline);
  /// Brings a model here from elsewhere, waiting for places that cannot be reached as long as it
  /// takes. Goes on where an earlier call was cut. Where another call brings the model already, this
  /// one returns at once, and its watcher is told on the other's thread, the end of its own deadline
  /// at the next progress; it takes the other's place if that one's deadline comes. Errors for done: not_found; corrupt, invalid_argument for what is
  /// not a model; timeout, cancelled; those of the store.
  virtual void fetch(std::string_view model_id, FetchWatcher watcher);
  /// Removes a model from here, with what was fetched of it. False: there was nothing.
  /// Errors: unsupported.
  virtual Result<bool> remove(std::string_view model_id, const os::Deadline& deadline);
};

}  // namespace cairn::inference
