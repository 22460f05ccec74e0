// SPDX-License-Identifier: Apache-2.0
#include "inference/quotes/sentences.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "inference/quotes/sources.h"
#include "os/steps.h"
#include "text/chunker.h"

namespace cairn::inference {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_sentence_bytes = 600;
constexpr std::size_t most_heading_bytes = 80;
constexpr std::size_t least_headed_bytes = 8;
constexpr std::size_t wrapped_line_bytes = 40;  // shorter lines end where their author ended them

/// Where a character of two bytes or more is, `at` is moved to its beginning.
std::size_t character_begin(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

bool ends_sentence(std::string_view text) {
  constexpr std::array ends{"."sv, "!"sv, "?"sv, ":"sv, ";"sv, "…"sv, "。"sv, "！"sv, "？"sv};
  while (!text.empty() && std::string_view("\"')]*_`").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return std::any_of(ends.begin(), ends.end(), [&](auto end) { return text.ends_with(end); });
}

bool is_question(std::string_view text) {
  return text.ends_with("?") || text.ends_with("？") || text.ends_with("؟");
}

bool begins_item(std::string_view line) {
  if (line.empty() || std::string_view("-*+|>#`").find(line.front()) != std::string_view::npos)
    return true;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
}

/// Lines that belong together, one after the other with a space between.
struct Block {
  std::string text = {};
  std::size_t paragraph = 0;  // counted from the beginning of its part
  bool is_heading = false;    // said to be one
  bool is_last = false;       // of its part
};

/// Cuts a part of a text, which is a source or has none, into blocks.
class TextBlockReader {
 public:
  explicit TextBlockReader(bool has_names) : has_names_(has_names) {}

  std::vector<Block> read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      take(trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    end_block();
    if (!out_.empty()) out_.back().is_last = true;
    return std::move(out_);
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) {
      end_block();
      ++paragraph_;
    } else if (const auto name = has_names_ ? source_name(line) : ""sv; !name.empty()) {
      end_block();
      add(name, true);
    } else if (line.starts_with('#')) {
      end_block();
      add(trim(line.substr(std::min(line.find_first_not_of('#'), line.size()))), true);
    } else {
      if (begins_item(line) || last_line_bytes_ < wrapped_line_bytes) end_block();
      if (!open_.empty()) open_ += ' ';
      open_ += line;
      last_line_bytes_ = line.size();
    }
  }
  void add(std::string_view text, bool is_heading) {
    if (!text.empty())
      out_.push_back(
          {.text = std::string(text), .paragraph = paragraph_, .is_heading = is_heading});
  }
  void end_block() {
    add(open_, false);
    open_.clear();
    last_line_bytes_ = 0;
  }

  const bool has_names_;
  std::vector<Block> out_;
  std::size_t paragraph_ = 0;
  std::string open_;
  std::size_t last_line_bytes_ = 0;
};

/// A short line without an end is one too, where something stands under it.
bool is_heading(const Block& block) {
  return block.is_heading || (!block.is_last && block.text.size() <= most_heading_bytes &&
                              !ends_sentence(block.text) && !begins_item(block.text));
}

/// It is looked at again with each sentence under it.
std::string_view heading_of(std::string_view text) {
  return text.size() <= most_heading_bytes
             ? text
             : text.substr(0, character_begin(text, most_heading_bytes));
}

/// A part of a text: what one source says, or what no source does.
struct Part {
  std::string_view text = {};
  std::string_view mark = {};
  bool ends_early = false;  // with its first paragraph that is not a heading
};

/// The parts of a text that may be quoted. They refer to both.
std::vector<Part> parts_of(const ContextText& context, const Sources& sources) {
  const std::string_view text = context.text;
  std::vector<Part> out;
  if (sources.begins.empty()) return {{.text = text}};
  if (sources.begins.size() == 1) out.push_back({.text = text.substr(0, sources.begins[0].line)});
  for (std::size_t i = 0; i < sources.begins.size(); ++i) {
    const SourceBegin& one = sources.begins[i];
    const bool is_last = i + 1 == sources.begins.size();
    const std::size_t end = is_last ? text.size() : sources.begins[i + 1].line;
    out.push_back({.text = text.substr(one.text, end - one.text),
                   .mark = one.mark,
                   .ends_early = is_last && context.before_question});
  }
  return out;
}

/// Gathers the sentences of parts.
class SentenceReader {
 public:
  explicit SentenceReader(const os::Deadline& deadline)
      : deadline_(deadline), steps_(deadline, "reading the context") {}

  Status read(const Part& part) {
    set(out_.marks, like_.mark, part.mark);
    like_.heading = 0;
    std::optional<std::size_t> last_paragraph;
    for (const Block& block : TextBlockReader(!part.mark.empty()).read(part.text)) {
      CAIRN_CHECK(steps_.take(1 + block.text.size()));
      if (last_paragraph && block.paragraph > *last_paragraph) {
        like_ = {};
        last_paragraph.reset();
      }
      if (is_heading(block)) {
        set(out_.headings, like_.heading, heading_of(block.text));
        continue;
      }
      if (part.ends_early && like_.mark > 0) last_paragraph = block.paragraph;
      add(block.text);
    }
    return ok_status();
  }
  QuotableText take() { return std::move(out_); }

 private:
  static void set(std::vector<std::string>& all, std::uint32_t& place, std::string_view text) {
    place = 0;
    if (text.empty()) return;
    if (all.back() != text) all.emplace_back(text);
    place = static_cast<std::uint32_t>(all.size() - 1);
  }
  void add(std::string_view block) {
    for (const text::Chunk& one : finder_.find(block, deadline_)) {
      const std::string_view sentence = trim(block.substr(one.begin, one.end - one.begin));
      if (is_question(sentence))
        set(out_.headings, like_.heading, heading_of(sentence));
      else
        add_pieces(sentence);
    }
  }
  /// At most so many bytes each, cut at spaces where there are any.
  void add_pieces(std::string_view text) {
    while (!text.empty()) {
      std::size_t size = text.size();
      if (size > most_sentence_bytes) {
        size = character_begin(text, most_sentence_bytes);
        const std::size_t space = text.rfind(' ', size);
        if (space != std::string_view::npos && space > 0) size = space;
        if (size == 0) size = most_sentence_bytes;  // not UTF-8
      }
      out_.sentences.push_back(like_);
      QuotableSentence& made = out_.sentences.back();
      made.text = trim(text.substr(0, size));
      if (made.text.size() < least_headed_bytes) made.heading = 0;
      text = trim(text.substr(size));
    }
  }

  const os::Deadline& deadline_;
  os::Steps steps_;
  text::SentenceFinder finder_;
  QuotableText out_;
  QuotableSentence like_;
};

/// Which of the texts with numbered sources counts; the number of texts where none has any.
std::size_t numbered_text(const std::vector<Sources>& all) {
  std::size_t out = all.size();
  bool has_list = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].are_numbered || (has_list && !all[i].are_list())) continue;
    has_list = all[i].are_list();
    out = i;
  }
  return out;
}

}  // namespace

Result<QuotableText> quotable_sentences(const std::vector<ContextText>& context,
                                        const os::Deadline& deadline) {
  std::vector<Sources> sources;
  for (const ContextText& one : context) {
    sources.push_back(sources_of(one.text));
    CAIRN_CHECK(deadline.check("reading the context"));
  }
  const std::size_t numbered = numbered_text(sources);
  SentenceReader reader(deadline);
  for (std::size_t i = 0; i < context.size(); ++i) {
    const bool is_older = sources[i].are_numbered && i != numbered;
    if (is_older && sources[i].are_list()) continue;
    if (is_older) sources[i] = {};
    for (const Part& part : parts_of(context[i], sources[i]))
      CAIRN_CHECK(reader.read(part));
  }
  return reader.take();
}

}  // namespace cairn::inference
