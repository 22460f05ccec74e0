// SPDX-License-Identifier: Apache-2.0
// Access grants at the control API: what a path is about, for rights.
#pragma once

#include <string>
#include <string_view>

#include "s3api/call.h"

namespace cairn::s3api {

inline constexpr std::string_view grants_path = "/v20180820/accessgrantsinstance";

/// True for operations on access grants.
bool is_about_grants(const ParsedCall& call);
/// "arn:aws:s3:us-east-1:123456789012:access-grants/default", or of one of its locations or grants.
std::string resource_of_grants(const Call& call);

}  // namespace cairn::s3api
