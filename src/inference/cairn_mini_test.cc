// SPDX-License-Identifier: Apache-2.0
// The model that ships with Cairn: whole, small, and sensible in the three tasks that it learnt.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inference/model/model_store.h"
#include "kernels/vector.h"
#include "os/files/files.h"
#include "store/memory_store.h"

namespace cairn::inference::cairn_mini_test {
namespace {

const std::string folder = "models/cairn-mini";
const os::Deadline never = os::Deadline::never();

std::shared_ptr<const Model> cairn_mini() {
  static const auto model = load_model(files_of_folder(os::system_files(), "cairn-mini", folder));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  return *model;
}

float likeness(const std::string& a, const std::string& b) {
  const std::vector<std::string> texts{a, b};
  const auto vectors = cairn_mini()->embed(texts, InputType::unspecified, never);
  REQUIRE(vectors.ok());
  return kernels::dot_f32((*vectors)[0].data(), (*vectors)[1].data(), (*vectors)[0].size());
}

TEST_CASE("cairn-mini: fits in 12 MB and loads from the model store") {
  std::uint64_t bytes = 0;
  const auto names = os::system_files().list(folder);
  REQUIRE(names.ok());
  for (const std::string& name : *names) {
    const auto info = os::system_files().info(folder + "/" + name);
    REQUIRE(info.ok());
    bytes += info->size_bytes;
  }
  CHECK(bytes <= 12'000'000);
  const auto store = store::memory_store();
  const ModelStore models(*store);
  REQUIRE(models.import_folder("cairn-mini", os::system_files(), folder, never).ok());
  const auto files = models.open("cairn-mini", never);
  REQUIRE(files.ok());
  const auto model = load_model(*files);
  REQUIRE(model.ok());
  for (const TaskType task :
       {TaskType::text_embedding, TaskType::sparse_embedding, TaskType::rerank}) {
    CHECK((*model)->supports(task));
  }
  CHECK((*model)->size_bytes() < 20'000'000);
}

TEST_CASE("cairn-mini: dense vectors bring together what means the same, in several languages") {
  CHECK(likeness("a doctor treats the sick", "medical care for an ill person") >
        likeness("a doctor treats the sick", "the car needs new tyres"));
  for (const auto* text : {"eine Datei löschen", "supprimer un fichier", "borrar un fichero",
                           "eliminare un file", "een bestand verwijderen", "usunąć plik",
                           "remover um ficheiro", "удалить файл", "ファイルを削除する"}) {
    CAPTURE(text);
    CHECK(likeness("delete a file", text) > 0.4F);
    CHECK(likeness("delete a file", text) > likeness("the weather tomorrow", text) + 0.2F);
  }
}

TEST_CASE("cairn-mini: sparse queries hold related words, never above 0.3 of the word itself") {
  const std::vector<std::string> inputs{"copy"};
  const auto query = cairn_mini()->sparse(inputs, InputType::search, never);
  const auto document = cairn_mini()->sparse(inputs, InputType::ingest, never);
  REQUIRE(query.ok());
  REQUIRE(document.ok());
  CHECK(document->front().weights.size() == 1);
  const auto& weights = query->front().weights;
  REQUIRE(weights.size() > 3);
  CHECK(weights[0].first == "copy");
  for (std::size_t i = 1; i < weights.size(); ++i) {
    // Both were rounded to bfloat16 in the file: one part in 256 each.
    CHECK(weights[i].second <= 0.3F * (1 + 2 / 256.0F) * weights[0].second);
    CHECK(weights[i].second <= weights[i - 1].second);
  }
  CHECK(std::any_of(weights.begin(), weights.end(),
                    [](const auto& weight) { return weight.first == "copies"; }));
}

TEST_CASE("cairn-mini: a pair without a known token ranks last") {
  const std::vector<std::string> documents{"☃☃☃", "", "Bread needs flour.", "Cats sleep by day."};
  const auto scores = cairn_mini()->rerank("When do cats sleep?", documents, never);
  REQUIRE(scores.ok());
  CHECK((*scores)[0].index == 3);
  CHECK((*scores)[1].index == 2);
  CHECK((*scores)[1].score > 0);
  CHECK((*scores)[2].index == 0);
  CHECK((*scores)[2].score == 0);
  CHECK((*scores)[3].score == 0);
  const auto unknown = cairn_mini()->rerank("ما هو؟", documents, never);
  REQUIRE(unknown.ok());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    CHECK((*unknown)[i].index == i);
    CHECK((*unknown)[i].score == 0);
  }
}

TEST_CASE("cairn-mini: rerank puts the answer first") {
  const std::vector<std::string> documents{
      "The moon causes the tides.", "rm removes files or directories.",
      "cp copies files and directories.", "A recipe for onion soup with cheese."};
  for (const auto& [query, answer] :
       std::map<std::string, std::size_t>{{"how do I copy a directory", 2},
                                          {"delete a folder", 1},
                                          {"why does the sea rise and fall", 0},
                                          {"what to cook", 3}}) {
    CAPTURE(query);
    const auto scores = cairn_mini()->rerank(query, documents, never);
    REQUIRE(scores.ok());
    CHECK(scores->front().index == answer);
  }
}

}  // namespace
}  // namespace cairn::inference::cairn_mini_test
