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

constexpr std::array question_labels{"question:"sv, "query:"sv, "user question:"sv, "q:"sv};
constexpr std::array context_labels{"context:"sv, "documents:"sv, "sources:"sv, "passages:"sv};
constexpr std::array answer_labels{"answer:"sv, "helpful answer:"sv, "assistant:"sv, "a:"sv};

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

/// What follows a line that begins with "Context:", where there is one.
std::string_view labelled_context(std::string_view text) {
  for (const Line& line : lines_of(text))
    if (const std::size_t label = label_of(line.of(text), context_labels); label > 0)
      return text.substr(line.begin + label);
  return text;
}

void add_context(QuotePrompt& out, std::string_view text) {
  if (!is_blank(text)) out.context.emplace_back(labelled_context(text));
}

/// The prompt where a line says which is the question.
std::optional<QuotePrompt> labelled_question(std::string_view text,
                                             const std::vector<Line>& lines) {
  std::size_t at = lines.size();
  for (std::size_t i = lines.size(); i-- > 0 && at == lines.size();)
    if (label_of(lines[i].of(text), question_labels) > 0) at = i;
  if (at == lines.size()) return std::nullopt;
  QuotePrompt out;
  const std::string_view first = lines[at].of(text);
  out.question = trim(first.substr(label_of(first, question_labels)));
  std::size_t behind = at + 1;
  for (; behind < lines.size(); ++behind) {
    const std::string_view line = lines[behind].of(text);
    if (label_of(line, context_labels) + label_of(line, answer_labels) > 0) break;
    if (is_blank(line) && !out.question.empty()) break;
    if (!out.question.empty()) out.question += ' ';
    out.question += trim(line);
  }
  add_context(out, text.substr(0, lines[at].begin));
  if (behind < lines.size()) add_context(out, text.substr(lines[behind].begin));
  return out;
}

std::vector<Line> paragraphs_of(std::string_view text, const std::vector<Line>& lines) {
  std::vector<Line> out;
  bool open = false;
  for (const Line& line : lines) {
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

/// The last sentence of a paragraph that asks; all of it where none does.
Line asking_sentence(std::string_view text, Line paragraph, const os::Deadline& deadline) {
  std::optional<Line> found;
  for (const text::Chunk& one : text::sentences(paragraph.of(text), deadline))
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

QuotePrompt of_text(const std::string& whole, const os::Deadline& deadline) {
  const std::string_view text = without_answer_label(whole);
  const std::vector<Line> lines = lines_of(text);
  if (auto labelled = labelled_question(text, lines)) return *std::move(labelled);
  QuotePrompt out;
  const std::vector<Line> paragraphs = paragraphs_of(text, lines);
  if (paragraphs.empty()) return out;
  const Line& first = paragraphs.front();
  const Line& last = paragraphs.back();
  Line question = asking_sentence(text, last, deadline);
  if (!asks(question.of(text)) && asks(first.of(text)))
    question = asking_sentence(text, first, deadline);
  out.question = trim(question.of(text));
  add_context(out, text.substr(0, question.begin));
  add_context(out, text.substr(question.end));
  return out;
}

}  // namespace

Result<QuotePrompt> quote_prompt_of(std::span<const SaidText> said, const os::Deadline& deadline) {
  std::size_t last = said.size();
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].role == "user") last = i;
  QuotePrompt out;
  QuotePrompt own;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (i == last)
      own = of_text(said[i].content, deadline);
    else if (said[i].role != "assistant")
      add_context(out, said[i].content);
    CAIRN_CHECK(deadline.check("reading the prompt"));
  }
  out.question = std::move(own.question);
  for (std::string& text : own.context) out.context.push_back(std::move(text));
  return out;
}

}  // namespace cairn::inference
