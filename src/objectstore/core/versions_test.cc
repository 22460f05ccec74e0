// SPDX-License-Identifier: Apache-2.0
// Versions, delete markers and the version "null", beside an oracle that keeps plain lists.
#include <algorithm>
#include <map>
#include <set>

#include "base/sanitized.h"
#include "objectstore/engine_rig_test.h"
#include "os/random.h"

namespace versions_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct OracleVersion {
  std::string id;
  std::string body;
  bool marker = false;
  friend bool operator==(const OracleVersion&, const OracleVersion&) = default;
};

/// Versions of each key, newest first.
struct Oracle {
  std::map<std::string, std::vector<OracleVersion>> keys;
  s3::Versioning versioning = s3::Versioning::off;

  const OracleVersion* current(const std::string& key) const {
    const auto found = keys.find(key);
    if (found == keys.end() || found->second.front().marker) return nullptr;
    return &found->second.front();
  }
  void drop(const std::string& key, const std::string& id) {
    auto& all = keys[key];
    std::erase_if(all, [&](const OracleVersion& version) { return version.id == id; });
    if (all.empty()) keys.erase(key);
  }
  void put(const std::string& key, const OracleVersion& version) {
    if (version.id == "null") drop(key, "null");
    keys[key].insert(keys[key].begin(), version);
  }
  std::vector<std::pair<std::string, OracleVersion>> rows() const {
    std::vector<std::pair<std::string, OracleVersion>> all;
    for (const auto& [key, versions] : keys)
      for (const OracleVersion& version : versions) all.emplace_back(key, version);
    return all;
  }
};

using Rows = std::vector<std::pair<std::string, OracleVersion>>;

Rows listed(EngineRig& rig, std::size_t limit, const std::string& prefix = {}) {
  Rows rows;
  s3::ListVersionsParams params{.prefix = prefix, .limit = limit};
  std::string before;
  for (;;) {
    const auto page = must(rig.engine->list_versions("bucket", params, never));
    CHECK(page.versions.size() <= limit);
    for (const s3::Object& object : page.versions) {
      CHECK(object.latest == (object.key != before));
      before = object.key;
      rows.emplace_back(
          object.key,
          OracleVersion{object.version_id,
                        object.delete_marker ? "" : rig.get(object.key, object.version_id),
                        object.delete_marker});
    }
    if (!page.truncated) return rows;
    CHECK(page.versions.size() == limit);
    params.key_marker = page.next_key_marker;
    params.version_id_marker = page.next_version_id_marker;
  }
}

void check_same(EngineRig& rig, const Oracle& oracle) {
  const Rows wanted = oracle.rows();
  CHECK(listed(rig, 1000) == wanted);
  CHECK(listed(rig, 3) == wanted);
  std::vector<std::string> current;
  for (const auto& [key, versions] : oracle.keys)
    if (!versions.front().marker) current.push_back(key);
  const auto page = must(rig.engine->list("bucket", {}, never));
  std::vector<std::string> shown;
  for (const auto& object : page.objects) shown.push_back(object.key);
  CHECK(shown == current);
}

/// The extents on the disk are those of the versions, and nothing but their rows is kept.
void check_nothing_left(EngineRig& rig, const Oracle& oracle) {
  std::size_t large = 0;
  for (const auto& [key, version] : oracle.rows()) large += version.body.size() > 100 ? 1 : 0;
  CHECK(rig.extent_files() == large);
}

std::string key_of(os::Random& random) {
  static const std::vector<std::string> keys = {
      "a", "a/b", "a/c", "b", std::string("b\0", 2), std::string("b\0c", 3), "b\xff", "c/d/e"};
  return keys[random.below(keys.size())];
}

