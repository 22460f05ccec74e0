// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/multipart.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/core/core.h"
#include "objectstore/core/upload_records.h"
#include "objectstore/engine_rig_test.h"
#include "os/log.h"

namespace multipart_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

/// An engine with one bucket, on a disk in memory.
struct Rig : EngineHost {
  Rig() {
    options.space_check_ms = 0;
    options.recovery_interval_ms = 5;
    start();
    must(engine->create_bucket({.name = "photos", .owner = {.id = "me", .account_id = ""}}, never));
  }
  Uploads& uploads() { return engine->uploads(); }

  std::string begin(std::string_view key = "k", const CreateUploadParams& params = {}) {
    return must(uploads().create({"photos", key}, params, never)).upload_id;
  }
  Result<s3::Part> try_part(const std::string& id, int number, std::string_view body,
                            std::string_view key = "k") {
    CAIRN_TRY(const auto writer,
              uploads().begin_part({"photos", key}, id, number, body.size(), never));
    CAIRN_CHECK(writer->write(body));
    return writer->finish({}, never);
  }
  s3::Part part(const std::string& id, int number, std::string_view body,
                std::string_view key = "k") {
    return must(try_part(id, number, body, key));
  }
  Result<s3::Object> complete(const std::string& id, std::vector<int> numbers,
                              s3::WriteCondition condition = {}, std::string_view key = "k") {
    return uploads().complete(
        {"photos", key}, id,
        {.numbers = std::move(numbers),
         .judge = [](const std::vector<s3::Part>& parts) -> Result<Completed> {
           std::string digests;
           for (const s3::Part& p : parts) {
             if (p.etag.empty())
               return Error{.kind = ErrorKind::invalid_argument, .code = "InvalidPart"};
             digests += *from_hex(p.etag);
           }
           return Completed{.etag = to_hex(md5(digests)) + "-" + std::to_string(parts.size())};
         },
         .condition = std::move(condition)},
        never);
  }
  std::string get(std::string_view key = "k") {
    auto reader = engine->get({"photos", key}, {}, never);
    if (!reader.ok()) return "(" + reader.error().code + ")";
    return read(**reader);
  }
};

std::string code(const Error& error) { return error.code; }

}  // namespace

