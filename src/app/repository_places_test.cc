// SPDX-License-Identifier: Apache-2.0
// Where repositories may lie: folders below path.repo, and clusters with keys of their own.
#include "app/repository_places.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "objectstore/engine.h"
#include "os/test_folder.h"

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

  /// The reason of a refusal; empty where the repository opens.
  std::string refusal(const std::string& type, Json settings) {
    const auto open = repository_places({.path_repo = {folder / "allowed"},
                                         .clients = clients,
                                         .keys_folder = folder / "keys"},
                                        *engine);
    const auto opened = open({.name = "repo", .type = type, .settings = std::move(settings)},
                             snapshots::PlaceIs::registered_now);
    return opened.ok() ? std::string() : opened.error().message;
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

}  // namespace repository_places_test
