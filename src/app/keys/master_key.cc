// SPDX-License-Identifier: Apache-2.0
#include "app/keys/master_key.h"

#include <mutex>
#include <string>

#include "os/log.h"

namespace cairn::app {

/// A task saves its record whenever it is done with a batch, with the credentials as it read them.
Status MasterKey::check_tasks() const {
  for (const auto& task : ground_.tasks.running())
    if (const auto& remote = task->request().remote; remote && !remote->sealed_headers.empty())
      return Error{.kind = ErrorKind::conflict,
                   .message = "task [" + std::to_string(task->facts().number) +
                              "] copies from another server in the background and keeps its "
                              "credentials; wait for its end, or cancel it"};
  return ok_status();
}

Status MasterKey::reseal(const os::Deadline& deadline) {
  CAIRN_CHECK(ground_.reseal_nodes(deadline));
  CAIRN_CHECK(ground_.encryption_keys.reseal(deadline));
  CAIRN_CHECK(ground_.object_keys.reseal(deadline));
  CAIRN_CHECK(ground_.connectors.secrets().reseal(deadline));
  CAIRN_CHECK(ground_.connectors.records().reseal(deadline));
  return ground_.inference.reseal_keys(deadline);
}

Status MasterKey::rotate(const os::Deadline& deadline) {
  const std::unique_lock lock(ground_.keys_stay, std::try_to_lock);
  if (!lock.owns_lock())
    return Error{.kind = ErrorKind::conflict,
                 .message =
                     "a backup is being made, which must hold the key that its secrets are "
                     "sealed with, or the key is being changed; wait for its end, or `cairn "
                     "backup cancel`"};
  CAIRN_CHECK(ground_.check_nodes(deadline));
  CAIRN_CHECK(check_tasks());
  if (ground_.seal.older_keys() == 0) CAIRN_CHECK(ground_.seal.begin_change(ground_.random));
  CAIRN_CHECK(reseal(deadline));
  CAIRN_CHECK(ground_.seal.end_change());
  os::log(os::LogLevel::info, "app", "master_key_changed");
  return ok_status();
}

Status MasterKey::finish(const os::Deadline& deadline) {
  const std::unique_lock lock(ground_.keys_stay);
  if (ground_.seal.older_keys() == 0) return ok_status();
  CAIRN_CHECK(check_tasks());
  CAIRN_CHECK(reseal(deadline));
  CAIRN_CHECK(ground_.seal.end_change());
  os::log(os::LogLevel::info, "app", "master_key_changed",
          {{"reason", "a change that was cut short has ended now"}});
  return ok_status();
}

}  // namespace cairn::app
