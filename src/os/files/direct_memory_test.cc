// SPDX-License-Identifier: Apache-2.0
#include "os/files/direct_memory.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/sanitized.h"
#include "os/files/direct_buffers.h"
#include "os/files/files.h"
#include "os/large_memory.h"

namespace cairn::os::direct_memory_test {

TEST_CASE("direct memory: is aligned, and rounded up") {
  const DirectMemory memory = direct_memory(3 * direct_alignment - 1);
  memory[3 * direct_alignment - 1] = 'x';
  CHECK(is_direct_aligned(memory.get(), 3 * direct_alignment));
  CHECK_FALSE(is_direct_aligned(memory.get() + 1, direct_alignment));
  CHECK_FALSE(is_direct_aligned(memory.get(), direct_alignment + 512));
}

TEST_CASE("direct buffers: so many at a time, and none is shared") {
  DirectBuffers buffers(512 << 10, {.lent = 9, .kept_slabs = 1});
  std::vector<DirectBuffers::Buffer> all;
  for (char mark = 'a'; mark < 'a' + 9; ++mark) {
    all.push_back(buffers.lend());
    REQUIRE(all.back());
    const auto bytes = all.back().bytes();
    CHECK(bytes.size() == 512 << 10);
    CHECK(is_direct_aligned(bytes.data(), bytes.size()));
    bytes.front() = bytes.back() = mark;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].bytes().front() == static_cast<char>('a' + i));
    CHECK(all[i].bytes().back() == static_cast<char>('a' + i));
  }
  CHECK_FALSE(buffers.lend());
  all[4] = {};
  CHECK(buffers.lend());
}

TEST_CASE("direct buffers: some memory stays for the next who asks, the other goes") {
  for (const std::size_t kept : {0u, 1u, 2u}) {
    DirectBuffers buffers(3 << 20, {.lent = 6, .kept_slabs = kept});  // three slabs
    for (const bool again : {false, true}) {
      std::vector<DirectBuffers::Buffer> all;
      std::size_t same = 0;  // memory that is new is zero
      for (int i = 0; i < 6; ++i) {
        all.push_back(buffers.lend());
        same += all.back().bytes()[77] == 'k' ? 1 : 0;
        all.back().bytes()[77] = 'k';
      }
      CHECK(same == (again ? 2 * kept : 0));
    }
  }
}

TEST_CASE("large memory: what is given back reads as zeros, the rest stays") {
  const LargeMemory memory(1u << 20);
  memory.use_small_pages();
  auto* bytes = static_cast<char*>(memory.data());
  std::fill(bytes, bytes + memory.size(), 'k');
  memory.give_back(64u << 10, 128u << 10);
  CHECK(bytes[(64u << 10) - 1] == 'k');
  CHECK(bytes[64u << 10] == 0);
  CHECK(bytes[(192u << 10) - 1] == 0);
  CHECK(bytes[192u << 10] == 'k');
}

TEST_CASE("large memory: more than there is of address space throws, as new does") {
  CHECK_THROWS_AS(LargeMemory(std::size_t{1} << 60), std::bad_alloc);
}

TEST_CASE("direct buffers: none is lent where no memory is left, and what is lent stays") {
  if (sanitized) return;
  DirectBuffers buffers(3 << 20, {.lent = 6, .kept_slabs = 1});
  const auto first = buffers.lend();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit none{.rlim_cur = 4096, .rlim_max = 4096};
    if (setrlimit(RLIMIT_AS, &none) != 0) _exit(1);
    const auto second = buffers.lend();  // of the first one's slab
    if (!first || !second) _exit(2);
    if (buffers.lend()) _exit(3);
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace cairn::os::direct_memory_test
