// SPDX-License-Identifier: Apache-2.0
// The actions of the object storage that policies may name, and what each is done to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::auth {

enum class ActionTarget : std::uint8_t { account, bucket, object };

struct PolicyAction {
  std::string_view name;  // "s3:GetObject"
  ActionTarget target;
};

/// All of them, in the order of their names.
std::span<const PolicyAction> policy_actions();
/// The row of that exact name, or null.
const PolicyAction* find_policy_action(std::string_view name);

}  // namespace cairn::auth
