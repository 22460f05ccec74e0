// SPDX-License-Identifier: Apache-2.0
#include "stores/registered_folder.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "os/files/test_folder.h"
#include "stores/folder_store.h"

using namespace cairn;
using namespace cairn::stores;

namespace {

const os::Deadline patient = os::Deadline::never();

template <class T>
void check_gone(const Result<T>& status, const std::string& folder) {
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::unavailable);
  CHECK(status.error().code == "repository_exception");
  CHECK(status.error().message.find("[" + folder + "]") != std::string::npos);
}

}  // namespace

TEST_CASE("registered folder: one that is gone is an error, is not made, and may come back") {
  const os::TestFolder disk;
  const std::string folder = disk / "mnt/backups";
  REQUIRE(folder_store(folder).ok());
  const auto store = registered_folder(folder);
  REQUIRE(store->put("index-0", "here", patient).ok());

  std::filesystem::rename(disk / "mnt", disk / "away");
  for (const bool empty_folder : {false, true}) {
    CAPTURE(empty_folder);
    if (empty_folder) std::filesystem::create_directories(folder);
    check_gone(store->list({}, patient), folder);
    check_gone(store->get("index-0", patient), folder);
    check_gone(store->head("index-0", patient), folder);
    check_gone(store->put("index-1", "x", patient), folder);
    check_gone(store->begin_upload("index-1", patient), folder);
    check_gone(store->copy("index-0", "index-1", patient), folder);
    check_gone(store->remove("index-0", patient), folder);
    check_gone(store->remove_batch({"index-0"}, patient), folder);
    CHECK(std::filesystem::exists(folder) == empty_folder);
    if (empty_folder) CHECK(std::filesystem::is_empty(folder));
  }
  check_gone(registered_folder(folder)->list({}, patient), folder);

  std::filesystem::remove_all(disk / "mnt");
  std::filesystem::rename(disk / "away", disk / "mnt");
  CHECK(store->get("index-0", patient)->bytes == "here");
}

TEST_CASE("registered folder: another store under its name is the one that is used") {
  const os::TestFolder disk;
  const std::string folder = disk / "backups";
  REQUIRE(folder_store(folder).ok());
  const auto store = registered_folder(folder);
  REQUIRE(store->put("index-0", "first disk", patient).ok());
  auto upload = store->begin_upload("late", patient);
  REQUIRE(upload.ok());

  std::filesystem::rename(folder, disk / "first");
  REQUIRE((*folder_store(folder))->put("index-0", "second disk", patient).ok());
  CHECK(store->get("index-0", patient)->bytes == "second disk");
  REQUIRE((*upload)->write("to the first").ok());
  CHECK((*upload)->finish({}).ok());
  CHECK_FALSE(store->head("late", patient)->has_value());
  CHECK((*folder_store(disk / "first"))->head("late", patient)->has_value());
}
