// SPDX-License-Identifier: Apache-2.0
// Pieces of a model: kept over a restart, checked, verified, visible all at once.
#include "inference/model/intake.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/encode.h"
#include "base/hash.h"
#include "inference/gguf/tiny_gguf.h"
#include "inference/model/model_store.h"
#include "inference/tiny_model.h"
#include "store/memory_store.h"

namespace cairn::inference::intake_test {
namespace {

const os::Deadline never = os::Deadline::never();

std::vector<ModelFile> list_of(const TinyFiles& files) {
  std::vector<ModelFile> out;
  for (const auto& [name, bytes] : files) {
    out.push_back({.name = name, .size_bytes = bytes.size(), .sha256 = to_hex(sha256(bytes))});
  }
  return out;
}

void fill(Intake& intake, const TinyFiles& files) {
  for (const FilePiece& piece : intake.missing()) {
    REQUIRE(intake
                .put(piece.file, piece.offset,
                     std::string_view(files.at(piece.file)).substr(piece.offset, piece.count),
                     never)
                .ok());
  }
}

std::size_t keys_in(store::Store& store, std::string_view prefix) {
  std::size_t count = 0;
  REQUIRE(store::for_each_object(store, prefix, never, [&](const store::ObjectInfo&) {
            ++count;
            return ok_status();
          }).ok());
  return count;
}

struct Bench {
  TinyFiles files = tiny_files();
  std::unique_ptr<store::Store> store = store::memory_store();

