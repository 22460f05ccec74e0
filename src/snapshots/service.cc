// SPDX-License-Identifier: Apache-2.0
#include "snapshots/service.h"

#include <algorithm>

#include "os/threads/blocking.h"
#include "snapshots/errors.h"

namespace cairn::snapshots {

Service::Service(store::Store& records, index::Indices& indices, OpenRepository open,
                 Options options, const os::Clock& clock, os::Random& random)
    : indices_(indices),
      options_(std::move(options)),
      clock_(clock),
      random_(random),
      repositories_(records, std::move(open), random) {}

Service::~Service() {
  {
    const std::lock_guard lock(turn_);
    for (const auto& running : running_) running->cancel.request_stop();
  }
  stops_.request_stop();
  threads_.clear();  // asks each to stop and joins
}

// Where the system has no thread to give, the caller does it, and its answer comes later.
void Service::start_thread(const std::function<void(std::stop_token)>& work) {
  join_ended();
  auto ended = std::make_shared<std::atomic<bool>>(false);
  auto thread = os::Thread::start_stoppable_or_tell({.name = "cairn-snapshot", .nice = 5},
                                                    [work, ended](std::stop_token stop) {
                                                      work(std::move(stop));
                                                      ended->store(true);
                                                    });
  if (!thread.joinable()) return work(stops_.get_token());
  const std::lock_guard lock(turn_);
  threads_.push_back({std::move(thread), ended});
}

void Service::join_ended() {
  std::list<Thread> ended;
  const std::lock_guard lock(turn_);
  for (auto at = threads_.begin(); at != threads_.end();) {
    const auto next = std::next(at);
    if (at->ended->load()) ended.splice(ended.end(), threads_, at);
    at = next;
  }
}

// --- who may do what

Status Service::take_turn(const os::Deadline& deadline, const std::string& what) {
  const os::Blocking blocking;
  // Looked at in steps, so that a stop ends the wait too.
  while (!registry_.try_lock_for(
      std::chrono::milliseconds(std::min<std::int64_t>(50, deadline.remaining_ms())))) {
    if (!deadline.passed()) continue;
    return Error{.kind = ErrorKind::unavailable,
                 .code = "process_cluster_event_timeout_exception",
                 .message = "failed to process cluster event (" + what +
                            ") in time: another change of the repositories is going on. Nothing "
                            "was done; try again or raise [master_timeout]"};
  }
  return ok_status();
}

Status Service::begin(const std::string& repository, Doing doing) {
  const std::lock_guard lock(turn_);
  CAIRN_CHECK(may_begin(repository, doing));
  ++doing_[repository][doing];
  return ok_status();
}

Status Service::check_turn(const std::string& repository, Doing doing) {
  const std::lock_guard lock(turn_);
  return may_begin(repository, doing);
}

/// Under turn_.
Status Service::may_begin(const std::string& repository, Doing doing) const {
  for (const auto& [name, works] : doing_) {
    for (const auto& [work, count] : works) {
      if (count == 0) continue;
      if (doing == Doing::cleaning) {
        const std::string start = "Cannot cleanup [" + repository + "] - ";
        if (work == Doing::cleaning)
          return illegal_state(start + "a repository cleanup is already in-progress in [" + name +
                               "]");
        if (work == Doing::deleting)
          return illegal_state(start + "a snapshot is currently being deleted in [" + name + "]");
        if (work == Doing::creating)
          return illegal_state(start + "a snapshot is currently running in [" + name + "]");
      } else if (work == Doing::cleaning && name == repository && doing != Doing::restoring) {
        return busy(repository, "",
                    doing == Doing::creating
                        ? "cannot snapshot while a repository cleanup is in-progress"
                        : "cannot delete snapshots while a repository cleanup is in-progress");
      }
    }
  }
  return ok_status();
}

void Service::end(const std::string& repository, Doing doing) {
  {
    const std::lock_guard lock(turn_);
    --doing_[repository][doing];
  }
  changed_.notify_all();
}

// --- repositories

Status Service::put_repository(const RepositorySettings& settings, bool verify,
                               const os::Deadline& deadline) {
  CAIRN_CHECK(take_turn(deadline, "put_repository [" + settings.name + "]"));
  const std::lock_guard held(registry_, std::adopt_lock);
  {
    const std::lock_guard lock(turn_);
    for (const auto& [work, count] : doing_[settings.name])
      if (count > 0)
        return illegal_state("trying to modify or unregister repository [" + settings.name +
                             "] that is currently used");
  }
  return repositories_.put(settings, verify, deadline);
}

Status Service::remove_repository(const std::string& expression, const os::Deadline& deadline) {
  CAIRN_CHECK(take_turn(deadline, "delete_repository [" + expression + "]"));
  const std::lock_guard held(registry_, std::adopt_lock);
  CAIRN_TRY(const auto names, repositories_.resolve(expression));
  {
    const std::lock_guard lock(turn_);
    for (const auto& name : names)
      for (const auto& [work, count] : doing_[name])
        if (count > 0)
          return illegal_state("trying to modify or unregister repository [" + name +
                               "] that is currently used");
  }
  for (const auto& name : names) CAIRN_CHECK(repositories_.remove(name, deadline));
  return ok_status();
}

}  // namespace cairn::snapshots
