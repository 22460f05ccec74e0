// SPDX-License-Identifier: Apache-2.0
#include "app/settings/s3_clients.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "app/commands/commands.h"
#include "app/settings/repository_places.h"
#include "app/settings/settings.h"
#include "os/files/test_folder.h"

namespace s3_clients_test {

using namespace cairn;
using namespace cairn::app;

namespace {

/// Its files are their owner's alone, as those with secrets must be.
struct ClientsFolder : os::TestFolder {
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = TestFolder::write(name, text);
    ::chmod(file.c_str(), 0600);
    return file;
  }
};

std::string fault_of(const std::string& key, const std::string& value, const std::string& origin) {
  S3Clients clients;
  const Status set = set_s3_client(clients, key, value, origin);
  return set.ok() ? "" : set.error().message;
}

}  // namespace

TEST_CASE("s3 clients: settings come from file, environment and flags, secrets do not from files") {
  const ClientsFolder folder;
  const auto file = folder.write("cairn.yaml",
                                 "s3:\n  client:\n    default:\n      endpoint: http://h:1\n"
                                 "    far:\n      region: eu-west-1\n      max_retries: 5\n");
  const auto loaded = load_settings(
      file,
      {"CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY=id", "CAIRN_S3__CLIENT__DEFAULT__SECRET_KEY=hush"},
      {{.key = "s3.client.far.path_style_access", .text = "true", .origin = "--set"}});
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? std::string() : loaded.error().message));
  const S3Clients& clients = loaded->settings.s3_clients;
  CHECK(clients.at("default").endpoint == "http://h:1");
  CHECK(clients.at("default").secret_key == "hush");
  CHECK(clients.at("far").max_retries == 5);
  CHECK(clients.at("far").path_style_access == true);
  bool shown = false;
  for (const auto& [key, value, description, secret] : s3_client_rows(clients)) {
    CHECK(value != "hush");
    CHECK(loaded->origins.contains(key));
    shown |= key == "s3.client.default.secret_key" && value == "(set)";
  }
  CHECK(shown);
  CHECK(fault_of("s3.client.default.secret_key", "hush", "cairn.yaml:3").find("is a secret") !=
        std::string::npos);
  CHECK(fault_of("s3.client.default.secret_key", "hush", "--set").find("hush") ==
        std::string::npos);
  CHECK(fault_of("s3.client.default.endpont", "x", "--set").find("did you mean endpoint") !=
        std::string::npos);
  CHECK(fault_of("s3.client.default", "x", "--set").find("s3.client.NAME.SETTING") !=
        std::string::npos);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"protocol", "ftp"},
                                                                  {"path_style_access", "1"},
                                                                  {"read_timeout", "0s"},
                                                                  {"max_retries", "-1"}})
    CHECK(fault_of("s3.client.c." + std::string(name), value, "--set") != "");
  CHECK(run({"config", "check", "--config", file}, {}) == 0);
}

