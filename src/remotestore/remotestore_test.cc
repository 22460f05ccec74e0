// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "remotestore/fake_cluster_test.h"
#include "remotestore/names.h"
#include "store/store_contract.h"

namespace remotestore_test {

using namespace cairn;
using namespace cairn::remotestore;

namespace {

const os::Deadline never_ending = os::Deadline::never();

/// A guard that stands for a process that is alone.
struct AlwaysAlone final : Guard {
  Result<os::Deadline> check(const os::Deadline& deadline) const override { return deadline; }
};
const AlwaysAlone alone;

using Fates = std::deque<Fate>;

/// The next fates of requests with this method that name this object; then all are served.
void set_fates(FakeCluster& cluster, std::string method, std::string name, Fates fates) {
  auto left = std::make_shared<Fates>(std::move(fates));
  auto mutex = std::make_shared<std::mutex>();
  cluster.fate = [=](const FakeCluster::Request& request) {
    const std::lock_guard lock(*mutex);
    if (request.method != method || request.name != name || left->empty()) return Fate::served;
    const Fate next = left->front();
    left->pop_front();
    return next;
  };
}

}  // namespace

TEST_CASE("remote names: each key has a name of its own, and names aside sort as keys do") {
  std::mt19937 random(20);
  std::map<std::string, std::string> keys;
  const std::string letters("ab/.%~\0\x01\xff\xc3\xa4", 11);
  std::string last_aside_key, last_aside_name;
  std::map<std::string, std::string> aside;
  for (int i = 0; i < 20'000; ++i) {
    std::string key;
    const std::size_t length = 1 + random() % (i % 10 == 0 ? 300 : 8);
    while (key.size() < length) key += letters[random() % letters.size()];
    const std::string name = name_of_key(key, 10);
    CHECK(name.size() <= key_bytes_max - 10);
    CHECK(sendable_bytes(name) == name.size());
    const auto [at, fresh] = keys.emplace(name, key);
    CHECK(at->second == key);
    if (!name.starts_with(aside_area)) {
      CHECK(name == key);
      continue;
    }
    const auto parsed = parse_aside_name(name.substr(aside_area.size()));
    REQUIRE(parsed.has_value());
    CHECK(key.starts_with(parsed->head));
    CHECK(parsed->is_whole == (parsed->head == key));
    aside[key] = name;
  }
  for (const auto& [key, name] : aside) {
    if (!last_aside_key.empty() && key.size() <= aside_head_bytes &&
        last_aside_key.size() <= aside_head_bytes)
      CHECK(last_aside_name < name);
    last_aside_key = key;
    last_aside_name = name;
  }
  for (const char* key :
       {"a", "a/b.c", "index.latest", "\xC3\xA4/x", "a b+c&<>'\"", ".cairn-auth/x"})
    CHECK(is_plain_key(key, 10));
  for (const char* key : {"/a", "a/", "a//b", ".", "a/../b", "\x01", "\x7f", "\xff", "~cairn/x"})
    CHECK_FALSE(is_plain_key(key, 10));
  for (const char* name : {"", "zz", "6", "61.", "61.00", "6A"})
    CHECK_FALSE(parse_aside_name(name).has_value());
}

TEST_CASE("remote store: keeps the contract of a store") {
  FakeCluster cluster;
  for (const bool heeds_all : {true, false}) {
    CAPTURE(heeds_all);
    cluster.heeds_delete_conditions = cluster.heeds_complete_conditions = heeds_all;
    cluster.knows_bare_etags_only = !heeds_all;
    const auto place = cluster.open(heeds_all ? "p/" : "");
    const auto store = place->store("s/", {.part_bytes = 400'000, .guard = &alone});
    store::check_store_contract(*store, std::random_device{}(), 300);
    CHECK(cluster.open_uploads() == 0);
    CHECK(cluster.objects().empty());
  }
}

TEST_CASE(
    "remote store: without marks objects are what was put, and the rest of the contract holds") {
  FakeCluster cluster;
  const auto store = open_store(cluster.params());
  REQUIRE(store.ok());
  REQUIRE((*store)->put("a", "bytes", never_ending).ok());
  CHECK(cluster.objects().at("p/a").bytes == "bytes");
  CHECK((*store)->head("a", never_ending)->value().etag == to_hex(md5("bytes")));
  REQUIRE((*store)->put("empty", "", never_ending).ok());
  CHECK((*store)->get("empty", never_ending, {.offset = 0, .count = 3})->bytes.empty());
  CHECK((*store)->get("a", never_ending, {.offset = 5})->bytes.empty());
  CHECK((*store)->get("a", never_ending, {.offset = 6}).error().kind ==
        ErrorKind::invalid_argument);
  cluster.put_foreign("p/other", "by another program");
  CHECK((*store)->get("other", never_ending)->bytes == "by another program");
  for (const char* key : {"a", "empty", "other"})
    CHECK((*store)->remove(key, never_ending).value());
  check_keys(**store);
  check_conditions(**store);
  check_copying(**store);
  check_uploads(**store);
  check_listing(**store);
  check_deadlines(**store);
  check_contention(**store);
  check_against_map(**store, 7, 200);
}

TEST_CASE("remote store: long keys aside are listed in their order, and names of others are not") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("s/");
  std::vector<std::string> keys;
  const std::string head(aside_head_bytes, '\xFF');
  for (const char* tail : {"", "a", "b", "b\x01", "c"}) keys.push_back(head + tail);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key)
    REQUIRE(store->put(*key, *key, never_ending).ok());
  cluster.put_foreign("p/s/a//b", "x");
  cluster.put_foreign("p/s/~cairn/k/zz", "x");
  for (const std::size_t limit : {1u, 2u, 1000u})
    CHECK(store::keys_of(store::list_all(*store, {.limit = limit})) == keys);
  CHECK(store::keys_of(store::list_all(*store, {.prefix = head + "b"})) ==
        std::vector<std::string>{head + "b", head + "b\x01"});
  CHECK(store::keys_of(store::list_all(*store, {.start_after = head + "b"})) ==
        std::vector<std::string>{head + "b\x01", head + "c"});
  CHECK(store->remove_batch(keys, never_ending).value() == keys.size());
}

TEST_CASE("remote store: one whose keys are plain asks once for a listing, and refuses others") {
  FakeCluster fake;
  const auto cluster = fake.open();
  const auto any = cluster->store("s/"), plain = cluster->store("s/", {.plain_keys = true});
  const auto soon = os::Deadline::in_ms(60'000);
  for (const char* key : {"a/1", "a/2", "b"}) REQUIRE(any->put(key, "x", soon).ok());
  const auto listed = [&](store::Store& from) {
    const std::size_t before = fake.requests("GET");
    const auto page = from.list({.prefix = "a/"}, soon);
    REQUIRE(page.ok());
    CHECK(page->objects.size() == 2);
    return fake.requests("GET") - before;
  };
  CHECK(listed(*any) == 2);
  CHECK(listed(*plain) == 1);
  REQUIRE(plain->put("a/3", "x", soon).ok());
  CHECK(any->list({.prefix = "a/"}, soon)->objects.size() == 3);
  for (const std::string& key :
       {std::string("a/\x01"), std::string("a//b"), std::string(300, 'k')}) {
    CHECK(any->put(key, "x", soon).ok());
    CHECK(plain->put(key, "x", soon).error().kind == ErrorKind::invalid_argument);
    CHECK(plain->get(key, soon).error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("remote store: objects are put with the settings of the store, in parts too") {
  FakeCluster cluster;
  std::map<std::string, std::string> seen;  // by method and kind
  std::mutex mutex;
  cluster.after = [&](const FakeCluster::Request& request) {
    const bool begins = request.method == "POST" && request.has("uploads");
    if (!begins && (request.method != "PUT" || request.has("partNumber"))) return;
    const std::lock_guard lock(mutex);
    seen[begins ? "parts" : "whole"] = request.header("x-amz-storage-class") + " " +
                                       request.header("x-amz-acl") + " " +
                                       request.header("x-amz-server-side-encryption");
  };
  ClusterParams params = cluster.params();
  for (const bool told : {false, true}) {
    if (told)
      params.settings = {.storage_class = "STANDARD_IA",
                         .acl = "bucket-owner-read",
                         .server_side_encryption = "AES256"};
    const auto store = open_store(params);
    REQUIRE(store.ok());
    REQUIRE((*store)->put("small", "x", never_ending).ok());
    const auto upload = (*store)->begin_upload("large", never_ending);
    REQUIRE(upload.ok());
    for (int i = 0; i < 3; ++i) REQUIRE((*upload)->write(std::string(5 << 20, 'x')).ok());
    REQUIRE((*upload)->finish({}).ok());
    const std::string expected = told ? "STANDARD_IA bucket-owner-read AES256" : "  ";
    CHECK(seen["whole"] == expected);
    CHECK(seen["parts"] == expected);
  }
}

TEST_CASE("remote store: a put whose answer is lost is found by its mark") {
  for (const bool conditional : {false, true}) {
    FakeCluster cluster;
    const auto place = cluster.open();
    const auto store = place->store("", {.guard = &alone});
    REQUIRE(place->check(never_ending).ok());
    set_fates(cluster, "PUT", "p/k", {Fate::answer_lost});
    const auto put = store->put("k", "1", never_ending, {.if_none_match = conditional});
    REQUIRE_MESSAGE(put.ok(), (put.ok() ? std::string() : put.error().message));
    CHECK(store->head("k", never_ending)->value().etag == put->etag);
    CHECK(cluster.requests("PUT") == 5 + 2 + 1);  // five and two parts are of the check
  }
}

TEST_CASE("remote store: requests that never arrive are made again, conditions or not") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.guard = &alone});
  REQUIRE(place->check(never_ending).ok());
  for (const Fate fate : {Fate::request_lost, Fate::slow_down}) {
    set_fates(cluster, "PUT", "p/k", {fate, fate});
    const auto first = store->put("k", "1", never_ending, {.if_none_match = true});
    REQUIRE(first.ok());
    set_fates(cluster, "PUT", "p/k", {fate});
    REQUIRE(store->put("k", "2", never_ending, {.if_match = first->etag}).ok());
    CHECK(store->put("k", "3", never_ending, {.if_match = first->etag}).error().kind ==
          ErrorKind::precondition_failed);
    CHECK(store->get("k", never_ending)->bytes == "2");
    REQUIRE(store->remove("k", never_ending).value());
  }
}

TEST_CASE(
    "remote store: where another's object is there after a lost answer, nobody claims to know") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.guard = &alone});
  REQUIRE(place->check(never_ending).ok());
  set_fates(cluster, "PUT", "p/k", {Fate::answer_lost});
  cluster.after = [&, once = std::make_shared<bool>(true)](const FakeCluster::Request& request) {
    if (request.method == "PUT" && request.name == "p/k" && std::exchange(*once, false))
      cluster.put_foreign("p/k", "what another one put, with bytes enough for a mark");
  };
  const auto put = store->put("k", "1", never_ending, {.if_none_match = true});
  REQUIRE_FALSE(put.ok());
  CHECK(put.error().kind == ErrorKind::unavailable);
}

