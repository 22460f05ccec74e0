// SPDX-License-Identifier: Apache-2.0
// What a page of a listing costs, counted in rows that are gone to: as much as it shows, however
// many rows lie before, behind, or folded into it.
#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "objectstore/engine_rig_test.h"

namespace cairn::objectstore::complexity_test {
namespace {

using testing::EngineRig;
using testing::must;
using testing::never;

class Listings : public EngineRig {
 public:
  Listings() : EngineRig(s3::Versioning::enabled) {}

  std::uint64_t steps_of(const std::function<void()>& call) {
    RocksKv& kv = engine->core().kv();
    const std::uint64_t before = kv.cursor_steps();
    call();
    return kv.cursor_steps() - before;
  }
  /// The entries of all pages of seven.
  std::size_t all_versions(s3::ListVersionsParams params) {
    params.limit = 7;
    std::size_t shown = 0;
    for (;;) {
      const auto page = must(engine->list_versions("bucket", params, never));
      shown += page.versions.size() + page.common_prefixes.size();
      if (!page.truncated) return shown;
      params.key_marker = page.next_key_marker;
      params.version_id_marker = page.next_version_id_marker;
    }
  }
  std::size_t all_uploads(ListUploadsParams params) {
    params.limit = 7;
    std::size_t shown = 0;
    for (;;) {
      const auto page = must(engine->uploads().list("bucket", params, never));
      shown += page.uploads.size() + page.common_prefixes.size();
      if (!page.truncated) return shown;
      params.key_marker = page.next_key_marker;
      params.upload_id_marker = page.next_upload_id_marker;
    }
  }
};

/// Rows for n, 2n and 4n.
void check_growth(std::size_t n, const std::function<std::uint64_t(std::size_t)>& steps_of) {
  const std::uint64_t one = steps_of(n), two = steps_of(2 * n), four = steps_of(4 * n);
  INFO("rows for n, 2n, 4n: " << one << " " << two << " " << four);
  CHECK(one >= n);
  CHECK(static_cast<double>(two) <= 2.2 * static_cast<double>(one));
  CHECK(static_cast<double>(four) <= 2.2 * static_cast<double>(two));
}

std::string name(std::size_t i) { return std::to_string(1000 + i); }

}  // namespace

TEST_CASE("complexity: pages of the versions of one key, and of many keys") {
  check_growth(40, [](std::size_t n) {
    Listings listings;
    for (std::size_t i = 0; i < n; ++i) listings.put("key", std::to_string(i));
    return listings.steps_of([&] { CHECK(listings.all_versions({}) == n); });
  });
  check_growth(40, [](std::size_t n) {
    Listings listings;
    for (std::size_t i = 0; i < n; ++i) listings.put("k" + name(i), "1");
    return listings.steps_of([&] { CHECK(listings.all_versions({.prefix = "k"}) == n); });
  });
}

TEST_CASE("complexity: versions that are folded into prefixes cost their prefixes") {
  std::vector<std::uint64_t> rows;
  for (const std::size_t files : {5u, 10u, 20u}) {
    Listings listings;
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t f = 0; f < files; ++f) listings.put("f" + name(i) + "/" + name(f), "1");
    rows.push_back(
        listings.steps_of([&] { CHECK(listings.all_versions({.delimiter = "/"}) == 10); }));
  }
  CHECK(rows[0] == rows[2]);
  check_growth(20, [](std::size_t n) {
    Listings listings;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t f = 0; f < 3; ++f) listings.put("f" + name(i) + "/" + name(f), "1");
    return listings.steps_of([&] { CHECK(listings.all_versions({.delimiter = "/"}) == n); });
  });
}

TEST_CASE("complexity: pages of the uploads of one key, of many keys, and folded ones") {
  const auto begin = [](Listings& listings, const std::string& key) {
    must(listings.engine->uploads().create({"bucket", key}, {}, never));
  };
  check_growth(40, [&](std::size_t n) {
    Listings listings;
    for (std::size_t i = 0; i < n; ++i) begin(listings, "key");
    return listings.steps_of([&] { CHECK(listings.all_uploads({}) == n); });
  });
  check_growth(40, [&](std::size_t n) {
    Listings listings;
    for (std::size_t i = 0; i < n; ++i) begin(listings, "k" + name(i));
    return listings.steps_of([&] { CHECK(listings.all_uploads({.prefix = "k"}) == n); });
  });
  std::vector<std::uint64_t> rows;
  for (const std::size_t files : {5u, 10u, 20u}) {
    Listings listings;
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t f = 0; f < files; ++f) begin(listings, "f" + name(i) + "/" + name(f));
    rows.push_back(
        listings.steps_of([&] { CHECK(listings.all_uploads({.delimiter = "/"}) == 10); }));
  }
  CHECK(rows[0] == rows[2]);
}

}  // namespace cairn::objectstore::complexity_test
