// SPDX-License-Identifier: Apache-2.0
// Heads as writers of files make them, and heads that claim what is not so.
#include "inference/gguf/gguf_file.h"

#include <doctest/doctest.h>

#include "inference/gguf/tiny_gguf.h"

namespace cairn::inference::gguf_file_test {

std::string message_of(const std::string& file) {
  const auto read = GgufFile::read(file, file.size());
  if (read.ok()) return read->has_value() ? "read" : "more";
  return read.error().message;
}

bool says(const std::string& file, std::string_view part) {
  const std::string message = message_of(file);
  INFO(message);
  CHECK(message.find(part) != std::string::npos);
  return true;
}

TEST_CASE("gguf: values and tensors are found by name, shapes with the columns last") {
  TinyGguf writer;
  writer.u32("a", 7).i32("b", -1).f32("c", 0.5F).boolean("d", true).text("e", "wörd");
  writer.texts("f", {"x", ""}).numbers("g", {1.5F}).integers("h", {-3, 4}).u64("i", 1ULL << 40U);
  writer.floats("t", {2, 3}, {1, 2, 3, 4, 5, 6}).tensor("q", 8, {32, 1}, std::string(34, '\1'));
  for (const std::uint32_t version : {2U, 3U}) {
    writer.version = version;
    const std::string file = writer.file();
    const auto read = GgufFile::read(file, file.size());
    REQUIRE(read.ok());
    REQUIRE(read->has_value());
    const GgufValues& values = (*read)->values();
    CHECK(*values.integer("a", 9) == 7);
    CHECK(values.integer("a", 6).error().message == "gguf: [a] must be 0 to 6");
    CHECK(values.integer("b", 9).error().message == "gguf: [b] must be 0 to 9");
    CHECK(values.integer("c", 9).error().message == "gguf: [c] must be a whole number");
    CHECK(values.integer("z", 9).error().message == "gguf: [z] is missing");
    CHECK(*values.integer("z", 9, 5) == 5);
    CHECK(*values.number("c") == 0.5);
    CHECK(*values.boolean("d", false));
    CHECK(*values.string("e") == "wörd");
    CHECK(*values.strings("f") == std::vector<std::string_view>{"x", ""});
    CHECK(*values.numbers("g") == std::vector<float>{1.5F});
    CHECK(*values.integers("h") == std::vector<std::int32_t>{-3, 4});
    CHECK(values.integers("g").error().message == "gguf: [g] must be an array of numbers (i32)");
    CHECK(*values.integer("i", UINT64_MAX) == 1ULL << 40U);
    const GgufTensor* const tensor = (*read)->find("t");
    REQUIRE(tensor != nullptr);
    CHECK(tensor->shape == std::vector<std::uint64_t>{3, 2});
    CHECK(tensor->bytes == 24);
    float third = 0;
    std::memcpy(&third, file.data() + tensor->begin + 8, 4);
    CHECK(third == 3);
    CHECK((*read)->find("q")->type == NumberType::q8_0);
    CHECK((*read)->find("z") == nullptr);
  }
}

TEST_CASE("gguf: a head tells that it needs more bytes, and no less than it needs") {
  TinyGguf writer;
  writer.text("a", "text").floats("t", {2}, {1, 2});
  const std::string file = writer.file();
  bool is_whole = false;
  for (std::size_t count = 0; count < file.size(); ++count) {
    const auto read = GgufFile::read(std::string_view(file).substr(0, count), file.size());
    REQUIRE(read.ok());
    CHECK(read->has_value() >= is_whole);
    is_whole = read->has_value();
    if (count == 0) CHECK_FALSE(is_whole);
    if (count == file.size() - 32) CHECK(is_whole);  // all but the numbers of [t]
  }
  for (std::size_t size = 0; size + 32 < file.size(); ++size)
    CHECK(message_of(file.substr(0, size)).starts_with("gguf: "));
}

TEST_CASE("gguf: files of other formats, versions and byte orders are refused by name") {
  TinyGguf writer;
  writer.magic = "GGML";
  says(writer.file(), "does not begin with GGUF");
  writer.magic = "GGUF";
  writer.version = 1;
  says(writer.file(), "of version [1]; offered are 2 and 3");
  writer.version = 3U << 24U;
  says(writer.file(), "big-endian");
  writer.version = 3;
  CHECK(message_of(writer.file()) == "read");
  says(TinyGguf().u32("split.count", 3).file(), "one of [3] of a model");
}

TEST_CASE("gguf: counts and lengths are bounded by the file before memory is taken") {
  const auto head = [](std::uint64_t tensors, std::uint64_t values) {
    return "GGUF" + TinyGguf::bytes(std::uint32_t{3}) + TinyGguf::bytes(tensors) +
           TinyGguf::bytes(values) + std::string(64, '\0');
  };
  says(head(UINT64_MAX, 0), "tensors do not fit the file");
  says(head(0, UINT64_MAX), "values do not fit the file");
  says(head(3, 0), "[3] tensors do not fit the file");
  const auto array = [](std::uint32_t type, std::uint64_t count) {
    TinyGguf out;
    out.add("a", 9, TinyGguf::bytes(type) + TinyGguf::bytes(count) + std::string(64, '\0'));
    return out.file();
  };
  says(array(8, UINT64_MAX), "elements do not fit the file");
  says(array(4, UINT64_MAX / 4 + 2), "elements do not fit the file");
  says(array(9, 1), "is an array of arrays");
  says(array(13, 1), "of the unknown type [13]");
  says(TinyGguf().add("a", 8, TinyGguf::bytes(UINT64_MAX)).file(), "the file ends within a string");
  says(TinyGguf().add("a", 7, "\2").file(), "neither true nor false");
  says(TinyGguf().u32("a", 1).u32("a", 2).file(), "value [a] stands there twice");
  says(TinyGguf().u32("", 1).file(), "the name of a value has [0] bytes");
}

TEST_CASE("gguf: tensors lie within the file, apart, aligned, and as large as their shapes") {
  const std::string some(64, '\0');
  const auto one = [&](std::uint32_t type, const std::vector<std::uint64_t>& shape,
                       std::uint64_t at = 0) {
    return TinyGguf().tensor_at("t", type, shape, at, some).file();
  };
  CHECK(message_of(one(0, {16})) == "read");
  says(one(0, {17}), "ends behind the file");
  says(one(0, {8}), "bytes follow the last tensor");
  says(one(0, {}), "has [0] dimensions");
  says(one(0, {1, 1, 1, 1, 16}), "has [5] dimensions");
  says(one(0, {0}), "a dimension of 0");
  says(one(0, {1ULL << 40U, 1ULL << 40U}), "more numbers than a file can hold");
  says(one(0, {UINT64_MAX}), "more numbers than a file can hold");
  says(one(0, {8}, 32), "leaves a hole before it");
  says(one(0, {8}, 8), "which is no multiple of [32]");
  says(one(0, {8}, UINT64_MAX - 31), "leaves a hole before it");
  says(one(8, {33}), "blocks of Q8_0 have [32]");
  says(one(12, {128}), "blocks of Q4_K have [256]");
  says(one(11, {256}), "tensor [t] is of type Q3_K; F32, F16");
  says(one(99, {256}), "of the unknown type [99]");
  TinyGguf both;
  both.tensor_at("a", 0, {16}, 0, some).tensor_at("b", 0, {16}, 32, some);
  says(both.file(), "tensor [b] lies over another");
  TinyGguf twice;
  twice.tensor("a", 0, {16}, some).tensor("a", 0, {16}, some);
  says(twice.file(), "tensor [a] stands there twice");
}

TEST_CASE("gguf: the alignment is the file's, a multiple of 8") {
  TinyGguf writer;
  writer.alignment = 64;
  writer.u32("general.alignment", 64).floats("t", {1}, {4});
  CHECK(message_of(writer.file()) == "read");
  for (const std::uint32_t bad : {0U, 3U, 12U})
    says(TinyGguf().u32("general.alignment", bad).file(), "must be a multiple of 8");
  says(TinyGguf().u32("general.alignment", 1U << 31U).file(), "[general.alignment] must be 0 to");
}

}  // namespace cairn::inference::gguf_file_test
