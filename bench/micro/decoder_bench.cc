// SPDX-License-Identifier: Apache-2.0
// A decoder of random weights in the shape of Qwen2.5-0.5B: decoder_bench [TOKENS [WEIGHTS
// [ROUNDS]]], WEIGHTS as in its first column, all without. Tokens a second of a long text's
// beginning, of one text and of eight at once, on one thread by the clock, beside what reading the
// weights from memory alone would take in the same run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "inference/decoder/forward.h"

using namespace cairn;
using namespace cairn::inference;

namespace {

constexpr std::size_t prompt_tokens = 512;

/// Time that this thread computed, waits for memory included: other processes change it little.
double now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

DecoderShape shape_of_half_a_billion() {
  return {.vocabulary = 151'936,
          .hidden = 896,
          .layers = 24,
          .heads = 14,
          .kv_heads = 2,
          .head_size = 64,
          .intermediate = 4864,
          .most_tokens = 32'768,
          .epsilon = 1e-6F};
}

/// What a decoder computes with: an arithmetic, or the blocks of a GGUF file.
struct Kind {
  const char* name;
  kernels::Arithmetic arithmetic = kernels::Arithmetic::int8;
  std::optional<kernels::BlockType> blocks = std::nullopt;
};

/// Random weights, without a file of them.
class RandomDecoder {
 public:
  explicit RandomDecoder(const Kind& kind) : arithmetic_(kind.arithmetic), blocks_(kind.blocks) {
    std::normal_distribution<float> normal(0, 0.03F);
    for (float& number : numbers_) number = normal(random_);
  }

  DecoderWeights weights() {
    DecoderWeights out;
    const DecoderShape shape = out.shape = shape_of_half_a_billion();
    out.arithmetic = arithmetic_;
    for (std::size_t i = 0; i < shape.head_size / 2; ++i) {
      out.rotary.frequencies.push_back(1.0 / static_cast<double>(1 + i));
    }
    for (std::size_t i = 0; i < shape.layers; ++i) {
      DecoderLayer layer;
      layer.attention_norm = norm(shape.hidden);
      layer.joined = linear(shape.hidden, shape.query_width() + 2 * shape.kv_width());
      layer.attended = linear(shape.query_width(), shape.hidden);
      layer.feed_norm = norm(shape.hidden);
      layer.up = linear(shape.hidden, 2 * shape.intermediate);
      layer.down = linear(shape.intermediate, shape.hidden);
      out.layers.push_back(std::move(layer));
    }
    out.final_norm = norm(shape.hidden);
    out.logits = linear(shape.hidden, shape.vocabulary);
    out.word_bytes = kernels::Buffer<std::byte>(shape.vocabulary * shape.hidden * sizeof(float));
    for (std::size_t word = 0; word < shape.vocabulary; ++word) {
      std::memcpy(out.word_bytes.data() + word * shape.hidden * sizeof(float), some(shape.hidden),
                  shape.hidden * sizeof(float));
    }
    out.words =
        Table(NumberType::f32, shape.vocabulary, shape.hidden,
              {reinterpret_cast<const char*>(out.word_bytes.data()), out.word_bytes.size()});
    return out;
  }

 private:
  const float* some(std::size_t count) {
    return numbers_.data() + random_() % (numbers_.size() - count);
  }
  Norm norm(std::size_t width) {
    Norm out;
    out.gain = kernels::Buffer<float>(width);
    std::fill(out.gain.data(), out.gain.data() + width, 1.0F);
    return out;
  }
  DecoderLinear linear(std::size_t depth, std::size_t columns) {
    if (blocks_) return block_linear(depth, columns);
    Linear out(arithmetic_, depth, columns);
    for (std::size_t column = 0; column < columns; ++column) {
      out.set_column(column, some(depth), 0.01F);
    }
    return out;
  }

  /// A depth that groups of 256 do not fill has Q8_0, as in files of llama.cpp.
  BlockLinear block_linear(std::size_t depth, std::size_t columns) {
    BlockLinear out;
    out.depth = depth;
    out.columns = columns;
    BlockColumns part;
    part.type =
        depth % kernels::layout_of(*blocks_).depth() == 0 ? *blocks_ : kernels::BlockType::q8_0;
    part.count = columns;
    part.panels =
        kernels::Buffer<std::byte>(kernels::block_panels_bytes(part.type, depth, columns));
    const std::size_t groups = depth / kernels::layout_of(part.type).depth();
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t at = 0; at < groups; ++at) {
        kernels::pack_group(part.type, depth, some_group(part.type), column, at,
                            part.panels.data());
      }
    }
    out.parts.push_back(std::move(part));
    out.bias = kernels::Buffer<float>(whole_columns(columns));
    out.sum = kernels::Buffer<float>(whole_columns(columns) + 16);
    return out;
  }
  kernels::BlockGroup some_group(kernels::BlockType type) {
    kernels::BlockGroup out;
    out.scale = 0x1000;  // 2^-11
    for (std::int8_t& scale : out.scales) scale = 1;
    const kernels::BlockLayout layout = kernels::layout_of(type);
    for (std::size_t i = 0; i < layout.depth(); ++i) {
      const auto number = static_cast<int>(random_() % 16);
      out.numbers[i] = static_cast<std::int8_t>(layout.halves ? number : number - 8);
    }
    return out;
  }

  kernels::Arithmetic arithmetic_;
  std::optional<kernels::BlockType> blocks_;
  std::mt19937 random_{1};
  std::vector<float> numbers_ = std::vector<float>(100'000);
};

