// SPDX-License-Identifier: Apache-2.0
// Counts the steps of the whole program: edges of its control flow, in builds with CAIRN_FUZZ. The
// count stands in the file of eight bytes that the variable CAIRN_STEPS names, for whoever reads it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop);
extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard);

namespace {

std::uint64_t* shared = nullptr;
// A thread hands its steps on in parcels; what it holds back does not matter beside them.
constexpr std::uint32_t parcel = 512;
thread_local std::uint32_t own = 0;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* /*start*/,
                                                    std::uint32_t* /*stop*/) {
  const char* path = shared == nullptr ? std::getenv("CAIRN_STEPS") : nullptr;
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* page = ::mmap(nullptr, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (page != MAP_FAILED) shared = static_cast<std::uint64_t*>(page);
}

extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* /*guard*/) {
  if (++own < parcel) return;
  own = 0;
  if (shared != nullptr) __atomic_fetch_add(shared, parcel, __ATOMIC_RELAXED);
}
