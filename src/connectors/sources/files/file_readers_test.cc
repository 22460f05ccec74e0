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

const os::LocalAccounts nobody;

FileReaders file(std::uint32_t mode, uid_t uid = 10, gid_t gid = 100) {
  return FileReaders::of_file({.mode = mode, .uid = uid, .gid = gid}, nobody);
}

using Of = os::AccessListEntry::Of;

FileReaders listed(const os::LocalAccounts& accounts, std::vector<os::AccessListEntry> entries,
                   uid_t uid = 10, gid_t gid = 100) {
  return FileReaders::of_file(
      {.mode = 0644,
       .uid = uid,
       .gid = gid,
       .list = os::AccessList{.is_known = true, .entries = std::move(entries)}},
      accounts);
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
  CHECK(machine.names(FileReaders::of_file(
            {.mode = 0644, .uid = 10, .gid = 100, .list = os::AccessList{}}, machine.accounts)) ==
        "user:ada");
  CHECK(machine.names(file(0640, 77, 78)) == "group:78 user:77");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0755}, nobody)) == "everyone");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0644}, nobody)) == "none");
  CHECK(machine.names(FileReaders::of_folder({.mode = 0710, .uid = 10, .gid = 101}, nobody)) ==
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

TEST_CASE("file readers: what a list says of users and groups") {
  const Machine machine;
  const auto names = [&](std::vector<os::AccessListEntry> entries) {
    return machine.names(listed(machine.accounts, std::move(entries)));
  };
  const os::AccessListEntry owner{Of::owner, 06, 0}, none{Of::others, 0, 0};
  CHECK(names({owner, {Of::user, 04, 12}, {Of::owning_group, 0, 0}, {Of::mask, 04, 0}, none}) ==
        "user:ada user:eve");
  CHECK(names({owner, {Of::owning_group, 0, 0}, {Of::group, 05, 101}, {Of::mask, 07, 0}, none}) ==
        "group:lab user:ada");
  // The mask takes away from all but the owner and others.
  CHECK(names({owner, {Of::user, 04, 12}, {Of::owning_group, 04, 0}, {Of::mask, 01, 0}, none}) ==
        "user:ada");
  CHECK(names({owner,
               {Of::user, 04, 12},
               {Of::owning_group, 04, 0},
               {Of::mask, 04, 0},
               {Of::others, 04, 0}}) == "everyone");
  // Bob is refused what his group has.
  CHECK(names({owner,
               {Of::user, 0, 11},
               {Of::owning_group, 0, 0},
               {Of::group, 04, 102},
               {Of::mask, 04, 0},
               none}) == "user:ada user:eve");
  CHECK(names({owner,
               {Of::user, 0, 11},
               {Of::owning_group, 0, 0},
               {Of::group, 04, 101},
               {Of::mask, 04, 0},
               none}) == "group:lab user:ada");
  // Others alone cannot be named.
  CHECK(names({owner, {Of::owning_group, 0, 0}, {Of::mask, 04, 0}, {Of::others, 04, 0}}) ==
        "user:ada");
}

// The rule of acl(5), for each user: whoever is named may read, and whom a list names by user or
// group is named.
TEST_CASE("file readers: a list names nobody whom the kernel refuses") {
  const Machine machine;
  const auto may_read = [&](const std::vector<os::AccessListEntry>& entries,
                            const os::LocalAccounts::User& user, uid_t owner, gid_t group) {
    std::uint32_t mask = 07;
    for (const auto& entry : entries)
      if (entry.of == Of::mask) mask = entry.bits;
    for (const auto& entry : entries)
      if (entry.of == Of::owner && user.uid == owner)
        return std::pair{true, (entry.bits & 04) != 0};
    for (const auto& entry : entries)
      if (entry.of == Of::user && entry.id == user.uid)
        return std::pair{true, (entry.bits & mask & 04) != 0};
    bool in_one = false;
    for (const auto& entry : entries) {
      const bool fits = (entry.of == Of::owning_group && user.groups.count(group) > 0) ||
                        (entry.of == Of::group && user.groups.count(entry.id) > 0);
      if (fits && (entry.bits & mask & 04) != 0) return std::pair{true, true};
      in_one = in_one || fits;
    }
    if (in_one) return std::pair{true, false};
    for (const auto& entry : entries)
      if (entry.of == Of::others) return std::pair{false, (entry.bits & 04) != 0};
    return std::pair{false, false};
  };
  int named_ones = 0;
  for (std::uint32_t bits = 0; bits < 1u << 8; ++bits)
    for (const uid_t owner : {10u, 12u})
      for (const gid_t group : {100u, 101u}) {
        const auto right = [&](int n) { return (bits >> n & 1) != 0 ? 04u : 0u; };
        const std::vector<os::AccessListEntry> entries = {
            {Of::owner, right(0), 0},        {Of::user, right(1), 11},   {Of::user, right(2), 12},
            {Of::owning_group, right(3), 0}, {Of::group, right(4), 102}, {Of::group, right(5), 101},
            {Of::mask, right(6), 0},         {Of::others, right(7), 0}};
        const auto names = listed(machine.accounts, entries, owner, group).names(machine.accounts);
        for (const auto& user : machine.accounts.users()) {
          const auto own = FileReaders::names_of(user, machine.accounts);
          const bool named = std::any_of(own.begin(), own.end(), [&](const auto& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
          });
          const auto [by_name, may] = may_read(entries, user, owner, group);
          if (named) CHECK((may || user.uid == owner));
          if (by_name && may) CHECK(named);
          named_ones += named ? 1 : 0;
        }
      }
  CHECK(named_ones > 500);
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
