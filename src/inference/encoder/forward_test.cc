// SPDX-License-Identifier: Apache-2.0
// The layers of every kind of encoder against plain sums in double.
#include "inference/encoder/forward.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "inference/encoder/relative.h"

namespace cairn::inference {
namespace forward_test {

using Matrix = std::vector<std::vector<float>>;
using Rows = std::vector<std::vector<double>>;

struct RawLinear {
  Matrix weights;  // [columns][depth]
  std::vector<float> bias;
};

struct RawNorm {
  std::vector<float> gain, shift;
};

struct RawLayer {
  RawLinear joined, attended, up, down;
  RawNorm attention_norm, output_norm;
};

/// An encoder of random numbers, as plain arrays.
struct RawEncoder {
  EncoderShape shape;
  Matrix words, positions, types;
  RawNorm embedding_norm, final_norm;
  std::vector<RawLayer> layers;
  Matrix relative;  // [heads][buckets]
};

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  std::vector<float> row(std::size_t count, float spread, float mean = 0) {
    std::normal_distribution<float> normal(mean, spread);
    std::vector<float> out(count);
    for (float& value : out) value = normal(random_);
    return out;
  }
  Matrix matrix(std::size_t rows, std::size_t count, float spread) {
    Matrix out;
    for (std::size_t i = 0; i < rows; ++i) out.push_back(row(count, spread));
    return out;
  }
  RawLinear linear(std::size_t columns, std::size_t depth) {
    return {matrix(columns, depth, 0.08F), row(columns, 0.1F)};
  }
  RawNorm norm(std::size_t count) { return {row(count, 0.2F, 1), row(count, 0.1F)}; }
  std::size_t below(std::size_t most) { return random_() % most; }

 private:
  std::mt19937 random_;
};

RawEncoder random_encoder(EncoderShape shape, unsigned seed) {
  Numbers numbers(seed);
  RawEncoder out;
  const std::size_t width = shape.heads * shape.head_size;
  out.words = numbers.matrix(shape.vocabulary, shape.hidden, 0.5F);
  if (shape.positions == Positions::learned) {
    out.positions =
        numbers.matrix(shape.most_tokens + shape.first_position, shape.hidden, 0.3F);
  }
  if (shape.positions == Positions::relative) out.relative = numbers.matrix(shape.heads, 32, 0.5F);
  out.types = numbers.matrix(2, shape.hidden, 0.3F);
  out.embedding_norm = numbers.norm(shape.hidden);
  for (std::size_t i = 0; i < shape.layers; ++i) {
    RawLayer layer;
    layer.joined = numbers.linear(3 * width, shape.hidden);
    layer.attended = numbers.linear(shape.hidden, width);
    layer.up = numbers.linear((shape.gated ? 2 : 1) * shape.intermediate, shape.hidden);
    layer.down = numbers.linear(shape.hidden, shape.intermediate);
    layer.attention_norm = numbers.norm(shape.hidden);
    layer.output_norm = numbers.norm(shape.hidden);
    out.layers.push_back(std::move(layer));
  }
  out.shape = shape;
  if (shape.norm_first) {
    out.layers.front().attention_norm = {};  // as ModernBERT has it
    out.final_norm = numbers.norm(shape.hidden);
    out.final_norm.shift.clear();
  }
  return out;
}

// The encoder under test, from the same numbers.

Linear pack(const RawLinear& raw, kernels::Arithmetic arithmetic) {
  Linear out(arithmetic, raw.weights.front().size(), raw.weights.size());
  for (std::size_t i = 0; i < raw.weights.size(); ++i) {
    out.set_column(i, raw.weights[i].data(), raw.bias[i]);
  }
  return out;
}

kernels::Buffer<float> copy(const std::vector<float>& from) {
  kernels::Buffer<float> out(from.size());
  if (!from.empty()) std::memcpy(out.data(), from.data(), from.size() * sizeof(float));
  return out;
}

Norm pack(const RawNorm& raw) { return {copy(raw.gain), copy(raw.shift)}; }

/// Tables lie in `bytes`.
struct Packed {
  std::vector<std::string> bytes = std::vector<std::string>(3);
  EncoderWeights weights;

