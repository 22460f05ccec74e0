// SPDX-License-Identifier: Apache-2.0
// CPUID, the kernel's permission for AMX, the affinity mask, cgroup limits, resident memory.
#include "os/cpu.h"

#include <cpuid.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/strings.h"

namespace cairn::os {
namespace {

std::string brand_text() {
  unsigned words[12] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = words + 4 * i;
    if (__get_cpuid(0x80000002 + i, w, w + 1, w + 2, w + 3) == 0) return "unknown";
  }
  const char* text = reinterpret_cast<const char*>(words);
  return std::string(trim({text, strnlen(text, sizeof words)}));
}

// The processor has AMX, and the kernel saves the tiles' configuration and data (XGETBV).
bool has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned saves_state = 1u << 27;  // OSXSAVE
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & saves_state) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25;
  if ((d & (bf16 | tile | int8)) != (bf16 | tile | int8)) return false;
  unsigned saved = 0, upper = 0;
  asm volatile("xgetbv" : "=a"(saved), "=d"(upper) : "c"(0));
  constexpr unsigned configuration = 1u << 17, data = 1u << 18;
  return (saved & (configuration | data)) == (configuration | data);
}

// The kernel gives a thread room for tiles only where its process asked.
bool may_use_tiles() {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

CpuFeatures ask() {
  __builtin_cpu_init();
  CpuFeatures f;
  f.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  f.avx512 = f.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  f.avx512_vnni = f.avx512 && __builtin_cpu_supports("avx512vnni");
  f.avx512_bf16 = f.avx512 && __builtin_cpu_supports("avx512bf16");
  f.avx512_vbmi = f.avx512 && __builtin_cpu_supports("avx512vbmi");
  f.amx = f.avx512 && has_amx();
  f.brand = brand_text();
  return f;
}

constexpr std::array<std::string_view, 4> instruction_sets = {"scalar", "avx2", "avx512", "amx"};

// The number of cores that the control group's quota amounts to, rounded up; 0 for no quota.
std::size_t quota_cores() {
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == nullptr) return 0;
  long quota = 0, period = 0;
  const int read = std::fscanf(file, "%ld %ld", &quota, &period);  // "max 100000": reads nothing
  std::fclose(file);
  if (read != 2 || quota <= 0 || period <= 0) return 0;
  return static_cast<std::size_t>((quota + period - 1) / period);
}

}  // namespace

bool is_instruction_set(std::string_view name) {
  return std::find(instruction_sets.begin(), instruction_sets.end(), name) !=
         instruction_sets.end();
}

CpuFeatures limited_to(std::string_view instruction_set, CpuFeatures features) {
  const auto* const at =
      std::find(instruction_sets.begin(), instruction_sets.end(), instruction_set);
  if (at <= &instruction_sets[2]) features.amx = false;
  if (at <= &instruction_sets[1]) {
    features.avx512 = features.avx512_vnni = features.avx512_bf16 = features.avx512_vbmi = false;
  }
  if (at == &instruction_sets[0]) features.avx2 = false;
  return features;
}

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = [] {
    const char* const limit = std::getenv("CAIRN_ISA");
    CpuFeatures out = limit == nullptr ? ask() : limited_to(limit, ask());
    out.amx_refused = out.amx && !may_use_tiles();
    out.amx = out.amx && !out.amx_refused;
    return out;
  }();
  return features;
}

std::size_t cpu_count() {
  static const std::size_t count = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::size_t cores = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      cores = static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
    }
    const std::size_t quota = quota_cores();
    return quota == 0 ? cores : std::min(cores, quota);
  }();
  return count;
}

std::size_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long total = 0, resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace cairn::os
