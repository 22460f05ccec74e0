// SPDX-License-Identifier: Apache-2.0
#include "app/task_ground.h"

#include <utility>

#include "api/forms/error_json.h"

namespace cairn::app {
namespace {

// Work of a task is no request: it takes nothing of the primary limit, no points and no place among
// the concurrent ones. "task" in ASCII, by which the limiter tells it from the routes.
constexpr ratelimit::Charge work_of_tasks{
    .endpoint = 0x7461736b, .cost = 0, .points = 0, .no_primary = true};

}  // namespace

tasks::Ground task_ground(tasks::Ground ground, const auth::Keys& keys,
                          ratelimit::Limiter& limiter) {
  limiter.name_endpoint(work_of_tasks.endpoint, "work of tasks");
  ground.error_object = [](const Error& error) { return api::error_object(error); };
  ground.error_status = [](const Error& error) { return api::status_of(error); };
  ground.charge = [&keys, &limiter](const std::string& id, std::int64_t cpu_ns) -> std::int64_t {
    const auto key = keys.get(id);
    const auto identity = key ? key->counted_as : ratelimit::key_identity(id);
    ratelimit::Admission admission = limiter.admit(identity, work_of_tasks);
    if (!admission.decision().admitted())
      return std::int64_t{admission.decision().retry_after_s} * 1'000;
    admission.finish(cpu_ns);
    return 0;
  };
  return ground;
}

}  // namespace cairn::app