TEST_CASE("remote store: a clear no after a clear not-now is a no") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.guard = &alone});
  REQUIRE(store->put("k", "1", never_ending).ok());
  set_fates(cluster, "PUT", "p/k", {Fate::slow_down});
  CHECK(store->put("k", "2", never_ending, {.if_none_match = true}).error().kind ==
        ErrorKind::precondition_failed);
  set_fates(cluster, "PUT", "p/k", {Fate::denied});
  CHECK(store->put("k", "2", never_ending).error().kind == ErrorKind::permission_denied);
}

TEST_CASE("remote store: a completion whose answer is lost is found, and not made twice") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.part_bytes = 1000, .guard = &alone});
  REQUIRE(place->check(never_ending).ok());
  for (const Fate fate : {Fate::answer_lost, Fate::request_lost, Fate::slow_down}) {
    cluster.fate = [once = std::make_shared<bool>(true), fate](const FakeCluster::Request& r) {
      const bool completes = r.method == "POST" && r.query.count("uploadId") > 0;
      return completes && std::exchange(*once, false) ? fate : Fate::served;
    };
    const auto put = store->put("k", std::string(5000, 'x'), never_ending, {.if_none_match = true});
    REQUIRE_MESSAGE(put.ok(), (put.ok() ? std::string() : put.error().message));
    CHECK(store->get("k", never_ending)->bytes == std::string(5000, 'x'));
    CHECK(store->get("k", never_ending)->info.etag == put->etag);
    CHECK(cluster.open_uploads() == 0);
    CHECK(store->put("k", std::string(5000, 'y'), never_ending, {.if_none_match = true})
              .error()
              .kind == ErrorKind::precondition_failed);
    CHECK(cluster.open_uploads() == 0);
    REQUIRE(store->remove("k", never_ending).value());
  }
}

