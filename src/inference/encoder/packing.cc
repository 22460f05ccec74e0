// SPDX-License-Identifier: Apache-2.0
// Each arithmetic answers for the same texts, and the answers are compared.
#include "inference/encoder/packing.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "inference/encoder/dense_vector.h"
#include "inference/encoder/forward.h"

namespace cairn::inference {
namespace {

using kernels::Arithmetic;
using Results = std::vector<std::vector<float>>;

/// Short and longer texts: errors of rounding grow with neither.
constexpr std::size_t trial_lengths[] = {6, 10, 16, 24, 32, 48, 64};

/// Words of the vocabulary at random, within the tokens that the model puts around a text.
Result<TokenBatch> trial_texts(const EncoderParts& parts, const os::Deadline& deadline) {
  text::Encoding frame;
  CAIRN_CHECK(parts.tokenizer.encode("", {}, deadline, frame));
  const auto words = static_cast<std::uint32_t>(parts.tokenizer.vocabulary_size());
  std::mt19937 random(17);
  TokenBatch out;
  for (const std::size_t length : trial_lengths) {
    const std::size_t tokens = std::min(length, parts.most_tokens);
    out.starts.push_back(out.ids.size());
    for (std::size_t i = 0; i < tokens; ++i) {
      const bool framed = frame.ids.size() == 2 && (i == 0 || i + 1 == tokens);
      out.ids.push_back(framed ? frame.ids[i == 0 ? 0 : 1]
                               : static_cast<std::uint32_t>(random()) % words);
      out.types.push_back(0);
    }
  }
  return out;
}

/// What each text becomes: its vector, the weights of its words, or the first token's state, which a
/// classifier reads.
Result<Results> results_of(const EncoderParts& parts, const PackedEncoder& packed,
                           const TokenBatch& texts, const os::Deadline& deadline) {
  const Kernels with;
  Forward forward(packed.weights, with);
  HeadMemory head;
  ReadyRows ready;
  CAIRN_TRY(const float* const states, forward.run(texts, deadline));
  Results out;
  for (std::size_t s = 0; s < texts.sequences(); ++s) {
    const std::size_t stride = forward.stride();
    const TextStates text = {.rows = states + texts.begin_of(s) * stride,
                             .stride = stride,
                             .tokens = texts.end_of(s) - texts.begin_of(s)};
    if (!packed.words.empty()) {
      const float* const scores =
          greatest_scores(with, packed.words, text.rows, stride, text.tokens,
                          parts.config.shape.epsilon, head);
      out.emplace_back(scores, scores + packed.words.words.columns());
      for (float& score : out.back()) score = std::log1p(std::max(score, 0.0F));
    } else if (!packed.classifier.empty()) {
      out.emplace_back(text.rows, text.rows + parts.config.shape.hidden);
    } else {
      out.push_back(dense_vector(parts, packed, with, ready, text));
    }
  }
  return out;
}

double cosine_between(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    of_a += static_cast<double>(a[i]) * a[i];
    of_b += static_cast<double>(b[i]) * b[i];
  }
  if (of_a == 0 && of_b == 0) return 1;  // no word at all, in both
  const double out = dot / std::sqrt(of_a * of_b);
  return std::isfinite(out) ? out : 0;
}

double least_of(const Results& results, const Results& exact) {
  double out = 1;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    out = std::min(out, cosine_between(results[i], exact[i]));
  }
  return out;
}

Arithmetic arithmetic_of(Precision precision) {
  if (precision == Precision::int8) return Arithmetic::int8;
  const bool narrow =
      precision == Precision::bfloat16 && kernels::matrix_kernels().bfloat16 != nullptr;
  return narrow ? Arithmetic::bfloat16 : Arithmetic::float32;
}

}  // namespace

std::vector<LayerArithmetic> fast_arithmetics(const kernels::MatrixKernels& kernels) {
  if (kernels.name == "scalar") return {};
  const bool narrow = kernels.bfloat16 != nullptr;
  // Errors of int8 come from all linears alike; those around attention are a third of the work.
  std::vector<LayerArithmetic> out = {
      Arithmetic::int8, {narrow ? Arithmetic::bfloat16 : Arithmetic::float32, Arithmetic::int8}};
  if (narrow) out.insert(kernels.bfloat16_first ? out.begin() : out.end(), Arithmetic::bfloat16);
  return out;
}

Result<ChosenEncoder> pack_for(Precision precision, const EncoderParts& parts, WeightFiles& files,
                               const os::Deadline& deadline) {
  const std::vector<LayerArithmetic> fast = fast_arithmetics(kernels::matrix_kernels());
  const bool chooses = precision == Precision::automatic || precision == Precision::int4;
  if (!chooses || fast.empty()) {
    CAIRN_TRY(PackedEncoder encoder, pack_encoder(parts, files, arithmetic_of(precision), deadline));
    return ChosenEncoder{.encoder = std::move(encoder)};
  }
  CAIRN_TRY(const TokenBatch texts, trial_texts(parts, deadline));
  Results wanted;
  {  // goes before the next is packed: both at once would take much memory
    CAIRN_TRY(const PackedEncoder exact, pack_encoder(parts, files, Arithmetic::float32, deadline));
    CAIRN_TRY(wanted, results_of(parts, exact, texts, deadline));
  }
  for (const LayerArithmetic& arithmetic : fast) {
    CAIRN_TRY(PackedEncoder encoder, pack_encoder(parts, files, arithmetic, deadline));
    CAIRN_TRY(const Results got, results_of(parts, encoder, texts, deadline));
    const double least = least_of(got, wanted);
    if (least >= least_cosine) return ChosenEncoder{.encoder = std::move(encoder), .cosine = least};
  }
  CAIRN_TRY(PackedEncoder exact, pack_encoder(parts, files, Arithmetic::float32, deadline));
  return ChosenEncoder{.encoder = std::move(exact)};
}

}  // namespace cairn::inference
