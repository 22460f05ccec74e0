// SPDX-License-Identifier: Apache-2.0
// The master key, and its change.
#include "auth/secrets/seal.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "os/files/secret_file.h"
#include "os/files/test_folder.h"

namespace seal_test {

using namespace cairn;
using auth::Seal;

namespace {

std::string file_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_CASE("seal: a change of the key") {
  const os::TestFolder folder;
  const auto random = os::seeded_random(1);
  const std::string path = folder / "master.key";
  Seal seal = *Seal::open(path, *random);
  const Seal copy = seal;
  const std::string first = seal.seal("secret", "here", *random);
  const std::string old_file = file_of(path);
  REQUIRE(seal.begin_change(*random).ok());
  CHECK(seal.older_keys() == 1);
  CHECK(seal.begin_change(*random).error().kind == ErrorKind::conflict);
  const std::string second = seal.seal("secret", "here", *random);
  for (const std::string& sealed : {first, second}) {
    CHECK(*copy.unseal(sealed, "here") == "secret");
    CHECK_FALSE(copy.unseal(sealed, "there").ok());
  }
  // A process that starts now reads both, and has the change to end.
  Seal again = *Seal::open(path, *random);
  CHECK(again.older_keys() == 1);
  CHECK(*again.unseal(first, "here") == "secret");
  CHECK(*again.unseal(again.seal("x", "c", *random), "c") == "x");
  REQUIRE(seal.end_change().ok());
  REQUIRE(seal.end_change().ok());
  CHECK_FALSE(copy.unseal(first, "here").ok());
  CHECK(*copy.unseal(second, "here") == "secret");
  CHECK(*Seal::open(path, *random)->unseal(second, "here") == "secret");
  CHECK(file_of(path) != old_file);
  CHECK(file_of(path).size() == old_file.size());
}

TEST_CASE("seal: a file that a key service seals") {
  const os::TestFolder folder;
  const auto random = os::seeded_random(1);
  const std::string path = folder / "master.key";
  bool there = true;
  const auto turn = [&](std::string_view text) -> Result<std::string> {
    if (!there) return Error{.kind = ErrorKind::unavailable, .message = "the service is away"};
    return std::string(text.rbegin(), text.rend());
  };
  const auth::KeyFileSeal service{.seal = turn, .open = turn};
  const std::string sealed = Seal::open(path, *random)->seal("secret", "here", *random);
  const std::string plain = file_of(path);
  // Named later, it seals the file that is there.
  Seal seal = *Seal::open(path, *random, service);
  CHECK(*seal.unseal(sealed, "here") == "secret");
  CHECK(file_of(path) == std::string(plain.rbegin(), plain.rend()));
  CHECK(*Seal::open(path, *random, service)->unseal(sealed, "here") == "secret");
  CHECK(Seal::open(path, *random).error().kind == ErrorKind::corrupt);
  REQUIRE(seal.begin_change(*random).ok());
  CHECK(file_of(path).find('\n') != std::string::npos);
  CHECK(*Seal::open(path, *random, service)->unseal(sealed, "here") == "secret");
  there = false;
  const auto away = Seal::open(path, *random, service);
  CHECK(away.error().kind == ErrorKind::unavailable);
  CHECK(away.error().message.find(path) != std::string::npos);
  CHECK(seal.end_change().error().kind == ErrorKind::unavailable);
  CHECK(*seal.unseal(sealed, "here") == "secret");  // nothing has changed
  there = true;
  CHECK(seal.end_change().ok());
}

TEST_CASE("seal: what is no file of keys is refused") {
  const os::TestFolder folder;
  const auto random = os::seeded_random(1);
  const std::string path = folder / "master.key";
  const std::string key = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";
  for (const std::string& text : {std::string("letter"), std::string("\n"), key + "\nletter\n",
                                  key + "\n\n" + key + "\n", std::string("QUJD\n")}) {
    REQUIRE(os::write_secret_file(path, text).ok());
    CHECK(Seal::open(path, *random).error().kind == ErrorKind::corrupt);
  }
  REQUIRE(os::write_secret_file(path, key + "\n" + key + "\n").ok());
  CHECK(Seal::open(path, *random)->older_keys() == 1);
}

}  // namespace
}  // namespace seal_test
