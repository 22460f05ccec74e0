// SPDX-License-Identifier: Apache-2.0
// What limits look like on the wire, and that no request keeps what it was lent.
#include <doctest/doctest.h>

#include <stdexcept>

#include "api/dispatcher.h"
#include "api/forms/error_json.h"
#include "api/memory_exchange.h"
#include "gate/fake_limiter.h"
#include "store/memory_store.h"

namespace cairn::api::limits_test {
namespace {

using gate::FakeLimiter;
using ratelimit::Refusal;

Result<Reply> plain(Call&) { return Reply::json(Json::object({{"ok", true}})); }

struct Fixture {
  Fixture() {
    Router router;
    const auto add = [&](gate::Route row, Handler handler) {
      router.add(std::move(row), std::move(handler));
    };
    add({.method = "GET",
         .path = "/_ok",
         .operation = "ok",
         .cluster = {"monitor"},
         .query = {{"n", "integer"}}},
        [](Call& call) -> Result<Reply> {
          CAIRN_CHECK(call.integer("n", 1));
          return plain(call);
        });
    add({.method = "GET", .path = "/_etag", .operation = "etag", .cluster = {"monitor"}},
        [](Call&) -> Result<Reply> { return Reply::empty(304); });
    add({.method = "GET", .path = "/_open_etag", .operation = "open_etag", .public_data = true},
        [](Call&) -> Result<Reply> { return Reply::empty(304); });
    add({.method = "GET", .path = "/_gone", .operation = "gone", .cluster = {"monitor"}},
        [](Call&) -> Result<Reply> {
          return Error{ErrorKind::not_found, "resource_not_found_exception", "gone"};
        });
    add({.method = "GET", .path = "/_throw", .operation = "throw", .cluster = {"monitor"}},
        [](Call&) -> Result<Reply> { throw std::runtime_error("fault"); });
    add({.method = "GET", .path = "/_throw_int", .operation = "throw_int", .cluster = {"monitor"}},
        [](Call&) -> Result<Reply> { throw 7; });
    add({.method = "GET", .path = "/_stream", .operation = "stream", .cluster = {"monitor"}},
        [this](Call& call) -> Result<Reply> {
          auto& reply = call.exchange().reply;
          CAIRN_CHECK(reply.begin(200, call.reply_headers("text/plain"), std::nullopt));
          for (int i = 0; i < 3; ++i) {
            live_in_stream = limiter.live();
            CAIRN_CHECK(reply.write("piece"));
          }
          CAIRN_CHECK(reply.end());
          return Reply::already_sent();
        });
    add({.method = "POST",
         .path = "/{index}/_search",
         .operation = "search",
         .index_privilege = "read",
         .filters_indices = true,
         .resource = "search",
         .reads = true},
        plain);
    add({.method = "POST",
         .path = "/_msearch",
         .operation = "msearch",
         .resource = "search",
         .reads = true,
         .public_data = true},
        [](Call& call) -> Result<Reply> {
          CAIRN_TRY(const Json body, call.body());
          CAIRN_CHECK(call.require_index("read", body.string_or("index")));
          return plain(call);
        });
    add({.method = "POST",
         .path = "/_graphql",
         .operation = "graphql",
         .surface = gate::Surface::code_hosting,
         .resource = "graphql",
         .graphql = true,
         .public_data = true},
        [](Call& call) -> Result<Reply> {
          CAIRN_TRY(const Json body, call.body());
          return Reply::json(Json::object({{"query", body.string_or("query")}}));
        });
    add({.method = "POST",
         .path = "/_batch",
         .operation = "batch",
         .surface = gate::Surface::large_files,
         .resource = "lfs",
         .media_type = "application/vnd.git-lfs+json",
         .error_wording =
             [](const Error& error, int, std::string_view, net::Headers& headers) {
               headers.set("Content-Type", "application/vnd.git-lfs+json");
               return Json::object({{"message", error.message}}).dump();
             }},
        plain);
    add({.method = "GET",
         .path = "/_health/live",
         .operation = "health",
         .open = true,
         .resource = ""},
        plain);
    dispatcher = std::make_unique<Dispatcher>(std::move(router), gate, metrics, Options{});
  }
  std::string key(const char* id, const char* roles) {
    auth::Key record;
    record.id = record.name = id;
    record.username = "alice";  // no word about an identity: the key is an account of its own
    record.created_by = "someone";
    record.role_descriptors = parse_json(roles).value();
    REQUIRE(keys->install(record, "secret", os::Deadline::never()).ok());
    return "ApiKey " + auth::encoded_key(id, "secret");
  }
  MemoryReply ask(std::string method, std::string target, std::string_view authorization,
                  std::string body = {}) {
    MemoryRequest request{
        .method = std::move(method), .target = std::move(target), .body = std::move(body)};
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    return exchange_in_memory([this](net::Exchange& e) { dispatcher->answer(e); }, request);
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(9);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  std::unique_ptr<gate::AuditLog> audit =
      std::move(gate::AuditLog::open(os::system_files(), clock, {}).value());
  os::Metrics metrics;
  FakeLimiter limiter;
  gate::Gate gate{*keys,
                  *audit,
                  {.limiter = &limiter,
                   .index_facts = {.is_public = [](auto name) { return name == "open"; },
                                      .any = [] { return true; }},
                   .metrics = metrics}};
  std::unique_ptr<Dispatcher> dispatcher;
  std::size_t live_in_stream = 0;
  std::string admin = key("admin", R"({"a":{"cluster":["all"],
      "indices":[{"names":["*"],"privileges":["all"]}]}})");
  std::string weak = key("weak", R"({"a":{"indices":[{"names":["x"],"privileges":["read"]}]}})");
};

constexpr std::string_view five[] = {"x-ratelimit-limit", "x-ratelimit-remaining",
                                     "x-ratelimit-used", "x-ratelimit-reset",
                                     "x-ratelimit-resource"};

}  // namespace

