// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/timex.h>

#include "app/doctor/findings.h"
#include "format/time.h"
#include "os/available_memory.h"
#include "os/clock.h"
#include "os/cpu.h"

namespace cairn::app {
namespace {

constexpr std::uint64_t memory_wanted_bytes = 1ull << 30;
constexpr std::uint64_t files_beside_connections = 4'096;  // segments, extents, logs
constexpr std::int64_t earliest_ms = 1'735'689'600'000;    // 2025-01-01: a clock that was never set

void check_clock(Findings& findings) {
  const std::int64_t now = os::system_clock().unix_ms();
  if (now < earliest_ms) {
    findings.push_back({Health::fault, "clock", "it is " + format_iso8601(now) + " here",
                        "set the clock: signatures of requests hold for 15 minutes"});
    return;
  }
  timex state{};
  const bool unsynchronised = ::adjtimex(&state) == TIME_ERROR;
  findings.push_back({unsynchronised ? Health::warning : Health::well, "clock",
                      unsynchronised ? "nothing keeps it in step" : "kept in step",
                      unsynchronised
                          ? "run an NTP client (systemd-timesyncd): signatures hold for 15 minutes"
                          : ""});
}

void check_processor(Findings& findings) {
  const os::CpuFeatures& features = os::cpu_features();
  const std::string cores = std::to_string(os::cpu_count()) + " cores, ";
  if (!features.avx2) {
    findings.push_back({Health::warning, "processor", cores + "without AVX2",
                        "inference and search are several times slower than with it"});
    return;
  }
  const std::string set = features.amx ? "AMX" : features.avx512 ? "AVX-512" : "AVX2";
  findings.push_back({Health::well, "processor", cores + set});
  if (features.amx_refused)
    findings.push_back({Health::warning, "processor", "the kernel gives no permission for AMX",
                        "allow it where this runs (arch_prctl in a container's seccomp profile)"});
}

void check_memory(const Settings& settings, Findings& findings) {
  const auto available = os::available_memory_bytes();
  if (!available) return;
  const std::uint64_t wanted = settings.memory_bytes > 0
                                   ? static_cast<std::uint64_t>(settings.memory_bytes)
                                   : memory_wanted_bytes;
  const bool enough = *available >= wanted;
  findings.push_back({enough ? Health::well : Health::warning, "memory",
                      format_byte_size(*available) + " available",
                      enough ? ""
                             : format_byte_size(wanted) + (settings.memory_bytes > 0
                                                               ? " is what limits.memory says"
                                                               : " is what a small server needs")});
}

void check_open_files(const Settings& settings, Findings& findings) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const std::uint64_t wanted = 2 * settings.http.max_connections + files_beside_connections;
  const bool enough = limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= wanted;
  findings.push_back({enough ? Health::well : Health::warning, "open files",
                      "at most " + std::to_string(limit.rlim_max) + " for a process started here",
                      enough ? ""
                             : "for http.max_connections on both ports allow " +
                                   std::to_string(wanted) +
                                   " (LimitNOFILE=, ulimit -Hn), or lower that setting"});
}

}  // namespace

void check_machine(const Settings& settings, Findings& findings) {
  check_clock(findings);
  check_processor(findings);
  check_memory(settings, findings);
  check_open_files(settings, findings);
}

}  // namespace cairn::app
