// SPDX-License-Identifier: Apache-2.0
// N04: a folder that a stranger fills, and changes between the listing and the reading.
#include "connectors/sources/files/directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "connectors/testing.h"
#include "os/files/test_folder.h"

namespace directory_test {

using namespace cairn;
using namespace cairn::connectors;
namespace fs = std::filesystem;

namespace {

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
    std::vector<std::string> paths;
    for (const SourceItem& item : all_pages(*source).items) paths.push_back(item.path);
    return paths;
  }
  std::string version(const std::string& path) const {
    for (const SourceItem& item : all_pages(*source).items)
      if (item.path == path) return item.version;
    return {};
  }
  /// The body, or the kind of the error.
  std::string read(const std::string& path) const {
    const auto documents = documents_of(*source, item_at(path));
    if (!documents.ok()) return "(" + std::string(name_of(documents.error().kind)) + ")";
    REQUIRE(documents->size() == 1);
    CHECK(documents->front().body.find("planted") == std::string::npos);
    return documents->front().body;
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
  link("sub", "within");  // is not in the way of anything, and is left out by name
  link("sub/..", "itself.txt");
  REQUIRE(::mkfifo((f.inside + "/pipe.txt").c_str(), 0600) == 0);
  const bool devices = ::mknod((f.inside + "/null.txt").c_str(), S_IFCHR | 0600, ::makedev(1, 5)) ==
                       0;  // for an administrator alone
  const SourcePage listing = all_pages(*f.source);
  CHECK(f.listed() == Paths{"sub/a.txt"});
  Paths unreadable, out;
  for (const UnreadableItem& item : listing.unreadable) unreadable.push_back(item.path);
  Paths wanted{"dangling.txt", "loop.txt"};
  if (devices) wanted.push_back("null.txt");
  wanted.push_back("pipe.txt");
  CHECK(unreadable == wanted);
  for (const UnreadableItem& item : listing.left_out) {
    const bool within = item.path == "within" || item.path == "itself.txt";
    CHECK(item.reason == (within ? "it is a link to a folder, which is not followed"
                                 : "it is a link out of the folder, which is not followed"));
    if (!within) out.push_back(item.path);
  }
  CHECK(out == Paths{"absolute.txt", "chain-1.txt", "chain-2.txt", "environ.txt", "folder",
                     "folder.txt", "relative.txt", "winding.txt", "zero.txt"});
  CHECK(listing.left_out.size() == 11);
  CHECK(listing.skipped == 12);  // and well.txt, whose file stands there under its own name
  for (const UnreadableItem& item : listing.unreadable)
    CHECK_MESSAGE(item.reason.find(item.path) != std::string::npos, item.reason);
  for (const auto& entry : fs::directory_iterator(f.inside)) {
    const std::string name = entry.path().filename();
    CAPTURE(name);
    if (name != "sub" && name != "well.txt") CHECK(f.read(name).front() == '(');
  }
  for (const std::string path :
       {"folder/secret.txt", "itself.txt/folder/secret.txt", "../outside/secret.txt",
        "/etc/hostname", "sub/../../outside/secret.txt", "", ".", "sub"})
    CHECK(f.read(path).front() == '(');
  CHECK(f.read("well.txt") == f.read("sub/a.txt"));
  const auto devices_folder = Folders::opened("/dev");
  for (const auto* name : {"zero", "full", "random", "stdin"})
    CHECK_FALSE(documents_of(*devices_folder, item_at(name)).ok());
}

TEST_CASE("directory: pages go folder by folder, by name, and links to other files come last") {
  const Folders f;
  for (int number = 1000; number < 2400; ++number)
    f.folder.write("inside/b/" + std::to_string(number) + ".txt", "own");
  for (const auto* name : {"b-c/one.txt", "a.txt", "c.txt", ".hidden.txt"})
    f.folder.write(std::string("inside/") + name, "four");
  fs::create_symlink("b/2399.txt", f.inside + "/a-link.txt");    // its file comes later
  fs::create_symlink(".hidden.txt", f.inside + "/a-shown.txt");  // its file does not
  const os::Deadline deadline = os::Deadline::in_ms(60'000);
  const auto walk = f.source->walk("", deadline);
  REQUIRE(walk.ok());
  fs::remove(f.inside + "/c.txt");  // was counted
  Paths paths;
  std::size_t pages = 0, skipped = 0;
  for (bool last = false; !last; ++pages) {
    const auto page = (*walk)->next(deadline);
    REQUIRE(page.ok());
    CHECK(page->items.size() <= 1000);
    CHECK(page->total == (page->last ? paths.size() + page->items.size() : 1403));
    CHECK(page->total_bytes == 1400 * 3 + 3 * 4);
    for (const auto& item : page->items) paths.push_back(item.path);
    skipped += page->skipped;
    last = page->last;
  }
  CHECK(pages == 2);
  CHECK(skipped == 2);  // the link and the hidden file
  REQUIRE(paths.size() == 1403);
  CHECK(paths[0] == "a.txt");
  CHECK(paths[1] == "b/1000.txt");
  CHECK(paths[1400] == "b/2399.txt");
  CHECK(paths[1401] == "b-c/one.txt");
  CHECK(paths[1402] == "a-shown.txt");
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
  struct stat outer {
  }, inner{};
  if (::stat("/dev", &outer) != 0 || ::stat("/dev/shm", &inner) != 0 ||
      outer.st_dev == inner.st_dev || ::access("/dev/shm", W_OK) != 0) {
    MESSAGE("skipped: there is no other file system at /dev/shm");
    return;
  }
  const std::string name = "cairn-directory-test-" + std::to_string(::getpid());
  fs::create_directory("/dev/shm/" + name);
  std::ofstream("/dev/shm/" + name + "/a.txt") << "own";
  const auto source = Folders::opened("/dev");
  const SourcePage listing = all_pages(*source);
  fs::remove_all("/dev/shm/" + name);
  CHECK(std::any_of(listing.items.begin(), listing.items.end(),
                    [&](const SourceItem& item) { return item.path == "shm/" + name + "/a.txt"; }));
}

}  // namespace directory_test
