// SPDX-License-Identifier: Apache-2.0
// A prompt that is quoted from: what may be quoted stands in it, in pieces of bounded size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "inference/quotes/question.h"
#include "inference/quotes/quotation.h"
#include "inference/quotes/sentences.h"

namespace {

constexpr std::size_t most_searched = 20;  // each takes time in proportion to the text

/// Without what a break of lines may become.
std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out += c;
  return out;
}

void check(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const auto never = cairn::os::Deadline::never();
  const std::vector<SaidText> said{
      {"user", std::string(reinterpret_cast<const char*>(data), size)}};
  const auto prompt = quote_prompt_of(said, never);
  check(prompt.ok() && prompt->question.size() <= size);
  const auto sentences = quotable_sentences(prompt->context, never);
  check(sentences.ok());
  const std::string all = without_blanks(said.front().content);
  std::size_t searched = 0;
  std::vector<float> scores;
  for (const QuotableSentence& one : sentences->sentences) {
    check(!one.text.empty() && one.text.size() <= 600);
    check(sentences->headings.at(one.heading).size() <= 80);
    const std::string& mark = sentences->marks.at(one.mark);
    check(mark.empty() || (mark.starts_with('[') && mark.ends_with(']')));
    if (++searched <= most_searched)
      check(all.find(without_blanks(one.text)) != std::string::npos);
    scores.push_back(static_cast<float>(one.text.size() % 7) - 3);
  }
  const auto likeness = [](std::size_t, std::size_t) { return 0.0F; };
  const auto chosen = chosen_sentences(scores, likeness, {});
  check(chosen.size() <= 3 && std::is_sorted(chosen.begin(), chosen.end()));
  check(!quotation_of(*sentences, chosen, "m").empty());
  return 0;
}
