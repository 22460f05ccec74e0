// SPDX-License-Identifier: Apache-2.0
#include "inference/quotes/quotation.h"

#include <algorithm>

namespace cairn::inference {
namespace {

constexpr std::size_t most_candidates = 16;
constexpr std::string_view name_end = "-quotes";

}  // namespace

std::vector<std::size_t> chosen_sentences(std::span<const float> scores,
                                          const SentenceLikeness& likeness,
                                          const QuoteOptions& options) {
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t candidates = std::min(order.size(), most_candidates);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates),
                    order.end(), [&](std::size_t a, std::size_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  order.resize(candidates);
  std::vector<std::size_t> out;
  for (const std::size_t at : order) {
    const float further = std::max(options.further_bar, scores[order.front()] - options.margin);
    const float least = std::max(options.bar, out.empty() ? options.bar : further);
    if (out.size() == options.most_sentences || scores[at] < least) break;
    const bool is_repeated = std::any_of(out.begin(), out.end(), [&](std::size_t other) {
      return likeness(at, other) > options.most_likeness;
    });
    if (!is_repeated) out.push_back(at);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string quotation_of(const QuotableText& text, std::span<const std::size_t> chosen,
                         std::string_view model_id) {
  const std::string name = quoting_model_name(model_id);
  if (text.sentences.empty())
    return "No context was given; " + name + " only quotes sentences of a given context.";
  if (chosen.empty()) {
    return "No sentence of the given context was found that answers the question; " + name +
           " only quotes.";
  }
  std::string out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const QuotableSentence& sentence = text.sentences[chosen[i]];
    if (!out.empty()) out += ' ';
    out += sentence.text;
    const bool goes_on =
        i + 1 < chosen.size() && text.sentences[chosen[i + 1]].mark == sentence.mark;
    if (sentence.mark > 0 && !goes_on) out += " " + text.marks[sentence.mark];
  }
  return out;
}

std::string quoting_model_name(std::string_view model_id) {
  return std::string(model_id) + std::string(name_end);
}

std::string_view model_that_quotes_as(std::string_view name) {
  return name.ends_with(name_end) ? name.substr(0, name.size() - name_end.size())
                                  : std::string_view();
}

}  // namespace cairn::inference
