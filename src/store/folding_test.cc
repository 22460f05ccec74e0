// SPDX-License-Identifier: Apache-2.0
#include "store/folding.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <stop_token>
#include <vector>

#include "os/deadline.h"

namespace cairn::store::folding_test {
namespace {

// Keys in order, with every step of the walk counted; a seek is worth the depth of a tree.
class CountingCursor {
 public:
  explicit CountingCursor(const std::set<std::string>& keys) : keys_(keys), at_(keys.end()) {}
  void seek(std::string_view key) {
    steps_ += static_cast<std::size_t>(std::log2(static_cast<double>(keys_.size()) + 1)) + 1;
    at_ = keys_.lower_bound(std::string(key));
  }
  void next() {
    ++steps_;
    ++at_;
  }
  bool valid() const { return at_ != keys_.end(); }
  const std::string& key() const { return *at_; }
  Status status() const { return ok_status(); }
  std::size_t steps() const { return steps_; }

 private:
  const std::set<std::string>& keys_;
  std::set<std::string>::const_iterator at_;
  std::size_t steps_ = 0;
};

struct Page {
  std::vector<std::string> shown = {};
  std::string next = {};
};

Page page_of(CountingCursor& cursor, const FoldParams& params,
             const os::Deadline& deadline = os::Deadline::never()) {
  Page page;
  const auto next = fold_keys(
      cursor, params, deadline,
      [&](std::string_view key) {
        page.shown.emplace_back(key);
        return ok_status();
      },
      [&](std::string_view prefix) { page.shown.emplace_back(prefix); });
  REQUIRE(next.ok());
  page.next = *next;
  return page;
}

// `folders` of `files` keys each.
std::set<std::string> tree(int folders, int files) {
  std::set<std::string> keys;
  for (int folder = 0; folder < folders; ++folder)
    for (int file = 0; file < files; ++file)
      keys.insert("f" + std::to_string(1000 + folder) + "/" + std::to_string(1000 + file));
  return keys;
}

TEST_CASE("complexity: a page costs what it shows, however many keys are folded into it") {
  std::vector<std::size_t> steps;
  for (const int files : {1000, 2000, 4000}) {
    const auto keys = tree(20, files);
    CountingCursor cursor(keys);
    CHECK(page_of(cursor, {.prefix = "", .start_after = "", .delimiter = "/", .limit = 1000})
              .shown.size() == 20);
    steps.push_back(cursor.steps());
  }
  // Four times the keys: the depth of a tree more, for each of 20 prefixes.
  CHECK(steps[2] <= steps[0] + 20 * 3);
}

TEST_CASE("complexity: all pages together grow with what they show") {
  std::vector<std::size_t> steps;
  for (const int folders : {100, 200, 400}) {
    const auto keys = tree(folders, 30);
    CountingCursor cursor(keys);
    std::string after;
    std::size_t shown = 0;
    do {
      const Page page =
          page_of(cursor, {.prefix = "f", .start_after = after, .delimiter = "/", .limit = 7});
      shown += page.shown.size();
      after = page.next;
    } while (!after.empty());
    CHECK(shown == static_cast<std::size_t>(folders));
    steps.push_back(cursor.steps());
  }
  CHECK(static_cast<double>(steps[1]) <= 2.4 * static_cast<double>(steps[0]));
  CHECK(static_cast<double>(steps[2]) <= 2.4 * static_cast<double>(steps[1]));
}

TEST_CASE("folding: a start inside a folded prefix stands for all of it") {
  const auto keys = tree(3, 3);
  for (const char* start : {"f1000/", "f1000/1001", "f1000/zzz"}) {
    CAPTURE(start);
    CountingCursor cursor(keys);
    CHECK(
        page_of(cursor, {.prefix = "", .start_after = start, .delimiter = "/", .limit = 9}).shown ==
        std::vector<std::string>{"f1001/", "f1002/"});
  }
  CountingCursor cursor(keys);
  CHECK(page_of(cursor,
                {.prefix = "f1000/", .start_after = "f1000/1001", .delimiter = "/", .limit = 9})
            .shown == std::vector<std::string>{"f1000/1002"});
}

TEST_CASE("folding: a client that leaves ends the walk at the next key") {
  const auto keys = tree(1, 1000);
  std::stop_source client;
  const os::Deadline deadline = os::Deadline::never(client.get_token());
  CountingCursor cursor(keys);
  std::size_t seen = 0;
  const auto next = fold_keys(
      cursor, {.prefix = "", .start_after = "", .delimiter = "", .limit = 1000}, deadline,
      [&](std::string_view) {
        if (++seen == 5) client.request_stop();
        return ok_status();
      },
      [](std::string_view) {});
  CHECK_FALSE(next.ok());
  CHECK(seen == 5);
}

}  // namespace
}  // namespace cairn::store::folding_test
