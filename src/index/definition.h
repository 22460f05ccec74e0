// SPDX-License-Identifier: Apache-2.0
// What an index begins with, beside its name; and whether an index can begin with it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"
#include "index/names/aliases.h"
#include "text/analyzer.h"

namespace cairn::index {

struct IndexDefinition {
  Json mappings = {};  // as in the API; null: none
  Json settings = {};  // as in the API; null: none
  NewAliases aliases = {};
};

/// What a definition comes to. Its settings are normalised.
struct CheckedDefinition {
  Json settings = {};
  text::Analyzers analyzers = {};
  std::shared_ptr<const Mapping> mapping = {};
};

/// Reads mappings and settings as a new index does. Errors: those of normalise_settings, of
/// check_analysis_sizes, of text::Analyzers::parse and of Mapping::parse.
Result<CheckedDefinition> check_definition(const Json& mappings, const Json& settings,
                                           std::size_t total_fields_limit);

/// The same of what an index has: its mapping was within its limits once, and is taken.
Result<CheckedDefinition> check_kept_definition(const Json& mapping, const Json& settings);

/// What the settings of an index let its mapping hold.
MappingLimits mapping_limits_of(const Json& settings, std::size_t total_fields_limit);

/// Asked about aliases with filters before they are taken: whether searches can read them.
using CheckAliases = std::function<Status(const CheckedDefinition& index, const NewAliases& aliases)>;

}  // namespace cairn::index
