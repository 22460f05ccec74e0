// SPDX-License-Identifier: Apache-2.0
// Bytes behind what an object holds: judged at its size, atomic, and at the cost of those bytes.
#include <atomic>
#include <thread>

#include "base/encode.h"
#include "objectstore/cipher.h"
#include "objectstore/engine_rig_test.h"
#include "objectstore/verify.h"
#include "os/log.h"
#include "s3/errors.h"

namespace cairn::objectstore::append_test {
namespace {

using namespace testing;

struct AppendRig : EngineRig {
  explicit AppendRig(KeyRing* ring = nullptr) : EngineRig(s3::Versioning::off, ring) {}

  Result<s3::Object> try_append(std::string_view key, std::uint64_t offset, std::string_view bytes,
                                const PutParams& put = {}, AppendParams params = {}) {
    params.offset = offset;
    params.expected_bytes = bytes.size();
    CAIRN_TRY(const auto writer, engine->begin_append({"bucket", key}, params, never));
    CAIRN_CHECK(writer->write(bytes));
    return writer->finish(put, never);
  }
  s3::Object append(std::string_view key, std::uint64_t offset, std::string_view bytes,
                    const PutParams& put = {}) {
    return must(try_append(key, offset, bytes, put));
  }
  std::string append_outcome(std::string_view key, std::uint64_t offset, std::string_view bytes,
                             const PutParams& put = {}) {
    return outcome(try_append(key, offset, bytes, put));
  }
  s3::Object head(std::string_view key = "k") { return must(engine->head({"bucket", key}, never)); }
  Standing standing(std::string_view key = "k") {
    auto& core = engine->core();
    return *must(core.find_version(*must(core.find_bucket("bucket")), key, {}));
  }
  std::size_t damages() {
    engine.reset();
    std::size_t count = 0;
    must(verify_folder(
        options, [&](const Damage& damage) { count += damage.reason.empty() ? 0 : 1; }, never));
    start();
    return count;
  }
};

std::string read_all(ObjectReader& reader) {
  std::string all;
  for (;;) {
    const auto piece = must(reader.next());
    if (piece.empty()) return all;
    all += piece;
  }
}

TEST_CASE("append: an object grows from nothing, and says so of itself") {
  AppendRig rig;
  const s3::Object made = rig.append("k", 0, "abc", {.attributes = {.content_type = "text/plain"}});
  CHECK(made.etag == to_hex(md5("abc")));
  CHECK(made.parts.empty());
  rig.clock.advance_ms(5000);
  const s3::Object two = rig.append("k", 3, "defg", {.attributes = {.content_type = "text/html"}});
  CHECK(two.size_bytes == 7);
  CHECK(two.modified_ms == made.modified_ms + 5000);
  CHECK(two.attributes.content_type == "text/plain");
  CHECK(two.etag.ends_with("-2"));
  CHECK(two.etag.size() == 34);
  const s3::Object three = rig.append("k", 7, "defg");
  CHECK(three.etag.ends_with("-3"));
  CHECK(rig.get("k") == "abcdefgdefg");
  const s3::Object head = rig.head();
  CHECK(head.etag == three.etag);
  REQUIRE(head.parts.size() == 3);
  CHECK(head.parts[0].etag == made.etag);
  CHECK(head.parts[1].number == 2);
  CHECK(head.parts[1].size_bytes == 4);
  CHECK(rig.get({"bucket", "k"}, {.part_number = 2}) == "defg");
  CHECK(rig.get({"bucket", "k"}, {.first = 2, .last = 8}) == "cdefgde");
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("append: what is refused, and changes nothing") {
  AppendRig rig;
  rig.put("k", "abc");
  CHECK(rig.append_outcome("k", 0, "x") == "InvalidWriteOffset");
  CHECK(rig.append_outcome("k", 4, "x") == "InvalidWriteOffset");
  CHECK(rig.append_outcome("none", 1, "x") == "InvalidWriteOffset");
  CHECK(rig.append_outcome("k", 3, "") == "InvalidRequest");
  CHECK(rig.append_outcome("none", 0, "") == "InvalidRequest");
  CHECK(rig.append_outcome("k", 3, "x", {.condition = {.if_none_match = true}}) ==
        "PreconditionFailed");
  CHECK(rig.append_outcome("k", 3, "x", {.condition = {.if_match = "other"}}) ==
        "PreconditionFailed");
  CHECK(rig.append_outcome("k", 3, "x", {.content_md5 = std::string(16, 'x')}) == "BadDigest");
  const auto no = [](const s3::Object&) { return Status(s3::error("AccessDenied")); };
  CHECK(outcome(rig.try_append("k", 3, "x", {}, {.judge = no})) == "AccessDenied");
  CHECK(rig.append_outcome("", 0, "x") == "InvalidArgument");
  CHECK(rig.get("k") == "abc");
  CHECK(rig.head().etag == to_hex(md5("abc")));
  CHECK(rig.append_outcome("k", 3, "x", {.condition = {.if_match = to_hex(md5("abc"))}}) == "ok");
  CHECK(rig.append_outcome("new", 0, "x", {.condition = {.if_none_match = true}}) == "ok");
  rig.version(s3::Versioning::enabled);
  CHECK(rig.append_outcome("k", 4, "x") == "InvalidRequest");
}

TEST_CASE(
    "append: a small body leaves its row for an extent, one that is in extents gets another") {
  AppendRig rig;
  const std::string a = bytes_of(40'000, 1), b = bytes_of(30'000, 2), c = bytes_of(7, 3);
  const std::string d = bytes_of(300'000, 4);
  rig.put("k", a);
  rig.append("k", a.size(), b);
  CHECK(rig.extent_files() == 1);
  rig.append("k", 70'000, c);
  rig.append("k", 70'007, d);
  CHECK(rig.extent_files() == 3);
  const std::string whole = a + b + c + d;
  rig.start();
  CHECK(rig.get("k") == whole);
  CHECK(rig.head().parts.size() == 4);
  // Over each seam.
  for (const std::uint64_t at : {40'000u, 70'000u, 70'007u})
    CHECK(rig.get({"bucket", "k"}, {.first = at - 5, .last = at + 20}) == whole.substr(at - 5, 26));
  CHECK(rig.get({"bucket", "k"}, {.part_number = 3}) == c);
  CHECK(rig.damages() == 0);
  must(rig.engine->remove({"bucket", "k"}, never));
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("append: behind an empty object it is as if it was made so") {
  AppendRig rig;
  rig.put("k", "", {.attributes = {.content_type = "text/plain"}});
  const s3::Object object = rig.append("k", 0, "abc");
  CHECK(object.etag == to_hex(md5("abc")));
  CHECK(object.parts.empty());
  CHECK(object.attributes.content_type == "text/plain");
  CHECK(rig.get("k") == "abc");
}

TEST_CASE("append: who began to read reads what was there") {
  for (const std::size_t size : {100u, 200'000u}) {
    AppendRig rig;
    const std::string before = bytes_of(size, 1);
    rig.put("k", before);
    const auto reader = must(rig.engine->get({"bucket", "k"}, {}, never));
    const s3::Object object = rig.append("k", size, bytes_of(70'000, 2));
    CHECK(reader->object().size_bytes == size);
    CHECK(read_all(*reader) == before);
    const auto second = must(rig.engine->get({"bucket", "k"}, {}, never));
    must(rig.engine->remove({"bucket", "k"}, never));
    CHECK(read_all(*second) == before + bytes_of(70'000, 2));
  }
}

TEST_CASE("append: of many at one offset one wins, and nothing of the others stays") {
  for (const std::size_t size : {10u, 100'000u}) {
    AppendRig rig;
    const std::string before = bytes_of(size, 1);
    rig.put("k", before);
    constexpr int writers = 8;
    std::atomic<int> winner{-1}, won{0}, refused{0};
    std::vector<std::thread> pool;
    for (int i = 0; i < writers; ++i)
      pool.emplace_back([&, i] {
        const auto done =
            rig.try_append("k", size, bytes_of(80'000, 10 + static_cast<std::uint64_t>(i)));
        if (done.ok()) ++won, winner = i;
        if (!done.ok() && done.error().code == "InvalidWriteOffset") ++refused;
      });
    for (std::thread& thread : pool) thread.join();
    CHECK(won == 1);
    CHECK(refused == writers - 1);
    CHECK(rig.get("k") == before + bytes_of(80'000, 10 + static_cast<std::uint64_t>(winner)));
    CHECK(rig.extent_files() == (size > 64'000 ? 2 : 1));
  }
}

TEST_CASE("append: appends in turn by many threads are all there, in order") {
  AppendRig rig;
  rig.options.inline_bytes_max = 50;
  rig.start();
  constexpr std::uint64_t writers = 4, each = 20;
  std::vector<std::thread> pool;
  for (std::uint64_t i = 0; i < writers; ++i)
    pool.emplace_back([&, i] {
      const std::string line = "line of " + std::to_string(i) + "\n";
      for (std::uint64_t done = 0; done < each;) {
        const auto there = rig.engine->look({"bucket", "k"}, never);
        const std::uint64_t size = there.ok() && *there ? (*there)->size_bytes : 0;
        if (rig.try_append("k", size, line).ok()) ++done;
      }
    });
  for (std::thread& thread : pool) thread.join();
  const std::string all = rig.get("k");
  CHECK(all.size() == writers * each * 10);
  for (std::uint64_t i = 0; i < writers; ++i) {
    std::size_t count = 0;
    const std::string line = "line of " + std::to_string(i) + "\n";
    for (std::size_t at = 0; (at = all.find(line, at)) != std::string::npos; at += line.size())
      ++count;
    CHECK(count == each);
  }
  CHECK(rig.head().parts.size() == writers * each);
  CHECK(rig.damages() == 0);
}

TEST_CASE("append: what was replaced or removed meanwhile is not appended to") {
  AppendRig rig;
  const auto meanwhile = [&](std::string_view key, std::uint64_t offset, const auto& change) {
    const auto writer = must(rig.engine->begin_append({"bucket", key}, {.offset = offset}, never));
    must(writer->write(bytes_of(70'000, 5)));
    change();
    return outcome(writer->finish({}, never));
  };
  for (const std::size_t size : {3u, 90'000u}) {
    rig.put("k", bytes_of(size, 1));
    CHECK(meanwhile("k", size, [&] { rig.put("k", bytes_of(size, 2)); }) == "OperationAborted");
    CHECK(rig.get("k") == bytes_of(size, 2));
    CHECK(meanwhile("k", size, [&] { rig.put("k", "x"); }) == "InvalidWriteOffset");
    rig.put("k", bytes_of(size, 1));
    CHECK(meanwhile("k", size, [&] {
            must(rig.engine->remove({"bucket", "k"}, never));
          }) == "InvalidWriteOffset");
    CHECK(rig.get("k") == "(NoSuchKey)");
  }
  CHECK(meanwhile("new", 0, [&] { rig.put("new", "x"); }) == "InvalidWriteOffset");
  CHECK(rig.get("new") == "x");
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("append: encrypted bodies go on under their key, in rows under a new one") {
  MasterKeyRing ring{std::string(32, 'k')};
  AppendRig rig(&ring);
  const PutParams sealed{.encryption = {.how = {.method = s3::EncryptionMethod::aes256}}};
  rig.put("k", "first", sealed);
  const std::string first_key = rig.standing().record.sealed_key;
  rig.append("k", 5, ", second");
  const std::string second_key = rig.standing().record.sealed_key;
  CHECK(first_key != second_key);
  CHECK(rig.get("k") == "first, second");
  const std::string large = bytes_of(150'000, 1), more = bytes_of(100, 2);
  rig.append("k", 13, large);
  const std::string third_key = rig.standing().record.sealed_key;
  rig.append("k", 150'013, more);
  rig.append("k", 150'113, large);
  CHECK(rig.standing().record.sealed_key == third_key);
  const std::string whole = "first, second" + large + more + large;
  rig.start();
  CHECK(rig.get("k") == whole);
  CHECK(rig.get({"bucket", "k"}, {.first = 150'000, .last = 150'200}) ==
        whole.substr(150'000, 201));
  CHECK(rig.head().encryption.method == s3::EncryptionMethod::aes256);
  CHECK(rig.damages() == 0);
  // One that is made is encrypted as it was asked for.
  must(rig.try_append("new", 0, "x", {}, {.encryption = sealed.encryption}));
  CHECK(rig.head("new").encryption.method == s3::EncryptionMethod::aes256);
  CHECK(rig.get("new") == "x");
}

TEST_CASE("append: an object of an upload gets one part more, and another upload sees the change") {
  AppendRig rig;
  Uploads& uploads = rig.engine->uploads();
  const auto begin = [&] { return must(uploads.create({"bucket", "k"}, {}, never)).upload_id; };
  const auto part = [&](const std::string& id, int number, std::string_view body) {
    const auto writer = must(uploads.begin_part({"bucket", "k"}, id, number, std::nullopt, never));
    must(writer->write(body));
    must(writer->finish({}, never));
  };
  const auto complete = [&](const std::string& id, std::vector<int> numbers,
                            s3::WriteCondition condition = {}) {
    return uploads.complete({"bucket", "k"}, id,
                            {.numbers = std::move(numbers),
                             .judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
                               return Completed{.etag = "whole-40"};
                             },
                             .condition = std::move(condition)},
                            never);
  };
  const std::string id = begin();
  std::vector<int> numbers;
  std::string whole;
  for (int i = 1; i <= 40; ++i) {  // a manifest
    part(id, i, "part " + std::to_string(i));
    whole += "part " + std::to_string(i);
    numbers.push_back(i);
  }
  must(complete(id, numbers));
  const std::string other = begin();
  part(other, 1, "other");
  const s3::Object object = rig.append("k", whole.size(), "more");
  CHECK(object.etag.ends_with("-41"));
  CHECK(rig.get("k") == whole + "more");
  CHECK(rig.head().parts.size() == 41);
  CHECK(rig.get({"bucket", "k"}, {.part_number = 41}) == "more");
  CHECK(outcome(complete(other, {1}, {.if_match = object.etag})) == "ConditionalRequestConflict");
  must(uploads.abort({"bucket", "k"}, other, never));
  CHECK(rig.extent_files() == 41);
  CHECK(rig.damages() == 0);
}

/// Each appended byte is an extent.
struct ManyParts : AppendRig {
  ManyParts() {
    options.inline_bytes_max = 0;
    start();
  }
  void grow(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      body += static_cast<char>('a' + body.size() % 26);
      append("k", body.size() - 1, std::string_view(body).substr(body.size() - 1));
    }
  }
  std::string body;
};

TEST_CASE("append: the step writes what is new, however many parts there are") {
  ManyParts rig;
  rig.grow(3);
  std::size_t most = 0, pieces = 0;
  for (int turn = 0; turn < 200; ++turn) {
    rig.grow(3);
    const Standing now = rig.standing();
    most = std::max(most, now.value.size());
    // What is in a piece stays in it.
    CHECK(now.record.manifest.pieces >= pieces);
    CHECK(now.record.manifest.pieces <= pieces + 1);
    pieces = now.record.manifest.pieces;
  }
  CHECK(most < 8 << 10);
  CHECK(pieces == 603 / 65);
  CHECK(rig.get("k") == rig.body);
  CHECK(rig.head().parts.size() == 603);
  CHECK(rig.get({"bucket", "k"}, {.part_number = 600}) == rig.body.substr(599, 1));
}

TEST_CASE("append: objects of many parts are whole after all that can be done with them") {
  ManyParts rig;
  rig.grow(200);
  CHECK(rig.standing().record.manifest.pieces == 3);
  // What is said of it is changed, and nothing else.
  must(rig.engine->change_object({"bucket", "k"}, {.tags = s3::Tags{{"a", "b"}}}, never));
  CHECK(rig.get("k") == rig.body);
  CHECK(rig.head().tags == s3::Tags{{"a", "b"}});
  rig.grow(100);
  rig.start();
  CHECK(rig.head().parts.size() == 300);
  CHECK(rig.get("k") == rig.body);
  CHECK(must(rig.engine->list("bucket", {.with_state = true}, never)).objects[0].parts.empty());
  CHECK(rig.damages() == 0);
  Scrubber scrubber(*rig.engine);
  while (!must(scrubber.step(1'000, 0, never))) {
  }
  CHECK(scrubber.damage().empty());
  must(rig.engine->rename("bucket", "k", "moved", {}, never));
  CHECK(rig.get("moved") == rig.body);
  // A copy is of one part, and its bytes lie together.
  const s3::Object copied =
      must(rig.engine->copy({"bucket", "moved"}, {"bucket", "copy"}, {}, never));
  CHECK(copied.etag == to_hex(md5(rig.body)));
  CHECK(rig.standing("copy").record.extents.size() == 1);
  CHECK(rig.extent_files() == 301);
  must(rig.engine->remove({"bucket", "moved"}, never));
  CHECK(rig.extent_files() == 1);
  CHECK(rig.get("copy") == rig.body);
  rig.put("copy", "x");
  CHECK(rig.damages() == 0);
}

TEST_CASE("append: a copy that shares its extents is appended to by itself") {
  AppendRig rig;
  const std::string a = bytes_of(100'000, 1), b = bytes_of(80'000, 2), c = bytes_of(90'000, 3);
  rig.put("k", a);
  must(rig.engine->copy({"bucket", "k"}, {"bucket", "copy"}, {}, never));
  rig.append("k", a.size(), b);
  rig.append("copy", a.size(), c);
  must(rig.engine->copy({"bucket", "k"}, {"bucket", "third"}, {}, never));
  CHECK(rig.get("k") == a + b);
  CHECK(rig.get("copy") == a + c);
  must(rig.engine->remove({"bucket", "k"}, never));
  CHECK(rig.extent_files() == 3);
  CHECK(rig.get("third") == a + b);
  must(rig.engine->remove({"bucket", "third"}, never));
  CHECK(rig.extent_files() == 2);
  CHECK(rig.get("copy") == a + c);
  CHECK(rig.damages() == 0);
}

TEST_CASE("append: ten thousand parts, and no more; a copy takes more") {
  ManyParts rig;
  rig.grow(10'000);
  CHECK(rig.append_outcome("k", 10'000, "x") == "TooManyParts");
  CHECK(rig.head().parts.size() == 10'000);
  CHECK(rig.standing().value.size() < 8 << 10);
  must(rig.engine->copy({"bucket", "k"}, {"bucket", "copy"}, {}, never));
  CHECK(rig.append("copy", 10'000, "x").etag.ends_with("-2"));
  CHECK(rig.get("copy") == rig.body + "x");
}

TEST_CASE("append: whichever call to the disk fails, the object is as before or as after") {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  const std::string before = bytes_of(100'000, 1), more = bytes_of(200'000, 2);
  std::atomic<bool> failed = true;
  for (int number = 1; failed; ++number) {
    CAPTURE(number);
    AppendRig rig;
    rig.put("k", before);
    std::atomic<int> countdown = number;
    failed = false;
    rig.files.on_call([&](std::string_view call, const std::string&) -> Status {
      if (call == "read" || call == "list" || call == "info" || call == "lock") return ok_status();
      if (countdown == 0 || --countdown != 0) return ok_status();
      failed = true;
      return Error{.kind = ErrorKind::storage_full, .message = "a fault of the test"};
    });
    const auto done = rig.try_append("k", before.size(), more);
    rig.files.on_call(nullptr);
    const auto limit = os::Deadline::in_ms(60'000);
    while (!rig.engine->check_writable().ok()) REQUIRE(os::sleep_ms(1, limit));
    const std::string now = rig.get("k");
    CHECK((now == before + more || (!done.ok() && now == before)));
    CHECK(rig.extent_files() == (now == before ? 1 : 2));
    rig.start();
    CHECK((rig.get("k") == now));
    CHECK(rig.damages() == 0);
  }
}

}  // namespace
}  // namespace cairn::objectstore::append_test
