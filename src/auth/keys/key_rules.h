// SPDX-License-Identifier: Apache-2.0
// The rules of API keys without any state: what may be made, changed and found.
#pragma once

#include <cstdint>
#include <optional>

#include "auth/keys/key.h"
#include "auth/keys/keys.h"
#include "base/result.h"

namespace cairn::auth {

/// Errors as Keys::create has them.
Status check_new_key(const NewKey& wanted, const Key& creator);

/// The metadata that a key of `creator` gets: what was asked for, with the creator's identity where
/// none was, so that a key made by a key counts for the same account.
/// Errors: permission_denied, invalid_argument.
Result<Json> metadata_of(const Json& wanted, const Key& creator);

/// Errors: invalid_argument for a key that is invalidated or expired.
Status check_alive(const Key& key, std::int64_t now_ms);

/// `current` with the change, one version later; nothing where it changes nothing.
Result<std::optional<Key>> changed_key(const Key& current, const KeyChange& change,
                                       const Key& changer, std::int64_t now_ms);

bool fits(const KeyFilter& filter, const Key& key, std::int64_t now_ms);

}  // namespace cairn::auth
