// SPDX-License-Identifier: Apache-2.0
// BPE: characters of a word, merged pair by pair, the pair that was learnt first before others.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "text/tokenizer/byte_level.h"
#include "text/tokenizer/model.h"
#include "text/tokenizer/pair_table.h"

namespace cairn::text::tokenizer {
namespace {

// Words of up to so many symbols are merged by looking at all pairs; longer ones with a heap.
constexpr std::size_t small_word = 24;
constexpr std::string_view word_mark = "\xe2\x96\x81";  // U+2581, which begins words

struct BpeParts {
  Vocabulary vocabulary;
  Vocabulary words;  // of tokens as words spell them; the same but for byte-level ones
  PairTable merges;
  std::optional<std::uint32_t> unknown;
  std::string prefix;  // of symbols that do not begin a word
  std::string suffix;  // of the one that ends it
  bool plain_bytes = false;
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;
};

class Bpe : public Model {
 public:
  explicit Bpe(BpeParts parts) : parts_(std::move(parts)) {
    if (parts_.byte_fallback) fallback_ = byte_tokens(parts_.vocabulary);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      if (parts_.plain_bytes || byte < 0x80)
        singles_[byte] = words().id_of(std::string_view(&c, 1));
    }
    plain_ = parts_.prefix.empty() && parts_.suffix.empty();
    find_whole_words();
    cuts_at_marks_ =
        plain_ && !parts_.plain_bytes && words().id_of(word_mark) && !merges_across_marks();
  }

  Status encode(std::string_view text, std::span<const Span> words, Work& work, TokenList& out,
                std::size_t limit) const override {
    for (const Span word : words) {
      if (!work.steps->go_on()) return work.steps->status();
      CAIRN_CHECK(cuts_at_marks_ ? encode_marked(text, word, work, out, limit)
                                 : encode_word(text, word, work, out));
      if (out.ids.size() > limit) return ok_status();
    }
    return ok_status();
  }

  const Vocabulary& vocabulary() const override { return parts_.vocabulary; }
  std::optional<std::uint32_t> unknown_id() const override { return parts_.unknown; }
  std::size_t size_bytes() const override {
    return parts_.vocabulary.size_bytes() + parts_.words.size_bytes() + parts_.merges.size_bytes();
  }

 private:
  const Vocabulary& words() const { return parts_.plain_bytes ? parts_.words : parts_.vocabulary; }

  /// Which tokens come out of a word that is their text: those need no merging.
  void find_whole_words() {
    if (!plain_) return;
    Work work;
    const os::Deadline never = os::Deadline::never();
    os::Steps steps(never);
    work.steps = &steps;
    TokenList out;
    whole_.assign(words().size(), false);
    for (std::uint32_t id = 0; id < words().size(); ++id) {
      const std::string_view token = words().token(id);
      if (token.empty() || words().id_of(token) != id) continue;
      out.cut(0);
      if (!parts_.ignore_merges && !merge_word(token, span_of(0, token.size()), work, out).ok())
        continue;
      whole_[id] = parts_.ignore_merges || (out.ids.size() == 1 && out.ids[0] == id);
    }
  }

  /// Whether a token has a mark behind another character: then words are not apart.
  bool merges_across_marks() const {
    for (std::uint32_t id = 0; id < words().size(); ++id) {
      std::string_view token = words().token(id);
      while (token.starts_with(word_mark)) token.remove_prefix(word_mark.size());
      if (token.find(word_mark) != std::string_view::npos) return true;
    }
    return false;
  }

  /// A text of many words, which no merge joins: word by word.
  Status encode_marked(std::string_view text, Span all, Work& work, TokenList& out,
                       std::size_t limit) const {
    const std::string_view part = text.substr(0, all.end);
    for (std::size_t begin = all.begin; begin < all.end && out.ids.size() <= limit;) {
      if (!work.steps->go_on()) return work.steps->status();
      std::size_t end = begin;
      while (part.substr(end).starts_with(word_mark)) end += word_mark.size();
      end = std::min<std::size_t>(part.find(word_mark, end), all.end);
      CAIRN_CHECK(encode_word(text, span_of(begin, end), work, out));
      begin = end;
    }
    return ok_status();
  }

