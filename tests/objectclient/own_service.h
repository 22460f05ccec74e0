// SPDX-License-Identifier: Apache-2.0
// The service that the tests of the client library ask: a Cairn of their own, or the one that
// CAIRN_E2E_ENDPOINT, _ACCESS and _SECRET name.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/address.h"
#include "net/client/client.h"
#include "objectclient/client.h"
#include "objectclient/environment.h"
#include "os/deadline.h"
#include "os/files/test_folder.h"

extern char** environ;  // NOLINT

namespace cairn::objectclient_e2e {

using namespace cairn::objectclient;

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline constexpr std::string_view domain = "objects.test";  // below which buckets are hosts
inline constexpr std::string_view outpost = "op-01ac5d28a6a232904";

/// A Cairn of this test's own, with a folder of its own; ended with it.
class OwnService {
 public:
  OwnService() {
    if (const char* const other = std::getenv("CAIRN_E2E_ENDPOINT")) {
      endpoint = other;
      access = std::getenv("CAIRN_E2E_ACCESS");
      secret = std::getenv("CAIRN_E2E_SECRET");
      return;
    }
    start();
    const auto keys = Value::from_json(text_of(folder_ / "data/keys/admin-s3.json"));
    REQUIRE(keys.ok());
    access = *(*keys)["access_key_id"].text();
    secret = *(*keys)["secret_access_key"].text();
  }
  ~OwnService() {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, nullptr, 0);
    }
  }
  OwnService(const OwnService&) = delete;
  OwnService& operator=(const OwnService&) = delete;

  std::string endpoint;
  std::string access;
  std::string secret;

 private:
  void start() {
    const std::string ready = folder_ / "ready.json";
    const std::string data = folder_ / "data";
    const std::vector<std::string> words = {
        CAIRN_PROGRAM,      "serve",       "--data",       data, "--api-listen", "127.0.0.1:0",
        "--objects-listen", "127.0.0.1:0", "--ready-file", ready, "--set",
        "objects.domains=" + std::string(domain), "--set",
        "objects.zones=use1-az4=AvailabilityZone,use1-bos1-az1=LocalZone", "--set",
        "objects.outposts=" + std::string(outpost)};
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    REQUIRE(::posix_spawn(&process_, CAIRN_PROGRAM, nullptr, nullptr, arguments.data(), environ) ==
            0);
    const os::Deadline patience = os::Deadline::in_ms(120'000);
    for (;;) {
      const auto facts = Value::from_json(text_of(ready));
      if (facts.ok() && (*facts)["objects"].text() != nullptr) {
        endpoint = *(*facts)["objects"].text();
        return;
      }
      REQUIRE_FALSE(patience.passed());
      REQUIRE(::waitpid(process_, nullptr, WNOHANG) == 0);
      os::sleep_ms(10, patience);
    }
  }

  const os::TestFolder folder_;
  pid_t process_ = -1;
};

inline const OwnService& service() {
  static const OwnService one;
  return one;
}

inline ClientOptions options() {
  return {.region = "us-east-1",
          .endpoint = service().endpoint,
          .access_key_id = service().access,
          .secret_access_key = service().secret};
}

/// Whether it is a Cairn of the test's own: another service does not answer to its names.
inline bool is_own() { return std::getenv("CAIRN_E2E_ENDPOINT") == nullptr; }

/// A client for which every host is this machine, as a name server of the users' network has it.
/// `hosts`, which outlives it, learns where it went.
inline Client client_by_names(ClientOptions given, std::vector<std::string>* hosts = nullptr,
                              Environment environment = system_environment()) {
  const auto url = net::parse_url(service().endpoint);
  REQUIRE(url.ok());
  given.endpoint = "http://" + std::string(domain) + ":" + std::to_string(url->port);
  environment.resolve = [hosts](const std::string& host, std::uint16_t port,
                                const os::Deadline& deadline) {
    if (hosts != nullptr) hosts->push_back(host);
    return net::resolve("127.0.0.1", port, deadline);
  };
  auto opened = Client::open(std::move(given), std::move(environment));
  REQUIRE(opened.ok());
  return std::move(*opened);
}

/// The ARN of a directory bucket names the account that made it.
inline std::string account_of_keys(const Client& client) {
  s3::CreateBucketInput in{.bucket = "whose--use1-az4--x-s3"};
  auto& configuration = in.create_bucket_configuration.emplace();
  configuration.location = {.type = "AvailabilityZone", .name = "use1-az4"};
  configuration.bucket = {.data_redundancy = "SingleAvailabilityZone", .type = "Directory"};
  const std::string arn = client.create_bucket(in)->bucket_arn.value_or("");
  client.delete_bucket({.bucket = in.bucket}).or_throw();
  return arn.substr(arn.find("us-east-1:") + 10, 12);
}

}  // namespace cairn::objectclient_e2e
