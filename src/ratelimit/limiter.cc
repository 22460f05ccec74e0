// SPDX-License-Identifier: Apache-2.0
// Names of refusals.
#include "ratelimit/limiter.h"

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
    case Refusal::no_state:
      return "no_state";
  }
  return "none";
}

}  // namespace cairn::ratelimit
