// SPDX-License-Identifier: Apache-2.0
// Tokenizing once, drawing many times.
#include "training_set.h"

#include <algorithm>
#include <map>

#include "base/strings.h"

namespace cairn::mini {
namespace {

constexpr std::size_t longest_text = 64;  // tokens; longer texts give a random stretch

/// A stretch of a text that is not too long.
Ids stretch(IdSpan text, Random& random) {
  if (text.size() > longest_text) {
    text = text.subspan(random.below(text.size() - longest_text + 1), longest_text);
  }
  return {text.begin(), text.end()};
}

/// Cuts a text in two, somewhere in its middle half.
Example halves(IdSpan text, Random& random) {
  if (text.size() < 4) return {Ids(text.begin(), text.end()), {}};
  const std::size_t cut = text.size() / 4 + random.below(text.size() / 2 + 1);
  Example out{stretch(text.subspan(0, cut), random), stretch(text.subspan(cut), random)};
  if (random.below(2) == 0) std::swap(out.first, out.second);
  return out;
}

void append(Ids& to, IdSpan ids) { to.insert(to.end(), ids.begin(), ids.end()); }

}  // namespace

std::size_t TextTable::add(const std::vector<std::uint32_t>& ids) {
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  ends_.push_back(ids_.size());
  return ends_.size() - 1;
}

IdSpan TextTable::at(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return IdSpan(ids_).subspan(begin, ends_[index] - begin);
}

TrainingSet::TrainingSet(const Corpus& corpus, const text::Tokenizer& tokenizer)
    : passages_(languages.size()), translations_(languages.size() * languages.size()) {
  const auto add = [&](std::string_view text) { return texts_.add(tokenizer.encode(text).ids); };
  add_senses(corpus, tokenizer);
  for (const Pair& pair : corpus.pairs) {
    if (pair.kind == PairKind::gloss) continue;  // drawn from the senses
    const PairIds ids{pair.language, add(pair.first), add(pair.second)};
    (pair.kind == PairKind::dictionary ? dictionary_ : headings_).push_back(ids);
  }
  for (const Passage& passage : corpus.passages) {
    const std::size_t text = add(passage.text);
    const IdSpan ids = texts_.at(text);
    documents_.add({ids.begin(), ids.end()});
    if (passage.source == Source::manual || passage.source == Source::documentation) {
      passages_[passage.language].push_back(text);
    }
  }
  for (const Translations& block : corpus.translations) {
    std::vector<std::size_t> texts;
    Ids all;
    for (const auto& [language, text] : block.texts) {
      texts.push_back(add(text));
      append(all, texts_.at(texts.back()));
    }
    documents_.add(all);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = i + 1; j < texts.size(); ++j) {
        const std::size_t a = block.texts[i].first;
        const std::size_t b = block.texts[j].first;
        translations_[a * languages.size() + b].emplace_back(texts[i], texts[j]);
      }
    }
  }
}

void TrainingSet::add_senses(const Corpus& corpus, const text::Tokenizer& tokenizer) {
  std::map<std::size_t, std::size_t> index;  // of kept senses
  for (std::size_t s = 0; s < corpus.senses.size(); ++s) {
    const Sense& sense = corpus.senses[s];
    if (sense.split != Split::training) continue;
    index[s] = senses_.size();
    SenseIds ids{};
    ids.lemmas = texts_.add(tokenizer.encode(join(sense.lemmas, ", ")).ids);
    ids.definition = texts_.add(tokenizer.encode(sense.definition).ids);
    ids.first_example = texts_.size();
    for (const std::string& example : sense.examples) {
      texts_.add(tokenizer.encode(example).ids);
      ++ids.examples;
    }
    senses_.push_back(std::move(ids));
  }
  for (const auto& [s, kept] : index) {
    for (const std::size_t hypernym : corpus.senses[s].hypernyms) {
      const auto found = index.find(hypernym);
      if (found != index.end()) senses_[kept].hypernyms.push_back(found->second);
    }
  }
}

