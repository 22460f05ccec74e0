// SPDX-License-Identifier: Apache-2.0
#include "auth/secrets/signing_key.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/encode.h"
#include "os/files/test_folder.h"

namespace cairn::auth::signing_key_test {

TEST_CASE("signing key: signatures of RFC 8032, section 7.1") {
  // TEST 2: one byte.
  const auto seed = from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
  const auto key = SigningKey::of_seed(*seed);
  REQUIRE(key.ok());
  const std::string signature = key->sign("\x72");
  CHECK(to_hex(signature) ==
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  const auto verifying = VerifyingKey::parse(key->public_pem());
  REQUIRE(verifying.ok());
  CHECK(verifying->id() == key->id());
  CHECK(verifying->verifies("\x72", signature));
  CHECK_FALSE(verifying->verifies("\x73", signature));
  CHECK_FALSE(verifying->verifies("\x72", signature.substr(1)));
  CHECK_FALSE(verifying->verifies("\x72", ""));
}

TEST_CASE("signing key: drawn once, kept in a file that nobody else reads") {
  const os::TestFolder folder;
  const auto random = os::seeded_random(4);
  const std::string path = folder / "keys/audit-signing.key";
  const auto drawn = SigningKey::open(path, *random);
  REQUIRE(drawn.ok());
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const auto again = SigningKey::open(path, *random);
  REQUIRE(again.ok());
  CHECK(again->public_pem() == drawn->public_pem());
  CHECK(again->id().size() == 16);
  std::stringstream kept;
  kept << std::ifstream(path).rdbuf();
  const std::string whole = kept.str();
  // Every character counts: a damaged key is not another key.
  for (std::size_t at = 0; at + 1 < whole.size(); at += 3) {
    std::string text = whole;
    text[at] = text[at] == 'B' ? 'C' : 'B';
    std::ofstream(path, std::ios::trunc) << text;
    const auto damaged = SigningKey::open(path, *random);
    REQUIRE_FALSE(damaged.ok());
    CHECK(damaged.error().kind == ErrorKind::corrupt);
    CHECK(damaged.error().message.find(path) != std::string::npos);
  }
  for (const char* text :
       {"", "hello", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"})
    CHECK_FALSE(VerifyingKey::parse(text).ok());
}

}  // namespace cairn::auth::signing_key_test
