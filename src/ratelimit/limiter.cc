// SPDX-License-Identifier: Apache-2.0
// What every limiter shares: names, and the life of an admission.
#include "ratelimit/limiter.h"

#include <utility>

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

Admission Limiter::make(const Decision& decision, const Ticket& ticket) {
  Admission out;
  out.limiter_ = this;
  out.decision_ = decision;
  out.ticket_ = ticket;
  return out;
}

Admission Limiter::make(const Decision& decision) {
  Admission out;
  out.decision_ = decision;
  return out;
}

void Admission::refund() {
  if (limiter_ == nullptr || refunded_) return;
  refunded_ = true;
  limiter_->give_back(ticket_, decision_);
}

void Admission::finish(std::int64_t cpu_ns) {
  if (Limiter* const limiter = std::exchange(limiter_, nullptr)) limiter->release(ticket_, cpu_ns);
}

}  // namespace cairn::ratelimit
