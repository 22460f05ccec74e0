// SPDX-License-Identifier: Apache-2.0
// The post-processors of tokenizer.json: which special tokens come around one text or two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/fields.h"

namespace cairn::text::tokenizer {

struct TemplatePiece {
  int sequence = -1;  // 0 the first text, 1 the second; -1: special tokens
  std::uint32_t type_id = 0;
  std::vector<std::uint32_t> ids = {};  // of special tokens
};

/// All kinds are one: a template, and offsets that leave out spaces of byte-level tokens.
struct PostProcessor {
  std::vector<TemplatePiece> single{{.sequence = 0, .type_id = 0}};
  std::vector<TemplatePiece> pair{{.sequence = 0, .type_id = 0}, {.sequence = 1, .type_id = 1}};
  bool trims_offsets = false;
  bool keeps_added_space = false;  // one space before the text was added: its offset stays

  /// How many special tokens come around the text, or both.
  std::size_t special_count(bool is_pair) const;
};

/// Reads the `post_processor`; null gives the texts alone.
/// Errors: invalid_argument; unsupported for a type that is not offered.
Result<PostProcessor> read_post_processor(const Json& post_processor);

}  // namespace cairn::text::tokenizer
