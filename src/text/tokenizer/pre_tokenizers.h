// SPDX-License-Identifier: Apache-2.0
// The pre-tokenizers of tokenizer.json: how normalized text is cut into words.
#pragma once

#include <memory>
#include <vector>

#include "text/tokenizer/fields.h"
#include "text/tokenizer/work.h"

namespace cairn::text::tokenizer {

/// One step. Immutable; safe from any thread.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Cuts `work.pieces`, ranges of `work.text`, which it may rewrite. Errors: as Normalizer.
  virtual Status apply(Work& work) const = 0;
  /// Whether the step looks at the origin of its text, even where the caller wants none.
  virtual bool needs_origins() const { return false; }
};

struct PreTokenizers {
  std::vector<std::unique_ptr<const PreTokenizer>> steps;
  /// The last step is ByteLevel without its alphabet: pieces are plain bytes. Asked for by the
  /// reader, for a model whose tokens were made plain bytes too.
  bool plain_bytes = false;
};

/// Reads the `pre_tokenizer` of a tokenizer.json, sequences made flat; none for null. Where
/// `want_plain_bytes` and ByteLevel comes last, its alphabet is left out.
/// Errors: invalid_argument; unsupported for a type that is not offered.
Result<PreTokenizers> read_pre_tokenizers(const Json& pre_tokenizer, bool want_plain_bytes);

}  // namespace cairn::text::tokenizer
