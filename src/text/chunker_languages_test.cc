// SPDX-License-Identifier: Apache-2.0
// Chunking of many scripts against a second writing of the strategies, over UTF-16 and the words of
// each range looked up anew.
#include <doctest/doctest.h>
#include <unicode/brkiter.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "text/chunker.h"

namespace cairn::text::chunker_languages_test {
namespace {

const std::vector<std::string>& sentences() {
  static const std::vector<std::string> all{
      "The ship left at dawn. ",
      "Dr. Smith paid $3.50 for it, didn't he? ",
      "Die Straße war leer; niemand kam! ",
      "Où est la gare ? ",
      "Elle a dit « non ». ",
      "Пароход вышел на рассвете. ",
      "Το πλοίο έφυγε την αυγή. ",
      "السفينة غادرت عند الفجر. ",
      "הספינה יצאה עם שחר. ",
      "जहाज भोर में निकला। ",
      "船は夜明けに出た。",
      "東京タワーへ行きました！",
      "船在黎明时分离开了。你看见了吗？",
      "배는 새벽에 떠났다. ",
      "เรือออกเดินทางตอนรุ่งสาง ",
      "Con tàu rời bến lúc bình minh. ",
      "🚢 left at 🌅. ",
      "e\u0301te\u0301 caf\u00e9 na\u00efve. ",
      "See https://example.com/a_b?c=d or mail a.b@example.com. ",
      "1,234.5 and 3rd and x86-64.\n",
      "\n\n",
      "— … !!! ",
  };
  return all;
}

struct Range {
  int begin = 0;  // UTF-16 units
  int end = 0;
};

/// The ends of words, or all borders of sentences, of a text.
std::vector<int> ends(const icu::UnicodeString& text, bool words) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> iterator(
      words ? icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status)
            : icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  REQUIRE(U_SUCCESS(status));
  iterator->setText(text);
  std::vector<int> out;
  iterator->first();
  for (int at = iterator->next(); at != icu::BreakIterator::DONE; at = iterator->next()) {
    if (!words || iterator->getRuleStatus() != UBRK_WORD_NONE) out.push_back(at);
  }
  return out;
}

class Oracle {
 public:
  explicit Oracle(const std::string& utf8)
      : text_(icu::UnicodeString::fromUTF8(utf8)), word_ends_(ends(text_, true)) {}

  std::vector<Range> by_words(int size, int overlap) const {
    return windows({0, text_.length()}, size, overlap);
  }

  std::vector<Range> by_sentences(int most, bool overlap) const {
    std::vector<Range> out;
    int chunk_begin = 0;
    int chunk_words = 0;
    Range before;
    int begin = 0;
    for (const int end : ends(text_, false)) {
      const Range sentence{begin, end};
      const int words = count(sentence);
      if (chunk_words + words <= most) {
        chunk_words += words;
      } else {
        if (chunk_words > 0) {
          out.push_back({chunk_begin, sentence.begin});
          chunk_begin = sentence.begin;
          chunk_words = words;
          if (overlap) {
            int kept = count(before);
            if (kept + words > most) kept = std::min(kept, std::min(most / 2, 20));
            chunk_begin = skip(before, count(before) - kept);
            chunk_words = kept + words;
          }
        } else {
          chunk_words = words;
        }
        if (chunk_words > most) {
          const auto parts = windows({chunk_begin, end}, most, std::min(20, (most - 1) / 2));
          out.insert(out.end(), parts.begin(), parts.end() - 1);
          chunk_begin = parts.back().begin;
          chunk_words = count(parts.back());
        }
      }
      before = sentence;
      begin = end;
    }
    if (chunk_words > 0) out.push_back({chunk_begin, text_.length()});
    if (out.empty()) out.push_back({0, text_.length()});
    return out;
  }

  /// In bytes of UTF-8.
  std::vector<Chunk> bytes(const std::vector<Range>& ranges) const {
    std::vector<Chunk> out;
    for (const Range range : ranges) {
      out.push_back({before_in_bytes(range.begin), before_in_bytes(range.end)});
    }
    return out;
  }

