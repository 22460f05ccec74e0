// SPDX-License-Identifier: Apache-2.0
#include "app/messages/checks.h"

#include <algorithm>
#include <set>

#include "app/data/mirrored_folder.h"
#include "base/strings.h"
#include "format/time.h"
#include "net/certificates.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/machine.h"

namespace cairn::app {
namespace {

constexpr std::size_t connectors_page = 1000;
constexpr std::size_t certificate_text_max = 1 << 20;
constexpr std::int64_t relief_percent = 2;  // below the threshold, before it is over
constexpr std::size_t error_bytes_max = 2000;

void check_syncs(connectors::Service& connectors, const os::Deadline& deadline, LookedAt& out) {
  std::vector<Fault> found;
  for (std::size_t from = 0;; from += connectors_page) {
    const auto page = connectors.records().list({.from = from, .size = connectors_page}, deadline);
    if (!page.ok()) return;
    for (const Json& one : page->results) {
      if (one.string_or("last_sync_status") != "error") continue;
      const std::string id = one.string_or("id");
      const std::string name = one.string_or("name");
      const std::string error = one.string_or("last_sync_error").substr(0, error_bytes_max);
      found.push_back({.key = "sync:" + id,
                       .kind = "sync_failed",
                       .subject = id,
                       .text = "The last sync of connector " + (name.empty() ? id : name) +
                               " into index " + one.string_or("index_name") + " failed: " + error,
                       .details = Json::object({{"connector", id},
                                                {"index", one.string_or("index_name")},
                                                {"service_type", one.string_or("service_type")},
                                                {"last_synced", one.string_or("last_synced")},
                                                {"error", error}})});
    }
    if (page->results.size() < connectors_page) break;
  }
  std::move(found.begin(), found.end(), std::back_inserter(out.faults));
  out.kinds.emplace_back("sync_failed");
}

void check_disk(const Settings& settings, SeenBefore& before, LookedAt& out) {
  if (settings.messages.disk_percent <= 0) return;
  const os::DiskSpace disk = os::disk_space(settings.data_dir);
  if (disk.total_bytes == 0) return;
  const auto used = static_cast<std::int64_t>(
      (disk.total_bytes - std::min(disk.available_bytes, disk.total_bytes)) * 100 /
      disk.total_bytes);
  const std::int64_t limit =
      settings.messages.disk_percent - (before.disk_was_full ? relief_percent : 0);
  out.kinds.emplace_back("disk_nearly_full");
  before.disk_was_full = used >= limit;
  if (used < limit) return;
  out.faults.push_back({.key = "disk",
                        .kind = "disk_nearly_full",
                        .subject = settings.data_dir,
                        .text = "The disk of the data folder is used to " + std::to_string(used) +
                                " percent: " + format_byte_size(disk.available_bytes) + " of " +
                                format_byte_size(disk.total_bytes) +
                                " are left. Writes are refused below " +
                                format_byte_size(settings.engine.reserve_bytes) +
                                "; delete what is not needed, or give it a larger disk.",
                        .details = Json::object({{"folder", settings.data_dir},
                                                 {"used_percent", used},
                                                 {"available_bytes", disk.available_bytes},
                                                 {"total_bytes", disk.total_bytes}})});
}

void check_certificate(const std::string& file, std::int64_t before_ms, LookedAt& out) {
  const auto text = os::read_file(os::system_files(), file, certificate_text_max);
  if (!text.ok()) return;  // being replaced, perhaps; the doctor tells
  const auto facts = net::certificate_facts(*text);
  const std::int64_t now = os::system_clock().unix_ms();
  if (!facts.ok() || facts->not_after_ms - before_ms > now) return;
  const std::string whose = facts->names.empty() ? facts->subject : join(facts->names, ", ");
  const bool ended = facts->not_after_ms <= now;
  out.faults.push_back({.key = "certificate:" + file,
                        .kind = "certificate_ends",
                        .subject = file,
                        .text = "The certificate of " + whose +
                                (ended ? " ended on " : " ends on ") +
                                format_iso8601(facts->not_after_ms).substr(0, 10) +
                                ". Replace the file; the running server reads it by itself.",
                        .details = Json::object({{"file", file},
                                                 {"names", Json::array_of(facts->names)},
                                                 {"ends", format_iso8601(facts->not_after_ms)}})});
}

void check_all_certificates(const Settings& settings, LookedAt& out) {
  if (settings.messages.certificate_ms <= 0) return;
  std::set<std::string> files = {settings.http.tls.certificate_file, settings.api_client_authority,
                                 settings.objects_client_authority};
  for (const std::string& file : files)
    if (!file.empty()) check_certificate(file, settings.messages.certificate_ms, out);
  out.kinds.emplace_back("certificate_ends");
}

void check_shipping(const std::function<Json()>& shipping, LookedAt& out) {
  out.kinds.emplace_back("audit_not_shipped");
  if (!shipping) return;
  const Json state = shipping();
  const Json* error = state.find("last_error");
  if (error == nullptr || !error->is_object()) return;
  out.faults.push_back({.key = "audit",
                        .kind = "audit_not_shipped",
                        .subject = state.string_or("to"),
                        .text = "The audit log is not shipped to " + state.string_or("to") + ": " +
                                error->string_or("reason"),
                        .details = Json::object({{"to", state.string_or("to")},
                                                 {"shipped", state.int_or("shipped")},
                                                 {"reason", error->string_or("reason")}})});
}

void check_mirror_folders(const os::Mirror* mirror, LookedAt& out) {
  out.kinds.emplace_back("mirror_incomplete");
  if (mirror == nullptr) return;
  const os::MirrorStatus status = mirror->status();
  for (const os::MirrorSideStatus& side : status.sides) {
    // One that is being filled is on its way back, and was told of when it was lost.
    if (side.folder.empty() || side.state == os::SideState::whole) continue;
    out.faults.push_back({.key = "mirror:" + side.folder,
                          .kind = "mirror_incomplete",
                          .subject = side.folder,
                          .text = "The data lie on one disk alone: " + mirror_fault(status) +
                                  ". Put its disk in order, then run: cairn mirror fill",
                          .details = Json::object({{"folder", side.folder},
                                                   {"state", std::string(os::name_of(side.state))},
                                                   {"reason", side.reason}})});
  }
}

}  // namespace

LookedAt look_for_faults(const CheckedThings& things, SeenBefore& before,
                         const os::Deadline& deadline) {
  LookedAt out;
  check_syncs(things.connectors, deadline, out);
  check_disk(things.settings, before, out);
  check_all_certificates(things.settings, out);
  check_shipping(things.shipping, out);
  check_mirror_folders(things.mirror, out);
  return out;
}

Result<std::unique_ptr<Messages>> start_messages(const Settings& settings,
                                                 connectors::Service& connectors,
                                                 const gate::AuditTrail& trail,
                                                 const os::Clock& clock, const DataPlace& data) {
  if (!settings.messages.webhook_secret_file.empty())
    CAIRN_CHECK(webhook_secret(settings.messages.webhook_secret_file));
  return Messages::start(clock,
                         {.options = settings.messages,
                          .folder = data.folder + "/messages",
                          .files = data.files(),
                          .node = settings.api.node_name,
                          .look = [&settings, &connectors, &trail, mirror = data.mirror.get(),
                                   before = SeenBefore{}](const os::Deadline& deadline) mutable {
                            return look_for_faults({.settings = settings,
                                                    .connectors = connectors,
                                                    .shipping = trail.shipping,
                                                    .mirror = mirror},
                                                   before, deadline);
                          }});
}

}  // namespace cairn::app
