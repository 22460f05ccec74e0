// SPDX-License-Identifier: Apache-2.0
#include "inference/deployment/text_allocation.h"

#include <utility>

namespace cairn::inference {

Result<std::shared_ptr<TextAllocation>> TextAllocation::make(std::shared_ptr<const Model> model,
                                                             os::Pool& pool, std::size_t kv_bytes,
                                                             const SchedulerOptions& options) {
  CAIRN_TRY(std::unique_ptr<StepModel> steps, model->texts()->steps(kv_bytes));
  return std::make_shared<TextAllocation>(std::move(model), std::move(steps), pool, options);
}

}  // namespace cairn::inference
