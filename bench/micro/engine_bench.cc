// SPDX-License-Identifier: Apache-2.0
// The engine beside what the same disk gives, in one run:
//   engine_bench DIRECTORY [SECONDS]
// Durable puts next to plain group-committed appends, large bodies next to plain synced files,
// puts with a journal next to puts without, completions and copies, listings of a small and a large bucket, the backfill of an inventory, and what a start costs.
// CAIRN_BENCH_KEYS (1,000,000) keys are listed; CAIRN_BENCH_ONLY=list or =journal leaves the rest
// out.
// DIRECTORY should be on the disk in question; what is written is removed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "../disk_probe.h"
#include "objectstore/body_writer.h"
#include "objectstore/core/core.h"
#include "objectstore/core/inventory.h"
#include "objectstore/core/multipart.h"
#include "objectstore/core/upload_records.h"
#include "objectstore/engine.h"
#include "objectstore/journal/table_key.h"
#include "os/cpu.h"
#include "os/files/files.h"
#include "os/random.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

const os::Deadline never = os::Deadline::never();
constexpr std::size_t small_bytes = 4096;
constexpr std::size_t large_bytes = 64 << 20;

void print(const char* what, int threads, const Figures& f, const char* more = "") {
  std::printf("%-34s %2d threads  %9.0f/s  p50 %7.3f ms  p99 %7.3f ms  %s\n", what, threads,
              f.per_second, f.p50_ms, f.p99_ms, more);
  std::fflush(stdout);
}

std::string key_of(int thread, std::uint64_t number) {
  return "k" + std::to_string(thread) + "/" + std::to_string(number);
}

void bench_small(objectstore::Engine& engine, const std::string& directory, double seconds) {
  const std::string body = os::system_random().bytes(small_bytes);
  for (const int threads : {1, 4, 16, 64}) {
    Figures raw;
    {
      GroupLog log(directory + "/raw.log");
      raw = measure(threads, seconds, [&](int, std::uint64_t) { log.append(body); });
    }
    std::filesystem::remove(directory + "/raw.log");
    print("append 4 KiB, group commit (raw)", threads, raw);
    const Figures put = measure(threads, seconds, [&](int thread, std::uint64_t number) {
      must(engine.put({"bench", key_of(thread, number)}, body, {}, never));
    });
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f x raw", put.per_second / raw.per_second);
    print("put 4 KiB", threads, put, ratio);
  }
  const auto there = must(engine.list("bench", {}, never)).objects;
  for (const int threads : {1, 16}) {
    print("get 4 KiB", threads, measure(threads, seconds, [&](int thread, std::uint64_t number) {
            const auto at = (number * 7 + static_cast<std::uint64_t>(thread)) % there.size();
            auto reader = must(engine.get({"bench", there[at].key}, {}, never));
            must(reader->next());
          }));
  }
  print("list 1,000", 1, measure(1, seconds, [&](int, std::uint64_t) {
          must(engine.list("bench", {.limit = 1000}, never));
        }));
}

/// By turns, so that what else the machine does meets both alike.
void bench_journal(objectstore::Engine& engine, double seconds) {
  constexpr int rounds = 7;
  const std::string body = os::system_random().bytes(small_bytes);
  const objectstore::PutParams params{
      .attributes = {.metadata = {{"color", "red"}}},
      .origin = {.requester = "111122223333", .source_ip = "127.0.0.1", .request_id = "0123456789ABCDEF"}};
  must(engine.create_bucket({.name = "plain"}, never));
  must(engine.create_bucket({.name = "journal"}, never,
                            {{std::string(objectstore::document::journal_table),
                              must(objectstore::table_document(nullptr, {}))}}));
  for (const int threads : {1, 16}) {
    std::vector<double> ratios;
    Figures figures[2];
    for (int round = 0; round < rounds; ++round) {
      for (int turn = 0; turn < 2; ++turn) {
        const int which = (round + turn) % 2;
        figures[which] =
            measure(threads, seconds / rounds, [&](int thread, std::uint64_t number) {
              must(engine.put({which == 0 ? "plain" : "journal",
                               key_of(thread + round * threads, number)},
                              body, params, never));
            });
      }
      ratios.push_back(figures[1].per_second / figures[0].per_second);
    }
    std::sort(ratios.begin(), ratios.end());
    char ratio[48];
    std::snprintf(ratio, sizeof ratio, "%.3f x without (goal 0.95)", ratios[rounds / 2]);
    print("put 4 KiB, no journal", threads, figures[0]);
    print("put 4 KiB, with a journal", threads, figures[1], ratio);
  }
}

void print_rate(const char* what, int threads, double bytes, double seconds) {
  std::printf("%-34s %2d threads  %9.0f MiB/s\n", what, threads, bytes / (1 << 20) / seconds);
  std::fflush(stdout);
}

/// `each(thread)` moves large_bytes, `times` times on each thread.
void bench_rate(const char* what, int threads, int times, const std::function<void(int)>& each) {
  const auto begin = Clock::now();
  std::vector<std::thread> pool;
  for (int thread = 0; thread < threads; ++thread)
    pool.emplace_back([&, thread] {
      for (int i = 0; i < times; ++i) each(thread);
    });
  for (std::thread& thread : pool) thread.join();
  print_rate(what, threads, static_cast<double>(large_bytes) * threads * times,
             seconds_since(begin));
}

