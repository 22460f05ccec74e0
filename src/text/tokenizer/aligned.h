// SPDX-License-Identifier: Apache-2.0
// Text on its way through normalizers and pre-tokenizers, and what of the input each byte stands
// for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/tokenizer/characters.h"
#include "text/tokenizer/span.h"

namespace cairn::text::tokenizer {

/// UTF-8 text. Where `tracked`, each byte has an origin: the bytes of the input that its character
/// stands for. As long as nothing was rewritten both are views of the input. Reused: its buffers
/// stay.
class Aligned {
 public:
  /// Starts with a part of the input, which begins there at `base`; `origins` has one for each
  /// byte, or is null where each character stands for itself.
  void reset(std::string_view part, std::size_t base, const Span* origins, bool tracked);

  std::string_view bytes() const { return bytes_; }
  bool tracked() const { return tracked_; }
  /// Of the input; only where tracked.
  Span origin(std::size_t byte) const;
  Span origin(Span range) const {
    if (range.begin >= range.end) return {base_, base_};
    return {origin(range.begin).begin, origin(range.end - 1).end};
  }
  std::uint32_t base() const { return base_; }
  /// Frees buffers that one long text has left large.
  void shrink();

 private:
  friend class Rewrite;
  std::string_view bytes_;
  const Span* origins_ = nullptr;
  std::uint32_t base_ = 0;
  std::size_t most_bytes_ = 0;
  bool tracked_ = false;
  int spare_ = 0;
  std::string texts_[2];
  std::vector<Span> tracks_[2];
};

/// Writes the text anew, from left to right, while the old one can be read. The steps of hostile
/// files make text grow without end: beyond a multiple of the input nothing more is written.
class Rewrite {
 public:
  explicit Rewrite(Aligned& text);

  /// Takes over a range of the old text.
  void keep(std::size_t begin, std::size_t end);
  /// Adds a character, or several, that stand for what the byte `from` of the old text stands for.
  void put(UChar32 c, std::size_t from) {
    const std::size_t before = out_.size();
    append_character(out_, c);
    if (text_.tracked()) origins_.insert(origins_.end(), out_.size() - before, text_.origin(from));
  }
  void put(std::string_view characters, std::size_t from) {
    put_as(characters, origin_or_base(from));
  }
  /// One that stands for what lies before the byte `from`.
  void put_after(UChar32 c, std::size_t from);
  void put_after(std::string_view characters, std::size_t from) {
    put_as(characters, from == 0 ? start() : origin_or_base(from - 1));
  }

  std::size_t size() const { return out_.size(); }
  bool full() const { return out_.size() > text_.most_bytes_; }
  /// The new text takes the place of the old. Errors: too_large.
  Status finish();

 private:
  void put_as(std::string_view characters, Span origin);
  Span start() const { return {text_.base_, text_.base_}; }
  Span origin_or_base(std::size_t byte) const {
    return text_.tracked() && byte < text_.bytes().size() ? text_.origin(byte) : start();
  }

  Aligned& text_;
  std::string& out_;
  std::vector<Span>& origins_;
};

/// A character of the new text. `change` 0: takes the place of the next old character; n > 0: is
/// inserted after the one before; -n: takes the place of the next, and n more are gone.
struct Change {
  UChar32 c;
  int change;
};

/// Rewrites the whole text by a list of changes, after `gone` characters that are left out.
Status rewrite(Aligned& text, const std::vector<Change>& changes, std::size_t gone = 0);

}  // namespace cairn::text::tokenizer
