// SPDX-License-Identifier: Apache-2.0
// First look at every file of the room.
#include <doctest/doctest.h>
#include "base/assert.h"
#include "base/bytes.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/strings.h"
#include "base/threads.h"
using namespace cairn;
TEST_CASE("base: known values") {
  CHECK(crc32("123456789") == 0xCBF43926u);
  CHECK(crc32c("123456789") == 0xE3069283u);
  for (auto v : crc64nvme_versions()) {
    CHECK(v.run("123456789", 0) == 0xAE8B14860A799888ull);
    std::string s;
    for (int i = 0; i < 5000; ++i) {
      const auto want = crc64nvme_versions()[0].run(s, 7);
      REQUIRE(v.run(s, 7) == want);
      s += char(i * 31 + i / 7);
    }
  }
  CHECK(to_hex(md5("")) == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(gunzip(gzip("hello"), 5).value() == "hello");
  CHECK(!gunzip(gzip("hello"), 4).ok());
  CHECK(unzstd(zstd("hello"), 5).value() == "hello");
  CHECK(!unzstd(zstd("hello"), 4).ok());
}
