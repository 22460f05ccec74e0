// SPDX-License-Identifier: Apache-2.0
// Counting words, choosing tokens, and their frequencies.
#include "vocabulary.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "format/json.h"
#include "random.h"
#include "text/tokenizer.h"

namespace cairn::mini {
namespace {

constexpr std::string_view prefix = "##";
constexpr std::size_t longest_word = 30;  // bytes
constexpr std::size_t longest_piece = 6;  // characters
constexpr std::size_t source_count = 4;   // of English
constexpr std::size_t bucket_count = source_count + languages.size() - 1;

// Shares of the vocabulary: English by source, then the other languages in their order.
constexpr std::array<double, bucket_count> shares{0.22,  0.16, 0.13, 0.12,  0.06,  0.045, 0.06,
                                                  0.035, 0.05, 0.03, 0.035, 0.035, 0.06};

std::size_t bucket_of(const Passage& passage) {
  return passage.language == english ? static_cast<std::size_t>(passage.source)
                                     : source_count + passage.language - 1;
}

Json normalizer_json() {
  return Json::object({{"type", "Sequence"},
                       {"normalizers", Json::array({Json::object({{"type", "NFKC"}}),
                                                    Json::object({{"type", "BertNormalizer"},
                                                                  {"clean_text", true},
                                                                  {"handle_chinese_chars", true},
                                                                  {"strip_accents", true},
                                                                  {"lowercase", true}})})}});
}

/// Katakana, which spells what other languages spell with their letters, is parted from hiragana.
Json pre_tokenizer_json() {
  return Json::object(
      {{"type", "Sequence"},
       {"pretokenizers",
        Json::array({Json::object({{"type", "Split"},
                                   {"pattern", Json::object({{"Regex", "[ァ-ヺー]+"}})},
                                   {"behavior", "Isolated"},
                                   {"invert", false}}),
                     Json::object({{"type", "BertPreTokenizer"}})})}});
}

struct Word {
  std::string text;
  double count = 0;
  double score = 0;  // weighted share of the corpus
};

bool is_punctuation(std::string_view token) {
  if (token.size() != 1) return false;
  const char c = token[0];
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

/// The tokenizer to be made, without a vocabulary: it cuts text into words.
Result<text::Tokenizer> word_cutter() {
  const Json model = Json::object(
      {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"vocab", Json::object({{"[UNK]", 0}})}});
  return text::Tokenizer::parse(Json::object({{"normalizer", normalizer_json()},
                                              {"pre_tokenizer", pre_tokenizer_json()},
                                              {"model", model}})
                                    .dump());
}

/// All words of the corpus, best first.
Result<std::vector<Word>> count_words(const Corpus& corpus) {
  CAIRN_TRY(const text::Tokenizer cutter, word_cutter());
  std::map<std::string, std::array<float, bucket_count>, std::less<>> counts;
  std::array<double, bucket_count> totals{};
  for (const Passage& passage : corpus.passages) {
    CAIRN_TRY(const std::vector<std::string> words, cutter.words(passage.text));
    const std::size_t bucket = bucket_of(passage);
    for (const std::string& word : words) {
      auto at = counts.find(word);
      if (at == counts.end()) at = counts.emplace(word, decltype(at->second){}).first;
      at->second[bucket] += 1;
      totals[bucket] += 1;
    }
  }
  std::vector<Word> out;
  for (const auto& [text, by_bucket] : counts) {
    Word word{text, 0, 0};
    for (std::size_t b = 0; b < bucket_count; ++b) {
      word.count += by_bucket[b];
      if (totals[b] > 0) word.score += shares[b] * by_bucket[b] / totals[b];
    }
    out.push_back(std::move(word));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Word& a, const Word& b) { return a.score > b.score; });
  return out;
}

std::vector<std::string_view> characters_of(std::string_view word) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t end = begin + 1;
    while (end < word.size() && (word[end] & 0xc0) == 0x80) ++end;
    out.push_back(word.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

/// Parts of the words that did not get a token of their own, by what they save.
std::vector<std::string> choose_pieces(const std::vector<Word>& rest, std::size_t count) {
  std::map<std::string, double> gains;
  for (const Word& word : rest) {
    const auto characters = characters_of(word.text);
    if (word.text.size() > longest_word) continue;
    for (std::size_t i = 0; i < characters.size(); ++i) {
      std::string piece(i == 0 ? std::string_view() : prefix);
      for (std::size_t n = 1; n <= longest_piece && i + n <= characters.size(); ++n) {
        piece += characters[i + n - 1];
        // Rare words count more than their frequency: each of them needs its pieces.
        if (n > 1) gains[piece] += static_cast<double>(n - 1) * (1e-6 + word.score);
      }
    }
  }
  std::vector<std::pair<double, std::string>> sorted;
  for (auto& [piece, gain] : gains) sorted.emplace_back(-gain, piece);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> out;
  for (auto& [gain, piece] : sorted) {
    if (out.size() == count) break;
    out.push_back(std::move(piece));
  }
  return out;
}

std::string write_tokenizer(const std::vector<std::string>& tokens) {
  Json vocab = Json::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    vocab.as_object().emplace_back(tokens[id], static_cast<std::int64_t>(id));
  }
  const Json json = Json::object(
      {{"version", "1.0"},
       {"truncation", nullptr},
       {"padding", nullptr},
       {"added_tokens", Json::array({Json::object({{"id", 0},
                                                   {"content", "[UNK]"},
                                                   {"single_word", false},
                                                   {"lstrip", false},
                                                   {"rstrip", false},
                                                   {"normalized", false},
                                                   {"special", true}})})},
       {"normalizer", normalizer_json()},
       {"pre_tokenizer", pre_tokenizer_json()},
       {"post_processor", nullptr},
       {"decoder", Json::object({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}})},
       {"model", Json::object({{"type", "WordPiece"},
                               {"unk_token", "[UNK]"},
                               {"continuing_subword_prefix", "##"},
                               {"max_input_chars_per_word", 60},
                               {"vocab", std::move(vocab)}})}});
  return json.dump();
}

}  // namespace