  Table table(const Matrix& matrix, std::string& into) {
    if (matrix.empty()) return {};
    for (const auto& row : matrix) {
      into.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
    }
    return Table(Tensor{"", NumberType::f32, {matrix.size(), matrix.front().size()}, into});
  }
};

Packed pack(const RawEncoder& raw, kernels::Arithmetic arithmetic) {
  Packed out;
  out.weights.shape = raw.shape;
  out.weights.arithmetic = arithmetic;
  out.weights.words = out.table(raw.words, out.bytes[0]);
  out.weights.positions = out.table(raw.positions, out.bytes[1]);
  out.weights.types = out.table(raw.types, out.bytes[2]);
  out.weights.embedding_norm = pack(raw.embedding_norm);
  out.weights.final_norm = pack(raw.final_norm);
  for (const RawLayer& layer : raw.layers) {
    out.weights.layers.push_back({pack(layer.joined, arithmetic), pack(layer.attended, arithmetic),
                                  pack(layer.attention_norm), pack(layer.up, arithmetic),
                                  pack(layer.down, arithmetic), pack(layer.output_norm)});
  }
  if (!raw.relative.empty()) {
    out.weights.relative_buckets = raw.relative.front().size();
    std::vector<float> all;
    for (const auto& head : raw.relative) all.insert(all.end(), head.begin(), head.end());
    out.weights.relative_bias = copy(all);
  }
  return out;
}

// The oracle.

double activated(double x, kernels::Activation activation) {
  switch (activation) {
    case kernels::Activation::gelu: return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    case kernels::Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

Rows applied(const RawLinear& linear, const Rows& rows) {
  Rows out;
  for (const auto& row : rows) {
    std::vector<double> values;
    for (std::size_t c = 0; c < linear.weights.size(); ++c) {
      double sum = static_cast<double>(linear.bias[c]);
      for (std::size_t i = 0; i < row.size(); ++i) {
        sum += row[i] * static_cast<double>(linear.weights[c][i]);
      }
      values.push_back(sum);
    }
    out.push_back(std::move(values));
  }
  return out;
}

Rows normal(const RawNorm& norm, Rows rows, double epsilon) {
  if (norm.gain.empty()) return rows;
  for (auto& row : rows) {
    double mean = 0, variance = 0;
    for (const double x : row) mean += x / static_cast<double>(row.size());
    for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + epsilon) * static_cast<double>(norm.gain[i]);
      if (!norm.shift.empty()) row[i] += static_cast<double>(norm.shift[i]);
    }
  }
  return rows;
}

Rows add(Rows a, const Rows& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
  }
  return a;
}

