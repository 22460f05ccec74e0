// SPDX-License-Identifier: Apache-2.0
// The searchable copies of a bucket's tables, by processor time:
//   tables_bench DIRECTORY [OBJECTS]
// An inventory is filled from OBJECTS (200,000) versions, its copy from the inventory, and that of
// the journal from as many rows. DIRECTORY should be on the disk in question; what is written is
// removed.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "../disk_probe.h"
#include "index/indices.h"
#include "objectstore/core/inventory.h"
#include "objectstore/engine.h"
#include "objectstore/journal/table_key.h"
#include "os/clock.h"
#include "os/random.h"
#include "os/threads/pool.h"
#include "store/memory_store.h"
#include "tables/tables.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

const os::Deadline never = os::Deadline::never();
const std::string followed = "bench";

/// Runs `work` and tells rows a second, by the clock and by the processor.
void timed(const char* what, std::uint64_t rows, const std::function<void()>& work) {
  const auto begin = Clock::now();
  const std::clock_t processor = std::clock();
  work();
  const double busy = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(rows);
  std::printf("%-34s %9.0f rows/s, %9.0f in a second of a processor, %5.2f us each\n", what,
              count / seconds_since(begin), count / busy, busy / count * 1e6);
  std::fflush(stdout);
}

void put_all(objectstore::Engine& engine, const std::string& bucket, std::uint64_t objects) {
  const objectstore::PutParams params{
      .attributes = {.storage_class = "STANDARD", .metadata = {{"color", "red"}}},
      .origin = {
          .requester = "111122223333", .source_ip = "127.0.0.1", .request_id = "0123456789ABCDEF"}};
  constexpr std::uint64_t threads = 64;
  std::vector<std::thread> pool;
  for (std::uint64_t thread = 0; thread < threads; ++thread)
    pool.emplace_back([&, thread] {
      for (std::uint64_t i = thread; i < objects; i += threads)
        must(engine.put({bucket, "folder-" + std::to_string(i % 100) + "/" + std::to_string(i)}, {},
                        params, never));
    });
  for (std::thread& thread : pool) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: tables_bench DIRECTORY [OBJECTS]\n");
    return 64;
  }
  const std::string directory = std::string(argv[1]) + "/tables-bench";
  const std::uint64_t objects = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200'000;
  std::filesystem::create_directories(directory);
  {
    os::Pool pool({.name = "bench", .threads = 1});
    const auto platform = store::memory_store();
    const auto engine = must(objectstore::Engine::open({.data_dir = directory + "/data"}));
    const auto shown = must(index::Indices::open(
        *platform, pool, os::system_clock(), os::system_random(), {.background = false}, never));
    tables::Tables copies({.engine = *engine,
                           .cpu = pool,
                           .clock = os::system_clock(),
                           .random = os::system_random()},
                          *shown);
    const std::string table = must(objectstore::table_document(nullptr, {}));
    must(engine->create_bucket({.name = followed}, never,
                               {{std::string(objectstore::document::journal_table), table}}));
    must(engine->create_bucket({.name = "plain"}, never));
    timed("put, without a journal", objects, [&] { put_all(*engine, "plain", objects); });
    timed("put, with a journal", objects, [&] { put_all(*engine, followed, objects); });
    const auto follow = [&] {
      while (must(copies.follow(followed, never)) == tables::Followed::more) {
      }
    };
    timed("copy of a journal", objects, follow);
    must(engine->change_bucket(
        followed, {.documents = {{std::string(objectstore::document::inventory_table), table}}},
        never));
    timed("inventory", objects, [&] {
      auto inventory = must(objectstore::Inventory::find(*engine, followed));
      while (must(inventory.step(4000, never))) {
      }
    });
    timed("copy of an inventory", objects, follow);
  }
  std::filesystem::remove_all(directory);
}
