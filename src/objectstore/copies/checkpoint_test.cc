// SPDX-License-Identifier: Apache-2.0
// A copy of a running engine is the engine of one moment, whatever is written meanwhile.
#include "objectstore/copies/checkpoint.h"

#include <atomic>
#include <map>
#include <thread>

#include "base/sanitized.h"
#include "objectstore/copies/folder_restore.h"
#include "objectstore/engine_rig_test.h"
#include "os/threads/thread.h"

namespace cairn::objectstore {
namespace {

using namespace testing;  // NOLINT

/// Gives `bytes` in pieces.
NextBytes in_pieces(std::string bytes) {
  return [bytes = std::move(bytes), at = std::size_t{0}]() mutable -> Result<std::string> {
    std::string piece = bytes.substr(at, 1000);
    at += piece.size();
    return piece;
  };
}

std::string extent_of(const Checkpoint& checkpoint, std::uint64_t id) {
  std::string all;
  must(checkpoint.read_extent(id, [&](std::string_view bytes) {
    all += bytes;
    return ok_status();
  }));
  CHECK(all.size() == must(checkpoint.extent_bytes(id)));
  return all;
}

std::unique_ptr<FolderRestore> begin(os::Files& files, const std::string& name = "one") {
  return must(FolderRestore::begin(files, "/copy", name));
}

void copy_metadata(Checkpoint& checkpoint, FolderRestore& folder) {
  for (const auto& file : checkpoint.metadata_files())
    must(folder.put_metadata_file(file.name,
                                  in_pieces(must(checkpoint.read_metadata(file, 0, 64 << 20)))));
}

void copy_all(Checkpoint& checkpoint, os::Files& files) {
  const auto folder = begin(files);
  copy_metadata(checkpoint, *folder);
  checkpoint.release_metadata();
  for (const std::uint64_t id : checkpoint.extents()) {
    const std::string body = extent_of(checkpoint, id);
    must(folder->put_extent(id, body.size(), in_pieces(body)));
  }
  must(folder->finish(checkpoint.format(), checkpoint.starts()));
}

EngineOptions copied(const EngineRig& rig) {
  EngineOptions options = rig.options;
  options.data_dir = "/copy";
  return options;
}

std::map<std::string, std::string> all_of(Engine& engine) {
  std::map<std::string, std::string> out;
  for (const auto& object : must(engine.list("bucket", {}, never)).objects) {
    const auto reader = must(engine.get({"bucket", object.key}, {}, never));
    out[object.key] = EngineRig::read(*reader);
  }
  return out;
}

TEST_CASE("checkpoint: a copy is the engine of one moment") {
  EngineRig rig;
  rig.put("small", "in a row");
  rig.put("large", bytes_of(200'000, 1));
  rig.put("gone", bytes_of(100'000, 2));
  rig.put("changed", bytes_of(70'000, 3));
  const auto before = all_of(*rig.engine);
  const auto checkpoint = must(rig.engine->checkpoint());
  must(rig.engine->remove({"bucket", "gone"}, never));
  rig.put("changed", bytes_of(80'000, 4));
  rig.put("later", bytes_of(90'000, 5));
  rig.put("small", "other bytes");
  copy_all(*checkpoint, rig.files);
  const auto copy = must(Engine::open(copied(rig)));
  CHECK(all_of(*copy) == before);
  // It goes on as an engine of its own.
  must(copy->put({"bucket", "new"}, bytes_of(100'000, 6), {}, never));
  CHECK(must(copy->checkpoint())->database_id() != checkpoint->database_id());
  CHECK(all_of(*rig.engine).count("gone") == 0);
}

TEST_CASE("checkpoint: what is deleted meanwhile stays until it ends") {
  EngineRig rig;
  rig.put("a", bytes_of(100'000));
  auto checkpoint = must(rig.engine->checkpoint());
  const std::uint64_t id = checkpoint->extents().at(0);
  must(rig.engine->remove({"bucket", "a"}, never));
  CHECK_FALSE(rig.engine->wait_collected(os::Deadline::in_ms(50)).ok());
  CHECK(extent_of(*checkpoint, id) == bytes_of(100'000));
  CHECK(checkpoint->check().ok());
  checkpoint.reset();
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("checkpoint: it gives way where the disk is full") {
  EngineRig rig;
  rig.put("a", bytes_of(100'000));
  const auto checkpoint = must(rig.engine->checkpoint());
  must(rig.engine->remove({"bucket", "a"}, never));
  rig.files.set_capacity(rig.files.used_bytes() + 1000);
  CHECK(rig.extent_files() == 0);
  CHECK(outcome(checkpoint->check()) == "storage_full");
}

TEST_CASE("checkpoint: files that a reopened database may remove are not read") {
  EngineRig rig;
  rig.put("a", "1");
  const auto checkpoint = must(rig.engine->checkpoint());
  must(rig.engine->core().kv().recover());
  CHECK(outcome(checkpoint->read_metadata(checkpoint->metadata_files().at(0), 0, 10)) ==
        "unavailable");
  // A new one finds all.
  copy_all(*must(rig.engine->checkpoint()), rig.files);
  CHECK(all_of(*must(Engine::open(copied(rig)))).size() == 1);
}

TEST_CASE("checkpoint: one writer's order holds in a copy") {
  EngineRig rig;
  std::atomic<bool> ends{false};
  std::atomic<int> written{0};
  {
    const auto writer = must(os::Thread::start({.name = "writes"}, [&] {
      for (int i = 1; !ends; ++i) {
        const std::string body = bytes_of(i % 3 == 0 ? 70'000 : 10, static_cast<std::uint64_t>(i));
        must(rig.engine->put({"bucket", "first"}, std::to_string(i) + " " + body, {}, never));
        must(rig.engine->put({"bucket", "second"}, std::to_string(i) + " " + body, {}, never));
        written = i;
      }
    }));
    while (written < 20) std::this_thread::yield();
    copy_all(*must(rig.engine->checkpoint()), rig.files);
    ends = true;
  }
  const auto all = all_of(*must(Engine::open(copied(rig))));
  const int first = std::stoi(all.at("first"));
  const int second = std::stoi(all.at("second"));
  CHECK(second >= 20);
  CHECK((first == second || first == second + 1));
}

TEST_CASE("folder restore: nothing opens a folder before the end") {
  EngineRig rig;
  rig.put("a", bytes_of(100'000));
  const auto checkpoint = must(rig.engine->checkpoint());
  {
    const auto folder = begin(rig.files);
    copy_metadata(*checkpoint, *folder);
  }
  const auto opened = Engine::open(copied(rig));
  CHECK(outcome(opened) == "conflict");
  CHECK(opened.error().message.find("run the same cairn backup restore again") !=
        std::string::npos);
  CHECK(outcome(FolderRestore::begin(rig.files, "/copy", "another")) == "conflict");
  copy_all(*checkpoint, rig.files);  // goes on
  CHECK(all_of(*must(Engine::open(copied(rig)))).size() == 1);
  CHECK(outcome(FolderRestore::begin(rig.files, "/copy", "one")) == "conflict");
}

TEST_CASE("folder restore: a crash at any step leaves what begin() goes on with") {
  EngineRig rig;
  rig.put("a", bytes_of(100'000));
  rig.put("b", "small");
  const auto before = all_of(*rig.engine);
  const auto checkpoint = must(rig.engine->checkpoint());
  std::map<std::string, std::string> metadata;
  for (const auto& file : checkpoint->metadata_files())
    metadata[file.name] = must(checkpoint->read_metadata(file, 0, 64 << 20));
  const std::uint64_t id = checkpoint->extents().at(0);
  const std::string body = extent_of(*checkpoint, id);
  const auto restore = [&](os::Files& files) -> Status {
    CAIRN_TRY(const auto folder, FolderRestore::begin(files, "/copy", "one"));
    CAIRN_CHECK(folder->put_extent(id, body.size(), in_pieces(body)));
    for (const auto& [name, bytes] : metadata)
      CAIRN_CHECK(folder->put_metadata_file(name, in_pieces(bytes)));
    return folder->finish(checkpoint->format(), checkpoint->starts());
  };
  for (std::uint64_t step = 1;; step += sanitized ? 5 : 1) {
    os::FakeFiles files;
    files.cut_at(step);
    const bool cut = !restore(files).ok();
    files.crash();
    EngineOptions options = copied(rig);
    options.files = &files;
    if (cut) {
      const Status again = restore(files);  // or it had ended before
      CHECK((again.ok() || outcome(again) == "conflict"));
    }
    CHECK(all_of(*must(Engine::open(options))) == before);
    if (!cut) break;
  }
}

TEST_CASE("folder restore: a folder with other files is left alone") {
  os::FakeFiles files;
  must(files.make_directories("/copy"));
  must(os::replace_file(files, "/copy/letter.txt", "dear"));
  CHECK(outcome(FolderRestore::begin(files, "/copy", "one")) == "conflict");
  CHECK(must(files.list("/copy")).size() <= 2);
}

TEST_CASE("folder restore: paths stay in the folder") {
  os::FakeFiles files;
  const auto folder = begin(files);
  for (const char* path : {"../x", "keys/../../x", "/etc/x", "VERSION", "objects/meta/CURRENT",
                           "tmp/x", "keys//x", ""})
    CHECK(outcome(folder->put_file(path, false, in_pieces("x"))) == "invalid_argument");
  CHECK(folder->put_file("audit/a.ndjson", false, in_pieces("x")).ok());
  for (const char* name : {"", "../x", ".x", "a/b"})
    CHECK(outcome(folder->put_metadata_file(name, in_pieces("x"))) == "corrupt");
  CHECK(outcome(folder->put_extent(1, 10, in_pieces("short"))) == "corrupt");
}

}  // namespace
}  // namespace cairn::objectstore
