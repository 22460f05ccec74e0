// SPDX-License-Identifier: Apache-2.0
// Tests of hash.h and ids.h.
#include "base/hash.h"

#include <doctest/doctest.h>

#include <set>
#include <thread>
#include <vector>

#include "base/encode.h"
#include "base/hmac_sha1.h"
#include "base/ids.h"

using namespace cairn;

TEST_CASE("digest: published values") {
  CHECK(to_hex(md5("")) == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(to_hex(md5("abc")) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(to_hex(sha1("abc")) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(sha256("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(digest(DigestKind::sha512, "abc")).substr(0, 32) ==
        "ddaf35a193617abacc417349ae204131");
}

TEST_CASE("digest: any cut into steps gives the value of the whole") {
  const std::string text(300, 'x');
  for (const auto kind :
       {DigestKind::md5, DigestKind::sha1, DigestKind::sha256, DigestKind::sha512}) {
    const std::string whole = digest(kind, text);
    for (std::size_t cut = 0; cut <= text.size(); cut += 37) {
      Digest steps(kind);
      steps.update(std::string_view(text).substr(0, cut));
      digest(kind, "another one between");  // the context of the thread is not that of `steps`
      steps.update(std::string_view(text).substr(cut));
      Digest moved = std::move(steps);
      CHECK(moved.finish() == whole);
    }
  }
}

TEST_CASE("digest: threads do not disturb each other") {
  std::string results[4];
  std::vector<std::thread> threads;
  for (std::string& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 200; ++i) result = sha256("abc");
    });
  }
  for (auto& thread : threads) thread.join();
  for (const std::string& result : results) CHECK(result == sha256("abc"));
}

TEST_CASE("hmac: vectors of RFC 2202, with SHA-1") {
  CHECK(to_hex(hmac_sha1(std::string(20, '\x0b'), "Hi There")) ==
        "b617318655057264e28bc0b6fb378c8ef146be00");
  CHECK(to_hex(hmac_sha1("Jefe", "what do ya want for nothing?")) ==
        "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  CHECK(to_hex(hmac_sha1(std::string(80, '\xaa'),
                         "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "aa4ae5e15272d00e95705637ce8a3b55ed402112");
}

TEST_CASE("hmac: vectors of RFC 4231") {
  CHECK(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(to_hex(hmac_sha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("fast hash: published value of XXH3, seeds and both widths differ") {
  CHECK(fast_hash("") == 0x2D06800538D394C2);
  CHECK(fast_hash("a") != fast_hash("a", 1));
  CHECK(fast_hash_128("a") != fast_hash_128("b"));
}

TEST_CASE("ids: length, alphabet, order") {
  CHECK(url_safe_id(std::string(15, '\xFF')) == 'B' + std::string(19, '_'));
  CHECK(url_safe_id('\xF8' + std::string(14, '\0')) == std::string(20, 'A'));
  CHECK(uuid_v4(std::string(16, '\xFF')) == "ffffffff-ffff-4fff-bfff-ffffffffffff");
  CHECK(uuid_v4(std::string(16, '\0')) == "00000000-0000-4000-8000-000000000000");
  CHECK(ulid(0, std::string(10, '\0')) == std::string(26, '0'));
  CHECK(ulid(1469918176385, std::string(10, '\xFF')) == "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
  CHECK(ulid(1, std::string(10, '\0')) > ulid(0, std::string(10, '\xFF')));
  CHECK(ulid((std::int64_t{1} << 48) - 1, std::string(10, '\xFF')) == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
}
