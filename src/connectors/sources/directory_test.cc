// SPDX-License-Identifier: Apache-2.0
// N04: a folder that a stranger fills, and changes between the listing and the reading.
#include "connectors/sources/directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "os/files/test_folder.h"

namespace directory_test {

using namespace cairn;
using namespace cairn::connectors;
namespace fs = std::filesystem;

namespace {

const os::Deadline never = os::Deadline::never();

SourceItem item_at(const std::string& path) {
  SourceItem item;
  item.path = path;
  return item;
}

/// Two folders, of which one is the connector's; the other one has a file with a secret.
struct Folders {
  os::TestFolder folder;
  std::string inside = folder / "inside", outside = folder / "outside";
  std::unique_ptr<Source> source = opened(inside);

  Folders() { folder.write("outside/secret.txt", "planted"); }
  static std::unique_ptr<Source> opened(const std::string& path) {
    fs::create_directories(path);
    const Json one = Json::object({{"value", path}});
    const Json largest = Json::object({{"value", 1000}});
    auto source =
        directory_source({path})->open(Json::object({{"path", one}, {"max_file_size", largest}}));
    REQUIRE_MESSAGE(source.ok(), (source.ok() ? std::string() : source.error().message));
    return std::move(*source);
  }
  std::vector<std::string> listed() const {
    const auto listing = source->list(never);
    REQUIRE(listing.ok());
    std::vector<std::string> paths;
    for (const SourceItem& item : listing->items) paths.push_back(item.path);
    return paths;
  }
  std::string version(const std::string& path) const {
    const auto listing = source->list(never);
    REQUIRE(listing.ok());
    for (const SourceItem& item : listing->items)
      if (item.path == path) return item.version;
    return {};
  }
  /// The body, or the kind of the error.
  std::string read(const std::string& path) const {
    const auto document = source->read(item_at(path), never);
    if (!document.ok()) return "(" + std::string(name_of(document.error().kind)) + ")";
    CHECK(document->body.find("planted") == std::string::npos);
    return document->body;
  }
};

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("N04: links, pipes, devices and sockets are named, and neither followed nor waited for") {
  const Folders f;
  f.folder.write("inside/sub/a.txt", "own");
  const auto link = [&](const std::string& to, const std::string& name) {
    fs::create_symlink(to, f.inside + "/" + name);
  };
  link(f.outside + "/secret.txt", "absolute.txt");
  link("../outside/secret.txt", "relative.txt");
  link("sub/../../outside/secret.txt", "winding.txt");
  link("chain-2.txt", "chain-1.txt");
  link("../outside/secret.txt", "chain-2.txt");
  link("loop.txt", "loop.txt");
  link("nowhere.txt", "dangling.txt");
  link("/dev/zero", "zero.txt");
  link("/proc/self/environ", "environ.txt");
  link(f.outside, "folder");
  link("../outside", "folder.txt");
  link("sub/a.txt", "well.txt");
  REQUIRE(::mkfifo((f.inside + "/pipe.txt").c_str(), 0600) == 0);
  const bool devices = ::mknod((f.inside + "/null.txt").c_str(), S_IFCHR | 0600,
                               ::makedev(1, 5)) == 0;  // for an administrator alone
  const auto listing = f.source->list(never);
  REQUIRE(listing.ok());
  CHECK(f.listed() == Paths{"sub/a.txt"});
  CHECK(listing->unreadable.size() == (devices ? 12 : 11));
  for (const UnreadableItem& item : listing->unreadable)
    CHECK_MESSAGE(item.reason.find(item.path) != std::string::npos, item.reason);
  for (const auto& entry : fs::directory_iterator(f.inside)) {
    const std::string name = entry.path().filename();
    CAPTURE(name);
    if (name != "sub" && name != "well.txt") CHECK(f.read(name).front() == '(');
  }
  for (const std::string path : {"folder/secret.txt", "../outside/secret.txt", "/etc/hostname",
                                 "sub/../../outside/secret.txt", "", ".", "sub"})
    CHECK(f.read(path).front() == '(');
  CHECK(f.read("well.txt") == f.read("sub/a.txt"));
  const auto devices_folder = Folders::opened("/dev");
  for (const auto* name : {"zero", "full", "random", "stdin"})
    CHECK_FALSE(devices_folder->read(item_at(name), never).ok());
}

TEST_CASE("N04: what takes a file's place between listing and reading is looked at anew") {
  const Folders f;
  for (const auto* name : {"a.txt", "b.txt", "c.txt", "sub/d.txt"})
    f.folder.write(std::string("inside/") + name, "own");
  REQUIRE(f.listed().size() == 4);
  for (const auto* name : {"a.txt", "b.txt", "c.txt", "sub"}) fs::remove_all(f.inside + "/" + name);
  fs::create_symlink("../outside/secret.txt", f.inside + "/a.txt");
  REQUIRE(::mkfifo((f.inside + "/b.txt").c_str(), 0600) == 0);
  fs::create_directory(f.inside + "/c.txt");
  fs::create_directory_symlink(f.outside, f.inside + "/sub");
  f.folder.write("outside/d.txt", "planted");
  for (const auto* name : {"a.txt", "b.txt", "c.txt", "sub/d.txt"})
    CHECK(f.read(name).front() == '(');
}

TEST_CASE("N04: a root that is moved away is read no further than where it was opened") {
  const Folders f;
  f.folder.write("inside/a.txt", "own");
  fs::rename(f.inside, f.folder / "moved");
  fs::create_directory_symlink(f.outside, f.inside);
  CHECK(f.listed() == Paths{"a.txt"});
  CHECK(f.read("secret.txt") == "(not_found)");
}

TEST_CASE("N04: a file that changes while it is read is read again by the next run") {
  const Folders f;
  f.folder.write("inside/a.txt", "before");
  const std::string before = f.version("a.txt");
  f.folder.write("inside/a.txt", "afterwards");
  CHECK(f.read("a.txt") == "afterwards");
  CHECK(f.version("a.txt") != before);  // what a run remembers is what was listed
  f.folder.write("inside/a.txt", std::string(1001, 'x'));
  CHECK(f.read("a.txt") == "(too_large)");
  f.folder.write("inside/a.txt", "");
  CHECK(f.read("a.txt") == "");
}

TEST_CASE("N04: what is mounted beneath a root lies beneath it, for who administers the machine") {
  struct stat outer {}, inner {};
  if (::stat("/dev", &outer) != 0 || ::stat("/dev/shm", &inner) != 0 ||
      outer.st_dev == inner.st_dev || ::access("/dev/shm", W_OK) != 0) {
    MESSAGE("skipped: there is no other file system at /dev/shm");
    return;
  }
  const std::string name = "cairn-directory-test-" + std::to_string(::getpid());
  fs::create_directory("/dev/shm/" + name);
  std::ofstream("/dev/shm/" + name + "/a.txt") << "own";
  const auto source = Folders::opened("/dev");
  const auto listing = source->list(never);
  fs::remove_all("/dev/shm/" + name);
  REQUIRE(listing.ok());
  CHECK(std::any_of(listing->items.begin(), listing->items.end(), [&](const SourceItem& item) {
    return item.path == "shm/" + name + "/a.txt";
  }));
}

}  // namespace directory_test
