// SPDX-License-Identifier: Apache-2.0
// The normalizers of tokenizer.json: how text is made uniform before it is cut.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer/fields.h"
#include "text/tokenizer/work.h"

namespace cairn::text::tokenizer {

/// One step. Immutable; safe from any thread.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// Rewrites `work.text`. Errors: too_large where it grows without measure; invalid_argument where
  /// a pattern needs too many steps.
  virtual Status apply(Work& work) const = 0;
};

using Normalizers = std::vector<std::unique_ptr<const Normalizer>>;

/// Reads the `normalizer` of a tokenizer.json, sequences made flat; none for null.
/// Errors: invalid_argument; unsupported for a type that is not offered.
Result<Normalizers> read_normalizers(const Json& normalizer);

/// BertNormalizer.
struct BertOptions {
  bool clean = true;
  bool space_ideographs = true;
  bool strip_accents = true;
  bool lowercase = true;
};
Result<std::unique_ptr<const Normalizer>> bert_normalizer(BertOptions options);

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };
Result<std::unique_ptr<const Normalizer>> unicode_form(UnicodeForm form);

/// Replace: the text, or the matches of the expression, become `content`.
std::unique_ptr<const Normalizer> replace_text(std::string text, std::string content);
Result<std::unique_ptr<const Normalizer>> replace_matches(const std::string& expression,
                                                          std::string content);

/// Precompiled: the table of SentencePiece, base64.
Result<std::unique_ptr<const Normalizer>> charsmap_normalizer(const Fields& fields);

/// Appends the lower case of one character by itself: no final sigma, as the tokenizers that models
/// were made with.
template <class Put>
void lowered(UChar32 c, Put put) {
  if (c == 0x130) {  // the one character whose lower case is two
    put('i');
    put(0x307);
    return;
  }
  put(u_tolower(c));
}

}  // namespace cairn::text::tokenizer
