// SPDX-License-Identifier: Apache-2.0
// Names of refusals.
#include "ratelimit/limiter.h"

#include <fmt/core.h>

namespace cairn::ratelimit {

std::string_view name_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::none:
      return "none";
    case Refusal::banned:
      return "banned";
    case Refusal::primary:
      return "primary";
    case Refusal::concurrent:
      return "concurrent";
    case Refusal::points:
      return "points";
    case Refusal::cpu:
      return "cpu";
    case Refusal::content_minute:
      return "content_minute";
    case Refusal::content_hour:
      return "content_hour";
    case Refusal::compute:
      return "compute";
    case Refusal::rule:
      return "rule";
    case Refusal::no_state:
      return "no_state";
  }
  return "none";
}

void Limiter::name_endpoint(std::uint32_t endpoint, std::string_view name) {
  const MutexLock lock(names_mutex_);
  names_.insert_or_assign(endpoint >> 2, std::string(name));
}

std::string Limiter::name_of_endpoint(std::uint32_t upper_bits) const {
  const MutexLock lock(names_mutex_);
  const auto found = names_.find(upper_bits);
  return found != names_.end() ? found->second : fmt::format("{:08x}", upper_bits << 2);
}

}  // namespace cairn::ratelimit
