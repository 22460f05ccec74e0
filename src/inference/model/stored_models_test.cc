// SPDX-License-Identifier: Apache-2.0
// Models of a store: described, loaded once with progress, and loaded anew when they change.
#include "inference/model/stored_models.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/encode.h"
#include "base/hash.h"
#include "inference/tiny_encoder.h"
#include "inference/tiny_model.h"
#include "os/fake/fake_files.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace cairn::inference::stored_models_test {
namespace {

using os::Deadline;

struct Stored {
  std::atomic<int> reads{0};
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view call, std::string_view key) -> Status {
        if (call == "get" && key.ends_with("model.safetensors")) ++reads;
        return ok_status();
      }});
  StoredModels models{*store};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;

  void put(const std::string& key, std::string_view bytes) {
    REQUIRE(store->put(key, bytes, Deadline::never()).ok());
  }
  void put_tiny(const std::string& id) {
    for (const auto& [name, bytes] : tiny_files()) put(id + "/" + name, bytes);
  }
  Result<std::shared_ptr<const Model>> load(std::string_view id) {
    return models.load(
        id,
        [this](std::uint64_t loaded, std::uint64_t total) { progress.emplace_back(loaded, total); },
        Deadline::never());
  }
};

TEST_CASE_FIXTURE(Stored, "stored models: a model that memory does not hold is refused") {
  put_tiny("tiny");
  std::uint64_t size = 0;
  for (const auto& [name, bytes] : tiny_files()) size += bytes.size();
  std::uint64_t available = 2 * size - 1;
  StoredModels poor(*store, {}, [&] { return std::optional<std::uint64_t>(available); });
  const auto none = [](std::uint64_t, std::uint64_t) {};
  const auto refused = poor.load("tiny", none, Deadline::never());
  CHECK(refused.error().kind == ErrorKind::rate_limited);
  CHECK(refused.error().message == "there is not enough memory for model [tiny]: [" +
                                       std::to_string(2 * size) + "] bytes are needed and [" +
                                       std::to_string(2 * size - 1) +
                                       "] are available; stop other deployments");
  ++available;
  const auto loaded = poor.load("tiny", none, Deadline::never());
  CHECK(loaded.ok());
  available = 0;
  CHECK(poor.load("tiny", none, Deadline::never()).ok());  // it is in memory already
}

TEST_CASE_FIXTURE(Stored, "stored models: what is being put in place is not removed meanwhile") {
  put_tiny("tiny");
  std::thread([&] {
    const std::shared_ptr<Mutex> turn = models.turns().of("tiny");
    const MutexLock lock(*turn);
    std::thread([&] {
      CHECK(models.remove("tiny", Deadline::never()).error().kind == ErrorKind::conflict);
    }).join();
  }).join();
  CHECK(*models.remove("tiny", Deadline::never()));
}

TEST_CASE_FIXTURE(Stored,
                  "stored models: an encoder needs more memory before its weights are packed") {
  for (const auto& [name, bytes] : TinyEncoder().files()) put("m/" + name, bytes);
  std::uint64_t size = 0;
  for (const auto& [name, bytes] : TinyEncoder().files()) size += bytes.size();
  os::FakeFiles disk;
  const PackedFiles packed(disk, "/packed");
  std::uint64_t available = 2 * size;
  const auto none = [](std::uint64_t, std::uint64_t) {};
  const auto loads = [&] {
    StoredModels models_now(*store, {.files = &packed},
                            [&] { return std::optional<std::uint64_t>(available); });
    return models_now.load("m", none, Deadline::never()).ok();
  };
  CHECK_FALSE(loads());
  available = 3 * size;
  CHECK(loads());
  available = size;
  CHECK(loads());                                             // packed weights are read alone
  put("m/vocab.txt", TinyEncoder().files().at("vocab.txt"));  // another version
  CHECK_FALSE(loads());
}

TEST_CASE("memory budget: models that are being loaded count") {
  MemoryBudget budget([] { return std::optional<std::uint64_t>(100); });
  auto first = budget.claim("a", 30);
  REQUIRE(first.ok());
  CHECK(budget.claim("b", 30).error().kind == ErrorKind::rate_limited);
  CHECK(budget.claim("b", 20).ok());
  *first = nullptr;
  CHECK(budget.claim("b", 30).ok());
  MemoryBudget unknown([] { return std::optional<std::uint64_t>(); });
  CHECK(unknown.claim("a", 1'000'000).ok());
}

/// What a freshly loaded encoder makes of a text, or why it could not be loaded. Its progress comes
/// to at least `least_bytes`.
std::string loaded_vector(store::Store& store, const PackedFiles& packed,
                          std::uint64_t least_bytes = 0, bool maps = true) {
  StoredModels models(store, {.files = &packed, .maps = maps, .precision = Precision::float32});
  std::uint64_t most = 0;
  const auto model = models.load(
      "encoder", [&](std::uint64_t loaded, std::uint64_t) { most = std::max(most, loaded); },
      Deadline::never());
  if (!model.ok()) return model.error().message;
  CHECK(most >= least_bytes);
  const std::vector<std::string> texts = {"w1 w2"};
  const auto vectors = (*model)->embed(texts, InputType::search, Deadline::never()).value();
  std::string out;
  for (const float x : vectors.at(0)) out += std::to_string(x) + " ";
  return out;
}

