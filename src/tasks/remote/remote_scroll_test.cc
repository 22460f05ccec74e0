// SPDX-License-Identifier: Apache-2.0
// What another server is asked, and what becomes of its answers.
#include "remotesearch/remote_scroll.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tasks/options.h"
#include "tasks/remote/remote_batches.h"
#include "tasks/remote/scripted_cluster.h"

namespace cairn::tasks::remote_scroll_test {

using remotesearch::RemoteAccess;
using remotesearch::RemoteScroll;
using remotesearch::RemoteSearch;
using Cluster = ScriptedCluster;
using Answer = Cluster::Answer;
const auto never = os::Deadline::never();

/// Passes time at once, and remembers it.
struct Passing : ratelimit::Waits {
  std::vector<std::int64_t> waits = {};
  os::FakeClock clock;
  bool sleep_ms(std::int64_t ms, const os::Deadline&) override {
    waits.push_back(ms);
    clock.advance_ms(ms);
    return true;
  }
};

Options allowing(std::vector<std::string> hosts) {
  Options out;
  out.remote_allowed_hosts = std::move(hosts);
  return out;
}

struct Rig {
  RemoteSource source;
  RemoteAccess access = remote_access_of(allowing({"127.0.0.1:*"})).value();
  Passing passing;
  int repeated = 0;
  explicit Rig(const Cluster& cluster) : source(cluster.source()) {}