TEST_CASE("multipart: parts in any order become one object, over a restart too") {
  Rig rig;
  const std::string id = rig.begin("k", {.attributes = {.content_type = "text/plain"},
                                         .owner = {.id = "me", .account_id = "1"}});
  const std::string a = bytes_of(300'000, 1), b = bytes_of(70'000, 2), c = bytes_of(3, 3);
  rig.part(id, 7, c);
  rig.part(id, 2, bytes_of(10, 9));
  rig.part(id, 1, a);
  CHECK(rig.part(id, 2, b).etag == to_hex(md5(b)));  // the last one of a number wins
  CHECK(rig.get() == "(NoSuchKey)");
  rig.start();
  rig.part(id, 9, "left over");
  const s3::Object object = must(rig.complete(id, {1, 2, 7}));
  CHECK(object.size_bytes == a.size() + b.size() + c.size());
  CHECK(object.etag.ends_with("-3"));
  CHECK(object.attributes.content_type == "text/plain");
  CHECK(object.owner.id == "me");
  REQUIRE(object.parts.size() == 3);
  CHECK(object.parts[1].number == 2);
  CHECK(object.parts[1].size_bytes == b.size());
  for (int round = 0; round < 2; ++round) {
    CHECK((rig.get() == a + b + c));
    CHECK(rig.extent_files() == 3);
    rig.start();
  }
  CHECK(code(rig.complete(id, {1, 2, 7}).error()) == "NoSuchUpload");
  CHECK(code(rig.try_part(id, 1, "x").error()) == "NoSuchUpload");

  // A copy shares the parts; they go with the last of the two.
  must(rig.engine->copy({"photos", "k"}, {"photos", "copy"}, {}, never));
  must(rig.engine->remove({"photos", "k"}, never));
  CHECK(rig.extent_files() == 3);
  CHECK((rig.get("copy") == a + b + c));
  must(rig.engine->remove({"photos", "copy"}, never));
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("multipart: ranges cross the borders of parts") {
  Rig rig;
  const std::string id = rig.begin();
  const std::string a = bytes_of(100'000, 1), b = bytes_of(100'000, 2);
  rig.part(id, 1, a);
  rig.part(id, 2, b);
  REQUIRE(rig.complete(id, {1, 2}).ok());
  auto reader =
      must(rig.engine->get({"photos", "k"}, {.first = 99'990, .last = 100'009}, never));
  std::string all;
  for (auto piece = must(reader->next()); !piece.empty(); piece = must(reader->next()))
    all += piece;
  CHECK(all == a.substr(99'990) + b.substr(0, 10));
}

TEST_CASE("multipart: an aborted upload leaves nothing") {
  Rig rig;
  const std::string id = rig.begin();
  rig.part(id, 1, bytes_of(100'000, 1));
  rig.part(id, 2, bytes_of(10, 2));
  CHECK(rig.extent_files() == 2);
  REQUIRE(rig.uploads().abort({"photos", "k"}, id, never).ok());
  CHECK(rig.extent_files() == 0);
  CHECK(code(rig.uploads().abort({"photos", "k"}, id, never).error()) == "NoSuchUpload");
  CHECK(code(rig.complete(id, {1}).error()) == "NoSuchUpload");
  CHECK(code(rig.uploads().list_parts({"photos", "k"}, id, 0, 10).error()) == "NoSuchUpload");
  // Ids are good for their own key and bucket only, and others are none.
  const std::string other = rig.begin("other");
  for (const std::string& bad : {other, std::string(), std::string("x"), id + "A", id.substr(1)})
    CHECK(code(rig.uploads().find({"photos", "k"}, bad).error()) == "NoSuchUpload");
  CHECK(code(rig.uploads().find({"none", "other"}, other).error()) == "NoSuchBucket");
}

TEST_CASE("multipart: a bucket goes with its unfinished uploads") {
  Rig rig;
  const std::string id = rig.begin();
  rig.part(id, 1, bytes_of(100'000, 1));
  REQUIRE(rig.engine->delete_bucket("photos", never).ok());
  CHECK(rig.extent_files() == 0);
  must(rig.engine->create_bucket({.name = "photos"}, never));
  CHECK(code(rig.complete(id, {1}).error()) == "NoSuchUpload");
  CHECK(must(rig.uploads().list("photos", {}, never)).uploads.empty());
}

TEST_CASE("multipart: what a refused completion leaves can be completed") {
  Rig rig;
  const std::string id = rig.begin();
  rig.part(id, 1, "abc");
  CHECK(code(rig.complete(id, {1, 2}).error()) == "InvalidPart");
  CHECK(must(rig.uploads().list_parts({"photos", "k"}, id, 0, 10)).parts.size() == 1);
  REQUIRE(rig.complete(id, {1}).ok());
  CHECK(rig.get() == "abc");
}

TEST_CASE("multipart: a key that was put and emptied since the initiation was not free") {
  Rig rig;
  const s3::WriteCondition free{.if_none_match = true};
  const auto begin = [&](std::string_view key) {
    const std::string id = rig.begin(key);
    rig.part(id, 1, "abc", key);
    return id;
  };
  const auto attempt = [&](const std::string& id, const s3::WriteCondition& condition,
                           std::string_view key) -> std::string {
    const auto object = rig.complete(id, {1}, condition, key);
    return object.ok() ? "" : code(object.error());
  };
  const auto put_and_empty = [&](std::string_view key) {
    must(rig.engine->put({"photos", key}, "x", {}, never));
    must(rig.engine->remove({"photos", key}, never));
  };
  const auto emptied_rows = [&] {
    auto cursor = must(rig.engine->core().kv().cursor(Table::system, "emptied0"));
    int count = 0;
    for (cursor->seek("emptied/"); cursor->valid(); cursor->next()) ++count;
    return count;
  };
  put_and_empty("k");  // nobody waits for it
  CHECK(emptied_rows() == 0);
  const std::string first = begin("k"), other = begin("k2");
  put_and_empty("k");
  const std::string second = begin("k");
  CHECK(attempt(first, free, "k") == "ConditionalRequestConflict");
  CHECK(attempt(other, free, "k2").empty());
  CHECK(attempt(second, free, "k").empty());
  CHECK(emptied_rows() == 1);
  must(rig.engine->remove({"photos", "k"}, never));
  rig.start();
  CHECK(attempt(first, free, "k") == "ConditionalRequestConflict");
  CHECK(attempt(first, {}, "k").empty());
  CHECK(emptied_rows() == 0);

  const std::string last = begin("k3");
  put_and_empty("k3");
  CHECK(emptied_rows() == 1);
  REQUIRE(rig.uploads().abort({"photos", "k3"}, last, never).ok());
  CHECK(emptied_rows() == 0);
}

TEST_CASE("multipart: conditions, also those that hold by luck") {
  Rig rig;
  const auto put = [&](const char* key, const char* body) {
    return must(rig.engine->put({"photos", key}, body, {}, never)).etag;
  };
  const auto attempt = [&](const std::string& id, s3::WriteCondition condition) -> std::string {
    const auto object = rig.complete(id, {1}, std::move(condition));
    return object.ok() ? "" : code(object.error());
  };
  std::string id = rig.begin();
  rig.part(id, 1, "abc");
  CHECK(attempt(id, {.if_match = "x"}) == "PreconditionFailed");  // no object is there
  CHECK(attempt(id, {.if_none_match = true}).empty());

  id = rig.begin();
  rig.part(id, 1, "def");
  CHECK(attempt(id, {.if_none_match = true}) == "PreconditionFailed");
  must(rig.engine->remove({"photos", "k"}, never));
  CHECK(attempt(id, {.if_none_match = true}) == "ConditionalRequestConflict");
  CHECK(attempt(id, {}).empty());

  const std::string etag = put("k", "one");
  id = rig.begin();
  rig.part(id, 1, "ghi");
  put("k", "one");  // the same bytes, another version
  CHECK(attempt(id, {.if_match = etag}) == "ConditionalRequestConflict");
  CHECK(attempt(id, {.if_match = "other"}) == "PreconditionFailed");
  id = rig.begin();
  rig.part(id, 1, "ghi");
  CHECK(attempt(id, {.if_match = etag}).empty());
  CHECK(rig.get() == "ghi");
}

TEST_CASE("multipart: parts are listed in pages") {
  Rig rig;
  const std::string id = rig.begin();
  for (const int number : {3, 1, 10'000, 2}) rig.part(id, number, std::to_string(number));
  const auto numbers = [&](int marker, std::size_t limit) {
    const PartsPage page = must(rig.uploads().list_parts({"photos", "k"}, id, marker, limit));
    std::string all;
    for (const s3::Part& part : page.parts) all += std::to_string(part.number) + " ";
    return all + (page.truncated ? "..." : "");
  };
  CHECK(numbers(0, 10) == "1 2 3 10000 ");
  CHECK(numbers(0, 2) == "1 2 ...");
  CHECK(numbers(2, 2) == "3 10000 ");
  CHECK(numbers(10'000, 2).empty());
}

TEST_CASE("multipart: uploads are listed by key and age, folded, in pages") {
  Rig rig;
  const std::string zero("a\0b", 3);
  for (const std::string& key : {std::string("b"), std::string("a"), std::string("dir/1"),
                                 std::string("dir/2"), zero, std::string("a"), std::string("z")})
    rig.begin(key);
  const auto listed = [&](const ListUploadsParams& params) {
    const UploadsPage page = must(rig.uploads().list("photos", params, never));
    std::string all;
    for (const auto& upload : page.uploads) all += upload.key + " ";
    for (const std::string& prefix : page.common_prefixes) all += "[" + prefix + "] ";
    return all + (page.truncated ? "..." : "");
  };
  CHECK(listed({}) == "a a " + zero + " b dir/1 dir/2 z ");
  CHECK(listed({.prefix = "dir/"}) == "dir/1 dir/2 ");
  CHECK(listed({.delimiter = "/"}) == "a a " + zero + " b z [dir/] ");
  CHECK(listed({.key_marker = "a"}) == zero + " b dir/1 dir/2 z ");
  CHECK(listed({.delimiter = "/", .key_marker = "dir/"}) == "z ");
  CHECK(listed({.limit = 0}).empty());
  // Page by page, everything comes once.
  for (const char* delimiter : {"", "/"}) {
    const ListUploadsParams all{.delimiter = delimiter};
    const UploadsPage whole = must(rig.uploads().list("photos", all, never));
    std::size_t count = 0;
    ListUploadsParams params{.delimiter = delimiter, .limit = 1};
    for (bool more = true; more;) {
      const UploadsPage page = must(rig.uploads().list("photos", params, never));
      count += page.uploads.size() + page.common_prefixes.size();
      params.key_marker = page.next_key_marker;
      params.upload_id_marker = page.next_upload_id_marker;
      more = page.truncated;
      REQUIRE(count <= 10);
    }
    CHECK(count == whole.uploads.size() + whole.common_prefixes.size());
  }
}

TEST_CASE("multipart: an abort that races parts leaves no storage behind") {
  Rig rig;
  for (int round = 0; round < 20; ++round) {
    const std::string id = rig.begin();
    std::atomic<int> kept{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 5; ++i)
          if (rig.try_part(id, 1 + (t + i) % 3, bytes_of(70'000, t * 10 + i)).ok()) ++kept;
      });
    while (kept.load() < 3) std::this_thread::yield();
    REQUIRE(rig.uploads().abort({"photos", "k"}, id, never).ok());
    threads.clear();
    CHECK(rig.extent_files() == 0);
  }
}

TEST_CASE("multipart: cut at every change on the disk, an upload is whole or not there") {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  const std::string a = bytes_of(70'000, 1), b = bytes_of(20, 2), old = bytes_of(80'000, 3);
  for (std::uint64_t cut = 1;; ++cut) {
    CAPTURE(cut);
    Rig rig;
    must(rig.engine->put({"photos", "k"}, old, {}, never));
    const std::string id = rig.begin();
    rig.part(id, 1, a);
    const std::uint64_t start = rig.files.calls();
    rig.files.cut_at(start + cut);
    const bool part = rig.try_part(id, 2, b).ok();
    const bool done = part && rig.complete(id, {1, 2}).ok();
    const bool survived = !rig.files.is_cut();
    rig.engine.reset();
    rig.files.crash(os::CrashKeeps::random, cut);
    rig.start();
    const std::string now = rig.get();
    CHECK((now == old || now == a + b));
    if (done) CHECK((now == a + b));
    const auto upload = rig.uploads().find({"photos", "k"}, id);
    CHECK(upload.ok() == (now == old));
    if (upload.ok()) {
      const auto parts = must(rig.uploads().list_parts({"photos", "k"}, id, 0, 10)).parts;
      CHECK(parts.size() >= (part ? 2u : 1u));
      CHECK(rig.extent_files() == 1 + parts.size());
      REQUIRE(rig.uploads().abort({"photos", "k"}, id, never).ok());
    }
    CHECK(rig.extent_files() == (now == old ? 1 : 2));
    if (survived) {
      MESSAGE((cut - 1) << " changes on the disk");
      CHECK(done);
      break;
    }
  }
}

TEST_CASE("multipart: parts without bytes, and objects of nothing else") {
  Rig rig;
  const std::string id = rig.begin();
  CHECK(rig.part(id, 1, "").etag == to_hex(md5("")));
  const s3::Object object = must(rig.complete(id, {1}));
  CHECK(object.size_bytes == 0);
  CHECK(object.parts.size() == 1);
  CHECK(rig.get().empty());
  rig.start();
  CHECK(rig.get().empty());
}

}  // namespace multipart_test
