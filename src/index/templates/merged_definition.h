// SPDX-License-Identifier: Apache-2.0
// One definition above another: what an index has where several say it.
#pragma once

#include "format/json.h"
#include "index/definition.h"

namespace cairn::index {

/// `above` laid over `below`. Settings (both normalised) by their dotted names, aliases by name,
/// mappings by field.
IndexDefinition merged_definition(IndexDefinition below, const IndexDefinition& above);

/// A field of `above` replaces one of the same path as a whole; the fields of objects are laid over
/// each other. dynamic_templates by name, _meta member by member, other members as a whole. Paths
/// with dots are those of fields in objects.
Json merged_mappings(const Json& below, const Json& above);

}  // namespace cairn::index
