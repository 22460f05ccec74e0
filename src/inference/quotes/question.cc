// SPDX-License-Identifier: Apache-2.0
#include "inference/quotes/question.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "text/chunker.h"

namespace cairn::inference {
namespace {

using namespace std::string_view_literals;

constexpr std::array question_labels{"question:"sv, "query:"sv, "user question:"sv};
constexpr std::array context_labels{"context:"sv, "documents:"sv, "sources:"sv, "passages:"sv};
constexpr std::array answer_labels{"answer:"sv, "helpful answer:"sv, "assistant:"sv};

/// A line of a text without its end, as a range of bytes.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back({begin, end});
    begin = end + 1;
  }
  return out;
}

/// The length of the label that a line begins with, blanks before it included; 0: none.
template <std::size_t count>
std::size_t label_of(std::string_view line, const std::array<std::string_view, count>& labels) {
  const std::size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
  for (const std::string_view label : labels)
    if (equals_ignore_case(line.substr(blanks, label.size()), label)) return blanks + label.size();
  return 0;
}

bool is_blank(std::string_view line) { return trim(line).empty(); }

bool asks(std::string_view text) {
  const std::string_view end = trim(text);
  return end.ends_with("?") || end.ends_with("？") || end.ends_with("؟");
}

/// A range of bytes of the text that is the question, and where the text before it ends. What is
/// between is its label.
struct Place {
  std::size_t before = 0;
  Line question = {};
  std::size_t behind = 0;
};

/// What follows the first line that begins with "Context:", where there is one.
std::string_view labelled_context(std::string_view text) {
  for (const Line& line : lines_of(text))
    if (const std::size_t label = label_of(line.of(text), context_labels); label > 0)
      return text.substr(line.begin + label);
  return text;
}

std::vector<Line> paragraphs_of(std::string_view text) {
  std::vector<Line> out;
  bool open = false;
  for (const Line& line : lines_of(text)) {
    if (is_blank(line.of(text))) {
      open = false;
      continue;
    }
    if (!open) out.push_back(line);
    out.back().end = line.end;
    open = true;
  }
  return out;
}

/// The question where the last label in a paragraph is one of a question, but for one at its end
/// that begins the answer.
std::optional<Place> labelled_in(std::string_view text, Line paragraph) {
  std::optional<Place> out;
  for (const Line& line : lines_of(paragraph.of(text))) {
    const std::string_view words = line.of(paragraph.of(text));
    const std::size_t begin = paragraph.begin + line.begin;
    const bool is_last = paragraph.begin + line.end == paragraph.end;
    if (const std::size_t label = label_of(words, question_labels); label > 0)
      out = Place{begin, {begin + label, paragraph.end}, paragraph.end};
    else if (out && is_last && label_of(words, answer_labels) > 0)
      out->question.end = out->behind = begin;
    else if (label_of(words, context_labels) + label_of(words, answer_labels) > 0)
      out.reset();
  }
  return out;
}

/// A text of others may have such lines too: only the last can be the template's.
std::optional<Place> labelled_at_end(std::string_view text, const std::vector<Line>& paragraphs) {
  const Line& last = paragraphs.back();
  if (const auto found = labelled_in(text, last)) return found;
  if (paragraphs.size() < 2) return std::nullopt;
  const auto alone = labelled_in(text, paragraphs[paragraphs.size() - 2]);
  if (!alone || !is_blank(alone->question.of(text))) return std::nullopt;
  return Place{alone->before, last, last.end};
}

/// The question of a first paragraph that has a label, where the next label is the context's.
std::optional<Place> labelled_at_begin(std::string_view text,
                                       const std::vector<Line>& paragraphs) {
  const Line begins{paragraphs.front().begin, paragraphs[std::min<std::size_t>(
                                                  paragraphs.size() - 1, 1)].end};
  std::optional<Place> out;
  for (const Line& line : lines_of(begins.of(text))) {
    const std::string_view words = line.of(begins.of(text));
    const std::size_t begin = begins.begin + line.begin;
    const std::size_t question = label_of(words, question_labels);
    const std::size_t context = label_of(words, context_labels);
    if (out && context > 0)
      return Place{out->before, {out->question.begin, begin}, begin + context};
    if (out && begin > paragraphs.front().end && !is_blank(words)) return std::nullopt;
    if (!out && question > 0 && begin < paragraphs.front().end)
      out = Place{begin, {begin + question, begins.end}, begins.end};
  }
  return std::nullopt;
}

/// The last sentence of a paragraph that asks; all of it where none does.
Line asking_sentence(std::string_view text, Line paragraph, const os::Deadline& deadline) {
  std::optional<Line> found;
  for (const text::Chunk& one : text::SentenceFinder().find(paragraph.of(text), deadline))
    if (const Line line{paragraph.begin + one.begin, paragraph.begin + one.end};
        asks(line.of(text)))
      found = line;
  return found.value_or(paragraph);
}

/// Without the lines at the end that only say that the answer follows.
std::string_view without_answer_label(std::string_view text) {
  text = trim(text);
  const std::size_t line = text.rfind('\n') + 1;
  const std::string_view last = text.substr(line);
  return label_of(last, answer_labels) == last.size() && !last.empty() ? trim(text.substr(0, line))
                                                                       : text;
}

Place question_in(std::string_view text, const os::Deadline& deadline) {
  const std::vector<Line> paragraphs = paragraphs_of(text);
  if (paragraphs.empty()) return {};
  if (const auto found = labelled_at_end(text, paragraphs)) return *found;
  const auto sentence = [&](const Line& paragraph) {
    const Line found = asking_sentence(text, paragraph, deadline);
    return Place{found.begin, found, found.end};
  };
  const Place last = sentence(paragraphs.back());
  const bool last_asks = asks(last.question.of(text));
  if (paragraphs.size() > 1 && last_asks) return last;
  if (const auto found = labelled_at_begin(text, paragraphs)) return *found;
  if (last_asks) return last;
  return asks(paragraphs.front().of(text)) ? sentence(paragraphs.front()) : last;
}

/// Its lines one after the other, with a space between.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (const Line& line : lines_of(text)) {
    if (is_blank(line.of(text))) continue;
    if (!out.empty()) out += ' ';
    out += trim(line.of(text));
  }
  return out;
}

void add_context(QuotePrompt& out, std::string_view text, bool before_question = false) {
  if (!is_blank(text))
    out.context.push_back({.text = std::string(text), .before_question = before_question});
}

void add_asking(QuotePrompt& out, const std::string& whole, const os::Deadline& deadline) {
  const std::string_view text = without_answer_label(whole);
  const Place place = question_in(text, deadline);
  out.question = in_one_line(place.question.of(text));
  add_context(out, labelled_context(text.substr(0, place.before)), true);
  add_context(out, text.substr(place.behind));
}

}  // namespace

Result<QuotePrompt> quote_prompt_of(std::span<const SaidText> said, const os::Deadline& deadline) {
  std::size_t last = said.size();
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].role == "user") last = i;
  QuotePrompt out;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (i == last)
      add_asking(out, said[i].content, deadline);
    else if (said[i].role != "assistant")
      add_context(out, said[i].content);
    CAIRN_CHECK(deadline.check("reading the prompt"));
  }
  return out;
}

}  // namespace cairn::inference
