// SPDX-License-Identifier: Apache-2.0
// decoder_logits FOLDER|FILE.gguf float32|bfloat16|int8 — runs a decoder on token ids and prints
// what it expects next. Standard input has one sequence of ids a line. The first half of each is
// given at once, then one token after the other, all sequences together. On standard output stand
// the logits behind each of those steps, sequence after sequence, as little-endian floats. Exit
// status 3: this processor lacks the arithmetic.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "inference/decoder/forward.h"
#include "inference/gguf/decoder_tensors.h"
#include "inference/model/model.h"

using namespace cairn;
using namespace cairn::inference;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

struct Text {
  std::vector<std::uint32_t> ids;
  std::size_t given = 0;
  KvSequence sequence;
  std::vector<float> logits;
};

std::vector<Text> read_texts(std::istream& in) {
  std::vector<Text> out;
  for (std::string line; std::getline(in, line);) {
    Text text;
    std::istringstream words(line);
    for (std::uint32_t id = 0; words >> id;) text.ids.push_back(id);
    out.push_back(std::move(text));
  }
  return out;
}

/// One step of all texts that have tokens left. False: none has.
bool step(DecoderForward& forward, std::vector<Text>& texts, std::size_t words) {
  std::vector<StepInput> batch;
  std::vector<Text*> stepped;
  for (Text& text : texts) {
    if (text.given == text.ids.size()) continue;
    const std::size_t count = text.given == 0 ? (text.ids.size() + 1) / 2 : 1;
    batch.push_back({&text.sequence, std::span(text.ids).subspan(text.given, count)});
    text.given += count;
    stepped.push_back(&text);
  }
  if (batch.empty()) return false;
  if (const Status done = forward.step(batch, os::Deadline::never()); !done.ok()) {
    fail(done.error());
  }
  for (std::size_t i = 0; i < stepped.size(); ++i) {
    const float* const logits = forward.logits(i);
    stepped[i]->logits.insert(stepped[i]->logits.end(), logits, logits + words);
  }
  return true;
}

Result<DecoderConfig> read_folder(const std::string& folder, std::string& bytes, Tensors& tensors) {
  bytes = content_of(folder + "/model.safetensors");
  CAIRN_CHECK(tensors.add("model.safetensors", bytes));
  return read_decoder_config(content_of(folder + "/config.json"));
}

Result<DecoderConfig> read_gguf(const std::string& path, std::string& bytes, Tensors& tensors) {
  bytes = content_of(path);
  const auto read = [&](std::uint64_t offset, std::uint64_t count) {
    return Result<std::string>(bytes.substr(offset, count));
  };
  CAIRN_TRY(const SmallFiles files, small_files_of_gguf("model.gguf", bytes.size(), read));
  CAIRN_TRY(std::vector<Tensor> all, decoder_tensors_of(bytes));
  CAIRN_CHECK(tensors.add("model.gguf", std::move(all)));
  return read_decoder_config(files.at("config.json"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1], name = argv[2];
  const auto arithmetic = name == "float32"    ? kernels::Arithmetic::float32
                          : name == "bfloat16" ? kernels::Arithmetic::bfloat16
                                               : kernels::Arithmetic::int8;
  if (arithmetic == kernels::Arithmetic::bfloat16 &&
      kernels::matrix_kernels().bfloat16 == nullptr) {
    return 3;
  }
  Tensors tensors;
  std::string bytes;
  auto config = folder.ends_with(".gguf") ? read_gguf(folder, bytes, tensors)
                                          : read_folder(folder, bytes, tensors);
  if (!config.ok()) fail(config.error());
  auto weights = read_decoder_weights(*config, tensors, {arithmetic, name == "int4"},
                                      DecoderOutput::logits, os::Deadline::never());
  if (!weights.ok()) fail(weights.error());
  KvPool pool(kv_shape_of(*weights), 1000);
  DecoderForward forward(*weights, pool);
  std::vector<Text> texts = read_texts(std::cin);
  while (step(forward, texts, config->shape.vocabulary)) {
  }
  for (const Text& text : texts) {
    std::fwrite(text.logits.data(), sizeof(float), text.logits.size(), stdout);
  }
}
