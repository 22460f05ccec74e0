// SPDX-License-Identifier: Apache-2.0
#include "os/direct_memory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>

#include "os/files.h"

namespace cairn::os::direct_memory_test {

TEST_CASE("direct memory: is aligned, and rounded up") {
  const DirectMemory memory = direct_memory(3 * direct_alignment - 1);
  memory[3 * direct_alignment - 1] = 'x';
  CHECK(is_direct_aligned(memory.get(), 3 * direct_alignment));
  CHECK_FALSE(is_direct_aligned(memory.get() + 1, direct_alignment));
  CHECK_FALSE(is_direct_aligned(memory.get(), direct_alignment + 512));
  const DirectMemory large = direct_memory((2 << 20) + 1);
  large[(4 << 20) - 1] = 'x';
  CHECK(reinterpret_cast<std::uintptr_t>(large.get()) % (2 << 20) == 0);
}

TEST_CASE("direct buffers: some are kept for the next who asks, and nobody shares one") {
  DirectBuffers buffers(1 << 20, 2);
  std::set<char*> first;
  {
    const DirectBuffers::Buffer all[] = {buffers.lend(), buffers.lend(), buffers.lend()};
    for (const auto& buffer : all) {
      CHECK(is_direct_aligned(buffer.get(), buffers.bytes()));
      first.insert(buffer.get());
    }
    CHECK(first.size() == 3);
  }
  const DirectBuffers::Buffer one = buffers.lend(), two = buffers.lend();
  CHECK(one.get() != two.get());
  CHECK(first.contains(one.get()));
  CHECK(first.contains(two.get()));
}

}  // namespace cairn::os::direct_memory_test