TEST_CASE("limits: every reply carries the five headers, whatever becomes of the request") {
  Fixture fixture;
  const std::string wrong = "ApiKey " + auth::encoded_key("admin", "wrong");
  const struct {
    const char *method, *target;
    const std::string& authorization;
    const char* body;
    int status;
    const char* resource;
  } rows[] = {
      {"GET", "/_ok", fixture.admin, "", 200, "core"},
      {"HEAD", "/_ok", fixture.admin, "", 200, "core"},
      {"GET", "/_ok?n=x", fixture.admin, "", 400, "core"},
      {"GET", "/_ok?unknown", fixture.admin, "", 400, "core"},
      {"GET", "/_nothing/here", fixture.admin, "", 400, "core"},
      {"GET", "/%zz", fixture.admin, "", 400, "core"},
      {"GET", "/_ok?%zz", fixture.admin, "", 400, "core"},
      {"GET", "/_ok", "", "", 401, "core"},
      {"GET", "/_nothing/here", "", "", 401, "core"},
      {"GET", "/_ok", wrong, "", 401, "core"},
      {"POST", "/x/_search", wrong, "{}", 401, "core"},
      {"POST", "/x/_search", "", "{}", 401, "search"},
      {"GET", "/_ok", fixture.weak, "", 403, "core"},
      {"POST", "/y/_search", fixture.weak, "{}", 403, "search"},
      {"POST", "/x/_search", fixture.weak, "{}", 200, "search"},
      {"GET", "/_gone", fixture.admin, "", 404, "core"},
      {"DELETE", "/_ok", fixture.admin, "", 405, "core"},
      {"OPTIONS", "/_ok", fixture.admin, "", 200, "core"},
      {"GET", "/_throw", fixture.admin, "", 500, "core"},
      {"GET", "/_etag", fixture.admin, "", 304, "core"},
      {"GET", "/_stream", fixture.admin, "", 200, "core"},
      {"POST", "/_batch", fixture.admin, "{}", 200, "lfs"},
      {"POST", "/_graphql", fixture.admin, "{\"query\":\"{a}\"}", 200, "graphql"},
  };
  std::size_t asked = 0;
  for (const auto& row : rows) {
    const auto reply = fixture.ask(row.method, row.target, row.authorization, row.body);
    CHECK_MESSAGE(reply.status == row.status, row.method << " " << row.target);
    for (const auto name : five) CHECK_MESSAGE(reply.headers.has(name), row.target << name);
    CHECK_MESSAGE(reply.headers.find("x-ratelimit-resource") == row.resource, row.target);
    CHECK_FALSE(reply.headers.has("retry-after"));
    CHECK(fixture.limiter.asked.size() == ++asked);
    CHECK(fixture.limiter.live() == 0);
    CHECK(fixture.limiter.released.size() == asked);
  }
  const auto probe = fixture.ask("GET", "/_health/live", "");
  for (const auto name : five) CHECK_FALSE(probe.headers.has(name));
  CHECK(fixture.limiter.asked.size() == asked);
  CHECK(fixture.limiter.released_twice == 0);
}

