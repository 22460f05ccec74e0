// SPDX-License-Identifier: Apache-2.0
#include "os/direct_memory.h"

#include <doctest/doctest.h>

#include <vector>

#include "os/direct_buffers.h"
#include "os/files.h"

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

}  // namespace cairn::os::direct_memory_test