class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(os::seeded_random(seed)) {
    rig_.options.inline_bytes_max = 100;
    rig_.start();
  }
  void step() {
    switch (random_->below(12)) {
      case 0:
        return change_versioning();
      case 1:
      case 2:
        return remove();
      case 3:
      case 4:
      case 5:
        return remove_version();
      case 6:
        return remove_batch();
      case 7:
        return copy();
      case 8:
        return multipart();
      case 9:
        return change();
      default:
        return put();
    }
  }
  EngineRig& rig() { return rig_; }
  const Oracle& oracle() const { return oracle_; }

 private:
  bool named() const { return oracle_.versioning == s3::Versioning::enabled; }
  void check_id(const std::string& id) { CHECK((id != "null") == named()); }

  void change_versioning() {
    oracle_.versioning =
        random_->below(2) == 0 ? s3::Versioning::enabled : s3::Versioning::suspended;
    rig_.version(oracle_.versioning);
  }
  std::string new_body() { return bytes_of(random_->below(2) == 0 ? 40 : 200, ++bodies_); }

  void put() {
    const std::string key = key_of(*random_), body = new_body();
    const auto object = rig_.put(key, body);
    check_id(object.version_id);
    oracle_.put(key, {object.version_id, body});
  }
  void remove() {
    const std::string key = key_of(*random_);
    const bool was = oracle_.current(key) != nullptr;
    const auto removed = must(rig_.engine->remove({"bucket", key}, RemoveParams{}, never));
    CHECK(removed.existed == was);
    if (oracle_.versioning == s3::Versioning::off) {
      oracle_.drop(key, "null");
      CHECK(!removed.version_id);
      return;
    }
    REQUIRE(removed.version_id);
    CHECK(removed.delete_marker);
    check_id(*removed.version_id);
    oracle_.put(key, {*removed.version_id, "", true});
  }
  std::string version_of(const std::string& key) {
    const auto found = oracle_.keys.find(key);
    if (found == oracle_.keys.end()) return "null";
    return found->second[random_->below(found->second.size())].id;
  }
  void remove_version() {
    const std::string key = key_of(*random_), id = version_of(key);
    const bool was = std::any_of(oracle_.keys[key].begin(), oracle_.keys[key].end(),
                                 [&](const OracleVersion& version) { return version.id == id; });
    const auto removed = must(rig_.engine->remove({"bucket", key, id}, RemoveParams{}, never));
    CHECK(removed.existed == was);
    oracle_.drop(key, id);
    if (was) CHECK(rig_.get(key, id) == "(NoSuchVersion)");
  }
  void remove_batch() {
    const std::string key = key_of(*random_);
    std::vector<RemoveEntry> entries;
    for (int i = 0; i < 3; ++i) entries.push_back({.key = key, .version = version_of(key)});
    const auto results = must(rig_.engine->remove_batch("bucket", entries, {}, never));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      REQUIRE(results[i].ok());
      oracle_.drop(key, entries[i].version);
    }
  }
  void copy() {
    const std::string from = key_of(*random_), to = key_of(*random_);
    const auto found = oracle_.keys.find(from);
    if (found == oracle_.keys.end()) return;
    const OracleVersion source = found->second[random_->below(found->second.size())];
    const auto copied =
        rig_.engine->copy_object({"bucket", from, source.id}, {"bucket", to}, {}, never);
    if (source.marker) {
      CHECK(outcome(copied) == "InvalidRequest");
      return;
    }
    const Copied done = must(copied);
    CHECK(done.source_version_id == source.id);
    check_id(done.object.version_id);
    oracle_.put(to, {done.object.version_id, source.body});
    // Extents are shared from now on: count them no more.
    shared_ = shared_ || source.body.size() > 100;
  }
  void multipart() {
    const std::string key = key_of(*random_), body = new_body(), meanwhile = new_body();
    Uploads& uploads = rig_.engine->uploads();
    const ObjectName name{"bucket", key};
    const auto upload = must(uploads.create(name, {}, never));
    const auto part = must(uploads.begin_part(name, upload.upload_id, 1, std::nullopt, never));
    must(part->write(body));
    must(part->finish({}, never));
    const auto other = rig_.put(key, meanwhile);  // begun later, and below it in the end
    oracle_.put(key, {other.version_id, meanwhile});
    const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
      return Completed{.etag = "x-1"};
    };
    const auto object =
        must(uploads.complete(name, upload.upload_id, {.numbers = {1}, .judge = judge}, never));
    check_id(object.version_id);
    oracle_.put(key, {object.version_id, body});
    shared_ = shared_ || body.size() <= 100;  // a part is an extent, however small
  }
  void change() {
    const std::string key = key_of(*random_), id = version_of(key);
    const std::string text = std::to_string(++bodies_);
    const auto changed =
        rig_.engine->change_object({"bucket", key, id}, {.tags = s3::Tags{{"t", text}}}, never);
    if (!changed.ok()) return;
    CHECK(must(rig_.engine->head({"bucket", key, id}, never)).tags.at("t") == text);
  }

 public:
  bool shared() const { return shared_; }

 private:
  EngineRig rig_;
  Oracle oracle_;
  std::unique_ptr<os::Random> random_;
  std::uint64_t bodies_ = 0;
  bool shared_ = false;
};

}  // namespace

TEST_CASE("versions: equal the oracle after random changes, over restarts too") {
  const std::uint64_t seed = os::system_random().number();
  MESSAGE("seed " << seed);
  for (std::uint64_t round = 0; round < (sanitized ? 4 : 12); ++round) {
    Walk walk(seed + round);
    for (int i = 0; i < 150; ++i) {
      walk.step();
      if (i % 25 == 24) check_same(walk.rig(), walk.oracle());
      if (i % 60 == 59) walk.rig().start();
    }
    check_same(walk.rig(), walk.oracle());
    if (!walk.shared()) check_nothing_left(walk.rig(), walk.oracle());
    // All of it can go, and then the bucket.
    for (const auto& [key, version] : walk.oracle().rows())
      must(walk.rig().engine->remove({"bucket", key, version.id}, RemoveParams{}, never));
    CHECK(listed(walk.rig(), 1000).empty());
    CHECK(must(walk.rig().engine->list("bucket", {}, never)).objects.empty());
    CHECK(walk.rig().extent_files() == 0);
    must(walk.rig().engine->delete_bucket("bucket", never));
  }
}

