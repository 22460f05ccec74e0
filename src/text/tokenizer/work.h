// SPDX-License-Identifier: Apache-2.0
// What one call of encode() works with: buffers that stay with the thread, so that no token needs
// memory of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "os/steps.h"
#include "text/tokenizer/aligned.h"

namespace cairn::text::tokenizer {

/// Tokens of a text: ids, and where wanted the ranges of the text that they stand for.
struct TokenList {
  std::vector<std::uint32_t> ids;
  std::vector<Span> spans;  // as many as ids, or none
  bool with_spans = false;

  void add(std::uint32_t id, std::size_t begin, std::size_t end) {
    ids.push_back(id);
    if (with_spans) spans.push_back(span_of(begin, end));
  }
  void cut(std::size_t size) {
    ids.resize(size);
    if (with_spans) spans.resize(size);
  }
};

struct BestPath {  // of Unigram, to one place of a word
  double score;
  std::uint32_t id;
  std::int32_t begin;  // of its last token; -1: no path yet
};

struct Symbol {  // of BPE
  std::uint32_t id;
  std::uint32_t size;  // in bytes; 0: merged into the one before
  std::int32_t previous;
  std::int32_t next;
};

struct Merge {  // of BPE, that may be done
  std::uint32_t rank;
  std::uint32_t at;
  std::uint32_t id;
  friend bool operator>(const Merge& a, const Merge& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
  }
};

struct Work {
  Aligned text;
  std::vector<Change> changes;
  std::vector<Span> pieces;
  std::vector<Span> finer;
  std::vector<Span> between;  // pieces between added tokens
  std::vector<BestPath> paths;
  std::vector<Span> found;
  std::vector<Symbol> symbols;
  std::vector<Merge> merges;
  os::Steps* steps = nullptr;
  const std::vector<bool>* barred = nullptr;  // by id: tokens that no word becomes

  bool bars(std::uint32_t id) const { return barred != nullptr && (*barred)[id]; }
};

}  // namespace cairn::text::tokenizer