TEST_CASE("s3 clients: keys come from a file of the data folder, the environment's win") {
  const ClientsFolder folder;
  S3Clients clients;
  clients["other"].access_key = "from the environment";
  REQUIRE(add_s3_client_keys(clients, folder.path).ok());
  CHECK(clients.size() == 1);
  folder.write("s3-clients.json",
               R"({"default": {"access_key": "id", "secret_key": "hush"},
                   "other": {"access_key": "no", "secret_key": "no"}})");
  REQUIRE(add_s3_client_keys(clients, folder.path).ok());
  CHECK(clients.at("default").secret_key == "hush");
  CHECK(clients.at("other").access_key == "from the environment");
  CHECK(clients.at("other").secret_key.empty());
  folder.write("s3-clients.json", "[]");
  CHECK(add_s3_client_keys(clients, folder.path).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("settings: store.url is looked at before anything starts") {
  const auto fault = [](const std::string& url) {
    const ClientsFolder folder;
    const auto with =
        load_settings(folder.write("cairn.yaml", "store:\n  url: \"" + url + "\"\n"), {}, {});
    return with.ok() ? std::string() : with.error().message;
  };
  CHECK(fault("s3://bucket/prefix?endpoint=http://h:1").empty());
  CHECK(fault("s3://bucket?region").find("store.url") != std::string::npos);
  CHECK(fault("s3://id:hush@bucket").find("hush") == std::string::npos);
}

TEST_CASE("repository places: a folder is made when it is registered, and never again") {
  const os::TestFolder folder;
  objectstore::EngineOptions options;
  options.data_dir = folder / "data";
  auto engine = objectstore::Engine::open(options);
  REQUIRE(engine.ok());
  const auto open = repository_places({.path_repo = {folder / "mnt"}}, **engine);
  const snapshots::RepositorySettings backups{
      .name = "r", .type = "fs", .settings = Json::object({{"location", "backups"}})};
  const auto never = os::Deadline::never();

  auto before = open(backups, snapshots::PlaceIs::registered);
  REQUIRE(before.ok());
  const auto listed = (*before)->list({}, never);
  REQUIRE_FALSE(listed.ok());
  CHECK(listed.error().message.find(folder / "mnt/backups") != std::string::npos);
  CHECK_FALSE((*before)->put("k", "v", never).ok());
  CHECK_FALSE(std::filesystem::exists(folder / "mnt/backups"));

  REQUIRE(open(backups, snapshots::PlaceIs::registered_now).ok());
  CHECK((*before)->put("k", "v", never).ok());
}

TEST_CASE("repository places: type s3 without another cluster stays in the own object storage") {
  const ClientsFolder folder;
  objectstore::EngineOptions options;
  options.data_dir = folder / "data";
  auto engine = objectstore::Engine::open(options);
  REQUIRE_MESSAGE(engine.ok(), (engine.ok() ? std::string() : engine.error().message));
  S3Clients clients;
  clients["far"] = {.endpoint = "127.0.0.1:1", .access_key = "id", .secret_key = "secret"};
  const auto message_of = [&](const RepositoryPlaces& places, const Json& settings) {
    const auto opened = repository_places(places, **engine)(
        {.name = "r", .type = "s3", .settings = settings}, snapshots::PlaceIs::registered_now);
    return opened.ok() ? std::string() : opened.error().message;
  };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  const RepositoryPlaces places{.clients = clients, .keys_folder = folder.path};
  const auto bucket = [](std::initializer_list<std::pair<const char*, const char*>> more) {
    Json settings = Json::object({{"bucket", "none"}});
    for (const auto& [name, value] : more) settings.set(name, value);
    return settings;
  };
  CHECK(has(message_of(places, bucket({})), "does not exist; create it in the object storage"));
  CHECK(has(message_of(places, Json::object({{"base_path", "x"}})), "No bucket defined"));
  CHECK(message_of(places, bucket({{"client", "far"}, {"region", "r"}})) == "");
  CHECK(message_of(places, bucket({{"endpoint", "http://h:1"}})) == "");
  CHECK(has(message_of(places, bucket({{"client", "near"}})),
            "Unknown s3 client name [near]. Existing client configs: [far]"));
  CHECK(has(message_of(places, bucket({{"endpoint", "http://h"}, {"secret_key", "hush"}})),
            "is a secret"));
  CHECK(has(message_of(places, bucket({{"secret_key", "hush"}})), "is a secret"));
  CHECK(has(message_of(places, bucket({{"client", "_own"}, {"access_key", "id"}})), "is a secret"));
  CHECK(has(message_of(places, bucket({{"endpoint", "http://h"}, {"path_style_access", "1"}})),
            "must be true or false"));
  const auto far = [&](const char* name, const char* value) {
    return message_of(places, bucket({{"client", "far"}, {name, value}}));
  };
  CHECK(far("storage_class", "standard_ia") == "");
  CHECK(far("storage_class", "ONEZONE_IA") == "");
  CHECK(has(far("storage_class", "glacier"), "cannot be [glacier]; it can be standard, "));
  CHECK(far("canned_acl", "bucket-owner-full-control") == "");
  CHECK(has(far("canned_acl", "mine"), "setting [canned_acl] cannot be [mine]"));
  CHECK(far("server_side_encryption", "true") == "");
  CHECK(has(far("server_side_encryption", "yes"), "it can be false, true"));
  CHECK(has(message_of(places, bucket({{"server_side_encryption", "true"}})),
            "cannot be [true] in the own object storage"));
  CHECK(has(message_of(places, bucket({{"storage_class", "standard"}})), "create it in the"));
  RepositoryPlaces with_default = places;
  with_default.clients["default"].endpoint = "http://h:1";
  CHECK(message_of(with_default, bucket({})) == "");
  CHECK(has(message_of(with_default, bucket({{"client", "_own"}})), "create it in the object"));
}

}  // namespace s3_clients_test
