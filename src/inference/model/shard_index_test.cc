// SPDX-License-Identifier: Apache-2.0
// Models of several files.
#include "inference/model/shard_index.h"

#include <doctest/doctest.h>

namespace cairn::inference::shard_index_test {
namespace {

TEST_CASE("shard index: tensors come from the files that it names") {
  const auto index = read_shard_index(
      R"({"metadata":{"total_size":8},"weight_map":{"b":"m-2.safetensors","a":"m-1.safetensors"}})");
  REQUIRE(index.ok());
  CHECK(index->files == std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"});
  const std::string first = write_safetensors(
      {{.name = "a", .type = NumberType::f32, .shape = {1}, .bytes = "aaaa"}}, {});
  const std::string second = write_safetensors(
      {{.name = "b", .type = NumberType::f32, .shape = {1}, .bytes = "bbbb"}}, {});
  std::vector<Safetensors> shards;
  for (const std::string* file : {&first, &second}) {
    auto parsed = Safetensors::parse(*file);
    REQUIRE(parsed.ok());
    shards.push_back(std::move(parsed).value());
  }
  const auto all = tensors_of(*index, shards);
  REQUIRE(all.ok());
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].name == "b");
  CHECK((*all)[0].bytes == "bbbb");
  CHECK((*all)[1].bytes == "aaaa");
  std::swap(shards[0], shards[1]);
  const auto missing = tensors_of(*index, shards);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("[b]") != std::string::npos);
  shards.pop_back();
  CHECK_FALSE(tensors_of(*index, shards).ok());
}

TEST_CASE("shard index: hostile files are refused") {
  for (const auto* text :
       {"", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{}})", R"({"weight_map":{"a":1}})",
        R"({"weight_map":{"a":"../m.safetensors"}})", R"({"weight_map":{"a":"/etc/passwd"}})",
        R"({"weight_map":{"a":"x\u0000.safetensors"}})", R"({"weight_map":{"a":"model.bin"}})",
        R"({"weight_map":{"a":"m.safetensors","a":"n.safetensors"}})"}) {
    CAPTURE(text);
    const auto index = read_shard_index(text);
    REQUIRE_FALSE(index.ok());
    CHECK(index.error().kind == ErrorKind::invalid_argument);
  }
}

}  // namespace
}  // namespace cairn::inference::shard_index_test
