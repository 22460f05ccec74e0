// SPDX-License-Identifier: Apache-2.0
// Values of a configuration that nobody is shown: sealed in the record of their connector.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// Keeps a secret for one context, which opens it again.
struct Seal {
  std::function<std::string(std::string_view secret, std::string_view context)> close = {};
  std::function<Result<std::string>(std::string_view sealed, std::string_view context)> open = {};
};

/// Stands where a value is set that is not shown. Given back, it stands for the value that is
/// there.
inline constexpr std::string_view secret_mask = "********";

/// Seals the texts of those entries that `schema` calls sensitive, and masks them; what is masked
/// already keeps what `before` has sealed under the same name. `connector` is part of the context.
/// Errors: action_request_validation_exception for a mask that stands for nothing; unavailable
/// where there is no seal.
Status seal_values(Json& configuration, const Json& before, const Json& schema, const Seal& seal,
                   const std::string& connector);
/// Drops sealed bytes, for who is shown the configuration.
void hide_values(Json& configuration);
/// Sets the values that `stored` has sealed. Errors: corrupt.
Status open_values(Json& configuration, const Json& stored, const Seal& seal,
                   const std::string& connector);

/// Seals the secrets of a stored configuration again. True where there were any. Errors: those of
/// `seal`.
Result<bool> reseal_values(Json& configuration, const Seal& seal, const std::string& connector);

}  // namespace cairn::connectors
