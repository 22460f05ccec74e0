// SPDX-License-Identifier: Apache-2.0
// model_results FOLDER TASK [QUERY] — loads a model as the service does and prints its results for
// the texts on standard input, one a line, as one JSON value. TASK: search and ingest (dense),
// sparse, rerank. The environment variable PRECISION names the arithmetic: float32, bfloat16, int8.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "format/json.h"
#include "inference/model/model.h"

using namespace cairn;
using namespace cairn::inference;

namespace {

Result<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{.kind = ErrorKind::not_found, .message = path + " is not there"};
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

template <class Value>
Value or_fail(Result<Value> result) {
  if (!result.ok()) fail(result.error());
  return std::move(*result);
}

Precision precision() {
  const char* const name = std::getenv("PRECISION");
  const std::string given = name == nullptr ? "" : name;
  if (given == "float32") return Precision::float32;
  if (given == "bfloat16") return Precision::bfloat16;
  if (given == "int8") return Precision::int8;
  return Precision::automatic;
}

Json dense(const std::vector<std::vector<float>>& vectors) {
  Json out = Json::array();
  for (const auto& vector : vectors) {
    Json numbers = Json::array();
    for (const float value : vector) numbers.push(Json(static_cast<double>(value)));
    out.push(std::move(numbers));
  }
  return out;
}

Json sparse(const std::vector<SparseVector>& vectors) {
  Json out = Json::array();
  for (const SparseVector& vector : vectors) {
    Json weights;
    for (const auto& [term, weight] : vector.weights) {
      weights.set(term, Json(static_cast<double>(weight)));
    }
    out.push(std::move(weights));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string folder = argv[1], task = argv[2];
  const ModelFiles files = {.model_id = "m", .read = [&](std::string_view name) {
                              return content_of(folder + "/" + std::string(name));
                            }};
  const os::Deadline never = os::Deadline::never();
  const LoadOptions options = {.precision = precision()};
  const auto model = or_fail(load_model(files, options, never));
  std::vector<std::string> texts;
  for (std::string line; std::getline(std::cin, line);) texts.push_back(line);
  Json out;
  if (task == "rerank") {
    out = Json::array();
    for (const RerankScore& score : or_fail(model->rerank(argv[3], texts, never))) {
      Json one;
      one.set("index", Json(static_cast<std::int64_t>(score.index)));
      one.set("score", Json(static_cast<double>(score.score)));
      out.push(std::move(one));
    }
  } else if (task == "sparse") {
    out = sparse(or_fail(model->sparse(texts, InputType::ingest, never)));
  } else {
    const InputType side = task == "search" ? InputType::search : InputType::ingest;
    out = dense(or_fail(model->embed(texts, side, never)));
  }
  std::puts(out.dump().c_str());
}
