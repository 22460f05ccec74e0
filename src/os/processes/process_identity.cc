// SPDX-License-Identifier: Apache-2.0
#include "os/processes/process_identity.h"

#include <unistd.h>

#include <array>

#include "base/strings.h"
#include "os/files/files.h"

namespace cairn::os {
namespace {

constexpr std::size_t small_file = 4096;

std::string text_of_file(const std::string& path) {
  const auto text = read_file(system_files(), path, small_file);
  return text.ok() ? std::string(trim(*text)) : std::string();
}

std::string target_of_link(const char* path) {
  std::array<char, 256> target{};
  const ssize_t size = ::readlink(path, target.data(), target.size());
  return size <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

/// Field 22 of /proc/PID/stat: the ticks after the boot at which it started. Empty where it has
/// ended, though nobody has waited for it yet.
std::string start_of(std::int64_t pid) {
  const std::string stat = text_of_file("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = stat.rfind(')');  // a name may hold spaces and brackets
  if (name_end == std::string::npos) return {};
  const auto fields = split(std::string_view(stat).substr(name_end + 1), ' ');
  constexpr std::size_t state_field = 1, start_field = 20;  // an empty one first, then the third
  if (fields.size() > state_field && (fields[state_field] == "Z" || fields[state_field] == "X"))
    return {};
  return fields.size() > start_field ? std::string(fields[start_field]) : std::string();
}

std::string this_machine() {
  const std::string boot = text_of_file("/proc/sys/kernel/random/boot_id");
  const std::string ids = target_of_link("/proc/self/ns/pid");
  // Process ids mean something only where /proc shows those of this space.
  if (boot.empty() || ids.empty() || start_of(::getpid()).empty()) return {};
  return boot + " " + ids;
}

}  // namespace

ProcessIdentity this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {.host = host.data(),
          .machine = this_machine(),
          .pid = ::getpid(),
          .started = start_of(::getpid())};
}

bool is_surely_gone(const ProcessIdentity& process) {
  if (process.machine.empty() || process.pid <= 0 || process.started.empty()) return false;
  if (process.machine != this_machine()) return false;
  // Another process may have the id by now.
  return start_of(process.pid) != process.started;
}

}  // namespace cairn::os