TEST_CASE("limits: a refusal has one body that clients of both kinds understand") {
  Fixture fixture;
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::primary); };
  auto reply = fixture.ask("GET", "/_ok", fixture.admin);
  CHECK(reply.status == 429);
  CHECK(reply.body == R"({"message":"API rate limit exceeded for user ID admin.",)"
                      R"("documentation_url":"/docs/reference/rate-limits#primary-limits",)"
                      R"("error":{"root_cause":[{"type":"rate_limit_exceeded_exception",)"
                      R"("reason":"API rate limit exceeded for user ID admin."}],)"
                      R"("type":"rate_limit_exceeded_exception",)"
                      R"("reason":"API rate limit exceeded for user ID admin."},"status":429})");
  CHECK(reply.headers.find("x-ratelimit-remaining") == "0");
  CHECK(reply.headers.find("content-type") == "application/json");
  CHECK(reply.headers.find("x-elastic-product") == "Elasticsearch");
  CHECK_FALSE(reply.headers.has("retry-after"));

  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::points, 42); };
  reply = fixture.ask("POST", "/x/_search", fixture.admin, "{}");
  CHECK(reply.status == 429);
  CHECK(reply.json().string_or("message").find("secondary rate limit") != std::string::npos);
  CHECK(reply.json().string_or("documentation_url").ends_with("secondary-rate-limits"));
  CHECK(reply.json().int_or("status") == 429);
  CHECK(reply.headers.find("retry-after") == "42");
  CHECK(reply.headers.find("x-ratelimit-remaining") == "4900");

  // Code-hosting and large-file surfaces have statuses and shapes of their own.
  reply = fixture.ask("POST", "/_graphql", fixture.admin, "{}");
  CHECK(reply.status == 403);
  CHECK(reply.json().int_or("status") == 403);
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::primary, 5); };
  reply = fixture.ask("POST", "/_batch", fixture.admin, "{}");
  CHECK(reply.status == 429);
  CHECK(reply.headers.find("retry-after") == "5");
  CHECK(reply.headers.find("content-type") == "application/vnd.git-lfs+json");
  CHECK(reply.body == R"({"message":"API rate limit exceeded for user ID admin."})");

  // An address over its limit learns no more about credentials.
  reply = fixture.ask("GET", "/_ok", "ApiKey " + auth::encoded_key("admin", "wrong"));
  CHECK(reply.status == 429);
  CHECK_FALSE(reply.headers.has("www-authenticate"));
  CHECK(fixture.limiter.asked.back().identity.account == "ip:127.0.0.1");
  CHECK(fixture.limiter.live() == 0);
}

TEST_CASE("limits: a 304 costs who has credentials nothing") {
  Fixture fixture;
  auto reply = fixture.ask("GET", "/_etag", fixture.admin);
  CHECK(reply.status == 304);
  CHECK(reply.headers.joined("x-ratelimit-used") == "99");
  CHECK(reply.headers.find("x-ratelimit-remaining") == "4901");
  CHECK(reply.headers.joined("x-elastic-product") == "Elasticsearch");
  CHECK(fixture.limiter.refunds == 1);
  reply = fixture.ask("GET", "/_open_etag", "");
  CHECK(reply.status == 304);
  CHECK(reply.headers.find("x-ratelimit-used") == "100");
  CHECK(fixture.limiter.refunds == 1);
}

