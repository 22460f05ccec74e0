// SPDX-License-Identifier: Apache-2.0
#include "os/files/access_list.h"

#include <doctest/doctest.h>
#include <sys/xattr.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/bytes.h"
#include "os/files/test_folder.h"

namespace cairn::os::access_list_test {
namespace {

using Of = AccessListEntry::Of;

std::string entry(std::uint16_t tag, std::uint16_t bits, std::uint32_t id = 0xffffffff) {
  std::string out;
  for (const std::uint32_t part : {std::uint32_t{tag}, std::uint32_t{bits}}) {
    out += static_cast<char>(part & 0xff);
    out += static_cast<char>(part >> 8);
  }
  for (int i = 0; i < 4; ++i) out += static_cast<char>(id >> (8 * i) & 0xff);
  return out;
}

const std::string head("\2\0\0\0", 4);

std::string usual() {
  return head + entry(0x01, 6) + entry(0x02, 4, 1000) + entry(0x04, 4) + entry(0x08, 5, 2000) +
         entry(0x10, 5) + entry(0x20, 0);
}

}  // namespace

TEST_CASE("access list: entries of the attribute") {
  const AccessList list = parse_access_list(usual());
  REQUIRE(list.is_known);
  REQUIRE(list.entries.size() == 6);
  CHECK(list.entries[1].of == Of::user);
  CHECK(list.entries[1].bits == 4);
  CHECK(list.entries[1].id == 1000);
  CHECK(list.entries[3].of == Of::group);
  CHECK(list.entries[3].id == 2000);
  CHECK(list.entries[4].of == Of::mask);
}

TEST_CASE("access list: what is of another form is not known") {
  for (const std::string& value :
       {std::string(), std::string("\2\0\0", 3), std::string("\1\0\0\0", 4) + usual().substr(4),
        head, usual() + "x", head + entry(0x01, 6) + entry(0x20, 0),
        head + entry(0x40, 6) + usual().substr(4), head + entry(0x01, 64) + usual().substr(4)})
    CHECK_FALSE(parse_access_list(value).is_known);
  for (std::size_t cut = 0; cut < usual().size(); ++cut)
    CHECK_FALSE(parse_access_list(usual().substr(0, cut)).is_known);
}

TEST_CASE("access list: of a file, as the kernel keeps it") {
  const TestFolder folder;
  const std::string path = folder.path + "/f";
  std::ofstream(path) << "x";
  CHECK_FALSE(access_list_of(path));
  const std::string value = usual();
  const int set =
      ::setxattr(path.c_str(), "system.posix_acl_access", value.data(), value.size(), 0);
  if (set != 0 && errno == ENOTSUP) {
    MESSAGE("this file system keeps no access control lists");
    return;
  }
  REQUIRE(set == 0);
  const auto list = access_list_of(path);
  REQUIRE(list);
  CHECK(list->is_known);
  CHECK(list->entries.size() == 6);
  REQUIRE(access_list_of(folder.path + "/none"));
  CHECK_FALSE(access_list_of(folder.path + "/none")->is_known);
}

}  // namespace cairn::os::access_list_test
