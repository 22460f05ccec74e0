// SPDX-License-Identifier: Apache-2.0
// Steps of a decoder: the same bits however texts are cut, batched and cached; pages and errors.
#include "inference/decoder/forward.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "inference/tiny_decoder.h"

namespace cairn::inference {
namespace decoder_forward_test {

using kernels::Arithmetic;
using Ids = std::vector<std::uint32_t>;
using Numbers = std::vector<float>;

/// A version of all kernels and an arithmetic that it has.
struct Variant {
  Kernels with;
  const kernels::PageKernels* pages = nullptr;
  Arithmetic arithmetic = Arithmetic::float32;
};

std::vector<Variant> variants() {
  std::vector<Variant> out;
  const auto& rows = kernels::usable_row_kernels();
  const auto& pages = kernels::usable_page_kernels();
  for (std::size_t i = 0; i < kernels::usable_matrix_kernels().size(); ++i) {
    const kernels::MatrixKernels* const matrix = kernels::usable_matrix_kernels()[i];
    for (const Arithmetic arithmetic :
         {Arithmetic::float32, Arithmetic::bfloat16, Arithmetic::int8}) {
      if (arithmetic == Arithmetic::bfloat16 && matrix->bfloat16 == nullptr) continue;
      out.push_back({{matrix, rows[std::min(i, rows.size() - 1)]},
                     pages[std::min(i, pages.size() - 1)],
                     arithmetic});
    }
  }
  return out;
}

DecoderWeights weights_in(Arithmetic arithmetic, DecoderOutput output = DecoderOutput::logits) {
  const std::string bytes = TinyDecoder().weights();
  Tensors tensors;
  REQUIRE(tensors.add("model.safetensors", bytes).ok());
  return read_decoder_weights(read_decoder_config(TinyDecoder::config()).value(), tensors,
                              arithmetic, output, os::Deadline::never())
      .value();
}

Ids some_ids(std::size_t count, std::uint32_t seed) {
  Ids out;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    out.push_back(seed / 65536 % TinyDecoder::words);
  }
  return out;
}

/// Weights, pages and a thread's memory.
struct Runner {
  explicit Runner(const Variant& variant, std::size_t most_pages = 100)
      : weights(weights_in(variant.arithmetic)),
        pool(kv_shape_of(weights), most_pages),
        forward(weights, pool, variant.with, *variant.pages) {}

  Numbers logits(std::size_t index) const {
    const float* const from = forward.logits(index);
    return {from, from + weights.shape.vocabulary};
  }
  void step(const std::vector<StepInput>& batch) {
    const Status done = forward.step(batch, os::Deadline::never());
    REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
  }
  /// A text in steps of `chunk` tokens.
  Numbers run(KvSequence& sequence, const Ids& ids, std::size_t chunk) {
    for (std::size_t at = 0; at < ids.size(); at += chunk) {
      const std::size_t count = std::min(chunk, ids.size() - at);
      const bool last = at + count == ids.size();
      step({{&sequence, std::span(ids).subspan(at, count),
             last ? StepOutput::logits : StepOutput::nothing}});
    }
    return logits(0);
  }

