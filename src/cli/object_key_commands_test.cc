// SPDX-License-Identifier: Apache-2.0
// What `cairn key … --objects` asks a server for, and its exit statuses.
#include <doctest/doctest.h>

#include <mutex>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "net/server/server.h"
#include "os/files/test_folder.h"

namespace cairn::cli {
namespace {

/// Writes down what it is asked, and knows every key but "gone".
struct Desk {
  std::mutex mutex;
  std::vector<std::string> asked;
  os::TestFolder folder;
  std::unique_ptr<net::Server> server;

  Desk() {
    auto opened = net::Server::open({}, [this](net::Exchange& exchange) { answer(exchange); });
    REQUIRE(opened.ok());
    server = std::move(*opened);
    folder.write("key", "a2V5OnNlY3JldA==\n");
    folder.write("policy.json", R"({"Statement":[]})");
  }
  void answer(net::Exchange& exchange) {
    const auto body = net::read_all(exchange.body, 1 << 20);
    const bool gone = exchange.head.target.ends_with("/gone");
    {
      const std::lock_guard lock(mutex);
      asked.push_back(exchange.head.method + " " + exchange.head.target + " " +
                      (body.ok() ? *body : ""));
    }
    net::Headers headers;
    headers.add("Content-Type", "application/json");
    static_cast<void>(exchange.reply
                          .reply(gone ? 404 : 200, headers,
                                 gone ? R"({"error":{"type":"t","reason":"r"},"status":404})"
                                      : R"({"access_key_id":"CK1","secret_access_key":"s"})")
                          .ok());
  }
  std::optional<int> run(std::vector<std::string> words) {
    asked.clear();
    words.insert(words.end(), {"--server", "http://127.0.0.1:" + std::to_string(server->port()),
                               "--key-file", folder / "key"});
    return cli::run(words, [](std::string_view) { return std::nullopt; });
  }
};

TEST_CASE("object key commands: keys for both ports, and what does not go with them") {
  Desk desk;
  CHECK(desk.run({"key", "create", "--name", "both", "--both-ports"}) == success);
  CHECK(desk.asked ==
        std::vector<std::string>{R"(POST /_security/api_key {"name":"both","objects":{}})"});
  CHECK(desk.run({"key", "create", "--name", "shop", "--both-ports", "--account", "222222222222",
                  "--user", "shop", "--user-kind", "service", "--index", "logs:read", "--policy",
                  desk.folder / "policy.json", "--expiration", "30d"}) == success);
  CHECK(desk.asked ==
        std::vector<std::string>{
            R"(POST /_security/api_key {"name":"shop","expiration":"30d","role_descriptors":)"
            R"({"role":{"indices":[{"names":["logs"],"privileges":["read"]}]}},"objects":)"
            R"({"account":"222222222222","user":"shop","policy":"{\"Statement\":[]}",)"
            R"("kind":"service"}})"});
  CHECK(desk.run({"key", "create", "--name", "k", "--access-key", "CK1"}) == success);
  CHECK(desk.asked == std::vector<std::string>{
                          R"(POST /_security/api_key {"name":"k","objects":{"access_key_id":"CK1"}})"});
  const std::vector<std::vector<std::string>> refused = {
      {"--both-ports"},
      {"--name", "k", "--both-ports", "--access-key", "CK1"},
      {"--name", "k", "--access-key", "CK1", "--user", "ann"},
      {"--name", "k", "--access-key", "CK1", "--policy", desk.folder / "policy.json"},
      {"--name", "k", "--both-ports", "--kind", "service"},
      {"--name", "k", "--both-ports", "--id", "1"},
      {"--name", "k", "--both-ports", "--objects"},
      {"--name", "k", "--both-ports", "--encryption"},
      {"--name", "k", "--user-kind", "service"},
      {"--objects", "--access-key", "CK1"}};
  for (auto words : refused) {
    words.insert(words.begin(), {"key", "create"});
    CHECK(desk.run(words) == usage_error);
    CHECK(desk.asked.empty());
  }
  CHECK(desk.run({"key", "create", "--name", "k", "--both-ports", "--user", "a", "--policy",
                  desk.folder / "none.json"}) == no_input);
}

TEST_CASE("object key commands: what they ask for") {
  Desk desk;
  CHECK(desk.run({"key", "create", "--objects"}) == success);
  CHECK(desk.asked == std::vector<std::string>{"POST /_security/object_key {}"});
  CHECK(desk.run({"key", "create", "--objects", "--account", "222222222222", "--user", "ann",
                  "--policy", desk.folder / "policy.json"}) == success);
  CHECK(desk.asked == std::vector<std::string>{
                          R"(POST /_security/object_key {"account":"222222222222","user":"ann",)"
                          R"("policy":"{\"Statement\":[]}"})"});
  CHECK(desk.run({"key", "list", "--objects", "--account", "2", "--user", "a+b"}) == success);
  CHECK(desk.asked == std::vector<std::string>{"GET /_security/object_key?account=2&user=a%2Bb "});
  CHECK(desk.run({"key", "disable", "--objects", "CK1"}) == success);
  CHECK(desk.asked ==
        std::vector<std::string>{R"(PUT /_security/object_key/CK1 {"active":false})"});
  CHECK(desk.run({"key", "enable", "--objects", "CK1"}) == success);
  CHECK(desk.asked == std::vector<std::string>{R"(PUT /_security/object_key/CK1 {"active":true})"});
  CHECK(desk.run({"key", "delete", "--objects", "CK1", "CK2"}) == success);
  CHECK(desk.asked.size() == 2);
  CHECK(desk.run({"key", "disable", "a", "b c"}) == success);  // of port 9200
  CHECK(desk.asked == std::vector<std::string>{"PUT /_security/api_key/a/_disable ",
                                               "PUT /_security/api_key/b%20c/_disable "});
  CHECK(desk.run({"key", "enable", "a"}) == success);
  CHECK(desk.asked == std::vector<std::string>{"PUT /_security/api_key/a/_enable "});
}

TEST_CASE("object key commands: what does not work is said in the exit status") {
  Desk desk;
  CHECK(desk.run({"key", "delete", "--objects", "CK1", "gone"}) == partly_failed);
  CHECK(desk.run({"key", "delete", "--objects", "gone"}) != success);
  CHECK(desk.run({"key", "disable", "--objects", "gone"}) != success);
  CHECK(desk.run({"key", "create", "--objects", "--policy", "/nonexistent/file"}) == no_input);
  CHECK(desk.asked.empty());
  CHECK(desk.run({"key", "create", "--objects", "--name", "x"}) == usage_error);
  CHECK(desk.run({"key", "create", "--name", "x", "--account", "1"}) == usage_error);
  CHECK(desk.run({"key", "list", "--user", "x"}) == usage_error);
  CHECK(desk.run({"key", "list", "--objects", "--name", "x"}) == usage_error);
  CHECK(desk.run({"key", "disable", "--objects", "--encryption", "x"}) == usage_error);
  CHECK(desk.asked.empty());
}

}  // namespace
}  // namespace cairn::cli
