// SPDX-License-Identifier: Apache-2.0
// hidden_states FOLDER float32|bfloat16|int8 — runs an encoder on token ids and prints what it
// makes of them. Standard input has one sequence a line: ids, a bar, the side of a pair of each. On
// standard output stand all hidden states, token after token, as little-endian floats. Exit status 3:
// this processor lacks the arithmetic.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "inference/encoder/forward.h"
#include "inference/encoder/weights.h"

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

TokenBatch read_batch(std::istream& in) {
  TokenBatch out;
  for (std::string line; std::getline(in, line);) {
    out.starts.push_back(out.ids.size());
    std::istringstream words(line);
    bool sides = false;
    for (std::string word; words >> word;) {
      if (word == "|") {
        sides = true;
      } else if (sides) {
        out.types.push_back(static_cast<std::uint8_t>(std::stoul(word)));
      } else {
        out.ids.push_back(static_cast<std::uint32_t>(std::stoul(word)));
      }
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string folder = argv[1], name = argv[2];
  const auto arithmetic = name == "float32"    ? kernels::Arithmetic::float32
                          : name == "bfloat16" ? kernels::Arithmetic::bfloat16
                                               : kernels::Arithmetic::int8;
  if (arithmetic == kernels::Arithmetic::bfloat16 && kernels::matrix_kernels().bfloat16 == nullptr) {
    return 3;
  }
  auto config = read_encoder_config(content_of(folder + "/config.json"));
  if (!config.ok()) fail(config.error());
  const std::string bytes = content_of(folder + "/model.safetensors");
  Tensors tensors;
  if (const Status added = tensors.add("model.safetensors", bytes); !added.ok()) fail(added.error());
  auto weights = read_encoder_weights(*config, tensors, arithmetic, os::Deadline::never());
  if (!weights.ok()) fail(weights.error());
  const TokenBatch batch = read_batch(std::cin);
  Forward forward(*weights);
  auto states = forward.run(batch, os::Deadline::never());
  if (!states.ok()) fail(states.error());
  for (std::size_t token = 0; token < batch.ids.size(); ++token) {
    std::fwrite(*states + token * forward.stride(), sizeof(float), config->shape.hidden, stdout);
  }
}