  DecoderWeights weights;
  KvPool pool;
  DecoderForward forward;
};

template <class Check>
void for_each_variant(const Check& check) {
  for (const Variant& variant : variants()) {
    CAPTURE(std::string(variant.with.matrix->name));
    CAPTURE(static_cast<int>(variant.arithmetic));
    check(variant);
  }
}

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_CASE("decoder forward: how a text is cut into steps changes no bit") {
  for_each_variant([](const Variant& variant) {
    Runner runner(variant);
    const Ids ids = some_ids(101, 1);
    KvSequence whole;
    const Numbers wanted = runner.run(whole, ids, ids.size());
    CHECK(std::all_of(wanted.begin(), wanted.end(), [](float x) { return std::isfinite(x); }));
    for (const std::size_t chunk : {1, 7, 32, 64, 100}) {
      CAPTURE(chunk);
      KvSequence sequence;
      CHECK(same_bits(runner.run(sequence, ids, chunk), wanted));
      CHECK(sequence.tokens() == ids.size());
    }
  });
}

TEST_CASE("decoder forward: texts in one step give the bits that they give alone") {
  for_each_variant([](const Variant& variant) {
    Runner runner(variant);
    const std::size_t lengths[] = {1, 2, 31, 32, 33, 64, 90, 5};
    std::vector<Ids> texts;
    std::vector<Numbers> alone;
    for (const std::size_t length : lengths) {
      texts.push_back(some_ids(length, static_cast<std::uint32_t>(length)));
      KvSequence sequence;
      alone.push_back(runner.run(sequence, texts.back(), length));
    }
    // Each begins with half of its tokens; those that are left come one by one, beside the others.
    std::vector<KvSequence> sequences(texts.size());
    std::vector<std::size_t> given(texts.size());
    for (bool more = true; more;) {
      more = false;
      std::vector<StepInput> batch;
      std::vector<std::size_t> which;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t count = given[i] == 0 ? (texts[i].size() + 1) / 2 : 1;
        if (given[i] == texts[i].size()) continue;
        batch.push_back({&sequences[i], std::span(texts[i]).subspan(given[i], count)});
        which.push_back(i);
        given[i] += count;
        more = true;
      }
      if (!more) break;
      runner.step(batch);
      for (std::size_t b = 0; b < which.size(); ++b) {
        if (given[which[b]] != texts[which[b]].size()) continue;
        CHECK(same_bits(runner.logits(b), alone[which[b]]));
      }
    }
  });
}

TEST_CASE("decoder forward: pages that another text filled give the same bits") {
  for_each_variant([](const Variant& variant) {
    Runner runner(variant);
    Ids ids = some_ids(64, 3);
    KvSequence first;
    runner.run(first, ids, 64);
    const Ids rest = some_ids(9, 4);
    KvSequence second(first.pages());
    CHECK(second.tokens() == 64);
    first = KvSequence();  // the pages stay with the second
    const Numbers cached = runner.run(second, rest, 9);
    ids.insert(ids.end(), rest.begin(), rest.end());
    KvSequence cold;
    CHECK(same_bits(runner.run(cold, ids, ids.size()), cached));
  });
}

TEST_CASE("decoder forward: versions of the kernels agree") {
  const Ids ids = some_ids(70, 9);
  std::vector<std::pair<Arithmetic, Numbers>> oracles;
  for_each_variant([&](const Variant& variant) {
    Runner runner(variant);
    KvSequence sequence;
    const Numbers got = runner.run(sequence, ids, 70);
    const auto oracle = std::find_if(oracles.begin(), oracles.end(), [&](const auto& one) {
      return one.first == variant.arithmetic;
    });
    if (oracle == oracles.end()) {
      oracles.emplace_back(variant.arithmetic, got);
      return;
    }
    const float allowed = variant.arithmetic == Arithmetic::float32 ? 1e-4F : 0.05F;
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(std::fabs(got[i] - oracle->second[i]) <= allowed);
    }
  });
}

TEST_CASE("decoder forward: the last state is given without the words") {
  const Variant variant = variants().back();
  Runner runner(variant);
  const Ids ids = some_ids(20, 2);
  KvSequence a, b;
  runner.step({{&a, ids, StepOutput::state}});
  const Numbers state(runner.forward.state(0), runner.forward.state(0) + TinyDecoder::hidden);
  runner.step({{&b, ids, StepOutput::logits}});
  const Numbers beside(runner.forward.state(0), runner.forward.state(0) + TinyDecoder::hidden);
  CHECK(same_bits(state, beside));

  const DecoderWeights bare = weights_in(Arithmetic::float32, DecoderOutput::states);
  CHECK(bare.logits.empty());
  CHECK(bare.size_bytes() < weights_in(Arithmetic::float32).size_bytes());
  KvPool pool(kv_shape_of(bare), 4);
  DecoderForward forward(bare, pool);
  KvSequence c;
  const StepInput input = {&c, ids, StepOutput::logits};
  CHECK(forward.step({&input, 1}, os::Deadline::never()).error().kind ==
        ErrorKind::invalid_argument);
}

