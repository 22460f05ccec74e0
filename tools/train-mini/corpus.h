// SPDX-License-Identifier: Apache-2.0
// What the model learns from, read from an unpacked tree of Debian packages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::mini {

/// English first; then the languages of translated manual pages, by the names of their folders.
inline constexpr std::array<std::string_view, 10> languages{"en", "de", "es", "fr",    "it",
                                                            "ja", "nl", "pl", "pt_BR", "ru"};
using Language = std::uint8_t;  // index into languages
inline constexpr Language english = 0;

/// Vectors are learnt from `training`; what is built on them (relations of tokens, the reranker)
/// from `development`; figures are taken on `test`.
enum class Split : std::uint8_t { training, development, test };

enum class Source : std::uint8_t { wordnet, dictionary, manual, documentation };

struct Passage {
  Source source = Source::documentation;
  Language language = english;
  std::string text;
};

/// Two texts in one language that belong together: the first asks, the second answers.
enum class PairKind : std::uint8_t { gloss, dictionary, heading, name, page };

struct Pair {
  PairKind kind = PairKind::gloss;
  Language language = english;
  std::string first;
  std::string second;
};

/// One block of text in several languages.
struct Translations {
  std::vector<std::pair<Language, std::string>> texts;  // ascending by language
};

/// One sense of WordNet.
struct Sense {
  std::string key;                  // part of speech and offset
  std::vector<std::string> lemmas;  // with spaces
  std::string definition;
  std::vector<std::string> examples;
  std::vector<std::size_t> hypernyms;  // indices of senses
  Split split = Split::training;
};

/// Kept apart: texts of pages and entries that nothing is learnt from.
struct HeldOut {
  std::vector<Pair> pairs;
  std::vector<Translations> translations;
};

struct Corpus {
  std::vector<Passage> passages;
  std::vector<Pair> pairs;
  std::vector<Translations> translations;
  std::vector<Sense> senses;  // of all splits
  HeldOut development;
  HeldOut test;

  /// Where the pairs and translations of a split go.
  std::vector<Pair>& pairs_of(Split split);
  std::vector<Translations>& translations_of(Split split);
};

/// The split of a page, entry or sense: one in twenty each for development and test.
Split split_of(std::string_view key);

/// True for text that is worth learning from: some words, mostly letters.
bool is_prose(std::string_view text);

/// Collapses white space.
std::string squeezed(std::string_view text);

/// A file, unpacked where its name ends in .gz or .dz. Errors: not_found, corrupt.
Result<std::string> read_unpacked(const std::string& path);

/// Paths of all files below a folder, sorted; none where the folder is missing.
std::vector<std::string> files_below(const std::string& folder);

// Each adds what it finds under the root of an unpacked tree, in the same order each time.
Status read_wordnet(const std::string& root, Corpus& corpus);
Status read_dictionary(const std::string& root, Corpus& corpus);
Status read_manual_pages(const std::string& root, Corpus& corpus);
Status read_documentation(const std::string& root, Corpus& corpus);

}  // namespace cairn::mini
