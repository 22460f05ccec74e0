// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "base/encode.h"
#include "gate/admit.h"
#include "gate/identify.h"
#include "gate/request_metrics.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace cairn::gate::gate_test {
namespace {

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());

  /// A key with these role descriptors, and its `encoded` form.
  std::pair<Caller, std::string> key(const char* roles) {
    auth::Key record;
    record.id = "k" + std::to_string(++count);
    record.name = "test";
    record.username = "admin";
    record.role_descriptors = parse_json(roles).value();
    auto made = keys->install(record, "secret", os::Deadline::never());
    REQUIRE(made.ok());
    return {Caller(*made), auth::encoded_key(record.id, "secret")};
  }
  int count = 0;
};

net::Headers authorization(std::string_view value) {
  net::Headers headers;
  headers.add("Authorization", value);
  return headers;
}

std::string refusal(const Result<Caller>& got) {
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == ErrorKind::unauthenticated);
  return got.error().details.empty() ? got.error().message : got.error().details[0].second;
}

const char* const reader = R"({"r":{"cluster":["monitor"],
    "indices":[{"names":["logs-*"],"privileges":["read"]}]}})";

}  // namespace

TEST_CASE("identify: both schemes carry a key, in any case of letters") {
  Fixture fixture;
  const auto [caller, encoded] = fixture.key(reader);
  for (const auto* scheme : {"ApiKey ", "apikey ", "APIKEY  ", "Basic ", "basic "}) {
    const auto got = identify(authorization(scheme + encoded), "/", *fixture.keys);
    REQUIRE_MESSAGE(got.ok(), scheme);
    CHECK(got->key().id == caller.key().id);
  }
}

TEST_CASE("identify: the encoded key as the password of any user, but not of a key's id") {
  Fixture fixture;
  const auto [caller, encoded] = fixture.key(reader);
  const auto basic = [](const std::string& user, const std::string& password) {
    return authorization("Basic " + to_base64(user + ":" + password));
  };
  for (const auto* user : {"x", "", "git", "ümlaut"}) {
    const auto got = identify(basic(user, encoded), "/", *fixture.keys);
    REQUIRE_MESSAGE(got.ok(), user);
    CHECK(got->key().id == caller.key().id);
  }
  CHECK(refusal(identify(basic("x", auth::encoded_key(caller.key().id, "other")), "/", *fixture.keys))
            .starts_with("API key: invalid credentials"));
  CHECK(refusal(identify(basic("x", "password"), "/", *fixture.keys)) ==
        "API key: unable to find apikey with id x");
  // The name of another key does not borrow this one's secret.
  CHECK(refusal(identify(basic(fixture.key(reader).first.key().id, encoded), "/", *fixture.keys))
            .starts_with("API key: invalid credentials"));
  // Only Basic: what ApiKey carries is id:key.
  CHECK(refusal(identify(authorization("ApiKey " + to_base64("x:" + encoded)), "/", *fixture.keys)) ==
        "API key: unable to find apikey with id x");
}

