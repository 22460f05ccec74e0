// SPDX-License-Identifier: Apache-2.0
// The schema as answers to questions about it (specification of October 2021, section 4).
#pragma once

#include "graphql/schema/schema.h"

namespace cairn::graphql {

/// Binds the fields of __Schema, __Type and their like. Errors: not_found, where one is missing.
Status bind_introspection(Schema& schema);

}  // namespace cairn::graphql
