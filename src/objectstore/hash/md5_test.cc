// SPDX-License-Identifier: Apache-2.0
#include "objectstore/hash/md5.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "os/random.h"

namespace md5_test {

using namespace cairn;
using namespace cairn::objectstore;

TEST_CASE("md5: is what OpenSSL makes of the same bytes, in whatever pieces they come") {
  const auto random = os::seeded_random(21);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string bytes = random->bytes(size);
    Md5 whole;
    whole.update(bytes);
    CHECK(whole.finish() == to_hex(md5(bytes)));
    Md5 pieces;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t take = std::min<std::size_t>(rest.size(), 1 + random->below(100));
      pieces.update(rest.substr(0, take));
      rest.remove_prefix(take);
    }
    CHECK(pieces.finish() == to_hex(md5(bytes)));
  }
}

TEST_CASE("md5: each version takes the blocks of any number of lanes as the plain one does") {
  const auto random = os::seeded_random(22);
  for (const Md5Blocks& version : usable_md5_blocks())
    for (std::size_t count = 1; count <= version.lanes_max; ++count)
      for (const std::size_t blocks : {0u, 1u, 2u, 33u}) {
        std::vector<std::string> bytes;
        std::vector<Md5> digests(count);
        std::vector<Md5Lane> lanes;
        for (std::size_t i = 0; i < count; ++i) {
          bytes.push_back(random->bytes(blocks * md5_block_bytes + 7));
          digests[i].update(random->bytes(0));
        }
        for (std::size_t i = 0; i < count; ++i) {
          const std::string_view whole = digests[i].blocks_of(bytes[i]);
          CHECK(whole.size() == blocks * md5_block_bytes);
          lanes.push_back({&digests[i].state(), whole.data()});
        }
        version.take(lanes, blocks);
        for (std::size_t i = 0; i < count; ++i) {
          CHECK(lanes[i].at == bytes[i].data() + blocks * md5_block_bytes);
          CHECK(digests[i].finish() == to_hex(md5(bytes[i])));
        }
      }
}

}  // namespace md5_test