TEST_CASE("identify: what is no valid credential is refused, with the reason") {
  Fixture fixture;
  const auto [caller, encoded] = fixture.key(reader);
  CHECK(refusal(identify({}, "/_search", *fixture.keys)) ==
        "missing authentication credentials for REST request [/_search]");
  const auto wrong = auth::encoded_key(caller.key().id, "other");
  CHECK(refusal(identify(authorization("ApiKey " + wrong), "/", *fixture.keys))
            .starts_with("API key: invalid credentials"));
  CHECK(refusal(identify(authorization("ApiKey " + auth::encoded_key("x", "y")), "/",
                         *fixture.keys)) == "API key: unable to find apikey with id x");
  for (const auto* value :
       {"ApiKey", "ApiKey ", "ApiKey ?", "Bearer abc", "", "ApiKey bm9jb2xvbg=="})
    CHECK_FALSE(refusal(identify(authorization(value), "/", *fixture.keys)).empty());
  net::Headers twice = authorization("ApiKey " + encoded);
  twice.add("authorization", "ApiKey " + encoded);
  const auto got = identify(twice, "/", *fixture.keys);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("admit: cluster privileges, with the platform's words for a refusal") {
  Fixture fixture;
  const auto [caller, encoded] = fixture.key(reader);
  const Route infer{.method = "POST",
                    .path = "/_inference/{id}",
                    .operation = "inference.inference",
                    .cluster = {"monitor_inference"},
                    .action = "cluster:monitor/xpack/inference/post"};
  CHECK(admit(infer, caller, {}).ok());
  const Route put{.method = "PUT",
                  .path = "/_inference/{id}",
                  .operation = "inference.put",
                  .cluster = {"manage_inference"},
                  .action = "cluster:admin/xpack/inference/put"};
  const auto refused = admit(put, caller, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == "security_exception");
  CHECK(refused.error().message ==
        "action [cluster:admin/xpack/inference/put] is unauthorized for API key id [k1] of user "
        "[admin], this action is granted by the cluster privileges [manage_inference,manage,all]");
}

TEST_CASE(
    "admit: every index of the list, and wildcards only where covered or left to the handler") {
  Fixture fixture;
  const auto [caller, encoded] = fixture.key(reader);
  Route search{.method = "POST",
               .path = "/{index}/_search",
               .operation = "search",
               .index_privilege = "read"};
  const auto of = [](std::string index) { return PathParameters{{"index", std::move(index)}}; };
  CHECK(admit(search, caller, of("logs-1,logs-2")).ok());
  CHECK(admit(search, caller, of("logs-*,-logs-2")).ok());
  const auto refused = admit(search, caller, of("logs-1,books,*"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "action [indices:data/read/search] is unauthorized for API key id [k1] of user [admin] on "
        "indices [books,*], this action is granted by the index privileges [read,all]");
  CHECK_FALSE(admit(search, caller, {}).ok());
  search.filters_indices = true;
  CHECK(admit(search, caller, of("*")).ok());
  CHECK(admit(search, caller, of("_all")).ok());
  CHECK_FALSE(admit(search, caller, of("books")).ok());
  // Who may read nothing is told so, instead of being shown nothing.
  CHECK_FALSE(admit(search, fixture.key(R"({"r":{"cluster":["monitor"]}})").first, of("*")).ok());
}

TEST_CASE("admit: where a row has both, either the cluster or the index privilege admits") {
  Fixture fixture;
  const Route row{.method = "GET",
                  .path = "/_connector",
                  .operation = "connector.list",
                  .cluster = {"monitor_connector"},
                  .index_privilege = "read",
                  .fixed_index = ".elastic-connectors-v1"};
  CHECK(admit(row, fixture.key(R"({"r":{"cluster":["manage_connector"]}})").first, {}).ok());
  CHECK(admit(row,
              fixture
                  .key(R"({"r":{"indices":[{"names":[".elastic-connectors*"],
                                      "privileges":["all"]}]}})")
                  .first,
              {})
            .ok());
  const auto refused = admit(row, fixture.key(reader).first, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("[monitor_connector,manage_connector,manage,all], or by the "
                                     "index privileges [read,all]") != std::string::npos);
}

TEST_CASE("admit: nobody passes what is not open") {
  CHECK(admit({.method = "GET", .path = "/h", .operation = "h", .open = true}, Caller(), {}).ok());
}

TEST_CASE("audit: whole lines, files that turn, and old ones that go") {
  const os::TestFolder folder;
  os::FakeClock clock;
  auto opened = AuditLog::open(os::system_files(), clock,
                               {.folder = folder.path, .file_bytes_max = 4096, .files_max = 3});
  REQUIRE(opened.ok());
  for (int i = 0; i < 200; ++i) {
    clock.advance_ms(1000);
    (*opened)->write({.action = "access_denied",
                      .method = "PUT",
                      .path = "/_inference/\"x\"\n",
                      .operation = "inference.put",
                      .reason = "no",
                      .status = 403});
  }
  std::size_t files = 0, lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    ++files;
    CHECK(entry.file_size() <= 4096);
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line); ++lines) {
      const auto parsed = parse_json(line);
      REQUIRE(parsed.ok());
      CHECK(parsed->string_or("event.action") == "access_denied");
      CHECK(parsed->string_or("url.path") == "/_inference/\"x\"\n");
    }
  }
  CHECK(files == 3);
  CHECK(lines > 30);
  // A second start goes on in the same file.
  opened = AuditLog::open(os::system_files(), clock, {.folder = folder.path});
  REQUIRE(opened.ok());
}

TEST_CASE("request metrics: counted by operation and class of status") {
  os::Metrics metrics;
  RequestMetrics counts(metrics, "api", {{.method = "GET", .path = "/", .operation = "info"}});
  counts.finished(0, 200, 1'000'000);
  counts.finished(0, 404, 1'000'000);
  counts.finished(Match::npos, 400, 1'000'000);
  const std::string text = metrics.expose();
  CHECK(text.find(R"(operation="info",status="2xx"} 1)") != std::string::npos);
  CHECK(text.find(R"(operation="info",status="4xx"} 1)") != std::string::npos);
  CHECK(text.find(R"(operation="unknown",status="4xx"} 1)") != std::string::npos);
}

}  // namespace cairn::gate::gate_test
