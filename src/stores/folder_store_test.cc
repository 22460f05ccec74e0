// SPDX-License-Identifier: Apache-2.0
#include "stores/folder_store.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <random>

#include "os/fake/fake_files.h"
#include "os/files/test_folder.h"
#include "os/random.h"
#include "store/store_contract.h"
#include "stores/key_names.h"

using namespace cairn;
using namespace cairn::stores;

namespace {

const os::Deadline never = os::Deadline::never();

std::unique_ptr<store::Store> must_open(const std::string& folder) {
  auto store = folder_store(folder);
  REQUIRE_MESSAGE(store.ok(), store.error().message);
  return std::move(*store);
}

}  // namespace

TEST_CASE("key names: every key has a path of its own, and comes back from its names") {
  const auto random = os::seeded_random(7);
  const std::string letters("ab/.%+~\0\xff", 9);
  std::map<std::string, std::string> seen;
  for (int i = 0; i < 20'000; ++i) {
    std::string key;
    const std::uint64_t length = 1 + (i % 10 == 0 ? random->below(400) : random->below(8));
    const bool slashes = random->below(4) != 0;
    while (key.size() < length) {
      const char c = letters[random->below(letters.size())];
      if (c != '/' || slashes) key += c;
    }
    const std::string path = path_of_key(key);
    const auto [at, is_new] = seen.emplace(path, key);
    CHECK(at->second == key);
    std::string back;
    std::size_t begin = 0;
    while (begin <= path.size()) {
      std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string name = path.substr(begin, end - begin);
      CHECK(name.size() <= 241);
      CHECK(!name.starts_with('.'));
      const auto part = key_of_name(name);
      REQUIRE(part.has_value());
      CHECK(part->is_file == (end == path.size()));
      back += part->text;
      begin = end + 1;
    }
    CHECK(back == key);
  }
  CHECK(path_of_key("indices/abc/0/__x-1.dat") == "indices+/abc+/0+/__x-1.dat");
  CHECK(path_of_key("../etc/passwd") == "%2E.+/etc+/passwd");
  CHECK(path_of_key("a//b/") == "a+/%+/b+/%");
  for (const char* strange : {"", "a b", "%61", "a+b", ".x", "%", "%zz", "x~"})
    CHECK(key_of_name(strange).has_value() == (std::string(strange) == "%"));
}

TEST_CASE("folder store: keeps the contract of a store") {
  const os::TestFolder folder;
  const auto store = must_open(folder / "deep/repository");
  store::check_store_contract(*store, std::random_device{}(), 300);
  CHECK(os::system_files().list(folder / "deep/repository")->size() == 1);  // its own only
}

TEST_CASE("folder store: keeps the contract in memory too, with many more calls") {
  os::FakeFiles files;
  auto store = folder_store(files, "/repo");
  REQUIRE(store.ok());
  store::check_store_contract(**store, std::random_device{}(), 5000);
}

TEST_CASE("folder store: two openings of one folder lose no conditional change") {
  const os::TestFolder folder;
  const auto first = must_open(folder.path);
  const auto second = must_open(folder.path);
  REQUIRE(first->put("n", "0", never).ok());
  std::vector<std::thread> crew;
  for (store::Store* store : {first.get(), second.get(), first.get(), second.get()}) {
    crew.emplace_back([store] {
      for (int done = 0; done < 10;) {
        const auto now = store->get("n", never);
        if (!now.ok()) return;
        const std::string next = std::to_string(std::stoi(now->bytes) + 1);
        if (store->put("n", next, never, {.if_match = now->info.etag}).ok()) ++done;
      }
    });
  }
  for (auto& thread : crew) thread.join();
  CHECK(second->get("n", never)->bytes == "40");
}

TEST_CASE("folder store: no key and no link leads out of the folder") {
  const os::TestFolder folder;
  const os::TestFolder outside;
  const auto store = must_open(folder.path);
  for (const char* key : {"../out", "/etc/passwd", "a/../../out", "./x", ".cairn-store/lock"}) {
    REQUIRE(store->put(key, "inside", never).ok());
    CHECK(store->get(key, never)->bytes == "inside");
  }
  CHECK(os::system_files().list(outside.path)->empty());
  CHECK(os::system_files().info(folder / "../out").ok() == false);

  REQUIRE(::symlink(outside.path.c_str(), (folder / "link+").c_str()) == 0);
  REQUIRE(os::replace_file(outside / "secret", "s", 0600).ok());
  REQUIRE(::symlink((outside / "secret").c_str(), (folder / "direct").c_str()) == 0);
  CHECK(store->get("link/secret", never).error().kind == ErrorKind::permission_denied);
  CHECK(store->get("direct", never).error().kind == ErrorKind::permission_denied);
  CHECK(store->put("link/new", "x", never).error().kind == ErrorKind::permission_denied);
  CHECK_FALSE(store->remove("link/secret", never).ok());
  CHECK(os::system_files().list(outside.path)->size() == 1);
}

