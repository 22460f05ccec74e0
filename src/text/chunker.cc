// SPDX-License-Identifier: Apache-2.0
// The chunking strategies. Borders of words and sentences are those of ICU's root locale.
#include "text/chunker.h"

#include <unicode/brkiter.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/assert.h"
#include "text/regex.h"

namespace cairn::text {
namespace {

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

enum class Unit { word, sentence };

constexpr std::size_t ends_between_looks = 4'096;  // at the deadline

std::unique_ptr<icu::BreakIterator> iterator_of(Unit unit) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> out(
      unit == Unit::word
          ? icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status)
          : icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  CAIRN_ASSERT(U_SUCCESS(status));  // fails only without ICU's data
  return out;
}

/// Ends of words (segments that hold something), or of sentences, as byte offsets, ascending. Fewer
/// of them once the deadline has passed, for callers that then give an error.
std::vector<std::size_t> ends_of(Unit unit, icu::BreakIterator& iterator, std::string_view input,
                                 const os::Deadline& deadline) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> text(
      utext_openUTF8(nullptr, input.data(), static_cast<std::int64_t>(input.size()), &status));
  iterator.setText(text.get(), status);
  CAIRN_ASSERT(U_SUCCESS(status));
  std::vector<std::size_t> ends;
  std::size_t seen = 0;
  for (auto at = iterator.next(); at != icu::BreakIterator::DONE; at = iterator.next()) {
    if (++seen % ends_between_looks == 0 && deadline.passed()) break;
    if (unit == Unit::sentence || iterator.getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
      ends.push_back(static_cast<std::size_t>(at));
    }
  }
  return ends;
}

std::vector<std::size_t> ends_of(Unit unit, std::string_view input,
                                 const os::Deadline& deadline = os::Deadline::never()) {
  return ends_of(unit, *iterator_of(unit), input, deadline);
}

/// The ends of the words of one text, and questions about ranges of it.
class Words {
 public:
  Words(std::string_view input, const os::Deadline& deadline)
      : ends_(ends_of(Unit::word, input, deadline)) {}

  std::size_t count(Chunk range) const { return first_after(range.end) - first_after(range.begin); }
  /// Where the `skipped`th word after `begin` ends; `begin` for none.
  std::size_t after(std::size_t begin, std::size_t skipped) const {
    return skipped == 0 ? begin : ends_[first_after(begin) + skipped - 1];
  }
  /// The ends of the words in a range.
  std::vector<std::size_t> within(Chunk range) const {
    return {ends_.begin() + static_cast<std::ptrdiff_t>(first_after(range.begin)),
            ends_.begin() + static_cast<std::ptrdiff_t>(first_after(range.end))};
  }

 private:
  std::size_t first_after(std::size_t offset) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), offset) -
                                    ends_.begin());
  }
  std::vector<std::size_t> ends_;
};

struct CountedChunk {
  Chunk chunk;
  std::size_t words = 0;
};

/// Windows of `size` words that share `overlap` words. What lies between two words goes to the
/// later window. The last window may be short.
std::vector<CountedChunk> by_words(const Words& words, Chunk range, std::size_t size,
                                   std::size_t overlap) {
  std::vector<CountedChunk> out;
  if (range.begin == range.end) return out;
  std::size_t window_begin = range.begin;
  std::size_t next_begin = range.begin;
  std::size_t in_window = 0;
  std::size_t since_mark = 0;
  for (const std::size_t end : words.within(range)) {
    ++in_window;
    ++since_mark;
    if (in_window >= size) {
      out.push_back({{window_begin, end}, in_window});
      in_window = overlap;
      if (overlap == 0) next_begin = end;
      window_begin = next_begin;
    }
    if (since_mark == size - overlap) {
      next_begin = end;
      since_mark = 0;
    }
  }
  if (in_window > overlap || out.empty()) {
    out.push_back({{window_begin, range.end}, in_window});
  }
  return out;
}

/// Sentences gathered up to a size, with the sentence before repeated where overlap is asked for.
class SentenceCutter {
 public:
  SentenceCutter(const Words& words, std::size_t size, bool overlap)
      : words_(words), size_(size), overlap_(overlap) {}

  void add(Chunk sentence) {
    const std::size_t count = words_.count(sentence);
    if (words_in_open_ + count <= size_) {
      words_in_open_ += count;
    } else {
      if (words_in_open_ > 0) {
        done_.push_back({open_begin_, sentence.begin});
        open_after(sentence, count);
      } else {
        words_in_open_ = count;
      }
      if (words_in_open_ > size_) split_open(sentence.end);
    }
    before_ = sentence;
    words_before_ = count;
  }

  std::vector<Chunk> finish(std::size_t end) {
    if (words_in_open_ > 0) done_.push_back({open_begin_, end});
    if (done_.empty()) done_.push_back({0, end});
    return std::move(done_);
  }

 private:
  /// Opens the chunk that holds `sentence`, and of the one before as much as fits.
  void open_after(Chunk sentence, std::size_t count) {
    if (!overlap_) {
      open_begin_ = sentence.begin;
      words_in_open_ = count;
      return;
    }
    std::size_t kept = words_before_;
    if (words_before_ + count > size_) kept = std::min(kept, std::min<std::size_t>(size_ / 2, 20));
    open_begin_ = words_.after(before_.begin, words_before_ - kept);
    words_in_open_ = kept + count;
  }

