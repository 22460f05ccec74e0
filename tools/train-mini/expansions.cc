// SPDX-License-Identifier: Apache-2.0
// Relations from three sources, joined per pair of tokens.
#include "expansions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "os/threads/pool.h"
#include "text/stemming.h"
#include "training_set.h"

namespace cairn::mini {
namespace {

constexpr std::size_t most_expansions_of_token = 8;
constexpr std::size_t most_neighbours = 10;
constexpr float least_idf = 2.0F;  // words that are everywhere are left alone
constexpr float least_stem_cosine = 0.2F;
constexpr float least_neighbour_cosine = 0.35F;

using Relations = std::vector<std::map<std::uint32_t, Relation>>;

class Finder {
 public:
  Finder(const Corpus& corpus, const text::Tokenizer& tokenizer,
         const inference::StaticTables& tables)
      : corpus_(corpus), tokenizer_(tokenizer), tables_(tables), found_(tables.size()) {
    for (std::uint32_t id = 0; id < tables.size(); ++id) {
      const std::string_view token = tokenizer.token(id);
      if (tables.idf[id] < least_idf || token.size() < 3 || token.starts_with("##")) continue;
      if (tables.inverse_norms[id] > 0) words_.push_back(id);
    }
  }

  std::vector<std::vector<Relation>> find() {
    add_stems();
    add_senses();
    add_neighbours();
    std::vector<std::vector<Relation>> out(found_.size());
    for (std::uint32_t id = 0; id < found_.size(); ++id) {
      for (auto& [other, relation] : found_[id]) {
        relation.cosine = inference::cosine(tables_, id, other);
        out[id].push_back(relation);
      }
    }
    return out;
  }

 private:
  Relation& relate(std::uint32_t a, std::uint32_t b) {
    Relation& relation = found_[a][b];
    relation.id = b;
    return relation;
  }

  static bool is_english_word(std::string_view token) {
    return token.size() >= 4 &&
           std::all_of(token.begin(), token.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  }

  void add_stems() {
    const text::Stemmer stemmer("porter");
    std::map<std::string, std::vector<std::uint32_t>> by_stem;
    for (const std::uint32_t id : words_) {
      const std::string_view token = tokenizer_.token(id);
      if (is_english_word(token)) by_stem[std::string(stemmer.stem(token))].push_back(id);
    }
    for (const auto& [stem, ids] : by_stem) {
      for (const std::uint32_t a : ids) {
        for (const std::uint32_t b : ids) {
          if (a != b && inference::cosine(tables_, a, b) >= least_stem_cosine) {
            relate(a, b).same_stem = true;
          }
        }
      }
    }
  }

  /// The lemmas of a sense that are one word of the vocabulary.
  Ids words_of(const Sense& sense) const {
    Ids out;
    for (const std::string& lemma : sense.lemmas) {
      const auto ids = tokenizer_.encode(lemma).ids;
      if (ids.size() == 1 && tables_.idf[ids[0]] >= least_idf) out.push_back(ids[0]);
    }
    return out;
  }

  void add_senses() {
    std::vector<Ids> words;
    std::map<std::uint32_t, float> senses;  // by word
    for (const Sense& sense : corpus_.senses) {
      words.push_back(sense.split == Split::test ? Ids() : words_of(sense));
      for (const std::uint32_t id : words.back()) senses[id] += 1;
    }
    for (std::size_t s = 0; s < corpus_.senses.size(); ++s) {
      for (const std::uint32_t a : words[s]) {
        const float share = 1 / senses[a];
        for (const std::uint32_t b : words[s]) {
          if (a != b) relate(a, b).synonym = std::max(relate(a, b).synonym, share);
        }
        for (const std::size_t above : corpus_.senses[s].hypernyms) {
          for (const std::uint32_t b : words[above]) {
            if (a != b) relate(a, b).hypernym = std::max(relate(a, b).hypernym, share);
          }
        }
      }
    }
  }

  void add_neighbours() {
    std::vector<std::vector<std::pair<float, std::uint32_t>>> nearest(words_.size());
    os::Pool pool({.name = "near", .threads = 2, .queue = 64});
    pool.for_each(words_.size(), [&](std::size_t w) {
      auto& best = nearest[w];
      for (const std::uint32_t other : words_) {
        const float cosine = inference::cosine(tables_, words_[w], other);
        if (other == words_[w] || cosine < least_neighbour_cosine) continue;
        best.emplace_back(-cosine, other);
      }
      const std::size_t count = std::min(best.size(), most_neighbours);
      std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count),
                        best.end());
      best.resize(count);
    });
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (const auto& [cosine, other] : nearest[w]) relate(words_[w], other);
    }
  }

  const Corpus& corpus_;
  const text::Tokenizer& tokenizer_;
  const inference::StaticTables& tables_;
  Relations found_;
  Ids words_;
};

float weight_of(const Relation& relation, const RelationWeights& weights) {
  float weight = relation.same_stem ? weights.same_stem : 0;
  weight += weights.synonym * std::sqrt(relation.synonym);
  weight += weights.hypernym * relation.hypernym;
  if (relation.cosine > weights.least_cosine) {
    weight +=
        weights.neighbour * (relation.cosine - weights.least_cosine) / (1 - weights.least_cosine);
  }
  return std::min(weight, largest_expansion);
}

}  // namespace

std::vector<std::vector<Relation>> find_relations(const Corpus& corpus,
                                                  const text::Tokenizer& tokenizer,
                                                  const inference::StaticTables& tables) {
  return Finder(corpus, tokenizer, tables).find();
}

void set_expansions(const std::vector<std::vector<Relation>>& relations,
                    const RelationWeights& weights, inference::StaticTables& tables) {
  tables.expansions.clear();
  tables.expansion_ends.clear();
  std::vector<inference::Expansion> best;
  for (const auto& of_token : relations) {
    best.clear();
    for (const Relation& relation : of_token) {
      const auto steps = static_cast<int>(weight_of(relation, weights) * 255 + 0.5F);
      if (steps >= 5) best.push_back({relation.id, static_cast<float>(steps) / 255});
    }
    std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
    });
    if (best.size() > most_expansions_of_token) best.resize(most_expansions_of_token);
    tables.expansions.insert(tables.expansions.end(), best.begin(), best.end());
    tables.expansion_ends.push_back(static_cast<std::uint32_t>(tables.expansions.size()));
  }
}

RelationWeights fit_weights(const std::function<double(const RelationWeights&)>& quality) {
  RelationWeights best;
  double best_quality = quality(best);
  const auto choose = [&](float RelationWeights::*which, std::initializer_list<float> choices) {
    for (const float choice : choices) {
      RelationWeights other = best;
      other.*which = choice;
      if (other.*which == best.*which) continue;
      const double other_quality = quality(other);
      if (other_quality > best_quality) {
        best = other;
        best_quality = other_quality;
      }
    }
  };
  for (int round = 0; round < 2; ++round) {
    choose(&RelationWeights::same_stem, {0.1F, 0.2F, 0.3F});
    choose(&RelationWeights::neighbour, {0.0F, 0.1F, 0.2F, 0.3F, 0.4F});
    choose(&RelationWeights::least_cosine, {0.35F, 0.4F, 0.5F, 0.6F});
    choose(&RelationWeights::synonym, {0.0F, 0.1F, 0.2F, 0.3F});
    choose(&RelationWeights::hypernym, {0.0F, 0.1F, 0.2F, 0.3F});
  }
  return best;
}

}  // namespace cairn::mini
