// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/doctor/findings.h"
#include "app/keys/key_files.h"
#include "format/time.h"
#include "objectstore/data_folder.h"
#include "os/accounts.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/machine.h"
#include "os/mirror/mirror.h"

namespace cairn::app {
namespace {

constexpr std::int64_t keys_wait_ms = 60'000;
constexpr std::int64_t clocks_differ_ms = 60'000;
constexpr int inodes_share = 100;  // a hundredth of them should be free
constexpr std::string_view folder_subject = "data folder";

struct FileSystemKind {
  long magic;
  const char* name;
  const char* advice;
};
// What statfs(2) calls them.
constexpr FileSystemKind risky_file_systems[] = {
    {0x01021994, "tmpfs", "it lies in memory: all is gone after a restart of the machine"},
    {0x6969, "NFS", "locks and syncs of a network are not those of a disk: use a local one"},
    {0x517B, "SMB", "locks and syncs of a network are not those of a disk: use a local one"},
    {static_cast<long>(0xFE534D42), "SMB",
     "locks and syncs of a network are not those of a disk: use a local one"},
    {0x65735546, "FUSE", "what it calls durable depends on its program: use a local disk"},
    {0x794c7630, "overlay", "it is gone with its container: mount a volume"},
};

std::string user_name(uid_t user) {
  const auto accounts = os::LocalAccounts::read();
  return accounts.ok() ? accounts->user_name(user) : std::to_string(user);
}

/// Whether this user may look at all. Told where not.
bool is_ours(const std::string& folder, Findings& findings) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) {
    const bool missing = errno == ENOENT;
    findings.push_back(
        {missing ? Health::warning : Health::fault, std::string(folder_subject),
         folder +
             (missing ? " is not there" : std::string(" cannot be read: ") + std::strerror(errno)),
         missing ? "the first start makes it" : "run this as the user that the server runs as"});
    return false;
  }
  const uid_t self = ::geteuid();
  if (info.st_uid == self || self == 0) return true;
  findings.push_back(
      {Health::fault, std::string(folder_subject),
       folder + " belongs to user " + user_name(info.st_uid),
       "run this as that user: sudo -u " + user_name(info.st_uid) + " cairn doctor"});
  return false;
}

void check_file_system(const std::string& folder, Findings& findings) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return;
  for (const FileSystemKind& kind : risky_file_systems)
    if (static_cast<unsigned long>(info.f_type) == static_cast<unsigned long>(kind.magic))
      findings.push_back({Health::warning, std::string(folder_subject),
                          folder + " lies on " + kind.name, kind.advice});
}

void check_space(const Settings& settings, Findings& findings) {
  const auto space = os::disk_space(settings.data_dir);
  const std::uint64_t reserve = settings.engine.reserve_bytes;
  const std::string text = format_byte_size(space.available_bytes) + " of " +
                           format_byte_size(space.total_bytes) + " available";
  if (space.available_bytes < reserve)
    findings.push_back({Health::fault, "disk", text,
                        "writes are refused below data.reserve (" + format_byte_size(reserve) +
                            "): delete, or give it a larger disk"});
  else if (space.available_bytes < 4 * reserve || space.available_bytes < space.total_bytes / 20)
    findings.push_back(
        {Health::warning, "disk", text,
         "writes are refused below data.reserve (" + format_byte_size(reserve) + ")"});
  else
    findings.push_back({Health::well, "disk", text});
  struct statvfs nodes {};
  if (::statvfs(settings.data_dir.c_str(), &nodes) == 0 && nodes.f_files > 0 &&
      nodes.f_favail < nodes.f_files / inodes_share)
    findings.push_back({Health::warning, "disk",
                        std::to_string(nodes.f_favail) + " files can still be made",
                        "every object over 64 KiB is a file: use a file system with more inodes"});
}

/// Files of keys that others than their owner may read.
void check_key_modes(const std::string& folder, Findings& findings) {
  const auto names = os::system_files().list(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string file = folder + "/" + name;
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 077) != 0)
      findings.push_back(
          {Health::fault, "keys", file + " may be read by others", "chmod 600 " + file});
  }
}

void check_keys(const Settings& settings, Findings& findings) {
  const std::string& data = settings.data_dir;
  const auto faults = verify_key_files(data, os::Deadline::in_ms(keys_wait_ms),
                                       file_seal_of(settings.master_key));
  if (!faults.ok()) {
    findings.push_back({Health::fault, "keys", faults.error().message,
                        "`cairn engine verify " + data + "` tells what is damaged"});
    return;
  }
  for (const KeyFileFault& fault : *faults)
    findings.push_back({Health::fault, "keys", fault.file, fault.reason});
  if (faults->empty()) findings.push_back({Health::well, "keys", "those of the data"});
}