/// Bytes of weights that one step reads.
std::size_t read_bytes(const DecoderWeights& weights) {
  return weights.size_bytes() - weights.word_bytes.size();
}

typedef std::uint64_t Line [[gnu::vector_size(64), gnu::may_alias]];

/// Seconds that one thread takes to read this many bytes, from more than any cache holds.
double seconds_to_read(const kernels::Buffer<std::byte>& memory, std::size_t bytes) {
  Line sums[4] = {};
  const double start = now();
  for (std::size_t at = 0; at + sizeof sums <= memory.size(); at += sizeof sums) {
    for (std::size_t i = 0; i < 4; ++i) {
      Line line;
      std::memcpy(&line, memory.data() + at + i * sizeof line, sizeof line);
      sums[i] += line;
    }
  }
  const double taken = now() - start;
  const Line all = sums[0] + sums[1] + sums[2] + sums[3];
  if (all[0] == 1) std::puts("");  // the sum is needed
  return taken * static_cast<double>(bytes) / static_cast<double>(memory.size());
}

void must(const Status& done) {
  if (done.ok()) return;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  std::exit(1);
}

/// Texts that have their prompts and go on.
struct Texts {
  std::vector<KvSequence> sequences;
  std::vector<std::uint32_t> last;

  Texts(DecoderForward& forward, std::size_t count, std::size_t tokens)
      : sequences(count), last(count, 7) {
    std::vector<std::uint32_t> ids(tokens);
    for (std::size_t i = 0; i < tokens; ++i)
      ids[i] = static_cast<std::uint32_t>(i * 7919 % 150'000);
    for (KvSequence& sequence : sequences) {
      for (std::size_t at = 0; at < tokens; at += chunk_tokens) {
        const StepInput part = {
            &sequence, std::span(ids).subspan(at, std::min(chunk_tokens, tokens - at)),
            at + chunk_tokens < tokens ? StepOutput::nothing : StepOutput::logits};
        must(forward.step({&part, 1}, os::Deadline::never()));
      }
    }
  }

  void step(DecoderForward& forward) {
    std::vector<StepInput> batch;
    for (std::size_t i = 0; i < sequences.size(); ++i)
      batch.push_back({&sequences[i], {&last[i], 1}});
    must(forward.step(batch, os::Deadline::never()));
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      last[i] = static_cast<std::uint32_t>(
          std::max_element(forward.logits(i), forward.logits(i) + 150'000) - forward.logits(i));
    }
  }
};

void measure(const Kind& kind, std::size_t tokens, int rounds,
             const kernels::Buffer<std::byte>& memory) {
  const DecoderWeights weights = RandomDecoder(kind).weights();
  KvPool pool(kv_shape_of(weights), 1000);
  DecoderForward forward(weights, pool);
  std::vector<double> prefill, bounds, one, eight, shares;
  for (int round = 0; round < rounds; ++round) {
    double start = now();
    Texts single(forward, 1, prompt_tokens);
    prefill.push_back(static_cast<double>(prompt_tokens) / (now() - start));
    bounds.push_back(1 / seconds_to_read(memory, read_bytes(weights)));
    start = now();
    for (std::size_t i = 0; i < tokens; ++i) single.step(forward);
    one.push_back(static_cast<double>(tokens) / (now() - start));
    bounds.push_back(1 / seconds_to_read(memory, read_bytes(weights)));
    const double bound = std::max(bounds.back(), bounds[bounds.size() - 2]);
    shares.push_back(one.back() / bound);
    Texts several(forward, 8, 64);
    start = now();
    for (std::size_t i = 0; i < tokens; ++i) several.step(forward);
    eight.push_back(8 * static_cast<double>(tokens) / (now() - start));
  }
  std::printf(
      "%-9s prompt %7.1f tokens/s; one text %5.1f, bound %5.1f (%.0f MB), share %.2f; "
      "eight texts %6.1f\n",
      kind.name, median(prefill), median(one), median(bounds),
      static_cast<double>(read_bytes(weights)) / 1e6, median(shares), median(eight));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t tokens = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 16;
  const std::string only = argc > 2 ? argv[2] : "";
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  using kernels::Arithmetic, kernels::BlockType;
  const std::vector<Kind> kinds = {{"int8"},
                                   {"Q8_0", Arithmetic::int8, BlockType::q8_0},
                                   {"Q4_0", Arithmetic::int8, BlockType::q4_0},
                                   {"Q4_K", Arithmetic::int8, BlockType::q4_k},
                                   {"Q6_K", Arithmetic::int8, BlockType::q6_k},
                                   {"bfloat16", Arithmetic::bfloat16}};
  kernels::Buffer<std::byte> memory(std::size_t{512} << 20U);
  std::memset(memory.data(), 1, memory.size());
  std::printf("kernels %s\n", std::string(kernels::matrix_kernels().name).c_str());
  for (const Kind& kind : kinds) {
    if (!only.empty() && only != kind.name) continue;
    if (kind.arithmetic == Arithmetic::bfloat16 && kernels::matrix_kernels().bfloat16 == nullptr) {
      continue;
    }
    measure(kind, tokens, rounds, memory);
  }
}