void bench_large(objectstore::Engine& engine, const std::string& directory) {
  const std::string piece = os::system_random().bytes(256 << 10);
  print_rate("MD5 (raw)", 1, md5_rate(piece, 0.5), 1);
  for (const int threads : {1, 4}) {
    bench_rate("write 64 MiB, synced file (raw)", threads, 4, [&](int thread) {
      write_synced_file(directory, "raw" + std::to_string(thread), piece, large_bytes);
    });
    bench_rate("put 64 MiB", threads, 4, [&](int thread) {
      auto writer =
          must(engine.begin_put({"bench", "large" + std::to_string(thread)}, large_bytes, never));
      for (std::size_t at = 0; at < large_bytes; at += piece.size()) must(writer->write(piece));
      must(writer->finish({}, never));
    });
    bench_rate("get 64 MiB, verified", threads, 4, [&](int thread) {
      auto reader = must(engine.get({"bench", "large" + std::to_string(thread)}, {}, never));
      while (!must(reader->next()).empty()) {
      }
    });
  }
}

double milliseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return seconds_since(begin) * 1e3;
}

void print_time(const char* what, std::vector<double> times, const char* more = "") {
  std::sort(times.begin(), times.end());
  std::printf("%-34s median %9.3f ms  worst %9.3f ms  of %zu  %s\n", what, times[times.size() / 2],
              times.back(), times.size(), more);
  std::fflush(stdout);
}

/// Rows of parts of 5 MiB each, without their files: a completion looks at no file.
void put_parts(objectstore::Core& core, std::uint64_t upload, const std::vector<int>& numbers) {
  objectstore::KvBatch batch;
  for (const int number : numbers) {
    const objectstore::ExtentSpan extent{.id = must(core.next_serial()), .size_bytes = 5 << 20};
    const s3::Part part{.number = number,
                        .size_bytes = extent.size_bytes,
                        .etag = std::string(32, 'e'),
                        .modified_ms = 1'700'000'000'000,
                        .checksum = s3::Checksum{.value = "AAAAAAAAAAA="}};
    batch.put(objectstore::Table::system, objectstore::part_row(upload, number),
              objectstore::encode_part(part, upload, {extent}));
    batch.put(objectstore::Table::references, objectstore::reference_row(extent.id, upload), {});
  }
  must(core.kv().write(batch));
}

void bench_complete(objectstore::Engine& engine) {
  objectstore::Uploads& uploads = engine.uploads();
  constexpr int parts = 10'000;
  std::vector<int> numbers;
  for (int number = 1; number <= parts; ++number) numbers.push_back(number);
  const auto judge = [](const std::vector<s3::Part>& stored) -> Result<objectstore::Completed> {
    std::string digests;
    for (const s3::Part& part : stored) digests += part.etag;
    return objectstore::Completed{.etag = digest(DigestKind::md5, digests).substr(0, 8) + "-10000"};
  };
  std::vector<double> complete, head, remove;
  for (int round = 0; round < 9; ++round) {
    const objectstore::ObjectName name{"bench", "parts"};
    const auto upload = must(uploads.create(name, {}, never));
    put_parts(engine.core(), *objectstore::upload_serial(upload.upload_id), numbers);
    complete.push_back(milliseconds([&] {
      must(uploads.complete(name, upload.upload_id, {.numbers = numbers, .judge = judge}, never));
    }));
    head.push_back(milliseconds([&] { must(engine.head(name, never)); }));
    remove.push_back(milliseconds([&] { must(engine.remove(name, never)); }));
  }
  print_time("complete, 10,000 parts", complete);
  print_time("head, 10,000 parts", head);
  print_time("remove, 10,000 parts", remove);
}

/// A body of 5 GiB that was never written: an extent without a file is enough for a copy.
void bench_copy(objectstore::Engine& engine) {
  objectstore::Core& core = engine.core();
  const auto bucket = must(core.find_bucket("bench"));
  const std::uint64_t bytes = 5ull << 30;
  const objectstore::StoredBody body{
      .size_bytes = bytes, .extents = {{.id = must(core.next_serial()), .size_bytes = bytes}}};
  s3::Object object{.key = {}, .etag = std::string(32, 'a')};
  object.checksum = s3::Checksum{.value = "AAAAAAAAAAA="};
  must(core.commit(*bucket, "5GiB", object, body, {}, never));
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const std::string target = "5GiB/" + std::to_string(i);
    times.push_back(milliseconds([&] {
      must(engine.copy({"bench", "5GiB"}, {"bench", target}, {}, never));
    }));
  }
  print_time("copy, 5 GiB (sparse)", times);
}

std::string listed_key(std::uint64_t number) {
  char text[64];
  std::snprintf(text, sizeof text, "folder-%05llu/object-%08llu",
                static_cast<unsigned long long>(number / 1000),
                static_cast<unsigned long long>(number));
  return text;
}

