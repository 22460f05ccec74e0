// SPDX-License-Identifier: Apache-2.0
// An extent holds what was written, through the page cache or around it, however it came.
#include "objectstore/extents/extents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "objectstore/extents/extent_file.h"
#include "os/fake/fake_files.h"
#include "os/files/direct_memory.h"
#include "os/files/test_folder.h"

namespace cairn::objectstore::extents_test {
namespace {

using enum os::DirectWrites;

constexpr std::uint64_t cached_max = 200'000;
constexpr std::size_t block = extent_block_bytes;

/// Test bytes without repetition, so that a wrong offset shows, where they can be written from.
struct Bytes {
  explicit Bytes(std::size_t bytes) : count(bytes), memory(os::direct_memory(bytes + 64)) {
    for (std::size_t at = 0; at < count; at += 32)
      std::memcpy(memory.get() + at, sha256(std::to_string(at)).data(), 32);
  }
  std::string_view view() const { return {memory.get(), count}; }
  std::size_t count;
  os::DirectMemory memory;
};

struct Rig {
  os::FakeFiles files;
  Rig() {
    REQUIRE(files.make_directories("/extents").ok());
    REQUIRE(files.make_directories("/tmp").ok());
    REQUIRE(files.sync_directory("/").ok());
  }
  Extents extents{files,
                  {.directory = "/extents", .temporary = "/tmp", .cached_bytes_max = cached_max}};
};

Result<ExtentSpan> store(Extents& extents, std::uint64_t id, std::string_view body,
                         std::size_t piece, bool known) {
  CAIRN_TRY(const auto writer,
            extents.create(id, known ? std::optional(body.size()) : std::nullopt));
  for (std::size_t at = 0; at < body.size(); at += piece)
    CAIRN_CHECK(writer->write(body.substr(at, piece)));
  return writer->finish();
}

std::string load(Extents& extents, const ExtentSpan& span) {
  const auto reader = extents.open(span);
  REQUIRE_MESSAGE(reader.ok(), reader.error().message);
  std::string all;
  while (all.size() < span.size_bytes) {
    const auto piece = (*reader)->read(all.size());
    REQUIRE_MESSAGE(piece.ok(), piece.error().message);
    all += *piece;
  }
  return all;
}

}  // namespace

TEST_CASE("extents: bodies of every size come back, in pieces of every size") {
  const Bytes bytes(3'500'000);
  for (const auto how : {taken, refused_when_asked, refused_when_written, refused_half_way}) {
    Rig rig;
    rig.files.set_direct_writes(how);
    std::uint64_t id = 0;
    for (const std::size_t size :
         {std::size_t{1}, block - 1, block, block + 1, std::size_t{cached_max},
          std::size_t{cached_max} + 1, 4 * block, 5 * block + 77, 16 * block, 3'500'000ul})
      for (const std::size_t piece :
           {size, 999ul, block, 2 * block, 300'000ul, std::size_t{1} << 20})
        for (const bool known : {false, true}) {
          CAPTURE(size);
          CAPTURE(piece);
          CAPTURE(known);
          if (size / piece > 1'000) continue;
          const std::uint64_t direct_before = rig.files.direct_bytes();
          const std::string_view body = bytes.view().substr(0, size);
          const auto span = store(rig.extents, ++id, body, piece, known);
          REQUIRE_MESSAGE(span.ok(), span.error().message);
          CHECK(span->size_bytes == size);
          CHECK((load(rig.extents, *span) == body));
          CHECK(rig.extents.verify(*span).ok());
          const std::uint64_t direct = rig.files.direct_bytes() - direct_before;
          if (how == refused_half_way)
            CHECK(direct <= size);
          else if (size <= cached_max || how != taken)
            CHECK(direct == 0);
          else if (known)
            CHECK(direct == size - size % block);
          else
            CHECK(direct + cached_max + 300'000 >= size);
          CHECK(*rig.extents.remove(id) == extent_file_bytes(size));
        }
    CHECK(rig.files.used_bytes() == 0);
  }
}

TEST_CASE("extents: one that was finished stands after a crash, and before that there is none") {
  const Bytes bytes(900'000);
  for (const std::size_t size : {150'000ul, 900'000ul}) {
    bool cut = true;
    for (std::uint64_t call = 1; cut; ++call) {
      CAPTURE(call);
      REQUIRE(call < 100);
      Rig rig;
      rig.files.cut_at(rig.files.calls() + call);
      const auto span = store(rig.extents, 7, bytes.view().substr(0, size), 130'000, call % 2 == 0);
      cut = rig.files.is_cut();
      CHECK(span.ok() != cut);
      rig.files.crash(call % 3 == 0 ? os::CrashKeeps::nothing : os::CrashKeeps::random, call);
      if (span.ok()) {
        CHECK((load(rig.extents, *span) == bytes.view().substr(0, size)));
      } else if (rig.extents.folders()->empty()) {
        CHECK(rig.files.used_bytes() == 0);
      } else {  // named already, but told to nobody: whole all the same
        const auto ids = rig.extents.list("00");
        REQUIRE(ids.ok());
        for (const std::uint64_t id : *ids)
          CHECK(
              (load(rig.extents, {.id = id, .size_bytes = size}) == bytes.view().substr(0, size)));
      }
    }
  }
}

TEST_CASE("extents: a full disk is told, and leaves nothing") {
  const Bytes bytes(2'000'000);
  for (const bool known : {false, true}) {
    Rig rig;
    rig.files.set_capacity(1'000'000);
    const auto span = store(rig.extents, 1, bytes.view(), 100'000, known);
    REQUIRE_FALSE(span.ok());
    CHECK(span.error().kind == ErrorKind::storage_full);
    CHECK(rig.files.used_bytes() == 0);
    CHECK(store(rig.extents, 2, bytes.view().substr(0, 500'000), 100'000, true).ok());
  }
}

TEST_CASE("extents: on the system's own files") {
  const os::TestFolder folder;
  Extents extents(os::system_files(),
                  {.directory = folder.path, .temporary = folder.path, .cached_bytes_max = 0});
  const Bytes bytes((5 << 20) + 123);
  for (const std::size_t piece : {std::size_t{1} << 20, 100'000ul}) {
    const auto span = store(extents, piece, bytes.view(), piece, piece != 100'000);
    REQUIRE_MESSAGE(span.ok(), span.error().message);
    CHECK((load(extents, *span) == bytes.view()));
    CHECK(extents.verify(*span).ok());
  }
}

}  // namespace cairn::objectstore::extents_test