  Status encode_word(std::string_view text, Span word, Work& work, TokenList& out) const {
    const std::string_view bytes = word.of(text);
    if ((plain_ || parts_.ignore_merges) && bytes.size() <= words().longest_token()) {
      const auto id = words().id_of(bytes);
      if (id && !work.bars(*id) && (parts_.ignore_merges || whole_[*id])) {
        out.add(*id, word.begin, word.end);
        return ok_status();
      }
    }
    return merge_word(bytes, word, work, out);
  }

  Status merge_word(std::string_view bytes, Span word, Work& work, TokenList& out) const {
    make_symbols(bytes, work.symbols);
    if (work.symbols.size() <= small_word) {
      merge_few(work);
    } else {
      CAIRN_CHECK(merge_many(work));
    }
    std::size_t at = word.begin;
    for (const Symbol& symbol : work.symbols) {
      if (symbol.size == 0) continue;
      out.add(symbol.id, at, at + symbol.size);
      at += symbol.size;
    }
    return ok_status();
  }

  static void add_symbol(std::vector<Symbol>& out, std::uint32_t id, std::size_t size) {
    const auto place = static_cast<std::int32_t>(out.size());
    out.push_back({id, static_cast<std::uint32_t>(size), place - 1, place + 1});
  }

  std::optional<std::uint32_t> symbol_of(std::string_view character, bool first, bool last,
                                         std::string& spelled) const {
    if (plain_) {
      if (character.size() == 1) return singles_[static_cast<unsigned char>(character[0])];
      spelled = character;
      return words().id_of(character);
    }
    spelled = first ? "" : parts_.prefix;
    spelled += character;
    if (last) spelled += parts_.suffix;
    return words().id_of(spelled);
  }

  /// The characters of the word. Those that are none of the vocabulary's become bytes where it has
  /// all of them, else the unknown token, else nothing.
  void make_symbols(std::string_view bytes, std::vector<Symbol>& out) const {
    out.clear();
    std::size_t unknown_size = 0;
    std::string spelled;
    const auto flush = [&] {
      if (unknown_size > 0) add_symbol(out, parts_.unknown.value_or(0), unknown_size);
      unknown_size = 0;
    };
    for (std::size_t begin = 0; begin < bytes.size();) {
      std::size_t end = begin + 1;
      if (!parts_.plain_bytes)
        while (end < bytes.size() && !starts_character(bytes[end])) ++end;
      const std::string_view character = bytes.substr(begin, end - begin);
      const auto id = symbol_of(character, begin == 0, end == bytes.size(), spelled);
      if (id) {
        flush();
        add_symbol(out, *id, character.size());
      } else if (!add_bytes(plain_ ? character : spelled, out) && parts_.unknown) {
        if (!parts_.fuse_unknown) flush();
        unknown_size += character.size();
      }
      begin = end;
    }
    flush();
  }

  bool add_bytes(std::string_view character, std::vector<Symbol>& out) const {
    if (!fallback_) return false;
    for (const char byte : character)
      if (!(*fallback_)[static_cast<unsigned char>(byte)]) return false;
    for (const char byte : character)
      add_symbol(out, (*fallback_)[static_cast<unsigned char>(byte)].value_or(0), 1);
    return true;
  }

  /// What two tokens become, with the rank `none` where they stay.
  const PairTable::Entry& merged(const Work& work, const Symbol& left, const Symbol& right) const {
    static constexpr PairTable::Entry nothing{};
    const PairTable::Entry& pair = parts_.merges.find(left.id, right.id);
    return pair.rank != PairTable::none && work.bars(pair.id) ? nothing : pair;
  }

