// SPDX-License-Identifier: Apache-2.0
// safetensors: what is written reads back; heads that lie about the data are refused.
#include "inference/model/safetensors.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace cairn::inference::safetensors_test {
namespace {

std::string file_of(std::string_view head, std::size_t data_bytes) {
  std::string out;
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(head.size() >> (8 * i) & 0xffU);
  return out + std::string(head) + std::string(data_bytes, 'd');
}

TEST_CASE("safetensors: what is written reads back") {
  const std::string numbers("\0\0\x80\x3f\0\0\0\x40", 8);  // 1.0F, 2.0F
  const std::string file =
      write_safetensors({{.name = "b", .type = NumberType::i8, .shape = {2, 3}, .bytes = "abcdef"},
                         {.name = "a", .type = NumberType::f32, .shape = {2}, .bytes = numbers},
                         {.name = "empty", .type = NumberType::i64, .shape = {0, 7}, .bytes = ""}},
                        {{"format", "pt"}});
  CHECK(file.size() % 2 == 0);
  const auto parsed = Safetensors::parse(file);
  REQUIRE(parsed.ok());
  CHECK(parsed->tensors().size() == 3);
  const auto floats = parsed->get("a", NumberType::f32, {2});
  REQUIRE(floats.ok());
  CHECK(numbers_of<float>(**floats) == std::vector<float>{1, 2});
  CHECK(parsed->find("b")->bytes == "abcdef");
  CHECK(parsed->find("c") == nullptr);
  CHECK(parsed->get("c", NumberType::f32, {2}).error().message ==
        "safetensors: tensor [c] is missing");
  CHECK(parsed->get("b", NumberType::f32, {2, 3}).error().message ==
        "safetensors: tensor [b] must be of type F32");
  CHECK(parsed->get("b", NumberType::i8, {3, 2}).error().message ==
        "safetensors: tensor [b] must have the shape [3,2], not [2,3]");
}

TEST_CASE("safetensors: heads padded with spaces are accepted") {
  CHECK(Safetensors::parse(
            file_of(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}     )", 2))
            .ok());
  CHECK(Safetensors::parse(file_of("{}", 0)).ok());
}

TEST_CASE("safetensors: files that lie are refused") {
  const std::vector<std::pair<std::string, std::size_t>> heads{
      {R"( {})", 0},
      {R"([])", 0},
      {R"({"x":1})", 0},
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 3},  // rest
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 1},  // outside
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3},  // hole
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}})", 2},  // backwards
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[-2,0]}})", 2},
      {R"({"x":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}})", 2},   // shape
      {R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,2]}})", 2},  // type
      {R"({"x":{"dtype":"X8","shape":[2],"data_offsets":[0,2]}})", 2},
      {R"({"x":{"dtype":"U8","shape":2,"data_offsets":[0,2]}})", 2},
      {R"({"x":{"dtype":"U8","shape":[2.5],"data_offsets":[0,2]}})", 2},
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0]}})", 2},
      {R"({"x":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0},
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3},  // overlap
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("x":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       4},  // one name twice
  };
  for (const auto& [head, bytes] : heads) {
    CAPTURE(head);
    const auto parsed = Safetensors::parse(file_of(head, bytes));
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == ErrorKind::invalid_argument);
  }
  CHECK_FALSE(Safetensors::parse("").ok());
  CHECK_FALSE(Safetensors::parse(std::string(8, '\xff')).ok());
  CHECK_FALSE(Safetensors::parse(std::string("\x05\0\0\0\0\0\0\0{}", 10)).ok());
}

TEST_CASE("M01: heads that lie about lengths, offsets, types, shapes and names are refused") {
  const auto refused = [](std::string_view file) {
    const auto parsed = Safetensors::parse(file);
    return !parsed.ok() && parsed.error().kind == ErrorKind::invalid_argument;
  };
  const auto tensor = [](const std::string& name, const std::string& type,
                         const std::string& shape, const std::string& offsets) {
    return '"' + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape +
           R"(,"data_offsets":)" + offsets + "}";
  };
  // The length of the head: 2^63, 2^64-1, one byte too many, and far more than the file has.
  for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{3},
                                     std::uint64_t{99'999'999}, ~std::uint64_t{0} - 7}) {
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    CHECK(refused(file + "{}"));
  }
  const std::string two = tensor("a", "U8", "[2]", "[0,2]") + ",";
  for (const std::string& tensors : {
           two + tensor("b", "U8", "[2]", "[1,3]"),                       // overlap
           two + tensor("b", "U8", "[2]", "[3,5]"),                       // hole
           two + tensor("b", "U8", "[2]", "[4,2]"),                       // reversed
           two + tensor("b", "U8", "[2]", "[2,9223372036854775807]"),     // beyond the file
           two + tensor("b", "U8", "[2]", "[2,18446744073709551615]"),    //
           two + tensor("b", "U8", "[2]", "[18446744073709551614,0]"),    //
           two + tensor("b", "U8", "[2]", "[2,1e300]"),                   //
           two + tensor("b", "F128", "[2]", "[2,4]"),                     // unknown type
           two + tensor("b", "", "[2]", "[2,4]"),                         //
           two + tensor("b", "U8", "[4611686018427387905,4]", "[2,6]"),   // 2^64 + 4
           two + tensor("b", "F64", "[2305843009213693953]", "[2,10]"),   //
           two + tensor("b", "U8", "[4294967296,4294967296]", "[2,2]"),   //
           two + tensor("b", "U8", "[-2]", "[2,4]"),                      //
           two + tensor("b", "U8", "[1,1,1,1,1,1,1,1,2]", "[2,4]"),       // dimensions
           two + tensor("a", "U8", "[2]", "[2,4]"),                       // a name twice
           std::string(R"("a":[],"b":1)"),
           R"("a":)" + std::string(100'000, '[') + std::string(100'000, ']'),  // depth
       }) {
    CAPTURE(tensors.substr(0, 300));
    CHECK(refused(file_of("{" + tensors + "}", 10)));
    CHECK(refused(file_of("{" + tensors + "}", 0)));
  }
}

TEST_CASE("safetensors: changed and cut files never crash") {
  constexpr unsigned seed = 3;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::string good =
      write_safetensors({{.name = "a", .type = NumberType::i8, .shape = {2, 3}, .bytes = "abcdef"},
                         {.name = "b", .type = NumberType::i16, .shape = {2}, .bytes = "abcd"}},
                        {});
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_FALSE(Safetensors::parse(std::string_view(good).substr(0, size)).ok());
  }
  for (int round = 0; round < 3000; ++round) {
    std::string file = good;
    for (int i = 0; i < 2; ++i) file[random() % file.size()] = static_cast<char>(random() & 0xffU);
    const auto parsed = Safetensors::parse(file);
    if (!parsed.ok()) continue;
    std::size_t total = 0;
    for (const Tensor& tensor : parsed->tensors()) total += tensor.bytes.size();
    CHECK(total == 10);
  }
}

}  // namespace
}  // namespace cairn::inference::safetensors_test
