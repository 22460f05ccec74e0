// SPDX-License-Identifier: Apache-2.0
// WordPiece: a word as the longest pieces of a vocabulary, from left to right.
#include <utility>

#include "text/tokenizer/model.h"
#include "text/tokenizer/trie.h"

namespace cairn::text::tokenizer {
namespace {

// What one word costs grows with it.
constexpr std::int64_t most_word_characters = 1'000;

struct WordPieceParts {
  Vocabulary vocabulary;
  std::string prefix;  // of pieces that continue a word
  std::string unknown;
  std::size_t longest_word = 100;  // in characters
};

class WordPiece : public Model {
 public:
  static MadeModel make(WordPieceParts parts) {
    const auto unknown = parts.vocabulary.id_of(parts.unknown);
    if (!unknown)
      return wrong_file("[model.unk_token] [" + parts.unknown + "] is not in the vocabulary");
    return std::unique_ptr<const Model>(new WordPiece(std::move(parts), *unknown));
  }

  Status encode(std::string_view text, std::span<const Span> words, Work& work, TokenList& out,
                std::size_t limit) const override {
    for (const Span word : words) {
      if (!work.steps->go_on()) return work.steps->status();
      encode_word(text, word, work, out);
      if (out.ids.size() > limit) return ok_status();
    }
    return ok_status();
  }

  const Vocabulary& vocabulary() const override { return parts_.vocabulary; }
  std::optional<std::uint32_t> unknown_id() const override { return unknown_; }
  std::size_t size_bytes() const override {
    return parts_.vocabulary.size_bytes() + trie_.size_bytes();
  }

 private:
  WordPiece(WordPieceParts parts, std::uint32_t unknown)
      : parts_(std::move(parts)), unknown_(unknown) {
    std::vector<Trie::Key> keys;
    for (std::uint32_t id = 0; id < parts_.vocabulary.size(); ++id)
      if (const auto token = parts_.vocabulary.token(id); !token.empty())
        keys.emplace_back(token, id);
    trie_ = Trie::build(std::move(keys));
    continues_ = true;
    for (const char c : parts_.prefix)
      continues_ = continues_ && trie_.step(continuing_, static_cast<unsigned char>(c));
  }

  void encode_word(std::string_view text, Span word, const Work& work, TokenList& out) const {
    const auto counts = [&work](std::uint32_t id) { return !work.bars(id); };
    const std::string_view bytes = word.of(text);
    const std::size_t first = out.ids.size();
    bool known =
        bytes.size() <= parts_.longest_word || count_characters(bytes) <= parts_.longest_word;
    for (std::size_t at = 0; known && at < bytes.size();) {
      if (at > 0 && !continues_) {
        known = false;
        break;
      }
      const auto [value, length] =
          trie_.longest(bytes.substr(at), at == 0 ? Trie::root : continuing_, counts);
      known = value != 0;
      if (known) out.add(value - 1, word.begin + at, word.begin + at + length);
      at += length;
    }
    if (known) return;
    out.cut(first);
    out.add(unknown_, word.begin, word.end);
  }

  WordPieceParts parts_;
  std::uint32_t unknown_;
  Trie trie_;
  Trie::Node continuing_ = Trie::root;  // behind the prefix
  bool continues_ = false;
};

}  // namespace

MadeModel read_wordpiece(const Fields& fields) {
  WordPieceParts parts;
  CAIRN_TRY(const auto tokens, Vocabulary::read(fields));
  CAIRN_TRY(parts.vocabulary, Vocabulary::build(tokens));
  CAIRN_TRY(parts.prefix, fields.string("continuing_subword_prefix", "##"));
  CAIRN_TRY(parts.unknown, fields.string("unk_token", "[UNK]"));
  CAIRN_TRY(const auto longest,
            fields.integer("max_input_chars_per_word", 100, 1, most_word_characters));
  parts.longest_word = static_cast<std::size_t>(longest);
  return WordPiece::make(std::move(parts));
}

MadeModel wordpiece_of_lines(std::string_view lines) {
  std::vector<Vocabulary::Token> tokens;
  std::uint32_t id = 0;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > longest_token_bytes)
      return wrong_file("line " + std::to_string(id + 1) + " of the vocabulary is too long");
    if (!line.empty()) tokens.emplace_back(line, id);
    ++id;
  }
  WordPieceParts parts{.vocabulary = {}, .prefix = "##", .unknown = "[UNK]"};
  CAIRN_TRY(parts.vocabulary, Vocabulary::build(tokens));
  return WordPiece::make(std::move(parts));
}

}  // namespace cairn::text::tokenizer