  /// Looks at all pairs for each merge.
  void merge_few(Work& work) const {
    std::vector<Symbol>& symbols = work.symbols;
    std::array<PairTable::Entry, small_word> pairs;
    std::size_t count = symbols.size();
    for (std::size_t i = 0; i + 1 < count; ++i) pairs[i] = merged(work, symbols[i], symbols[i + 1]);
    while (count > 1) {
      std::size_t best = 0;
      for (std::size_t i = 1; i + 1 < count; ++i)
        if (pairs[i].rank < pairs[best].rank) best = i;
      if (pairs[best].rank == PairTable::none) break;
      symbols[best].id = pairs[best].id;
      symbols[best].size += symbols[best + 1].size;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      std::copy(pairs.begin() + static_cast<std::ptrdiff_t>(best) + 1,
                pairs.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                pairs.begin() + static_cast<std::ptrdiff_t>(best));
      --count;
      if (best + 1 < count) pairs[best] = merged(work, symbols[best], symbols[best + 1]);
      if (best > 0) pairs[best - 1] = merged(work, symbols[best - 1], symbols[best]);
    }
  }

  void push_merge(Work& work, std::int32_t at) const {
    const Symbol& left = work.symbols[static_cast<std::size_t>(at)];
    const Symbol& right = work.symbols[static_cast<std::size_t>(left.next)];
    const PairTable::Entry& pair = merged(work, left, right);
    if (pair.rank == PairTable::none) return;
    work.merges.push_back({pair.rank, static_cast<std::uint32_t>(at), pair.id});
    std::push_heap(work.merges.begin(), work.merges.end(), std::greater<>());
  }

  /// With a heap of possible merges; those that others overtook are passed over.
  Status merge_many(Work& work) const {
    auto& symbols = work.symbols;
    const auto count = static_cast<std::int32_t>(symbols.size());
    work.merges.clear();
    for (std::int32_t i = 0; i + 1 < count; ++i) {
      if (!work.steps->go_on()) return work.steps->status();
      push_merge(work, i);
    }
    while (!work.merges.empty()) {
      if (!work.steps->go_on()) return work.steps->status();
      std::pop_heap(work.merges.begin(), work.merges.end(), std::greater<>());
      const Merge merge = work.merges.back();
      work.merges.pop_back();
      Symbol& left = symbols[merge.at];
      if (left.size == 0 || left.next >= count) continue;
      Symbol& right = symbols[static_cast<std::size_t>(left.next)];
      const PairTable::Entry& pair = merged(work, left, right);
      if (pair.rank != merge.rank || pair.id != merge.id) continue;
      left.id = merge.id;
      left.size += right.size;
      right.size = 0;
      left.next = right.next;
      const auto at = static_cast<std::int32_t>(merge.at);
      if (left.next < count) {
        symbols[static_cast<std::size_t>(left.next)].previous = at;
        push_merge(work, at);
      }
      if (left.previous >= 0) push_merge(work, left.previous);
    }
    return ok_status();
  }

