// SPDX-License-Identifier: Apache-2.0
// Weights that are packed once and kept, and the arithmetic that is chosen for them.
#include "inference/encoder/encoder_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "inference/encoder/packed_image.h"
#include "inference/encoder/packing.h"
#include "inference/model/packed_files.h"
#include "inference/tiny_encoder.h"
#include "os/fake/fake_files.h"

namespace cairn::inference {
namespace encoder_model_test {

using os::Deadline;
using Vectors = std::vector<std::vector<float>>;

const std::vector<std::string> texts = {"w7 w8 w9", "", "w20 unknown w21", "w40 w40 w40 w7"};

/// A folder whose reads of weights are counted, and a place for packed weights.
struct Folder {
  std::map<std::string, std::string, std::less<>> contents = TinyEncoder().files();
  int weight_reads = 0;
  os::FakeFiles disk;
  PackedFiles packed{disk, "/packed"};
  LoadOptions options{.precision = Precision::automatic, .packed_files = &packed, .version = "v1"};

  ModelFiles files() {
    return {.model_id = "m", .read = [this](std::string_view name) -> Result<std::string> {
              if (name == "model.safetensors") ++weight_reads;
              const auto found = contents.find(name);
              if (found != contents.end()) return found->second;
              return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
            }};
  }
  Vectors vectors() {
    const auto model = load_model(files(), options);
    REQUIRE_MESSAGE(model.ok(), model.error().message);
    auto out = (*model)->embed(texts, InputType::ingest, Deadline::never());
    REQUIRE(out.ok());
    return *out;
  }
  std::string packed_path() {
    const auto names = disk.list("/packed");
    REQUIRE(names.ok());
    REQUIRE(names->size() == 1);
    return "/packed/" + names->front();
  }
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    of_a += static_cast<double>(a[i]) * a[i];
    of_b += static_cast<double>(b[i]) * b[i];
  }
  return dot / std::sqrt(of_a * of_b);
}

TEST_CASE("encoder model: weights are packed once and read from then on") {
  Folder folder;
  const Vectors first = folder.vectors();
  CHECK(folder.weight_reads == 1);
  CHECK(folder.vectors() == first);
  CHECK(folder.weight_reads == 1);

  SUBCASE("other files of the model") {
    folder.options.version = "v2";
    CHECK(folder.vectors() == first);
    CHECK(folder.weight_reads == 2);
    CHECK(folder.vectors() == first);
    CHECK(folder.weight_reads == 2);
  }
  SUBCASE("another precision") {
    folder.options.precision = Precision::float32;
    const Vectors exact = folder.vectors();
    CHECK(folder.weight_reads == 2);
    for (std::size_t i = 0; i < exact.size(); ++i) CHECK(cosine(exact[i], first[i]) > least_cosine);
  }
  SUBCASE("a bit that rotted, wherever it is") {
    const auto size = folder.disk.info(folder.packed_path())->size_bytes;
    for (std::uint64_t at = 0; at < size; at += 1 + size / 97) {
      const int before = folder.weight_reads;
      REQUIRE(folder.disk.flip_bit(folder.packed_path(), at));
      CHECK(folder.vectors() == first);
      CHECK(folder.weight_reads == before + 1);
    }
  }
  SUBCASE("no room to keep them") {
    folder.options.version = "v3";
    folder.disk.on_call([](std::string_view call, const std::string&) -> Status {
      if (call == "write") return Error{.kind = ErrorKind::storage_full, .message = "full"};
      return ok_status();
    });
    CHECK(folder.vectors() == first);
  }
}

TEST_CASE("encoder model: a cut while weights are kept leaves the old ones, the new ones or none") {
  Folder counting;
  const Vectors wanted = counting.vectors();
  const std::uint64_t calls = counting.disk.calls();
  for (std::uint64_t cut = 1; cut <= calls; ++cut) {
    Folder folder;
    folder.disk.cut_at(cut);
    CHECK(folder.vectors() == wanted);
    folder.disk.crash(os::CrashKeeps::random, cut);
    CHECK(folder.vectors() == wanted);
    CHECK(folder.vectors() == wanted);
  }
}

TEST_CASE("packed files: those of removed models go") {
  os::FakeFiles disk;
  const PackedFiles packed(disk, "/packed");
  CHECK(packed.keep_only({"a"}).ok());  // no folder yet
  REQUIRE(packed.write("a", "one").ok());
  REQUIRE(packed.write("b/c", "two").ok());
  REQUIRE(packed.keep_only({"b/c"}).ok());
  CHECK(packed.read("a").error().kind == ErrorKind::not_found);
  CHECK(packed.read("b/c")->size() == 3);
}

TEST_CASE("packed files: the reserve of the disk stays free") {
  os::FakeFiles disk;
  REQUIRE(PackedFiles(disk, "/packed").write("a", "one").ok());
  const std::uint64_t free = disk.free_bytes("/packed").value();
  const PackedFiles packed(disk, "/packed", free - 2);
  const Status refused = packed.write("a", "three");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::storage_full);
  CHECK(packed.read("a")->size() == 3);  // what was there stays
  CHECK(packed.write("a", "2b").ok());
}

TEST_CASE("packed image: what is cut short or longer is refused") {
  Folder folder;
  folder.vectors();
  const auto whole = folder.packed.read("m");
  REQUIRE(whole.ok());
  const EncoderShape shape;
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{40}, whole->size() / 2,
                                 whole->size() - 1}) {
    kernels::Buffer<std::byte> part(size);
    std::copy_n(whole->data(), size, part.data());
    CHECK(read_packed(part, "key", shape).error().kind == ErrorKind::corrupt);
  }
}

