// SPDX-License-Identifier: Apache-2.0
// The texts of a document that its semantic_text fields embed.
#pragma once

#include <string>
#include <vector>

#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

struct SemanticTexts {
  const Field* field = nullptr;    // of the mapping
  std::vector<std::string> texts;  // SemanticChunk::input counts in this list
};

/// Every semantic_text field that the document gives a text, in objects, as a multi-field and
/// through copy_to too. Values that are no texts are left out; writing the document refuses them.
std::vector<SemanticTexts> semantic_texts(const Json& document, const Mapping& mapping);

}  // namespace cairn::index
