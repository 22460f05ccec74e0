// SPDX-License-Identifier: Apache-2.0
// Tests of compress.h.
#include "base/compress.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>

#include "base/checksum.h"

using namespace cairn;

namespace {

std::string mixed_bytes(std::size_t count) {
  std::mt19937 random(3);
  std::string bytes;
  while (bytes.size() < count) bytes += "line " + std::to_string(random() % 1000) + "\n";
  bytes.resize(count);
  return bytes;
}

std::string zlib_form(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size,
                   reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) == Z_OK);
  out.resize(size);
  return out;
}

}  // namespace

TEST_CASE("compress: both forms give back what they took, at many sizes and levels") {
  for (const std::size_t size : {0u, 1u, 100u, 65535u, 65536u, 65537u, 1000000u}) {
    const std::string bytes = mixed_bytes(size);
    for (const int level : {1, 6, 9}) {
      CHECK(gunzip(gzip(bytes, level), size).value() == bytes);
      CHECK(unzstd(zstd(bytes, level), size).value() == bytes);
    }
  }
  CHECK(gzip(mixed_bytes(100000)).size() < 40000);
}

TEST_CASE("compress: more than the limit is too_large, even when it is a bomb") {
  const std::string zeros(10'000'000, '\0');
  const std::string small = gzip(zeros);
  CHECK(small.size() < 20000);
  for (const std::size_t limit : {std::size_t{0}, std::size_t{1000}, zeros.size() - 1}) {
    CHECK(gunzip(small, limit).error().kind == ErrorKind::too_large);
    CHECK(unzstd(zstd(zeros), limit).error().kind == ErrorKind::too_large);
  }
  CHECK(gunzip(small, zeros.size()).value().size() == zeros.size());
}

TEST_CASE("gunzip: members one after another are one text") {
  CHECK(gunzip(gzip("ab") + gzip("") + gzip("cd"), 10).value() == "abcd");
  CHECK(gunzip(gzip("ab") + "rest", 10).error().kind == ErrorKind::corrupt);
}

TEST_CASE("compress: every cut and every flipped byte is an error or the same text") {
  const std::string bytes = mixed_bytes(500);
  const std::string zipped = gzip(bytes);
  for (std::size_t cut = 0; cut < zipped.size(); ++cut) {
    const auto result = gunzip(std::string_view(zipped).substr(0, cut), 1000);
    REQUIRE(!result.ok());
    REQUIRE(result.error().kind == ErrorKind::corrupt);
  }
  const std::string squeezed = zstd(bytes);
  for (std::size_t cut = 0; cut < squeezed.size(); ++cut) {
    const auto result = unzstd(std::string_view(squeezed).substr(0, cut), 1000);
    REQUIRE(!result.ok());
    REQUIRE(result.error().kind == ErrorKind::corrupt);
  }
  for (std::size_t i = 0; i < squeezed.size(); ++i) {
    std::string damaged = squeezed;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    (void)unzstd(damaged, 1000);  // ends, within the limit
    damaged = zipped;
    if (i < zipped.size()) damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const auto result = gunzip(damaged, 1000);
    if (result.ok()) REQUIRE(*result == bytes);
  }
}

TEST_CASE("inflater: any cut of the input and any room for output give the same bytes") {
  const std::string bytes = mixed_bytes(3000);
  for (const std::string& packed : {gzip(bytes), zlib_form(bytes)}) {
    for (const std::size_t step : {1u, 2u, 7u, 100u, 100000u}) {
      for (const std::size_t room : {1u, 13u, 4096u, 100000u}) {
        Inflater inflater;
        std::string out;
        for (std::size_t at = 0; at < packed.size(); at += step) {
          std::string_view in = std::string_view(packed).substr(at, step);
          for (;;) {
            const std::size_t before = out.size();
            const std::size_t left = in.size();
            REQUIRE(inflater.inflate(in, out, room).ok());
            REQUIRE(out.size() - before <= room);
            if (out.size() == before && in.size() == left) break;
          }
          REQUIRE(in.empty());
        }
        CHECK(inflater.finished());
        CHECK(out == bytes);
      }
    }
  }
}

TEST_CASE("inflater: damaged data is corrupt, unfinished data is not finished") {
  Inflater inflater;
  std::string out;
  std::string_view in = "this is no gzip";
  CHECK(inflater.inflate(in, out, 100).error().kind == ErrorKind::corrupt);
  Inflater half;
  const std::string packed = gzip("some text");
  in = std::string_view(packed).substr(0, packed.size() - 1);
  CHECK(half.inflate(in, out, 100).ok());
  CHECK(!half.finished());
  CHECK(!Inflater().finished());
}
