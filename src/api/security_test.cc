// SPDX-License-Identifier: Apache-2.0
// Rows of the list of security tests that concern credentials, names and headers, on a real socket
// where that matters. The ids are those of the list.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "api/routes/security/security_routes.h"
#include "api/server_error.h"
#include "api/testing.h"
#include "base/strings.h"
#include "net/server/raw_peer.h"
#include "net/server/server.h"

namespace cairn::api::security_test {

struct Fixture : DispatcherFixture {
  Fixture() {
    Router router;
    add_security_routes(router, books);
    router.add({.method = "PUT", .path = "/_thing", .operation = "thing.put", .cluster = {"all"}},
               [this](Call& call) -> Result<Reply> {
                 ++handled;
                 CAIRN_TRY(const auto body, call.raw_body());
                 return Reply::json(Json::object({{"bytes", std::uint64_t{body.size()}}}));
               });
    serve(std::move(router));
  }
  std::unique_ptr<net::Server> listen() {
    auto server = net::Server::open(
        {}, [this](net::Exchange& exchange) { dispatcher->answer(exchange); }, render_server_error);
    REQUIRE(server.ok());
    return std::move(server).value();
  }
  MemoryReply ask(MemoryRequest request) const {
    request.headers.add("Authorization", admin);
    return DispatcherFixture::ask(request);
  }

  int handled = 0;
};

sigjmp_buf after_fault;
void on_fault(int) { siglongjmp(after_fault, 1); }

bool comparing_faults(std::string_view ours, std::string_view given) {
  if (sigsetjmp(after_fault, 1) != 0) return true;
  static_cast<void>(equals_constant_time(ours, given));
  return false;
}

/// Whether comparing touches the byte at `at` of its second argument: nobody may read the page that
/// begins there, so that looking at it is a fault.
bool looks_at(std::size_t at, const std::string& ours, const std::string& theirs) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  char* const two = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* const given = two + page - at;
  std::memcpy(given, theirs.data(), theirs.size());
  ::mprotect(two + page, page, PROT_NONE);
  struct sigaction fault {}, before {};
  fault.sa_handler = on_fault;
  ::sigaction(SIGSEGV, &fault, &before);
  const bool touched = comparing_faults(ours, {given, theirs.size()});
  ::sigaction(SIGSEGV, &before, nullptr);
  ::munmap(two, 2 * page);
  return touched;
}

TEST_CASE("A02: a comparison of secrets looks at every byte, however many of the first are right") {
  const std::string secret = "0123456789abcdef0123456789abcdef";
  for (std::size_t right = 0; right < secret.size(); ++right) {
    std::string guess = secret;
    for (std::size_t i = right; i < guess.size(); ++i) guess[i] = '#';
    CHECK_FALSE(equals_constant_time(secret, guess));
    CHECK(looks_at(31, secret, guess));
    CHECK(looks_at(right, secret, guess));
  }
  CHECK(equals_constant_time(secret, std::string(secret)));
}

TEST_CASE("A02: what is compared is a digest, so a guess that begins right is nearer to nothing") {
  const Fixture fixture;
  const std::string& digest = fixture.keys->get("admin")->secret_sha256;
  CHECK(digest.size() == 32);
  CHECK(digest.find("secret") == std::string::npos);
  for (const auto* guess : {"secre", "secrets", "secret\x01", "Secret"})
    CHECK_FALSE(fixture.keys->verify("admin", guess).ok());
}

TEST_CASE("Z02: a key named like a reserved identity is refused") {
  const Fixture fixture;
  for (const std::string name : {"_system", "_xpack", "_cairn", " admin", "admin ", "ad\nmin"}) {
    const auto reply = fixture.ask(
        {.method = "POST",
         .target = "/_security/api_key",
         .body = Json::object({{"name", name}, {"role_descriptors", Json::object()}}).dump()});
    CHECK_MESSAGE(reply.status == 400, reply.body);
  }
  // What a key is counted as is told by its metadata, and that only who manages keys may say.
  const auto claims = fixture.ask(
      {.method = "POST",
       .target = "/_security/api_key",
       .body = R"({"name":"x","metadata":{"_reserved":true},"role_descriptors":{}})"});
  CHECK(claims.status == 400);
}