  /// Cuts an open chunk that is too large by words; the last piece stays open.
  void split_open(std::size_t end) {
    const auto pieces =
        by_words(words_, {open_begin_, end}, size_, std::min<std::size_t>(20, (size_ - 1) / 2));
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) done_.push_back(pieces[i].chunk);
    open_begin_ = pieces.back().chunk.begin;
    words_in_open_ = pieces.back().words;
  }

  const Words& words_;
  const std::size_t size_;
  const bool overlap_;
  std::vector<Chunk> done_;
  std::size_t open_begin_ = 0;
  std::size_t words_in_open_ = 0;
  Chunk before_;
  std::size_t words_before_ = 0;
};

std::vector<Chunk> by_sentences(std::string_view input, std::size_t size, bool overlap,
                                const os::Deadline& deadline) {
  const Words words(input, deadline);
  SentenceCutter cutter(words, size, overlap);
  std::size_t begin = 0;
  for (const std::size_t end : ends_of(Unit::sentence, input, deadline)) {
    cutter.add({begin, end});
    begin = end;
  }
  return cutter.finish(input.size());
}

/// The pieces of `range` between the matches of a separator, which begins the piece after it.
Result<std::vector<CountedChunk>> pieces_of(std::string_view input, Chunk range,
                                            const std::string& separator, const Words& words) {
  CAIRN_TRY(const Regex regex, Regex::compile(separator));
  CAIRN_TRY(const auto matches, regex.find_all(input.substr(range.begin, range.end - range.begin)));
  std::vector<CountedChunk> out;
  std::size_t begin = range.begin;
  const auto add_until = [&](std::size_t end) {
    if (begin < end) out.push_back({{begin, end}, words.count({begin, end})});
    begin = end;
  };
  for (const auto& [match_begin, match_end] : matches) add_until(range.begin + match_begin);
  add_until(range.end);
  return out;
}

std::vector<CountedChunk> merged(std::vector<CountedChunk> pieces, std::size_t size) {
  std::vector<CountedChunk> out;
  for (const CountedChunk& piece : pieces) {
    if (!out.empty() && out.back().words + piece.words <= size) {
      out.back().chunk.end = piece.chunk.end;
      out.back().words += piece.words;
    } else {
      out.push_back(piece);
    }
  }
  return out;
}

/// Cuts by separators, coarsest first, and what is still too large by sentences.
Status by_separators(std::string_view input, Chunk range, const ChunkingSettings& settings,
                     const Words& words, std::size_t level, const os::Deadline& deadline,
                     std::vector<Chunk>& out) {
  CAIRN_CHECK(deadline.check("chunking a text"));
  const auto size = static_cast<std::size_t>(settings.max_chunk_size);
  if (words.count(range) <= size) {
    out.push_back(range);
    return ok_status();
  }
  if (level == settings.separators.size()) {
    const auto part = input.substr(range.begin, range.end - range.begin);
    for (const Chunk piece : by_sentences(part, size, false, deadline)) {
      out.push_back({range.begin + piece.begin, range.begin + piece.end});
    }
    return ok_status();
  }
  CAIRN_TRY(auto pieces, pieces_of(input, range, settings.separators[level], words));
  for (const CountedChunk& piece : merged(std::move(pieces), size)) {
    CAIRN_CHECK(by_separators(input, piece.chunk, settings, words, level + 1, deadline, out));
  }
  return ok_status();
}

}  // namespace

struct SentenceFinder::Impl {
  std::unique_ptr<icu::BreakIterator> iterator = iterator_of(Unit::sentence);
};

SentenceFinder::SentenceFinder() : impl_(std::make_unique<Impl>()) {}
SentenceFinder::~SentenceFinder() = default;

std::vector<Chunk> SentenceFinder::find(std::string_view input, const os::Deadline& deadline) {
  std::vector<Chunk> out;
  std::size_t begin = 0;
  for (const std::size_t end : ends_of(Unit::sentence, *impl_->iterator, input, deadline)) {
    out.push_back({begin, end});
    begin = end;
  }
  return out;
}

std::size_t count_words(std::string_view input) { return ends_of(Unit::word, input).size(); }

Result<std::vector<Chunk>> chunk(std::string_view input, const ChunkingSettings& settings,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("chunking a text"));
  const auto size = static_cast<std::size_t>(std::max(settings.max_chunk_size, 1));
  switch (settings.strategy) {
    case ChunkingStrategy::none:
      break;
    case ChunkingStrategy::word: {
      const auto overlap = static_cast<std::size_t>(std::max(settings.overlap, 0));
      std::vector<Chunk> out;
      const auto windows =
          by_words(Words(input, deadline), {0, input.size()}, size,
                                    std::min<std::size_t>(overlap, size / 2));
      CAIRN_CHECK(deadline.check("chunking a text"));
      for (const CountedChunk& window : windows) out.push_back(window.chunk);
      return out;
    }
    case ChunkingStrategy::sentence: {
      auto out = by_sentences(input, size, settings.sentence_overlap > 0, deadline);
      CAIRN_CHECK(deadline.check("chunking a text"));
      return out;
    }
    case ChunkingStrategy::recursive: {
      std::vector<Chunk> out;
      CAIRN_CHECK(by_separators(input, {0, input.size()}, settings, Words(input, deadline), 0,
                                deadline, out));
      return out;
    }
  }
  return std::vector<Chunk>{{0, input.size()}};
}

}  // namespace cairn::text
