// SPDX-License-Identifier: Apache-2.0
// Allocations of a deployment whose model makes texts.
#include <algorithm>
#include <new>
#include <utility>

#include "inference/deployment/deployment_impl.h"
#include "inference/errors.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

/// Texts, and the calls that hold it: those may be about to add one.
std::size_t load_of(const std::shared_ptr<TextAllocation>& one) {
  return one->load() + static_cast<std::size_t>(one.use_count() - 1);
}

}  // namespace

std::size_t Deployment::Impl::texts_at_work() const {
  std::size_t out = 0;
  for (const auto& one : texts) out += load_of(one);
  return out;
}

/// Those beyond the number that nobody holds. They end behind the lock.
std::vector<std::shared_ptr<TextAllocation>> Deployment::Impl::take_idle_extras() {
  std::vector<std::shared_ptr<TextAllocation>> out;
  const auto most = std::max<std::int64_t>(settings.number_of_allocations, 0);
  while (texts.size() > static_cast<std::size_t>(most) && load_of(texts.back()) == 0) {
    out.push_back(std::move(texts.back()));
    texts.pop_back();
  }
  return out;
}

std::size_t Deployment::Impl::texts_waiting() const {
  std::size_t out = 0;
  for (const auto& one : texts) out += one->generator().waiting();
  return out;
}

/// One that has nothing to do, else a new one where there may be more, else the one with the
/// fewest texts. Those beyond the number live on with the calls that hold them.
Result<std::shared_ptr<TextAllocation>> Deployment::Impl::idlest() {
  const auto most =
      static_cast<std::size_t>(std::max<std::int64_t>(settings.number_of_allocations, 1));
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), most));
  const auto found = std::min_element(
      texts.begin(), end, [](const auto& a, const auto& b) { return load_of(a) < load_of(b); });
  if (found != end && (load_of(*found) == 0 || texts.size() >= most)) return *found;
  SchedulerOptions how;  // each text that waits holds a thread of the server
  how.most_waiting = std::min(how.most_waiting, static_cast<std::size_t>(settings.queue_capacity));
  auto made = TextAllocation::make(model, cpu, options.kv_memory_bytes, how);
  if (!made.ok() && found != end) return *found;  // there is no memory for one more
  if (made.ok()) texts.push_back(*made);
  return made;
}

Result<std::shared_ptr<TextAllocation>> Deployment::text_allocation(std::int64_t timeout_ms,
                                                                    const os::Deadline& deadline) {
  Impl& d = *impl_;
  MutexLock lock(d.mutex);
  d.last_request_ns = d.clock.steady_ns();
  d.last_access_ms = d.clock.unix_ms();
  CAIRN_CHECK(d.wake());
  if (timeout_ms == 0 && d.model == nullptr) return d.late(timeout_ms);
  d.leave_zero();
  {
    const os::Blocking blocking;
    const bool settled =
        os::wait(d.changed, lock, deadline, [&] { return d.state != DeploymentState::starting; });
    if (!settled && deadline.stopped())
      return deadline.check("waiting for an inference result").error();
    if (!settled) return d.late(timeout_ms);
  }
  if (d.state != DeploymentState::started || d.model == nullptr) return d.not_started();
  if (d.model->texts() == nullptr)
    return status_error(ErrorKind::unsupported,
                        "Model [" + d.settings.model_id + "] does not make texts");
  CAIRN_TRY(std::shared_ptr<TextAllocation> out, d.idlest());
  if (timeout_ms == 0 && out->load() > 0) return d.late(timeout_ms);
  return out;
}

void Deployment::count_texts(std::size_t count, std::int64_t cpu_ns, const Status& how) {
  Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  d.busy_ns += cpu_ns;
  d.cpu_metric.add(static_cast<std::uint64_t>(std::max<std::int64_t>(cpu_ns, 0)));
  if (how.ok()) {
    d.inference_count += count;
    d.inputs_metric.add(count);
    d.throughput.add(d.clock.steady_ns(), count, cpu_ns);
  } else if (how.error().kind == ErrorKind::timeout) {
    ++d.timeout_count;
    d.timeouts_metric.add();
  } else if (how.error().kind != ErrorKind::cancelled) {
    d.error_count += count;
    d.errors_metric.add(count);
  }
}

}  // namespace cairn::inference
