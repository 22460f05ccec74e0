// SPDX-License-Identifier: Apache-2.0
#include "os/threads/thread_times.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/strings.h"

namespace cairn::os {
namespace {

constexpr const char* tasks_folder = "/proc/self/task";
constexpr std::size_t user_ticks_field = 11;  // behind the name and the state
constexpr std::int64_t ns_per_second = 1'000'000'000;

std::string whole(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

bool read_thread_stat(std::string_view line, std::int64_t tick_ns, ThreadTime& out) {
  // The name may hold anything, brackets too: it ends at the last one.
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return false;
  const auto id = parse_number<std::int64_t>(trim(line.substr(0, open)));
  const auto rest = split(trim(line.substr(close + 1)), ' ');
  if (!id || rest.size() <= user_ticks_field + 1 || rest[0].size() != 1) return false;
  const auto user = parse_number<std::int64_t>(rest[user_ticks_field]);
  const auto system = parse_number<std::int64_t>(rest[user_ticks_field + 1]);
  if (!user || !system) return false;
  out = {.id = *id,
         .name = std::string(line.substr(open + 1, close - open - 1)),
         .state = rest[0].front(),
         .cpu_ns = (*user + *system) * tick_ns};
  return true;
}

std::vector<ThreadTime> thread_times() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  const std::int64_t tick_ns = ticks > 0 ? ns_per_second / ticks : 0;
  std::vector<ThreadTime> out;
  std::error_code none;
  for (std::filesystem::directory_iterator at(tasks_folder, none), end; !none && at != end;
       at.increment(none)) {
    ThreadTime one;
    if (!read_thread_stat(whole(at->path() / "stat"), tick_ns, one)) continue;
    // Finer than ticks, where the system keeps it.
    const std::string fine = whole(at->path() / "schedstat");
    if (const auto ns = parse_number<std::int64_t>(
            std::string_view(fine).substr(0, std::min(fine.size(), fine.find(' ')))))
      one.cpu_ns = *ns;
    out.push_back(std::move(one));
  }
  std::sort(out.begin(), out.end(),
            [](const ThreadTime& a, const ThreadTime& b) { return a.id < b.id; });
  return out;
}

}  // namespace cairn::os
