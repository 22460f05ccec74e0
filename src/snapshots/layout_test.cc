// SPDX-License-Identifier: Apache-2.0
#include "snapshots/layout.h"

#include <doctest/doctest.h>

using namespace cairn::snapshots;
using layout::Blob;

TEST_CASE("layout: every key reads back as what it is") {
  CHECK(layout::parse_key(layout::generation_key(12)).generation == 12);
  CHECK(layout::parse_key("index.latest").kind == Blob::Kind::latest);
  CHECK(layout::parse_key(layout::lease_key("u")).kind == Blob::Kind::lease);
  CHECK(layout::parse_key(layout::lease_key("u")).uuid == "u");
  CHECK(layout::parse_key(layout::sweep_key("u")).kind == Blob::Kind::sweep_lease);
  CHECK(layout::parse_key(layout::sweep_key("u")).uuid == "u");
  CHECK(layout::parse_key(layout::snapshot_key("u")).uuid == "u");
  const Blob meta = layout::parse_key(layout::index_key("id", "u"));
  CHECK(meta.kind == Blob::Kind::index_meta);
  CHECK(meta.index_id == "id");
  CHECK(meta.uuid == "u");
  CHECK(layout::parse_key(layout::shard_key("id", "u")).kind == Blob::Kind::shard_snapshot);
  const Blob data = layout::parse_key(layout::data_key("id", "seg/1.seg"));
  CHECK(data.kind == Blob::Kind::data);
  CHECK(data.index_id == "id");
}

TEST_CASE("layout: names of others are foreign") {
  for (const char* key : {"readme.txt", "index-", "index-x", "index--1", "snap-.dat", "snap-a",
                          "pending-", "sweeping-", "tests-1/master.dat", "indices/", "indices//x"}) {
    CAPTURE(key);
    CHECK(layout::parse_key(key).kind == Blob::Kind::foreign);
    CHECK(layout::parse_key(key).index_id.empty());
  }
  CHECK(layout::parse_key("indices/id/stray").kind == Blob::Kind::foreign);
  CHECK(layout::parse_key("indices/id/stray").index_id == "id");
}

TEST_CASE("layout: damaged blobs are an error, not a crash") {
  const auto json = cairn::Json::object({{"a", 1}});
  const std::string bytes = layout::encode(json);
  CHECK(*layout::decode("k", bytes) == json);
  CHECK_FALSE(layout::decode("k", "nonsense").ok());
  CHECK_FALSE(layout::decode("k", "").ok());
  CHECK_FALSE(layout::decode("k", bytes.substr(0, bytes.size() / 2)).ok());
}
