// SPDX-License-Identifier: Apache-2.0
#include "kernels/postings/posting_blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cairn::kernels::posting_blocks_test {
namespace {

using Numbers = std::array<std::uint32_t, posting_block>;
using Scores = std::array<float, posting_block + 16>;

struct Dice {
  explicit Dice(std::uint32_t seed) : engine(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
  std::mt19937 engine;
};

const PostingKernels& oracle() { return *usable_posting_kernels().front(); }

Numbers ascending(Dice& random, std::uint32_t below) {
  std::set<std::uint32_t> chosen;
  while (chosen.size() < posting_block) chosen.insert(random() % below);
  Numbers out{};
  std::copy(chosen.begin(), chosen.end(), out.begin());
  return out;
}

}  // namespace

TEST_CASE("posting blocks: every version keeps what is good enough of a run") {
  Dice random(13);
  for (int round = 0; round < 1000; ++round) {
    std::set<std::uint32_t> chosen;
    const std::size_t count = 1 + random() % posting_block;
    while (chosen.size() < count) chosen.insert(random() % 1000);
    const std::vector<std::uint32_t> numbers(chosen.begin(), chosen.end());
    std::vector<double> sums;
    for (std::size_t i = 0; i < count; ++i) sums.push_back(random() % 16 / 4.0);
    const std::uint32_t last = numbers[random() % count] + random() % 2;
    const double need = random() % 20 / 4.0 - 0.5;
    std::vector<std::pair<std::uint32_t, double>> wanted;
    std::size_t run = 0;
    for (; run < count && numbers[run] <= last; ++run)
      if (sums[run] > need) wanted.emplace_back(numbers[run], sums[run]);
    for (const PostingKernels* kernels : usable_posting_kernels()) {
      INFO(kernels->name);
      std::array<std::uint32_t, posting_block + 8> out{};
      std::array<double, posting_block + 8> out_sums{};
      std::size_t kept = 0;
      CHECK(kernels->keep_run(numbers.data(), sums.data(), count, last, need, out.data(),
                              out_sums.data(), kept) == run);
      std::vector<std::pair<std::uint32_t, double>> got;
      for (std::size_t i = 0; i < kept; ++i) got.emplace_back(out[i], out_sums[i]);
      CHECK(got == wanted);
    }
  }
}

TEST_CASE("posting blocks: every version adds up as the plain one, past the end of 32 bits too") {
  Dice random(1);
  for (int round = 0; round < 200; ++round) {
    Numbers gaps{};
    const unsigned bits = random() % 33;
    for (std::uint32_t& v : gaps) v = bits == 0 ? 0 : random() >> (32 - bits);
    const auto before = round % 3 == 0 ? UINT32_MAX : random();
    Numbers wanted = gaps;
    const std::uint32_t most = oracle().add_up(wanted.data(), before);
    for (const PostingKernels* kernels : usable_posting_kernels()) {
      INFO(kernels->name);
      Numbers got = gaps;
      CHECK(kernels->add_up(got.data(), before) == most);
      CHECK(got == wanted);
    }
  }
}

TEST_CASE("posting blocks: the first document follows what stands before 0") {
  for (const PostingKernels* kernels : usable_posting_kernels()) {
    Numbers gaps{};
    gaps[5] = 7;
    CHECK(kernels->add_up(gaps.data(), UINT32_MAX) == 134);
    CHECK(gaps[0] == 0);
    CHECK(gaps[4] == 4);
    CHECK(gaps[5] == 12);
    CHECK(gaps[127] == 134);
  }
}

TEST_CASE("posting blocks: every version finds which numbers are in a block") {
  Dice random(12);
  for (int round = 0; round < 400; ++round) {
    Numbers docs = ascending(random, round % 2 == 0 ? 300u : UINT32_MAX);
    for (std::size_t i = posting_block - (round % 3) * (random() % 64); i < posting_block; ++i)
      docs[i] = UINT32_MAX;  // what fills up a short block
    std::set<std::uint32_t> numbers;
    const std::size_t count = random() % (posting_block + 1);
    while (numbers.size() < count) {
      const std::uint32_t number = random() % 2 == 0 ? docs[random() % posting_block] : random();
      numbers.insert(number == UINT32_MAX ? random() % 300 : number);
    }
    const std::vector<std::uint32_t> wanted(numbers.begin(), numbers.end());
    std::vector<std::pair<unsigned, unsigned>> found;
    for (unsigned i = 0; i < count; ++i) {
      const auto* at = std::find(docs.begin(), docs.end(), wanted[i]);
      if (at != docs.end()) found.emplace_back(i, static_cast<unsigned>(at - docs.begin()));
    }
    for (const PostingKernels* kernels : usable_posting_kernels()) {
      INFO(kernels->name);
      std::vector<std::uint8_t> which(count + 1), places(count + 1);
      const std::size_t n =
          kernels->find_each(docs.data(), wanted.data(), count, which.data(), places.data());
      std::vector<std::pair<unsigned, unsigned>> got;
      for (std::size_t i = 0; i < n; ++i) got.emplace_back(which[i], places[i]);
      CHECK(got == found);
    }
  }
}

TEST_CASE("posting blocks: every version finds the place of a number") {
  Dice random(2);
  for (int round = 0; round < 100; ++round) {
    Numbers docs = ascending(random, round % 2 == 0 ? 300u : UINT32_MAX);
    for (std::size_t i = posting_block - random() % 100; i < posting_block; ++i)
      docs[i] = UINT32_MAX;
    for (int asked = 0; asked < 50; ++asked) {
      std::uint32_t number = asked % 2 == 0 ? docs[random() % posting_block] : random();
      if (asked == 1) number = 0;
      const auto wanted = oracle().count_below(docs.data(), number);
      for (const PostingKernels* kernels : usable_posting_kernels()) {
        INFO(kernels->name);
        CHECK(kernels->count_below(docs.data(), number) == wanted);
      }
    }
  }
}

TEST_CASE("posting blocks: every version gives the same scores, and selects the same documents") {
  Dice random(3);
  std::vector<std::uint8_t> norms(5000);
  for (std::uint8_t& norm : norms) norm = static_cast<std::uint8_t>(random());
  std::array<float, 256> inverse{};
  for (float& v : inverse) v = 0.01f + static_cast<float>(random() % 1000) / 700.0f;
  for (int round = 0; round < 200; ++round) {
    const Numbers docs = ascending(random, 5000);
    Numbers freqs{};
    for (std::uint32_t& v : freqs) v = 1 + random() % (round % 2 == 0 ? 4 : 100'000);
    const std::size_t count = round % 4 == 0 ? random() % (posting_block + 1) : posting_block;
    const float weight = 0.1f + static_cast<float>(random() % 1000) / 100.0f;
    Scores wanted{};
    oracle().bm25(docs.data(), freqs.data(), count, norms.data(), inverse.data(), weight,
                  wanted.data());
    const std::uint32_t low = random() % 5000, high = low + random() % 5000;
    const float need = wanted[random() % posting_block];
    std::vector<std::uint32_t> good(posting_block + 16);
    Scores good_scores{};
    const std::size_t n = oracle().select(docs.data(), wanted.data(), count, low, high, need,
                                          good.data(), good_scores.data());
    for (const PostingKernels* kernels : usable_posting_kernels()) {
      INFO(kernels->name);
      Scores got{};
      kernels->bm25(docs.data(), freqs.data(), count, norms.data(), inverse.data(), weight,
                    got.data());
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(wanted[i]));
      std::vector<std::uint32_t> selected(posting_block + 16);
      Scores selected_scores{};
      REQUIRE(kernels->select(docs.data(), wanted.data(), count, low, high, need, selected.data(),
                              selected_scores.data()) == n);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(selected[i] == good[i]);
        CHECK(selected_scores[i] == good_scores[i]);
      }
    }
  }
}