TEST_CASE("Z08: header fields that only the server makes are ignored where a client sends them") {
  const Fixture fixture;
  const auto plain = fixture.ask({.method = "PUT", .target = "/_thing", .body = "{}"});
  MemoryRequest request{.method = "PUT", .target = "/_thing", .body = "{}"};
  for (const auto* name :
       {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-used", "x-ratelimit-reset",
        "x-ratelimit-resource", "retry-after", "x-elastic-product", "es-security-runas-user",
        "x-forwarded-for", "x-real-ip", "forwarded", "x-cairn-identity", "x-cairn-internal",
        "www-authenticate", "x-request-id", "x-amz-meta-internal", "x-svc-source-replication"})
    request.headers.add(name, "forged");
  const auto forged = fixture.ask(request);
  CHECK(plain.status == 200);
  CHECK(forged.status == 200);
  CHECK(forged.body == plain.body);
  REQUIRE(forged.headers.fields().size() == plain.headers.fields().size());
  for (const auto& [name, value] : forged.headers.fields()) {
    CHECK(value.find("forged") == std::string::npos);
    CHECK(plain.headers.find(name) == value);
  }
}

TEST_CASE("H08: Expect: 100-continue with refused credentials: no body is read, the end comes") {
  Fixture fixture;
  const auto server = fixture.listen();
  const std::string wrong = "ApiKey " + auth::encoded_key("admin", "wrong");
  for (const std::string& credentials : {std::string(), "Authorization: " + wrong + "\r\n"}) {
    net::RawPeer peer(server->port());
    peer.send("PUT /_thing HTTP/1.1\r\nHost: x\r\n" + credentials +
              "Content-Type: application/json\r\nContent-Length: 1000000\r\n"
              "Expect: 100-continue\r\n\r\n");
    const std::string reply = peer.receive_all();  // no byte of the body was sent
    CHECK(reply.starts_with("HTTP/1.1 401 "));
    CHECK(reply.find("100 Continue") == std::string::npos);
    CHECK(reply.find("Connection: close\r\n") != std::string::npos);
    CHECK(peer.closed_by_peer());
  }
  CHECK(fixture.handled == 0);
  net::RawPeer peer(server->port());
  peer.send("PUT /_thing HTTP/1.1\r\nHost: x\r\nAuthorization: " + fixture.admin +
            "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Expect: 100-continue\r\n\r\n");
  CHECK(peer.receive_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("{}");
  CHECK(peer.receive_until("}").starts_with("HTTP/1.1 200 "));
  CHECK(fixture.handled == 1);
}

TEST_CASE("audit: who has the answer finds its line") {
  Fixture fixture;
  MemoryRequest request{.method = "PUT", .target = "/_thing", .body = "{}"};
  std::string lines;
  request.before_reply = [&] {
    lines = os::read_file(os::system_files(), fixture.audit_folder / "audit.jsonl", 1 << 20)
                .value_or("");
  };
  CHECK(fixture.ask(request).status == 200);
  CHECK(lines.find(R"("event.action":"access_granted")") != std::string::npos);
  CHECK(lines.find(R"("http.status":200)") != std::string::npos);
  request.headers.add("Authorization", fixture.cluster_key("low", R"(["monitor"])"));
  CHECK(fixture.DispatcherFixture::ask(request).status == 403);
  CHECK(lines.find(R"("apikey.id":"low")") != std::string::npos);
  request.headers.set("Authorization", "ApiKey " + auth::encoded_key("low", "wrong"));
  CHECK(fixture.DispatcherFixture::ask(request).status == 401);
  CHECK(lines.find(R"("event.action":"authentication_failed")") != std::string::npos);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
}

}  // namespace cairn::api::security_test
