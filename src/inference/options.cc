// SPDX-License-Identifier: Apache-2.0
// Checks of the settings.
#include "inference/options.h"

#include <algorithm>

#include "inference/errors.h"
#include "inference/remote/remote_models.h"
#include "os/cpu.h"

namespace cairn::inference {

Status Options::validate() const {
  const auto positive = [](std::string_view name, std::int64_t value) -> Status {
    if (value > 0) return ok_status();
    return illegal_argument("inference." + std::string(name) + " must be positive, got " +
                            std::to_string(value));
  };
  CAIRN_CHECK(positive("create_timeout_ms", create_timeout_ms));
  CAIRN_CHECK(positive("infer_timeout_ms", infer_timeout_ms));
  CAIRN_CHECK(positive("inputs_max", static_cast<std::int64_t>(inputs_max)));
  CAIRN_CHECK(positive("batch_inputs", static_cast<std::int64_t>(batch_inputs)));
  CAIRN_CHECK(positive("queue_capacity", queue_capacity));
  CAIRN_CHECK(positive("text_timeout_ms", text_timeout_ms));
  CAIRN_CHECK(positive("kv_memory_bytes", static_cast<std::int64_t>(kv_memory_bytes)));
  CAIRN_CHECK(positive("loaders", static_cast<std::int64_t>(loaders)));
  CAIRN_CHECK(positive("fetchers", static_cast<std::int64_t>(fetchers)));
  CAIRN_CHECK(positive("adaptive_interval_ms", adaptive_interval_ms));
  CAIRN_CHECK(positive("adaptive_max", adaptive_max));
  CAIRN_CHECK(positive("scale_to_zero_ms", scale_to_zero_ms));
  if (allocations_max < 0)
    return illegal_argument("inference.allocations_max must not be negative");
  if (failed_retry_ms < 0 || scale_cooldown_ms < 0) {
    return illegal_argument(
        "inference.failed_retry_ms and inference.scale_cooldown_ms must not be negative");
  }
  if (create_timeout_status != 502 && create_timeout_status != 408) {
    return illegal_argument("inference.creation_timeout_status must be 502 or 408, got " +
                            std::to_string(create_timeout_status));
  }
  CAIRN_CHECK(remote_client_options(remote_allowed_hosts));
  if (default_model.empty()) return illegal_argument("inference.default_model must not be empty");
  return ok_status();
}

std::int64_t Options::most_allocations(std::size_t cores_elsewhere) const {
  if (allocations_max > 0) return allocations_max;
  return std::max(adaptive_max, static_cast<std::int64_t>(os::cpu_count() + cores_elsewhere));
}

}  // namespace cairn::inference