TEST_CASE("posting blocks: every version finds the greatest number and takes the same marks") {
  Dice random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> values(random() % 300);
    for (float& v : values) v = static_cast<float>(random() % 100'000) / 99.0f;
    std::vector<std::uint8_t> marks(64 * (random() % 70));
    for (std::uint8_t& mark : marks)
      mark = random() % 3 == 0 ? static_cast<std::uint8_t>(random()) : 0;
    // One byte off, as in a file.
    std::string bytes(1, 'x');
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    const float most = oracle().greatest(bytes.data() + 1, values.size());
    CHECK(most == (values.empty() ? 0.0f : *std::max_element(values.begin(), values.end())));
    std::vector<std::uint64_t> wanted(marks.size() / 64);
    auto copy = marks;
    oracle().take_marks(copy.data(), wanted.size(), wanted.data());
    for (const PostingKernels* kernels : usable_posting_kernels()) {
      INFO(kernels->name);
      CHECK(kernels->greatest(bytes.data() + 1, values.size()) == most);
      auto own = marks;
      std::vector<std::uint64_t> bits(wanted.size());
      kernels->take_marks(own.data(), bits.size(), bits.data());
      CHECK(bits == wanted);
      CHECK(std::all_of(own.begin(), own.end(), [](std::uint8_t b) { return b == 0; }));
    }
  }
}

}  // namespace cairn::kernels::posting_blocks_test