  std::unique_ptr<RemoteScroll> scroll(std::size_t size = 2) {
    return std::make_unique<RemoteScroll>(
        source, RemoteSearch{.indices = "a,b*", .size = size}, access, passing.clock,
        [this] { ++repeated; }, &passing);
  }
  static Status at_once(const std::function<void()>& body) { return body(), ok_status(); }
  Result<std::unique_ptr<RemoteBatches>> open(std::size_t size = 2,
                                              const os::Deadline& deadline = never) {
    return RemoteBatches::open(
        scroll(size), size, [] { return std::int64_t{60'000}; }, at_once, deadline);
  }
  Error refusal() {
    const auto text = scroll()->open(60'000, never);
    REQUIRE_FALSE(text.ok());
    return text.error();
  }
};

std::string status_in(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "_status") return value;
  return {};
}

TEST_CASE("remote scroll: opened with the query, read page by page, and ended") {
  Cluster cluster(5);
  Rig rig(cluster);
  rig.source.query = parse_json(R"({"term":{"x":1}})").value();
  rig.source.headers = {{"Authorization", "ApiKey abc"}};
  {
    const auto batches = rig.open();
    REQUIRE(batches.ok());
    CHECK((*batches)->total() == 5);
    std::vector<std::string> ids;
    for (;;) {
      const auto page = (*batches)->next(3, 1 << 20, Rig::at_once, never);
      REQUIRE(page.ok());
      if (page->documents.empty()) break;
      for (const auto& document : page->documents) {
        CHECK(document.source == "{\"n\":" + document.id + "}");
        ids.push_back(document.id);
      }
    }
    CHECK(ids == std::vector<std::string>{"0", "1", "2", "3", "4"});
  }
  const auto seen = cluster.seen();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].target.starts_with("/es/a,b*/_search?"));
  CHECK(seen[0].target.find("scroll=60000ms") != std::string::npos);
  CHECK(seen[0].body.find_path("query.term.x")->as_int() == 1);
  CHECK(seen[0].body.int_or("size") == 2);
  CHECK(seen[1].target == "/es/_search/scroll");
  CHECK(seen[1].body.string_or("scroll_id") == "s=1");
  CHECK(seen[3].method == "DELETE");
  for (const auto& request : seen) CHECK(request.authorization == "ApiKey abc");
  CHECK(cluster.open_scrolls() == 0);
}

TEST_CASE("remote scroll: a page comes out in batches of so many documents and bytes") {
  Cluster cluster(5);
  Rig rig(cluster);
  const auto batches = rig.open(5);
  REQUIRE(batches.ok());
  CHECK((*batches)->next(2, 1 << 20, Rig::at_once, never)->documents.size() == 2);
  CHECK((*batches)->next(5, 1, Rig::at_once, never)->documents.size() == 1);
  CHECK((*batches)->next(5, 1 << 20, Rig::at_once, never)->documents.size() == 2);
  CHECK((*batches)->next(5, 1 << 20, Rig::at_once, never)->documents.empty());
}

TEST_CASE("remote scroll: 429 and 503 are asked again, as the server says") {
  for (const int status : {429, 503}) {
    Cluster cluster(1, [status](const Cluster::Seen&, std::size_t number) -> std::optional<Answer> {
      if (number >= 2) return std::nullopt;
      return Answer{.status = status, .body = "{}", .headers = {{"Retry-After", "3"}}};
    });
    Rig rig(cluster);
    CHECK(rig.scroll()->open(60'000, never).ok());
    CHECK(rig.repeated == 2);
    REQUIRE(rig.passing.waits.size() >= 2);
    CHECK(rig.passing.waits.front() >= 3'000);
  }
  Cluster cluster(1, [](const Cluster::Seen&, std::size_t) {
    return Answer{.status = 429, .body = R"({"error":{"type":"busy","reason":"later"}})"};
  });
  Rig rig(cluster);
  const Error refused = rig.refusal();
  CHECK(status_in(refused) == "429");
  CHECK(refused.message.find("busy: later") != std::string::npos);
}

TEST_CASE("remote scroll: what a server refuses keeps its status, and shows no credential") {
  for (const int status : {400, 401, 403, 404, 500}) {
    Cluster cluster(1, [status](const Cluster::Seen& seen, std::size_t) {
      return Answer{
          .status = status,
          .body = Json::object({{"error", "no: " + seen.authorization + " secret"}}).dump()};
    });
    Rig rig(cluster);
    rig.source.headers = {{"Authorization", "Basic dTpzZWNyZXQ="}};  // u:secret
    const Error refused = rig.refusal();
    CHECK(status_in(refused) == std::to_string(status));
    CHECK(refused.message.find("no: ") != std::string::npos);
    CHECK(refused.message.find("secret") == std::string::npos);
    CHECK(refused.message.find("dTpz") == std::string::npos);
    CHECK(cluster.seen().size() == 1);
  }
}

TEST_CASE("remote scroll: redirects are not followed") {
  Cluster other(1);
  Cluster cluster(1, [&](const Cluster::Seen&, std::size_t) {
    return Answer{
        .status = 307,
        .headers = {{"Location", "http://127.0.0.1:" + std::to_string(other.source().port) + "/"}}};
  });
  Rig rig(cluster);
  CHECK(status_in(rig.refusal()) == "502");
  CHECK(other.seen().empty());
}

TEST_CASE("remote scroll: only hosts that the setting names, by name and by address") {
  Cluster cluster(1);
  const auto allowed = [&](const std::string& entry, const std::string& host) {
    RemoteSource source = cluster.source();
    source.host = host;
    const auto access = remote_access_of(allowing({entry})).value();
    if (const Status named = access.check(source); !named.ok()) {
      CHECK(named.error().message.find("not whitelisted in reindex.remote.allowed_hosts") !=
            std::string::npos);
      return false;
    }
    RemoteScroll scroll(source, {.indices = "a"}, access, os::system_clock(), {});
    return scroll.open(60'000, never).ok();
  };
  const std::string port = std::to_string(cluster.source().port);
  CHECK(allowed("127.0.0.1:" + port, "127.0.0.1"));
  CHECK(allowed("127.0.0.*:" + port, "127.0.0.1"));
  CHECK(allowed("localhost:*", "localhost"));
  CHECK_FALSE(allowed("127.0.0.1:1", "127.0.0.1"));
  CHECK_FALSE(allowed("localhost:*", "127.0.0.1"));
  CHECK_FALSE(allowed("10.0.0.0/8", "localhost"));
  CHECK_FALSE(allowed("*", "127.0.0.1"));
  CHECK_FALSE(remote_access_of(Options{})->check(cluster.source()).ok());
  CHECK_FALSE(remote_access_of(allowing({"http://x"})).ok());
}

TEST_CASE("remote scroll: answers that are too large, or are none, end it") {
  Cluster cluster(50);
  Rig rig(cluster);
  Options options = allowing({"127.0.0.1"});
  options.remote_answer_bytes = 1'000;
  rig.access = remote_access_of(options).value();
  const Error large = rig.open(50).error();
  CHECK(status_in(large) == "502");
  CHECK(large.message.find("source.size") != std::string::npos);

  Cluster broken(5, [](const Cluster::Seen& seen, std::size_t) -> std::optional<Answer> {
    if (seen.method == "DELETE") return std::nullopt;
    return Answer{.body = R"({"_scroll_id":"x","hits":{"total":1,"hits":[{"_id":"1"}]}})"};
  });
  Rig other(broken);
  CHECK(other.open().error().message.find("didn't store _source") != std::string::npos);
  CHECK(broken.seen().back().method == "DELETE");  // its scroll was known
}

TEST_CASE("remote scroll: documents that are missing, or too many, are an error") {
  Cluster ends_early(6, [](const Cluster::Seen& seen, std::size_t number) -> std::optional<Answer> {
    if (seen.method == "DELETE" || number == 0) return std::nullopt;
    return Answer{.body = R"({"_scroll_id":"s","hits":{"total":6,"hits":[]}})"};
  });
  Rig rig(ends_early);
  const auto batches = rig.open();
  CHECK((*batches)->next(2, 1 << 20, Rig::at_once, never)->documents.size() == 2);
  const auto page = (*batches)->next(2, 1 << 20, Rig::at_once, never);
  REQUIRE_FALSE(page.ok());
  CHECK(page.error().message.find("[2] documents of [6]") != std::string::npos);

  Cluster too_many(3, [](const Cluster::Seen&, std::size_t) -> std::optional<Answer> {
    return Answer{.body =
                      R"({"_scroll_id":"s","hits":{"total":0,"hits":[{"_id":"1","_source":{}}]}})"};
  });
  Rig other(too_many);
  CHECK(other.open().error().message.find("more documents than the [0]") != std::string::npos);
}

TEST_CASE("remote scroll: a server that is silent is waited for as long as was asked") {
  std::atomic<bool> over{false};
  Cluster cluster(1, [&](const Cluster::Seen&, std::size_t) -> std::optional<Answer> {
    while (!over) std::this_thread::yield();
    return std::nullopt;
  });
  Rig rig(cluster);
  rig.source.socket_timeout_ms = 20;
  const Error late = rig.refusal();
  CHECK(late.kind == ErrorKind::timeout);
  CHECK(status_in(late) == "504");
  over = true;
}

TEST_CASE("remote scroll: a stop ends the wait, and the scroll is ended all the same") {
  std::stop_source stop;
  std::atomic<bool> over{false};
  Cluster cluster(6, [&](const Cluster::Seen& seen, std::size_t number) -> std::optional<Answer> {
    if (seen.method == "DELETE" || number == 0) return std::nullopt;
    stop.request_stop();
    while (!over) std::this_thread::yield();
    return std::nullopt;
  });
  Rig rig(cluster);
  {
    const auto batches = rig.open();
    REQUIRE(batches.ok());
    const auto until = os::Deadline::never(stop.get_token());
    CHECK((*batches)->next(2, 1 << 20, Rig::at_once, until)->documents.size() == 2);
    const auto page = (*batches)->next(2, 1 << 20, Rig::at_once, until);
    REQUIRE_FALSE(page.ok());
    CHECK(page.error().kind == ErrorKind::cancelled);
  }
  CHECK(cluster.open_scrolls() == 0);
  over = true;
}

TEST_CASE("remote source: hosts as they are written") {
  RemoteSource source;
  REQUIRE(read_remote_host("https://Example.org:9243/a/b/", source).ok());
  CHECK(source.scheme == "https");
  CHECK(source.port == 9243);
  CHECK(source.path_prefix == "/a/b");
  REQUIRE(read_remote_host("http://[::1]:9200", source).ok());
  CHECK(source.authority() == "[::1]:9200");
  CHECK(source.path_prefix.empty());
  for (const auto* bad :
       {"", "example.org:9200", "http://example.org", "http://example.org:", "http://example.org:x",
        "http://example.org:0", "ftp://example.org:21", "http://u:p@example.org:9200",
        "http://example.org:9200/?a=b", "http://example.org:9200/#x", "http://[::1]",
        "http://:9200", "http://exa mple:9200"}) {
    const Status read = read_remote_host(bad, source);
    REQUIRE_MESSAGE(!read.ok(), bad);
    CHECK(read.error().message.find("[host] must be of the form") != std::string::npos);
  }
  source = {.scheme = "https", .host = "h", .port = 1, .headers = {{"A", "secret"}}};
  CHECK(record_of(source).dump().find("secret") == std::string::npos);
  source.sealed_headers = std::string("\0\xff seal", 7);
  RemoteSource again = read_remote_source(record_of(source)).value();
  REQUIRE(read_headers(text_of_headers(source), again).ok());
  CHECK(again.headers == source.headers);
  CHECK(again.sealed_headers == source.sealed_headers);
  CHECK(record_of(again) == record_of(source));
}

}  // namespace cairn::tasks::remote_scroll_test
