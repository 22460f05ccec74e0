// SPDX-License-Identifier: Apache-2.0
// Sets of an issuer's keys, and tokens that strangers send: nobody is let in who was not signed for.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/sign_in/sign_in.h"
#include "os/clock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The example key of RFC 7515 A.3, whose private half is public, but not known to a fuzzer.
  static const auto known = auth::PublicKeys::parse(R"({"keys": [{"kty": "EC", "crv": "P-256",
      "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})");
  static const os::FakeClock clock(1'300'000'000'000);
  static auth::SignIn* const sign_in = [] {
    auto* const made = new auth::SignIn({.issuer = "joe", .audience = "cairn"}, clock);
    made->set(*known, {});
    return made;
  }();
  if (sign_in->verify(text).ok()) std::abort();
  const auto keys = auth::PublicKeys::parse(text);
  if (keys.ok() && keys->size() == 0) std::abort();
  if (keys.ok() && keys->verify("ES256", "", "text", "signature")) std::abort();
  static_cast<void>(auth::parse_group_roles(text));
  return 0;
}
