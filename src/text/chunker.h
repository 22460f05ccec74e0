// SPDX-License-Identifier: Apache-2.0
// Cutting a long text into pieces that a model can take in, by words, sentences or separators.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "format/json.h"

namespace cairn::text {

enum class ChunkingStrategy { none, word, sentence, recursive };

/// How to cut. Sizes are words: segments of Unicode word breaking (root locale) that hold a letter,
/// a number, kana or an ideograph.
struct ChunkingSettings {
  ChunkingStrategy strategy = ChunkingStrategy::sentence;
  int max_chunk_size = 250;
  int sentence_overlap = 1;                  // sentence: 0 or 1
  int overlap = 100;                         // word: words shared by neighbours
  std::vector<std::string> separators = {};  // recursive: regular expressions, coarsest first

  friend bool operator==(const ChunkingSettings&, const ChunkingSettings&) = default;
};

/// Reads the `chunking_settings` of a request. Null and {} give the default (sentence, 250, 1).
/// Errors: invalid_argument with code validation_exception and all faults numbered in one message;
/// code illegal_argument_exception for a missing or unknown strategy.
Result<ChunkingSettings> parse_chunking_settings(const Json& settings);

/// The form in which an endpoint shows its settings; parse_chunking_settings reads it back.
Json to_json(const ChunkingSettings& settings);

/// A piece of the input as a half-open range of bytes. Borders lie between characters.
struct Chunk {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(Chunk, Chunk) = default;
};

/// Cuts `input` (UTF-8; faulty bytes count as U+FFFD). An empty input gives no chunk by `word` and
/// one empty chunk by the other strategies.
/// Errors: invalid_argument for a separator that is no regular expression or that needs too many
/// steps on this input; timeout, cancelled.
Result<std::vector<Chunk>> chunk(std::string_view input, const ChunkingSettings& settings,
                                 const os::Deadline& deadline = os::Deadline::never());

/// Finds the sentences of texts, by Unicode's rules (root locale). One is for many texts, as making
/// it costs more than a short text. For one thread at a time.
class SentenceFinder {
 public:
  SentenceFinder();
  ~SentenceFinder();
  SentenceFinder(const SentenceFinder&) = delete;
  SentenceFinder& operator=(const SentenceFinder&) = delete;

  /// The sentences, which together are all of the text. Fewer of them once the deadline has passed,
  /// for callers that then give an error.
  std::vector<Chunk> find(std::string_view input,
                          const os::Deadline& deadline = os::Deadline::never());

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

/// Words in the sense of ChunkingSettings.
std::size_t count_words(std::string_view input);

}  // namespace cairn::text
