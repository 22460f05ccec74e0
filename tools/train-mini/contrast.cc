// SPDX-License-Identifier: Apache-2.0
// Softmax over the cosines of a batch in both directions, row-wise Adagrad.
#include "contrast.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/vector.h"
#include "os/threads/pool.h"

namespace cairn::mini {
namespace {

/// e^x for x <= 0, to about 1e-6; the same bits everywhere.
float small_exp(float x) {
  if (x < -80) return 0;
  const float scaled = x * 1.44269504F;
  const auto whole = static_cast<int>(scaled) - 1;  // below, as x is not positive
  const float f = (scaled - static_cast<float>(whole)) * 0.69314718F;
  float sum = 1 + f / 9;
  for (int n = 8; n > 0; --n) sum = 1 + f / static_cast<float>(n) * sum;
  return sum * std::bit_cast<float>(static_cast<std::uint32_t>(whole + 127) << 23U);
}

/// One side of a batch: the sums of the texts' vectors, and the same at unit length.
struct Side {
  std::vector<Ids> texts;
  Matrix units;
  Matrix gradients;
  std::vector<float> norms;
};

class Learner {
 public:
  Learner(const ContrastOptions& options, Matrix& vectors)
      : options_(options),
        vectors_(vectors),
        squares_(vectors.rows(), 0),
        places_(vectors.rows(), 0),
        pool_({.name = "learn", .threads = options.threads, .queue = 64}) {}

  double step(std::vector<Example> batch, float rate, Random& random) {
    Side left;
    Side right;
    for (Example& example : batch) {
      left.texts.push_back(thinned(std::move(example.first), random));
      right.texts.push_back(thinned(std::move(example.second), random));
    }
    embed(left);
    embed(right);
    const double loss = contrast(left, right);
    collect(left);
    collect(right);
    apply(rate);
    return loss;
  }

 private:
  Ids thinned(Ids text, Random& random) const {
    Ids out;
    for (const std::uint32_t id : text) {
      if (random.unit() >= options_.dropped) out.push_back(id);
    }
    return out.empty() ? text : out;
  }

  void for_rows(std::size_t rows, const std::function<void(std::size_t)>& body) {
    constexpr std::size_t block = 16;
    pool_.for_each((rows + block - 1) / block, [&](std::size_t b) {
      for (std::size_t r = b * block; r < std::min(rows, (b + 1) * block); ++r) body(r);
    });
  }

  void embed(Side& side) {
    const std::size_t count = side.texts.size();
    const std::size_t width = vectors_.columns;
    side.units = Matrix(count, width);
    side.gradients = Matrix(count, width);
    side.norms.assign(count, 0);
    for_rows(count, [&](std::size_t r) {
      float* unit = side.units.row(r);
      for (const std::uint32_t id : side.texts[r]) {
        kernels::add_scaled_f32(unit, vectors_.row(id), 1, width);
      }
      const float norm = std::sqrt(kernels::dot_f32(unit, unit, width)) + 1e-6F;
      for (std::size_t c = 0; c < width; ++c) unit[c] /= norm;
      side.norms[r] = norm;
    });
  }

