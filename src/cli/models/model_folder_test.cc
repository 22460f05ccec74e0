// SPDX-License-Identifier: Apache-2.0
// Which files of a folder make a model, what they are, and what it may be called.
#include "cli/models/model_folder.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "os/fake/fake_files.h"

namespace cairn::cli::model_folder_test {
namespace {

const os::Deadline never = os::Deadline::never();

class ModelFolder {
 public:
  void put(const std::string& name, std::string_view bytes) {
    const std::string path = "/m/" + name;
    REQUIRE(files_.make_directories(path.substr(0, path.rfind('/'))).ok());
    REQUIRE(os::replace_file(files_, path, bytes).ok());
  }
  Result<LocalModel> look() {
    return look_at_model(
        files_, "/m", [this](std::uint64_t done, std::uint64_t) { read_ = done; }, never);
  }
  std::uint64_t read() const { return read_; }

 private:
  os::FakeFiles files_;
  std::uint64_t read_ = 0;
};

TEST_CASE("model folder: what is part of a model, with digests and licence") {
  ModelFolder folder;
  folder.put("config.json", "{}");
  folder.put("model.safetensors", "1234");
  folder.put("pytorch_model.bin", "left out");
  folder.put("onnx/config.json", "left out");
  folder.put(".gitattributes", "hidden");
  folder.put("1_Pooling/config.json", "{ }");
  folder.put("LICENSE.txt", "You may.\n");
  const auto model = folder.look();
  REQUIRE(model.ok());
  REQUIRE(model->files.size() == 4);
  CHECK(model->files[0].name == "1_Pooling/config.json");
  CHECK(model->files[3].name == "model.safetensors");
  CHECK(model->files[3].size_bytes == 4);
  CHECK(model->files[3].sha256 == to_hex(sha256("1234")));
  CHECK(model->left_out == std::vector<std::string>{"onnx/config.json", "pytorch_model.bin"});
  CHECK(model->license == "You may.\n");
  CHECK(folder.read() == 2 + 4 + 3 + 9);
}

TEST_CASE("model folder: a GGUF file is a model, but where safetensors are there") {
  ModelFolder folder;
  folder.put("m.Q8_0.gguf", "1234");
  folder.put("README.md", "text");
  folder.put("more/other.gguf", "left out");
  auto model = folder.look();
  REQUIRE(model.ok());
  REQUIRE(model->files.size() == 2);
  CHECK(model->files[1].name == "m.Q8_0.gguf");
  CHECK(model->left_out == std::vector<std::string>{"more/other.gguf"});
  folder.put("model.safetensors", "12");
  model = folder.look();
  REQUIRE(model.ok());
  CHECK(model->files.size() == 2);
  CHECK(model->left_out == std::vector<std::string>{"more/other.gguf", "m.Q8_0.gguf"});
}

TEST_CASE("model folder: a file alone is looked at without what stands beside it") {
  os::FakeFiles files;
  REQUIRE(files.make_directories("/m").ok());
  REQUIRE(os::replace_file(files, "/m/a.gguf", "1234").ok());
  REQUIRE(os::replace_file(files, "/m/b.gguf", "12").ok());
  const auto model = look_at_file(
      files, "/m", "a.gguf", [](auto, auto) {}, never);
  REQUIRE(model.ok());
  REQUIRE(model->files.size() == 1);
  CHECK(model->files[0].size_bytes == 4);
  CHECK(model->files[0].sha256 == to_hex(sha256("1234")));
  CHECK_FALSE(look_at_file(
                  files, "/m", "c.gguf", [](auto, auto) {}, never)
                  .ok());
  CHECK(model_id_of("/models/Qwen2.5-0.5B.Q8_0.gguf") == "qwen2.5-0.5b.q8_0");
  CHECK_FALSE(names_gguf("/models/.gguf"));
}

TEST_CASE("model folder: sums say what is taken, and are checked") {
  ModelFolder folder;
  folder.put("config.json", "{}");
  folder.put("notes.json", "not named");
  folder.put("README.md", "---\nlanguage: en\nlicense: mit\n---\nlicense: not this\n");
  folder.put("SHA256SUMS", to_hex(sha256("{}")) + "  config.json\n");
  const auto model = folder.look();
  REQUIRE(model.ok());
  REQUIRE(model->files.size() == 1);
  CHECK(model->license == "license: mit");
  folder.put("config.json", "[]");
  CHECK(folder.look().error().kind == ErrorKind::corrupt);
  folder.put("SHA256SUMS", to_hex(sha256("{}")) + "  ../config.json\n");
  CHECK(folder.look().error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("model folder: names for models") {
  CHECK(model_id_of("/srv/All-MiniLM_L6.v2/") == "all-minilm_l6.v2");
  CHECK(model_id_of("https://host/models/E5 small!") == "e5small");
  CHECK(model_id_of("s3://bucket/a/b") == "b");
  CHECK(model_id_of("...").empty());
}

TEST_CASE("model commands: bad usage, no key, no folder") {
  const Environment none = [](std::string_view) { return std::nullopt; };
  CHECK(run({"model"}, none) == usage_error);
  CHECK(run({"model", "paint"}, none) == usage_error);
  CHECK(run({"model", "import"}, none) == usage_error);
  CHECK(run({"model", "import", "--help"}, none) == success);
  CHECK(run({"model", "import", "a", "b"}, none) == usage_error);
  CHECK(run({"model", "import", "...", "--key-file", "/nonexistent/key"}, none) == usage_error);
  CHECK(run({"model", "import", "a", "--key-file", "/nonexistent/key"}, none) == no_input);
  CHECK(run({"model", "list", "--key-file", "/nonexistent/key"}, none) == no_input);
  CHECK(run({"model", "remove"}, none) == usage_error);
}

}  // namespace
}  // namespace cairn::cli::model_folder_test