/// A channel a thousand times as strong as the others, which nothing reads: bytes with one scale for
/// a row have no room left for the others.
TinyEncoder encoder_with_outlier() {
  TinyEncoder out;
  constexpr std::size_t channel = 3;
  for (const char* const layer : {"encoder.layer.0.", "encoder.layer.1."}) {
    const std::string at = layer;
    out.numbers(at + "attention.output.LayerNorm.weight")[channel] = 1000;
    out.numbers(at + "output.LayerNorm.weight")[channel] = 0;
    auto& up = out.numbers(at + "intermediate.dense.weight");
    for (std::size_t row = 0; row < TinyEncoder::wide; ++row) {
      up[row * TinyEncoder::hidden + channel] = 0;
    }
    auto& down = out.numbers(at + "output.dense.weight");
    for (float& weight : down) weight *= 40;
  }
  return out;
}

kernels::Arithmetic chosen(Folder& folder, double& cosine) {
  const ModelFiles files = folder.files();
  auto parts = read_encoder_parts(files, folder.contents.at("config.json"));
  REQUIRE(parts.ok());
  auto weights = read_weight_files(files, *parts);
  REQUIRE(weights.ok());
  const auto out = pack_for(Precision::automatic, *parts, **weights, Deadline::never());
  REQUIRE(out.ok());
  cosine = out->cosine;
  return out->encoder.weights.arithmetic;
}

TEST_CASE("encoder model: what is tried first") {
  using kernels::Arithmetic;
  const auto names = [](const kernels::MatrixKernels& kernels) {
    std::string out;
    for (const LayerArithmetic& one : fast_arithmetics(kernels)) {
      for (const Arithmetic of : {one.attention, one.feed}) {
        out += of == Arithmetic::int8 ? 'i' : of == Arithmetic::bfloat16 ? 'b' : 'f';
      }
      out += ' ';
    }
    return out;
  };
  const auto any = [](const kernels::Product&) {};
  CHECK(names({"scalar", any, any, any, 255}).empty());
  CHECK(names({"avx2", any, nullptr, any, 127}) == "ii fi ");
  CHECK(names({"avx512_vnni", any, any, any, 255}) == "ii bi bb ");
  CHECK(names({"amx", any, any, any, 255, true}) == "bb ii bi ");
}

TEST_CASE("encoder model: the arithmetic is the fastest that keeps the direction") {
  const std::vector<LayerArithmetic> fast = fast_arithmetics(kernels::matrix_kernels());
  Folder plain;
  double cosine = 0;
  CHECK(chosen(plain, cosine) ==
        (fast.empty() ? kernels::Arithmetic::float32 : fast.front().feed));
  CHECK(cosine >= least_cosine);
  Folder strong;
  strong.contents = encoder_with_outlier().files();
  CHECK(chosen(strong, cosine) != kernels::Arithmetic::int8);
  CHECK(cosine >= least_cosine);
}

std::string refusal(Folder& folder) {
  const auto model = load_model(folder.files(), folder.options);
  REQUIRE(!model.ok());
  CHECK(model.error().kind == ErrorKind::invalid_argument);
  return model.error().message;
}

/// A tokenizer whose frame is a `special` of these ids, before the text.
std::string framed_tokenizer(const std::string& ids) {
  return R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0,"w7":1}},"post_processor":)"
         R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"S","type_id":0}},)"
         R"({"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},)"
         R"({"SpecialToken":{"id":"S","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],)"
         R"("special_tokens":{"S":{"id":"S","ids":)" +
         ids + R"(,"tokens":["[UNK]"]}}}})";
}

TEST_CASE("encoder model: tokens that the tables do not have are refused") {
  Folder folder;
  folder.contents["tokenizer.json"] = framed_tokenizer("[59]");
  CHECK(folder.vectors().size() == texts.size());
  folder.contents["tokenizer.json"] = framed_tokenizer("[60]");
  CHECK(refusal(folder) ==
        "model [m]: tokenizer.json puts token [60] around texts, and [vocab_size] is [60]");
  folder.contents["tokenizer.json"] = framed_tokenizer("[2000000000]");
  CHECK(refusal(folder).find("[2000000000]") != std::string::npos);
}

TEST_CASE("encoder model: a frame that leaves no room for a text is refused") {
  std::string ids = "[1";
  for (std::size_t i = 1; i < TinyEncoder::tokens; ++i) ids += ",1";
  Folder folder;
  folder.contents["tokenizer.json"] = framed_tokenizer(ids + "]");
  CHECK(refusal(folder) ==
        "model [m]: tokenizer.json puts [40] tokens around texts of at most [40]");
}

TEST_CASE("encoder model: a longest text without a token is refused") {
  Folder folder;
  folder.contents["tokenizer_config.json"] = R"({"model_max_length":0.5})";
  CHECK(refusal(folder) ==
        "model [m]: tokenizer: [tokenizer_config.model_max_length] must be a number of at "
        "least 1");
}

TEST_CASE("encoder model: a load that is cancelled ends") {
  Folder folder;
  std::stop_source stop;
  stop.request_stop();
  CHECK(load_model(folder.files(), folder.options, Deadline::never(stop.get_token())).error().kind ==
        ErrorKind::cancelled);
}

}  // namespace encoder_model_test
}  // namespace cairn::inference