  /// Fills the gradients of both sides' sums; the mean loss.
  double contrast(Side& left, Side& right) {
    const std::size_t n = left.texts.size();
    const std::size_t width = vectors_.columns;
    Matrix odds(n, n);
    std::vector<float> row_sums(n, 0);
    for_rows(n, [&](std::size_t i) {
      for (std::size_t j = 0; j < n; ++j) {
        const float cosine = kernels::dot_f32(left.units.row(i), right.units.row(j), width);
        odds.row(i)[j] = small_exp(options_.sharpness * (cosine - 1.00001F));
        row_sums[i] += odds.row(i)[j];
      }
    });
    std::vector<float> column_sums(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      kernels::add_scaled_f32(column_sums.data(), odds.row(i), 1, n);
    }
    double loss = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double own = odds.row(i)[i] + 1e-30;
      loss -= 0.5 * (log_of(own / row_sums[i]) + log_of(own / column_sums[i]));
    }
    const float factor = options_.sharpness / (2 * static_cast<float>(n));
    for_rows(n, [&](std::size_t i) {  // odds become the gradient by the cosines
      for (std::size_t j = 0; j < n; ++j) {
        float& value = odds.row(i)[j];
        value = factor * (value / row_sums[i] + value / column_sums[j] - (i == j ? 2.0F : 0.0F));
      }
    });
    for_rows(n, [&](std::size_t i) {
      for (std::size_t j = 0; j < n; ++j) {
        kernels::add_scaled_f32(left.gradients.row(i), right.units.row(j), odds.row(i)[j], width);
      }
    });
    for_rows(n, [&](std::size_t j) {
      for (std::size_t i = 0; i < n; ++i) {
        kernels::add_scaled_f32(right.gradients.row(j), left.units.row(i), odds.row(i)[j], width);
      }
    });
    for (Side* side : {&left, &right}) {
      for_rows(n, [&, side](std::size_t r) {  // through the division by the length
        float* gradient = side->gradients.row(r);
        const float along = kernels::dot_f32(gradient, side->units.row(r), width);
        kernels::add_scaled_f32(gradient, side->units.row(r), -along, width);
        for (std::size_t c = 0; c < width; ++c) gradient[c] /= side->norms[r];
      });
    }
    return loss / static_cast<double>(n);
  }

  /// Adds the gradients of texts to those of their tokens.
  void collect(const Side& side) {
    const std::size_t width = vectors_.columns;
    for (std::size_t r = 0; r < side.texts.size(); ++r) {
      for (const std::uint32_t id : side.texts[r]) {
        if (places_[id] == 0) {
          touched_.push_back(id);
          places_[id] = static_cast<std::uint32_t>(touched_.size());
          gradients_.resize(touched_.size() * width, 0);
        }
        kernels::add_scaled_f32(gradients_.data() + (places_[id] - 1) * width,
                                side.gradients.row(r), 1, width);
      }
    }
  }

  void apply(float rate) {
    const std::size_t width = vectors_.columns;
    for_rows(touched_.size(), [&](std::size_t t) {
      const float* gradient = gradients_.data() + t * width;
      const std::uint32_t id = touched_[t];
      squares_[id] += kernels::dot_f32(gradient, gradient, width) / static_cast<float>(width);
      const float step = rate / (std::sqrt(squares_[id]) + 1e-8F);
      kernels::add_scaled_f32(vectors_.row(id), gradient, -step, width);
    });
    for (const std::uint32_t id : touched_) places_[id] = 0;
    touched_.clear();
    gradients_.clear();
  }

  const ContrastOptions& options_;
  Matrix& vectors_;
  std::vector<float> squares_;         // of Adagrad, by token
  std::vector<std::uint32_t> places_;  // in touched_, plus one
  std::vector<std::uint32_t> touched_;
  std::vector<float> gradients_;  // rows by place in touched_
  os::Pool pool_;
};

Task draw_task(const std::array<double, task_count>& shares, Random& random) {
  double at = random.unit();
  for (std::size_t t = 0; t < task_count; ++t) {
    at -= shares[t];
    if (at < 0) return static_cast<Task>(t);
  }
  return Task::gloss;
}

}  // namespace

void learn_by_contrast(const TrainingSet& texts, const ContrastOptions& options, Random& random,
                       Matrix& vectors,
                       const std::function<void(std::size_t step, double loss)>& report) {
  Learner learner(options, vectors);
  double loss = 0;
  std::size_t measured = 0;
  for (std::size_t step = 0; step < options.steps; ++step) {
    const auto done = static_cast<float>(step) / static_cast<float>(options.steps);
    auto batch = texts.batch(draw_task(options.shares, random), options.batch, random);
    if (batch.size() < 2) continue;
    loss += learner.step(std::move(batch), options.rate * (1 - 0.9F * done), random);
    ++measured;
    if ((step + 1) % 500 == 0) {
      report(step + 1, loss / static_cast<double>(measured));
      loss = 0;
      measured = 0;
    }
  }
}

}  // namespace cairn::mini