  BpeParts parts_;
  std::array<std::optional<std::uint32_t>, 256> singles_;  // symbols of one byte
  std::optional<std::array<std::optional<std::uint32_t>, 256>> fallback_;
  std::vector<bool> whole_;
  bool plain_ = false;          // symbols are the characters, without prefix and suffix
  bool cuts_at_marks_ = false;  // words begin at marks, and no merge joins two
};

struct MergeTexts {
  std::string_view left;
  std::string_view right;
};

Result<MergeTexts> read_merge(const Fields& fields, const Json& merge, std::size_t number) {
  const auto wrong = [&] {
    return fields.wrong("merges[" + std::to_string(number) + "]",
                        "must be two tokens, as \"a b\" or [\"a\", \"b\"]");
  };
  if (merge.is_array()) {
    const Json::Array& both = merge.as_array();
    if (both.size() != 2 || !both[0].is_string() || !both[1].is_string()) return wrong();
    return MergeTexts{both[0].as_string(), both[1].as_string()};
  }
  if (!merge.is_string()) return wrong();
  const std::string_view text = merge.as_string();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
    return wrong();
  return MergeTexts{text.substr(0, space), text.substr(space + 1)};
}

Status read_merges(const Fields& fields, BpeParts& parts) {
  CAIRN_TRY(const Json::Array* merges, fields.array("merges"));
  if (merges == nullptr) return fields.wrong("merges", "must be an array");
  parts.merges = PairTable(merges->size());
  std::string both;
  for (std::size_t i = 0; i < merges->size(); ++i) {
    CAIRN_TRY(const MergeTexts texts, read_merge(fields, (*merges)[i], i));
    if (texts.right.size() < parts.prefix.size())
      return fields.wrong("merges[" + std::to_string(i) + "]", "has a token without the prefix");
    both = texts.left;
    both += texts.right.substr(parts.prefix.size());
    const auto left = parts.vocabulary.id_of(texts.left);
    const auto right = parts.vocabulary.id_of(texts.right);
    const auto id = parts.vocabulary.id_of(both);
    if (!left || !right || !id) {
      return fields.wrong("merges[" + std::to_string(i) + "]",
                          "names a token that is not in the vocabulary");
    }
    parts.merges.set(*left, *right, static_cast<std::uint32_t>(i), *id);
  }
  return ok_status();
}

Status read_options(const Fields& fields, BpeParts& parts) {
  CAIRN_TRY(parts.prefix, fields.string("continuing_subword_prefix", ""));
  CAIRN_TRY(parts.suffix, fields.string("end_of_word_suffix", ""));
  CAIRN_TRY(parts.fuse_unknown, fields.boolean("fuse_unk", false));
  CAIRN_TRY(parts.byte_fallback, fields.boolean("byte_fallback", false));
  CAIRN_TRY(parts.ignore_merges, fields.boolean("ignore_merges", false));
  const Json* dropout = fields.find("dropout");
  if (dropout != nullptr && (!dropout->is_number() || dropout->as_double() != 0))
    return fields.wrong("dropout", "must be 0 or absent: tokens would be random");
  if (parts.prefix.size() > longest_token_bytes || parts.suffix.size() > longest_token_bytes)
    return fields.wrong("continuing_subword_prefix", "or the suffix is too long");
  return ok_status();
}

}  // namespace

MadeModel read_bpe(const Fields& fields, bool plain_bytes) {
  BpeParts parts;
  CAIRN_CHECK(read_options(fields, parts));
  CAIRN_TRY(const auto tokens, Vocabulary::read(fields));
  CAIRN_TRY(parts.vocabulary, Vocabulary::build(tokens));
  CAIRN_CHECK(read_merges(fields, parts));
  CAIRN_TRY(const std::string unknown, fields.string("unk_token", ""));
  if (!unknown.empty()) {
    parts.unknown = parts.vocabulary.id_of(unknown);
    if (!parts.unknown)
      return fields.wrong("unk_token", "[" + unknown + "] is not in the vocabulary");
  }
  parts.plain_bytes = plain_bytes && parts.prefix.empty() && parts.suffix.empty();
  if (parts.plain_bytes) {
    std::vector<Vocabulary::Token> spelled;
    spelled.reserve(tokens.size());
    for (const auto& [token, id] : tokens)
      if (auto bytes = spelled_bytes(token)) spelled.emplace_back(std::move(*bytes), id);
    if (spelled.empty()) return fields.wrong("vocab", "has no token of the byte-level alphabet");
    CAIRN_TRY(parts.words, Vocabulary::build(spelled));
  }
  return std::unique_ptr<const Model>(std::make_unique<Bpe>(std::move(parts)));
}

}  // namespace cairn::text::tokenizer
