// SPDX-License-Identifier: Apache-2.0
// Training again on a small corpus gives the bytes that it gave before, whatever the threads, the
// compiler's options or the processor; and they make a model.
#include "train.h"

#include <doctest/doctest.h>

#include <string>

#include "base/encode.h"
#include "base/hash.h"
#include "inference/model/model.h"
#include "os/files/files.h"

namespace cairn::mini {
namespace {

const std::string corpus_folder = "tests/data/mini-corpus";

std::map<std::string, std::string> train_small(std::size_t threads) {
  const auto corpus = read_corpus(corpus_folder);
  REQUIRE(corpus.ok());
  TrainingOptions options = TrainingOptions::small();
  options.contrast.threads = threads;
  auto files = train(*corpus, options, [](std::string_view) {});
  REQUIRE(files.ok());
  return std::move(files).value();
}

TEST_CASE("train: the same corpus gives the same bytes") {
  const auto files = train_small(2);
  std::string sums;
  for (const auto& [name, bytes] : files) sums += to_hex(sha256(bytes)) + "  " + name + "\n";
  const auto expected =
      os::read_file(os::system_files(), corpus_folder + "/SHA256SUMS", std::size_t{1} << 20U);
  REQUIRE(expected.ok());
  CHECK(sums == *expected);
  CHECK(train_small(1) == files);
}

TEST_CASE("train: another seed gives another model") {
  const auto corpus = read_corpus(corpus_folder);
  REQUIRE(corpus.ok());
  TrainingOptions options = TrainingOptions::small();
  options.seed += 1;
  const auto files = train(*corpus, options, [](std::string_view) {});
  REQUIRE(files.ok());
  CHECK(files->at("model.safetensors") != train_small(2).at("model.safetensors"));
}

TEST_CASE("train: what comes out is a model for all three tasks") {
  const auto files = train_small(2);
  const auto model = inference::load_model(
      {.model_id = "small", .read = [&](std::string_view name) -> Result<std::string> {
         const auto found = files.find(std::string(name));
         if (found != files.end()) return found->second;
         return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
       }});
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  const os::Deadline never = os::Deadline::never();
  const std::vector<std::string> texts{"a young dog", "a kind of bread", "gives water to plants"};
  const auto vectors = (*model)->embed(texts, inference::InputType::ingest, never);
  REQUIRE(vectors.ok());
  CHECK(vectors->front().size() == 32);
  const auto sparse = (*model)->sparse(texts, inference::InputType::search, never);
  REQUIRE(sparse.ok());
  const auto& weights = sparse->front().weights;
  CHECK((weights[0].first == "dog" || weights[1].first == "dog"));
  const auto scores = (*model)->rerank("puppy, a young dog", texts, never);
  REQUIRE(scores.ok());
  CHECK(scores->front().index == 0);
}

TEST_CASE("train: a missing corpus is named") {
  const auto corpus = read_corpus("tests/data/no-such-corpus");
  REQUIRE_FALSE(corpus.ok());
  CHECK(corpus.error().kind == ErrorKind::not_found);
}

}  // namespace
}  // namespace cairn::mini
