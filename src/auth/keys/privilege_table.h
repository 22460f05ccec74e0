// SPDX-License-Identifier: Apache-2.0
// The privileges that exist and what implies what, as numbers for fast questions.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace cairn::auth {

inline constexpr std::size_t privileges_max = 96;
/// One bit for each privilege of one scope.
using PrivilegeSet = std::bitset<privileges_max>;

enum class Scope { cluster, index };

/// The number of a privilege; nothing where no such privilege exists.
std::optional<std::size_t> privilege_number(Scope scope, std::string_view name);
/// Everything that holding privilege `number` admits to, itself included.
const PrivilegeSet& implied_by(Scope scope, std::size_t number);

}  // namespace cairn::auth
