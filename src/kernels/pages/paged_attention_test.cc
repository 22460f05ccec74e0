// SPDX-License-Identifier: Apache-2.0
// Every version of attention over pages against the scalar one.
#include "kernels/pages/paged_attention.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace cairn::kernels {
namespace paged_attention_test {

/// Keys and values of one head in pages, and queries of tokens at the end.
template <class Number>
struct Pages {
  std::vector<std::vector<Number>> memory;
  std::vector<const Number*> pages;
  std::vector<float> queries;
  std::size_t tokens, group, head_size;

  Pages(std::size_t count, std::size_t of_group, std::size_t size, float spread)
      : tokens(count), group(of_group), head_size(size) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.1F, spread);
    memory.resize((tokens + page_tokens - 1) / page_tokens);
    for (auto& page : memory) {
      page.resize(page_numbers(head_size));
      pages.push_back(page.data());
    }
    std::vector<float> key(head_size), value(head_size);
    for (std::size_t token = 0; token < tokens; ++token) {
      for (float& x : key) x = normal(random);
      for (float& x : value) x = normal(random);
      put_in_page(key.data(), value.data(), head_size, token % page_tokens,
                  memory[token / page_tokens].data());
    }
    queries.resize(tokens * group * head_size);
    for (float& x : queries) x = normal(random);
  }

  /// Results of tokens first..end, as one call or as part of it.
  std::vector<float> attend(const PageKernels& version, std::size_t first, std::size_t end) const {
    const std::size_t width = group * head_size;
    std::vector<float> out((end - first) * width);
    PagedQueries<Number> in;
    in.queries = queries.data() + first * width;
    in.query_stride = in.out_stride = width;
    in.out = out.data();
    in.tokens = end - first;
    in.group = group;
    in.head_size = head_size;
    in.first_position = first;
    in.pages = pages.data();
    in.scale = 1.0F / std::sqrt(static_cast<float>(head_size));
    if constexpr (std::is_same_v<Number, float>)
      version.attend_f32(in);
    else
      version.attend_bf16(in);
    return out;
  }
};

template <class Number>
void check_against_oracle(float spread, float allowed) {
  for (const std::size_t head_size : {8, 20, 64, 80, 128, 160}) {
    for (const std::size_t group : {1, 3, 7}) {
      const Pages<Number> pages(75, group, head_size, spread);
      const std::vector<float> right =
          pages.attend(*usable_page_kernels().front(), 0, pages.tokens);
      for (const PageKernels* const version : usable_page_kernels()) {
        CAPTURE(std::string(version->name));
        CAPTURE(head_size);
        const std::vector<float> got = pages.attend(*version, 0, pages.tokens);
        float worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
          worst = std::max(worst, std::fabs(got[i] - right[i]));
        }
        CHECK(worst <= allowed);
      }
    }
  }
}

TEST_CASE("paged attention: versions give what its definition gives") {
  check_against_oracle<float>(1, 5e-6F);
  check_against_oracle<Bf16>(1, 5e-6F);
}

TEST_CASE("paged attention: large scores do not overflow") {
  // Scores of 10,000 are exact to 1e-3 in fp32, and so are their weights of values up to 100.
  check_against_oracle<float>(30, 0.05F);
}

TEST_CASE("paged attention: a token's bits do not depend on which tokens ask with it") {
  const Pages<Bf16> pages(130, 3, 64, 1);
  const std::size_t width = pages.group * pages.head_size;
  for (const PageKernels* const version : usable_page_kernels()) {
    CAPTURE(std::string(version->name));
    const std::vector<float> whole = pages.attend(*version, 0, pages.tokens);
    for (const std::size_t step : {1, 5, 32, 47}) {
      for (std::size_t first = 0; first < pages.tokens; first += step) {
        const std::size_t end = std::min(first + step, pages.tokens);
        const std::vector<float> part = pages.attend(*version, first, end);
        CHECK(std::memcmp(part.data(), whole.data() + first * width, part.size() * sizeof(float)) ==
              0);
      }
    }
  }
}

TEST_CASE("paged attention: what lies behind the last token counts for nothing") {
  for (const PageKernels* const version : usable_page_kernels()) {
    CAPTURE(std::string(version->name));
    Pages<Bf16> pages(40, 2, 64, 1);
    const std::vector<float> before = pages.attend(*version, 30, 40);
    const std::vector<float> broken(64, NAN);
    for (std::size_t token = 8; token < page_tokens; ++token) {
      put_in_page(broken.data(), broken.data(), 64, token, pages.memory[1].data());
    }
    const std::vector<float> after = pages.attend(*version, 30, 40);
    CHECK(std::memcmp(before.data(), after.data(), after.size() * sizeof(float)) == 0);
    CHECK(std::all_of(after.begin(), after.end(), [](float one) { return std::isfinite(one); }));
  }
}

}  // namespace paged_attention_test
}  // namespace cairn::kernels
