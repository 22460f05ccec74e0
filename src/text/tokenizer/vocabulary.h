// SPDX-License-Identifier: Apache-2.0
// Token texts by id and ids by text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/tokenizer/fields.h"

namespace cairn::text::tokenizer {

/// One block of bytes, and a table by hash. Immutable.
class Vocabulary {
 public:
  using Token = std::pair<std::string, std::uint32_t>;

  /// Of tokens with one text the last counts.
  /// Errors: invalid_argument for two tokens with one id or ids far beyond the number of tokens.
  static Result<Vocabulary> build(const std::vector<Token>& tokens);
  /// From an object of ids by text: the `vocab` of a model.
  static Result<std::vector<Token>> read(const Fields& model);

  std::size_t size() const { return ends_.size(); }
  std::string_view token(std::uint32_t id) const;
  std::optional<std::uint32_t> id_of(std::string_view token) const;
  std::size_t longest_token() const { return longest_; }
  std::size_t size_bytes() const;

 private:
  struct Slot {
    std::uint32_t hash = 0;  // of the text: most wrong slots are seen without looking at it
    std::uint32_t id_plus_one = 0;
  };
  std::string bytes_;
  std::vector<std::uint32_t> ends_;  // of the texts in bytes_, by id
  std::vector<Slot> slots_;          // open addressing; a power of two of them
  std::size_t longest_ = 0;
};

// Longer ones are no vocabulary that anybody trained; what a character costs grows with it.
inline constexpr std::size_t longest_token_bytes = 1024;

}  // namespace cairn::text::tokenizer
