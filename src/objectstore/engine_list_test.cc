// SPDX-License-Identifier: Apache-2.0
// Listings against a slow, clear oracle over all keys.
#include <doctest/doctest.h>

#include <set>

#include "objectstore/engine.h"
#include "os/fake/fake_files.h"
#include "os/random.h"

namespace engine_list_test {

using namespace cairn;
using namespace cairn::objectstore;

namespace {

const os::Deadline never = os::Deadline::never();

struct Shown {
  std::vector<std::string> entries;  // "o:key" and "p:prefix", in order
  std::string next;
  friend bool operator==(const Shown&, const Shown&) = default;
};

/// Looks at every key.
Shown oracle(const std::set<std::string>& keys, const s3::ListParams& params) {
  Shown shown;
  std::string last;
  std::string folded_last;
  for (const std::string& key : keys) {
    if (!key.starts_with(params.prefix)) continue;
    const std::size_t at = params.delimiter.empty()
                               ? std::string::npos
                               : key.find(params.delimiter, params.prefix.size());
    const std::string entry =
        at == std::string::npos ? key : key.substr(0, at + params.delimiter.size());
    // A folded prefix that the start is, or lies in, was shown already.
    if (key <= params.start_after) continue;
    if (at != std::string::npos && params.start_after.starts_with(entry)) continue;
    if (at != std::string::npos && entry == folded_last) continue;
    if (shown.entries.size() == params.limit) {
      shown.next = last;
      return shown;
    }
    if (at != std::string::npos) folded_last = entry;
    shown.entries.push_back((at == std::string::npos ? "o:" : "p:") + entry);
    last = entry;
  }
  return shown;
}

Shown actual(Engine& engine, const s3::ListParams& params) {
  auto page = engine.list("list", params, never);
  REQUIRE(page.ok());
  Shown shown;
  std::size_t o = 0;
  std::size_t p = 0;
  while (o < page->objects.size() || p < page->common_prefixes.size()) {
    const bool object_next =
        p == page->common_prefixes.size() ||
        (o < page->objects.size() && page->objects[o].key < page->common_prefixes[p]);
    if (object_next)
      shown.entries.push_back("o:" + page->objects[o++].key);
    else
      shown.entries.push_back("p:" + page->common_prefixes[p++]);
  }
  shown.next = page->next_start_after;
  CHECK(page->truncated == !shown.next.empty());
  return shown;
}

}  // namespace

TEST_CASE("engine list: equals the oracle for random keys, prefixes, delimiters and pages") {
  const std::uint64_t seed = os::system_random().number();
  MESSAGE("seed " << seed);
  const auto random = os::seeded_random(seed);
  os::FakeFiles files;
  EngineOptions options{.data_dir = "/data", .files = &files};
  auto engine = Engine::open(options);
  REQUIRE(engine.ok());
  REQUIRE((*engine)->create_bucket({.name = "list"}, never).ok());
  REQUIRE((*engine)->create_bucket({.name = "last"}, never).ok());
  REQUIRE((*engine)->put({"last", "neighbour"}, "x", {}, never).ok());

  // Few letters, so that prefixes and delimiters meet keys often; the highest byte too.
  const std::string letters("ab//\xff", 5);
  const auto word = [&](std::size_t most) {
    std::string text;
    for (std::uint64_t n = random->below(most + 1); n > 0; --n)
      text += letters[random->below(letters.size())];
    return text;
  };
  std::set<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.insert(word(6) + "a");
  for (int i = 0; i < 50; ++i) keys.insert("many/" + std::to_string(i));
  for (const std::string& key : keys) REQUIRE((*engine)->put({"list", key}, "x", {}, never).ok());

  for (int i = 0; i < 1500; ++i) {
    s3::ListParams params{.prefix = word(2),
                          .delimiter = random->below(3) == 0 ? "" : word(2),
                          .start_after = random->below(2) == 0 ? "" : word(5),
                          .limit = 1 + random->below(20)};
    const Shown want = oracle(keys, params);
    const Shown got = actual(**engine, params);
    CHECK_MESSAGE(got == want, "prefix [" << params.prefix << "] delimiter [" << params.delimiter
                                          << "] after [" << params.start_after << "] limit "
                                          << params.limit);
  }
  // Page after page gives everything once.
  for (const char* delimiter : {"", "/", "a"}) {
    s3::ListParams all{.delimiter = delimiter, .limit = 1000};
    s3::ListParams paged{.delimiter = delimiter, .limit = 3};
    std::vector<std::string> entries;
    for (;;) {
      Shown page = actual(**engine, paged);
      entries.insert(entries.end(), page.entries.begin(), page.entries.end());
      if (page.next.empty()) break;
      paged.start_after = page.next;
    }
    CHECK(entries == actual(**engine, all).entries);
  }
}

}  // namespace engine_list_test
