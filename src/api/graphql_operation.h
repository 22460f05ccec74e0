// SPDX-License-Identifier: Apache-2.0
// What a GraphQL document asks to be done, as far as limits care.
#pragma once

#include <string_view>

namespace cairn::api {

/// True where the operation that would run is a mutation: the one of that name, or with an empty
/// name any of the document. Text that is no GraphQL is no mutation. Linear in the text.
bool is_mutation(std::string_view document, std::string_view operation_name = {});

}  // namespace cairn::api