TEST_CASE("versions: a bucket with nothing but markers is not empty") {
  EngineRig rig(s3::Versioning::enabled);
  must(rig.engine->remove({"bucket", "never there"}, RemoveParams{}, never));
  CHECK(outcome(rig.engine->delete_bucket("bucket", never)) == "BucketNotEmpty");
}

TEST_CASE("versions: what reads say of a marker") {
  EngineRig rig(s3::Versioning::enabled);
  rig.put("key", "body");
  const auto removed = must(rig.engine->remove({"bucket", "key"}, RemoveParams{}, never));
  const auto details = [](const Error& error) {
    std::map<std::string, std::string> all(error.details.begin(), error.details.end());
    return all;
  };
  const auto head = rig.engine->head({"bucket", "key"}, never);
  CHECK(outcome(head) == "NoSuchKey");
  CHECK(details(head.error())[std::string(marker_detail)] == "true");
  CHECK(details(head.error())[std::string(version_detail)] == *removed.version_id);
  const auto get = rig.engine->get({"bucket", "key", *removed.version_id}, {}, never);
  CHECK(outcome(get) == "MethodNotAllowed");
  CHECK(details(get.error())["ResourceType"] == "DeleteMarker");
  CHECK(details(get.error())[std::string(modified_detail)] == std::to_string(rig.clock.unix_ms()));
  const auto none = rig.engine->head({"bucket", "none"}, never);
  CHECK(outcome(none) == "NoSuchKey");
  CHECK(details(none.error()).count(std::string(marker_detail)) == 0);
  CHECK(rig.get("key", "nonsense") == "(InvalidArgument)");
  CHECK(rig.get("key", "null") == "(NoSuchVersion)");
  CHECK(rig.get("key", version_id(12345)) == "(NoSuchVersion)");
  CHECK(outcome(rig.engine->change_object({"bucket", "key", *removed.version_id}, {}, never)) ==
        "MethodNotAllowed");
}

TEST_CASE("versions: conditions are judged on the current version, and a marker is none") {
  EngineRig rig(s3::Versioning::enabled);
  const PutParams if_none{.condition = {.if_none_match = true}};
  const auto first = must(rig.engine->put({"bucket", "key"}, "1", if_none, never));
  CHECK(outcome(rig.engine->put({"bucket", "key"}, "2", if_none, never)) == "PreconditionFailed");
  must(rig.engine->remove({"bucket", "key"}, RemoveParams{}, never));
  const PutParams if_match{.condition = {.if_match = first.etag}};
  CHECK(outcome(rig.engine->put({"bucket", "key"}, "2", if_match, never)) == "PreconditionFailed");
  must(rig.engine->put({"bucket", "key"}, "3", if_none, never));
  CHECK(rig.get("key") == "3");
  CHECK(rig.get("key", first.version_id) == "1");
}

TEST_CASE("versions: a page of a folder with many versions costs the page") {
  EngineRig rig(s3::Versioning::enabled);
  for (int i = 0; i < 60; ++i) {
    rig.put("folder/" + std::to_string(i % 6), std::to_string(i));
    rig.put("other", std::to_string(i));
  }
  RocksKv& kv = rig.engine->core().kv();
  const auto steps_of = [&](const std::function<void()>& call) {
    const std::uint64_t before = kv.cursor_steps();
    call();
    return kv.cursor_steps() - before;
  };
  CHECK(steps_of([&] {
          const auto page =
              must(rig.engine->list_versions("bucket", {.delimiter = "/", .limit = 2}, never));
          CHECK(page.common_prefixes == std::vector<std::string>{"folder/"});
          CHECK(page.versions.size() == 1);
          CHECK(page.truncated);
        }) < 12);
  CHECK(steps_of([&] {
          const auto page = must(rig.engine->list("bucket", {}, never));
          CHECK(page.objects.size() == 7);
        }) < 12);
}

TEST_CASE("versions: ids are told from other text, and show nothing of their order") {
  std::set<std::string> heads;
  for (std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                              std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const std::string id = version_id(order);
    CHECK(id.size() == 32);
    CHECK(version_order(id) == order);
    heads.insert(id.substr(0, 8));
    std::string other = id;
    other[5] = other[5] == 'a' ? 'b' : 'a';
    CHECK(!version_order(other));
  }
  CHECK(heads.size() == 5);
  CHECK(!version_order("null"));
  CHECK(!version_order(""));
}

}  // namespace versions_test
