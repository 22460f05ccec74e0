// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/import_locks.h"

#include "cli/objects/places/listing.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

std::string text_of(const Value& value) {
  const std::string* const text = value.text();
  return text != nullptr ? *text : std::string();
}

/// Where it cannot be known, as yes: what is written or read next says so then.
bool may_lock(const Service& service, const std::string& bucket) {
  const auto said = service.call("get_object_lock_configuration", {{"bucket", bucket}});
  if (said.ok())
    return text_of((*said)["object_lock_configuration"]["object_lock_enabled"]) == "Enabled";
  const Error& error = said.error();
  return error.code != "ObjectLockConfigurationNotFoundError" && error.code != "NotImplemented" &&
         error.code != "MethodNotAllowed";
}

bool says_none(const Error& error) {
  return error.code == "NoSuchObjectLockConfiguration" || error.code == "InvalidRequest" ||
         error.code == "NotImplemented" || error.code == "MethodNotAllowed";
}

void add_words(std::string& to, const std::string& words) {
  to += (to.empty() ? "" : ", ") + words;
}

}  // namespace

ImportLocks::ImportLocks(const Service& from, const Service& to, const std::string& source_bucket,
                         const std::string& target_bucket, const os::Clock& clock)
    : from_(from),
      clock_(clock),
      source_locks_(may_lock(from, source_bucket)),
      target_locks_(may_lock(to, target_bucket)) {}

// A store leaves the fields out of its answer for who may read an object and not its lock.
ImportLocks::Lock ImportLocks::lock_of(const Params& asked, const Value& got) const {
  Lock out{.mode = text_of(got["object_lock_mode"]),
           .until = got["object_lock_retain_until_date"],
           .hold = text_of(got["object_lock_legal_hold_status"]) == "ON"};
  if (!source_locks_) return out;
  if (out.mode.empty()) {
    const auto said = from_.call("get_object_retention", asked);
    if (said.ok()) {
      out.mode = text_of((*said)["retention"]["mode"]);
      out.until = (*said)["retention"]["retain_until_date"];
    } else if (!says_none(said.error())) {
      add_words(out.unread, "its retention, which cannot be read (" + said.error().message + ")");
    }
  }
  if (got["object_lock_legal_hold_status"].is_null()) {
    const auto said = from_.call("get_object_legal_hold", asked);
    if (said.ok())
      out.hold = text_of((*said)["legal_hold"]["status"]) == "ON";
    else if (!says_none(said.error()))
      add_words(out.unread, "its legal hold, which cannot be read (" + said.error().message + ")");
  }
  return out;
}

std::string ImportLocks::add(const Params& asked, const Value& got, Params& put) const {
  const Lock lock = lock_of(asked, got);
  std::string lost = lock.unread;
  const bool retained = !lock.mode.empty() && time_ms_of(lock.until) > clock_.unix_ms();
  if (retained && target_locks_) {
    put.emplace_back("object_lock_mode", lock.mode);
    put.emplace_back("object_lock_retain_until_date", lock.until);
  } else if (retained) {
    add_words(lost, "retention " + lock.mode + " until " + format_iso8601(time_ms_of(lock.until)));
  }
  if (lock.hold && target_locks_)
    put.emplace_back("object_lock_legal_hold_status", "ON");
  else if (lock.hold)
    add_words(lost, "legal hold");
  if (!lost.empty() && !target_locks_ && (retained || lock.hold))
    lost += ": the target bucket has no object lock";
  return lost;
}

}  // namespace cairn::cli