void turn(const RawEncoder& raw, std::size_t layer, Rows& joined) {
  const EncoderShape& shape = raw.shape;
  const double base = static_cast<double>(
      shape.sees_all(layer) ? shape.rotary_base : shape.window_rotary_base);
  const std::size_t half = shape.head_size / 2;
  for (std::size_t t = 0; t < joined.size(); ++t) {
    for (std::size_t head = 0; head < 2 * shape.heads; ++head) {
      double* const x = joined[t].data() + head * shape.head_size;
      for (std::size_t i = 0; i < half; ++i) {
        const double exponent = static_cast<double>(i) / static_cast<double>(half);
        const double angle = static_cast<double>(t) * std::pow(base, -exponent) /
                             static_cast<double>(shape.rotary_divisor);
        const double a = x[i], b = x[i + half];
        x[i] = a * std::cos(angle) - b * std::sin(angle);
        x[i + half] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
  }
}

Rows attend(const RawEncoder& raw, std::size_t layer, const Rows& in) {
  const EncoderShape& shape = raw.shape;
  Rows joined = applied(raw.layers[layer].joined, in);
  if (shape.positions == Positions::rotary) turn(raw, layer, joined);
  const std::size_t width = shape.heads * shape.head_size;
  Rows out(in.size(), std::vector<double>(width));
  for (std::size_t head = 0; head < shape.heads; ++head) {
    for (std::size_t t = 0; t < in.size(); ++t) {
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t u = 0; u < in.size(); ++u) {
        double score = 0;
        for (std::size_t i = 0; i < shape.head_size; ++i) {
          score += joined[t][head * shape.head_size + i] *
                   joined[u][width + head * shape.head_size + i];
        }
        score /= std::sqrt(static_cast<double>(shape.head_size));
        if (!raw.relative.empty()) {
          const auto distance = static_cast<std::int64_t>(u) - static_cast<std::int64_t>(t);
          score += static_cast<double>(raw.relative[head][relative_bucket(distance, 32)]);
        }
        const std::size_t away = u > t ? u - t : t - u;
        const bool seen = shape.sees_all(layer) || away <= shape.window;
        weights.push_back(seen ? std::exp(score) : 0);
        sum += weights.back();
      }
      for (std::size_t u = 0; u < in.size(); ++u) {
        for (std::size_t i = 0; i < shape.head_size; ++i) {
          out[t][head * shape.head_size + i] +=
              weights[u] / sum * joined[u][2 * width + head * shape.head_size + i];
        }
      }
    }
  }
  return applied(raw.layers[layer].attended, out);
}

Rows feed(const RawEncoder& raw, std::size_t layer, const Rows& in) {
  Rows wide = applied(raw.layers[layer].up, in);
  for (auto& row : wide) {
    for (double& x : row) {
      const bool is_gate = raw.shape.gated && &x >= row.data() + raw.shape.intermediate;
      if (!is_gate) x = activated(x, raw.shape.activation);
    }
    for (std::size_t i = 0; raw.shape.gated && i < raw.shape.intermediate; ++i) {
      row[i] *= row[raw.shape.intermediate + i];
    }
    row.resize(raw.shape.intermediate);
  }
  return applied(raw.layers[layer].down, wide);
}

Rows oracle(const RawEncoder& raw, const std::vector<std::uint32_t>& ids,
            const std::vector<std::uint8_t>& types) {
  const double epsilon = static_cast<double>(raw.shape.epsilon);
  Rows x;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    std::vector<double> row(raw.words[ids[t]].begin(), raw.words[ids[t]].end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!raw.positions.empty()) {
        row[i] += static_cast<double>(raw.positions[t + raw.shape.first_position][i]);
      }
      row[i] += static_cast<double>(raw.types[types[t]][i]);
    }
    x.push_back(std::move(row));
  }
  x = normal(raw.embedding_norm, x, epsilon);
  for (std::size_t l = 0; l < raw.layers.size(); ++l) {
    const RawLayer& layer = raw.layers[l];
    if (raw.shape.norm_first) {
      x = add(x, attend(raw, l, normal(layer.attention_norm, x, epsilon)));
      x = add(x, feed(raw, l, normal(layer.output_norm, x, epsilon)));
    } else {
      x = normal(layer.attention_norm, add(x, attend(raw, l, x)), epsilon);
      x = normal(layer.output_norm, add(x, feed(raw, l, x)), epsilon);
    }
  }
  return normal(raw.final_norm, x, epsilon);
}

// The cases.

EncoderShape small_shape() {
  EncoderShape shape;
  shape.vocabulary = 50;
  shape.hidden = 64;
  shape.layers = 2;
  shape.heads = 2;
  shape.head_size = 32;
  shape.intermediate = 96;
  shape.most_tokens = 200;
  return shape;
}

struct Case {
  std::string name;
  EncoderShape shape;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  const auto add = [&](const char* name, const auto& change) {
    Case next = {name, small_shape()};
    change(next.shape);
    out.push_back(next);
  };
  add("BERT", [](EncoderShape&) {});
  add("RoBERTa", [](EncoderShape& s) { s.first_position = 2; });
  add("MPNet", [](EncoderShape& s) { s.positions = Positions::relative; });
  add("rotary and gated", [](EncoderShape& s) {
    s.positions = Positions::rotary;
    s.gated = true;
    s.activation = kernels::Activation::silu;
    s.rotary_divisor = 1.3F;
  });
  add("windows and norms first", [](EncoderShape& s) {
    s.positions = Positions::rotary;
    s.gated = true;
    s.norm_first = true;
    s.layers = 4;
    s.window = 9;
    s.global_every = 3;
    s.rotary_base = 160'000;
  });
  add("odd sizes", [](EncoderShape& s) {
    s.hidden = 39;
    s.heads = 3;
    s.head_size = 13;
    s.intermediate = 45;
  });
  add("wide heads in windows", [](EncoderShape& s) {
    s.hidden = 80;
    s.heads = 2;
    s.head_size = 80;
    s.window = 5;
    s.global_every = 2;
    s.positions = Positions::rotary;
  });
  return out;
}

TokenBatch random_batch(const EncoderShape& shape, const std::vector<std::size_t>& lengths) {
  Numbers numbers(5);
  TokenBatch out;
  for (const std::size_t length : lengths) {
    out.starts.push_back(out.ids.size());
    for (std::size_t i = 0; i < length; ++i) {
      out.ids.push_back(static_cast<std::uint32_t>(numbers.below(shape.vocabulary)));
      out.types.push_back(static_cast<std::uint8_t>(2 * i >= length));
    }
  }
  return out;
}

