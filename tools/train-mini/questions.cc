// SPDX-License-Identifier: Apache-2.0
// Questions from what was kept out of training.
#include "questions.h"

#include <utility>

#include "base/strings.h"

namespace cairn::mini {
namespace {

Ids ids_of(const text::Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, 400).ids;
}

}  // namespace

std::vector<Questions> questions_of(const Corpus& corpus, Split split,
                                    const text::Tokenizer& tokenizer) {
  const HeldOut& of_split = split == Split::test ? corpus.test : corpus.development;
  Questions halves{"gloss halves", {}, {}};
  Questions glosses{"glosses", {}, {}};
  Questions examples{"examples", {}, {}};
  for (const Sense& sense : corpus.senses) {
    if (sense.split != split) continue;
    const Ids definition = ids_of(tokenizer, sense.definition);
    const Ids lemmas = ids_of(tokenizer, join(sense.lemmas, ", "));
    if (definition.size() >= 8) {
      const auto middle = definition.begin() + static_cast<std::ptrdiff_t>(definition.size() / 2);
      halves.queries.emplace_back(definition.begin(), middle);
      halves.documents.push_back(lemmas);
      halves.documents.back().insert(halves.documents.back().end(), middle, definition.end());
    }
    glosses.queries.push_back(lemmas);
    glosses.documents.push_back(definition);
    for (const std::string& example : sense.examples) {
      examples.queries.push_back(ids_of(tokenizer, example));
      examples.documents.push_back(
          ids_of(tokenizer, join(sense.lemmas, ", ") + ": " + sense.definition));
    }
  }
  Questions dictionary{"dictionary", {}, {}};
  Questions headings{"headings", {}, {}};
  Questions pages{"pages", {}, {}};
  Questions others{"headings in other languages", {}, {}};
  for (const Pair& pair : of_split.pairs) {
    Questions& to = pair.kind == PairKind::dictionary ? dictionary
                    : pair.language != english        ? others
                    : pair.kind == PairKind::page     ? pages
                                                      : headings;
    to.queries.push_back(ids_of(tokenizer, pair.first));
    to.documents.push_back(ids_of(tokenizer, pair.second));
  }
  Questions translations{"translations", {}, {}};
  for (const Translations& block : of_split.translations) {
    translations.queries.push_back(ids_of(tokenizer, block.texts.back().second));
    translations.documents.push_back(ids_of(tokenizer, block.texts.front().second));
  }
  std::vector<Questions> out;
  for (Questions* set :
       {&halves, &glosses, &examples, &dictionary, &headings, &pages, &others, &translations}) {
    if (set->queries.size() >= 10) out.push_back(std::move(*set));
  }
  return out;
}

}  // namespace cairn::mini
