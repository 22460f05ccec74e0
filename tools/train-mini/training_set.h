// SPDX-License-Identifier: Apache-2.0
// The corpus as token ids, and batches of texts that belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus.h"
#include "random.h"
#include "text/tokenizer.h"

namespace cairn::mini {

using Ids = std::vector<std::uint32_t>;
using IdSpan = std::span<const std::uint32_t>;

/// Many token sequences in one block.
class TextTable {
 public:
  std::size_t add(const std::vector<std::uint32_t>& ids);
  IdSpan at(std::size_t index) const;
  std::size_t size() const { return ends_.size(); }

 private:
  std::vector<std::uint32_t> ids_;
  std::vector<std::size_t> ends_;
};

struct Example {
  Ids first;
  Ids second;
};

/// Where a batch comes from. All examples of a batch share it, so that telling sources apart does
/// not help.
enum class Task : std::uint8_t {
  gloss,         // definition or example and lemmas
  gloss_halves,  // half of a definition and lemmas with the other half
  hypernym,      // definitions of a sense and of its hypernym
  dictionary,    // headword and definition
  dictionary_halves,
  heading,         // heading or one-line description and paragraph
  passage_halves,  // parts of one passage
  translation,     // one block in two languages
};
inline constexpr std::size_t task_count = 8;

class TrainingSet {
 public:
  TrainingSet(const Corpus& corpus, const text::Tokenizer& tokenizer);

  /// Examples of one task, drawn with replacement; none where the corpus has none of it.
  std::vector<Example> batch(Task task, std::size_t count, Random& random) const;

  /// Everything that is one document to the factorization: passages, and the languages of a block
  /// together.
  const TextTable& documents() const { return documents_; }

 private:
  struct SenseIds {
    std::size_t lemmas;
    std::size_t definition;
    std::size_t first_example;
    std::size_t examples;
    std::vector<std::size_t> hypernyms;  // indices into senses_
  };
  struct PairIds {
    Language language;
    std::size_t first;
    std::size_t second;
  };

  void add_senses(const Corpus& corpus, const text::Tokenizer& tokenizer);
  std::size_t draw(const std::vector<std::size_t>& of, Random& random) const;
  Example draw_gloss(Random& random, bool halves) const;
  Example draw_hypernym(Random& random) const;
  Example draw_pair(const std::vector<PairIds>& pairs, Random& random) const;
  Example draw_passage_halves(Language language, Random& random) const;
  Example draw_translation(Language a, Language b, Random& random) const;
  Example draw(Task task, Language a, Language b, Random& random) const;

  TextTable texts_;
  TextTable documents_;
  std::vector<SenseIds> senses_;
  std::vector<PairIds> dictionary_;
  std::vector<PairIds> headings_;
  std::vector<std::vector<std::size_t>> passages_;  // by language
  // By pair of languages: indices of texts of the two.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> translations_;
};

}  // namespace cairn::mini