TEST_CASE("remote store: a removal whose answer is lost is never told as a broken condition") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.guard = &alone});
  const auto put = store->put("k", "1", never_ending);
  REQUIRE(put.ok());
  set_fates(cluster, "DELETE", "p/k", {Fate::request_lost, Fate::slow_down});
  CHECK(store->remove("k", never_ending, {.if_match = put->etag}).value());
  const auto again = store->put("k", "1", never_ending);
  set_fates(cluster, "DELETE", "p/k", {Fate::answer_lost});
  const auto gone = store->remove("k", never_ending, {.if_match = again->etag});
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error().kind == ErrorKind::unavailable);
  CHECK_FALSE(store->head("k", never_ending)->has_value());
}

TEST_CASE("remote store: large objects are copied in parts, by the cluster") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.part_bytes = 1000, .guard = &alone});
  REQUIRE(store->put("a", std::string(5000, 'a') + "end", never_ending).ok());
  const auto copied = store->copy("a", "b", never_ending, {.if_none_match = true});
  REQUIRE(copied.ok());
  CHECK(copied->size_bytes == 5003);
  CHECK(store->get("b", never_ending)->bytes == std::string(5000, 'a') + "end");
  CHECK(store->copy("a", "b", never_ending, {.if_none_match = true}).error().kind ==
        ErrorKind::precondition_failed);
  CHECK(cluster.open_uploads() == 0);
}

