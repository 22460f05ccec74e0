// SPDX-License-Identifier: Apache-2.0
// encoder_rate FOLDER — computes on one thread what it is told to on standard input, one JSON object a
// line, and answers each with one. Text a is word (7 * row + 13 * place + 1) % vocabulary, row after row.
//   {"arithmetic": "int8", "rows": 8, "tokens": 128, "ms": 300}: {"per_s": sequences a second}, the
//     median of runs of at least that much processor time;
//   with "head": true the scores of all words are computed too;
//   with "vectors": true: {"vectors": [[…]]}, mean-pooled, of length 1;
//   with "peak": true: {"per_s": multiplications a second that the core does at most}.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../../micro/core_peak.h"
#include "format/json.h"
#include "inference/encoder/dense_vector.h"
#include "inference/encoder/encoder_parts.h"
#include "inference/encoder/forward.h"

using namespace cairn;
using namespace cairn::inference;

namespace {

double processor_ms() { return bench::seconds() * 1e3; }

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

Result<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{.kind = ErrorKind::not_found, .message = path + " is not there"};
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// "mixed" is int8 with bfloat16 around attention.
LayerArithmetic arithmetic_of(const std::string& name) {
  using enum kernels::Arithmetic;
  if (name == "float32") return float32;
  if (name == "bfloat16") return bfloat16;
  if (name == "mixed") return {bfloat16, int8};
  if (name == "int8") return int8;
  fail("no arithmetic is called " + name);
}

/// One model in one arithmetic.
struct Ready {
  EncoderParts parts;
  std::unique_ptr<WeightFiles> files;  // tables lie there
  PackedEncoder packed;
  Forward forward;

  Ready(EncoderParts read, std::unique_ptr<WeightFiles> from, PackedEncoder encoder)
      : parts(std::move(read)),
        files(std::move(from)),
        packed(std::move(encoder)),
        forward(packed.weights) {}
};

template <class Value>
Value or_fail(Result<Value> result) {
  if (!result.ok()) fail(result.error().message);
  return std::move(*result);
}

std::unique_ptr<Ready> load(const std::string& folder, const LayerArithmetic& arithmetic) {
  ModelFiles files{.model_id = folder, .read = [&](std::string_view name) {
                     return content_of(folder + "/" + std::string(name));
                   }};
  const std::string config = or_fail(files.read("config.json"));
  EncoderParts parts = or_fail(read_encoder_parts(files, config));
  auto weights = or_fail(read_weight_files(files, parts));
  PackedEncoder packed =
      or_fail(pack_encoder(parts, *weights, arithmetic, os::Deadline::never()));
  return std::make_unique<Ready>(std::move(parts), std::move(weights), std::move(packed));
}

/// Texts in batches of the size that the service makes.
std::vector<TokenBatch> batches_of(std::size_t rows, std::size_t tokens, std::size_t vocabulary) {
  std::vector<TokenBatch> out;
  for (std::size_t row = 0; row < rows; ++row) {
    if (out.empty() || out.back().ids.size() + tokens > batch_tokens) out.emplace_back();
    TokenBatch& batch = out.back();
    batch.starts.push_back(batch.ids.size());
    for (std::size_t place = 0; place < tokens; ++place) {
      batch.ids.push_back(static_cast<std::uint32_t>((7 * row + 13 * place + 1) % vocabulary));
      batch.types.push_back(0);
    }
  }
  return out;
}

const float* run(Ready& ready, const TokenBatch& batch) {
  auto states = ready.forward.run(batch, os::Deadline::never());
  if (!states.ok()) fail(states.error().message);
  return *states;
}

/// The layers, and behind them what `head` asks for.
void compute(Ready& ready, const TokenBatch& batch, HeadMemory* head) {
  const float* const states = run(ready, batch);
  const std::size_t stride = ready.forward.stride();
  for (std::size_t s = 0; head != nullptr && s < batch.sequences(); ++s) {
    greatest_scores(Kernels{}, ready.packed.words, states + batch.begin_of(s) * stride, stride,
                    batch.end_of(s) - batch.begin_of(s), ready.parts.config.shape.epsilon, *head);
  }
}

Json rate(Ready& ready, const std::vector<TokenBatch>& batches, double rows, double ms,
          HeadMemory* head) {
  std::vector<double> times;
  for (const double begin = processor_ms(); times.size() < 6 || processor_ms() - begin < ms;) {
    const double before = processor_ms();
    for (const TokenBatch& batch : batches) compute(ready, batch, head);
    times.push_back(processor_ms() - before);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  Json out = Json::object();
  out.set("per_s", rows * 1e3 / *middle);
  return out;
}

Json vectors(Ready& ready, const std::vector<TokenBatch>& batches) {
  Json all = Json::array();
  const std::size_t stride = ready.forward.stride();
  const Kernels with;
  ReadyRows rows;
  for (const TokenBatch& batch : batches) {
    const float* const states = run(ready, batch);
    for (std::size_t s = 0; s < batch.sequences(); ++s) {
      Json numbers = Json::array();
      const TextStates text = {.rows = states + batch.begin_of(s) * stride,
                               .stride = stride,
                               .tokens = batch.end_of(s) - batch.begin_of(s)};
      for (const float x : dense_vector(ready.parts, ready.packed, with, rows, text)) {
        numbers.push(Json(static_cast<double>(x)));
      }
      all.push(std::move(numbers));
    }
  }
  Json out = Json::object();
  out.set("vectors", std::move(all));
  return out;
}

void say(const Json& answer) {
  std::printf("%s\n", answer.dump().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: encoder_rate FOLDER");
  std::map<std::string, std::unique_ptr<Ready>> loaded;
  for (std::string line; std::getline(std::cin, line);) {
    const auto asked = parse_json(line);
    if (!asked.ok()) fail(asked.error().message);
    const std::string name = asked->string_or("arithmetic");
    const LayerArithmetic arithmetic = arithmetic_of(name);
    if (asked->find("peak") != nullptr) {
      Json answer = Json::object();
      answer.set("per_s", bench::peak(arithmetic.feed) / 2);
      say(answer);
      continue;
    }
    std::unique_ptr<Ready>& ready = loaded[name];
    if (ready == nullptr) ready = load(argv[1], arithmetic);
    const auto rows = static_cast<std::size_t>(asked->int_or("rows"));
    const auto batches = batches_of(rows, static_cast<std::size_t>(asked->int_or("tokens")),
                                    ready->parts.config.shape.vocabulary);
    if (asked->find("vectors") != nullptr) {
      say(vectors(*ready, batches));
      continue;
    }
    HeadMemory head;
    say(rate(*ready, batches, static_cast<double>(rows),
             static_cast<double>(asked->int_or("ms", 300)),
             asked->find("head") != nullptr ? &head : nullptr));
  }
}
