// SPDX-License-Identifier: Apache-2.0
// Rows of access points, in the table `system`: "access_point/", account, "/", and s3::key_of.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/access_points.h"

namespace cairn::objectstore {

inline constexpr std::string_view access_point_rows = "access_point/";
std::string access_point_row(std::string_view account_id, std::string_view key);

std::string encode(const s3::AccessPoint& point);
/// Errors: corrupt.
Result<s3::AccessPoint> decode_access_point(std::string_view bytes);

}  // namespace cairn::objectstore
