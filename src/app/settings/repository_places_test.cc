// SPDX-License-Identifier: Apache-2.0
// Where repositories may lie: folders below path.repo, and clusters with keys of their own.
#include "app/settings/repository_places.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "net/address.h"
#include "objectstore/engine.h"
#include "os/files/test_folder.h"

namespace repository_places_test {

using namespace cairn;
using namespace cairn::app;
namespace fs = std::filesystem;

namespace {

struct Places {
  os::TestFolder folder;
  std::unique_ptr<objectstore::Engine> engine = [this] {
    auto opened = objectstore::Engine::open({.data_dir = folder / "data", .reserve_bytes = 0});
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    return std::move(*opened);
  }();
  S3Clients clients = {};
  std::vector<std::string> allowed = {};

  /// The reason of a refusal; empty where the repository opens.
  std::string refusal(const std::string& type, Json settings) {
    const auto open = repository_places({.path_repo = {folder / "allowed"},
                                         .clients = clients,
                                         .keys_folder = folder / "keys",
                                         .allowed_endpoints = allowed},
                                        *engine);
    const auto opened = open({.name = "repo", .type = type, .settings = std::move(settings)},
                             snapshots::PlaceIs::registered_now);
    return opened.ok() ? std::string() : opened.error().message;
  }
  /// What a repository of type s3 answers to a first question; an attempt of 100 ms.
  std::string asked(const std::vector<std::pair<std::string, std::string>>& settings) {
    Json values = Json::object({{"max_retries", 0}});
    for (const auto& [name, value] : settings) values.set(name, value);
    const auto open = repository_places({.clients = clients, .allowed_endpoints = allowed}, *engine);
    const auto opened = open({.name = "repo", .type = "s3", .settings = std::move(values)},
                             snapshots::PlaceIs::registered_now);
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    const auto found = (*opened)->head("key", os::Deadline::in_ms(100));
    return found.ok() ? std::string() : found.error().message;
  }
  std::string location(const std::string& path) {
    return refusal("fs", Json::object({{"location", path}}));
  }
};

}  // namespace

TEST_CASE("repository places: a folder below path.repo, by no symbolic link and no NUL") {
  Places places;
  fs::create_directories(places.folder / "allowed/real");
  fs::create_directories(places.folder / "elsewhere");
  fs::create_directory_symlink(places.folder / "elsewhere", places.folder / "allowed/link");
  CHECK(places.location("real") == "");
  CHECK(places.location("real/deeper/still") == "");
  CHECK(places.location(places.folder / "allowed/new") == "");
  for (const auto* through : {"link", "link/deeper", "./link//deeper"})
    CHECK(places.location(through).find("is a symbolic link") != std::string::npos);
  CHECK(fs::is_empty(places.folder / "elsewhere"));
  CHECK(places.location("../elsewhere").find("path.repo") != std::string::npos);
  CHECK(places.location(std::string("real\0/../../elsewhere", 21)).find("NUL") !=
        std::string::npos);
}

TEST_CASE("repository places: path.repo itself may be a link, which the operator made") {
  Places places;
  fs::create_directories(places.folder / "elsewhere");
  fs::create_directory_symlink(places.folder / "elsewhere", places.folder / "allowed");
  CHECK(places.location("new") == "");
}

TEST_CASE("repository places: a named client without keys asks nobody for some") {
  Places places;
  places.clients["far"] = {.endpoint = "http://127.0.0.1:1"};
  const std::string why =
      places.refusal("s3", Json::object({{"bucket", "b"}, {"client", "far"}}));
  CHECK(why.find("s3 client [far] has no access_key") != std::string::npos);
}

TEST_CASE("N01: an endpoint that a repository names is none of this machine, unless it is allowed") {
  Places places;
  const auto trap = net::listen_on({"127.0.0.1", 0});
  REQUIRE(trap.ok());
  const std::string here = "127.0.0.1:" + std::to_string(net::local_address(*trap)->port());
  places.clients["far"] = {.endpoint = "http://" + here, .access_key = "id", .secret_key = "s"};
  places.clients["near"] = {.access_key = "id", .secret_key = "s"};
  const auto refused = [&](const std::string& endpoint) {
    const std::string why =
        places.asked({{"bucket", "b"}, {"client", "near"}, {"endpoint", endpoint}});
    return why.find("repositories.s3.allowed_endpoints") != std::string::npos;
  };
  for (const std::string& endpoint :
       {"http://" + here, "http://localhost:" + here.substr(10), std::string("http://0.0.0.0:1"),
        std::string("http://[::ffff:a9fe:a9fe]"), std::string("http://169.254.169.254"),
        std::string("http://2130706433:1"), std::string("https://10.0.0.1")}) {
    CAPTURE(endpoint);
    CHECK(refused(endpoint));
  }
  pollfd waiting{*trap, POLLIN, 0};
  CHECK(::poll(&waiting, 1, 0) == 0);  // nobody knocked
  // The operator's own word, for a client or for all, is enough.
  const std::string own = places.asked({{"bucket", "b"}, {"client", "far"}});
  CHECK_MESSAGE(own.find("repositories.s3.allowed_endpoints") == std::string::npos, own);
  CHECK(::poll(&waiting, 1, 10'000) == 1);
  ::close(::accept(*trap, nullptr, nullptr));
  places.allowed = {here};
  CHECK_FALSE(refused("http://" + here));
  CHECK(::poll(&waiting, 1, 10'000) == 1);
  CHECK(refused("http://127.0.0.1:1"));
  ::close(*trap);
}

TEST_CASE("N02: a client's credentials go to the client's endpoint, or to one that is allowed") {
  Places places;
  const auto trap = net::listen_on({"127.0.0.1", 0});
  REQUIRE(trap.ok());
  const std::string here = "127.0.0.1:" + std::to_string(net::local_address(*trap)->port());
  places.clients["far"] = {.endpoint = here, .access_key = "id", .secret_key = "s",
                           .session_token = "token"};
  places.clients["vendor"] = places.clients["default"] = {.access_key = "id", .secret_key = "s"};
  const auto refused = [&](const std::string& client, const std::string& setting,
                           const std::string& value) {
    const std::string why =
        places.asked({{"bucket", "b"}, {"client", client}, {"region", "r"}, {setting, value}});
    return why.find("the credentials of its s3 client are for another one") != std::string::npos;
  };
  for (const auto* client : {"far", "vendor", "default"}) {
    CAPTURE(client);
    CHECK(refused(client, "endpoint", "https://8.8.8.8"));
    CHECK(refused(client, "endpoint", "8.8.8.8:9000"));
  }
  CHECK(refused("far", "protocol", "http"));  // in clear
  CHECK(refused("far", "endpoint", "http://" + here));
  pollfd waiting{*trap, POLLIN, 0};
  CHECK(::poll(&waiting, 1, 0) == 0);
  CHECK_FALSE(refused("far", "endpoint", "https://" + here + "/"));
  CHECK(::poll(&waiting, 1, 10'000) == 1);
  places.allowed = {here};
  CHECK_FALSE(refused("far", "protocol", "http"));
  CHECK_FALSE(refused("vendor", "endpoint", "http://" + here));
  CHECK(refused("vendor", "endpoint", "https://8.8.8.8"));
  ::close(*trap);
}

}  // namespace repository_places_test
