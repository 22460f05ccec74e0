// SPDX-License-Identifier: Apache-2.0
// What an access control sync writes: for everybody whom a source knows the query that a role needs
// to show them what the source would.
#pragma once

#include <memory>

#include "connectors/source.h"

namespace cairn::connectors {

/// A source whose items are the identities of `of`, one document each under the identity's id:
/// {"identity": {...}, "query": {"template": {"params": {"access_control": [...]}, "source":
/// "..."}}}. `of` outlives it. Source: docs/reference/document-level-security.md.
std::unique_ptr<Source> identities_of(Source& of);

}  // namespace cairn::connectors
