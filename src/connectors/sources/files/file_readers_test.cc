// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/file_readers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "base/strings.h"
#include "os/files/test_folder.h"

namespace cairn::connectors::file_readers_test {
namespace {

struct Machine {
  os::TestFolder folder;
  os::LocalAccounts accounts = read();

  os::LocalAccounts read() const {
    std::ofstream(folder.path + "/passwd") << "ada:x:10:100::/:/bin/sh\nbob:x:11:100::/:/bin/sh\n"
                                              "eve:x:12:101::/:/bin/sh\n";
    std::ofstream(folder.path + "/group") << "staff:x:100:\nlab:x:101:ada\nall:x:102:ada,bob,eve\n";
    return os::LocalAccounts::read(folder.path + "/passwd", folder.path + "/group").value();
  }
  std::string names(const FileReaders& readers) const { return join(readers.names(accounts), " "); }
};

FileReaders file(std::uint32_t mode, uid_t uid = 10, gid_t gid = 100, bool has_more = false) {
  return FileReaders::of_file({.mode = mode, .uid = uid, .gid = gid, .has_more = has_more});
}

}  // namespace

TEST_CASE("file readers: what a mode says, and nobody whom it leaves in doubt") {
  const Machine machine;
  struct Row {
    std::uint32_t mode;
    const char* names;
  };
  for (const Row& row :
       {Row{0644, "everyone"}, Row{0444, "everyone"}, Row{0640, "group:staff user:ada"},
        Row{0600, "user:ada"}, Row{0000, "none"}, Row{0604, "user:ada"}, Row{0040, "group:staff"},
        Row{0004, "none"}, Row{0311, "none"}})
    CHECK_MESSAGE(machine.names(file(row.mode)) == row.names, row.mode);
  CHECK(machine.names(file(0644, 10, 100, true)) == "user:ada");
  CHECK(machine.names(file(0640, 77, 78)) == "group:78 user:77");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0755})) == "everyone");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0644})) == "none");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0710, .uid = 10, .gid = 101})) ==
        "group:lab user:ada");
}

TEST_CASE("file readers: of a folder and a file in it, whoever is of both") {
  const Machine machine;
  const auto both = [&](const FileReaders& a, const FileReaders& b) {
    const std::string one = machine.names(a.both(b, machine.accounts));
    CHECK(machine.names(b.both(a, machine.accounts)) == one);
    return one;
  };
  CHECK(both(FileReaders::everyone(), file(0640)) == "group:staff user:ada");
  CHECK(both(FileReaders::none(), FileReaders::everyone()) == "none");
  CHECK(both(file(0600, 10), file(0600, 11)) == "none");
  CHECK(both(file(0600, 10), file(0040, 12, 100)) == "user:ada");
  CHECK(both(file(0600, 12), file(0040, 12, 100)) == "none");
  CHECK(both(file(0040, 0, 100), file(0040, 0, 101)) == "user:ada");
  CHECK(both(file(0040, 0, 100), file(0040, 0, 102)) == "user:ada user:bob");
  CHECK(both(file(0640, 10, 100), file(0640, 12, 100)) == "group:staff user:ada");
}

// Each user is asked in turn: named by the list exactly if the kernel would let them, or not named
// where a list cannot say so.
TEST_CASE("file readers: a user goes by the names that it is allowed by") {
  const Machine machine;
  for (std::uint32_t mode = 0; mode < 01000; ++mode)
    for (const uid_t owner : {10u, 11u, 12u})
      for (const gid_t group : {100u, 101u, 102u}) {
        const auto names = file(mode, owner, group).names(machine.accounts);
        for (const auto& user : machine.accounts.users()) {
          const auto own = FileReaders::names_of(user, machine.accounts);
          const bool named = std::any_of(own.begin(), own.end(), [&](const auto& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
          });
          const bool is_owner = user.uid == owner, is_member = user.groups.count(group) > 0;
          const std::uint32_t bit = is_owner ? 0400 : is_member ? 0040 : 0004;
          if (named) CHECK(((mode & bit) != 0 || is_owner));
          if ((mode & bit) != 0 && (mode & 0044) != 0004 && bit != 0004) CHECK(named);
        }
      }
}

}  // namespace cairn::connectors::file_readers_test
