// SPDX-License-Identifier: Apache-2.0
#include "inference/quotes/sentences.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "os/steps.h"
#include "text/chunker.h"

namespace cairn::inference {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_mark_bytes = 64;
constexpr std::size_t most_name_bytes = 200;
constexpr std::size_t most_sentence_bytes = 600;
constexpr std::size_t most_heading_bytes = 80;
constexpr std::size_t least_headed_bytes = 8;
constexpr std::size_t wrapped_line_bytes = 40;  // shorter lines end where their author ended them
constexpr std::array source_labels{"source:"sv, "title:"sv, "document:"sv, "file:"sv, "url:"sv};

/// Where a character of two bytes or more is, `at` is moved to its beginning.
std::size_t character_begin(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

/// "[1]" of a line "[1] text", without the brackets of links and of boxes to tick.
std::string_view bracket_mark(std::string_view line) {
  if (!line.starts_with('[')) return {};
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos || end > most_mark_bytes ||
      trim(line.substr(1, end - 1)).empty())
    return {};
  const std::string_view inside = line.substr(1, end - 1);
  if (inside.find('[') != std::string_view::npos || line.substr(end + 1).starts_with('('))
    return {};
  return line.substr(0, end + 1);
}

std::string_view source_name(std::string_view line) {
  for (const std::string_view label : source_labels) {
    if (!equals_ignore_case(line.substr(0, label.size()), label)) continue;
    const std::string_view name = trim(line.substr(label.size()));
    if (name.size() <= most_name_bytes) return name;
  }
  return {};
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
  std::string mark = {};
  bool is_heading = false;  // said to be one
  bool is_last = false;     // of its source, or of its text
};

/// Cuts a text into blocks.
class BlockReader {
 public:
  explicit BlockReader(std::vector<Block>& out) : out_(out) {}

  void read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      take(trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    end_source();
  }

 private:
  void take(std::string_view line) {
    if (const std::string_view mark = bracket_mark(line); !mark.empty()) {
      end_source();
      mark_ = mark;
      has_bracket_ = true;
      line = trim(line.substr(mark.size()));
      if (line.starts_with(':')) line = trim(line.substr(1));
    } else if (const std::string_view name = source_name(line); !name.empty()) {
      return take_source(name);
    }
    if (line.empty()) {
      end_block();
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

  /// A name behind a mark in brackets is a heading of that source.
  void take_source(std::string_view name) {
    end_block();
    if (has_bracket_) return add(name, true);
    end_source();
    mark_ = "[" + std::string(name) + "]";
  }
  void add(std::string_view text, bool is_heading) {
    if (!text.empty())
      out_.push_back({.text = std::string(text), .mark = mark_, .is_heading = is_heading});
  }
  void end_block() {
    add(open_, false);
    open_.clear();
    last_line_bytes_ = 0;
  }
  void end_source() {
    end_block();
    if (!out_.empty()) out_.back().is_last = true;
    mark_.clear();
    has_bracket_ = false;
  }

  std::vector<Block>& out_;
  std::string mark_;
  bool has_bracket_ = false;
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

/// At most so many bytes each, cut at spaces where there are any.
void add_pieces(std::string_view text, const QuotableSentence& like,
                std::vector<QuotableSentence>& out) {
  while (!text.empty()) {
    std::size_t size = text.size();
    if (size > most_sentence_bytes) {
      size = character_begin(text, most_sentence_bytes);
      const std::size_t space = text.rfind(' ', size);
      if (space != std::string_view::npos && space > 0) size = space;
      if (size == 0) size = most_sentence_bytes;  // not UTF-8
    }
    out.push_back(like);
    out.back().text = trim(text.substr(0, size));
    if (out.back().text.size() < least_headed_bytes) out.back().heading.clear();
    text = trim(text.substr(size));
  }
}

}  // namespace

Result<std::vector<QuotableSentence>> quotable_sentences(const std::vector<std::string>& context,
                                                         const os::Deadline& deadline) {
  std::vector<Block> blocks;
  for (const std::string& text : context) {
    BlockReader(blocks).read(text);
    CAIRN_CHECK(deadline.check("reading the context"));
  }
  const bool has_marks = std::any_of(blocks.begin(), blocks.end(),
                                     [](const Block& block) { return !block.mark.empty(); });
  std::vector<QuotableSentence> out;
  QuotableSentence like;
  bool begins_source = true;
  os::Steps steps(deadline, "reading the context");
  for (const Block& block : blocks) {
    CAIRN_CHECK(steps.take(1 + block.text.size()));
    if (begins_source) like = {.mark = block.mark};
    begins_source = block.is_last;
    if (has_marks && block.mark.empty()) continue;
    if (is_heading(block)) {
      like.heading = heading_of(block.text);
      continue;
    }
    for (const text::Chunk& one : text::sentences(block.text, deadline)) {
      const std::string_view sentence =
          trim(std::string_view(block.text).substr(one.begin, one.end - one.begin));
      if (is_question(sentence))
        like.heading = heading_of(sentence);
      else
        add_pieces(sentence, like, out);
    }
  }
  return out;
}

}  // namespace cairn::inference
