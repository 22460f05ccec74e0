// SPDX-License-Identifier: Apache-2.0
// kill -9 at random moments of many writes, round after round on one folder: what was acknowledged
// is there, nothing half-written is visible, and abandoned space is reclaimed.
// CAIRN_ROUNDS (5) says how often, CAIRN_SEED which moments.
#include <doctest/doctest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "crash_ops.h"
#include "objectstore/core/core.h"
#include "objectstore/engine_store.h"
#include "os/files/test_folder.h"
#include "stores/folder_store.h"

extern char** environ;

using namespace cairn;

namespace {

constexpr int writers = 4;
using Objects = std::map<std::string, std::string>;

std::uint64_t number_of(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// Runs the child, kills it `after_ms` after it became ready (or earlier, while it starts), and
/// gives how many writes of each writer were acknowledged.
std::vector<std::uint64_t> run_and_kill(const std::string& kind, const std::string& directory,
                                        std::uint64_t seed, std::uint64_t after_ms,
                                        bool while_starting) {
  int out[2];
  REQUIRE(::pipe(out) == 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, out[0]);
  const std::string seed_text = std::to_string(seed);
  const std::string writers_text = std::to_string(writers);
  const char* arguments[] = {CAIRN_CRASH_CHILD, kind.c_str(),         directory.c_str(),
                             seed_text.c_str(), writers_text.c_str(), nullptr};
  pid_t child = 0;
  REQUIRE(::posix_spawn(&child, CAIRN_CRASH_CHILD, &actions, nullptr, const_cast<char**>(arguments),
                        environ) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);

  std::string text;
  char bytes[4096];
  const auto read_more = [&] {
    const ssize_t n = ::read(out[0], bytes, sizeof bytes);
    if (n > 0) text.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  };
  std::thread killer;
  const auto kill_later = [&] {
    killer = std::thread([&] {
      ::usleep(static_cast<useconds_t>(after_ms * 1000));
      ::kill(child, SIGKILL);
    });
  };
  if (while_starting) kill_later();
  while (read_more()) {
    if (!killer.joinable() && text.starts_with("ready\n")) kill_later();
  }
  if (killer.joinable()) killer.join();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  ::close(out[0]);
  REQUIRE_MESSAGE(WIFSIGNALED(status), "the child ended by itself, see above");

  std::vector<std::uint64_t> acknowledged(writers, 0);
  std::size_t at = text.starts_with("ready\n") ? 6 : text.size();
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    const auto writer = static_cast<std::size_t>(std::stoi(line));
    const std::uint64_t number = std::stoull(line.substr(line.find(' ') + 1));
    REQUIRE(number == acknowledged.at(writer));
    acknowledged[writer] = number + 1;
  }
  return acknowledged;
}

Objects content_of(store::Store& store, const std::string& prefix) {
  const auto never = os::Deadline::never();
  Objects objects;
  const auto read = [&](const store::ObjectInfo& info) -> Status {
    CAIRN_TRY(store::Object object, store.get(info.key, never));
    objects[info.key] = std::move(object.bytes);
    return ok_status();
  };
  const Status done = store::for_each_object(store, prefix, never, read);
  REQUIRE_MESSAGE(done.ok(), done.error().message);
  return objects;
}

/// The op of that number, on a map.
void apply_op(Objects& objects, const std::string& kind, std::uint64_t seed, int writer,
              std::uint64_t number) {
  if (kind == "objects")
    fault::apply(objects, fault::object_op_of(seed, writer, number));
  else
    fault::apply(objects, fault::op_of(seed, writer, number));
}

/// Each writer's keys hold what its acknowledged writes left, or that and the one write more that
/// was cut. What they hold is the start of the next round.
void check(const std::string& kind, store::Store& store, Objects& model, std::uint64_t seed,
           const std::vector<std::uint64_t>& acknowledged) {
  Objects found;
  for (int writer = 0; writer < writers; ++writer) {
    const std::string prefix = "w" + std::to_string(writer) + "/";
    Objects want;
    for (const auto& [key, body] : model)
      if (key.starts_with(prefix)) want.emplace(key, body);
    const std::uint64_t count = acknowledged[static_cast<std::size_t>(writer)];
    for (std::uint64_t number = 0; number < count; ++number)
      apply_op(want, kind, seed, writer, number);
    Objects one_more = want;
    apply_op(one_more, kind, seed, writer, count);
    Objects now = content_of(store, prefix);
    CHECK_MESSAGE((now == want || now == one_more),
                  "writer " << writer << " after " << count << " acknowledged writes");
    found.merge(now);
  }
  model = std::move(found);
}

/// Uploads that were cut are still there, with their parts; ending them frees those.
void abort_uploads(objectstore::Engine& engine, const std::string& bucket) {
  const auto never = os::Deadline::never();
  const auto page = engine.uploads().list(bucket, {}, never);
  REQUIRE(page.ok());
  for (const auto& upload : page->uploads)
    REQUIRE(engine.uploads().abort({bucket, upload.key}, upload.upload_id, never).ok());
}

/// Every extent file belongs to an object, and nothing lies in tmp.
void check_space(objectstore::Engine& engine, const std::string& bucket_name, store::Store& store,
                 const std::string& directory) {
  REQUIRE(engine.wait_collected(os::Deadline::in_ms(60'000)).ok());
  auto& core = engine.core();
  std::set<std::uint64_t> files;
  REQUIRE(core.extents().for_each([&](std::uint64_t id) { return files.insert(id).second; }).ok());
  const auto bucket = core.find_bucket(bucket_name);
  std::set<std::uint64_t> used;
  for (const auto& [key, body] : content_of(store, "")) {
    const auto record = core.find(**bucket, key);
    for (const auto& extent : (*record)->extents) used.insert(extent.id);
  }
  CHECK(files == used);
  CHECK(os::system_files().list(directory + "/tmp")->empty());
}

void rounds_of(const std::string& kind) {
  const std::uint64_t rounds = number_of("CAIRN_ROUNDS", 5);
  const std::uint64_t seed = number_of("CAIRN_SEED", os::system_random().below(1'000'000));
  MESSAGE("CAIRN_SEED=" << seed << " CAIRN_ROUNDS=" << rounds);
  const os::TestFolder folder;
  const std::string& directory = folder.path;
  const auto random = os::seeded_random(seed);
  Objects model;
  std::uint64_t writes = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::uint64_t round_seed = random->below(1ull << 40);
    const bool while_starting = random->below(5) == 0;
    const std::uint64_t after_ms = random->below(while_starting ? 30 : 500);
    const auto acknowledged = run_and_kill(kind, directory, round_seed, after_ms, while_starting);
    for (const std::uint64_t count : acknowledged) writes += count;
    if (kind == "folder") {
      auto store = stores::folder_store(directory);
      REQUIRE(store.ok());
      check(kind, **store, model, round_seed, acknowledged);
      continue;
    }
    auto engine = objectstore::Engine::open({.data_dir = directory, .reserve_bytes = 0});
    REQUIRE_MESSAGE(engine.ok(), engine.error().message);
    // A start that left out the end of a log keeps all extents; the next one sweeps.
    if ((*engine)->core().kv().opening().was_cut_short) {
      engine->reset();
      engine = objectstore::Engine::open({.data_dir = directory, .reserve_bytes = 0});
      REQUIRE_MESSAGE(engine.ok(), engine.error().message);
      CHECK_FALSE((*engine)->core().kv().opening().was_cut_short);
    }
    const bool objects = kind == "objects";
    const std::string bucket(objects ? fault::crash_bucket : ".cairn-index");
    if (objects && !(*engine)->head_bucket(bucket).ok()) continue;  // killed before it was made
    auto store = objects ? objectstore::bucket_store(**engine, bucket)
                         : objectstore::reserved_store(**engine, bucket);
    check(kind, **store, model, round_seed, acknowledged);
    if (objects) abort_uploads(**engine, bucket);
    check_space(**engine, bucket, **store, directory);
  }
  MESSAGE(writes << " acknowledged writes in " << rounds << " rounds, none lost");
}

}  // namespace

TEST_CASE("kill: the engine keeps what it acknowledged") { rounds_of("engine"); }

TEST_CASE("kill: uploads, completions, copies, removals: whole or not there, and no leak") {
  rounds_of("objects");
}

TEST_CASE("kill: the folder store keeps what it acknowledged") { rounds_of("folder"); }
