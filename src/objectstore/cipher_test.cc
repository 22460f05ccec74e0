// SPDX-License-Identifier: Apache-2.0
// Bodies encrypted at rest, by every way in and out.
#include "objectstore/cipher.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/encode.h"
#include "base/sanitized.h"
#include "objectstore/engine_rig_test.h"

namespace cipher_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

/// Keys by id, as a key service has them; counts what it is asked.
class Ring final : public KeyRing {
 public:
  Result<std::string> seal(const s3::Encryption& how, std::string_view data_key) override {
    ++sealed;
    CAIRN_TRY(const std::string key, find(how));
    return seal_secret(key, data_key, how.kms_context);
  }
  Result<std::string> unseal(const s3::Encryption& how, std::string_view bytes) override {
    CAIRN_TRY(const std::string key, find(how));
    return unseal_secret(key, bytes, how.kms_context);
  }
  std::map<std::string, std::string> keys = {{"", bytes_of(32, 1)}, {"k", bytes_of(32, 2)}};
  int sealed = 0;

 private:
  Result<std::string> find(const s3::Encryption& how) {
    const auto found = keys.find(how.kms_key_id);
    if (found != keys.end()) return found->second;
    return Error{.kind = ErrorKind::not_found, .code = "", .message = "no such key"};
  }
};

using enum s3::EncryptionMethod;

std::vector<EncryptionRequest> all_requests() {
  return {{.how = {.method = aes256}},
          {.how = {.method = kms, .kms_key_id = "k", .kms_context = "e30="}},
          {.how = {.method = kms_dsse, .kms_key_id = "k", .bucket_key = true}},
          {.how = {.method = customer}, .customer_key = bytes_of(32, 3)}};
}