TEST_CASE(
    "cluster check: a cluster that ignores conditions is refused, and nothing is left there") {
  FakeCluster cluster;
  cluster.heeds_put_conditions = false;
  const auto place = cluster.open();
  const auto refused = place->check(never_ending);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::unsupported);
  CHECK(refused.error().message.find("If-None-Match") != std::string::npos);
  CHECK(refused.error().message.find("Use a cluster") != std::string::npos);
  CHECK(cluster.objects().empty());
  const auto store = place->store("s/");
  CHECK(store->put("k", "1", never_ending).error().kind == ErrorKind::unsupported);
  CHECK(store->remove("k", never_ending).error().kind == ErrorKind::unsupported);
  CHECK(cluster.objects().empty());
}

TEST_CASE("cluster check: what it says of completions and deletions is what the cluster does") {
  for (const bool completes : {true, false}) {
    for (const bool deletes : {true, false}) {
      FakeCluster cluster;
      cluster.heeds_complete_conditions = completes;
      cluster.heeds_delete_conditions = deletes;
      const auto found = cluster.open()->check(never_ending);
      REQUIRE(found.ok());
      CHECK(found->conditional_complete == completes);
      CHECK(found->conditional_delete == deletes);
      CHECK(cluster.objects().empty());
      CHECK(cluster.open_uploads() == 0);
    }
  }
}

TEST_CASE("cluster check: without a guard what the cluster does not check is not pretended") {
  FakeCluster cluster;
  cluster.heeds_delete_conditions = false;
  const auto store = open_store(cluster.params());
  const auto put = (*store)->put("k", "1", never_ending);
  CHECK((*store)->remove("k", never_ending, {.if_match = put->etag}).error().kind ==
        ErrorKind::unsupported);
  CHECK((*store)->remove("k", never_ending).value());
}

TEST_CASE("cluster: leftovers of uploads are ended") {
  FakeCluster cluster;
  const auto place = cluster.open();
  const auto store = place->store("", {.part_bytes = 1000, .guard = &alone});
  auto upload = store->begin_upload("k", never_ending);
  REQUIRE((*upload)->write(std::string(3000, 'x')).ok());
  CHECK(cluster.open_uploads() == 1);
  REQUIRE(place->abort_uploads(never_ending).ok());
  CHECK(cluster.open_uploads() == 0);
  CHECK((*upload)->finish().error().kind == ErrorKind::unavailable);
}

}  // namespace remotestore_test