/// Records alone, many a batch: objects of 0 bytes each, numbered from `number` on.
void fill(objectstore::Engine& engine, std::uint64_t number, std::uint64_t end) {
  objectstore::Core& core = engine.core();
  const auto bucket = must(core.find_bucket("listed"));
  while (number < end) {
    objectstore::KvBatch batch;
    for (int i = 0; i < 10'000 && number < end; ++i, ++number) {
      objectstore::ObjectRecord record;
      record.object.etag = std::string(32, 'b');
      record.object.modified_ms = 1'700'000'000'000;
      record.object.checksum = s3::Checksum{.value = "AAAAAAAAAAA="};
      record.serial = must(core.next_serial());
      batch.put(objectstore::Table::objects,
                objectstore::object_row(bucket->record.id, listed_key(number)),
                objectstore::encode(record));
    }
    must(core.kv().write(batch));
  }
}

/// A page of `keys` keys, from anywhere; the rows that a page looks at are counted too.
void bench_pages(objectstore::Engine& engine, std::uint64_t keys, double seconds) {
  const auto random = os::seeded_random(1);
  const auto page = [&](const char* what, const std::function<void()>& read) {
    const std::uint64_t before = engine.core().kv().cursor_steps();
    std::uint64_t pages = 0;
    const Figures figures = measure(1, seconds, [&](int, std::uint64_t) {
      read();
      ++pages;
    });
    char more[80];
    std::snprintf(more, sizeof more, "%llu rows a page, of %llu keys",
                  static_cast<unsigned long long>((engine.core().kv().cursor_steps() - before) /
                                                  std::max<std::uint64_t>(pages, 1)),
                  static_cast<unsigned long long>(keys));
    print(what, 1, figures, more);
  };
  const auto after = [&] { return listed_key(random->below(keys)); };
  page("list 1,000", [&] { must(engine.list("listed", {.start_after = after()}, never)); });
  page("list 1,000 versions",
       [&] { must(engine.list_versions("listed", {.key_marker = after()}, never)); });
  page("list one folder by its prefix", [&] {
    must(engine.list("listed", {.prefix = after().substr(0, 12), .delimiter = "/"}, never));
  });
  page("list 100 folders", [&] {
    must(engine.list("listed", {.delimiter = "/", .start_after = after(), .limit = 100}, never));
  });
}

/// Pages of a hundredth of the keys, and of all of them: they look at as many rows.
void bench_list(objectstore::Engine& engine, double seconds) {
  const char* text = std::getenv("CAIRN_BENCH_KEYS");
  const std::uint64_t keys = text == nullptr ? 1'000'000 : std::strtoull(text, nullptr, 10);
  must(engine.create_bucket({.name = "listed"}, never));
  fill(engine, 0, keys / 100);
  bench_pages(engine, keys / 100, seconds);
  fill(engine, keys / 100, keys);
  bench_pages(engine, keys, seconds);
}

/// The inventory of the bucket that bench_list made: all of its versions listed and written.
void bench_backfill(objectstore::Engine& engine) {
  const std::string table = must(objectstore::table_document(nullptr, {}));
  must(engine.change_bucket(
      "listed",
      {.documents = {{std::string(objectstore::document::journal_table), table},
                     {std::string(objectstore::document::inventory_table), table}}},
      never));
  auto inventory = must(objectstore::Inventory::find(engine, "listed"));
  const auto begin = Clock::now();
  const std::clock_t processor = std::clock();
  while (must(inventory.step(4000, never))) {
  }
  const double busy = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const auto listed = static_cast<double>(must(inventory.state()).listed);
  std::printf("%-34s %9.0f objects/s of %.0f (goal 50,000), %.0f in a second of a processor\n",
              "backfill of an inventory", listed / seconds_since(begin), listed, listed / busy);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: engine_bench DIRECTORY [SECONDS]\n");
    return 64;
  }
  const std::string directory = std::string(argv[1]) + "/engine-bench";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
  std::filesystem::create_directories(directory);
  objectstore::EngineOptions options;
  options.data_dir = directory + "/data";
  const auto open = [&](const char* what) {
    const auto begin = Clock::now();
    auto engine = must(objectstore::Engine::open(options));
    std::printf("%-34s %9.1f ms, resident %zu MiB\n", what, seconds_since(begin) * 1e3,
                os::resident_bytes() >> 20);
    return engine;
  };
  open("open, empty folder");
  {
    auto engine = open("open, existing folder");
    must(engine->create_bucket({.name = "bench"}, never));
    const char* const only = std::getenv("CAIRN_BENCH_ONLY");
    if (only == nullptr || std::string_view(only) == "journal") bench_journal(*engine, seconds);
    if (only == nullptr) {
      bench_small(*engine, directory, seconds);
      bench_large(*engine, directory);
      bench_complete(*engine);
      bench_copy(*engine);
    }
    if (only == nullptr || std::string_view(only) == "list") {
      bench_list(*engine, seconds);
      bench_backfill(*engine);
    }
    std::printf("resident after all that %zu MiB\n", os::resident_bytes() >> 20);
  }
  open("open, after that");
  std::filesystem::remove_all(directory);
}
