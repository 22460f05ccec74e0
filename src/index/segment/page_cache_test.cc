// SPDX-License-Identifier: Apache-2.0
#include "index/segment/page_cache.h"

#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "index/segment/segment_file.h"
#include "index/segment/segment_format.h"
#include "store/memory_store.h"

namespace cairn::index::page_cache_test {
namespace {

std::string content(std::size_t size) {
  std::string out(size, '\0');
  std::mt19937 random(9);
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

os::Deadline soon() { return os::Deadline::in_ms(60'000); }

struct Object {
  int gets = 0;
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view call, std::string_view) {
        gets += call == "get";
        return ok_status();
      }});
  std::string bytes;
  std::shared_ptr<PageCache> cache;
  std::shared_ptr<SegmentFile> file;

  Object(std::size_t size, std::size_t cache_bytes)
      : bytes(content(size)), cache(std::make_shared<PageCache>(cache_bytes)) {
    REQUIRE(store->put("o", bytes, soon()).ok());
    file = store_file(*store, "o", size, cache);
    PageChecksums checksums{.values = {}, .body_size = size};
    for (std::size_t at = 0; at < size; at += page_bytes)
      checksums.values.push_back(crc32c(std::string_view(bytes).substr(at, page_bytes)));
    file->set_page_checksums(checksums);
  }
};

}  // namespace

TEST_CASE("segment file: what is read once and in order is fetched in a few large pieces") {
  const std::size_t size = 40 * page_bytes + 77;
  Object object(size, 64u << 20);
  // Two readers side by side, each in small pieces, with a rest at the end.
  const std::size_t half = 20 * page_bytes;
  for (std::size_t at = 0; at < half; at += 10'000)
    for (const std::size_t from : {at, half + at}) {
      const std::size_t count = std::min<std::size_t>(10'000, (from < half ? half : size) - from);
      const auto piece = object.file->read_once(from, count, soon());
      REQUIRE(piece.ok());
      CHECK(piece->view == std::string_view(object.bytes).substr(from, count));
    }
  CHECK(object.gets <= 8);
  CHECK(object.cache->bytes() == 0);
  const int before = object.gets;
  const auto all = object.file->read_once(0, size, soon());
  REQUIRE(all.ok());
  CHECK(all->view == object.bytes);
  CHECK(object.gets == before + 1);
  // Damage ahead is found when it is fetched.
  Object damaged(size, 64u << 20);
  std::string bytes = damaged.bytes;
  bytes[3 * page_bytes] ^= 1;
  REQUIRE(damaged.store->put("o", bytes, soon()).ok());
  CHECK(damaged.file->read_once(0, 100, soon()).error().kind == ErrorKind::corrupt);
}

TEST_CASE("page cache: a page is kept once, however it is asked for, and read where it lies") {
  Object object(10 * page_bytes + 100, 64u << 20);
  const auto first = object.file->read(page_bytes - 10, 20, soon());
  REQUIRE(first.ok());
  CHECK(object.cache->bytes() == 2 * page_bytes);
  const auto wider = object.file->read(5, 4 * page_bytes, soon());
  REQUIRE(wider.ok());
  CHECK(object.cache->bytes() == 5 * page_bytes);
  CHECK(first->view.data() == wider->view.data() + page_bytes - 15);
  CHECK(wider->view == std::string_view(object.bytes).substr(5, 4 * page_bytes));
  const auto last = object.file->read(10 * page_bytes, 100, soon());
  REQUIRE(last.ok());
  CHECK(last->view == std::string_view(object.bytes).substr(10 * page_bytes));
  CHECK(!object.file->read(10 * page_bytes, 101, soon()).ok());
}

TEST_CASE("page cache: bytes stay within their bound, and what is held stays as it is") {
  Object object(40 * page_bytes, 8 * page_bytes);
  const auto held = object.file->read(3 * page_bytes + 7, 2 * page_bytes, soon());
  REQUIRE(held.ok());
  for (std::size_t page = 0; page < 40; ++page) {
    const auto got = object.file->read(page * page_bytes + 1, 50, soon());
    REQUIRE(got.ok());
    CHECK(got->view == std::string_view(object.bytes).substr(page * page_bytes + 1, 50));
    CHECK(object.cache->bytes() <= 8 * page_bytes);
  }
  CHECK(held->view == std::string_view(object.bytes).substr(3 * page_bytes + 7, 2 * page_bytes));
  // More than there is room for is read, and not kept.
  const auto large = object.file->read(0, 30 * page_bytes, soon());
  REQUIRE(large.ok());
  CHECK(large->view == std::string_view(object.bytes).substr(0, 30 * page_bytes));
  CHECK(object.cache->bytes() <= 8 * page_bytes);
}

TEST_CASE("page cache: what readers hold outlives the file, and its room is given back after") {
  Object object(4 * page_bytes, 64u << 20);
  auto held = object.file->read(10, 2 * page_bytes, soon());
  REQUIRE(held.ok());
  object.file.reset();
  CHECK(held->view == std::string_view(object.bytes).substr(10, 2 * page_bytes));
  held->owner.reset();
  CHECK(object.cache->bytes() == 0);
}

TEST_CASE("page cache: a page that does not verify is refused and not kept") {
  Object object(4 * page_bytes, 64u << 20);
  std::string other = object.bytes;
  other[page_bytes + 5] ^= 1;
  REQUIRE(object.store->put("o", other, soon()).ok());
  CHECK(object.file->read(0, 10, soon()).ok());
  const auto damaged = object.file->read(page_bytes, 10, soon());
  REQUIRE(!damaged.ok());
  CHECK(damaged.error().kind == ErrorKind::corrupt);
  CHECK(object.cache->bytes() == page_bytes);
}

TEST_CASE("page cache: threads that read and push out at once all see the right bytes") {
  Object object(64 * page_bytes, 6 * page_bytes);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 1500; ++i) {
        const std::size_t at = random() % (60 * page_bytes);
        const std::size_t count = 1 + random() % (3 * page_bytes);
        const auto got = object.file->read(at, count, soon());
        if (!got.ok() || got->view != std::string_view(object.bytes).substr(at, count)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(object.cache->bytes() <= 6 * page_bytes);
}

}  // namespace cairn::index::page_cache_test