/// Time went backwards: what is signed, expires or is retained would be judged wrongly.
void check_times(const std::string& data, Findings& findings) {
  const std::int64_t now = os::system_clock().unix_ms();
  for (const char* name : {"/LOCK", "/objects/meta", "/keys", "/audit"}) {
    const auto info = os::system_files().info(data + name);
    if (!info.ok() || info->modified_ms <= now + clocks_differ_ms) continue;
    findings.push_back({Health::fault, "clock",
                        data + name + " was written at " + format_iso8601(info->modified_ms) +
                            ", which is still to come",
                        "set the clock before the server starts"});
    return;
  }
}

/// What lies in the data folder. True where it is whole, and no server uses it.
bool check_contents(const std::string& data, Findings& findings) {
  const auto folder = objectstore::DataFolder::look(os::system_files(), data);
  const std::string subject(folder_subject);
  if (folder.ok()) {
    findings.push_back({Health::well, subject,
                        data + ", format " + std::to_string(objectstore::data_format) +
                            " or older, no server uses it"});
    return true;
  }
  switch (folder.error().kind) {
    case ErrorKind::conflict:
      findings.push_back({Health::well, subject, data + " is in use"});
      return false;
    case ErrorKind::not_found:
      findings.push_back(
          {Health::warning, subject, data + " holds nothing yet", "the first start fills it"});
      return false;
    default:
      findings.push_back({Health::fault, subject, folder.error().message,
                          folder.error().kind == ErrorKind::unsupported
                              ? "run the newer version that wrote it"
                              : "`cairn engine verify " + data + "` tells what is damaged"});
      return false;
  }
}

void check_named_folder(std::string_view key, const std::string& folder, bool written,
                        Findings& findings) {
  const auto info = os::system_files().info(folder);
  const bool usable = info.ok() && info->is_directory &&
                      ::access(folder.c_str(), written ? R_OK | W_OK | X_OK : R_OK | X_OK) == 0;
  if (usable) return;
  findings.push_back(
      {Health::fault, std::string(key),
       folder + (info.ok() && info->is_directory ? " is closed to this user" : " is no folder"),
       "make it, give the server's user leave, or take it out of " + std::string(key)});
}

/// The two folders of the data: whether they agree, and are not lost together.
void check_mirror(const Settings& settings, Findings& findings) {
  const std::string subject = "mirror";
  if (settings.mirror_dir.empty()) return;
  struct stat first {}, second {};
  const bool both = ::stat(settings.data_dir.c_str(), &first) == 0 &&
                    ::stat(settings.mirror_dir.c_str(), &second) == 0;
  if (both && first.st_dev == second.st_dev)
    findings.push_back({Health::warning, subject,
                        settings.data_dir + " and " + settings.mirror_dir + " lie on one disk",
                        "a mirror on the same disk is lost with it: name a folder on another one"});
  const auto verdict =
      os::Mirror::look(os::system_files(), settings.data_dir, settings.mirror_dir);
  if (!verdict.ok()) {
    findings.push_back({Health::fault, subject, verdict.error().message,
                        "docs/operating/mirror.md says what can be done"});
    return;
  }
  if (verdict->kind != os::MirrorVerdict::Kind::one) {
    findings.push_back({Health::well, subject, "both folders hold the same"});
    return;
  }
  const std::string& lacking = verdict->source == 0 ? settings.mirror_dir : settings.data_dir;
  findings.push_back({Health::fault, subject, lacking + " is missing, or lacks some of the data",
                      "the data lie on one disk: put the other one in order; a start, or `cairn "
                      "mirror fill`, gives it what it lacks"});
}

}  // namespace

void check_folders(const Settings& settings, Findings& findings) {
  const std::string& data = settings.data_dir;
  if (is_ours(data, findings)) {
    check_file_system(data, findings);
    const bool can_be_read = check_contents(data, findings);
    check_times(data, findings);
    check_space(settings, findings);
    check_key_modes(data + "/keys", findings);
    if (can_be_read && settings.store_url.empty()) check_keys(settings, findings);
  }
  check_mirror(settings, findings);
  for (const std::string& folder : settings.path_repo)
    check_named_folder("path.repo", folder, true, findings);
  for (const std::string& folder : settings.connectors.directory_roots)
    check_named_folder("connectors.directory.roots", folder, false, findings);
}

}  // namespace cairn::app
