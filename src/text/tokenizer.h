// SPDX-License-Identifier: Apache-2.0
// Sub-word tokenizers of models, read from the files of the Hugging Face layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::text {

struct TokenIds {
  std::vector<std::uint32_t> ids;
  bool is_truncated = false;  // the text had more tokens than were asked for
};

/// The bytes of a text, half open, that a token stands for. Both ends are ends of characters.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(TokenRange, TokenRange) = default;
};

/// What is cut from texts that have too many tokens.
struct Truncation {
  enum class Strategy { longest_first, only_first, only_second };
  std::size_t max_tokens = SIZE_MAX;  // special ones count
  Strategy strategy = Strategy::longest_first;
  bool from_left = false;  // the beginnings are cut, not the ends
};

struct EncodeOptions {
  bool add_special_tokens = true;  // those that the post-processor puts around the text
  /// Whether text that spells a special token makes one. Off, as text of users must not steer a
  /// model; the libraries that models come from have it on. Off, words that the model's vocabulary
  /// has as special tokens become others too.
  bool match_special_tokens = false;
  /// For prompts: the parts of the text, in order and apart from each other, that are the model's
  /// own template's. Where given, added tokens, special or not, are matched within one of them and
  /// nowhere else, whatever match_special_tokens says; of tokens that reach over the end of a part,
  /// the longest that does not counts. Nor do words become such tokens, unless they are white
  /// space.
  std::optional<std::span<const TokenRange>> trusted = {};
  bool with_ranges = false;
  std::optional<Truncation> truncation = {};  // absent: as the file says
};

struct Encoding {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> type_ids;
  std::vector<TokenRange> ranges;     // where asked for; {0, 0} of special tokens that were added
  std::vector<std::uint8_t> text_of;  // of each token: 0 or 1, which text; 2: added, special
  bool is_truncated = false;
};

/// The files of a tokenizer, as far as a model has them: their contents, empty where absent.
struct TokenizerFiles {
  std::string_view tokenizer_json = {};
  std::string_view tokenizer_config = {};    // tokenizer_config.json
  std::string_view special_tokens_map = {};  // special_tokens_map.json
  std::string_view vocab_txt = {};           // WordPiece; counts where there is no tokenizer.json
};

/// Ids of tokens with a part to play, and the longest input, as the files name them.
struct TokenizerFacts {
  std::optional<std::uint32_t> unknown, cls, sep, pad, mask, bos, eos;
  std::optional<std::uint64_t> max_length;  // absent where the file names none, or a huge one
};

/// Turns text into token ids and back. Immutable; safe from any thread; buffers stay with the
/// calling thread.
///
/// Offered: normalizers BertNormalizer, NFC, NFD, NFKC, NFKD, StripAccents, Lowercase, Replace,
/// Prepend, Strip, Precompiled, Sequence; pre-tokenizers BertPreTokenizer, Whitespace,
/// WhitespaceSplit, Metaspace, ByteLevel, Split, Punctuation, Digits, Sequence; models WordPiece,
/// Unigram, BPE; post-processors TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel,
/// Sequence; decoders WordPiece, Metaspace, ByteLevel, ByteFallback, Fuse, Replace, Strip,
/// Sequence. `padding` is left to who makes batches.
///
/// Bytes that are not UTF-8 count as U+FFFD, one for the longest start of a character that goes no
/// further; ranges cover them.
class Tokenizer {
 public:
  /// Errors: invalid_argument for text that is no tokenizer, naming the field; unsupported, naming
  /// the component, for one whose components are not all offered.
  static Result<Tokenizer> parse(std::string_view tokenizer_json);
  /// Errors: as parse; invalid_argument where there is neither tokenizer.json nor vocab.txt.
  static Result<Tokenizer> load(const TokenizerFiles& files);

  /// The tokens of one text, with what the post-processor adds. `out` is reused.
  /// Takes time in proportion to the text, but for words of BPE, n log n.
  /// Errors: timeout, cancelled; too_large for texts over 1 GiB or that normalizers make so;
  /// invalid_argument where an expression of the file needs too many steps, a truncation leaves no
  /// room, or a character is in no token and the model has none for unknown ones.
  Status encode(std::string_view text, const EncodeOptions& options, const os::Deadline& deadline,
                Encoding& out) const;
  /// The tokens of two texts, as one input.
  Status encode_pair(std::string_view first, std::string_view second, const EncodeOptions& options,
                     const os::Deadline& deadline, Encoding& out) const;

  /// The ids of the first `limit` tokens of the text alone, which never makes a special token. No
  /// tokens where encode() fails.
  TokenIds encode(std::string_view text, std::size_t limit = SIZE_MAX) const;

  /// The words that the model would make tokens of, normalized. Errors: as encode.
  Result<std::vector<std::string>> words(std::string_view text) const;

  /// The text that tokens stand for. Ids without a token count for nothing.
  std::string decode(std::span<const std::uint32_t> ids, bool skip_special_tokens) const;

  /// Largest id + 1. Ids below it without a token have the empty text.
  std::size_t vocabulary_size() const;
  std::string_view token(std::uint32_t id) const;
  std::optional<std::uint32_t> id_of(std::string_view token) const;
  bool is_special(std::uint32_t id) const;
  std::uint32_t unknown_id() const;  // 0 where the model has none
  const TokenizerFacts& facts() const;
  std::size_t size_bytes() const;

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::text
