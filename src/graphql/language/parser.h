// SPDX-License-Identifier: Apache-2.0
// The text of a document as a tree: operations, fragments, and definitions of types.
#pragma once

#include <string_view>

#include "base/result.h"
#include "graphql/language/syntax.h"
#include "graphql/options.h"

namespace cairn::graphql {

/// Parses all of a document by the grammar of October 2021. Takes time and memory in proportion to
/// the text. Errors: invalid_argument, code graphql_syntax, with details line and column: what was
/// expected and what stands there; text that is not UTF-8; more bytes, tokens or nesting than
/// `options` allows.
Result<Document> parse_document(std::string_view text, const Options& options = {});

}  // namespace cairn::graphql
