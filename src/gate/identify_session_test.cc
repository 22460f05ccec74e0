// SPDX-License-Identifier: Apache-2.0
#include "gate/identify_session.h"

#include <doctest/doctest.h>

#include "base/hash.h"
#include "store/memory_store.h"

namespace cairn::gate::identify_session_test {
namespace {

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(6);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  std::unique_ptr<auth::Sessions> sessions = std::move(
      auth::Sessions::open({*store, *keys, nullptr, clock, *random}, {}, os::Deadline::never())
          .value());
  std::string token = begin();

  std::string begin() {
    auth::Key record;
    record.id = record.name = "k";
    record.created_by = "somebody";
    const auto key = keys->install(record, "secret", os::Deadline::never()).value();
    return sessions->begin({.key = key, .secret_sha256 = sha256("secret")}, os::Deadline::never())
        ->token;
  }
  net::RequestHead head(std::string method, const std::string& cookies) const {
    net::RequestHead out;
    out.method = std::move(method);
    out.target = "/x";
    if (!cookies.empty()) out.headers.add("Cookie", cookies);
    return out;
  }
  Result<Caller> identify(const net::RequestHead& head, bool secure = false) const {
    return identify_session(head, {.plain_name = session_cookie, .secure = secure}, *sessions,
                            nullptr, nullptr);
  }
};

ErrorKind kind_of(const Result<Caller>& caller) {
  REQUIRE_FALSE(caller.ok());
  return caller.error().kind;
}

}  // namespace

TEST_CASE("cookies: the one of the name, wherever it stands") {
  const Cookie plain{.plain_name = "a"}, secure{.plain_name = "a", .secure = true};
  net::Headers headers;
  headers.add("Cookie", "b=1; a=2;c");
  headers.add("cookie", "__Host-a=3 ; aa=4");
  CHECK(plain.in(headers).value == "2");
  CHECK(plain.in(headers).count == 1);
  CHECK(secure.in(headers).value == "3");
  headers.add("Cookie", "a=5");
  CHECK(plain.in(headers).count == 2);
  CHECK(Cookie{.plain_name = "A"}.in(headers).count == 0);
  CHECK(plain.set("v") == "a=v; HttpOnly; SameSite=Strict; Path=/");
  CHECK(secure.set("v", 60) == "__Host-a=v; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=60");
  CHECK(Cookie{.plain_name = "a", .strict = false}.clear() ==
        "a=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
}

TEST_CASE("sessions: a cookie reads, and with the token of changes it changes") {
  const Fixture f;
  const std::string cookie = "cairn_session=" + f.token;
  const auto reader = f.identify(f.head("GET", cookie));
  REQUIRE(reader.ok());
  CHECK(reader->key().id == "k");
  REQUIRE(reader->session() != nullptr);
  CHECK(reader->session()->key_id == "k");
  for (const auto* method : {"PUT", "POST", "DELETE", "OPTIONS", "get"}) {
    auto head = f.head(method, cookie);
    CHECK(kind_of(f.identify(head)) == ErrorKind::permission_denied);
    head.headers.set("X-Cairn-CSRF", f.token);
    CHECK(kind_of(f.identify(head)) == ErrorKind::permission_denied);
    head.headers.set("X-Cairn-CSRF", auth::csrf_token_of(f.token));
    CHECK(f.identify(head).ok());
  }
}

TEST_CASE("sessions: what is none, is of another origin, or comes twice") {
  const Fixture f;
  const std::string cookie = "cairn_session=" + f.token;
  CHECK(kind_of(f.identify(f.head("GET", "cairn_session=x"))) == ErrorKind::unauthenticated);
  CHECK(kind_of(f.identify(f.head("GET", cookie + "; " + cookie))) == ErrorKind::invalid_argument);
  CHECK(kind_of(f.identify(f.head("GET", cookie), true)) == ErrorKind::unauthenticated);
  for (const auto* site : {"cross-site", "same-site", "other"}) {
    auto head = f.head("GET", cookie);
    head.headers.add("Sec-Fetch-Site", site);
    CHECK(kind_of(f.identify(head)) == ErrorKind::permission_denied);
  }
}

}  // namespace cairn::gate::identify_session_test