/// Whether the bytes of `body` lie anywhere in the files of the engine. The database removes old
/// files of its own while this walks; what is gone by then holds nothing.
bool is_on_disk(os::FakeFiles& files, const std::string& directory, const std::string& body) {
  const auto names = must(files.list(directory));
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    const auto info = files.info(path);
    if (!info.ok() && info.error().kind == ErrorKind::not_found) continue;
    if (must(info).is_directory) {
      if (is_on_disk(files, path, body)) return true;
      continue;
    }
    const auto bytes = os::read_file(files, path, 1 << 30);
    if (bytes.ok() && bytes->find(body.substr(0, 40)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("cipher: sizes of sealed and plain bodies are inverse") {
  CHECK(sealed_bytes(0) == 0);
  for (const std::uint64_t plain :
       {1ull, 100ull, plain_chunk_bytes - 1ull, plain_chunk_bytes + 0ull, plain_chunk_bytes + 1ull,
        3ull * plain_chunk_bytes, 5'368'709'120ull})
    CHECK(plain_bytes(sealed_bytes(plain)) == plain);
  CHECK(sealed_bytes(plain_chunk_bytes) == sealed_chunk_bytes);
}

TEST_CASE("cipher: a chunk opens in its own place alone, and not when a bit of it differs") {
  for (const std::size_t key_bytes : {32u, 64u}) {
    BodyCipher cipher(bytes_of(key_bytes));
    std::string sealed, plain;
    REQUIRE(cipher.seal(7, 3, "the text", sealed).ok());
    CHECK(sealed.size() == 8 + seal_bytes);
    CHECK(sealed.find("text") == std::string::npos);
    REQUIRE(cipher.unseal(7, 3, sealed, plain).ok());
    CHECK(plain == "the text");
    CHECK(outcome(cipher.unseal(7, 4, sealed, plain)) == "corrupt");
    CHECK(outcome(cipher.unseal(8, 3, sealed, plain)) == "corrupt");
    sealed[2] = static_cast<char>(sealed[2] ^ 1);
    CHECK(outcome(cipher.unseal(7, 3, sealed, plain)) == "corrupt");
    CHECK(plain == "the text");
  }
}

TEST_CASE("cipher: what goes in comes out, whole and in ranges, and does not lie there plain") {
  for (const EncryptionRequest& wanted : all_requests())
    for (const std::size_t size : {0u, 1u, 5'000u, 65'536u, 65'537u, 400'000u}) {
      Ring ring;
      EngineRig rig(s3::Versioning::off, &ring);
      const std::string body = bytes_of(size, 9);
      const auto object = rig.put("key", body, {.encryption = wanted});
      CHECK(object.size_bytes == size);
      CHECK(object.encryption == wanted.how);
      CHECK((object.etag == to_hex(md5(body))) == (wanted.how.method == aes256));
      if (size > 100) CHECK(!is_on_disk(rig.files, "/data", body));
      rig.start();
      const auto read = [&](ReadParams params) {
        params.customer_key = wanted.customer_key;
        return rig.get({"bucket", "key"}, params);
      };
      CHECK((read({}) == body));
      for (const std::uint64_t first : {0u, 1u, 65'519u, 65'520u, 65'521u, 131'000u, 399'999u})
        for (const std::uint64_t count : {1u, 17u, 65'520u, 200'000u})
          if (first < size)
            CHECK((read({.first = first, .last = first + count - 1}) == body.substr(first, count)));
    }
}

TEST_CASE("cipher: a customer's key is asked for, told from others, and not kept") {
  EngineRig rig;
  const std::string key = bytes_of(32, 3), other = bytes_of(32, 4);
  rig.put("key", "body", {.encryption = {.how = {.method = customer}, .customer_key = key}});
  rig.put("plain", "body");
  const ObjectName name{"bucket", "key"};
  CHECK(rig.get(name, {}) == "(InvalidRequest)");
  CHECK(rig.get(name, {.customer_key = other}) == "(AccessDenied)");
  CHECK(rig.get(name, {.customer_key = key}) == "body");
  CHECK(rig.get({"bucket", "plain"}, {.customer_key = key}) == "(InvalidRequest)");
  CHECK(outcome(rig.engine->head(name, std::optional<std::string>(), never)) == "InvalidRequest");
  CHECK(outcome(rig.engine->head(name, std::optional(other), never)) == "AccessDenied");
  CHECK(outcome(rig.engine->head(name, std::optional(key), never)) == "ok");
  CHECK(outcome(rig.engine->head(name, never)) == "ok");
  CHECK(!is_on_disk(rig.files, "/data", key));
  CHECK(outcome(rig.engine->put(
            name, "x", {.encryption = {.how = {.method = customer}, .customer_key = "short"}},
            never)) == "InvalidArgument");
  CHECK(outcome(rig.engine->put(name, "x", {.encryption = {.how = {.method = aes256}}}, never)) ==
        "unsupported");
}

TEST_CASE("cipher: parts share the key of their upload") {
  for (const EncryptionRequest& wanted : all_requests()) {
    Ring ring;
    EngineRig rig(s3::Versioning::off, &ring);
    Uploads& uploads = rig.engine->uploads();
    const ObjectName name{"bucket", "parts"};
    const auto upload = must(uploads.create(name, {.encryption = wanted}, never));
    CHECK(must(uploads.find(name, upload.upload_id)).encryption == wanted.how);
    std::string all;
    std::vector<int> numbers;
    for (const int number : {1, 2, 3}) {
      const std::string body = bytes_of(70'000, static_cast<std::uint64_t>(number));
      const auto part = must(uploads.begin_part(
          name, upload.upload_id, number,
          BeginPartParams{.expected_bytes = body.size(), .customer_key = wanted.customer_key},
          never));
      must(part->write(body));
      must(part->finish({}, never));
      numbers.push_back(number);
      all += body;
    }
    const BeginPartParams other{.customer_key = bytes_of(32, 8)};
    CHECK(outcome(uploads.begin_part(name, upload.upload_id, 4, other, never)) == "InvalidRequest");
    if (wanted.customer_key)
      CHECK(outcome(uploads.begin_part(name, upload.upload_id, 4, BeginPartParams{}, never)) ==
            "InvalidRequest");
    const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
      return Completed{.etag = "x-3"};
    };
    must(uploads.complete(name, upload.upload_id, {.numbers = numbers, .judge = judge}, never));
    const ReadParams read{.customer_key = wanted.customer_key};
    CHECK((rig.get(name, read) == all));
    ReadParams second = read;
    second.part_number = 2;
    CHECK((rig.get(name, second) == all.substr(70'000, 70'000)));
    CHECK(ring.sealed == (wanted.customer_key ? 0 : 1));
  }
}

TEST_CASE("cipher: copies keep, change and drop the encryption; the same one moves no bytes") {
  auto wants = all_requests();
  wants.push_back({});
  for (const std::size_t size : {500u, 150'000u})
    for (const EncryptionRequest& from : wants)
      for (const EncryptionRequest& to : wants) {
        Ring ring;
        EngineRig rig(s3::Versioning::off, &ring);
        const std::string body = bytes_of(size, 5);
        rig.put("from", body,
                {.checksum = s3::Checksum{.value = "AAAAAAAAAAA="}, .encryption = from});
        const std::size_t before = rig.extent_files();
        const auto copied = must(
            rig.engine->copy({"bucket", "from"}, {"bucket", "to"},
                             {.encryption = to, .source_customer_key = from.customer_key}, never));
        CHECK(copied.encryption == to.how);
        CHECK((rig.get({"bucket", "to"}, {.customer_key = to.customer_key}) == body));
        const bool same = from.how == to.how;
        if (size > 100'000) CHECK(rig.extent_files() == before + (same ? 0 : 1));
        must(rig.engine->remove({"bucket", "from"}, never));
        CHECK((rig.get({"bucket", "to"}, {.customer_key = to.customer_key}) == body));
      }
}

TEST_CASE("F07: of a million data keys, salts and nonces, drawn as ever, none comes twice") {
  constexpr std::size_t many = sanitized ? 100'000 : 1'000'000, salt_bytes = 16, check_bytes = 32,
                        nonce_bytes = 12;
  const EncryptionRequest wanted = all_requests()[3];
  std::vector<std::string> keys(many), salts(many), nonces(many);
  for (std::size_t i = 0; i < many; ++i) {
    const DataKey made = must(make_data_key(nullptr, wanted));
    keys[i] = made.key.substr(0, 15);  // as much as a string keeps in itself
    salts[i] = made.sealed.substr(0, salt_bytes - 1);
    nonces[i] = made.sealed.substr(salt_bytes + check_bytes, nonce_bytes);
  }
  for (auto* drawn : {&keys, &salts, &nonces}) {
    std::sort(drawn->begin(), drawn->end());
    CHECK(std::adjacent_find(drawn->begin(), drawn->end()) == drawn->end());
  }
}

TEST_CASE("F07: of a million serials, which tell bodies under one key apart, none comes twice") {
  EngineRig rig;
  std::uint64_t last = 0;
  for (int run = 0; run < 4; ++run) {
    for (int i = 0; i < 250'000; ++i) {
      const std::uint64_t serial = must(rig.engine->core().next_serial());
      if (serial <= last) FAIL("serial " << serial << " after " << last);
      last = serial;
    }
    if (run % 2 == 1) rig.files.crash();
    rig.start();
  }
}

TEST_CASE("F07: parts of one upload are sealed apart, however often, before a restart and after") {
  for (const EncryptionRequest& wanted : all_requests()) {
    Ring ring;
    EngineRig rig(s3::Versioning::off, &ring);
    const ObjectName name{"bucket", "parts"};
    const auto upload = must(rig.engine->uploads().create(name, {.encryption = wanted}, never));
    std::map<std::string, std::string> beginnings;  // of what lies in each file
    const auto look = [&] {
      for (int folder = 0; folder < 256; ++folder) {
        const std::string path =
            "/data/objects/extents/" + to_hex(std::string(1, static_cast<char>(folder)));
        const auto names = rig.files.list(path);
        if (!names.ok()) continue;
        for (const std::string& file : *names)
          if (const auto bytes = os::read_file(rig.files, path + "/" + file, 1 << 20); bytes.ok())
            beginnings[file] = bytes->substr(0, 32);
      }
    };
    for (int written = 0; written < 20; ++written) {
      if (written == 10) rig.start();
      const auto part = must(rig.engine->uploads().begin_part(
          name, upload.upload_id, 1 + written % 3,
          BeginPartParams{.expected_bytes = 100, .customer_key = wanted.customer_key}, never));
      must(part->write(std::string(100, 'x')));
      must(part->finish({}, never));
      look();
    }
    CHECK(beginnings.size() == 20);
    std::set<std::string> apart;
    for (const auto& [file, bytes] : beginnings) apart.insert(bytes);
    CHECK(apart.size() == beginnings.size());
  }
}

TEST_CASE("cipher: a change of an encrypted body that its checksum does not see is corrupt") {
  Ring ring;
  EngineRig rig(s3::Versioning::off, &ring);
  rig.put("key", bytes_of(100'000), {.encryption = all_requests()[0]});
  ring.keys[""] = bytes_of(32, 77);
  CHECK(rig.get("key") == "(corrupt)");
}

}  // namespace cipher_test