TEST_CASE("folder store: files of others are neither listed nor in the way") {
  os::FakeFiles files;
  auto store = folder_store(files, "/repo");
  REQUIRE(os::replace_file(files, "/repo/notes (old).txt", "x").ok());
  REQUIRE(files.make_directories("/repo/plain").ok());
  REQUIRE((*store)->put("a", "1", never).ok());
  const auto page = (*store)->list({}, never);
  REQUIRE(page.ok());
  CHECK(page->objects.size() == 1);
  CHECK(files.info("/repo/notes (old).txt").ok());
}

TEST_CASE("folder store: a full disk is storage_full, and what was there stays") {
  os::FakeFiles files;
  auto store = folder_store(files, "/repo");
  REQUIRE((*store)->put("a", std::string(5000, 'a'), never).ok());
  files.set_capacity(files.used_bytes() + 1000);
  CHECK((*store)->put("b", std::string(5000, 'b'), never).error().kind == ErrorKind::storage_full);
  CHECK((*store)->put("a", std::string(5000, 'c'), never).error().kind == ErrorKind::storage_full);
  CHECK((*store)->get("a", never)->bytes == std::string(5000, 'a'));
  REQUIRE((*store)->remove("a", never).ok());
  CHECK((*store)->put("b", std::string(5000, 'b'), never).ok());
}

// The power fails at every call in turn of a little history. Afterwards each key holds what was
// acknowledged last, or what the one call that was cut wanted.
TEST_CASE("folder store: cut at every call, nothing acknowledged is lost") {
  using Step = std::function<Status(store::Store&, std::map<std::string, std::string>&)>;
  const auto put = [](std::string key, std::string value) -> Step {
    return [=](store::Store& store, std::map<std::string, std::string>& model) -> Status {
      CAIRN_CHECK(store.put(key, value, never));
      model[key] = value;
      return ok_status();
    };
  };
  const auto remove = [](std::string key) -> Step {
    return [=](store::Store& store, std::map<std::string, std::string>& model) -> Status {
      CAIRN_CHECK(store.remove(key, never));
      model.erase(key);
      return ok_status();
    };
  };
  const std::vector<Step> history = {put("d/a", "1"), put("d/e/b", "2"), put("d/a", "3"),
                                     remove("d/e/b"), put("d/e/b", "4"), remove("d/a")};
  for (const auto keeps : {os::CrashKeeps::nothing, os::CrashKeeps::random}) {
    bool was_cut = true;
    for (std::uint64_t call = 1; was_cut; ++call) {
      os::FakeFiles files;
      REQUIRE(folder_store(files, "/repo").ok());
      files.crash(os::CrashKeeps::nothing);  // the folder itself is durable; counting starts here
      files.cut_at(call);
      std::map<std::string, std::string> before;
      std::map<std::string, std::string> after;
      if (auto store = folder_store(files, "/repo"); store.ok()) {
        for (const Step& step : history) {
          after = before;
          if (!step(**store, after).ok()) {
            // What the cut call wanted: run it on the model alone, through a store that works.
            os::FakeFiles other;
            auto working = folder_store(other, "/repo");
            for (const auto& [key, value] : before)
              REQUIRE((*working)->put(key, value, never).ok());
            REQUIRE(step(**working, after).ok());
            break;
          }
          before = after;
        }
      }
      was_cut = files.is_cut();
      files.crash(keeps, call);
      auto store = folder_store(files, "/repo");
      REQUIRE(store.ok());
      std::map<std::string, std::string> now;
      const auto page = (*store)->list({}, never);
      REQUIRE(page.ok());
      for (const auto& info : page->objects) now[info.key] = (*store)->get(info.key, never)->bytes;
      CHECK_MESSAGE((now == before || now == after), "cut at call " << call);
    }
  }
}
