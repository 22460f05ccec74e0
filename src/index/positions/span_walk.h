// SPDX-License-Identifier: Apache-2.0
// Pieces of documents, walked document by document and piece by piece: a word's positions, and the
// documents of pieces that are made of others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "index/query/scorer.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// Positions [begin, end) of a document.
struct Span {
  static constexpr std::int64_t nowhere = INT64_MAX / 4;  // behind the last one
  std::int64_t begin = -1, end = -1;                      // -1: before the first one
  std::int64_t apart = 0;  // how far its parts are from each other, as its maker counts that
};

/// Pieces of the documents of one segment, in the order in which they begin. One thread. Every
/// piece that is looked at counts a step; once the steps have ended there are no more.
class SpanWalk {
 public:
  virtual ~SpanWalk() = default;
  /// Documents that may have pieces; no_more at the end.
  std::uint32_t doc() const { return doc_; }
  /// To the first document at or after `target`; stays where that is doc().
  virtual std::uint32_t seek(std::uint32_t target) = 0;
  virtual std::uint64_t cost() const = 0;  // about how many documents
  /// To before the first piece of doc().
  virtual void enter() = 0;
  /// To the next piece of doc(). False where there is none.
  virtual bool next() = 0;
  const Span& at() const { return at_; }
  /// How many positions of it are its parts'.
  virtual std::int64_t covered() const { return at_.end - at_.begin; }

 protected:
  bool found(std::int64_t begin, std::int64_t end, std::int64_t apart) {
    at_ = {.begin = begin, .end = end, .apart = apart};
    return true;
  }
  bool ended() {
    at_ = {.begin = Span::nowhere, .end = Span::nowhere, .apart = 0};
    return false;
  }
  std::uint32_t doc_ = no_more;
  Span at_;
};
using SpanWalkPtr = std::unique_ptr<SpanWalk>;  // null: no documents

/// Documents that all parts have.
class AllWalk : public SpanWalk {
 public:
  std::uint32_t seek(std::uint32_t target) override;
  std::uint64_t cost() const override { return parts_[lead_]->cost(); }
  void enter() override;

 protected:
  /// None of them is null; there is one at least.
  AllWalk(std::vector<SpanWalkPtr> parts, os::Steps& steps);
  std::vector<SpanWalkPtr> parts_;
  os::Steps& steps_;

 private:
  std::uint32_t align(std::uint32_t doc);
  std::size_t lead_ = 0;
};

/// Documents that any part has.
class AnyWalk : public SpanWalk {
 public:
  std::uint32_t seek(std::uint32_t target) override;
  std::uint64_t cost() const override;
  void enter() override;

 protected:
  AnyWalk(std::vector<SpanWalkPtr> parts, os::Steps& steps);
  std::vector<SpanWalk*> here_;  // those that have doc()
  os::Steps& steps_;

 private:
  void gather(std::size_t at);
  std::vector<SpanWalkPtr> parts_;
  std::vector<SpanWalk*> heap_;  // by document
};

/// Documents of the first, whether the second has them or not.
class BesideWalk : public SpanWalk {
 public:
  std::uint32_t seek(std::uint32_t target) override { return doc_ = first_->seek(target); }
  std::uint64_t cost() const override { return first_->cost(); }
  void enter() override;

 protected:
  BesideWalk(SpanWalkPtr first, SpanWalkPtr second);
  SpanWalkPtr first_, second_;
  bool has_second_ = false;  // doc() has pieces of it left
};

/// Opens words in one segment, of one tree of pieces: a word that stands in it several times is
/// read once in each document.
class WordOpener {
 public:
  /// Both outlive it and what it opens.
  WordOpener(const QueryContext& context, std::size_t segment);
  /// Its occurrences; each is a piece. Null where no document has it.
  Result<SpanWalkPtr> open(const std::string& field, const std::string& term);
  os::Steps& steps() const { return context_.steps; }

  /// The positions of a word in the document that it was read for.
  struct Positions {
    std::uint32_t doc = no_more;
    std::vector<std::uint32_t> list;
  };

 private:
  const QueryContext& context_;
  const Segment& segment_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Positions>> known_;
};

/// How the documents of a walk score.
class SpanScoring {
 public:
  virtual ~SpanScoring() = default;
  /// What a piece adds to the frequency.
  virtual double share(const Span& span) const = 0;
  virtual float score(std::uint32_t doc, float frequency) const = 0;
};
/// Documents that have a piece. `frequency()` is known once `score()` was asked.
ScorerPtr span_scorer(SpanWalkPtr walk, std::unique_ptr<SpanScoring> scoring, os::Steps& steps);

}  // namespace cairn::index
