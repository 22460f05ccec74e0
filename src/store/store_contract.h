// SPDX-License-Identifier: Apache-2.0
// What every Store must do, as checks for the tests of its versions. They use keys under
// "contract/" of a store that holds nothing there, and leave nothing behind.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"

namespace cairn::store {

inline const os::Deadline& contract_deadline() {
  static const os::Deadline never = os::Deadline::never();
  return never;
}

/// All pages of a listing, one after another; each page is held to its limit.
inline ListPage list_all(Store& store, ListParams params) {
  ListPage all;
  for (;;) {
    const auto page = store.list(params, contract_deadline());
    REQUIRE(page.ok());
    REQUIRE(page->objects.size() + page->prefixes.size() <= params.limit);
    all.objects.insert(all.objects.end(), page->objects.begin(), page->objects.end());
    all.prefixes.insert(all.prefixes.end(), page->prefixes.begin(), page->prefixes.end());
    if (page->next_start_after.empty()) return all;
    REQUIRE(page->next_start_after > params.start_after);
    params.start_after = page->next_start_after;
  }
}

inline std::vector<std::string> keys_of(const ListPage& page) {
  std::vector<std::string> keys;
  for (const ObjectInfo& info : page.objects) keys.push_back(info.key);
  return keys;
}

inline void clear_contract(Store& store) {
  const ListPage all = list_all(store, {.prefix = "contract/"});
  REQUIRE(store.remove_batch(keys_of(all), contract_deadline()).ok());
}

inline void check_reading(Store& store) {
  const auto& never = contract_deadline();
  const std::string key = "contract/read";
  CHECK(store.get(key, never).error().kind == ErrorKind::not_found);
  CHECK(!store.head(key, never)->has_value());
  const std::string bytes(
      "0123\0\xFF"
      "6789",
      10);
  const auto put = store.put(key, bytes, never);
  REQUIRE(put.ok());
  CHECK(put->key == key);
  CHECK(put->size_bytes == 10);
  CHECK(!put->etag.empty());
  const auto head = store.head(key, never);
  REQUIRE(head->has_value());
  CHECK((*head)->etag == put->etag);
  CHECK((*head)->modified_ms == put->modified_ms);
  const auto whole = store.get(key, never);
  REQUIRE(whole.ok());
  CHECK(whole->bytes == bytes);
  CHECK(whole->info.etag == put->etag);
  CHECK(whole->info.size_bytes == 10);
  CHECK(store.get(key, never, {.offset = 4, .count = 3})->bytes == bytes.substr(4, 3));
  CHECK(store.get(key, never, {.offset = 4, .count = 3})->info.size_bytes == 10);
  CHECK(store.get(key, never, {.offset = 8, .count = 100})->bytes == "89");
  CHECK(store.get(key, never, {.offset = 10})->bytes.empty());
  CHECK(store.get(key, never, {.offset = 3, .count = 0})->bytes.empty());
  CHECK(store.get(key, never, {.offset = 11}).error().kind == ErrorKind::invalid_argument);
  const auto again = store.put(key, bytes, never);
  CHECK(again->etag != put->etag);
  REQUIRE(store.put(key, "", never).ok());
  CHECK(store.get(key, never)->bytes.empty());
  CHECK(store.remove(key, never).value());
  CHECK(!store.remove(key, never).value());
  CHECK(store.get(key, never).error().kind == ErrorKind::not_found);
}

inline void check_keys(Store& store) {
  const auto& never = contract_deadline();
  CHECK(store.put("", "x", never).error().kind == ErrorKind::invalid_argument);
  const std::string longest = "contract/" + std::string(1024 - 9, '\xFF');
  CHECK(store.put(longest + "x", "x", never).error().kind == ErrorKind::invalid_argument);
  const std::vector<std::string> odd = {std::string("contract/\0", 10),
                                        "contract/\n",
                                        "contract/%2F",
                                        "contract/..",
                                        "contract/a//b",
                                        "contract/\xC3\xA4",
                                        longest};
  for (const std::string& key : odd) REQUIRE(store.put(key, key, never).ok());
  for (const std::string& key : odd) CHECK(store.get(key, never)->bytes == key);
  CHECK(keys_of(list_all(store, {.prefix = "contract/"})) == odd);  // by unsigned bytes
  CHECK(store.remove_batch(odd, never).value() == odd.size());
}

inline void check_conditions(Store& store) {
  const auto& never = contract_deadline();
  const std::string key = "contract/state";
  const auto broken = ErrorKind::precondition_failed;
  CHECK(store.put(key, "x", never, {.if_match = "none"}).error().kind == broken);
  const auto first = store.put(key, "1", never, {.if_none_match = true});
  REQUIRE(first.ok());
  CHECK(store.put(key, "2", never, {.if_none_match = true}).error().kind == broken);
  const auto second = store.put(key, "2", never, {.if_match = first->etag});
  REQUIRE(second.ok());
  CHECK(store.put(key, "3", never, {.if_match = first->etag}).error().kind == broken);
  CHECK(store.get(key, never)->bytes == "2");
  CHECK(store.remove(key, never, {.if_match = first->etag}).error().kind == broken);
  CHECK(store.remove(key, never, {.if_match = second->etag}).value());
  CHECK(store.remove(key, never, {.if_match = second->etag}).error().kind == broken);
}

inline void check_copying(Store& store) {
  const auto& never = contract_deadline();
  CHECK(store.copy("contract/a", "contract/b", never).error().kind == ErrorKind::not_found);
  REQUIRE(store.put("contract/a", "one", never).ok());
  const auto copied = store.copy("contract/a", "contract/b", never, {.if_none_match = true});
  REQUIRE(copied.ok());
  CHECK(copied->key == "contract/b");
  CHECK(copied->size_bytes == 3);
  CHECK(store.copy("contract/a", "contract/b", never, {.if_none_match = true}).error().kind ==
        ErrorKind::precondition_failed);
  REQUIRE(store.put("contract/a", "two", never).ok());
  CHECK(store.get("contract/b", never)->bytes == "one");
  REQUIRE(store.copy("contract/a", "contract/b", never, {.if_match = copied->etag}).ok());
  REQUIRE(store.remove("contract/a", never).value());
  CHECK(store.get("contract/b", never)->bytes == "two");
  CHECK(store.remove_batch({"contract/b", "contract/none", "contract/b"}, never).value() == 1);
}

inline void check_uploads(Store& store) {
  const auto& never = contract_deadline();
  const std::string key = "contract/large";
  const std::string piece(300'000, 'p');
  {
    const auto dropped = store.begin_upload(key, never);
    REQUIRE(dropped.ok());
    REQUIRE((*dropped)->write(piece).ok());
  }
  CHECK(!store.head(key, never)->has_value());
  const auto upload = store.begin_upload(key, never);
  REQUIRE(upload.ok());
  for (int i = 0; i < 4; ++i) REQUIRE((*upload)->write(piece).ok());
  CHECK(!store.head(key, never)->has_value());
  const auto info = (*upload)->finish({.if_none_match = true});
  REQUIRE(info.ok());
  CHECK(info->size_bytes == 1'200'000);
  CHECK(store.get(key, never)->bytes == piece + piece + piece + piece);
  CHECK(store.get(key, never, {.offset = 1'199'999, .count = 9})->bytes == "p");
  const auto late = store.begin_upload(key, never);
  CHECK((*late)->finish({.if_none_match = true}).error().kind == ErrorKind::precondition_failed);
  CHECK(store.head(key, never)->value().etag == info->etag);
  const auto empty = store.begin_upload(key, never);
  CHECK((*empty)->finish({.if_match = info->etag})->size_bytes == 0);
  CHECK(store.begin_upload("", never).error().kind == ErrorKind::invalid_argument);
  CHECK(store.remove(key, never).value());
}

inline void check_listing(Store& store) {
  const auto& never = contract_deadline();
  const std::vector<std::string> keys = {"contract/a",     "contract/b/1",   "contract/b/2/x",
                                         "contract/b/2/y", "contract/b0",    "contract/c/",
                                         "contract/c/z",   "contract/d\xFF", "contract/e"};
  for (const std::string& key : keys) REQUIRE(store.put(key, "x", never).ok());
  using Names = std::vector<std::string>;
  for (const std::size_t limit : {1u, 2u, 3u, 1000u}) {
    CHECK(keys_of(list_all(store, {.prefix = "contract/", .limit = limit})) == keys);
    const auto folded = list_all(store, {.prefix = "contract/", .delimiter = "/", .limit = limit});
    CHECK(keys_of(folded) == Names{"contract/a", "contract/b0", "contract/d\xFF", "contract/e"});
    CHECK(folded.prefixes == Names{"contract/b/", "contract/c/"});
    const auto inner = list_all(store, {.prefix = "contract/b/", .delimiter = "/", .limit = limit});
    CHECK(keys_of(inner) == Names{"contract/b/1"});
    CHECK(inner.prefixes == Names{"contract/b/2/"});
  }
  CHECK(keys_of(list_all(store, {.prefix = "contract/b", .start_after = "contract/b/2/x"})) ==
        Names{"contract/b/2/y", "contract/b0"});
  // A key below a folded prefix stands for all of it, so no page shows a prefix again.
  CHECK(list_all(store, {.prefix = "contract/", .start_after = "contract/b/1", .delimiter = "/"})
            .prefixes == Names{"contract/c/"});
  CHECK(keys_of(list_all(store, {.prefix = "contract/b/", .start_after = "a"})).size() == 3);
  CHECK(list_all(store, {.prefix = "contract/b/", .start_after = "z"}).objects.empty());
  CHECK(list_all(store, {.prefix = "contract/nothing"}).objects.empty());
  Names walked;
  CHECK(for_each_object(store, "contract/b", never, [&](const ObjectInfo& info) {
          walked.push_back(info.key);
          return ok_status();
        }).ok());
  CHECK(walked == Names{"contract/b/1", "contract/b/2/x", "contract/b/2/y", "contract/b0"});
  clear_contract(store);
}

inline void check_deadlines(Store& store) {
  const os::Deadline passed = os::Deadline::in_ms(0);
  CHECK(store.put("contract/late", "x", passed).error().kind == ErrorKind::timeout);
  CHECK(store.get("contract/late", passed).error().kind == ErrorKind::timeout);
  CHECK(store.list({}, passed).error().kind == ErrorKind::timeout);
  const auto stop = std::make_unique<std::stop_source>();
  stop->request_stop();
  const os::Deadline stopped = os::Deadline::never(stop->get_token());
  CHECK(store.remove("contract/late", stopped).error().kind == ErrorKind::cancelled);
  CHECK(!store.head("contract/late", contract_deadline())->has_value());
}

/// Several threads add to one number by conditional put; no addition is lost.
inline void check_contention(Store& store, int threads = 4, int additions = 25) {
  const auto& never = contract_deadline();
  const std::string key = "contract/number";
  REQUIRE(store.put(key, "0", never).ok());
  std::vector<std::thread> crew;
  for (int t = 0; t < threads; ++t) {
    crew.emplace_back([&] {
      for (int done = 0; done < additions;) {
        const auto now = store.get(key, never);
        if (!now.ok()) return;  // the sum below tells
        const std::string next = std::to_string(std::stoi(now->bytes) + 1);
        if (store.put(key, next, never, {.if_match = now->info.etag}).ok()) ++done;
      }
    });
  }
  for (std::thread& thread : crew) thread.join();
  CHECK(store.get(key, never)->bytes == std::to_string(threads * additions));
  CHECK(store.remove(key, never).value());
}

/// Random calls beside a plain map that must say the same.
inline void check_against_map(Store& store, unsigned seed, int rounds) {
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const auto& never = contract_deadline();
  struct Known {
    std::string bytes, etag;
  };
  std::map<std::string, Known> map;
  const auto some_key = [&] {
    std::string key = "contract/";
    for (auto n = random() % 4 + 1; n > 0; --n) key += "ab/"[random() % 3];
    return key;
  };
  for (int i = 0; i < rounds; ++i) {
    const std::string key = some_key();
    const auto there = map.find(key);
    switch (random() % 6) {
      case 0:
      case 1: {
        const std::string bytes(random() % 2000, static_cast<char>(random()));
        const bool only_new = random() % 4 == 0;
        const auto info = store.put(key, bytes, never, {.if_none_match = only_new});
        REQUIRE(info.ok() == !(only_new && there != map.end()));
        if (info.ok()) map[key] = {bytes, info->etag};
        break;
      }
      case 2:
        REQUIRE(store.remove(key, never).value() == (map.erase(key) == 1));
        break;
      case 3: {
        const auto object = store.get(key, never);
        REQUIRE(object.ok() == (there != map.end()));
        if (object.ok()) REQUIRE(object->bytes == there->second.bytes);
        break;
      }
      case 4: {
        const std::string to = some_key();
        const auto info = store.copy(key, to, never);
        REQUIRE(info.ok() == (there != map.end()));
        if (info.ok()) map[to] = {std::string(there->second.bytes), info->etag};
        break;
      }
      default: {
        const std::string prefix = some_key();
        std::vector<std::string> expected;
        for (const auto& [name, known] : map) {
          if (name.starts_with(prefix)) expected.push_back(name);
        }
        REQUIRE(keys_of(list_all(store, {.prefix = prefix, .limit = 1 + random() % 5})) ==
                expected);
      }
    }
  }
  clear_contract(store);
}

/// All of the above.
inline void check_store_contract(Store& store, unsigned seed, int rounds = 1000) {
  check_reading(store);
  check_keys(store);
  check_conditions(store);
  check_copying(store);
  check_uploads(store);
  check_listing(store);
  check_deadlines(store);
  check_contention(store);
  check_against_map(store, seed, rounds);
  CHECK(list_all(store, {.prefix = "contract/"}).objects.empty());
}

}  // namespace cairn::store