Result<std::string> make_tokenizer_json(const Corpus& corpus, const VocabularyOptions& options) {
  CAIRN_TRY(const std::vector<Word> words, count_words(corpus));
  std::vector<std::string> tokens{"[UNK]"};
  std::set<std::string> known{"[UNK]"};
  const auto add = [&](const std::string& token) {
    if (known.insert(token).second) tokens.push_back(token);
  };
  for (char c = '!'; c <= '~'; ++c) {
    if (is_punctuation(std::string_view(&c, 1))) add(std::string(1, c));
  }
  // Every character that is not rare, first and within words, so that few words are unknown.
  std::map<std::string, double> character_counts;
  for (const Word& word : words) {
    for (const auto character : characters_of(word.text)) {
      character_counts[std::string(character)] += word.count;
    }
  }
  for (const auto& [character, count] : character_counts) {
    if (count < 20 || is_punctuation(character)) continue;
    add(character);
    const bool ideograph =
        character.size() == 3 && static_cast<unsigned char>(character[0]) >= 0xe4;
    if (!ideograph) add(std::string(prefix) + character);  // ideographs stand alone
  }
  std::vector<Word> rest;
  for (const Word& word : words) {
    const bool fits = word.count >= options.least_count && word.text.size() <= longest_word &&
                      tokens.size() + options.pieces < options.size;
    if (fits) {
      add(word.text);
    } else if (word.count >= options.least_count) {
      rest.push_back(word);
    }
  }
  for (const std::string& piece : choose_pieces(rest, options.size)) {
    if (tokens.size() >= options.size) break;
    add(piece);
  }
  return write_tokenizer(tokens);
}

TokenStatistics token_statistics(const Corpus& corpus, const text::Tokenizer& tokenizer) {
  const std::size_t size = tokenizer.vocabulary_size();
  constexpr std::size_t none = SIZE_MAX;
  std::vector<std::vector<float>> documents(languages.size(), std::vector<float>(size, 0));
  std::vector<std::vector<float>> tokens(languages.size(), std::vector<float>(size, 0));
  std::vector<double> document_total(languages.size(), 0);
  std::vector<double> token_total(languages.size(), 0);
  std::vector<std::size_t> last_seen(size, none);
  for (std::size_t p = 0; p < corpus.passages.size(); ++p) {
    const Passage& passage = corpus.passages[p];
    document_total[passage.language] += 1;
    for (const std::uint32_t id : tokenizer.encode(passage.text).ids) {
      tokens[passage.language][id] += 1;
      token_total[passage.language] += 1;
      if (last_seen[id] != p) documents[passage.language][id] += 1;
      last_seen[id] = p;
    }
  }
  TokenStatistics out{std::vector<float>(size, 0), std::vector<float>(size, 0)};
  for (std::uint32_t id = 0; id < size; ++id) {
    double share = 1e-6;
    double probability = 1e-8;
    for (std::size_t l = 0; l < languages.size(); ++l) {
      // The constants keep languages with little text from overrating what they saw once.
      share = std::max(share, documents[l][id] / (document_total[l] + 5000));
      probability = std::max(probability, tokens[l][id] / (token_total[l] + 100000));
    }
    out.probability[id] = static_cast<float>(probability);
    const std::string_view token = tokenizer.token(id);
    if (id == tokenizer.unknown_id() || is_punctuation(token)) continue;
    out.idf[id] = static_cast<float>(std::max(0.05, -log_of(std::min(share, 1.0))));
  }
  return out;
}

}  // namespace cairn::mini