TEST_CASE_FIXTURE(Stored,
                  "stored models: weights are mapped from the disk, read where it has no room") {
  for (const auto& [name, bytes] : TinyEncoder().files()) put("encoder/" + name, bytes);
  const os::TestFolder folder;
  os::Files& disk = os::system_files();
  const PackedFiles none(disk, folder / "none", UINT64_MAX);  // keeps nothing, as the disk is full
  const std::uint64_t weights = TinyEncoder().files().at("model.safetensors").size();
  const std::string wanted = loaded_vector(*store, none, weights);
  CHECK(wanted.find(' ') != std::string::npos);
  CHECK(disk.list(folder / "none").value().empty());
  const PackedFiles kept(disk, folder / "kept");
  CHECK(loaded_vector(*store, kept, weights) == wanted);
  CHECK(disk.list(folder / "kept").value().size() ==
        1);                                      // the packed ones; what was mapped is gone
  CHECK(loaded_vector(*store, kept) == wanted);  // of those
}

TEST_CASE_FIXTURE(Stored, "stored models: nothing is mapped from a disk that may be lost") {
  for (const auto& [name, bytes] : TinyEncoder().files()) put("encoder/" + name, bytes);
  const os::TestFolder folder;
  // A folder that cannot be made: whoever maps from it fails.
  REQUIRE(os::replace_file(folder / "no-folder", "", 0600).ok());
  const PackedFiles lost(os::system_files(), folder / "no-folder/packed");
  const PackedFiles full(os::system_files(), folder / "full", UINT64_MAX);
  const std::string wanted = loaded_vector(*store, full);
  CHECK(loaded_vector(*store, lost) != wanted);
  CHECK(loaded_vector(*store, lost, 0, false) == wanted);
}

TEST_CASE_FIXTURE(Stored, "stored models: weights that are mapped are compared with their digest") {
  for (const auto& [name, bytes] : TinyEncoder().files()) put("encoder/" + name, bytes);
  const os::TestFolder folder;
  const PackedFiles packed(os::system_files(), folder / "packed");
  std::string sums;
  for (const auto& [name, bytes] : TinyEncoder().files())
    sums += to_hex(sha256(name == "model.safetensors" ? "other" : bytes)) + "  " + name + "\n";
  put("encoder/SHA256SUMS", sums);
  CHECK(loaded_vector(*store, packed) ==
        "model [encoder]: file [model.safetensors] does not match SHA256SUMS");
}

TEST_CASE_FIXTURE(Stored, "stored models: what a model is comes from its configuration") {
  put_tiny("tiny");
  put("broken/config.json", "{]");
  put("notes/readme.txt", "no model");
  const auto all = models.list(Deadline::never());
  REQUIRE(all.ok());
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].model_id == "broken");
  CHECK((*all)[0].tasks.empty());
  const ModelInfo& tiny = (*all)[1];
  CHECK(tiny.model_type == "cairn-static");
  CHECK(tiny.dimensions == 2);
  CHECK(tiny.similarity == "cosine");
  CHECK(tiny.supports(TaskType::rerank));
  CHECK(tiny.supports(TaskType::chat_completion));  // as it reranks
  CHECK(tiny.quotes);
  std::uint64_t size = 0;
  for (const auto& [name, bytes] : tiny_files()) size += bytes.size();
  CHECK(tiny.size_bytes == size);
  CHECK(models.describe("none", Deadline::never()).error().kind == ErrorKind::not_found);
}

TEST_CASE_FIXTURE(Stored, "stored models: loading tells how far it is") {
  put_tiny("tiny");
  REQUIRE(load("tiny").ok());
  REQUIRE(progress.size() >= 3);
  CHECK(progress.front().first == 0);
  for (std::size_t i = 1; i < progress.size(); ++i) {
    CHECK(progress[i].first >= progress[i - 1].first);
    CHECK(progress[i].second == progress[0].second);
  }
  CHECK(progress.back().first <= progress.back().second);
}

TEST_CASE_FIXTURE(Stored, "stored models: one copy in memory, however many ask at once") {
  put_tiny("tiny");
  std::vector<std::shared_ptr<const Model>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& one : got) {
      threads.emplace_back([&] {
        auto model = models.load(
            "tiny", [](auto, auto) {}, Deadline::never());
        if (model.ok()) one = *model;
      });
    }
  }
  CHECK(got[0] != nullptr);
  for (const auto& one : got) CHECK(one == got[0]);
  CHECK(reads == 1);
  got.clear();
  CHECK(load("tiny").ok());  // nobody held it
  CHECK(reads == 2);
}

TEST_CASE_FIXTURE(Stored, "stored models: who waits for another's load can give up") {
  put_tiny("tiny");
  std::optional<ErrorKind> waited;
  const auto while_loading = [&](std::uint64_t, std::uint64_t) {
    if (waited) return;
    waited = models
                 .load(
                     "tiny", [](std::uint64_t, std::uint64_t) {}, Deadline::in_ms(1))
                 .error()
                 .kind;
  };
  CHECK(models.load("tiny", while_loading, Deadline::never()).ok());
  CHECK(waited == ErrorKind::timeout);
  CHECK(load("tiny").ok());
}

TEST_CASE_FIXTURE(Stored, "stored models: files that changed are read again") {
  put_tiny("tiny");
  const auto before = load("tiny");
  REQUIRE(before.ok());
  put_tiny("tiny");
  const auto after = load("tiny");
  REQUIRE(after.ok());
  CHECK(*after != *before);
}

TEST_CASE_FIXTURE(Stored, "stored models: what cannot be loaded says why") {
  put_tiny("tiny");
  put("tiny/model.safetensors", "torn");
  const auto failed = load("tiny");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::invalid_argument);
  CHECK(failed.error().message.find("tiny") != std::string::npos);
  CHECK(load("none").error().kind == ErrorKind::not_found);
}

}  // namespace
}  // namespace cairn::inference::stored_models_test
