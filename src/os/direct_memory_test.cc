// SPDX-License-Identifier: Apache-2.0
#include "os/direct_memory.h"

#include <doctest/doctest.h>

#include <string_view>

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
  DirectBuffers buffers(1 << 20, {.lent = 3, .kept = 2});
  DirectBuffers::Buffer all[] = {buffers.lend(), buffers.lend(), buffers.lend()};
  for (const auto& buffer : all) {
    REQUIRE(buffer);
    CHECK(buffer.bytes().size() == 1 << 20);
    CHECK(is_direct_aligned(buffer.bytes().data(), buffer.bytes().size()));
    buffer.bytes().front() = buffer.bytes().back() = static_cast<char>('a' + (&buffer - all));
  }
  for (const auto& buffer : all) CHECK(buffer.bytes().back() == 'a' + (&buffer - all));
  CHECK_FALSE(buffers.lend());
  all[1] = {};
  CHECK(buffers.lend());
}

TEST_CASE("direct buffers: some of those that come back are kept as they are, the others go") {
  for (const std::size_t kept : {0u, 2u}) {
    DirectBuffers buffers(1 << 20, {.lent = 3, .kept = kept});
    {
      const DirectBuffers::Buffer all[] = {buffers.lend(), buffers.lend(), buffers.lend()};
      for (const auto& buffer : all) buffer.bytes()[77] = 'k';
    }
    const DirectBuffers::Buffer all[] = {buffers.lend(), buffers.lend(), buffers.lend()};
    std::size_t same = 0;  // memory that is new is zero
    for (const auto& buffer : all) same += buffer.bytes()[77] == 'k' ? 1 : 0;
    CHECK(same == kept);
  }
}

}  // namespace cairn::os::direct_memory_test
