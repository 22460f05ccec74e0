// SPDX-License-Identifier: Apache-2.0
#include "connectors/told_changes.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view told_prefix = "told/";

std::string told_key(const std::string& connector) { return std::string(told_prefix) + connector; }

}  // namespace

Status ToldChanges::add(const std::string& connector, const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  if (told_.count(connector) > 0) return ok_status();
  CAIRN_CHECK(store_.put(told_key(connector), {}, deadline));
  told_.insert(connector);
  return ok_status();
}

Result<std::set<std::string>> ToldChanges::all(const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  if (!is_loaded_)
    CAIRN_CHECK(store::for_each_object(store_, told_prefix, deadline,
                                       [this](const store::ObjectInfo& info) -> Status {
                                         told_.insert(info.key.substr(told_prefix.size()));
                                         return ok_status();
                                       }));
  is_loaded_ = true;
  return told_;
}

bool ToldChanges::begin(const std::string& connector) {
  const std::lock_guard lock(mutex_);
  return told_.erase(connector) > 0;
}

Status ToldChanges::end(const std::string& connector, bool made, const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  if (!made) {
    told_.insert(connector);
    return ok_status();
  }
  if (told_.count(connector) > 0) return ok_status();  // once more meanwhile
  CAIRN_CHECK(store_.remove(told_key(connector), deadline));
  return ok_status();
}

}  // namespace cairn::connectors
