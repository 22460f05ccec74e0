// SPDX-License-Identifier: Apache-2.0
// One allocation of a model that makes texts: its pages of keys and values, and who runs its steps.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "inference/generation/generator.h"
#include "inference/model/model.h"
#include "inference/decoder/text_model.h"
#include "os/threads/pool.h"

namespace cairn::inference {

/// Shared by the deployment and by the calls whose texts it makes, so that these end well when the
/// deployment scales. Its end waits for the step that runs: it must not be on a thread of the pool.
class TextAllocation {
 public:
  /// `model` makes texts; `pool` outlives this. Errors: those of TextModel::steps().
  static Result<std::shared_ptr<TextAllocation>> make(std::shared_ptr<const Model> model,
                                                      os::Pool& pool, std::size_t kv_bytes,
                                                      const SchedulerOptions& options);

  const TextModel& model() const { return *model_->texts(); }
  const std::shared_ptr<const Model>& shared_model() const { return model_; }
  Generator& generator() { return generator_; }
  /// Texts that run or wait.
  std::size_t load() const { return generator_.active() + generator_.waiting(); }

  TextAllocation(std::shared_ptr<const Model> model, std::unique_ptr<StepModel> steps,
                 os::Pool& pool, const SchedulerOptions& options)
      : model_(std::move(model)), steps_(std::move(steps)), generator_(*steps_, pool, options) {}

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<StepModel> steps_;
  Generator generator_;
};

}  // namespace cairn::inference
