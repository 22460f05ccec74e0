// SPDX-License-Identifier: Apache-2.0
#include "os/accounts.h"

#include <doctest/doctest.h>

#include <fstream>

#include "os/files/test_folder.h"

namespace cairn::os::accounts_test {
namespace {

struct Machine {
  TestFolder folder;
  std::string users = folder.path + "/passwd", groups = folder.path + "/group";

  Machine(const std::string& passwd, const std::string& group) {
    std::ofstream(users) << passwd;
    std::ofstream(groups) << group;
  }
  Result<LocalAccounts> read() const { return LocalAccounts::read(users, groups); }
};

}  // namespace

TEST_CASE("accounts: users with their groups, and names of numbers") {
  const Machine machine(
      "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\n"
      "# a remark\n\nbob:x:1001:1000::/:/bin/false\ntwin:x:1000:1002::/:/bin/sh\n",
      "root:x:0:\nstaff:x:1000:\nlab:x:1005:ada,absent\n");
  const auto accounts = machine.read();
  REQUIRE(accounts.ok());
  REQUIRE(accounts->users().size() == 4);
  CHECK(accounts->users()[1].name == "ada");
  CHECK(accounts->users()[1].groups == std::set<gid_t>{1000, 1005});
  CHECK(accounts->user_name(1000) == "ada");
  CHECK(accounts->user_name(77) == "77");
  CHECK(accounts->group_name(1005) == "lab");
  CHECK(accounts->group_name(1002) == "1002");
  CHECK(accounts->is_member(1000, 1005));
  CHECK(accounts->is_member(1001, 1000));
  CHECK_FALSE(accounts->is_member(1001, 1005));
  CHECK_FALSE(accounts->is_member(77, 0));
}

TEST_CASE("accounts: long lines are read, and files that are not there are told") {
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += (i == 0 ? "ada" : ",m" + std::to_string(i));
  const Machine machine("ada:x:1:1::/:/bin/sh\n", "big:x:9:" + members + "\nlast:x:10:ada\n");
  const auto accounts = machine.read();
  REQUIRE_MESSAGE(accounts.ok(), accounts.error().message);
  CHECK(accounts->users()[0].groups == std::set<gid_t>{1, 9, 10});
  const auto none = LocalAccounts::read(machine.folder.path + "/absent", machine.groups);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().message.find("absent") != std::string::npos);
  CHECK(LocalAccounts::read().ok());
}

}  // namespace cairn::os::accounts_test