 private:
  std::vector<int> words_in(Range range) const {
    std::vector<int> out;
    for (const int end : word_ends_) {
      if (end > range.begin && end <= range.end) out.push_back(end);
    }
    return out;
  }
  int count(Range range) const { return static_cast<int>(words_in(range).size()); }
  int skip(Range range, int words) const {
    return words == 0 ? range.begin : words_in(range)[static_cast<std::size_t>(words) - 1];
  }

  std::vector<Range> windows(Range range, int size, int overlap) const {
    std::vector<Range> out;
    if (range.begin == range.end) return out;
    const std::vector<int> words = words_in(range);
    const auto total = static_cast<int>(words.size());
    // Window k begins where its first `overlap` words, which window k-1 has too, begin.
    int first = 0;
    while (true) {
      const int begin = first == 0 ? range.begin : words[static_cast<std::size_t>(first) - 1];
      if (first + size > total) {
        if (total - first > overlap || out.empty() || (first == 0 && total <= overlap))
          out.push_back({begin, range.end});
        return out;
      }
      out.push_back({begin, words[static_cast<std::size_t>(first + size) - 1]});
      first += size - overlap;
    }
  }

  std::size_t before_in_bytes(int units) const {
    std::string utf8;
    text_.tempSubStringBetween(0, units).toUTF8String(utf8);
    return utf8.size();
  }

  const icu::UnicodeString text_;
  const std::vector<int> word_ends_;
};

std::string shown(const std::vector<Chunk>& chunks) {
  std::string out;
  for (const Chunk chunk : chunks) {
    out += "[" + std::to_string(chunk.begin) + "," + std::to_string(chunk.end) + ")";
  }
  return out;
}

void compare(const std::string& text, const ChunkingSettings& settings,
             const std::vector<Chunk>& wanted) {
  const auto got = chunk(text, settings);
  REQUIRE(got.ok());
  if (*got == wanted) return;
  FAIL_CHECK("size " << settings.max_chunk_size << ", overlap " << settings.overlap << "/"
                     << settings.sentence_overlap << ": " << shown(*got) << " instead of "
                     << shown(wanted) << " of\n"
                     << text);
}

TEST_CASE("chunker: texts of many scripts are cut as the strategies say") {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    const auto count = static_cast<unsigned>(1 + random() % 40);
    for (unsigned i = 0; i < count; ++i) {
      std::string sentence = sentences()[random() % sentences().size()];
      // Some are longer than any chunk.
      if (random() % 12 == 0) {
        for (int k = 0; k < 30; ++k) sentence += " слово word 語";
        sentence += ". ";
      }
      text += sentence;
    }
    const Oracle oracle(text);
    ChunkingSettings settings;
    settings.strategy = ChunkingStrategy::word;
    settings.max_chunk_size = 10 + static_cast<int>(random() % 60);
    settings.overlap = 1 + static_cast<int>(random() % (settings.max_chunk_size / 2));
    compare(text, settings,
            oracle.bytes(oracle.by_words(settings.max_chunk_size, settings.overlap)));
    settings.strategy = ChunkingStrategy::sentence;
    settings.max_chunk_size = 20 + static_cast<int>(random() % 60);
    for (const int overlap : {0, 1}) {
      settings.sentence_overlap = overlap;
      compare(text, settings,
              oracle.bytes(oracle.by_sentences(settings.max_chunk_size, overlap == 1)));
    }
  }
}

TEST_CASE("chunker: each script alone") {
  for (const std::string& sentence : sentences()) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += sentence;
    const Oracle oracle(text);
    ChunkingSettings settings;
    settings.max_chunk_size = 25;
    compare(text, settings, oracle.bytes(oracle.by_sentences(25, true)));
    settings.strategy = ChunkingStrategy::word;
    settings.overlap = 7;
    compare(text, settings, oracle.bytes(oracle.by_words(25, 7)));
  }
}

}  // namespace
}  // namespace cairn::text::chunker_languages_test