Example TrainingSet::draw_gloss(Random& random, bool in_halves) const {
  const SenseIds& sense = senses_[random.below(senses_.size())];
  const IdSpan lemmas = texts_.at(sense.lemmas);
  if (in_halves) {
    Example out = halves(texts_.at(sense.definition), random);
    append(out.second, lemmas);
    return out;
  }
  if (sense.examples > 0 && random.below(3) == 0) {
    Example out{stretch(texts_.at(sense.first_example + random.below(sense.examples)), random), {}};
    append(out.second, lemmas);
    append(out.second, texts_.at(sense.definition));
    return out;
  }
  return {{lemmas.begin(), lemmas.end()}, stretch(texts_.at(sense.definition), random)};
}

Example TrainingSet::draw_hypernym(Random& random) const {
  const SenseIds& sense = senses_[random.below(senses_.size())];
  if (sense.hypernyms.empty()) return draw_gloss(random, false);
  const SenseIds& above = senses_[sense.hypernyms[random.below(sense.hypernyms.size())]];
  Example out;
  append(out.first, texts_.at(sense.lemmas));
  append(out.first, texts_.at(sense.definition));
  append(out.second, texts_.at(above.lemmas));
  append(out.second, texts_.at(above.definition));
  return out;
}

Example TrainingSet::draw_pair(const std::vector<PairIds>& pairs, Random& random) const {
  const PairIds& pair = pairs[random.below(pairs.size())];
  return {stretch(texts_.at(pair.first), random), stretch(texts_.at(pair.second), random)};
}

Example TrainingSet::draw_passage_halves(Language language, Random& random) const {
  const auto& passages = passages_[language];
  return halves(texts_.at(passages[random.below(passages.size())]), random);
}

Example TrainingSet::draw_translation(Language a, Language b, Random& random) const {
  const auto& pairs = translations_[std::size_t{a} * languages.size() + b];
  const auto& [first, second] = pairs[random.below(pairs.size())];
  const auto beginning = [](IdSpan text) {
    const IdSpan cut = text.subspan(0, std::min(text.size(), longest_text));
    return Ids(cut.begin(), cut.end());
  };
  Example out{beginning(texts_.at(first)), beginning(texts_.at(second))};
  if (random.below(2) == 0) std::swap(out.first, out.second);
  return out;
}

Example TrainingSet::draw(Task task, Language a, Language b, Random& random) const {
  switch (task) {
    case Task::gloss:
      return draw_gloss(random, false);
    case Task::gloss_halves:
      return draw_gloss(random, true);
    case Task::hypernym:
      return draw_hypernym(random);
    case Task::dictionary:
      return draw_pair(dictionary_, random);
    case Task::dictionary_halves: {
      const PairIds& pair = dictionary_[random.below(dictionary_.size())];
      Example out = halves(texts_.at(pair.second), random);
      append(out.second, texts_.at(pair.first));
      return out;
    }
    case Task::heading:
      return draw_pair(headings_, random);
    case Task::passage_halves:
      return draw_passage_halves(a, random);
    case Task::translation:
      return draw_translation(a, b, random);
  }
  return {};
}

std::vector<Example> TrainingSet::batch(Task task, std::size_t count, Random& random) const {
  std::vector<Example> out;
  Language a = english;
  Language b = english;
  switch (task) {
    case Task::gloss:
    case Task::gloss_halves:
    case Task::hypernym:
      if (senses_.empty()) return out;
      break;
    case Task::dictionary:
    case Task::dictionary_halves:
      if (dictionary_.empty()) return out;
      break;
    case Task::heading:
      if (headings_.empty()) return out;
      break;
    case Task::passage_halves:
      // Half of the batches are English; the others are spread over the languages.
      if (random.below(2) == 1) a = static_cast<Language>(random.below(languages.size()));
      if (passages_[a].empty()) return out;
      break;
    case Task::translation:
      a = static_cast<Language>(random.below(languages.size() - 1));
      if (random.below(2) == 1) a = english;
      b = static_cast<Language>(a + 1 + random.below(languages.size() - 1 - a));
      if (translations_[std::size_t{a} * languages.size() + b].size() < 200) return out;
      break;
  }
  for (std::size_t tries = 0; out.size() < count && tries < 2 * count; ++tries) {
    Example example = draw(task, a, b, random);
    if (!example.first.empty() && !example.second.empty()) out.push_back(std::move(example));
  }
  return out;
}

}  // namespace cairn::mini
