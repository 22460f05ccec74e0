// SPDX-License-Identifier: Apache-2.0
// Whether a document fits a schema (specification of October 2021, section 5).
#pragma once

#include <string>
#include <vector>

#include "format/json.h"
#include "graphql/language/syntax.h"
#include "graphql/options.h"
#include "graphql/schema/schema.h"

namespace cairn::graphql {

/// One thing that is wrong with a document, in the words that the reference implementation uses.
struct Fault {
  std::string message;
  std::vector<Location> locations = {};
  std::string type = {};  // a word for programs; empty: none
  Json path = {};         // of the answer; null: none
};

/// Everything that is wrong, at most `options.errors`; empty: the document may run. Comparing
/// fields that would merge is bounded, and a document that wants more of it does not fit.
std::vector<Fault> validate(const Schema& schema, const Document& document,
                            const Options& options = {});

}  // namespace cairn::graphql
