// SPDX-License-Identifier: Apache-2.0
// /proc/meminfo, and the limits of control groups (version 2) up to the root.
#include "os/available_memory.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "os/files/files.h"

namespace cairn::os {
namespace {

constexpr std::size_t proc_text_max = 1 << 16;
constexpr std::string_view groups_folder = "/sys/fs/cgroup";

std::optional<std::uint64_t> whole_number(std::string_view text) {
  text = trim(text);
  std::uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || read.ec != std::errc()) return std::nullopt;
  return out;
}

std::string proc_text(const std::string& path) {
  auto text = read_file(system_files(), path, proc_text_max);
  return text.ok() ? std::move(text).value() : std::string();
}

/// What is left in one group; nothing where it has no limit.
std::optional<std::uint64_t> left_in(const std::string& folder) {
  const auto most = whole_number(proc_text(folder + "/memory.max"));
  const auto used = whole_number(proc_text(folder + "/memory.current"));
  if (!most || !used) return std::nullopt;  // "max"
  // Pages of files that nobody looked at lately go when others need the memory.
  const auto files = memory_line(proc_text(folder + "/memory.stat"), "inactive_file");
  const std::uint64_t held = *used - std::min(*used, files.value_or(0));
  return *most - std::min(*most, held);
}

}  // namespace

std::optional<std::uint64_t> memory_line(std::string_view text, std::string_view name) {
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (line.empty() || (line.front() != ':' && line.front() != ' ')) continue;
    const auto number = whole_number(line.substr(1));
    if (!number) return std::nullopt;
    return line.ends_with("kB") ? *number * 1024 : *number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> available_memory_bytes() {
  auto out = memory_line(proc_text("/proc/meminfo"), "MemAvailable");
  const std::string group = proc_text("/proc/self/cgroup");
  for (const std::string_view line : split(group, '\n')) {
    if (!line.starts_with("0::/")) continue;
    std::string path(trim(line.substr(3)));
    while (true) {
      if (const auto left = left_in(std::string(groups_folder) + path))
        out = std::min(out.value_or(*left), *left);
      if (path.empty() || path == "/") break;
      path.resize(path.rfind('/'));
    }
  }
  return out;
}

}  // namespace cairn::os
