// SPDX-License-Identifier: Apache-2.0
// Models in a store: import once, again after a cut, checked on the way in and out.
#include "inference/model/model_store.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "os/fake/fake_files.h"
#include "store/memory_store.h"

namespace cairn::inference::model_store_test {
namespace {

const os::Deadline never = os::Deadline::never();

class Folder {
 public:
  Folder() {
    REQUIRE(files_.make_directories("/models/m").ok());
    put("config.json", "{}");
    put("weights", "1234");
    put_sums();
  }
  void put(const std::string& name, std::string_view bytes) {
    REQUIRE(os::replace_file(files_, "/models/m/" + name, bytes).ok());
  }
  void put_sums() {
    std::string sums;
    for (const auto* name : {"config.json", "weights"}) {
      const auto bytes = os::read_file(files_, std::string("/models/m/") + name, 1000);
      REQUIRE(bytes.ok());
      sums += to_hex(sha256(*bytes)) + "  " + name + "\n";
    }
    put("SHA256SUMS", sums);
  }
  os::Files& files() { return files_; }

 private:
  os::FakeFiles files_;
};

TEST_CASE("model store: a folder is imported once, then read from the store") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  CHECK(*models.import_folder("m", folder.files(), "/models/m", never));
  CHECK_FALSE(*models.import_folder("m", folder.files(), "/models/m", never));
  const auto files = models.open("m", never);
  REQUIRE(files.ok());
  CHECK(files->model_id == "m");
  CHECK(*files->read("weights") == "1234");
  CHECK(files->read("other").error().kind == ErrorKind::not_found);
  CHECK(*models.list(never) == std::vector<std::string>{"m"});
}

TEST_CASE("model store: a changed folder is imported anew") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  folder.put("weights", "5678");
  folder.put_sums();
  CHECK(*models.import_folder("m", folder.files(), "/models/m", never));
  CHECK(*models.open("m", never)->read("weights") == "5678");
}

TEST_CASE("model store: a file that a changed folder no longer has is gone") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(store->put("m/modules.json", "of an earlier one", never).ok());
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  CHECK(models.open("m", never)->read("modules.json").error().kind == ErrorKind::not_found);
  CHECK_FALSE(*store->head("m/modules.json", never));
}

TEST_CASE("model store: a file that the sums do not name is none of the model") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  REQUIRE(store->put("m/modules.json", "put beside", never).ok());
  CHECK(models.open("m", never)->read("modules.json").error().kind == ErrorKind::not_found);
}

TEST_CASE("model store: pieces of ended and of forgotten imports go") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  REQUIRE(store->put(".incoming/m/a.0", "left by a crash", never).ok());
  REQUIRE(store->put(".incoming/n/b.0", "under way", never).ok());
  const std::int64_t put_ms = (*store->head(".incoming/n/b.0", never))->modified_ms;
  REQUIRE(models.remove_leftovers(put_ms, never).ok());
  CHECK_FALSE(*store->head(".incoming/m/a.0", never));
  CHECK(*store->head(".incoming/n/b.0", never));
  CHECK(*models.list(never) == std::vector<std::string>{"m"});
  REQUIRE(models.remove_leftovers(put_ms + 1, never).ok());
  CHECK_FALSE(*store->head(".incoming/n/b.0", never));
}

TEST_CASE("model store: an import that was cut is done again") {
  Folder folder;
  int puts = 0;
  const auto store = store::memory_store({.before = [&](std::string_view call, std::string_view) {
    if (call == "put" && ++puts == 2) {
      return Status(Error{.kind = ErrorKind::unavailable, .message = "cut"});
    }
    return ok_status();
  }});
  const ModelStore models(*store);
  CHECK(models.import_folder("m", folder.files(), "/models/m", never).error().kind ==
        ErrorKind::unavailable);
  CHECK(*models.import_folder("m", folder.files(), "/models/m", never));
  CHECK(*models.open("m", never)->read("weights") == "1234");
}

TEST_CASE("M06: an import compares every digest before the name of the model can be seen") {
  Folder folder;
  folder.put("weights", "12345");  // not what its sum says
  std::vector<std::string> puts;
  const auto store = store::memory_store({.before = [&](std::string_view call,
                                                        std::string_view key) {
    if (call == "put") puts.emplace_back(key);
    return ok_status();
  }});
  const ModelStore models(*store);
  CHECK(models.import_folder("m", folder.files(), "/models/m", never).error().kind ==
        ErrorKind::corrupt);
  CHECK(puts.empty());
  CHECK(models.list(never)->empty());
  CHECK(models.open("m", never).error().kind == ErrorKind::not_found);
  folder.put("weights", "1234");
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  CHECK(puts == std::vector<std::string>{"m/weights", "m/config.json", "m/SHA256SUMS"});
}

TEST_CASE("M06: a first import that is cut anywhere leaves no model, or a whole one") {
  for (int cut_at = 1; cut_at <= 3; ++cut_at) {
    CAPTURE(cut_at);
    Folder folder;
    int puts = 0;
    const auto store = store::memory_store({.before = [&](std::string_view call, std::string_view) {
      if (call == "put" && ++puts == cut_at)
        return Status(Error{.kind = ErrorKind::unavailable, .message = "cut"});
      return ok_status();
    }});
    const ModelStore models(*store);
    CHECK_FALSE(models.import_folder("m", folder.files(), "/models/m", never).ok());
    const auto files = models.open("m", never);
    CHECK(files.ok() == (cut_at == 3));
    if (files.ok()) CHECK(*files->read("weights") == "1234");
    CHECK(*models.import_folder("m", folder.files(), "/models/m", never));
    CHECK(*models.open("m", never)->read("weights") == "1234");
  }
}

TEST_CASE("model store: files that do not match their sums are refused") {
  Folder folder;
  const auto store = store::memory_store();
  const ModelStore models(*store);
  folder.put("weights", "12345");
  CHECK(models.import_folder("m", folder.files(), "/models/m", never).error().kind ==
        ErrorKind::corrupt);
  CHECK(files_of_folder(folder.files(), "m", "/models/m").read("weights").error().kind ==
        ErrorKind::corrupt);
  folder.put("weights", "1234");
  REQUIRE(models.import_folder("m", folder.files(), "/models/m", never).ok());
  REQUIRE(store->put("m/weights", "1235", never).ok());
  CHECK(models.open("m", never)->read("weights").error().message ==
        "file [weights] does not match SHA256SUMS");
}

TEST_CASE("model store: a model that was put as objects needs no sums") {
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(store->put("own/config.json", "{}", never).ok());
  REQUIRE(store->put("other/file", "x", never).ok());
  CHECK(*models.open("own", never)->read("config.json") == "{}");
  CHECK(*models.list(never) == std::vector<std::string>{"own"});
  const auto missing = models.open("other", never);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message == "No known trained model with model_id [other]");
  CHECK(models.open("a/b", never).error().kind == ErrorKind::invalid_argument);
  CHECK(models.open("", never).error().kind == ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace cairn::inference::model_store_test
