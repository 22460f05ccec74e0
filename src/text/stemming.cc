// SPDX-License-Identifier: Apache-2.0
// libstemmer behind a per-thread cache: words of a text repeat.
#include "text/stemming.h"

#include <libstemmer.h>

#include <array>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "base/hash.h"

namespace cairn::text {
namespace {

constexpr std::array algorithms = {
    "porter",  "arabic",    "armenian",   "basque",   "catalan", "danish",
    "dutch",   "english",   "finnish",    "french",   "german",  "greek",
    "hindi",   "hungarian", "indonesian", "irish",    "italian", "lithuanian",
    "nepali",  "norwegian", "portuguese", "romanian", "russian", "serbian",
    "spanish", "swedish",   "tamil",      "turkish",  "yiddish"};

struct Free {
  void operator()(sb_stemmer* s) const { sb_stemmer_delete(s); }
};

constexpr std::size_t cache_entries = 4096;
constexpr std::size_t cached_length_max = 23;

struct Entry {
  std::uint8_t word_size = 0;  // 0: empty
  std::uint8_t stem_size = 0;
  std::array<char, cached_length_max> word;
  std::array<char, cached_length_max> stem;
};

// What a thread keeps for one algorithm: made at the first use.
struct Engine {
  std::unique_ptr<sb_stemmer, Free> stemmer;
  std::vector<Entry> cache;
};

Engine& engine_of(std::size_t number) {
  thread_local std::array<Engine, algorithms.size()> engines;
  Engine& engine = engines[number];
  if (!engine.stemmer) {
    engine.stemmer.reset(sb_stemmer_new(algorithms[number], "UTF_8"));
    CAIRN_ASSERT(engine.stemmer != nullptr);
    engine.cache.resize(cache_entries);
  }
  return engine;
}

}  // namespace

bool Stemmer::exists(std::string_view algorithm) {
  for (const char* name : algorithms)
    if (algorithm == name) return true;
  return false;
}

Stemmer::Stemmer(std::string_view algorithm) : number_(0) {
  CAIRN_ASSERT(exists(algorithm));
  while (algorithm != algorithms[number_]) ++number_;
}

std::string_view Stemmer::stem(std::string_view word) const {
  Engine& engine = engine_of(number_);
  if (word.empty() || word.size() > 0xFFFF) return word;
  const bool cached = word.size() <= cached_length_max;
  Entry& entry = engine.cache[cached ? fast_hash(word) % cache_entries : 0];
  if (cached && std::string_view(entry.word.data(), entry.word_size) == word)
    return {entry.stem.data(), entry.stem_size};
  const auto* symbols = reinterpret_cast<const sb_symbol*>(word.data());
  const sb_symbol* found =
      sb_stemmer_stem(engine.stemmer.get(), symbols, static_cast<int>(word.size()));
  if (found == nullptr) return word;
  const std::string_view stem(reinterpret_cast<const char*>(found),
                              static_cast<std::size_t>(sb_stemmer_length(engine.stemmer.get())));
  if (cached && stem.size() <= cached_length_max) {
    entry.word_size = static_cast<std::uint8_t>(word.size());
    entry.stem_size = static_cast<std::uint8_t>(stem.size());
    word.copy(entry.word.data(), word.size());
    stem.copy(entry.stem.data(), stem.size());
  }
  return stem;
}

}  // namespace cairn::text