TokenBatch sequence_of(const TokenBatch& batch, std::size_t sequence) {
  const auto begin = static_cast<std::ptrdiff_t>(batch.begin_of(sequence));
  const auto end = static_cast<std::ptrdiff_t>(batch.end_of(sequence));
  return {{batch.ids.begin() + begin, batch.ids.begin() + end},
          {batch.types.begin() + begin, batch.types.begin() + end},
          {0}};
}

/// Calls check(kernels, arithmetic) for every version that has the arithmetic.
template <class Check>
void for_each_version(const Check& check) {
  const auto& rows = kernels::usable_row_kernels();
  const auto& matrices = kernels::usable_matrix_kernels();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Kernels with = {matrices[i], rows[std::min(i, rows.size() - 1)]};
    for (const auto arithmetic : {kernels::Arithmetic::float32, kernels::Arithmetic::bfloat16,
                                  kernels::Arithmetic::int8}) {
      if (arithmetic == kernels::Arithmetic::bfloat16 && with.matrix->bfloat16 == nullptr) continue;
      CAPTURE(std::string(with.matrix->name));
      CAPTURE(static_cast<int>(arithmetic));
      check(with, arithmetic);
    }
  }
}

const std::vector<std::size_t> lengths = {7, 1, 70, 2, 33};

TEST_CASE("forward: hidden states are those of plain sums in double") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const RawEncoder raw = random_encoder(c.shape, 11);
    const TokenBatch batch = random_batch(c.shape, lengths);
    Rows expected;
    for (std::size_t s = 0; s < batch.sequences(); ++s) {
      const TokenBatch one = sequence_of(batch, s);
      for (auto& row : oracle(raw, one.ids, one.types)) expected.push_back(std::move(row));
    }
    for_each_version([&](const Kernels& with, kernels::Arithmetic arithmetic) {
      const Packed packed = pack(raw, arithmetic);
      Forward forward(packed.weights, with);
      const float* const out = forward.run(batch, os::Deadline::never()).value();
      double worst = 0, worst_cosine = 1;
      for (std::size_t t = 0; t < expected.size(); ++t) {
        double product = 0, ours = 0, theirs = 0;
        for (std::size_t i = 0; i < c.shape.hidden; ++i) {
          const auto value = static_cast<double>(out[t * forward.stride() + i]);
          worst = std::max(worst, std::fabs(value - expected[t][i]));
          product += value * expected[t][i];
          ours += value * value;
          theirs += expected[t][i] * expected[t][i];
        }
        worst_cosine = std::min(worst_cosine, product / std::sqrt(ours * theirs));
      }
      const bool exact = arithmetic == kernels::Arithmetic::float32;
      const bool bytes = arithmetic == kernels::Arithmetic::int8;
      CHECK(worst < (exact ? 5e-5 : 1));
      CHECK(worst_cosine > (exact ? 0.9999999 : bytes ? 0.997 : 0.9999));
    });
  }
}

TEST_CASE("forward: a sequence is the same bits alone and among others, run after run") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const RawEncoder raw = random_encoder(c.shape, 12);
    const TokenBatch batch = random_batch(c.shape, lengths);
    for_each_version([&](const Kernels& with, kernels::Arithmetic arithmetic) {
      const Packed packed = pack(raw, arithmetic);
      Forward together(packed.weights, with), alone(packed.weights, with);
      const float* const all = together.run(batch, os::Deadline::never()).value();
      for (std::size_t s = batch.sequences(); s-- > 0;) {
        const TokenBatch one = sequence_of(batch, s);
        const float* const out = alone.run(one, os::Deadline::never()).value();
        for (std::size_t t = 0; t < one.ids.size(); ++t) {
          const float* const expected = all + (batch.begin_of(s) + t) * together.stride();
          CHECK(std::memcmp(out + t * alone.stride(), expected,
                            c.shape.hidden * sizeof(float)) == 0);
        }
      }
    });
  }
}

TEST_CASE("forward: it ends when nobody waits any more") {
  const RawEncoder raw = random_encoder(small_shape(), 13);
  const Packed packed = pack(raw, kernels::Arithmetic::float32);
  Forward forward(packed.weights);
  std::stop_source stop;
  stop.request_stop();
  const auto out = forward.run(random_batch(raw.shape, {3}), os::Deadline::never(stop.get_token()));
  REQUIRE_FALSE(out.ok());
  CHECK(out.error().kind == ErrorKind::cancelled);
}

}  // namespace forward_test
}  // namespace cairn::inference