TEST_CASE("limits: public indices are for everybody, through the path and through the body") {
  Fixture fixture;
  CHECK(fixture.ask("POST", "/open/_search", "", "{}").status == 200);
  CHECK(fixture.ask("POST", "/op*/_search", "", "{}").status == 200);
  CHECK(fixture.ask("POST", "/closed/_search", "", "{}").status == 401);
  CHECK(fixture.ask("POST", "/open,closed/_search", "", "{}").status == 401);
  CHECK(fixture.ask("POST", "/_msearch", "", R"({"index":"open"})").status == 200);
  const auto refused = fixture.ask("POST", "/_msearch", "", R"({"index":"closed"})");
  CHECK(refused.status == 401);
  CHECK(refused.headers.has("www-authenticate"));
  CHECK(fixture.ask("POST", "/open/_search", fixture.weak, "{}").status == 200);
  CHECK(fixture.ask("POST", "/_msearch", fixture.weak, R"({"index":"closed"})").status == 403);
  // What a row takes is not told to strangers.
  CHECK(fixture.ask("POST", "/closed/_search?unknown", "", "{}").status == 401);
}

TEST_CASE("limits: a mutation is known before it is charged, and its body is read once") {
  Fixture fixture;
  const auto points = [&](std::string body) {
    const auto reply = fixture.ask("POST", "/_graphql", fixture.admin, std::move(body));
    CHECK(fixture.limiter.asked.back().charge.graphql);
    return std::to_string(fixture.limiter.asked.back().charge.points) + " " +
           std::to_string(reply.status);
  };
  CHECK(points(R"({"query":"query Q {a}"})") == "1 200");
  CHECK(points(R"({"query":"mutation M {a}"})") == "5 200");
  CHECK(points(R"({"query":"query Q {a} mutation M {a}","operationName":"Q"})") == "1 200");
  CHECK(points("nonsense") == "1 400");
  CHECK(points("[]") == "1 400");
  CHECK(points("") == "1 200");
  CHECK(points(R"({"query":")" + std::string(2 << 20, ' ') + R"("})") == "1 413");
  const auto reply = fixture.ask("POST", "/_graphql", fixture.admin, R"({"query":"mutation {b}"})");
  CHECK(reply.json().string_or("query") == "mutation {b}");
}

namespace {

/// Fails at the nth call that sends something.
class FaultyWriter final : public net::ReplyWriter {
 public:
  explicit FaultyWriter(int good) : good_(good) {}
  Status send_continue() override { return ok_status(); }
  Status begin(int status, const net::Headers&, std::optional<std::uint64_t>) override {
    CAIRN_CHECK(step());
    status_ = status;
    return ok_status();
  }
  Status write(std::string_view) override { return step(); }
  Status write_file(int, std::uint64_t, std::uint64_t) override { return step(); }
  Status flush() override { return step(); }
  Status end(const net::Headers&) override { return step(); }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    CAIRN_CHECK(begin(status, headers, body.size()));
    return write(body);
  }
  bool begun() const override { return status_ != 0; }
  int status() const override { return status_; }

 private:
  Status step() {
    if (good_-- > 0) return ok_status();
    return Error{ErrorKind::cancelled, {}, "the peer has gone"};
  }
  int good_;
  int status_ = 0;
};

}  // namespace

TEST_CASE(
    "limits: peers that go, handlers that throw and streams that break give back their place") {
  Fixture fixture;
  std::size_t asked = 0;
  for (const auto* target : {"/_ok", "/_stream", "/_throw", "/_throw_int", "/_gone", "/_nothing"}) {
    for (int good = 0; good < 6; ++good) {
      net::RequestHead head;
      head.method = "GET";
      head.target = target;
      head.peer_address = "127.0.0.1";
      head.headers.add("Authorization", fixture.admin);
      net::StringBody body("");
      FaultyWriter writer(good);
      net::Exchange exchange{head, body, writer, os::Deadline::never(), "test-request"};
      try {
        fixture.dispatcher->answer(exchange);
      } catch (int) {  // the server turns it into a 500
      }
      ++asked;
      CHECK_MESSAGE(fixture.limiter.live() == 0, target << " " << good);
      CHECK(fixture.limiter.released.size() == asked);
    }
  }
  CHECK(fixture.live_in_stream == 1);  // a place is held while the stream runs
  CHECK(fixture.limiter.released_twice == 0);
}

}  // namespace cairn::api::limits_test