  Intake begun() {
    Intake intake(*store, "m", list_of(files));
    REQUIRE(intake.begin(never).ok());
    return intake;
  }
  std::string fault() {
    Intake intake = begun();
    fill(intake, files);
    const Status done = intake.publish([](std::uint64_t) {}, never);
    CHECK(ModelStore(*store).list(never)->size() == (done.ok() ? 1 : 0));
    return done.ok() ? std::string() : done.error().message;
  }
};

TEST_CASE("intake: pieces in, a model out, and nothing is left over") {
  Bench bench;
  bench.files["big.txt"] = std::string(Intake::piece_bytes + 5, 'x');
  Intake intake = bench.begun();
  CHECK(intake.missing().size() == 5);  // the large file has two
  CHECK(intake.received_bytes() == 0);
  fill(intake, bench.files);
  CHECK(intake.missing().empty());
  CHECK(intake.received_bytes() == intake.total_bytes());
  CHECK(ModelStore(*bench.store).list(never)->empty());
  std::uint64_t verified = 0;
  REQUIRE(intake.publish([&](std::uint64_t bytes) { verified = bytes; }, never).ok());
  CHECK(verified == intake.total_bytes());
  const ModelStore models(*bench.store);
  REQUIRE(*models.list(never) == std::vector<std::string>{"m"});
  for (const auto& [name, bytes] : bench.files)
    CHECK(*models.open("m", never)->read(name) == bytes);
  CHECK(keys_in(*bench.store, ".incoming/") == 0);
}

TEST_CASE("intake: what was received counts after a restart, for another list too") {
  Bench bench;
  {
    Intake intake = bench.begun();
    const FilePiece piece = intake.missing().front();
    REQUIRE(intake.put(piece.file, piece.offset, bench.files.at(piece.file), never).ok());
  }
  auto found = *Intake::find(*bench.store, "m", never);
  REQUIRE(found.has_value());
  REQUIRE(found->begin(never).ok());
  CHECK(found->missing().size() == 2);
  bench.files["tokenizer.json"] += " ";
  Intake other = bench.begun();
  CHECK(other.missing().size() == 2);
  CHECK_FALSE(Intake::find(*bench.store, "n", never)->has_value());
}

TEST_CASE("intake: pieces of files that the list no longer has are dropped") {
  Bench bench;
  Intake intake = bench.begun();
  fill(intake, bench.files);
  CHECK(keys_in(*bench.store, ".incoming/") == 4);
  bench.files["tokenizer.json"] = "{}";
  Intake other = bench.begun();
  CHECK(keys_in(*bench.store, ".incoming/") == 3);
  CHECK(other.missing().size() == 1);
}

TEST_CASE("intake: what a cut deletion left of an earlier model is none of the new one") {
  Bench bench;
  REQUIRE(bench.store->put("m/modules.json", "[]", never).ok());
  REQUIRE(bench.store->put("m/SHA256SUMS", "old", never).ok());
  CHECK(bench.fault().empty());
  CHECK_FALSE(*bench.store->head("m/modules.json", never));
  CHECK(keys_in(*bench.store, "m/") == bench.files.size() + 1);
}

TEST_CASE("intake: a file with another digest is refused, and asked for again") {
  Bench bench;
  Intake intake = bench.begun();
  TinyFiles sent = bench.files;
  sent["tokenizer.json"][2] ^= 1;
  fill(intake, sent);
  const Status published = intake.publish([](std::uint64_t) {}, never);
  REQUIRE_FALSE(published.ok());
  CHECK(published.error().kind == ErrorKind::corrupt);
  CHECK(published.error().message.find("tokenizer.json") != std::string::npos);
  CHECK(ModelStore(*bench.store).list(never)->empty());
  const std::vector<FilePiece> again = intake.missing();
  REQUIRE(again.size() == 1);
  CHECK(again[0].file == "tokenizer.json");
  fill(intake, bench.files);
  CHECK(intake.publish([](std::uint64_t) {}, never).ok());
  CHECK(ModelStore(*bench.store).list(never)->size() == 1);
}

TEST_CASE("intake: what is dropped leaves nothing, not even files that were in place") {
  Bench bench;
  Intake intake = bench.begun();
  TinyFiles sent = bench.files;
  sent["tokenizer.json"][2] ^= 1;
  fill(intake, sent);
  REQUIRE_FALSE(intake.publish([](std::uint64_t) {}, never).ok());
  REQUIRE(intake.discard(never).ok());
  CHECK(keys_in(*bench.store, "") == 0);
}

TEST_CASE("intake: a cut at any step is gone on with, and nobody sees half a model") {
  const TinyFiles files = tiny_files();
  int last = 0;
  for (int cut = 1; cut <= last || last == 0; ++cut) {
    CAPTURE(cut);
    int calls = 0;
    bool cuts = true;
    const auto store = store::memory_store({.before = [&](std::string_view call, std::string_view) {
      if (call == "get" || call == "head" || call == "list") return ok_status();
      if (cuts && ++calls >= cut) {
        return Status(Error{.kind = ErrorKind::unavailable, .message = "cut"});
      }
      return ok_status();
    }});
    const auto whole_run = [&]() -> Status {
      Intake intake(*store, "m", list_of(files));
      CAIRN_CHECK(intake.begin(never));
      for (const FilePiece& piece : intake.missing()) {
        const std::string_view bytes(files.at(piece.file));
        CAIRN_CHECK(
            intake.put(piece.file, piece.offset, bytes.substr(piece.offset, piece.count), never));
      }
      return intake.publish([](std::uint64_t) {}, never);
    };
    const bool done = whole_run().ok();
    if (done) last = cut;  // no call was left to be cut
    cuts = false;
    const ModelStore models(*store);
    const auto seen = models.list(never);
    REQUIRE(seen.ok());
    if (!seen->empty()) {
      for (const auto& [name, bytes] : files) CHECK(*models.open("m", never)->read(name) == bytes);
    }
    REQUIRE(whole_run().ok());
    for (const auto& [name, bytes] : files) CHECK(*models.open("m", never)->read(name) == bytes);
    CHECK(keys_in(*store, ".incoming/") == 0);
  }
  CHECK(last > 8);
}

TEST_CASE("intake: only whole pieces in their places") {
  Bench bench;
  Intake intake = bench.begun();
  const std::string& config = bench.files["config.json"];
  const auto kind = [&](std::string_view file, std::uint64_t offset, std::string_view bytes) {
    const Status put = intake.put(file, offset, bytes, never);
    return put.ok() ? ErrorKind::internal : put.error().kind;
  };
  CHECK(kind("config.json", 1, std::string_view(config).substr(1)) == ErrorKind::invalid_argument);
  CHECK(kind("config.json", 0, std::string_view(config).substr(1)) == ErrorKind::invalid_argument);
  CHECK(kind("config.json", Intake::piece_bytes, "") == ErrorKind::invalid_argument);
  CHECK(kind("other", 0, "") == ErrorKind::invalid_argument);
  CHECK(kind("config.json", 0, config) == ErrorKind::internal);
  CHECK(intake.publish([](std::uint64_t) {}, never).error().kind == ErrorKind::conflict);
}

TEST_CASE("intake: what makes no model is told before it is taken") {
  const auto with = [](const std::string& name, const std::string& bytes) {
    Bench bench;
    bench.files[name] = bytes;
    return bench.fault();
  };
  CHECK(Bench().fault().empty());
  CHECK(with("config.json", "{").starts_with("config.json: "));
  CHECK(with("config.json", "[]") == "config.json holds no object");
  CHECK(with("config.json", "{}") ==
        "config.json has no model_type, so that it is not known what the model is");
  CHECK(with("tokenizer.json", "x").starts_with("tokenizer.json: "));
  CHECK(with("model.safetensors", "short") ==
        "model.safetensors: safetensors: the file is shorter than 8 bytes");
  std::string weights = tiny_files()["model.safetensors"];
  CHECK(with("model.safetensors", weights + "x") ==
        "model.safetensors: safetensors: bytes follow the last tensor");
  weights[7] = 1;
  CHECK(with("model.safetensors", weights).find("does not fit the file") != std::string::npos);
  CHECK(with("model.safetensors.index.json", R"({"weight_map":{"a":"other.safetensors"}})") ==
        "the model has no other.safetensors; weights in other formats (pytorch_model.bin, ONNX) "
        "are not read");
  Bench bare;
  bare.files.erase("tokenizer.json");
  CHECK(bare.fault() == "the model has no tokenizer.json");
}

Bench gguf_bench() {
  Bench out;
  out.files = {{"m.gguf", tiny_gguf_decoder("llama", [](TinyGguf&) {}).file()},
               {"LICENSE", "You may."}};
  return out;
}

TEST_CASE("intake: a GGUF file becomes a folder, whose digests fit") {
  Bench bench = gguf_bench();
  CHECK(bench.fault().empty());
  const ModelStore models(*bench.store);
  const auto files = models.open("m", never);
  REQUIRE(files.ok());
  CHECK(*files->read("m.gguf") == bench.files["m.gguf"]);
  CHECK(*files->read("LICENSE") == "You may.");
  CHECK(parse_json(*files->read("config.json"))->string_or("gguf_file") == "m.gguf");
  CHECK(files->read("tokenizer.json").ok());
  CHECK(files->read("tokenizer_config.json").ok());
  CHECK(files->read("generation_config.json").ok());
  const auto model = load_model(*files);
  REQUIRE(model.ok());
  CHECK((*model)->dimensions() == gguf_hidden);
  CHECK(keys_in(*bench.store, ".incoming/") == 0);
  CHECK(*models.remove("m", never));
  CHECK(keys_in(*bench.store, "") == 0);
}

TEST_CASE("intake: a GGUF file that makes no model is told with its name, and not seen") {
  Bench bench = gguf_bench();
  bench.files["m.gguf"] = tiny_gguf_decoder("bert", [](TinyGguf&) {}).file();
  CHECK(bench.fault() ==
        "m.gguf: gguf: [general.architecture] is [bert]; offered are llama, qwen2 and qwen3");
  bench.files["m.gguf"].resize(100);
  CHECK(bench.fault().starts_with("m.gguf: gguf: "));
  // Sizes that only the files of a folder are asked for.
  bench.files["m.gguf"] =
      tiny_gguf_decoder("llama", [](TinyGguf& out) { out.u32("llama.vocab_size", 9); }).file();
  CHECK(bench.fault().empty());
}

TEST_CASE("manifest: one GGUF file is a model, and stands for the files that it says") {
  const std::string digest(64, 'a');
  const auto list = [&](const std::vector<std::string>& names) {
    std::vector<ModelFile> files;
    for (const std::string& name : names) files.push_back({name, 1, digest});
    return read_manifest(manifest_json(files));
  };
  const auto one = list({"a.gguf", "config.json", "tokenizer.json", "README.md"});
  REQUIRE(one.ok());
  REQUIRE(one->size() == 2);
  CHECK((*one)[0].name == "a.gguf");
  CHECK((*one)[1].name == "README.md");
  CHECK(list({"a.gguf", "b.gguf", "config.json"}).error().message ==
        "the model has several GGUF files: [a.gguf] [b.gguf]; choose one of them");
  CHECK(list({"a.gguf", "config.json", "model.safetensors"})->size() == 3);
  CHECK_FALSE(list({"a/b.gguf"}).ok());
}

TEST_CASE("manifest: names and ids that lead elsewhere are refused") {
  for (const auto* const bad :
       {"", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "a\\b", "a\nb", "SHA256SUMS", "."}) {
    CHECK_MESSAGE(!check_file_name(bad).ok(), bad);
  }
  CHECK(check_file_name("1_Pooling/config.json").ok());
  for (const auto* const bad : {"", ".", "..", ".incoming", "A", "a/b", "-a", "a-", "a b", "ä"}) {
    CHECK_MESSAGE(!check_new_model_id(bad).ok(), bad);
  }
  CHECK(check_new_model_id(".elser_model_2").ok());
  CHECK(check_new_model_id("all-minilm-l6-v2").ok());
}

TEST_CASE("manifest: lists of sums are read strictly") {
  const std::string digest(64, 'a');
  const auto rows = read_sums(digest + "  config.json\n\n" + digest + " *./b/c.txt\r\n");
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 2);
  CHECK((*rows)[1].first == "b/c.txt");
  CHECK(read_sums("abc  config.json\n").error().message ==
        "line 1 of SHA256SUMS is not a digest and a name");
  CHECK_FALSE(read_sums(digest + "  ../x\n").ok());
  CHECK_FALSE(read_sums(digest + "  a\n" + digest + "  a\n").ok());
}

TEST_CASE("manifest: lists from callers are read strictly") {
  const auto fault = [](const std::string& text) {
    const auto json = parse_json(text);
    REQUIRE(json.ok());
    const auto read = read_manifest(*json);
    return read.ok() ? std::string() : read.error().message;
  };
  const std::string digest(64, 'a');
  const std::string config = R"({"name":"config.json","size_bytes":1,"sha256":")" + digest + "\"}";
  CHECK(fault(R"({"files":[)" + config + "]}").empty());
  CHECK(fault("{}") == "[files] must be an array of the files of the model");
  CHECK(fault(R"({"files":[{"name":"a","size_bytes":1,"sha256":")" + digest + "\"}]}") ==
        "the model has no config.json, which says what it is");
  CHECK(fault(R"({"files":[)" + config + "," + config + "]}") ==
        "file [config.json] is named twice");
  CHECK(fault(R"({"files":[{"name":"config.json","size_bytes":-1,"sha256":")" + digest + "\"}]}") ==
        "file [config.json] needs [size_bytes]");
  CHECK(fault(R"({"files":[{"name":"config.json","size_bytes":1,"sha256":"A"}]})") ==
        "file [config.json] needs [sha256]: 64 lower-case hexadecimal digits");
  CHECK(fault(R"({"files":[{"name":"config.json","size_bytes":400000000000,"sha256":")" + digest +
              "\"}]}") == "a model has at most 256 GiB");
}

}  // namespace
}  // namespace cairn::inference::intake_test
