// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/core/core.h"
#include "objectstore/data_folder.h"
#include "objectstore/engine_rig_test.h"
#include "os/files/test_folder.h"

namespace engine_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

/// An engine on a disk in memory, which can be closed and opened again.
struct Rig : EngineHost {
  Rig() {
    options.space_check_ms = 0;
    options.recovery_interval_ms = 5;
    start();
    must(engine->create_bucket({.name = "photos", .owner = {.id = "me", .account_id = ""}}, never));
  }

  s3::Object put(std::string_view key, std::string_view body, const PutParams& params = {}) {
    return must(engine->put({"photos", key}, body, params, never));
  }
  std::string get(std::string_view key, const RangeParams& range = {}) {
    auto reader = engine->get({"photos", key}, range, never);
    if (!reader.ok()) return "(" + reader.error().code + ")";
    std::string all = read(**reader);
    CHECK(all.size() == (*reader)->size_bytes());
    return all;
  }
};

std::string code(const Error& error) { return error.code; }

}  // namespace

TEST_CASE("engine: bodies of every size come back, before and after a restart") {
  Rig rig;
  const std::vector<std::size_t> sizes = {0,      1,      65535,  65536,   65537,   131072,
                                          131073, 262144, 300000, 1 << 20, 3 << 20, (3 << 20) + 17};
  for (const std::size_t size : sizes) {
    const auto object = rig.put("size/" + std::to_string(size), bytes_of(size));
    CHECK(object.etag == to_hex(md5(bytes_of(size))));
    CHECK(object.size_bytes == size);
  }
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t size : sizes)
      CHECK(rig.get("size/" + std::to_string(size)) == bytes_of(size));
    rig.start();
  }
}