TEST_CASE("decoder forward: pages are free when the last sequence lets them go") {
  Runner runner(variants().back(), 5);
  const Ids ids = some_ids(100, 1);
  {
    KvSequence sequence;
    runner.run(sequence, ids, 100);
    CHECK(runner.pool.taken_pages() == 4);
    KvSequence shared({sequence.pages()[0], sequence.pages()[1]});
    sequence = KvSequence();
    CHECK(runner.pool.taken_pages() == 2);
  }
  CHECK(runner.pool.taken_pages() == 0);
  std::shared_ptr<KvPage> kept;
  {
    KvPool gone(runner.pool.shape(), 1);
    kept = gone.take().value();
    CHECK(gone.take().error().kind == ErrorKind::rate_limited);
  }
  kept.reset();  // after its pool
}

TEST_CASE("decoder forward: where pages end a step adds nothing, and goes on when there are some") {
  const Variant variant = variants().back();
  Runner runner(variant, 3);
  const Ids ids = some_ids(40, 1), more = some_ids(60, 2);
  KvSequence sequence, other;
  const Numbers before = runner.run(sequence, ids, 40);
  const StepInput input = {&sequence, more};
  {
    KvSequence in_the_way;
    runner.run(in_the_way, some_ids(3, 3), 3);
    const Status full = runner.forward.step({&input, 1}, os::Deadline::never());
    CHECK(full.error().kind == ErrorKind::rate_limited);
    CHECK(sequence.tokens() == 40);
  }
  CHECK(runner.forward.step({&input, 1}, os::Deadline::never()).error().kind ==
        ErrorKind::rate_limited);  // 100 tokens are 4 pages
  const Ids fewer(more.begin(), more.begin() + 50);
  const Numbers got = runner.run(sequence, fewer, 50);
  Runner roomy(variant);
  Ids all = ids;
  all.insert(all.end(), fewer.begin(), fewer.end());
  CHECK(same_bits(roomy.run(other, all, 90), got));
}

TEST_CASE("decoder forward: a deadline that passed adds nothing") {
  Runner runner(variants().back());
  const Ids ids = some_ids(40, 1);
  KvSequence sequence;
  const StepInput input = {&sequence, ids};
  CHECK(runner.forward.step({&input, 1}, os::Deadline::in_ms(0)).error().kind ==
        ErrorKind::timeout);
  std::stop_source gone;
  gone.request_stop();
  CHECK(runner.forward.step({&input, 1}, os::Deadline::never(gone.get_token())).error().kind ==
        ErrorKind::cancelled);
  CHECK(sequence.tokens() == 0);
  KvSequence other;
  const Numbers wanted = runner.run(other, ids, 40);
  CHECK(same_bits(runner.run(sequence, ids, 40), wanted));
}

TEST_CASE("decoder forward: batches that there cannot be are refused") {
  Runner runner(variants().back());
  const Ids ids = some_ids(8, 1), foreign = {3, TinyDecoder::words}, none;
  const Ids longer = some_ids(TinyDecoder::tokens, 1);
  KvSequence a, b;
  const auto refused = [&](const std::vector<StepInput>& batch) {
    const Status got = runner.forward.step(batch, os::Deadline::never());
    return !got.ok() && got.error().kind == ErrorKind::invalid_argument;
  };
  CHECK(refused({}));
  CHECK(refused({{nullptr, ids}}));
  CHECK(refused({{&a, none}}));
  CHECK(refused({{&a, foreign}}));
  CHECK(refused({{&a, ids}, {&b, ids}, {&a, ids}}));
  runner.step({{&a, ids, StepOutput::nothing}});
  CHECK(refused({{&a, longer}}));  // 256 is the most
  std::vector<KvSequence> many(5);
  std::vector<StepInput> batch;
  for (KvSequence& one : many) batch.push_back({&one, longer});
  CHECK(refused(batch));  // 1280 tokens in one step
  std::vector<KvSequence> asking(most_step_logits + 1);
  batch.clear();
  const Ids one = {7};
  for (KvSequence& sequence : asking) batch.push_back({&sequence, one, StepOutput::logits});
  CHECK(refused(batch));
}

}  // namespace decoder_forward_test
}  // namespace cairn::inference
