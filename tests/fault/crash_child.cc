// SPDX-License-Identifier: Apache-2.0
// Writes to a store until it is killed, and says on standard output what was acknowledged:
//   crash_child engine|folder|objects DIRECTORY SEED WRITERS
// Lines: "ready", then "WRITER NUMBER" after each acknowledged write.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "crash_ops.h"
#include "objectstore/engine_store.h"
#include "stores/folder_store.h"

namespace {

using namespace cairn;

/// One write(2), which the pipe takes whole or not at all.
void say(const std::string& line) {
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "crash_child: %s\n", error.message.c_str());
  std::_Exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  const std::string kind = argv[1];
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  const int writers = std::atoi(argv[4]);

  std::unique_ptr<objectstore::Engine> engine;
  const bool objects = kind == "objects";
  if (kind == "engine" || objects) {
    objectstore::EngineOptions options;
    options.data_dir = argv[2];
    options.reserve_bytes = 0;
    options.write_buffer_bytes = 512 << 10;  // so that flushes and compactions are cut too
    options.cached_bytes_max = 150 << 10;    // and both ways of writing
    auto opened = objectstore::Engine::open(options);
    if (!opened.ok()) fail(opened.error());
    engine = std::move(*opened);
  }
  if (objects) {
    const auto made =
        engine->create_bucket({.name = std::string(fault::crash_bucket)}, os::Deadline::never());
    if (!made.ok() && made.error().kind != ErrorKind::already_exists) fail(made.error());
  }
  auto store =
      engine ? objectstore::reserved_store(*engine, ".cairn-index") : stores::folder_store(argv[2]);
  if (!store.ok()) fail(store.error());
  say("ready\n");

  std::vector<std::thread> pool;
  for (int writer = 0; writer < writers; ++writer) {
    pool.emplace_back([&, writer] {
      for (std::uint64_t number = 0;; ++number) {
        const Status done = objects ? fault::run(*engine, fault::object_op_of(seed, writer, number))
                                    : fault::run(**store, fault::op_of(seed, writer, number));
        if (!done.ok()) fail(done.error());
        say(std::to_string(writer) + " " + std::to_string(number) + "\n");
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
}