TEST_CASE("engine: ranges give those bytes, at block borders too") {
  Rig rig;
  const std::string large = bytes_of(300'000);
  rig.put("large", large);
  rig.put("small", "0123456789");
  CHECK(rig.get("small", {.first = 2, .last = 4}) == "234");
  CHECK(rig.get("small", {.first = 8, .last = 100}) == "89");
  CHECK(rig.get("small", {.last = 3}) == "789");
  CHECK(rig.get("small", {.last = 30}) == "0123456789");
  CHECK(rig.get("small", {.first = 10}) == "(InvalidRange)");
  CHECK(rig.get("small", {.first = 3, .last = 2}) == "(InvalidRange)");
  CHECK(rig.get("small", {.last = 0}) == "(InvalidRange)");
  for (const std::uint64_t at : {0, 1, 65535, 65536, 65537, 131071, 262143, 262144, 299'999}) {
    for (const std::uint64_t count : {1, 2, 65536, 65537, 200'000}) {
      const std::uint64_t last = at + count - 1;
      CHECK(rig.get("large", {.first = at, .last = last}) == large.substr(at, count));
    }
  }
  CHECK(rig.get("large", {.last = 65537}) == large.substr(300'000 - 65537));
}

TEST_CASE("engine: what the creator said of an object is kept") {
  Rig rig;
  PutParams params{.attributes = {.content_type = "text/plain",
                                  .cache_control = "no-store",
                                  .content_disposition = "inline",
                                  .content_encoding = "gzip",
                                  .content_language = "de",
                                  .expires = "Thu, 01 Dec 1994 16:00:00 GMT",
                                  .website_redirect_location = "/else",
                                  .storage_class = "STANDARD_IA",
                                  .metadata = {{"a", "1"}, {"b", std::string("\0x", 2)}}},
                   .owner = {.id = "me", .account_id = "000000000001"},
                   .checksum = s3::Checksum{.algorithm = s3::ChecksumAlgorithm::sha256,
                                            .type = s3::ChecksumType::composite,
                                            .value = "abc=-2"}};
  rig.put("a", "body", params);
  rig.start();
  const auto object = must(rig.engine->head({"photos", "a"}, never));
  CHECK(object.attributes == params.attributes);
  CHECK(object.owner == params.owner);
  CHECK(object.checksum == params.checksum);
  CHECK(object.modified_ms > 0);
  const auto page = must(rig.engine->list("photos", {}, never));
  REQUIRE(page.objects.size() == 1);
  CHECK(page.objects[0].attributes.storage_class == "STANDARD_IA");
  CHECK(page.objects[0].checksum == params.checksum);
  CHECK(page.objects[0].owner == params.owner);
}

TEST_CASE("engine: keys and names that are refused") {
  Rig rig;
  const auto put = [&](std::string_view bucket, std::string_view key) {
    return code(rig.engine->put({bucket, key}, "x", {}, never).error());
  };
  CHECK(put("none", "a") == "NoSuchBucket");
  CHECK(put(".cairn-auth", "a") == "NoSuchBucket");
  CHECK(put("photos", "") == "InvalidArgument");
  CHECK(put("photos", std::string(1025, 'k')) == "KeyTooLongError");
  CHECK(rig.engine->put({"photos", std::string(1024, '\xff')}, "x", {}, never).ok());
  CHECK(rig.get("absent") == "(NoSuchKey)");
  CHECK(code(rig.engine->head({"photos", "absent"}, never).error()) == "NoSuchKey");
  CHECK(code(rig.engine->head_bucket(".cairn-index").error()) == "NoSuchBucket");
  CHECK(code(rig.engine->delete_bucket(".cairn-index", never).error()) == "NoSuchBucket");
  PutParams wrong{.content_md5 = md5("other")};
  CHECK(code(rig.engine->put({"photos", "a"}, "x", wrong, never).error()) == "BadDigest");
  PutParams right{.content_md5 = md5("x")};
  CHECK(rig.engine->put({"photos", "a"}, "x", right, never).ok());
}

TEST_CASE("engine: buckets are made once, listed by name and removed when empty") {
  Rig rig;
  CHECK(code(rig.engine->create_bucket({.name = "Photos"}, never).error()) == "InvalidBucketName");
  CHECK(code(rig.engine
                 ->create_bucket({.name = "photos", .owner = {.id = "me", .account_id = ""}}, never)
                 .error()) == "BucketAlreadyOwnedByYou");
  CHECK(
      code(rig.engine
               ->create_bucket({.name = "photos", .owner = {.id = "you", .account_id = ""}}, never)
               .error()) == "BucketAlreadyExists");
  must(rig.engine->create_bucket(
      {.name = "archive", .location_constraint = "EU", .owner = {.id = "you", .account_id = ""}},
      never));
  rig.start();
  const auto all = rig.engine->list_buckets();
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "archive");
  CHECK(all[0].location_constraint == "EU");
  CHECK(all[0].created_ms > 0);
  CHECK(rig.engine->list_buckets("me").size() == 1);

  rig.put("a", "1");
  CHECK(code(rig.engine->delete_bucket("photos", never).error()) == "BucketNotEmpty");
  must(rig.engine->remove({"photos", "a"}, never));
  must(rig.engine->delete_bucket("photos", never));
  CHECK(code(rig.engine->head_bucket("photos").error()) == "NoSuchBucket");
  // A new bucket of the old name starts empty.
  must(rig.engine->create_bucket({.name = "photos"}, never));
  CHECK(rig.get("a") == "(NoSuchKey)");
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("engine: conditions are judged against what is there") {
  Rig rig;
  const auto put = [&](s3::WriteCondition condition, std::string_view body) {
    auto done = rig.engine->put({"photos", "k"}, body, {.condition = std::move(condition)}, never);
    return done.ok() ? "ok" : done.error().code;
  };
  const std::string large = bytes_of(100'000);
  CHECK(put({.if_match = "00"}, large) == "PreconditionFailed");
  CHECK(put({.if_none_match = true}, large) == "ok");
  CHECK(put({.if_none_match = true}, large) == "PreconditionFailed");
  CHECK(put({.if_match = "00"}, large) == "PreconditionFailed");
  CHECK(put({.if_match = to_hex(md5(large))}, "next") == "ok");
  CHECK(rig.get("k") == "next");
  CHECK(rig.extent_files() == 0);  // refused bodies and the replaced one are gone
  CHECK(code(rig.engine->remove({"photos", "k"}, never, "00").error()) == "PreconditionFailed");
  CHECK(must(rig.engine->remove({"photos", "k"}, never, "*")));
  CHECK(code(rig.engine->remove({"photos", "k"}, never, "*").error()) == "PreconditionFailed");
  CHECK_FALSE(must(rig.engine->remove({"photos", "k"}, never)));
}

TEST_CASE("engine: of many writers with If-None-Match exactly one wins") {
  Rig rig;
  for (int round = 0; round < 10; ++round) {
    const std::string key = "race" + std::to_string(round);
    std::atomic<int> won = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i) {
      threads.emplace_back([&] {
        const PutParams params{.condition = {.if_none_match = true}};
        if (rig.engine->put({"photos", key}, "x", params, never).ok()) ++won;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(won == 1);
  }
}

TEST_CASE("engine: a writer takes any size in pieces, and leaves nothing when dropped") {
  Rig rig;
  const std::string body = bytes_of(700'000);
  for (const bool known : {false, true}) {
    auto writer = must(rig.engine->begin_put(
        {"photos", "w"}, known ? std::optional<std::uint64_t>(body.size()) : std::nullopt, never));
    for (std::size_t at = 0; at < body.size(); at += 999)
      REQUIRE(writer->write(std::string_view(body).substr(at, 999)).ok());
    CHECK(writer->md5() == to_hex(md5(body)));
    must(writer->finish({}, never));
    CHECK(rig.get("w") == body);
  }
  auto dropped = must(rig.engine->begin_put({"photos", "d"}, std::nullopt, never));
  REQUIRE(dropped->write(body).ok());
  dropped.reset();
  CHECK(rig.get("d") == "(NoSuchKey)");
  CHECK(rig.extent_files() == 1);
  CHECK(rig.files.list("/data/tmp")->empty());
}

TEST_CASE("engine: a writer hashes lent bytes while the next ones are made") {
  Rig rig;
  const std::string body = bytes_of(6'000'000);
  auto writer = must(rig.engine->begin_put({"photos", "w"}, body.size(), never));
  std::string halves[2];
  std::size_t turn = 0;
  for (std::size_t at = 0; at < body.size(); at += 1'000'000, turn ^= 1) {
    halves[turn] = body.substr(at, 1'000'000);
    REQUIRE(writer->write_async(halves[turn]).ok());
  }
  CHECK(writer->md5() == to_hex(md5(body)));
  must(writer->finish({}, never));
  CHECK(rig.get("w") == body);

  auto dropped = must(rig.engine->begin_put({"photos", "d"}, std::nullopt, never));
  REQUIRE(dropped->write_async(body).ok());
  dropped->wait();
  dropped.reset();
  CHECK(rig.extent_files() == 1);
}

TEST_CASE("engine: a copy shares the extent, which lives as long as one of them") {
  Rig rig;
  const std::string body = bytes_of(200'000);
  rig.put("a", body, {.attributes = {.content_type = "text/a"}});
  rig.put("small", "tiny");
  must(rig.engine->create_bucket({.name = "other"}, never));
  const auto copy = must(rig.engine->copy({"photos", "a"}, {"other", "b"}, {}, never));
  CHECK(copy.attributes.content_type == "text/a");
  CHECK(copy.etag == to_hex(md5(body)));
  CHECK(rig.extent_files() == 1);
  must(rig.engine->copy({"photos", "a"}, {"photos", "a"},
                             {.attributes = s3::ObjectAttributes{.content_type = "text/new"}},
                             never));
  CHECK(must(rig.engine->head({"photos", "a"}, never)).attributes.content_type == "text/new");
  CHECK(rig.get("a") == body);
  must(rig.engine->remove({"photos", "a"}, never));
  CHECK(rig.extent_files() == 1);
  rig.start();
  CHECK(rig.extent_files() == 1);
  CHECK(rig.read(*must(rig.engine->get({"other", "b"}, {}, never))) == body);
  must(rig.engine->remove({"other", "b"}, never));
  CHECK(rig.extent_files() == 0);

  must(rig.engine->copy({"photos", "small"}, {"other", "small"}, {}, never));
  must(rig.engine->remove({"photos", "small"}, never));
  CHECK(rig.read(*must(rig.engine->get({"other", "small"}, {}, never))) == "tiny");
  CHECK(code(rig.engine->copy({"photos", "none"}, {"photos", "x"}, {}, never).error()) ==
        "NoSuchKey");
  CHECK(code(rig.engine->copy({"other", "small"}, {"photos", "x"}, {.source_if_match = "00"}, never)
                 .error()) == "PreconditionFailed");
}

TEST_CASE("engine: a reader keeps its version while the object is replaced and removed") {
  Rig rig;
  const std::string old = bytes_of(600'000);
  rig.put("r", old);
  auto reader = must(rig.engine->get({"photos", "r"}, {}, never));
  rig.put("r", bytes_of(500'000, 2));
  must(rig.engine->remove({"photos", "r"}, never));
  must(rig.engine->wait_collected(os::Deadline::in_ms(10'000)));
  CHECK(rig.read(*reader) == old);
  reader.reset();
  rig.put("wake", bytes_of(100'000));
  must(rig.engine->remove({"photos", "wake"}, never));
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("engine: a batch is removed in one step, and says what was there") {
  Rig rig;
  rig.put("a", "1");
  rig.put("b", bytes_of(100'000));
  rig.put("c", "3");
  const auto existed =
      must(rig.engine->remove_batch("photos", {"a", "none", "b", "a"}, never));
  CHECK(existed == std::vector<bool>{true, false, true, true});
  const auto page = must(rig.engine->list("photos", {}, never));
  CHECK(page.objects.size() == 1);
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("engine: a flipped bit is an error, never wrong bytes") {
  Rig rig;
  const std::string body = bytes_of(200'000);
  rig.put("a", body);
  std::uint64_t id = 0;
  const auto remember = [&](std::uint64_t found) { return (id = found, true); };
  REQUIRE(rig.engine->core().extents().for_each(remember).ok());
  const std::string path = rig.engine->core().extents().path_of(id);
  const std::uint64_t file_size = rig.files.info(path)->size_bytes;
  for (const std::uint64_t at :
       {std::uint64_t{0}, std::uint64_t{70'000}, std::uint64_t{199'999}, std::uint64_t{200'001}}) {
    REQUIRE(rig.files.flip_bit(path, at));
    auto reader = must(rig.engine->get({"photos", "a"}, {}, never));
    std::string got;
    Result<std::string_view> piece = reader->next();
    while (piece.ok() && !piece->empty()) {
      got += *piece;
      piece = reader->next();
    }
    REQUIRE_FALSE(piece.ok());
    CHECK(piece.error().kind == ErrorKind::corrupt);
    CHECK(body.starts_with(got));
    CHECK(verify_extent(rig.files, path, {.id = id, .size_bytes = 200'000}).error().kind ==
          ErrorKind::corrupt);
    REQUIRE(rig.files.flip_bit(path, at));
  }
  CHECK(verify_extent(rig.files, path, {.id = id, .size_bytes = 200'000}).ok());
  REQUIRE(rig.files.flip_bit(path, file_size - 1));  // the footer: no body byte depends on it
  CHECK(rig.get("a") == body);
  CHECK_FALSE(verify_extent(rig.files, path, {.id = id, .size_bytes = 200'000}).ok());
}

TEST_CASE("engine: a folder is used by one engine at a time") {
  Rig rig;
  auto second = Engine::open(rig.options);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().kind == ErrorKind::conflict);
  CHECK(second.error().message.find("in use") != std::string::npos);
}

TEST_CASE("engine: folders of a newer format, of something else, or with a broken VERSION") {
  os::FakeFiles files;
  EngineOptions options{.data_dir = "/data", .files = &files};
  const auto open_with = [&](std::string_view name, std::string_view text) {
    REQUIRE(files.make_directories("/data").ok());
    REQUIRE(os::replace_file(files, "/data/" + std::string(name), text).ok());
    auto engine = Engine::open(options);
    return engine.ok() ? std::string("ok") : std::string(name_of(engine.error().kind));
  };
  CHECK(open_with("thesis.tex", "\\begin") == "conflict");
  REQUIRE(files.remove("/data/thesis.tex").ok());
  CHECK(open_with("VERSION", version_line(data_format + 1)) == "unsupported");
  CHECK(open_with("VERSION", "something") == "corrupt");
  CHECK(open_with("VERSION", "cairn data format 1\n") == "ok");
  EngineOptions nameless;
  CHECK(Engine::open(nameless).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("engine: on the system's own files, over a restart") {
  const os::TestFolder folder;
  EngineOptions options;
  options.data_dir = folder / "deep/data";
  options.reserve_bytes = 0;
  const std::string large = bytes_of(1'000'000);
  for (int round = 0; round < 2; ++round) {
    auto engine = Engine::open(options);
    REQUIRE_MESSAGE(engine.ok(), engine.error().message);
    CHECK_FALSE(Engine::open(options).ok());
    if (round == 0) {
      REQUIRE((*engine)->create_bucket({.name = "real"}, never).ok());
      REQUIRE((*engine)->put({"real", "large"}, large, {}, never).ok());
      REQUIRE((*engine)->put({"real", "small"}, "s", {}, never).ok());
      continue;
    }
    auto reader = (*engine)->get({"real", "large"}, {}, never);
    REQUIRE(reader.ok());
    std::string all;
    for (auto piece = (*reader)->next(); piece.ok() && !piece->empty(); piece = (*reader)->next())
      all += *piece;
    CHECK(all == large);
    CHECK((*engine)->remove({"real", "large"}, never).value());
    CHECK((*engine)->wait_collected(os::Deadline::in_ms(10'000)).ok());
  }
}

}  // namespace engine_test
