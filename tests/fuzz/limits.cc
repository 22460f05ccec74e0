// SPDX-License-Identifier: Apache-2.0
// What one input may cost a fuzz target: the stack of a worker of the server, and a number of steps
// that grows with the input. A step is an edge of the program's control flow, which builds with
// CAIRN_FUZZ count, so the verdict does not depend on the machine. The target itself is compiled
// with another name (fuzz_one).
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "net/options.h"

extern "C" int fuzz_one(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop);
extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard);

namespace {

constexpr std::uint64_t steps_for_any_input = 50'000'000;
constexpr std::uint64_t steps_for_a_byte = 20'000;

// Threads of pools count here too, without a lock: a lost step does not matter.
std::uint64_t steps = 0;
std::uint64_t most_steps = UINT64_MAX;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  // The kernel asks for this limit whenever the stack of the first thread grows.
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) std::abort();
  stack.rlim_cur = cairn::net::ServerOptions{}.worker_stack_bytes;
  if (::setrlimit(RLIMIT_STACK, &stack) != 0) std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steps = 0;
  most_steps = steps_for_any_input + steps_for_a_byte * size;
  const int result = fuzz_one(data, size);
  most_steps = UINT64_MAX;
  return result;
}

extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* /*start*/,
                                                    std::uint32_t* /*stop*/) {}

extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* /*guard*/) {
  if (++steps <= most_steps) return;
  most_steps = UINT64_MAX;
  std::fputs("fuzz: an input costs more steps than its length allows\n", stderr);
  std::abort();
}
